import Foundation
import TestSupport
import Testing
import ULSLog

@testable import FailureExplanation
@testable import LogDiagnosis

/// The share of published failures that a diagnosis covers, and the absence of findings in healthy logs.
///
/// `make score` prints the table. The score must not fall; when it rises, raise the floors.
@Suite(.serialized) struct ScoreTests {
    /// The share of failures with a named or explained finding, in percent, and the most clusters of healthy logs.
    private static let floor = 97
    /// The share of failures whose component and class of failure are found without any known sentence or code.
    private static let frameFloor = 60
    private static let maximumClusters = 3.0

    @Test(.enabled(if: Samples.folder != nil, "FASTCTL_SAMPLES names no folder"))
    func `The score for interpreting published failures does not drop`() throws {
        let rules = try RuleSet.builtIn()
        var useful = 0
        var failures = 0
        var framed = 0
        print("sample  expected  said      phrase    frame     what")
        for expectation in try Expectation.all() {
            let path = try #require(Samples.path(expectation.sample), "there is no sample \(expectation.sample)")
            let report = try Diagnosis(rules: rules).report(on: LogReader(inputs: [path]))
            let verdict = expectation.verdict(on: report)
            let frame = FrameAlone(report)
            let cells = [
                expectation.sample, expectation.kind.rawValue, verdict.said, frame.isKnown ? "known" : "new",
                frame.slots,
            ]
            let columns = cells.map { $0.padding(toLength: 9, withPad: " ", startingAt: 0) }
            print(columns.joined(separator: " "), verdict.isRight ? " " : "✘", verdict.words)
            if expectation.kind == .silent {
                #expect(!report.findings.contains { $0.severity >= .error }, "\(expectation.sample) has no failure")
            } else {
                failures += 1
                if verdict.isRight { useful += 1 }
                if frame.isComplete { framed += 1 }
            }
        }
        let share = useful * 100 / max(1, failures)
        print("score: \(useful) of \(failures) failures are named or explained, \(share) %")
        #expect(share >= Self.floor)
        let frameShare = framed * 100 / max(1, failures)
        print("score: by the frame alone, component and class of \(framed) of \(failures), \(frameShare) %")
        #expect(frameShare >= Self.frameFloor)
    }

    @Test func `Healthy logs show few kinds of problems`() throws {
        var rows = 0
        var clusters = 0
        for seed in 0..<UInt64(5) {
            let log = HealthyLog(rows: 4000, seed: seed)
            let report = try Diagnosis(rules: try RuleSet.builtIn()).report(
                on: LogReader(text: log.bytes, name: "WFE1-20260302-1000.log")
            )
            #expect(report.findings.allSatisfy { $0.severity < .error }, "seed \(seed)")
            #expect(report.changes.isEmpty, "seed \(seed)")
            rows += report.logs?.lookedAt ?? 0
            clusters += report.unexplainedKinds
        }
        #expect(rows == 20_000)
        let rate = Double(clusters) * 1000 / Double(max(1, rows))
        print("score: \(clusters) kinds of problems in \(rows) rows of healthy logs, \(rate) in 1,000")
        #expect(rate < Self.maximumClusters)
    }
}

/// The slots that the failures of a report have without the tables of sentences and codes.
private struct FrameAlone {
    /// Whether a table has a sentence of one of the texts.
    var isKnown = false
    /// Whether the component and the class of one failure are found.
    var isComplete: Bool { slots == "both" }
    private(set) var slots = "-"

    init(_ report: DiagnosisReport) {
        let rows = report.findings.flatMap(\.evidence) + report.unexplained.map(\.example)
        for row in rows {
            let codes = FailureCodes.find(in: row.text)
            isKnown = isKnown || codes.contains { $0.evidence == .phrase }
            let chains = ExceptionText.chains(in: row.text)
            let frame = FailureFrame(FrameText(row.text), chains, [], process: nil)
            let place = Components.find(
                frames: chains.flatMap(\.frames),
                types: chains.flatMap { $0.links.reversed().compactMap(\.type) },
                category: row.category,
                text: row.text
            )
            switch (frame.failure, frame.component != nil || place != nil) {
            case (.some, true): slots = "both"
            case (.some, false) where slots == "-": slots = "class"
            case (nil, true) where slots == "-": slots = "component"
            default: break
            }
        }
    }
}

/// The expected diagnosis of one sample.
private struct Expectation {
    enum Kind: String { case named, explained, silent, unsaid }

    var sample: String
    var kind: Kind
    /// Groups of words; one word of each group must occur.
    var words: [[String]]

    static func all() throws -> [Expectation] {
        try Expectations.table.split(separator: "\n").map {
            let cells = $0.components(separatedBy: " ; ")
            let groups = (cells.count > 2 ? cells[2] : "").components(separatedBy: " + ")
            return Expectation(
                sample: cells[0],
                kind: try #require(Kind(rawValue: cells[1])),
                words: groups.map { $0.split(separator: "|").map(String.init) }.filter { !$0.isEmpty }
            )
        }
    }

    /// Returns the diagnosis of a sample, whether it is correct, and the text that proves this.
    func verdict(on report: DiagnosisReport) -> (said: String, isRight: Bool, words: String) {
        let findings = report.findings.map { finding in
            let words = [finding.rule.id.text, finding.message, finding.reading?.place?.text ?? ""]
            return (words + (finding.reading?.told ?? [])).joined(separator: " ")
        }
        let clusters = report.unexplained.map { cluster in
            let reading = cluster.explanation
            let columns = [
                cluster.example.eventID, cluster.example.category, cluster.example.text, reading.place?.text ?? "",
            ]
            return (columns + reading.told).joined(separator: " ")
        }
        let said = findings.isEmpty ? clusters.isEmpty ? "nothing" : "explained" : "named"
        let told =
            report.findings.first.map { "\($0.rule.id) \($0.verdict)" }
            ?? report.unexplained.first.map { $0.explanation.headline ?? $0.template } ?? ""
        let isRight: Bool
        switch kind {
        case .silent: isRight = !report.findings.contains { $0.severity >= .error }
        case .named: isRight = report.findings.contains { words.first?.contains($0.rule.id.text) ?? false }
        case .explained, .unsaid:
            isRight = (findings + clusters).contains { text in
                words.allSatisfy { group in group.contains { text.localizedCaseInsensitiveContains($0) } }
            }
        }
        return (said, isRight, String(told.prefix(80)))
    }
}

/// The folder of published samples.
private enum Samples {
    static let folder = ProcessInfo.processInfo.environment["FASTCTL_SAMPLES"]

    /// Returns the path of the sample with a number.
    static func path(_ number: String) -> String? {
        guard let folder, let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return nil }
        return names.first { $0.hasPrefix(number + "-") }.map { "\(folder)/\($0)" }
    }
}

/// A log of a healthy farm, with reports on its work, and rows that only look like failures.
private struct HealthyLog {
    private(set) var bytes: [UInt8] = []

    private static let messages: [(id: String, level: String, category: String, text: String)] = [
        ("xmnv", "Medium", "Logging Correlation Data", "Name=Request (GET:http://portal:80/sites/#/pages/home.aspx)"),
        (
            "b4ly", "Medium", "Monitoring",
            "Leaving Monitored Scope (Request (GET:http://portal/sites/#)). Execution Time=#"
        ),
        ("nasq", "Verbose", "Monitoring", "Entering monitored scope (SPSecurityContext.RunAsProcess). Parent No"),
        (
            "tzku", "Verbose", "Database",
            "ConnectionString: 'Data Source=SQL#;Initial Catalog=Content_#;Connect Timeout=15'"
        ),
        ("8acb", "Medium", "Database", "Reverting to process identity"),
        ("aeayb", "Verbose", "Caching", "SPCache: 0 errors, # hits, # misses"),
        ("6t8h", "Medium", "Search", "Crawl # finished: # successes, 0 errors, 0 warnings"),
        ("c6zs", "High", "Health", "Rule 'Drives are running out of free space' : Pass"),
        ("dq4l", "Information", "Timer", "Job 'job-diskquota-#' succeeded, result 0x00000000"),
        (
            "e5mc", "Medium", "Timer",
            "The timer job Microsoft.SharePoint.Administration.SPUsageImportJobDefinition ran for # ms"
        ),
        ("a75h7", "Unexpected", "Topology", "Role conformance is not checked on a custom server"),
        ("b8fx", "High", "Unified Logging Service", "ULS Init Completed (OWSTIMER.EXE, #)"),
        ("7v48", "High", "Database", "Output parameter not used: @Count#"),
        (
            "4ohq", "High", "General",
            "Enumerating all sites:    at Microsoft.SharePoint.Administration.SPSiteCollection.get_Item(Int32 index)"
        ),
        ("abnwk", "Unexpected", "Cobalt", "[PSTRACE] request # ended"),
        ("ftd0", "Medium", "General", "PolicyExceptionHandler and ErrorPage module are registered"),
        ("umbj", "Medium", "Logging Correlation Data", "Site=/sites/#"),
        (
            "agb9s", "Medium", "Claims Authentication",
            "Non-OAuth request. IsAuthenticated=True, UserIdentityName=0#.w|contoso\\u#"
        ),
        ("ai1xu", "Medium", "Search", "Component Query# is Active, state 0x8, version 0x8000"),
        ("fo1t", "Monitorable", "Performance", "SPRequest usage of this request is # of 100"),
        ("gm3k", "Medium", "Security", "Token 0x1F4 for u# is cached until #"),
    ]

    init(rows: Int, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var text = ""
        for row in 0..<rows {
            let message = Self.messages[Int.random(in: 0..<Self.messages.count, using: &random)]
            var words = ""
            for character in message.text {
                words += character == "#" ? "\(Int.random(in: 1...9999, using: &random))" : String(character)
            }
            let seconds = row / 4
            let time = String(
                format: "03/02/2026 %02d:%02d:%02d.%02d",
                10 + seconds / 3600,
                seconds / 60 % 60,
                seconds % 60,
                row % 100
            )
            let id = String(format: "%08x-1b2c-4d5e-8f90-a1b2c3d4e5f6", row / 9)
            text +=
                "\(time)\tw3wp.exe (0x1A2C)\t0x0A10\tSharePoint Foundation\t\(message.category)\t\(message.id)\t\(message.level)\t\(words)\t\(id)\r\n"
        }
        bytes = Array(text.utf8)
    }
}
