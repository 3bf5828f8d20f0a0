import Foundation
import FoundationXML
import LogDiagnosis
import LogReports
import ReportKit
import WebConfig

@testable import ULSLog
@testable import ULSRows

/// Pages made for these tests.
enum PageFixtures {
    /// Returns a timeline of two servers, the second with a problem.
    static func timeline(servers: [String?] = ["WFE1", "WFE2"]) -> LogTimeline {
        var builder = TimelineBuilder()
        for minute in 0..<30 {
            for (number, server) in servers.enumerated() {
                for rank in [6, 8, 5] { builder.add(time(minute * 60_000), rank: UInt8(rank), server: server) }
                if number == 1, minute == 17 { builder.add(time(minute * 60_000), rank: 2, server: server) }
            }
        }
        return builder.timeline()
    }

    static func time(_ milliseconds: Int) -> PackedTime {
        PackedTime(clock: LogFixtures.start + Int64(milliseconds), offset: 0, quality: .local)
    }

    /// Returns a diagnosis with a finding for each text, which appears in every field that can contain it.
    static func diagnosis(_ texts: [String]) throws -> DiagnosisReport {
        var report = DiagnosisReport()
        for text in texts {
            let one = try DiagnosisHostileTests.report(text)
            report.findings += one.findings
            report.unexplained += one.unexplained
            report.changes += one.changes
            report.configs += one.configs
            report.refusedConfigs += one.refusedConfigs
            report.notEvaluated += one.notEvaluated
            report.passed += one.passed
            report.farmNotes += one.farmNotes
            report.marks.append(LogMark(at: LogFixtures.time(60_000), server: text, text))
            report.logs = one.logs
        }
        for index in report.unexplained.indices {
            report.unexplained[index].explanation.headline = texts[index]
            report.unexplained[index].explanation.sentence = texts[index]
            report.unexplained[index].explanation.exception = texts[index]
            report.unexplained[index].explanation.decoded = [texts[index]]
            report.unexplained[index].explanation.causes = [texts[index]]
            report.unexplained[index].explanation.checks = [ReadingCheck(texts[index], command: texts[index])]
        }
        report.unexplainedEvents = texts.count
        report.unexplainedKinds = texts.count
        report.logs?.timeline = timeline(servers: Array(texts.prefix(8)))
        report.logs?.gaps = texts.prefix(20).map {
            .init(server: $0, from: LogFixtures.time(), until: LogFixtures.time(400_000))
        }
        return report
    }

    static func page(of report: DiagnosisReport) -> String {
        var bytes: [UInt8] = []
        DiagnosisRenderer(report, DiagnosisFixtures.options).append(as: .html, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a trace with each text in every column of an event.
    static func trace(_ texts: [String]) -> RequestTrace {
        var trace = LogFixtures.trace
        trace.name = texts.first
        trace.correlation = texts.first ?? ""
        trace.servers = texts
        for (number, text) in texts.enumerated() {
            let event = ULSEvent(
                time: LogFixtures.time(Int64(number)),
                place: .init(file: text, line: 1, lineEnd: 1),
                server: text,
                columns: [
                    .process: text, .processID: text, .threadID: text, .area: text, .category: text, .eventID: text,
                    .level: text, .message: text, .correlation: text,
                ]
            )
            trace.events.append(event)
            let place = trace.events.count - 1
            trace.roots.append(
                .scope(.init(name: text, entering: place, leaving: place, microseconds: 5, children: [.event(place)]))
            )
        }
        return trace
    }

    static func trace(_ texts: [String]) -> String {
        let trace: RequestTrace = trace(texts)
        return rendered { bytes in TraceHTML([trace], nil).append(to: &bytes) }
    }

    /// Returns a summary with each text in every list.
    static func summary(_ texts: [String]) -> LogSummary {
        var summary = LogFixtures.summary
        summary.timeline = timeline(servers: Array(texts.prefix(8)))
        summary.levels = texts.map { .init(value: $0, count: 3) }
        summary.areas = summary.levels
        summary.categories = summary.levels
        summary.eventIDs = summary.levels
        summary.scopes = texts.map {
            ScopeDurations(key: $0, isRequest: true, count: 2, p50: 5, p95: 6, max: 7, total: 12, open: 0)
        }
        for duration: Int64 in [900, 5000, 2_000_000] { summary.requestDurations.add(duration) }
        summary.notes = texts
        return summary
    }

    static func summary(_ texts: [String]) -> String {
        let summary: LogSummary = summary(texts)
        return rendered { bytes in SummaryHTML.append(summary, rows: texts.count, redaction: nil, to: &bytes) }
    }

    /// Returns a report on slow requests with each text in every list.
    static func slow(_ texts: [String]) -> SlowReport {
        var report = LogFixtures.slow
        report.requests += texts.map {
            ScopeDurations(key: $0, isRequest: true, count: 2, p50: 5, p95: 6, max: 7, total: 12, open: 0)
        }
        report.scopes = report.requests
        report.slowest += texts.map {
            var instance = LogFixtures.slow.slowest[0]
            (instance.name, instance.server, instance.correlation, instance.place.file) = ($0, $0, $0, $0)
            return instance
        }
        report.notes = texts
        return report
    }

    static func slow(_ texts: [String]) -> String {
        let report: SlowReport = slow(texts)
        return rendered { bytes in SlowHTML.append(report, rows: texts.count, redaction: nil, to: &bytes) }
    }
}

/// The elements of a page, read by a strict parser.
final class PageReading: NSObject, XMLParserDelegate {
    struct Element {
        var name: String
        var attributes: [String: String]
        var parent: Int?
    }

    private(set) var elements: [Element] = []
    private(set) var problem: String?
    private var open: [Int] = []

    init(_ page: String) {
        super.init()
        let text = page.replacing("<!DOCTYPE html>", with: "")
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = self
        if !parser.parse() { problem = parser.parserError.map { "\($0), line \(parser.lineNumber)" } ?? "unknown" }
    }

    func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        elements.append(Element(name: name, attributes: attributes, parent: open.last))
        open.append(elements.count - 1)
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        open.removeLast()
    }

    func all(_ name: String) -> [Int] { elements.indices.filter { elements[$0].name == name } }

    func children(of index: Int) -> [Element] { elements.filter { $0.parent == index } }
}
