import Foundation
import Testing

@testable import ULSLog

@Suite struct SampleTraceTests {
    @Test func `the tracing request is one scope with all its rows`() throws {
        let trace = TracingRequest.rows.trace()
        #expect(trace.events.count == 17)
        #expect(trace.name == TracingRequest.name)
        #expect(trace.duration == 206_331)
        #expect(trace.firstAbnormal == nil)
        #expect(trace.firstNotable == 5)
        try #require(trace.roots.count == 1)
        guard case .scope(let scope) = trace.roots[0] else { return #expect(Bool(false), "an event") }
        #expect(scope.name == TracingRequest.name)
        #expect(scope.entering == 0)
        #expect(scope.leaving == 16)
        #expect(scope.duration == 206_331)
        #expect(scope.children.count == 15)
    }

    private static let samples = ProcessInfo.processInfo.environment["FASTCTL_SAMPLES"]

    /// The rows of a file with tabs, each an event without a server, its time that of the day.
    private static func events(of file: String) throws -> [ULSEvent] {
        let url = URL(filePath: samples ?? "").appending(path: file)
        return try String(contentsOf: url, encoding: .utf8).split(whereSeparator: \.isNewline).enumerated()
            .compactMap { line, text in
                let cells = text.split(separator: "\t", omittingEmptySubsequences: false)
                    .map { $0.trimmingCharacters(in: .whitespaces) }
                let clock = cells[0].split(separator: " ").last?.split { $0 == ":" || $0 == "." }.compactMap {
                    Int64($0)
                }
                guard cells.count >= 8, let clock, clock.count == 4 else { return nil }
                let process = cells[1].split { $0 == "(" || $0 == ")" }
                return ULSEvent(
                    time: LogTime(
                        clock: ((clock[0] * 60 + clock[1]) * 60 + clock[2]) * 1000 + clock[3] * 10,
                        quality: .local
                    ),
                    place: .init(file: file, line: line + 1, lineEnd: line + 1),
                    columns: [
                        .process: String(process[0]), .processID: String(process.last ?? ""), .threadID: cells[2],
                        .area: cells[3], .category: cells[4], .eventID: cells[5], .level: cells[6],
                        .message: cells[7], .correlation: cells.count > 8 ? cells[8] : "",
                    ]
                )
            }
    }

    private static func traces(of file: String) throws -> [RequestTrace] {
        let events = try events(of: file)
        let correlations = Set(events.map { $0.text(.correlation) }).subtracting([""])
        return correlations.sorted().map { correlation in
            var builder = RequestTraceBuilder(correlation: correlation)
            for event in events { builder.add(event) }
            return builder.finish()
        }
    }

    @Test(
        .enabled(if: samples != nil, "FASTCTL_SAMPLES is not set"),
        arguments: [
            "000c-owssvr-aspnet-tracing-native.log", "001-kinesistap-ldapcp-signin-sp2016.log",
            "003-tx-office-web-apps-sp2013-preview.log",
        ]
    )
    func `in traces of real logs every event stands in the tree once`(file: String) throws {
        let traces = try Self.traces(of: file)
        #expect(!traces.isEmpty)
        for trace in traces { #expect(trace.occurrences.allSatisfy { $0 == 1 }) }
    }

    @Test(.enabled(if: samples != nil, "FASTCTL_SAMPLES is not set"))
    func `a real request that changed threads is one scope`() throws {
        let traces = try Self.traces(of: "003-tx-office-web-apps-sp2013-preview.log")
        let trace = try #require(traces.first { $0.name?.contains("docdatahandler.ashx") == true })
        guard case .scope(let scope)? = trace.roots.first else { return #expect(Bool(false), "no scope") }
        #expect(scope.entering == 0)
        let leaving = try #require(scope.leaving)
        #expect(trace.events[leaving].text(.threadID) != trace.events[0].text(.threadID))
        #expect(trace.duration == scope.duration)
        #expect(trace.site == "/")
    }
}
