/// A row whose columns are known, as long as lines may join its message.
struct OpenRow {
    private var record: PastedRecord
    private var text: JoinedText
    private let hasWideColumns: Bool

    init(_ line: [UInt8], head: RowHead, firstLine: Int, lastLine: Int, limits: PasteLimits) {
        record = head.record(line, line: firstLine)
        record.lastLine = lastLine
        hasWideColumns = head.hasWideColumns
        text = JoinedText(limit: limits.record)
        text.append(Array(line[head.messageStart...]))
    }

    /// Whether its time or process is there; then a line that is only guessed to be a row is text of its message.
    var hasAnchor: Bool { !record.time.isEmpty || !record.process.isEmpty }

    var wasCut: Bool { text.wasCut }

    /// Whether `line` belongs to the row.
    ///
    /// Behind a blank line only where the row still lacks its last column, the correlation, or a stack trace goes on:
    /// what stands between rows in a paste is prose.
    func takes(_ line: PasteLine) -> Bool {
        !line.isBehindBlank || StackLine.matches(line.bytes) || correlation.isEmpty
    }

    mutating func append(_ line: PasteLine) {
        text.append(line.bytes, isBehindBlank: line.isBehindBlank)
        record.lastLine = line.number
    }

    func finished() -> PastedRecord {
        var record = record
        let (message, correlation) = (message, correlation)
        record.message = Array(text.bytes[message])
        record.correlation = Self.isPlaceholder(text.bytes[correlation]) ? [] : Array(text.bytes[correlation])
        return record
    }

    private var message: Range<Int> {
        text.bytes.trimmed(0..<(correlation.isEmpty ? text.bytes.count : correlation.lowerBound))
    }

    /// The last word if it is a GUID, or the placeholder of one.
    ///
    /// Where wide blanks set the columns apart, one blank before it makes it part of the message.
    private var correlation: Range<Int> {
        let bytes = text.bytes
        let none = bytes.count..<bytes.count
        let end = bytes.count
        var start = max(0, end - GUIDShape.length)
        if !GUIDShape.isWhole(bytes[start..<end]) {
            guard let open = Self.placeholderStart(bytes) else { return none }
            start = open
        }
        guard bytes.isBoundary(before: start) else { return none }
        guard hasWideColumns, start > text.lastLineStart else { return start..<end }
        return bytes.blanks(from: bytes.trimmed(0..<start).upperBound, to: start).isWide ? start..<end : none
    }

    /// Where a last `<<CORRELATION ID>>` begins.
    private static func placeholderStart(_ bytes: [UInt8]) -> Int? {
        guard bytes.last == UInt8(ascii: ">") else { return nil }
        let window = max(0, bytes.count - 26)..<bytes.count
        guard let open = bytes[window].firstIndex(of: UInt8(ascii: "<")),
            bytes.contains(Array("correlation".utf8), in: open..<bytes.count)
        else { return nil }
        return open
    }

    private static func isPlaceholder(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.first == UInt8(ascii: "<") }
}
