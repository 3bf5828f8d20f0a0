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
