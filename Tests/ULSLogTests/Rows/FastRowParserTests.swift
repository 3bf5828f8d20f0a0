import Testing

@testable import ULSLog
@testable import ULSRows

@Suite struct SeenColumnsTests {
    private struct Rows: RecordSink {
        var messages: [String] = []
        var clocks: [Int64] = []

        mutating func take(_ window: borrowing ByteWindow, _ fields: RowFields) {
            messages.append(String(copying: window.span(fields.message)))
            clocks.append(fields.clock)
        }
    }

    private func read(_ text: String, length: Int? = nil) -> (rows: Rows, quality: ReadQuality) {
        var bytes = Array(text.utf8)
        let count = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: ByteWindow.slack))
        var scanner = RecordScanner(isSeeking: false)
        var rows = Rows()
        _ = scanner.scan(ByteWindow(bytes.span), length: count, limit: count, isLast: true, into: &rows)
        return (rows, scanner.quality)
    }

    @Test func `A row with the same columns as a previous row is split at the same positions`() {
        let rows = read((0..<3).map { PaddedText.row(second: $0, message: "text \($0)") }.joined()).rows
        #expect(rows.messages == ["text 0", "text 1", "text 2"])
    }

    @Test(arguments: ["0x\n104", "\n     ", "0x810\n"])
    func `A line end within the thread column ends the row, even if its other columns are known`(thread: String) {
        let text = PaddedText.row(message: "first") + PaddedText.row(thread: thread, message: "second")
        let (rows, quality) = read(text)
        #expect(rows.messages.first == "first")
        #expect(rows.messages.count == 1)
        #expect(quality.balances)
        #expect(quality.lines == 3)
        #expect(quality.notUnderstood == 2)
    }

    @Test(arguments: 0..<160) func `A row that ends within its columns is not counted, even if the columns are known`(
        length: Int
    ) {
        let row = PaddedText.row()
        let cut = String(decoding: Array(row.utf8.prefix(length)), as: UTF8.self)
        let (rows, quality) = read(row + row + cut)
        let isWhole = cut.utf8.filter { $0 == 0x09 }.count >= 7
        #expect(rows.messages.count == (isWhole ? 3 : 2))
        #expect(quality.balances)
    }

    @Test func `Zero bytes are not read as a time, but the first minute of 1970 is`() {
        let zeros = String(repeating: "\0", count: 16)
        let text = PaddedText.row(minute: zeros) + PaddedText.row(minute: "01/01/1970 00:00", second: 7)
        let (rows, quality) = read(text)
        #expect(rows.clocks == [7000])
        #expect(quality.notUnderstood == 1)
    }

    @Test(arguments: ["60", "0:", "/0", "a0", "0\u{7F}"])
    func `An invalid second in a known minute makes the time invalid`(second: String) {
        let row = PaddedText.row()
        let (rows, quality) = read(row + row.replacing(":00.00", with: ":\(second).00"))
        #expect(rows.messages.count == 1)
        #expect(quality.continuations == 1)
    }
}

/// Rows as the service pads them.
enum PaddedText {
    static let header = """
        Timestamp              \tProcess                                 \tTID   \tArea                          \t\
        Category                      \tEventID\tLevel     \tMessage \tCorrelation\r\n
        """

    static func row(
        minute: String = "06/07/2024 08:00",
        second: Int = 0,
        thread: String = "0x8104",
        level: String = "Medium",
        message: String = "text",
        correlation: String = " "
    ) -> String {
        let seconds = second < 10 ? "0\(second)" : "\(second)"
        let columns = [
            "\(minute):\(seconds).00 ", "w3wp.exe (0x2A1C)".padded(to: 40), thread,
            "SharePoint Foundation".padded(to: 30), "General".padded(to: 30), "8nca", level.padded(to: 8), message,
            correlation,
        ]
        return columns.joined(separator: "\t") + "\r\n"
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - utf8.count))
    }
}
