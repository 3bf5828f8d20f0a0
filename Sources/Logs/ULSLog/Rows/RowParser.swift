/// A parser that splits a record into its columns.
///
/// Tabs separate the columns, and the service pads them, so the tabs are at fixed offsets. Those are tried first. The
/// tables show that there are no tabs elsewhere: a text seen before holds none.
struct RowParser {
    /// The distinct process columns.
    private(set) var processes: InternedColumns
    /// The distinct combinations of area, category, event ID and level, with the tabs between them.
    private(set) var columns: InternedColumns
    private(set) var correlations = CorrelationReader()
    private var fast = FastRowParser()
    private let seed = HashSeed()
    /// Counts of the texts that a full table rejected.
    private(set) var overflow = (processes: 0, columns: 0)

    init() {
        processes = InternedColumns(maximum: LogLimit.processes.maximum)
        columns = InternedColumns(maximum: LogLimit.columns.maximum)
    }

    /// Returns the tab before the last column of a row, if that is empty or a blank, as in rows of no request.
    @inline(__always)
    private static func emptyCorrelation(_ window: borrowing ByteWindow, behind levelEnd: Int, to end: Int) -> Int? {
        let tab = window[end &- 1] == 0x20 ? end &- 2 : end &- 1
        return tab > levelEnd && window[tab] == 0x09 ? tab : nil
    }

    /// Parses a one-line record like nearly all: padded, with columns seen before and a GUID or nothing at its end.
    ///
    /// - Returns: `nil` for any other record; ``parse(_:_:lineEnd:into:)`` handles those.
    @inline(__always)
    mutating func parsePadded(
        _ window: borrowing ByteWindow,
        _ row: RowStart,
        from start: Int,
        to end: Int,
        line: Int,
        position: Int64
    ) -> RowFields? {
        guard row.tab &- start == FastRowParser.timeLength else { return nil }
        let known = fast.find(window, at: start)
        let levelEnd = start &+ Int(known.levelEnd)
        guard known.levelEnd != 0 else { return nil }
        var fields = RowFields(start: start, end: end, line: line)
        if let number = correlations.find(window, behind: levelEnd, to: end) {
            fields.correlationNumber = number
            fields.correlation = correlations.ids[number]
            fields.messageEnd = end &- CorrelationReader.textLength &- 1
        } else if let tab = Self.emptyCorrelation(window, behind: levelEnd, to: end) {
            fields.messageEnd = tab
        } else {
            return nil
        }
        fields.position = position
        fields.take(row)
        fields.take(known)
        return fields
    }

    /// Parses a record whose first physical line ends at `lineEnd`; `fields` hold its start and end.
    ///
    /// - Returns: False if there are fewer than eight columns.
    @inline(__always)
    mutating func parse(
        _ window: borrowing ByteWindow,
        _ row: RowStart,
        lineEnd: Int,
        into fields: inout RowFields
    ) -> Bool {
        fields.take(row)
        let isPadded = row.tab &- fields.start == FastRowParser.timeLength
        let known = isPadded ? fast.find(window, at: fields.start) : .nothing
        if known.levelEnd != 0, fields.start &+ Int(known.levelEnd) < lineEnd {
            fields.take(known)
        } else {
            guard splitAny(window, lineEnd: lineEnd, into: &fields) else { return false }
        }
        correlations.read(window, into: &fields)
        return true
    }

    /// Splits a row of any layout at its seven tabs.
    @inline(never)
    private mutating func splitAny(
        _ window: borrowing ByteWindow,
        lineEnd: Int,
        into fields: inout RowFields
    ) -> Bool {
        fields.processEnd = window.firstTab(from: fields.timeEnd + 1, to: lineEnd)
        fields.threadEnd = window.firstTab(from: fields.processEnd + 1, to: lineEnd)
        fields.areaEnd = window.firstTab(from: fields.threadEnd + 1, to: lineEnd)
        fields.categoryEnd = window.firstTab(from: fields.areaEnd + 1, to: lineEnd)
        fields.eventEnd = window.firstTab(from: fields.categoryEnd + 1, to: lineEnd)
        fields.levelEnd = window.firstTab(from: fields.eventEnd + 1, to: lineEnd)
        guard fields.levelEnd < lineEnd else { return false }
        number(window, &fields)
        fast.learn(window, fields)
        return true
    }

    /// Numbers the columns of a row that was laid out elsewhere, with its correlation after its message.
    mutating func complete(_ window: borrowing ByteWindow, _ fields: inout RowFields) {
        number(window, &fields)
        correlations.readColumn(window, fields.messageEnd + 1..<fields.end, into: &fields)
    }

    /// Numbers the columns of fields whose ends are known.
    private mutating func number(_ window: borrowing ByteWindow, _ fields: inout RowFields) {
        let process = fields.timeEnd + 1..<fields.processEnd
        var hash = self.hash(window, from: process.lowerBound, to: process.upperBound)
        fields.process =
            processes.find(window, process, hash: hash) ?? processes.insert(window, process, hash: hash)
        if fields.process == 0 { overflow.processes += 1 }
        let columns = fields.threadEnd + 1..<fields.levelEnd
        // All of the columns: many areas and categories may share an event ID and a level.
        hash = self.hash(window, from: columns.lowerBound, to: columns.upperBound)
        fields.columns =
            self.columns.find(window, columns, hash: hash) ?? self.columns.insert(window, columns, hash: hash)
        if fields.columns == 0 { overflow.columns += 1 }
    }

    @inline(__always)
    private func hash(_ window: borrowing ByteWindow, from start: Int, to end: Int) -> UInt64 {
        var hash = UInt64(truncatingIfNeeded: end &- start)
        var offset = start
        while offset &+ 8 <= end {
            hash = seed.mixed(window.word(offset), hash)
            offset &+= 8
        }
        return seed.mixed(window.word(offset) & .lowBytes(end &- offset), hash)
    }
}

extension RowFields {
    @inline(__always)
    fileprivate mutating func take(_ row: RowStart) {
        clock = row.clock
        isUTC = row.isUTC
        isMarked = row.isMarked
        timeEnd = row.tab
    }

    @inline(__always)
    fileprivate mutating func take(_ known: FastRowParser.Known) {
        process = Int(known.process)
        columns = Int(known.columns)
        processEnd = start &+ 64
        threadEnd = start &+ 71
        areaEnd = start &+ 102
        categoryEnd = start &+ 133
        eventEnd = start &+ Int(known.eventEnd)
        levelEnd = start &+ Int(known.levelEnd)
    }
}

/// The positions of one record's columns in its window, and what is already known about them.
///
/// It is small because one is made for each row.
struct RowFields {
    /// The first byte of the record, and the one after its last physical line.
    @Offset var start: Int
    @Offset var end: Int
    /// The tabs after the first seven columns.
    @Offset var timeEnd: Int
    @Offset var processEnd: Int
    @Offset var threadEnd: Int
    @Offset var areaEnd: Int
    @Offset var categoryEnd: Int
    @Offset var eventEnd: Int
    @Offset var levelEnd: Int
    /// The end of the message, blanks not yet trimmed.
    @Offset var messageEnd: Int
    /// The numbers of the process column, and of area to level, in the parser's tables.
    @Offset var process: Int
    @Offset var columns: Int

    var correlation = CorrelationID.none
    /// The correlation's number in the parser; 0 means none.
    @Offset var correlationNumber: Int
    /// Milliseconds on the row's clock.
    var clock: Int64 = 0
    /// The number of the first physical line within the unit, from 0.
    var line: Int
    /// The number of physical lines.
    @Offset var lineCount: Int
    var isUTC = false
    /// Whether a `*` follows the time.
    var isMarked = false
    var isInferred = false
    /// The quality of a time without a date, or of a missing time.
    var timeQuality: LogTime.Quality?

    /// Whether the message was already joined, so that its dots mean nothing.
    var isJoined = false
    /// The offset of the record, in bytes from the unit's beginning.
    var position: Int64 = 0

    init(start: Int = 0, end: Int = 0, line: Int = 0, lineCount: Int = 1) {
        self.line = line
        self.start = start
        self.end = end
        self.lineCount = lineCount
    }

    var message: Range<Int> { levelEnd &+ 1..<max(levelEnd &+ 1, messageEnd) }
    var hasCorrelation: Bool { correlationNumber != 0 }
}

/// An offset in a window, or another small number, stored in four bytes.
@propertyWrapper
struct Offset {
    private var value: UInt32 = 0

    @inline(__always)
    var wrappedValue: Int {
        get { Int(value) }
        set { value = UInt32(truncatingIfNeeded: newValue) }
    }
}

/// Distinct texts of a column, or of adjacent columns, each with a number.
///
/// The meaning of a row's columns is worked out once for each distinct text, then found by comparing bytes; so a level
/// is interpreted, or a category tested, a few hundred times per gigabyte. The table holds up to `maximum` texts, such
/// as ``LogLimit/columns``; number 0 stands for those beyond.
struct InternedColumns {
    /// The texts, followed by zeros, so that the last one can be compared by words.
    private var bytes: [UInt8]
    private var used = 0
    /// The offset in `bytes`, the length and the hash of each text.
    private var texts: [(offset: UInt32, length: UInt32, hash: UInt64)] = [(0, 0, 0)]
    private var slots = SlotTable(slots: 1024)
    private let maximum: Int
    /// The longest text kept, in bytes; no service writes a longer one.
    private static let maximumBytes = 4096

    init(maximum: Int) {
        self.maximum = maximum
        bytes = Array(repeating: 0, count: 4096)
    }

    /// The number of texts, number 0 included.
    var count: Int { texts.count }

    /// Returns the number of the text in `range`, which has this hash; `nil` if it is new.
    @inline(__always)
    func find(_ window: borrowing ByteWindow, _ range: Range<Int>, hash: UInt64) -> Int? {
        let own = ByteWindow(bytes.span)
        return slots.find(hash) { number in
            let text = texts[number]
            return Int(text.length) == range.count
                && window.hasSameBytes(at: range.lowerBound, as: own, at: Int(text.offset), count: range.count)
        }
    }

    /// Adds a new text and returns its number; 0 if there is no room for it.
    mutating func insert(_ window: borrowing ByteWindow, _ range: Range<Int>, hash: UInt64) -> Int {
        guard texts.count <= maximum, range.count <= Self.maximumBytes else { return 0 }
        let offset = used
        used += range.count
        if used + ByteWindow.slack > bytes.count {
            bytes.append(contentsOf: repeatElement(0, count: max(bytes.count, range.count + ByteWindow.slack)))
        }
        bytes.replace(at: offset, with: window.span(range))
        let number = texts.count
        texts.append((UInt32(offset), UInt32(range.count), hash))
        slots.insert(number, hash: hash)
        return number
    }

    /// The text with this number.
    subscript(number: Int) -> ArraySlice<UInt8> {
        let text = texts[number]
        return bytes[Int(text.offset)..<Int(text.offset) + Int(text.length)]
    }

    /// Adds a text of another table, if it is new, and returns its number here; 0 if there is no room for it.
    mutating func take(_ number: Int, of other: InternedColumns) -> Int {
        let text = other.texts[number]
        let range = Int(text.offset)..<Int(text.offset) + Int(text.length)
        let window = ByteWindow(other.bytes.span)
        return find(window, range, hash: text.hash) ?? insert(window, range, hash: text.hash)
    }
}

extension [UInt8] {
    /// Writes the bytes of a span at `offset`, where there must be room.
    fileprivate mutating func replace(at offset: Int, with span: Span<UInt8>) {
        precondition(offset >= 0 && offset + span.count <= count)
        unsafe span.withUnsafeBytes { source in
            unsafe withUnsafeMutableBytes { target in
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyMemory(from: source)
            }
        }
    }
}
