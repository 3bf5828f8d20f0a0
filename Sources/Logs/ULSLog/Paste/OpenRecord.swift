/// A row with known columns, open to lines that may join its message.
struct OpenRow {
    private var record: PastedRecord
    private var text: JoinedText
    private let hasWideColumns: Bool
    private var hardWrap: HardWrap
    /// Whether its columns could be read only with the lines joined without a blank.
    private let isHard: Bool
    private let limits: PasteLimits

    /// Creates a row from the text of its lines.
    init(_ text: [UInt8], head: RowHead, lines: [PasteLine], isHard: Bool = false, limits: PasteLimits) {
        record = head.record(text, line: lines.first?.number ?? 1)
        record.lastLine = lines.last?.number ?? 1
        hasWideColumns = head.hasWideColumns
        self.text = JoinedText(limit: limits.record)
        self.text.append(Array(text[head.messageStart...]))
        self.isHard = isHard
        self.limits = limits
        hardWrap = HardWrap(limit: limits.record)
        for line in lines { hardWrap.append(line) }
    }

    /// Whether it has a time or a process; if so, a line only guessed to be a row is text of its message.
    var hasAnchor: Bool { !record.time.isEmpty || !record.process.isEmpty }

    var wasCut: Bool { text.wasCut }

    /// Returns whether `line` belongs to the row.
    ///
    /// After a blank line, it does only if the row still lacks its last column, the correlation, or if a stack trace
    /// goes on: text between rows in a paste is prose.
    func takes(_ line: PasteLine) -> Bool {
        !line.isBehindBlank || StackLine.matches(line.bytes) || correlation.isEmpty
    }

    mutating func append(_ line: PasteLine) {
        text.append(line.bytes, isBehindBlank: line.isBehindBlank)
        record.lastLine = line.number
        hardWrap.append(line)
    }

    func finished() -> PastedRecord { unwrapped?.joined() ?? joined() }

    /// The row with its lines joined as they were broken; `nil` if nothing says that they were broken within words.
    private var unwrapped: OpenRow? {
        guard isHard || hardWrap.fullLines >= HardWrap.leastLines,
            case .row(let head) = hardWrap.reading(limits: limits)
        else { return nil }
        var row = OpenRow(hardWrap.bytes, head: head, lines: [], limits: limits)
        (row.record.firstLine, row.record.lastLine) = (record.firstLine, record.lastLine)
        return row
    }

    private func joined() -> PastedRecord {
        var record = record
        let (message, correlation) = (message, correlation)
        record.message = Array(text.bytes[message])
        record.correlation = Self.isPlaceholder(text.bytes[correlation]) ? [] : Array(text.bytes[correlation])
        return record
    }

    private var message: Range<Int> {
        text.bytes.trimmed(0..<(correlation.isEmpty ? text.bytes.count : correlation.lowerBound))
    }

    /// The last word, if it is a GUID or the placeholder for one.
    ///
    /// If wide blanks separate the columns, a single blank before the word makes it part of the message.
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

    /// Returns the start of a final `<<CORRELATION ID>>`.
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

/// Lines that begin like a row, kept until its level is found or they turn out to be text.
struct PendingHead {
    private(set) var lines: [PasteLine] = []
    /// Whether the lines make a row only without blanks between them.
    private(set) var isHard = false
    private var text: JoinedText
    private var hardWrap: HardWrap

    init(_ line: PasteLine, limits: PasteLimits) {
        text = JoinedText(limit: limits.record)
        hardWrap = HardWrap(limit: limits.record)
        add(line)
    }

    /// Reads the lines and one more; that line is kept unless the result is ``RowReading/none``.
    mutating func reading(with line: PasteLine, limits: PasteLimits) -> RowReading {
        var candidate = self
        candidate.add(line)
        let soft: RowReading = isHard ? .none : RowGrammar.reading(candidate.text.bytes, limits: limits)
        var reading = soft
        if soft == .none || soft == .unfinished {
            let hard = candidate.hardWrap.reading(limits: limits)
            if soft == .none || hard != .none && hard != .unfinished {
                reading = hard
                candidate.isHard = true
            }
        }
        if reading != .none { self = candidate }
        return reading
    }

    var bytes: [UInt8] { isHard ? hardWrap.bytes : text.bytes }

    private mutating func add(_ line: PasteLine) {
        lines.append(line)
        text.append(line.bytes)
        hardWrap.append(line)
    }
}

/// The start of a `Key : value` line.
struct BlockKey {
    /// The column with that name; nil if the name is unknown.
    let column: PasteColumn?
    /// Bytes of blanks before the key.
    fileprivate let indentation: Int
    /// The offset of the colon.
    let colon: Int
    /// Whether a blank precedes the colon, as when keys are padded to one width.
    fileprivate let isPadded: Bool
    /// The offset of the value.
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

    /// Bytes within which a key, its padding included, must reach its colon.
    private static let limit = 40
}

/// A record whose columns each have their own line, open to lines that may join it.
///
/// It ends where a key occurs a second time, and at a blank line after its message. If blank lines separate the keys of
/// a block, a new key still belongs to it. In a copy from the Windows event log (`Log Name:`) the description may have
/// blank lines, and ends with the event's XML.
struct OpenBlock {
    /// The role of a line in the block.
    enum Taking {
        case taken
        /// A line in the middle of the block that belongs to no value.
        case notUnderstood
        /// A line that is something else: the block is over.
        case ended
    }

    private var record: PastedRecord
    private var seen: Set<PasteColumn> = []
    private var column = PasteColumn.ignored
    private var value: JoinedText
    private var valueStart = 0
    private var hasInnerBlank = false
    private var wasCut = false
    /// Bytes of the finished values.
    private var size = 0

    /// Whether the block is a copy from the event log of Windows.
    private let isWindowsEvent: Bool
    private let indentation: Int
    /// The offset of the colons if keys are padded to one width.
    private let paddedColon: Int?
    private let limits: PasteLimits

    init?(_ line: PasteLine, limits: PasteLimits) {
        guard let key = BlockKey(line.bytes), let column = key.column else { return nil }
        record = PastedRecord(shape: .block, line: line.number)
        indentation = key.indentation
        isWindowsEvent = column == .logName
        paddedColon = key.isPadded ? key.colon : nil
        value = JoinedText(limit: limits.record)
        self.limits = limits
        begin(column, key, line)
    }

    /// Creates a block of two lines: `Event ID: 6875`, and the message, which has no key; `nil` if they are others.
    init?(eventID first: PasteLine, message: PasteLine, limits: PasteLimits) {
        guard let key = BlockKey(first.bytes), key.column == .eventID, BlockKey(message.bytes) == nil else {
            return nil
        }
        let value = first.bytes[key.valueStart...].prefix { $0 > 0x20 }
        guard 2...5 ~= value.count, value.allSatisfy({ $0.isDigit || $0.isSmallLetter }),
            first.bytes.trimmed.upperBound == value.endIndex
        else { return nil }
        self.init(first, limits: limits)
        end()
        column = .message
        seen.insert(.message)
        self.value = JoinedText(limit: max(0, limits.record - size))
        valueStart = 0
        _ = extend(by: message)
    }

    /// Returns whether `line` is indented as far as the value above it, as a console wraps values.
    func takesAsWrapped(_ line: PasteLine) -> Bool {
        let blanks = line.bytes.blanks(from: 0, to: line.bytes.count).end
        return !value.isEmpty && blanks > indentation && blanks >= valueStart
    }

    mutating func append(_ line: PasteLine) -> Taking {
        if takesAsWrapped(line) { return extend(by: line) }
        if let key = BlockKey(line.bytes) {
            if let column = key.column {
                // Within a description there may be lines that look like keys; only these two end it.
                if isWindowsEvent, hasMessage, column != .eventXML, column != .logName { return extend(by: line) }
                guard column == .ignored || !seen.contains(column),
                    !(line.isBehindBlank && hasMessage && !hasInnerBlank) || column == .eventXML
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
        if column == .eventXML { return line.isBehindBlank ? .ended : .taken }
        if value.isEmpty { return extend(by: line) }
        if isWindowsEvent, column == .message { return extend(by: line) }
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

/// A paragraph without columns, open to lines that may join it.
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

    /// Returns whether `line` belongs to the paragraph.
    ///
    /// A blank line ends it, except after a heading ("Error details:") or before a stack trace.
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

/// Paragraphs that become messages if the text turns out to have no rows.
struct HeldMessages {
    private var messages: [OpenMessage] = []
    private var bytes = 0

    /// Whether they were released as messages: from then on, paragraphs become messages at once.
    private(set) var isDecided = false
    private var haveSign = false

    /// Whether they are messages of a log, as far as the text so far tells.
    var areMessages: Bool { isDecided || haveSign }

    /// Holds a paragraph; returns true if more than `limit` bytes are now held.
    mutating func hold(_ message: OpenMessage, limit: Int) -> Bool {
        let text = message.record.message
        haveSign = areMessages || MessageSigns.occur(in: text)
        bytes += text.count + Self.overhead
        messages.append(message)
        return bytes > limit
    }

    /// Releases all paragraphs, to become messages or nothing.
    mutating func release(decided: Bool) -> [OpenMessage] {
        defer {
            messages = []
            bytes = 0
            isDecided = isDecided || decided
        }
        return messages
    }

    /// The cost of a held paragraph besides its text, so that a million short ones are bounded too.
    private static let overhead = 256
}
