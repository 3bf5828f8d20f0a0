import Testing

@testable import ULSLog
@testable import ULSRows

@Suite struct RequestEdgeTests {
    private static func edges(_ text: String, _ change: (inout LogReader) -> Void = { _ in }) throws -> [RequestEdge] {
        var reader = LogReader(text: Array(text.utf8), name: "WFE1-20110926-1030.log")
        change(&reader)
        return try ChosenReading(reader, TestPrefilter(always: .no)).edges
    }

    @Test(arguments: ["Name=Request (GET:http://wfe1/a)", "Name=Timer Job x", "Name=", " Name=padded"])
    func `A row that names a request marks its beginning`(message: String) throws {
        let edge = try #require(Self.edges(row(message)).first)
        #expect(edge.kind == .beginning)
        #expect(edge.correlation.description == NativeRow.correlation)
        #expect(edge.time.iso8601 == "2011-09-26T10:39:40.52")
        #expect(edge.server == "WFE1")
    }

    @Test(
        arguments: [
            "Leaving Monitored Scope (Request (GET:http://wfe1/a)). Execution Time=12.5",
            "Leaving Monitored Scope (Timer Job x). Execution Time=12,5",
            "Leaving Monitored Scope: (Request (GET:http://wfe1/a)) Execution Time=12.5; CPU Milliseconds=1",
            "[Forced due to logging gap, cached @ 02/12/2021 11:17:30.82, Original Level: Verbose] Leaving Monitored Scope"
                + " (Request (GET:http://wfe1/a)). Execution Time=12.5",
        ]
    )
    func `A row that leaves a request's scope marks its end, in the formats of all versions`(message: String) throws {
        #expect(try Self.edges(row(message)).map(\.kind) == [.end])
    }

    @Test(
        arguments: [
            "name=Request (GET:http://wfe1/a)", "Leaving Monitored Scope (Lookup). Execution Time=1", "Name", "Nam",
            "L",
            "Leaving Monitored Scope", "Leaving Monitored Scope:", "Leaving Monitored Scope (Reque", "", "[", " ",
            "[Forced due to", "Entering Monitored Scope (Request (GET:http://wfe1/a))", "the Name=Request (x)",
        ]
    )
    func `Other rows mark neither a beginning nor an end`(message: String) throws {
        #expect(try Self.edges(row(message)).isEmpty)
    }

    @Test func `A row without a correlation marks neither a beginning nor an end`() throws {
        #expect(try Self.edges(row("Name=Request (x)") { $0.correlation = nil } + row("next")).isEmpty)
    }

    @Test func `Edges are filtered by correlation and time window, but not by level`() throws {
        let text =
            row("Name=a") { $0.level = "Verbose" } + row("Name=b") { $0.correlation = NativeRow.elsewhere }
            + row("Name=c") { $0.time = "09/26/2011 11:39:40.52" }
        let id = try #require(CorrelationPattern(NativeRow.correlation))
        let edges = try Self.edges(text) {
            $0.filter.level = ULSLevel("Unexpected")
            $0.filter.correlations = [id]
            $0.window = TimeWindow(lower: nil, upper: .init(scale: .clock, value: 1_317_035_000_000))
        }
        #expect(edges.map(\.time.iso8601) == ["2011-09-26T10:39:40.52"])
    }

    @Test func `A pasted row can also be an edge`() throws {
        let text =
            "09/26/2011 10:39:40.52 w3wp.exe (0x1620) 0x1988 SharePoint Foundation Logging Correlation Data xmnv Medium"
            + " Name=Request (x) \(NativeRow.correlation)\n"
        #expect(try Self.edges(text).map(\.kind) == [.beginning])
    }

    @Test func `A row names its server if several servers write to one file`() throws {
        let text = row("Name=a") { $0.process = "w3wp.exe (APP1:0x1790)" } + row("Name=b")
        #expect(try Self.edges(text).map(\.server) == ["APP1", "WFE1"])
    }

    @Test(arguments: [1, 2, 5])
    func `An edge is delivered before the events that follow it in its server's log`(jobs: Int) throws {
        let folder = try SourceFolder()
        var paths: [String] = []
        for server in 1...3 {
            let rows = (0..<300).map { number in
                row(number % 3 == 0 ? "Name=Request (x)" : "said") {
                    $0.time = "09/26/2011 10:\(10 + number / 60):\(10 + number % 50).52"
                    $0.correlation = "00000000-0000-0000-000\(server)-\(100_000_000_000 + number)"
                }
            }
            paths.append(try folder.write("WFE\(server)-20110926-1010.log", rows.joined()))
        }
        var reading = LogReading(piece: 64, unit: 4096)
        reading.jobs = jobs
        let found = try ChosenReading(reading.reader(paths), TestPrefilter(always: .yes(0)))
        #expect(found.events.count == 900)
        #expect(found.edges.count == 300)
        for (event, before) in zip(found.events, found.edgesBefore) {
            let above = found.edges[..<before].count { $0.server == event.server }
            #expect(above >= (event.line - 1) / 3 + 1)
        }
        for server in ["WFE1", "WFE2", "WFE3"] {
            let numbers = found.edges.filter { $0.server == server }.map(\.correlation.low)
            #expect(numbers == numbers.sorted())
        }
    }
}

@Suite struct EventMeaningTests {
    private static func event(_ columns: [ULSEvent.Column: String]) -> ULSEvent {
        ULSEvent(time: .none, place: .init(file: "a", line: 1, lineEnd: 1), columns: columns)
    }

    @Test func `A correlation is parsed as an ID`() {
        let id = Self.event([.correlation: NativeRow.correlation]).correlationID
        #expect(id?.description == NativeRow.correlation)
    }

    @Test(arguments: ["", "3ad81d9b", "none", "00000000-0000-0000-0000-000000000000"])
    func `An invalid correlation yields no ID`(text: String) {
        #expect(Self.event([.correlation: text]).correlationID == nil)
    }

    @Test(
        arguments: [
            ("Leaving Monitored Scope (X). Execution Time=145.0229", 145.023),
            ("Leaving Monitored Scope: (X) Execution Time=145.0229; CPU Milliseconds=1; Parent=Y", 145.023),
            ("Leaving Monitored Scope (X). Ausführungszeit=15001,9594", 15_001.959),
            ("Leaving Monitored Scope (X). Время выполнения=1,9594", 1.959),
            ("Leaving Monitored Scope (X). Execution Time=8.5E-05", 0),
            ("Leaving Monitored Scope (X). Execution Time=99999999999999999999", 31_622_400_000),
        ]
    )
    func `A scope's duration is read from the row that leaves it, in all languages`(
        message: String,
        milliseconds: Double
    ) {
        #expect(Self.event([.message: message]).scopeMilliseconds == milliseconds)
    }

    @Test(
        arguments: [
            "", "Entering Monitored Scope (X)", "Leaving Monitored Scope (X). Execution Time=1.234,5",
            "Leaving Monitored Scope (X)", "Execution Time=5",
        ]
    )
    func `Other rows yield no duration`(message: String) {
        #expect(Self.event([.message: message]).scopeMilliseconds == nil)
    }

    @Test(arguments: [(0, ""), (1, "a"), (2, "a"), (3, "aé"), (4, "aé"), (5, "aé"), (6, "aé日"), (-5, ""), (.min, "")])
    func `A message is cut at a character boundary`(maximum: Int, rest: String) {
        var event = Self.event([.message: "aé日b", .level: "High", .correlation: NativeRow.correlation])
        let isCut = event.truncateMessage(to: maximum)
        #expect(isCut)
        #expect(event.text(.message) == rest)
        #expect(event.text(.level) == "High")
        #expect(event.text(.correlation) == NativeRow.correlation)
    }

    @Test(arguments: [7, 8, .max]) func `A message within the limit is unchanged`(maximum: Int) {
        var event = Self.event([.message: "aé日b", .correlation: NativeRow.correlation])
        let before = event
        let isCut = event.truncateMessage(to: maximum)
        #expect(!isCut)
        #expect(event == before)
    }
}
