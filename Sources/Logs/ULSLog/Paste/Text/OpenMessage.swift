/// A paragraph without columns, as long as lines may join it.
struct OpenMessage {
    private let firstLine: Int
    private var lastLine: Int
    private(set) var lines = 1
    private var text: JoinedText

    init(_ line: PasteLine, limits: PasteLimits) {
        firstLine = line.number
        lastLine = line.number
        text = JoinedText(limit: limits.record)
        text.append(line.bytes)
    }

    var wasCut: Bool { text.wasCut }

    /// Whether `line` belongs to the paragraph.
    ///
    /// A blank line ends it, but not behind a heading ("Error details:") and not before a stack trace.
    func takes(_ line: PasteLine) -> Bool {
        !line.isBehindBlank || text.bytes.last == UInt8(ascii: ":") || StackLine.matches(line.bytes)
    }

    mutating func append(_ line: PasteLine) {
        text.append(line.bytes, isBehindBlank: line.isBehindBlank)
        lines += 1
        lastLine = line.number
    }

    var record: PastedRecord {
        var record = PastedRecord(shape: .message, line: firstLine)
        record.lastLine = lastLine
        record.message = text.bytes
        return record
    }
}
