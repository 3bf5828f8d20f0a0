import ArgumentParsing
import ContentFeeding
import Testing
import ULSLog

@testable import fastctl

struct HostileNumberTests {
    @Test(arguments: [
        (100.0, Int.max, Int.max), (100.0, 7, 7), (10.0, 1_000, 100), (10.0, 19, 1), (0.0, Int.max, 0),
        (100.0, Int.max - 1, Int.max - 1),
    ])
    func `A share of a collection is a number of documents, whatever the engine counts`(
        share: Double,
        documents: Int,
        limit: Int
    ) {
        #expect(RemovalLimit.percent(share).operations(of: documents) == limit)
    }

    @Test(arguments: [
        (0, 0, 100), (29, 100, 29), (1, 3, 33), (Int.max, Int.max, 100), (Int.max, 1, 100), (Int.min, 5, 0),
        (5, -1, 100),
    ])
    func `Progress is between 0 and 100 percent, whatever the engine says`(done: Int, total: Int, share: Int) {
        #expect(OptimizationRun.share(done, of: total) == share)
    }
}

struct LogValuesTests {
    @Test(arguments: [("a.log:12", "a.log", 12), ("C:\\logs\\a:b.log:1", "C:\\logs\\a:b.log", 1), ("-:3", "-", 3)])
    func `A place is a file and a line, parted at the last colon`(word: String, file: String, line: Int) throws {
        let place = try LogPlace(argument: word)
        #expect(place.file == file)
        #expect(place.line == line)
        #expect(place.argumentText == word)
    }

    @Test(arguments: ["a.log", "a.log:", ":12", "a.log:0", "a.log:-1", "a.log:x", "a.log:99999999999999999999", ""])
    func `What names no line is refused`(word: String) {
        #expect(throws: ArgumentExpectation.self) { try LogPlace(argument: word) }
    }

    @Test func `Levels are taken in any case, unknown words are not`() throws {
        #expect(try ULSLevel(argument: "unexpected").rank == 2)
        #expect(throws: ArgumentExpectation.self) { try ULSLevel(argument: "bad") }
    }

    @Test(arguments: ["9446A0F0", "{9446a0f0-1577}", "9446a0f0-1577-472e-a8af-a552b1b4cc39"])
    func `A correlation is a GUID or its beginning`(word: String) throws {
        #expect(try CorrelationPattern(argument: word).digitCount >= 8)
    }

    @Test(arguments: ["9446a0f", "", "9446a0f0-xyz", "9446a0f0-1577-472e-a8af-a552b1b4cc39ff"])
    func `Anything else is no correlation`(word: String) {
        #expect(throws: ArgumentExpectation.self) { try CorrelationPattern(argument: word) }
    }
}

struct ProcessorCountTests {
    @Test(arguments: [("Cpus_allowed:\t3\n", 2), ("Cpus_allowed:\tf,00000101\n", 6), ("Cpus_allowed:\t0\n", 0)])
    func `The mask of allowed processors is counted bit by bit`(line: String, count: Int) {
        #expect(ProcessorCount.count(inStatusLine: line) == count)
    }

    @Test func `Other lines say nothing of it`() {
        #expect(ProcessorCount.count(inStatusLine: "Cpus_allowed_list:\t0-1\n") == nil)
    }

    @Test func `This process may use one processor at least`() { #expect(ProcessorCount.available >= 1) }
}

struct DrainWatchTests {
    /// Whether the drain is over at these times; each with what is in flight and the count of events by then.
    private func ends(_ looks: [(seconds: Int, inFlight: Int, events: Int)]) -> [Bool] {
        let start = ContinuousClock.now
        var watch = DrainWatch(replyLimit: .seconds(60), at: start)
        return looks.map { watch.isOver(inFlight: $0.inFlight, events: $0.events, at: start + .seconds($0.seconds)) }
    }

    @Test func `With nothing in flight a clean end has ten seconds`() {
        #expect(ends([(0, 0, 0), (9, 0, 0), (10, 0, 0)]) == [false, false, true])
    }

    @Test func `What is in flight has the time of a reply besides, from the last event`() {
        #expect(ends([(69, 3, 0), (70, 2, 1), (139, 2, 1), (140, 2, 1)]) == [false, false, false, true])
        #expect(ends([(69, 3, 1), (79, 0, 1)]) == [false, true])
    }
}

struct SearchHintTests {
    @Test(
        arguments: [
            (["status:stale"], []), (["pag*"], []), (["stale OR live"], []), (["stale", "OR", "live"], []),
            (["NOT", "x"], []), ([], ["status=="]), ([], ["title=pag*"]),
        ] as [([String], [String])]
    )
    func `A search in another language gets a hint`(words: [String], fields: [String]) throws {
        let arguments = try fields.map { try FieldArgument(argument: $0) }
        #expect(SearchQuery(text: words, fields: arguments.map(\.field)).hint != nil)
    }

    @Test(arguments: ["noble gas", "https://atlas.example/a", "a: b", "or", "C++", "what?"])
    func `Plain text gets none`(text: String) {
        #expect(SearchQuery(text: [text], fields: []).hint == nil)
    }

    @Test(arguments: ["status!=live", "date<=2019", "date>=2019", "title~=x"])
    func `A comparison that a field has not is refused`(word: String) {
        #expect(throws: ArgumentExpectation.self) { try FieldArgument(argument: word) }
    }
}
