import Testing

@testable import ULSLog

@Suite struct ChosenEventsTests {
    private static func read(_ text: String, _ chooser: TestChooser, as name: String = "a.log") throws -> ChosenReading
    {
        try ChosenReading(LogReader(text: Array(text.utf8), name: name), chooser)
    }

    @Test func `a chooser is asked once for each combination of columns`() throws {
        let chooser = TestChooser(always: .yes(0))
        let text = (0..<100).map { number in row { $0.level = number % 2 == 0 ? "High" : "Medium" } }
        #expect(try Self.read(text.joined(), chooser).events.count == 100)
        #expect(chooser.questions.count == 2)
    }

    @Test func `a chooser is not asked about what the filter does not want`() throws {
        let chooser = TestChooser(always: .yes(0))
        var reader = LogReader(text: Array((row() + row { $0.level = "Medium" }).utf8), name: "a.log")
        reader.filter.level = ULSLevel("High")
        #expect(try ChosenReading(reader, chooser).events.map { $0[.level] } == ["High"])
        #expect(chooser.questions.count == 1)
    }

    @Test func `a text that stands across a cut matches`() throws {
        let text =
            row("It has Failed to op...") + row("between") + row("...en, and more") { $0.mark = "*" }
            + row("...open at last") { ($0.mark, $0.thread) = ("*", "0x0001") }
        let number = try #require(TestChooser.words.firstIndex(of: "Failed to open"))
        let found = try Self.read(text, TestChooser(always: .ifMessageMatches(number)))
        #expect(found.events.map { $0[.message] } == ["It has Failed to open, and more"])
        #expect(found.events.map(\.parts) == [2])
    }

    @Test func `a message that may go on and does not is judged as it stands`() throws {
        let text = row("Failed ...") + row("Done ...") { $0.thread = "0x0001" } + row("... Failed") { $0.eventID = "x" }
        let found = try Self.read(text, TestChooser(always: .ifMessageMatches(0)))
        #expect(found.events.map { $0[.message] } == ["Failed ...", "... Failed"])
    }

    @Test func `messages of a paste are chosen like others`() throws {
        let text = "Failed to open it\nand went on\n\nw3wp.exe (0x1620) 0x1988 Search General ab2c4 High it Failed\n"
        let all = try LogReader(text: Array(text.utf8), name: "a.txt").events(in: .time).events
        #expect(!all.isEmpty)
        for seed in 0..<20 {
            let chooser = TestChooser(seed: UInt64(seed))
            #expect(try Self.read(text, chooser, as: "a.txt").events == all.filter(chooser.wants))
        }
        let chooser = TestChooser(always: .ifMessageMatches(0))
        #expect(try Self.read(text, chooser, as: "a.txt").events == all.filter(chooser.wants))
    }

    @Test func `a message in Windows-1252 reaches the matcher as it was written`() throws {
        var bytes = Array(row("Failed caf#").utf8)
        bytes[try #require(bytes.lastIndex(of: UInt8(ascii: "#")))] = 0xE9
        let reader = LogReader(text: bytes, name: "a.log")
        let found = try ChosenReading(reader, TestChooser(always: .ifMessageMatches(0)))
        #expect(found.events.map { $0[.message] } == ["Failed café"])
    }

    @Test func `more combinations than are told apart are chosen all the same`() throws {
        let text = (0..<LogLimit.columns.maximum + 50).map { number in row { $0.eventID = "e\(number)" } }.joined()
        let chooser = TestChooser(seed: 5)
        let reader = LogReader(text: Array(text.utf8), name: "a.log")
        let expected = try reader.events(in: .time).events.filter(chooser.wants)
        #expect(try ChosenReading(reader, chooser).events == expected)
    }
}
