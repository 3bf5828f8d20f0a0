import FailureExplanation
import LogDiagnosis
import LogReports
import RuleAuthoring
import TestSupport
import Testing

@testable import ReportKit
@testable import ULSLog
@testable import ULSRows

/// Every human-readable report, on terminals of all widths.
struct TerminalWidthTests {
    /// A report, by name, as a function of the layout.
    struct Report: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let text: @Sendable (TextLayout) throws -> String

        init(_ name: String, _ append: @escaping @Sendable (TextLayout, inout [UInt8]) throws -> Void) {
            testDescription = name
            text = { layout in try rendered { try append(layout, &$0) } }
        }
    }

    static let reports = [
        Report("summary") { SummaryRenderer.append(LogFixtures.summary, layout: $0, to: &$1) },
        Report("summary of long names") { SummaryRenderer.append(longSummary, layout: $0, to: &$1) },
        Report("slow") { SlowRenderer.append(LogFixtures.slow, layout: $0, to: &$1) },
        Report("trace") { layout, bytes in
            try TraceRenderer.append([LogFixtures.trace], layout: layout, to: &bytes) { _ in }
        },
        Report("trace of long names") { layout, bytes in
            try TraceRenderer.append([longTrace], layout: layout, to: &bytes) { _ in }
        },
        Report("events") { append(LogFixtures.trace.events, marksHits: false, $0, to: &$1) },
        Report("hits with long names") { append(longTrace.events, marksHits: true, $0, to: &$1) },
        Report("findings on pages") { try append(DiagnosisFixtures.report(), .page, $0, to: &$1) },
        Report("findings in full") { try append(DiagnosisFixtures.report(), .full, $0, to: &$1) },
        Report("clusters") { try append(DiagnosisFixtures.clusters(), .full, $0, to: &$1) },
        Report("rules") { layout, bytes in
            let entries = try RuleLibrary.builtIn().entries
            RuleListRenderer.append(entries, as: .text, layout, to: &bytes)
        },
        Report("each rule") { layout, bytes in
            let library = try RuleLibrary.builtIn()
            for entry in library.entries {
                let description = RuleDescription(entry.rule, tests: try library.tests(of: entry.rule.id))
                RuleRenderer.append(description, layout, to: &bytes)
            }
        },
    ]

    private static func append(_ events: [ULSEvent], marksHits: Bool, _ layout: TextLayout, to bytes: inout [UInt8]) {
        var writer = LogEventWriter(.text, layout: layout, showsServer: true, marksHits: marksHits)
        for event in events { writer.append(event, to: &bytes) }
    }

    private static func append(
        _ report: DiagnosisReport,
        _ detail: FindingDetail,
        _ layout: TextLayout,
        to bytes: inout [UInt8]
    ) {
        var options = DiagnosisFixtures.options
        (options.layout, options.detail) = (layout, detail)
        DiagnosisRenderer(report, options).append(as: .text, to: &bytes)
    }

    private static let name = "日本語 a name with words " + String(repeating: "and more ", count: 30)

    private static var longSummary: LogSummary {
        var summary = LogFixtures.summary
        summary.levels = [.init(value: name, count: 12_345_678)]
        (summary.areas, summary.categories, summary.eventIDs) = (summary.levels, summary.levels, summary.levels)
        summary.files[0].server = name
        summary.gaps[0].server = name
        return summary
    }

    private static var longTrace: RequestTrace {
        var trace = LogFixtures.trace
        trace.servers = [name, "WFE1"]
        trace.events = trace.events.enumerated().map { index, event in
            var long = LogFixtures.event(
                event.text(.message) + name,
                at: Int64(index) * 1_000_007,
                server: index % 2 == 0 ? name : "WFE1",
                level: "VerboseExtraLongWord",
                eventID: "longID\(name)"
            )
            long.place = event.place
            return long
        }
        return trace
    }

    /// Returns whether a line may be wider than the terminal: a name, a path or a GUID that is alone on its line, so
    /// that it can be copied whole.
    private func isToCopy(_ line: Substring) -> Bool { !line.drop { $0 == " " }.contains(" ") }

    @Test(arguments: reports, [44, 60, 80, 120])
    func `No line is wider than the terminal, except for single words meant to be copied`(
        report: Report,
        width: Int
    ) throws {
        for isUnicode in [true, false] {
            let text = try report.text(TextLayout(width: width, isUnicode: isUnicode))
            #expect(!text.isEmpty)
            for line in text.split(separator: "\n") where SafeText.width(String(line)) > width {
                #expect(isToCopy(line), "\(SafeText.width(String(line))) columns: \(line)")
            }
        }
    }

    @Test(arguments: reports, [44, 80])
    func `In a wide layout, nothing is cut`(report: Report, width: Int) throws {
        let text = try report.text(TextLayout(width: width, isWide: true))
        // Only a page's row, a configuration element and a level have their own limits.
        let cut = text.split(separator: "\n").filter { $0.hasSuffix("…") }
        #expect(cut.allSatisfy { $0.contains(Self.name) || $0.contains("VerboseEx…") || !$0.contains("日本") }, "\(cut)")
        #expect(try report.text(TextLayout(width: width)) != report.text(TextLayout()) || cut.isEmpty)
    }
}
