import TextKit
import ULSRows

/// A row with known columns, to whose message more lines may be added.
struct OpenRow {
    private var record: PastedRecord
    private var text: JoinedText
    private let hasWideColumns: Bool
    private var hardWrap: HardWrap
    /// Whether the columns could be read only by joining the lines without a blank.
    private let isHard: Bool
    private let limits: PasteLimits
    /// Whether the row is from the log of a program, whose rows have no correlation.
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

    /// Whether the row has a time or a process; if so, a line that merely may be a row is part of its message.
    var hasAnchor: Bool { !record.time.isEmpty || !record.process.isEmpty }

    var wasCut: Bool { text.wasCut }

    /// Returns whether `line` is part of the row.
    ///
    /// After a blank line, this is the case only if the row still lacks its last column, the correlation, or if a stack
    /// trace continues; other text between the rows of a paste is prose.
    func takes(_ line: PasteLine) -> Bool {
        if line.isBehindBlank, ServerErrorPage.begins(line.bytes) || HealthEvent.begins(line.bytes) { return false }
        // A row that has its last column is complete.
        let isComplete = hasWideColumns && !correlation.isEmpty
        return !line.isBehindBlank && !isComplete || StackLine.matches(line.bytes) || StackLine.goesOn(line.bytes)
            || correlation.isEmpty && !record.eventID.isEmpty
    }

    mutating func append(_ line: PasteLine) {
        text.append(line.bytes, isBehindBlank: line.isBehindBlank)
        record.lastLine = line.number
        hardWrap.append(line)
    }

    func finished() -> PastedRecord { unwrapped?.joined() ?? joined() }

    /// The row with its lines joined where they were broken; `nil` if nothing shows that they were broken within words.
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

    /// The last word, if it is a GUID or a placeholder for a GUID.
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

/// Lines that begin like a row, which are kept until the level is found or the lines turn out to be text.
struct PendingHead {
    private(set) var lines: [PasteLine] = []
    /// Whether the lines form a row only if they are joined without blanks.
    private(set) var isHard = false
    private var text: JoinedText
    private var hardWrap: HardWrap

    init(_ line: PasteLine, limits: PasteLimits) {
        text = JoinedText(limit: limits.record)
        hardWrap = HardWrap(limit: limits.record)
        add(line)
    }

    /// Reads the lines together with another line, which is kept unless the result is ``RowReading/none``.
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
    /// The column with this name; nil if the name is unknown.
    let column: PasteColumn?
    /// The number of blanks before the key, in bytes.
    fileprivate let indentation: Int
    /// The offset of the colon.
    let colon: Int
    /// Whether a blank precedes the colon, as it does if keys are padded to the same width.
    fileprivate let isPadded: Bool
    /// The offset of the value.
    let valueStart: Int
    /// Whether the name occurs in the Windows event log but not in the logging service.
    let isOfEventLog: Bool
    /// Whether the name is in a language other than English.
    fileprivate let isOfOtherLanguage: Bool
    /// Whether the name is `Date`, whose time of day the older event log has below it.
    fileprivate let isDate: Bool

    /// Whether the name is unknown, and a sentence follows, or so many words that they are more than a value.
    fileprivate let isOfSentence: Bool

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
        isDate = line[name].map(\.lowercased) == Array("date".utf8)
        let value = line[line.trimmed(valueStart..<line.count)]
        let blanks = value.count { $0 == 0x20 }
        isOfSentence = column == nil && (blanks >= 4 || blanks >= 2 && value.last == UInt8(ascii: "."))
    }

    /// Returns the start and end of the first colon; the full-width colon of Japanese and Chinese also counts, as does
    /// the tab of a two-column table.
    private static func colon(in line: [UInt8], _ window: Range<Int>) -> (start: Int, end: Int)? {
        for index in window {
            if line[index] == 0x09, isTwoCells(line, index) { return (index, index + 1) }
            if line[index] == UInt8(ascii: ":") { return (index, index + 1) }
            if line[index] == wideColon[0], line[index...].starts(with: wideColon) { return (index, index + 3) }
        }
        return nil
    }

    /// Returns whether a tab separates the name of a field from its value, and is neither padding nor part of a header.
    private static func isTwoCells(_ line: [UInt8], _ tab: Int) -> Bool {
        let text = line.trimmed
        guard text.lowerBound < tab else { return false }
        // The cell of the value may be empty.
        guard tab < text.upperBound else { return PasteColumn(name: line[text]) != nil }
        let (name, value) = (line.trimmed(text.lowerBound..<tab), line.trimmed(tab + 1..<text.upperBound))
        return !line[value].contains(0x09) && PasteColumn(name: line[name]) != nil
            && PasteColumn(name: line[value]) == nil
    }

    private static let wideColon = Array("：".utf8)

    /// The number of bytes within which the colon after a key must occur, including padding.
    private static let limit = 64
}

/// A record with each column on its own line, to which more lines may be added.
///
/// The block ends where a key recurs, or at a blank line after its message. If blank lines separate the keys of a
/// block, a new key is still part of it. The description of a Windows event may contain blank lines, and extends to the
/// next record or the event's XML; it needs no key.
struct OpenBlock {
    /// The role of a line in the block.
    enum Taking {
        case taken
        /// A line in the middle of the block that is not part of any value.
        case notUnderstood
        /// A line that is not part of the block, which ends here.
        case ended
    }

    private var record: PastedRecord
    private var seen: Set<PasteColumn> = []
    private var column = PasteColumn.ignored
    private var value: JoinedText
    private var valueStart = 0
    private var hasInnerBlank = false
    private var isDate = false
    private var wasCut = false
    /// The number of bytes in the finished values.
    private var size = 0

    /// The column of the first line, which also begins the next record.
    private let firstColumn: PasteColumn
    /// Whether a key occurs only in the Windows event log.
    private var hasEventLogKey = false
    private var isOfOtherLanguage = false
    private let indentation: Int
    /// The offset of the colons if keys are padded to the same width.
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

    /// Creates a block of two lines: `Event ID: 6875`, and the message, which has no key; `nil` if the lines are
    /// different.
    init?(eventID first: PasteLine, message: PasteLine, limits: PasteLimits) {
        guard let key = BlockKey(first.bytes), key.column == .eventID, BlockKey(message.bytes) == nil else {
            return nil
        }
        let value = first.bytes[key.valueStart...].prefix { $0 > 0x20 }
        guard 2...5 ~= value.count, value.allSatisfy({ $0.isDigit || $0.isLowercase }),
            first.bytes.trimmed.upperBound == value.endIndex
        else { return nil }
        self.init(first, limits: limits)
        beginMessage(with: message)
    }

    /// Returns whether `line` is indented as far as the value above it, which is how a console wraps values.
    func takesAsWrapped(_ line: PasteLine) -> Bool {
        let blanks = line.bytes.blanks(from: 0, to: line.bytes.count).end
        return !value.isEmpty && blanks > indentation && blanks >= valueStart
    }

    mutating func append(_ line: PasteLine) -> Taking {
        if line.isBehindBlank, ServerErrorPage.begins(line.bytes) { return .ended }
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
        guard column == .message || column == .remedy else {
            return OpenMessage.beginsException(line.bytes) ? .ended : .notUnderstood
        }
        guard
            !line.isBehindBlank || column == .remedy || announcesMore || StackLine.matches(line.bytes)
                || StackLine.goesOn(line.bytes)
        else {
            return .ended
        }
        return extend(by: line)
    }

    private mutating func append(_ line: PasteLine, _ key: BlockKey, _ column: PasteColumn) -> Taking {
        if isWindowsEvent, self.column == .message, column != .eventXML {
            if isNextRecord(column, key, line) { return .ended }
            // A description may contain lines that look like keys, and may begin with one: `Product: SharePoint - …`.
            let isText = hasMessage ? !isBehindDescription(column, key, line) : seen.contains(column)
            if isText { return extend(by: line) }
        }
        let isTimeOfDate = isTimeOfDate(column, key, line)
        guard column.isCommon || !seen.contains(column) || isTimeOfDate,
            !(line.isBehindBlank && hasMessage && !hasInnerBlank) || column == .eventXML
        else { return .ended }
        hasInnerBlank = hasInnerBlank || line.isBehindBlank
        end()
        let date = record.time
        begin(column, key, line)
        // A date that was made unreadable does not hide the time of day.
        if isTimeOfDate, PastedTime(date, at: 0, to: date.count) != nil {
            let time = value.bytes
            value = JoinedText(limit: max(0, limits.record - size))
            value.append(date + [0x20] + time)
        }
        return .taken
    }

    /// Whether the record is from the Windows event log, because it has a numeric event ID and a key that only records
    /// of that log have.
    private var isWindowsEvent: Bool {
        if firstColumn == .logName { return true }
        let eventID = column == .eventID ? value.bytes : record.eventID
        return hasEventLogKey && !eventID.isEmpty && eventID.allSatisfy(\.isDigit)
    }

    /// Returns whether a key below a description begins another record.
    private func isNextRecord(_ column: PasteColumn, _ key: BlockKey, _ line: PasteLine) -> Bool {
        guard column != .logName else { return true }
        guard column == firstColumn || column == .eventID && seen.contains(.eventID), !column.isCommon,
            key.indentation <= indentation
        else { return false }
        // ASP.NET descriptions also contain an event ID, but it is not a number.
        let value = line.bytes[line.bytes.trimmed(key.valueStart..<line.bytes.count)]
        return column != .eventID || !value.isEmpty && value.allSatisfy(\.isDigit)
    }

    /// Returns whether a key below a description is part of the same record, because the description is not its last
    /// field.
    private func isBehindDescription(_ column: PasteColumn, _ key: BlockKey, _ line: PasteLine) -> Bool {
        firstColumn != .logName && Self.fields.contains(column) && !seen.contains(column)
            && key.indentation <= indentation && line.isBehindBlank == hasInnerBlank
    }

    private static let fields: Set<PasteColumn> = [.level, .eventID, .time, .area, .category]

    /// Returns whether a key is the time for a date above, as in the older event log, which has separate keys for them.
    private func isTimeOfDate(_ column: PasteColumn, _ key: BlockKey, _ line: PasteLine) -> Bool {
        guard column == .time, seen.contains(.time) else { return false }
        let date = self.column == .time ? value.bytes : record.time
        let kind = PastedTime(date, at: 0, to: date.count)?.kind
        // Published events often have words in place of both.
        if self.column == .time, isDate, !key.isDate { return kind != .dateAndTime }
        return kind == .dateOnly
            && PastedTime(line.bytes, at: key.valueStart, to: line.bytes.trimmed.upperBound)?.kind == .timeOnly
    }

    /// Returns whether a line without a key is the message of an event that has no message so far.
    private func isMessage(_ line: PasteLine) -> Bool {
        // A key that only the event log has marks an event as well as an event ID does.
        guard seen.contains(.eventID) || (firstColumn == .logName || hasEventLogKey) && seen.contains(.level),
            !seen.contains(.message), !value.isEmpty || column.isCommon
        else { return false }
        // `Volume Shadow Copy Service error: Unexpected error calling routine` is a sentence rather than a key.
        return line.isBehindBlank || BlockKey(line.bytes)?.isOfSentence != false
    }

    /// Whether the message ends with an announcement of more text below.
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

    /// Whether a value has been or will be truncated.
    var isCut: Bool { wasCut || value.wasCut }

    private var hasMessage: Bool { !record.message.isEmpty || (column == .message && !value.isEmpty) }

    private mutating func begin(_ column: PasteColumn, _ key: BlockKey, _ line: PasteLine) {
        self.column = column
        seen.insert(column)
        hasEventLogKey = hasEventLogKey || key.isOfEventLog
        isOfOtherLanguage = isOfOtherLanguage || key.isOfOtherLanguage
        isDate = key.isDate
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

/// A paragraph without columns, to which more lines may be added.
struct OpenMessage {
    private let firstLine: Int
    private var lastLine: Int
    private(set) var lines = 1
    private var text: JoinedText
    private let beginsWithLevel: Bool
    /// Whether the paragraph is an event of ASP.NET's health monitoring.
    let isHealthEvent: Bool
    /// Whether the paragraph is a detailed error page of IIS.
    private var isServerErrorPage: Bool
    /// Whether the paragraph is an error page of ASP.NET, whose last line, the version, has not been read.
    private var isOpenPage = false
    /// Whether the paragraph is an event of Windows auditing.
    private(set) var isAuditEvent = false
    private var time: ArraySlice<UInt8> = []
    /// The correlation ID on an error page of SharePoint.
    private(set) var correlation: ArraySlice<UInt8> = []
    private(set) var hasException = false
    /// Whether the paragraph is the text of an exception rather than just a description of one.
    private(set) var isException = false
    private var endsWithFrame = false

    init(_ line: PasteLine, limits: PasteLimits) {
        beginsWithLevel = LevelRow(line.bytes) != nil
        firstLine = line.number
        lastLine = line.number
        text = JoinedText(limit: limits.record)
        isHealthEvent = HealthEvent.begins(line.bytes)
        isServerErrorPage = ServerErrorPage.begins(line.bytes)
        text.append(line.bytes)
        note(line.bytes)
    }

    var wasCut: Bool { text.wasCut }

    /// Whether the paragraph is a record of its own even if the text has rows: an exception, an error page, or an event
    /// that was pasted without its columns.
    var isRecord: Bool {
        isException || isServerErrorPage || isHealthEvent || isAuditEvent
            || !correlation.isEmpty && SharePointPage.isPart(text.bytes)
    }

    /// Returns whether `line` is part of the paragraph.
    ///
    /// A blank line ends the paragraph, except after a heading ("Error details:") or before a stack trace or a
    /// debugger's output about an exception.
    ///
    /// A line with a level is not part of a paragraph that begins with a level, because both may turn out to be rows.
    func takes(_ line: PasteLine) -> Bool {
        if beginsWithLevel, LevelRow(line.bytes) != nil { return false }
        if isHealthEvent {
            return !HealthEvent.begins(line.bytes) && (!line.isBehindBlank || HealthEvent.goesOn(line.bytes))
        }
        return !line.isBehindBlank && !HealthEvent.begins(line.bytes) || text.bytes.last == UInt8(ascii: ":")
            || StackLine.matches(line.bytes) || StackLine.goesOn(line.bytes) || DebuggerLine.matches(line.bytes)
            || goesOnWithinSentence(line.bytes) || isServerErrorPage && ServerErrorPage.goesOn(line.bytes)
            || isOpenPage
            || AuditEvent.isSection(line.bytes) || isAuditEvent && AuditEvent.explains(line.bytes)
    }

    /// Returns whether a line continues the sentence at the end of an exception's text: `… is not known` and `at the
    /// receiver.`.
    ///
    /// Pages insert a blank line before each word that looks like the beginning of a frame.
    private func goesOnWithinSentence(_ line: [UInt8]) -> Bool {
        guard hasException, !endsWithFrame, let last = text.bytes.last, last.lowercased.isLowercase || last.isDigit
        else { return false }
        return line.hasPrefix(Self.at, at: line.blanks(from: 0, to: line.count).end)
    }

    /// Records the facts that determine which lines may follow.
    private mutating func note(_ line: [UInt8]) {
        hasException = hasException || line.contains(Self.exception, in: line.indices)
        isException = isException || Self.beginsException(line)
        endsWithFrame = StackLine.matches(line)
        isServerErrorPage = isServerErrorPage || ServerErrorPage.begins(line)
        isOpenPage = (isOpenPage || ServerErrorPage.beginsOfASPNET(line)) && !ServerErrorPage.ends(line)
        isAuditEvent = isAuditEvent || AuditEvent.isSection(line)
        if time.isEmpty { time = (isHealthEvent ? HealthEvent.time(in: line) : SharePointPage.time(in: line)) ?? [] }
        if correlation.isEmpty { correlation = SharePointPage.correlation(in: line) ?? [] }
    }

    /// Returns whether a line contains an exception type and a colon, the beginning of an exception's text:
    /// `System.IO.IOException: …`.
    ///
    /// A type without its namespace counts only at the beginning of the line; elsewhere, it may be a word in a
    /// sentence.
    static func beginsException(_ line: [UInt8]) -> Bool {
        var rest = line[line.trimmed]
        // `[IOException: …]`, as on ASP.NET error pages.
        let first = rest.startIndex + (rest.first == UInt8(ascii: "[") ? 1 : 0)
        while let end = rest.firstRange(of: typeEnd)?.upperBound {
            let name = line[first..<end - 1]
            let start = name.lastIndex { !$0.isDigit && !$0.lowercased.isLowercase && !typeMarks.contains($0) }
            guard let start else { return true }
            if name[start...].contains(UInt8(ascii: ".")), name[start] != UInt8(ascii: "/") { return true }
            rest = rest[end...]
        }
        return false
    }

    private static let typeEnd = Array("Exception:".utf8)
    private static let typeMarks = Set("._+`".utf8)
    private static let at = Array("at ".utf8)
    private static let exception = Array("exception".utf8)

    /// Adds another paragraph after a blank line.
    mutating func append(_ other: OpenMessage) {
        text.append(paragraph: other.text)
        hasException = hasException || other.hasException
        isException = isException || other.isException
        if time.isEmpty { time = other.time }
        if correlation.isEmpty { correlation = other.correlation }
        lines += other.lines
        lastLine = other.lastLine
    }

    mutating func append(_ line: PasteLine) {
        text.append(line.bytes, isBehindBlank: line.isBehindBlank)
        note(line.bytes)
        lines += 1
        lastLine = line.number
    }

    var record: PastedRecord {
        var record = PastedRecord(shape: .message, line: firstLine)
        record.lastLine = lastLine
        record.message = text.bytes
        record.time = Array(time)
        record.correlation = Array(correlation)
        return record
    }
}

/// The paragraphs that become messages if the text turns out to have no rows.
struct HeldMessages {
    private var messages: [OpenMessage] = []
    private var bytes = 0

    /// Whether the paragraphs have been released as messages; from then on, paragraphs become messages immediately.
    private(set) var isDecided = false
    private var haveSign = false

    var isEmpty: Bool { messages.isEmpty }

    /// Whether the paragraphs are log messages, judging by the text so far.
    var areMessages: Bool { isDecided || haveSign }

    /// Holds a paragraph; returns true if more than `limit` bytes are now held.
    mutating func hold(_ message: OpenMessage, limit: Int, _ isMessage: (([UInt8]) -> Bool)? = nil) -> Bool {
        let text = message.record.message
        haveSign =
            areMessages || !message.correlation.isEmpty || MessageSigns.occur(in: text) || isMessage?(text) == true
        bytes += text.count + Self.overhead
        messages.append(message)
        return bytes > limit
    }

    /// Releases all paragraphs, which become messages or are dropped; those of an error page are combined.
    mutating func release(decided: Bool) -> [OpenMessage] {
        defer {
            messages = []
            bytes = 0
            isDecided = isDecided || decided
        }
        return decided ? ErrorPage.joined(messages) : messages
    }

    /// The cost of a held paragraph in addition to its text, so that even a million short paragraphs are limited.
    private static let overhead = 256
}

/// The lines of a row that was broken at a fixed column, even within words, as consoles and mail programs do.
///
/// In that case, all lines except the last are equally long, which is hardly ever true of lines wrapped between words
/// or of the lines of a stack trace.
struct HardWrap {
    /// The text of the lines, without line ends.
    private(set) var bytes: [UInt8] = []
    /// The number of lines before the last.
    private(set) var fullLines = 0
    /// Whether all lines before the last are equally long, and the last line is not longer.
    private(set) var isUniform = true

    private var width: Int?
    private var lastWidth: Int?
    private let limit: Int

    /// The minimum number of characters in a line, and the minimum number of full lines that cannot be a coincidence.
    private static let leastWidth = 40
    static let leastLines = 3

    init(limit: Int) { self.limit = limit }

    mutating func append(_ line: PasteLine) {
        guard isUniform else { return }
        let length = line.bytes.count { $0 & 0xC0 != 0x80 }
        if let lastWidth {
            fullLines += 1
            if width == nil { width = lastWidth }
            isUniform = lastWidth == width && length <= lastWidth && lastWidth >= Self.leastWidth && !line.isBehindBlank
        }
        lastWidth = length
        isUniform = isUniform && !StackLine.matches(line.bytes) && bytes.count + line.bytes.count <= limit
        if !isUniform || bytes.isEmpty {
            bytes = isUniform ? line.bytes : []
        } else {
            bytes.append(contentsOf: line.bytes)
        }
    }

    /// Returns the row that the lines form when they are joined without blanks.
    func reading(limits: PasteLimits) -> RowReading {
        isUniform && fullLines > 0 ? RowGrammar.reading(bytes, limits: limits) : .none
    }
}
