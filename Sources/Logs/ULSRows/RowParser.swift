import TextKit

/// A parser that splits a record into its columns.
///
/// Tabs separate the columns. The service pads the columns, so the tabs are usually at fixed offsets, which are tried
/// first. If the texts between them have been seen before, there are no other tabs, because known texts contain none.
package struct RowParser {
    /// The distinct process columns.
    private(set) var processes: InternedColumns
    /// The distinct combinations of area, category, event ID and level, with the tabs between them.
    package private(set) var columns: InternedColumns
    package private(set) var correlations = CorrelationReader()
    private var fast = FastRowParser()
    private let seed = HashSeed()
    /// The numbers of texts that a full table rejected.
    package private(set) var overflow = (processes: 0, columns: 0)

    package init() {
        processes = InternedColumns(maximum: LogLimit.processes.maximum)
        columns = InternedColumns(maximum: LogLimit.columns.maximum)
    }

    /// Returns the tab before the last column of a row, if that column is empty or a blank, as in rows without a
    /// request.
    @inline(__always)
    private static func emptyCorrelation(_ window: borrowing ByteWindow, behind levelEnd: Int, to end: Int) -> Int? {
        let tab = window[end &- 1] == 0x20 ? end &- 2 : end &- 1
        return tab > levelEnd && window[tab] == 0x09 ? tab : nil
    }

    /// Parses a one-line record in the usual form: padded, with columns that have been seen before and a GUID or
    /// nothing at its end.
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

    /// Parses a record whose first physical line ends at `lineEnd`; `fields` contains its start and end.
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

    /// Numbers the columns of a row whose layout is already known, with its correlation after its message.
    package mutating func complete(_ window: borrowing ByteWindow, _ fields: inout RowFields) {
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
        // Hash all of the columns, because many areas and categories may share an event ID and a level.
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

/// The positions of a record's columns in its window, and the facts already known about them.
///
/// The structure is small because an instance is created for each row.
package struct RowFields {
    /// The offsets of the record's first byte and of the byte after its last physical line.
    @Offset package var start: Int
    @Offset package var end: Int
    /// The tabs after the first seven columns.
    @Offset package var timeEnd: Int
    @Offset package var processEnd: Int
    @Offset package var threadEnd: Int
    @Offset package var areaEnd: Int
    @Offset package var categoryEnd: Int
    @Offset package var eventEnd: Int
    @Offset package var levelEnd: Int
    /// The end of the message, before blanks are trimmed.
    @Offset package var messageEnd: Int
    /// The numbers of the process column, and of the columns from area to level, in the parser's tables.
    @Offset package var process: Int
    @Offset package var columns: Int

    package var correlation = CorrelationID.none
    /// The correlation's number in the parser; 0 means none.
    @Offset package var correlationNumber: Int
    /// The time in milliseconds on the row's clock.
    package var clock: Int64 = 0
    /// The number of the first physical line within the unit, from 0.
    package var line: Int
    /// The number of physical lines.
    @Offset package var lineCount: Int
    package var isUTC = false
    /// Whether a `*` follows the time.
    package var isMarked = false
    package var isInferred = false
    /// The quality of a time without a date, or of a missing time.
    package var timeQuality: LogTime.Quality?

    /// Whether the message has already been joined, so that dots in it do not mark a split.
    package var isJoined = false
    /// The offset of the record, in bytes from the unit's beginning.
    package var position: Int64 = 0

    package init(start: Int = 0, end: Int = 0, line: Int = 0, lineCount: Int = 1) {
        self.line = line
        self.start = start
        self.end = end
        self.lineCount = lineCount
    }

    package var message: Range<Int> { levelEnd &+ 1..<max(levelEnd &+ 1, messageEnd) }
    package var hasCorrelation: Bool { correlationNumber != 0 }
}

/// An offset in a window, or another small number, stored in four bytes.
@propertyWrapper
@frozen
package struct Offset {
    @usableFromInline var value: UInt32 = 0

    @inlinable package init() {}

    @inlinable package var wrappedValue: Int {
        get { Int(value) }
        set { value = UInt32(truncatingIfNeeded: newValue) }
    }
}

/// The distinct texts of a column, or of adjacent columns, each with a number.
///
/// The meaning of a row's columns is determined once for each distinct text, and later found by comparing bytes, so
/// that a level is interpreted, or a category tested, only a few hundred times per gigabyte. The table holds up to
/// `maximum` texts, such as ``LogLimit/columns``; the number 0 represents all others.
package struct InternedColumns {
    /// The texts, followed by zeros so that the last text can be compared word by word.
    private var bytes: [UInt8]
    private var used = 0
    /// The offset in `bytes`, the length and the hash of each text.
    private var texts: [(offset: UInt32, length: UInt32, hash: UInt64)] = [(0, 0, 0)]
    private var slots = SlotTable(slots: 1024)
    private let maximum: Int
    /// The maximum length of a text, in bytes; no service writes a longer text.
    private static let maximumBytes = 4096

    package init(maximum: Int) {
        self.maximum = maximum
        bytes = Array(repeating: 0, count: 4096)
    }

    /// The number of texts, including the number 0.
    package var count: Int { texts.count }

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
    package subscript(number: Int) -> ArraySlice<UInt8> {
        let text = texts[number]
        return bytes[Int(text.offset)..<Int(text.offset) + Int(text.length)]
    }

    /// Adds a text from another table if it is new, and returns its number in this table; 0 if there is no room for it.
    package mutating func take(_ number: Int, of other: InternedColumns) -> Int {
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

/// The words of a row whose tabs are in the positions that result from the service's padding.
private struct RowWords {
    /// The number of bytes examined.
    static let length = 176
    /// The offset of the event ID, and the maximum number of bytes in the event ID and the level, including their tabs.
    private static let eventStart = 134
    private static let endingLength: UInt32 = 24

    /// The process column: its first 32 bytes, and the rest.
    let process: SIMD4<UInt64>
    let processRest: UInt64
    let processHash: UInt64
    /// The bytes from the area's tab to the first byte of the event ID.
    let middle: SIMD8<UInt64>
    /// The bytes from the event ID to the tab after the level, followed by zeros.
    let ending: SIMD2<UInt64>
    let endingRest: UInt64
    /// The offsets of the tabs after the event ID and the level.
    let eventEnd: UInt32
    let levelEnd: UInt32

    /// Reads the words; `nil` unless tabs are in the expected positions.
    ///
    /// If the words are known, there are no tabs elsewhere. There is no line end either: known words contain none, and
    /// the thread, which is not compared, contains only bytes with bit 5 or bit 6 set.
    @inline(__always)
    init?(_ row: borrowing ByteWindow) {
        let thread = row.word(64)
        guard thread & 0xFF00_0000_0000_00FF == 0x0900_0000_0000_0009,
            (thread | thread &<< 1) & 0x0040_4040_4040_4000 == 0x0040_4040_4040_4000,
            row[102] == 0x09, row[133] == 0x09
        else { return nil }
        let start = Self.eventStart
        let tabs = row.bits(of: 0x09, start) | row.bits(of: 0x09, start &+ 16) &<< 16
        let eventLength = UInt32(truncatingIfNeeded: tabs.trailingZeroBitCount)
        let length = UInt32(truncatingIfNeeded: (tabs & (tabs &- 1)).trailingZeroBitCount)
        guard length < Self.endingLength else { return nil }
        eventEnd = UInt32(truncatingIfNeeded: start) &+ eventLength
        levelEnd = UInt32(truncatingIfNeeded: start) &+ length
        // The tab is included because zeros may occur in a text.
        ending = row.vector(start).first(length &+ 1, at: 0)
        endingRest = row.vector(start &+ 16).first(length &+ 1, at: 16)[0]
        process = row.words(24)
        processRest = row.word(56)
        processHash = .cacheHash(row.word(24) ^ row.word(40), row.word(32))
        middle = row.words(71)
    }

    var endingHash: UInt64 { .cacheHash(ending[0], ending[1]) }
}

extension SIMD16<UInt8> {
    /// Returns the bytes whose position, counted from `start`, is below `count`, followed by zeros; `count` is at most
    /// 127.
    @inline(__always)
    fileprivate func first(_ count: UInt32, at start: Int8) -> SIMD2<UInt64> {
        let lanes = SIMD16<Int8>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
        let places = lanes &+ SIMD16<Int8>(repeating: start)
        let isBehind = places .>= SIMD16<Int8>(repeating: Int8(truncatingIfNeeded: count))
        return unsafe unsafeBitCast(replacing(with: 0, where: isBehind), to: SIMD2<UInt64>.self)
    }
}

/// A parser of padded rows whose columns have all been seen before; other rows are left to ``RowParser``.
///
/// The numbers of the columns are in caches where a text has one or two possible places, so a lookup needs no search;
/// evicted texts are still in the tables. The caches are small, because only a few hundred entries are in constant use.
struct FastRowParser {
    private struct Process {
        var words = SIMD4<UInt64>()
        var rest: UInt64 = 0
        var number: UInt32 = 0
    }

    private struct Entry {
        var ending = SIMD2<UInt64>()
        var endingRest: UInt64 = 0
        var number: UInt32 = 0
        var low = SIMD4<UInt64>()
        var high = SIMD4<UInt64>()
    }

    private var processes = Array(repeating: Process(), count: 512)
    /// The entries in order of appearance, so that frequent ones are close together.
    private var entries = [Entry()]
    private static let maximumEntries = 4096
    /// The number of bytes before the tab that follows the time.
    static let timeLength = 23
    /// The entries by hash; 0 means none.
    private var slots = Array(repeating: UInt16(0), count: 4096)
    /// The facts known about a row with padded columns.
    struct Known {
        /// The numbers of the process column, and of the columns from area to level.
        var process: UInt32 = 0
        var columns: UInt32 = 0
        /// The offsets in the row of the tabs after the event ID and the level; no line end precedes them.
        var eventEnd: UInt32 = 0
        var levelEnd: UInt32 = 0

        /// The value for a row that isn't padded, or that has a column that has not been seen before.
        static let nothing = Known()
    }

    /// Finds the columns of the row that begins at `start`.
    // A separate function, because the optimizer gives up on one that does all the work for a row.
    @inline(never)
    mutating func find(_ window: borrowing ByteWindow, at start: Int) -> Known {
        guard let row = RowWords(window.part(from: start, count: RowWords.length)),
            let process = process(of: row), let columns = columns(of: row)
        else { return .nothing }
        return Known(process: process, columns: columns, eventEnd: row.eventEnd, levelEnd: row.levelEnd)
    }

    /// Returns the number of the process column, if it is known.
    @inline(__always)
    private func process(of row: borrowing RowWords) -> UInt32? {
        let known = processes[Self.processSlot(of: row)]
        let difference = row.process ^ known.words
        let half = difference.lowHalf | difference.highHalf
        return half[0] | half[1] | (row.processRest ^ known.rest) == 0 ? known.number : nil
    }

    /// Returns the number of the area, category, event ID and level, if they are known.
    @inline(__always)
    private func columns(of row: borrowing RowWords) -> UInt32? {
        let slot = Self.slot(of: row)
        if let number = columns(of: row, in: entries[Int(slots[slot])]) { return number }
        return columns(of: row, in: entries[Int(slots[slot ^ 1])])
    }

    @inline(__always)
    private func columns(of row: borrowing RowWords, in entry: Entry) -> UInt32? {
        guard row.ending == entry.ending, row.endingRest == entry.endingRest,
            Self.difference(row.middle, SIMD8(lowHalf: entry.low, highHalf: entry.high)) == 0
        else { return nil }
        return entry.number
    }

    /// Caches the columns of a row that was split at its tabs, if it is padded.
    mutating func learn(_ window: borrowing ByteWindow, _ fields: RowFields) {
        let start = fields.start
        // The number 0 represents many texts, each of which is examined again.
        guard fields.columns != 0, fields.process != 0, fields.timeEnd - start == Self.timeLength,
            fields.processEnd - start == 64,
            fields.threadEnd - start == 71, fields.areaEnd - start == 102, fields.categoryEnd - start == 133,
            let row = RowWords(window.part(from: start, count: RowWords.length)),
            start + Int(row.eventEnd) == fields.eventEnd, start + Int(row.levelEnd) == fields.levelEnd
        else { return }
        if process(of: row) != nil, self.columns(of: row) != nil { return }
        processes[Self.processSlot(of: row)] = Process(
            words: row.process,
            rest: row.processRest,
            number: UInt32(fields.process)
        )
        guard entries.count < Self.maximumEntries else { return }
        entries.append(
            Entry(
                ending: row.ending,
                endingRest: row.endingRest,
                number: UInt32(fields.columns),
                low: row.middle.lowHalf,
                high: row.middle.highHalf
            )
        )
        // The entry in this place moves to the other place and evicts the entry there.
        let slot = Self.slot(of: row)
        slots[slot ^ 1] = slots[slot]
        slots[slot] = UInt16(entries.count - 1)
    }

    @inline(__always)
    private static func difference(_ one: SIMD8<UInt64>, _ other: SIMD8<UInt64>) -> UInt64 {
        let difference = one ^ other
        let half = difference.lowHalf | difference.highHalf
        let quarter = half.lowHalf | half.highHalf
        return quarter[0] | quarter[1]
    }

    @inline(__always)
    private static func processSlot(of row: borrowing RowWords) -> Int {
        Int(truncatingIfNeeded: row.processHash) & 511
    }

    @inline(__always)
    private static func slot(of row: borrowing RowWords) -> Int {
        Int(truncatingIfNeeded: row.endingHash) & 4095
    }
}

/// A reader of times in the formats of rows and exports, which works digit by digit and independently of any culture.
package struct TimestampText: ~Escapable {
    /// A length, in bytes, that no time reaches, even with its mark.
    static let maximumLength = 48

    private let window: ByteWindow
    package private(set) var offset: Int
    private let end: Int

    @_lifetime(copy window)
    package init(_ window: borrowing ByteWindow, from start: Int, to end: Int) {
        self.window = copy window
        offset = start
        self.end = end
    }

    /// Reads `MM/dd/yyyy HH:mm:ss.ff` as local, and `yyyy-MM-dd HH:mm:ss.ff`, also with a `T` or a `Z`, as UTC.
    ///
    /// The method also reads `MM.dd.yyyy` and `MM-dd-yyyy`, because the service uses the date separator of the server's
    /// language but keeps the order of month and day. To support exports, the month, day and hour may have one or two
    /// digits, and the fraction may have up to three (more are dropped) and follow a comma.
    package mutating func timestamp() -> (clock: Int64, isUTC: Bool)? {
        let start = offset
        if let date = usDate() {
            guard skip(0x20), let time = timeOfDay() else { return nil }
            return (date + time, false)
        }
        offset = start
        guard let date = isoDate(), skip(0x20) || skip(0x54), let time = timeOfDay() else { return nil }
        _ = skip(0x5A)
        return (date + time, true)
    }

    mutating func usDate() -> Int64? {
        guard let first = number(digits: 1...2), let sign = dateSign(), let second = number(digits: 1...2), skip(sign),
            let year = number(digits: 4...4)
        else { return nil }
        // Other programs put the day first, which is recognizable only if the number can't be a month.
        let isDayFirst = first > 12 && sign != 0x2F
        let (month, day) = isDayFirst ? (second, first) : (first, second)
        return CivilDate(year: year, month: Int(month), day: Int(day)).map { $0.days * CivilDate.dayLength }
    }

    /// Reads the separator between the parts of a date: `/`, `.` or `-`.
    private mutating func dateSign() -> UInt8? { [0x2F, 0x2E, 0x2D].first { skip($0) } }

    private mutating func isoDate() -> Int64? {
        guard let year = number(digits: 4...4), skip(0x2D), let month = number(digits: 1...2), skip(0x2D),
            let day = number(digits: 1...2)
        else { return nil }
        return CivilDate(year: year, month: Int(month), day: Int(day)).map { $0.days * CivilDate.dayLength }
    }

    mutating func hourAndMinute() -> Int64? {
        guard let hour = number(digits: 1...2), hour < 24, skip(0x3A), let minute = number(digits: 2...2), minute < 60
        else { return nil }
        return (hour * 60 + minute) * 60_000
    }

    package mutating func timeOfDay() -> Int64? {
        guard let minutes = hourAndMinute(), skip(0x3A), let second = number(digits: 2...2), second < 60 else {
            return nil
        }
        return minutes + second * 1000 + (skip(0x2E) || skip(0x2C) ? fraction() : 0)
    }

    /// Reads ` AM` or ` PM` after a time, as written with some regional settings, and returns the milliseconds to add
    /// to the time.
    package mutating func halfOfDay(of clock: Int64) -> Int64 {
        skipBlanks()
        let isMorning = skip(UInt8(ascii: "A")) || skip(UInt8(ascii: "a"))
        guard isMorning || skip(UInt8(ascii: "P")) || skip(UInt8(ascii: "p")),
            skip(UInt8(ascii: "M")) || skip(UInt8(ascii: "m"))
        else { return 0 }
        let half: Int64 = 12 * 3_600_000
        let isTwelve = clock % (2 * half) / 3_600_000 == 12
        return isMorning ? isTwelve ? -half : 0 : isTwelve || clock % (2 * half) >= half ? 0 : half
    }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard offset < end, window[offset] == byte else { return false }
        offset += 1
        return true
    }

    /// Skips spaces and no-break spaces, which viewers use as padding.
    mutating func skipBlanks() {
        while offset < end {
            if window[offset] == 0x20 {
                offset += 1
            } else if end - offset >= 2, window[offset] == 0xC2, window[offset + 1] == 0xA0 {
                offset += 2
            } else {
                return
            }
        }
    }

    private mutating func number(digits: ClosedRange<Int>) -> Int64? {
        var value: Int64 = 0
        let start = offset
        while offset < end, offset - start < digits.upperBound, window[offset] &- 0x30 <= 9 {
            value = value * 10 + Int64(window[offset] &- 0x30)
            offset += 1
        }
        return digits.contains(offset - start) ? value : nil
    }

    /// Reads the milliseconds of a fraction.
    private mutating func fraction() -> Int64 {
        var value: Int64 = 0
        var weight: Int64 = 100
        while offset < end, window[offset] &- 0x30 <= 9 {
            value += Int64(window[offset] &- 0x30) * weight
            weight /= 10
            offset += 1
        }
        return value
    }
}

/// The process column: `w3wp.exe (0x1790)`, or `w3wp.exe (SERVER:0x1790)` in merged logs.
package struct ProcessColumn: Equatable {
    /// The program, followed by `#` and a service, if any.
    package var name: Range<Int>
    package var server: Range<Int>?
    /// The process ID, such as `0x1790`.
    package var id: Range<Int>?

    /// Splits a column; `range` excludes the padding.
    ///
    /// If a column does not end with an ID in parentheses, all of it is a name, because names are truncated to 31
    /// characters.
    package static func parse(_ window: borrowing ByteWindow, _ range: Range<Int>) -> ProcessColumn {
        guard range.count > 2, window[range.upperBound - 1] == UInt8(ascii: ")") else {
            return ProcessColumn(name: range)
        }
        var open = range.upperBound - 1
        while open > range.lowerBound, window[open] != UInt8(ascii: "(") { open -= 1 }
        guard window[open] == UInt8(ascii: "(") else { return ProcessColumn(name: range) }
        let inside = open + 1..<range.upperBound - 1
        var column = ProcessColumn(name: window.trimmed(range.lowerBound..<open))
        // Search from the right, because an ID contains no colon, whereas a server's name might.
        var colon = inside.upperBound - 1
        while colon > inside.lowerBound, window[colon] != UInt8(ascii: ":") { colon -= 1 }
        if inside.contains(colon), window[colon] == UInt8(ascii: ":") {
            let server = window.trimmed(inside.lowerBound..<colon)
            column.server = server.isEmpty ? nil : server
            column.id = window.trimmed(colon + 1..<inside.upperBound)
        } else {
            column.id = window.trimmed(inside)
        }
        return column
    }
}
