import ReportKit
import TestSupport
import Testing
import TextKit

struct TextTests {
    @Test(arguments: [
        (Duration.milliseconds(49), "0.0 s"), (.milliseconds(3_460), "3.4 s"), (.seconds(725), "12 min 5 s"),
        (.seconds(7_260), "2 h 1 min"),
    ])
    func `Durations are formatted briefly`(duration: Duration, text: String) {
        #expect("\(ShortDuration(duration))" == text)
    }

    @Test(arguments: [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (150 << 20, "150 MiB")])
    func `Sizes are formatted briefly`(bytes: Int, text: String) {
        #expect("\(ShortByteCount(bytes))" == text)
    }

    @Test func `Columns are as wide as their widest cell, and the last column is truncated`() {
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

    @Test func `A table that is too wide is folded between columns, including its header`() {
        var table = TextTable(columns: [
            .init(title: "TOOK", alignment: .right), .init(title: "CORRELATION"), .init(title: "NAME", minimum: 16),
            .init(title: "WHERE", minimum: 12),
        ])
        table.append([
            "1.20 s", "9446a0f0-1577-472e-a8af-a552b1b4cc39", "A name that is longer than half a line", "WFE1.log:12",
        ])
        table.append(["90 ms", "-", "Short", "WFE1.log:7"])
        let text = rendered { table.append(to: &$0, TextLayout(width: 44)) }
        #expect(
            text == """
                  TOOK  CORRELATION
                  NAME                           WHERE
                1.20 s  9446a0f0-1577-472e-a8af-a552b1b4cc39
                  A name that is longer than h…  WFE1.log:12
                 90 ms  -
                  Short                          WFE1.log:7

                """
        )
    }

    @Test func `A sentence is wrapped with indentation, and a path in it is put on a separate line`() {
        let phrase: Phrase =
            "It is in \(untrusted: "/inetpub/wwwroot/wss/VirtualDirectories/80/web.config"): look there"
        let text = rendered { phrase.appendLines(to: &$0, TextLayout(width: 44)) }
        #expect(
            text == """
                It is in
                /inetpub/wwwroot/wss/VirtualDirectories/80/web.config:
                  look there

                """
        )
        #expect(rendered { phrase.appendLines(to: &$0, TextLayout()) }.split(separator: "\n").count == 1)
    }

    @Test(arguments: [
        ("  cause", "  cause    one two three\n"), ("  evidence", "  evidence one two three\n"),
        ("  exception", "  exception one two three\n"), ("         · ", "         · one two three\n"),
    ])
    func `A label never touches the text beside it`(label: String, line: String) {
        let text = rendered { $0.append(label: label, indent: 11, paragraph: "one two three", TextLayout()) }
        #expect(text == line)
        let words = String(repeating: "word ", count: 20)
        let narrow = rendered { $0.append(label: label, indent: 11, paragraph: words, TextLayout(width: 40)) }
        #expect(narrow.split(separator: "\n").allSatisfy { SafeText.width(String($0)) <= 40 }, "\(narrow)")
    }

    @Test func `Without a terminal, a single long cell does not widen the column in all rows`() {
        var table = TextTable(["A", "B"])
        table.append([String(repeating: "x", count: 300), "1"])
        table.append(["y", "2"])
        let lines = rendered { table.append(to: &$0, TextLayout()) }.split(separator: "\n")
        #expect(lines.map(\.count) == [63, 303, 63])
    }

    private func rendered(_ append: (inout [UInt8]) -> Void) -> String {
        var bytes: [UInt8] = []
        append(&bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
