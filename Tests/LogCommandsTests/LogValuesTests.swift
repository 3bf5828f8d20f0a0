import ArgumentParsing
import LogCommands
import Testing
import ULSLog

struct LogValuesTests {
    @Test(arguments: [("a.log:12", "a.log", 12), ("C:\\logs\\a:b.log:1", "C:\\logs\\a:b.log", 1), ("-:3", "-", 3)])
    func `A place is a file and a line number, separated by the last colon`(
        word: String,
        file: String,
        line: Int
    ) throws {
        let place = try LogPlace(argument: word)
        #expect(place.file == file)
        #expect(place.line == line)
        #expect(place.argumentText == word)
    }

    @Test(arguments: ["a.log", "a.log:", ":12", "a.log:0", "a.log:-1", "a.log:x", "a.log:99999999999999999999", ""])
    func `Text without a line number is refused`(word: String) {
        #expect(throws: ArgumentExpectation.self) { try LogPlace(argument: word) }
    }

    @Test func `Levels are accepted in any case, and unknown words are refused`() throws {
        #expect(try ULSLevel(argument: "unexpected").rank == 2)
        #expect(throws: ArgumentExpectation.self) { try ULSLevel(argument: "bad") }
    }

    @Test(arguments: ["9446A0F0", "{9446a0f0-1577}", "9446a0f0-1577-472e-a8af-a552b1b4cc39"])
    func `A correlation is a GUID or the beginning of one`(word: String) throws {
        #expect(try CorrelationPattern(argument: word).digitCount >= 8)
    }

    @Test(arguments: ["9446a0f", "", "9446a0f0-xyz", "9446a0f0-1577-472e-a8af-a552b1b4cc39ff"])
    func `Other text is not accepted as a correlation`(word: String) {
        #expect(throws: ArgumentExpectation.self) { try CorrelationPattern(argument: word) }
    }

    @Test(arguments: [
        ("09:00..10:00", "2024-03-11 09:00..2024-03-11 10:00"), ("..10:00", "2024-03-11..2024-03-11 10:00"),
        ("09:00..", "2024-03-11 09:00..2024-03-11"), ("22:00..02:00", "2024-03-11 22:00..2024-03-12 02:00"),
    ])
    func `A daily period can be restricted to one day`(word: String, dated: String) throws {
        let day = LogTime(clock: 1_710_115_200_000, quality: .local)
        let text = try LogPeriod(argument: word).text(beginningOn: day)
        #expect(text == dated)
        let window = try LogPeriod(argument: text).window("--a")
        #expect(!window.isTimeOfDay)
    }

    @Test(arguments: [
        ("09:00..10:00", 9.0, 9.5, false), ("09:00..10:00", 9.0, 33.5, true), ("22:00..02:00", 23.0, 25.0, false),
        ("22:00..02:00", 1.0, 23.0, true), ("2024-03-11..", 1.0, 48.0, false),
    ])
    func `Rows from two days, or from two nights, are in different periods`(
        word: String,
        first: Double,
        last: Double,
        isRepeated: Bool
    ) throws {
        func time(_ hour: Double) -> LogTime {
            LogTime(clock: 1_710_115_200_000 + Int64(hour * 3_600_000), quality: .local)
        }
        let beginnings = try LogPeriod(argument: word).window("--a").beginnings(around: time(first), time(last))
        #expect((beginnings.map { $0.first != $0.last } ?? false) == isRepeated)
    }
}
