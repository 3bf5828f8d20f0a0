import TestSupport
import Testing

@testable import ULSLog
@testable import ULSRows

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

    @Test func `Requests and their parts are in separate lists`() {
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

    @Test func `A slow scope is reported with its name as written and its place`() throws {
        let report = Self.report([
            "Leaving Monitored Scope (Part). Execution Time=1.5",
            "Leaving Monitored Scope (Request (GET:http://h/a?b=c)). Execution Time=7",
        ])
        let first = try #require(report.slowest.first)
        #expect(first.name == "Request (GET:http://h/a?b=c)")
        #expect(first.isRequest)
        #expect(first.duration == .milliseconds(7))
        #expect(first.server == "WFE1")
        #expect(first.correlation == "0d1f")
        #expect(first.place.line == 2)
    }

    @Test func `Unfilled templates are not counted`() {
        let report = Self.report([
            "[Forced due to logging gap, Original Level: Verbose] Entering Monitored Scope ({0}). Parent={1}"
        ])
        #expect(report.scopes.isEmpty)
    }

    @Test func `Scopes beyond the limit are counted and reported`() {
        let report = Self.report(
            ["A", "B", "C"].map { "Leaving Monitored Scope (\($0)). Execution Time=1" },
            limit: 1
        )
        #expect(report.quality.limits == [LimitReached(limit: .scopes, count: 2)])
    }
}

@Suite struct SlowestListTests {
    private static func instance(_ duration: Int64, line: Int) -> SlowReport.Instance {
        SlowReport.Instance(
            name: "A",
            isRequest: false,
            microseconds: duration,
            time: .none,
            server: nil,
            correlation: "",
            place: .init(file: "a.log", line: line, lineEnd: line)
        )
    }

    private static func list(_ instances: some Sequence<SlowReport.Instance>, limit: Int) -> SlowestList {
        var list = SlowestList(limit: limit)
        for instance in instances { list.insert(instance) }
        return list
    }

    @Test func `The slowest instance is first, and ties keep their order in the log`() {
        let list = Self.list([5, 9, 5, 1, 9].enumerated().map { Self.instance($1, line: $0) }, limit: 4)
        #expect(list.instances.map(\.microseconds) == [9, 9, 5, 5])
        #expect(list.instances.map(\.place.line) == [1, 4, 0, 2])
    }

    @Test func `A full list accepts only an instance that is slower than its last one`() {
        let list = Self.list([Self.instance(5, line: 1)], limit: 1)
        #expect(!list.admits(5))
        #expect(list.admits(6))
    }

    @Test(arguments: [0, -1, Int.min]) func `A list with a limit of zero or less stays empty`(limit: Int) {
        let list = Self.list([Self.instance(5, line: 1)], limit: limit)
        #expect(list.instances.isEmpty)
    }

    @Test func `A list never exceeds the maximum length`() {
        let many = SlowestList.maximum + 100
        let list = Self.list((0..<many).map { Self.instance(Int64($0), line: $0) }, limit: .max)
        #expect(list.instances.count == SlowestList.maximum)
    }
}
