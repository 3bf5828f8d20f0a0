import ContentFeeding
import FeedFormats
import Testing

/// IDs of every length come through every format, also where they share memory no more.
struct LongIDTests {
    private static let lengths = [1, 15, 16, 31, 511, 512, 513, 2048, 4096, 5000]

    private static let texts = lengths.enumerated().flatMap { place, length in
        // So many of each that pages end within them.
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
