import Foundation
import TestSupport
import Testing

@testable import ULSLog
@testable import ULSRows

@Suite struct RequestTraceTests {
    @Test func `A trace's name, site and user are read from its rows`() {
        var rows = TracedRows()
        rows.say("Name=Request (GET:http://h/a)", at: 0)
        rows.say("Site=/sites/a", at: 1)
        rows.say("User=CONTOSO\\jo", at: 2)
        rows.say("Site=/other", at: 3)
        let trace = rows.trace()
        #expect(trace.name == "Request (GET:http://h/a)")
        #expect(trace.site == "/sites/a")
        #expect(trace.user == "CONTOSO\\jo")
    }

    @Test func `A request that no row names has the name of its scope`() {
        var rows = TracedRows()
        rows.leave("Part", after: 1, at: 1)
        rows.leave("Timer Job a", after: 5, at: 5)
        #expect(rows.trace().name == "Timer Job a")
    }

    @Test func `If a trace contains several requests, the one that a row names is the outermost`() {
        var rows = TracedRows()
        rows.enter("Request (POST:http://app1/a.svc)", at: 0, server: "APP1")
        rows.say("Name=Request (GET:http://h/a)", at: 1)
        rows.leave("Request (GET:http://h/a)", after: 9, at: 9)
        let trace = rows.trace()
        #expect(trace.duration == .milliseconds(9))
        #expect(trace.outline == "Request (GET:http://h/a)<2[Request (POST:http://app1/a.svc)>0 1]")
    }

    @Test func `A pause of a second is a gap, and a shorter pause is not`() {
        var rows = TracedRows()
        for time: Int64? in [0, 999, 1999, nil, 5000] { rows.add("row", at: time) }
        #expect(
            rows.trace().gaps == [
                RequestTrace.Gap(before: 2, milliseconds: 1000), RequestTrace.Gap(before: 4, milliseconds: 3001),
            ]
        )
    }

    @Test func `Without a Leaving row, a request lasts from its first to its last event`() {
        var rows = TracedRows()
        for time: Int64? in [nil, 10, 250, nil] { rows.add("row", at: time) }
        #expect(rows.trace().duration == .milliseconds(240))
    }

    @Test func `The first abnormal event is the first notable one`() {
        var rows = TracedRows()
        rows.add("row", at: 0, level: "High")
        rows.add("row", at: 1, level: "Monitorable")
        rows.add("row", at: 2, level: "Critical")
        #expect(rows.trace().firstAbnormal == 1)
        #expect(rows.trace().firstNotable == 1)
    }

    @Test func `Without an abnormal event, the first High event that is not a scope row is notable`() {
        var rows = TracedRows()
        rows.add("row", at: 0)
        rows.leave("A", after: 1, at: 1)
        rows.add("row", at: 2, level: "High")
        #expect(rows.trace().firstAbnormal == nil)
        #expect(rows.trace().firstNotable == 2)
    }

    @Test func `Events beyond the limit are counted`() {
        var rows = TracedRows()
        for number in 0..<5 { rows.add("row", at: Int64(number)) }
        let trace = rows.trace(limit: 3)
        #expect(trace.events.count == 3)
        #expect(trace.omitted == 2)
        #expect(trace.outline == "0 1 2")
    }

    @Test func `Without events, there is no trace`() {
        let trace = TracedRows().trace()
        #expect(trace.roots.isEmpty)
        #expect(trace.duration == nil)
        #expect(trace.name == nil)
    }

    @Test func `A correlation in capitals is matched`() {
        var builder = RequestTraceBuilder(correlation: TracedRows.correlation.uppercased())
        var rows = TracedRows()
        rows.add("row", at: 0)
        for event in rows.events { builder.add(event) }
        #expect(builder.finish().events.count == 1)
    }

    @Test(arguments: [Int64.max, .min, .max / 1000])
    func `Extreme times do not cause a crash`(clock: Int64) {
        var builder = RequestTraceBuilder(correlation: "")
        var rows = TracedRows()
        rows.enter("Request (A)", at: 0, correlation: "")
        rows.add("row", at: 1, correlation: "")
        rows.leave("Request (B)", after: 1e300, at: 2, correlation: "")
        for (index, event) in rows.events.enumerated() {
            var event = event
            if index != 1 { event.time.clock = clock }
            builder.add(event)
        }
        #expect(builder.finish().occurrences == [1, 1, 1])
    }

    @Test(arguments: 0..<300) func `Every event is in the tree exactly once`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let names = ["A", "B", "{0}", "Request (GET:http://h/)", "Timer Job x"]
        let threads = ["0x0001", "0x0002", "0x0003"]
        var rows = TracedRows()
        var time: Int64 = 0
        for _ in 0..<Int.random(in: 0...120, using: &generator) {
            time += Int64.random(in: -5...40, using: &generator)
            let name = names[Int.random(in: 0..<names.count, using: &generator)]
            let thread = threads[Int.random(in: 0..<threads.count, using: &generator)]
            let correlation = ["", TracedRows.elsewhere][Int.random(in: 0...1, using: &generator)]
            let own = Int.random(in: 0..<5, using: &generator) > 0 ? TracedRows.correlation : correlation
            let clock = Int.random(in: 0..<10, using: &generator) > 0 ? time : nil
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: rows.enter(name, at: clock, thread: thread, correlation: own)
            case 1:
                let duration = Double.random(in: 0..<200, using: &generator)
                rows.leave(name, after: duration, at: clock, thread: thread, correlation: own)
            case 2: rows.say("Name=\(name)", at: clock, thread: thread)
            default: rows.add("row", at: clock, thread: thread, correlation: own)
            }
        }
        let trace = rows.trace()
        #expect(trace.occurrences.allSatisfy { $0 == 1 })
        #expect(
            trace.events.count { $0.text(.correlation) == TracedRows.correlation }
                == rows.events.count { $0.text(.correlation) == TracedRows.correlation }
        )
        #expect(trace.events.allSatisfy { $0.text(.correlation) != TracedRows.elsewhere })
        #expect(trace.events.map(\.place.line) == trace.events.map(\.place.line).sorted())
    }
}

@Suite struct SampleTraceTests {
    @Test func `The tracing request is a single scope with all its rows`() throws {
        let trace = TracingRequest.rows.trace()
        #expect(trace.events.count == 17)
        #expect(trace.name == TracingRequest.name)
        #expect(trace.duration == .microseconds(206_331))
        #expect(trace.firstAbnormal == nil)
        #expect(trace.firstNotable == 5)
        try #require(trace.roots.count == 1)
        guard case .scope(let scope) = trace.roots[0] else { return #expect(Bool(false), "an event") }
        #expect(scope.name == TracingRequest.name)
        #expect(scope.entering == 0)
        #expect(scope.leaving == 16)
        #expect(scope.duration == .microseconds(206_331))
        #expect(scope.children.count == 15)
    }

    private static let samples = ProcessInfo.processInfo.environment["FASTCTL_SAMPLES"]

    /// Returns the rows of a tab-separated file as events without a server, with the time of day as their time.
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
    func `In traces of real logs, every event is in the tree exactly once`(file: String) throws {
        let traces = try Self.traces(of: file)
        #expect(!traces.isEmpty)
        for trace in traces { #expect(trace.occurrences.allSatisfy { $0 == 1 }) }
    }

    @Test(.enabled(if: samples != nil, "FASTCTL_SAMPLES is not set"))
    func `A real request that changed threads is a single scope`() throws {
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
