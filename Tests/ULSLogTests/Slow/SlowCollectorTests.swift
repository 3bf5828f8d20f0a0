import Testing

@testable import ULSLog

@Suite struct SlowCollectorTests {
    private static func event(_ message: String, line: Int) -> ULSEvent {
        ULSEvent(
            time: LogTime(clock: 1000, quality: .local),
            place: .init(file: "a.log", line: line, lineEnd: line),
            server: "WFE1",
            columns: [.message: message, .correlation: "0d1f"]
        )
    }

    private static func report(_ messages: [String], slowest: Int = 10, limit: Int = 100) -> SlowReport {
        var collector = SlowCollector(slowest: slowest, scopes: ScopeTable(limit: limit))
        for (line, message) in messages.enumerated() { collector.add(event(message, line: line + 1)) }
        var report = SlowReport()
        collector.fill(&report)
        return report
    }

    @Test func `requests and their parts are in lists of their own`() {
        let report = Self.report([
            "Entering monitored scope (Request (GET:http://h/a))", "Entering monitored scope (Part)",
            "Some other row", "Leaving Monitored Scope (Part). Execution Time=1.5",
            "Leaving Monitored Scope: (Request (GET:http://h/a)) Execution Time=20.25; CPU Milliseconds=1",
        ])
        #expect(report.requests.map(\.key) == ["GET /a"])
        #expect(report.requests.map(\.total) == [20_250])
        #expect(report.scopes.map(\.key) == ["Part"])
        #expect(report.scopes.map(\.open) == [0])
    }

    @Test func `a slow one is named as written, with its place`() throws {
        let report = Self.report([
            "Leaving Monitored Scope (Part). Execution Time=1.5",
            "Leaving Monitored Scope (Request (GET:http://h/a?b=c)). Execution Time=7",
        ])
        let first = try #require(report.slowest.first)
        #expect(first.name == "Request (GET:http://h/a?b=c)")
        #expect(first.isRequest)
        #expect(first.duration == 7000)
        #expect(first.server == "WFE1")
        #expect(first.correlation == "0d1f")
        #expect(first.place.line == 2)
    }

    @Test func `templates that nobody filled in count nothing`() {
        let report = Self.report([
            "[Forced due to logging gap, Original Level: Verbose] Entering Monitored Scope ({0}). Parent={1}"
        ])
        #expect(report.scopes.isEmpty)
    }

    @Test func `the limit of scopes is said`() {
        let report = Self.report(
            ["A", "B", "C"].map { "Leaving Monitored Scope (\($0)). Execution Time=1" },
            limit: 1
        )
        #expect(report.quality.limits == [LimitReached(limit: .scopes, count: 2)])
    }
}
