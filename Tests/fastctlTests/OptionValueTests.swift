import ArgumentParsing
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

    @Test func `The longest duration fits into milliseconds`() {
        #expect(Duration.milliseconds(Int64.max).milliseconds == Int64.max)
        #expect(Duration.seconds(Int64.max).milliseconds == Int64.max)
        #expect(Duration.milliseconds(1500).milliseconds == 1500)
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
