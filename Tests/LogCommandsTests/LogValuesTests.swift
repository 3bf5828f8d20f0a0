import ArgumentParsing
import Testing
import ULSLog

@testable import LogCommands

struct LogValuesTests {
    @Test(arguments: [("a.log:12", "a.log", 12), ("C:\\logs\\a:b.log:1", "C:\\logs\\a:b.log", 1), ("-:3", "-", 3)])
    func `A place is a file and a line, parted at the last colon`(word: String, file: String, line: Int) throws {
        let place = try LogPlace(argument: word)
        #expect(place.file == file)
        #expect(place.line == line)
        #expect(place.argumentText == word)
    }

    @Test(arguments: ["a.log", "a.log:", ":12", "a.log:0", "a.log:-1", "a.log:x", "a.log:99999999999999999999", ""])
    func `A text that names no line is refused`(word: String) {
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
    func `Anything else is not a correlation`(word: String) {
        #expect(throws: ArgumentExpectation.self) { try CorrelationPattern(argument: word) }
    }
}
