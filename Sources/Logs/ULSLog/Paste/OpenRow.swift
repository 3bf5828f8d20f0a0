/// A row with known columns, open to lines that may join its message.
struct OpenRow {
    private var record: PastedRecord
    private var text: JoinedText
    private let hasWideColumns: Bool
    private var hardWrap: HardWrap
    /// Whether its columns could be read only with the lines joined without a blank.
    private let isHard: Bool
    private let limits: PasteLimits
    /// Whether it is of a program's log, whose rows have no correlation.
    private(set) var isOfProgram = false

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

    /// Creates a row of a program's log.
    init(_ line: PasteLine, program: ProgramRow, limits: PasteLimits) {
        self.init(line.bytes, head: program.head, lines: [line], limits: limits)
        record.level = program.level
        isOfProgram = true
    }

    /// Whether it has a time or a process; if so, a line only guessed to be a row is text of its message.
    var hasAnchor: Bool { !record.time.isEmpty || !record.process.isEmpty }

    var wasCut: Bool { text.wasCut }

    /// Returns whether `line` belongs to the row.
    ///
    /// After a blank line, it does only if the row still lacks its last column, the correlation, or if a stack trace
    /// goes on: text between rows in a paste is prose.
    func takes(_ line: PasteLine) -> Bool {
        !line.isBehindBlank || StackLine.matches(line.bytes) || StackLine.goesOn(line.bytes)
            || correlation.isEmpty && !record.eventID.isEmpty
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
        guard !isOfProgram else { return none }
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
