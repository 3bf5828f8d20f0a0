import ReportRendering
import Testing

struct TextTests {
    @Test(arguments: [
        (Duration.milliseconds(49), "0.0 s"), (.milliseconds(3_460), "3.4 s"), (.seconds(725), "12 min 5 s"),
        (.seconds(7_260), "2 h 1 min"),
    ])
    func `Durations are short`(duration: Duration, text: String) {
        #expect("\(ShortDuration(duration))" == text)
    }

    @Test(arguments: [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (150 << 20, "150 MiB")])
    func `Sizes are short`(bytes: Int, text: String) {
        #expect("\(ShortByteCount(bytes))" == text)
    }

    @Test func `Columns are as wide as their widest cell, and the last one is cut`() {
        var table = TextTable(["NAME", "DOCUMENTS", "TITLE"], alignments: [.left, .right])
        table.append(["Web", "12", "A title that is far too long"])
        table.append(["Collection", "3", "\u{1B}x"])
        var bytes: [UInt8] = []
        table.append(to: &bytes, width: 36)
        #expect(
            String(decoding: bytes, as: UTF8.self) == """
                NAME        DOCUMENTS  TITLE
                Web                12  A title that…
                Collection          3  \\u{1B}x

                """
        )
    }
}
