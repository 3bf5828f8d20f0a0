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

/// Lines that begin like a row, until its level is found or they turn out to be text.
struct PendingHead {
    private(set) var lines: [PasteLine] = []
    private var text: JoinedText

    init(_ line: PasteLine, limits: PasteLimits) {
        text = JoinedText(limit: limits.record)
        add(line)
    }

    /// What the lines and one more say; that line is kept if it is not ``RowReading/none``.
    mutating func reading(with line: PasteLine, limits: PasteLimits) -> RowReading {
        var candidate = self
        candidate.add(line)
        let reading = RowGrammar.reading(candidate.text.bytes, limits: limits)
        if reading != .none { self = candidate }
        return reading
    }

    var bytes: [UInt8] { text.bytes }

    private mutating func add(_ line: PasteLine) {
        lines.append(line)
        text.append(line.bytes)
    }
}

/// The start of a `Key : value` line.
struct BlockKey {
    /// The column of that name; nil where the name is not known.
    let column: PasteColumn?
    /// Bytes of blank before the key.
    fileprivate let indentation: Int
    /// Where the colon stands.
    let colon: Int
    /// Whether a blank stands before the colon, as where keys are padded to one width.
    fileprivate let isPadded: Bool
    /// Where the value begins.
    let valueStart: Int

    init?(_ line: [UInt8]) {
        indentation = line.blanks(from: 0, to: line.count).end
        let window = indentation..<min(line.count, indentation + Self.limit)
        guard let colon = line[window].firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = line.trimmed(indentation..<colon)
        guard !name.isEmpty, line[name].allSatisfy({ $0.lowercased.isSmallLetter || $0 == 0x20 || $0 == 0x5F }) else {
            return nil
        }
        self.colon = colon
        isPadded = name.upperBound < colon
        valueStart = line.blanks(from: colon + 1, to: line.count).end
        column = PasteColumn(name: line[name])
    }

    /// Bytes of a key, its padding and its indentation.
    private static let limit = 40
}

/// A record of which each column has a line of its own, as long as lines may join it.
///
/// It ends where a key comes a second time, and at a blank line behind its message. Within a block whose keys are
/// themselves set apart by blank lines, a key that is new still belongs to it.
struct OpenBlock {
    /// What a line is to the block.
    enum Taking {
        case taken
        /// A line in the middle of the block that belongs to no value.
        case notUnderstood
        /// The block is over; the line is something else.
        case ended
    }

    private var record: PastedRecord
    private var seen: Set<PasteColumn> = []
    private var column = PasteColumn.ignored
    private var value: JoinedText
    private var valueStart = 0
    private var hasInnerBlank = false
    private var wasCut = false
    /// Bytes of the values that have ended.
    private var size = 0

    private let indentation: Int
    /// Where the colons stand if keys are padded to one width.
    private let paddedColon: Int?
    private let limits: PasteLimits

    init?(_ line: PasteLine, limits: PasteLimits) {
        guard let key = BlockKey(line.bytes), let column = key.column else { return nil }
        record = PastedRecord(shape: .block, line: line.number)
        indentation = key.indentation
        paddedColon = key.isPadded ? key.colon : nil
        value = JoinedText(limit: limits.record)
        self.limits = limits
        begin(column, key, line)
    }

    /// Whether `line` is indented as far as the value above it, as a console wraps values.
    func takesAsWrapped(_ line: PasteLine) -> Bool {
        let blanks = line.bytes.blanks(from: 0, to: line.bytes.count).end
        return !value.isEmpty && blanks > indentation && blanks >= valueStart
    }

    mutating func append(_ line: PasteLine) -> Taking {
        if takesAsWrapped(line) { return extend(by: line) }
        if let key = BlockKey(line.bytes) {
            if let column = key.column {
                guard column == .ignored || !seen.contains(column),
                    !(line.isBehindBlank && hasMessage && !hasInnerBlank)
                else {
                    return .ended
                }
                hasInnerBlank = hasInnerBlank || line.isBehindBlank
                end()
                begin(column, key, line)
                return .taken
            }
            if key.colon == paddedColon {
                end()
                begin(.ignored, key, line)
                return .taken
            }
        }
        if value.isEmpty { return extend(by: line) }
        guard column == .message else { return .notUnderstood }
        guard !line.isBehindBlank || StackLine.matches(line.bytes) else { return .ended }
        return extend(by: line)
    }

    func finished() -> PastedRecord {
        var block = self
        block.end()
        return block.record
    }

    /// Whether a value was, or will be, cut.
    var isCut: Bool { wasCut || value.wasCut }

    private var hasMessage: Bool { !record.message.isEmpty || (column == .message && !value.isEmpty) }

    private mutating func begin(_ column: PasteColumn, _ key: BlockKey, _ line: PasteLine) {
        self.column = column
        seen.insert(column)
        valueStart = key.valueStart
        value = JoinedText(limit: max(0, limits.record - size))
        _ = extend(
            by: PasteLine(number: line.number, bytes: Array(line.bytes[key.valueStart...]), isBehindBlank: false)
        )
    }

    private mutating func extend(by line: PasteLine) -> Taking {
        value.append(line.bytes, isBehindBlank: line.isBehindBlank)
        record.lastLine = line.number
        return .taken
    }

    private mutating func end() {
        record.set(column, to: value.bytes)
        wasCut = wasCut || value.wasCut
        size += value.bytes.count
        value = JoinedText(limit: max(0, limits.record - size))
    }
}

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

/// Paragraphs that are messages if the text turns out to have no rows.
struct HeldMessages {
    private var messages: [OpenMessage] = []
    private var bytes = 0

    /// Whether they were let go: from then on paragraphs are messages at once.
    private(set) var isDecided = false

    /// Holds a paragraph; true when they are more than `limit` bytes.
    mutating func hold(_ message: OpenMessage, limit: Int) -> Bool {
        bytes += message.record.message.count + Self.overhead
        messages.append(message)
        return bytes > limit
    }

    /// Lets all go, as messages or as nothing.
    mutating func release(decided: Bool) -> [OpenMessage] {
        defer {
            messages = []
            bytes = 0
            isDecided = isDecided || decided
        }
        return messages
    }

    /// What a held paragraph costs beside its text, so that a million short ones are bounded too.
    private static let overhead = 256
}
