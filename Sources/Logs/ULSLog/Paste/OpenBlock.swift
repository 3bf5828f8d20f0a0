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
    /// Whether the event log of Windows has the name, and the logging service does not.
    fileprivate let isOfEventLog: Bool
    /// Whether the name is of another language than English.
    fileprivate let isOfOtherLanguage: Bool

    init?(_ line: [UInt8]) {
        indentation = line.blanks(from: 0, to: line.count).end
        let window = indentation..<min(line.count, indentation + Self.limit)
        guard let (colon, end) = Self.colon(in: line, window) else { return nil }
        let name = line.trimmed(indentation..<colon)
        column = PasteColumn(name: line[name])
        guard !name.isEmpty, column != nil || line[name].allSatisfy(PasteColumn.isOfName) else { return nil }
        self.colon = colon
        isPadded = name.upperBound < colon
        valueStart = line.blanks(from: end, to: line.count).end
        isOfEventLog = PasteColumn.isOfEventLog(line[name])
        isOfOtherLanguage = PasteColumn.isOfOtherLanguage(line[name])
    }

    /// Returns where the first colon begins and ends; Japanese and Chinese have a wide one too, and in a table of two
    /// columns a tab stands for it.
    private static func colon(in line: [UInt8], _ window: Range<Int>) -> (start: Int, end: Int)? {
        for index in window {
            if line[index] == 0x09, isTwoCells(line, index) { return (index, index + 1) }
            if line[index] == UInt8(ascii: ":") { return (index, index + 1) }
            if line[index] == wideColon[0], line[index...].starts(with: wideColon) { return (index, index + 3) }
        }
        return nil
    }

    /// Whether a tab parts the name of a field from its value, and is no padding and no part of a header.
    private static func isTwoCells(_ line: [UInt8], _ tab: Int) -> Bool {
        let text = line.trimmed
        guard text.lowerBound < tab, tab < text.upperBound else { return false }
        let (name, value) = (line.trimmed(text.lowerBound..<tab), line.trimmed(tab + 1..<text.upperBound))
        return !line[value].contains(0x09) && PasteColumn(name: line[name]) != nil
            && PasteColumn(name: line[value]) == nil
    }

    private static let wideColon = Array("：".utf8)

    /// Bytes within which a key, its padding included, must reach its colon.
    private static let limit = 64
}

/// A record whose columns each have their own line, open to lines that may join it.
///
/// It ends where a key occurs a second time, and at a blank line after its message. If blank lines separate the keys of
/// a block, a new key still belongs to it. The description of an event of Windows may have blank lines, and goes on to
/// the next record or the event's XML; it needs no key of its own.
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

    /// The column of the first line, with which the next record begins too.
    private let firstColumn: PasteColumn
    /// Whether a key is one that only the event log of Windows has.
    private var hasEventLogKey = false
    private var isOfOtherLanguage = false
    private let indentation: Int
    /// The offset of the colons if keys are padded to one width.
    private let paddedColon: Int?
    private let limits: PasteLimits

    init?(_ line: PasteLine, limits: PasteLimits) {
        guard let key = BlockKey(line.bytes), let column = key.column else { return nil }
        record = PastedRecord(shape: .block, line: line.number)
        indentation = key.indentation
        firstColumn = column
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
        beginMessage(with: message)
    }

    /// Returns whether `line` is indented as far as the value above it, as a console wraps values.
    func takesAsWrapped(_ line: PasteLine) -> Bool {
        let blanks = line.bytes.blanks(from: 0, to: line.bytes.count).end
        return !value.isEmpty && blanks > indentation && blanks >= valueStart
    }

    mutating func append(_ line: PasteLine) -> Taking {
        if takesAsWrapped(line) { return extend(by: line) }
        if let key = BlockKey(line.bytes) {
            if let column = key.column { return append(line, key, column) }
            if key.colon == paddedColon {
                end()
                begin(.ignored, key, line)
                return .taken
            }
        }
        if column == .eventXML { return line.isBehindBlank ? .ended : .taken }
        if isMessage(line) {
            beginMessage(with: line)
            return .taken
        }
        if value.isEmpty || isWindowsEvent && column == .message { return extend(by: line) }
        guard column == .message else { return .notUnderstood }
        guard !line.isBehindBlank || announcesMore || StackLine.matches(line.bytes) || StackLine.goesOn(line.bytes)
        else {
            return .ended
        }
        return extend(by: line)
    }

    private mutating func append(_ line: PasteLine, _ key: BlockKey, _ column: PasteColumn) -> Taking {
        if isWindowsEvent, self.column == .message, hasMessage, column != .eventXML {
            if isNextRecord(column, key, line) { return .ended }
            // Within a description there may be lines that look like keys.
            guard isBehindDescription(column, key, line) else { return extend(by: line) }
        }
        let isTimeOfDate = isTimeOfDate(column, key, line)
        guard column == .ignored || !seen.contains(column) || isTimeOfDate,
            !(line.isBehindBlank && hasMessage && !hasInnerBlank) || column == .eventXML
        else { return .ended }
        hasInnerBlank = hasInnerBlank || line.isBehindBlank
        end()
        let date = record.time
        begin(column, key, line)
        if isTimeOfDate {
            let time = value.bytes
            value = JoinedText(limit: max(0, limits.record - size))
            value.append(date + [0x20] + time)
        }
        return .taken
    }

    /// Whether the record is of the event log of Windows: it has an event's number and a key that only such records have.
    private var isWindowsEvent: Bool {
        if firstColumn == .logName { return true }
        let eventID = column == .eventID ? value.bytes : record.eventID
        return hasEventLogKey && !eventID.isEmpty && eventID.allSatisfy(\.isDigit)
    }

    /// Whether a key below a description begins another record.
    private func isNextRecord(_ column: PasteColumn, _ key: BlockKey, _ line: PasteLine) -> Bool {
        guard column != .logName else { return true }
        guard column == firstColumn, column != .ignored, key.indentation <= indentation else { return false }
        // Descriptions of ASP.NET have an event ID too, which is no number.
        let value = line.bytes[line.bytes.trimmed(key.valueStart..<line.bytes.count)]
        return column != .eventID || !value.isEmpty && value.allSatisfy(\.isDigit)
    }

    /// Whether a key below a description is the record's own, because the description is not its last field.
    private func isBehindDescription(_ column: PasteColumn, _ key: BlockKey, _ line: PasteLine) -> Bool {
        firstColumn != .logName && Self.fields.contains(column) && !seen.contains(column)
            && key.indentation <= indentation && line.isBehindBlank == hasInnerBlank
    }

    private static let fields: Set<PasteColumn> = [.level, .eventID, .time, .area, .category]

    /// Whether a key is the time that belongs to a date above, as the older event log has both.
    private func isTimeOfDate(_ column: PasteColumn, _ key: BlockKey, _ line: PasteLine) -> Bool {
        guard column == .time, seen.contains(.time) else { return false }
        let date = self.column == .time ? value.bytes : record.time
        return PastedTime(date, at: 0, to: date.count)?.kind == .dateOnly
            && PastedTime(line.bytes, at: key.valueStart, to: line.bytes.trimmed.upperBound)?.kind == .timeOnly
    }

    /// Whether a line without a key is the message of an event that has none so far.
    private func isMessage(_ line: PasteLine) -> Bool {
        guard seen.contains(.eventID), !seen.contains(.message), !value.isEmpty || column == .ignored else {
            return false
        }
        return line.isBehindBlank || BlockKey(line.bytes) == nil
    }

    /// Whether the message ends by promising that more is included below.
    private var announcesMore: Bool {
        value.bytes[value.bytes.trimmed].suffix(Self.promise.count).elementsEqual(Self.promise)
    }

    private static let promise = Array(" below.".utf8)

    private mutating func beginMessage(with line: PasteLine) {
        end()
        column = .message
        seen.insert(.message)
        valueStart = 0
        _ = extend(by: line)
    }

    func finished() -> PastedRecord {
        var block = self
        block.end()
        if isOfOtherLanguage, isWindowsEvent { block.record.readDateDayFirst() }
        return block.record
    }

    /// Whether a value was, or will be, cut.
    var isCut: Bool { wasCut || value.wasCut }

    private var hasMessage: Bool { !record.message.isEmpty || (column == .message && !value.isEmpty) }

    private mutating func begin(_ column: PasteColumn, _ key: BlockKey, _ line: PasteLine) {
        self.column = column
        seen.insert(column)
        hasEventLogKey = hasEventLogKey || key.isOfEventLog
        isOfOtherLanguage = isOfOtherLanguage || key.isOfOtherLanguage
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
