import ContentFeeding
import FeedFormats
import Testing

struct LinesTests {
    @Test(arguments: [1, 7, 64, 4096], ["\n", "\r\n"])
    func `Each line is read as an ID`(piece: Int, lineEnd: String) {
        let text = ["a", "", "b c", " d ", "é", "last"].joined(separator: lineEnd)
        for end in ["", lineEnd] {
            let reading = Reading(text + end, as: .lines(), piece: piece)
            #expect(reading.ids == ["a", "b c", " d ", "é", "last"])
            #expect(reading.input.lines == 6 && reading.input.blank == 1 && reading.input.rejected == 0)
            #expect(reading.input.bytes == (text + end).utf8.count)
            #expect(reading.end.byte == UInt64((text + end).utf8.count))
        }
    }

    @Test(arguments: [1, 7, 64])
    func `Blanks are trimmed if requested`(piece: Int) {
        let reading = Reading(" a\t\n \t \nb b \r\n", as: .lines(trimming: true), piece: piece)
        #expect(reading.ids == ["a", "b b"])
        #expect(reading.input.blank == 1)
    }

    @Test(arguments: [1, 7, 64])
    func `Lines that end in a carriage return alone are not read as a single ID`(piece: Int) {
        for text in ["x3\rx4\r", "x3\rx4"] {
            let reading = Reading(text, as: .lines(), piece: piece)
            #expect(reading.ids.isEmpty && reading.input.rejected == 1)
            #expect(reading.reasons.first?.contains("tr '\\r' '\\n'") == true, "\(reading.reasons)")
        }
        // After a line feed, the kind of line end is known; the last line may have none.
        #expect(Reading("a\rb\nc\rd", as: .lines(), piece: piece).ids == ["a\rb", "c\rd"])
        #expect(Reading("a\r", as: .lines(), piece: piece).ids == ["a"])
        #expect(Reading("a\rb\0", as: .nul, piece: piece).ids == ["a\rb"])
    }

    @Test(arguments: [1, 7, 64])
    func `Only a NUL byte ends an ID`(piece: Int) {
        let reading = Reading("a\nb\0 c\r\0\0\u{FEFF}d", as: .nul, piece: piece)
        #expect(reading.ids == ["a\nb", " c\r", "\u{FEFF}d"])
        #expect(reading.input.lines == 4 && reading.input.blank == 1)
    }
}

/// IDs of every length are preserved by every format, even if they no longer share memory.
struct LongIDTests {
    private static let lengths = [1, 15, 16, 31, 511, 512, 513, 2048, 4096, 5000]

    private static let texts = lengths.enumerated().flatMap { place, length in
        // There are enough IDs of each length that pages end within them.
        (0..<9).map { number in String(repeating: String(UnicodeScalar(UInt8(0x61 + place + number))), count: length) }
    }

    @Test(arguments: [
        (InputFormat.lines(trimming: false), "", "\n"), (.nul, "", "\0"), (.jsonLines(), "\"", "\"\n"),
        (.jsonLines(field: "id"), #"{"id":""#, "\"}\n"), (.csv(column: .number(2, hasHeader: false)), "x,", ",y\n"),
    ])
    func everyLengthArrives(format: InputFormat, start: String, end: String) {
        let input = Self.texts.map { start + $0 + end }.joined()
        for piece in [7, 4096, 1 << 20] {
            let reading = Reading(input, as: format, piece: piece)
            #expect(reading.rejections.isEmpty)
            #expect(reading.ids == Self.texts)
        }
    }
}
