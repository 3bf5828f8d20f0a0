/// The words of a row whose tabs are where the service's padding puts them.
private struct RowWords {
    /// The number of bytes examined.
    static let length = 176
    /// The offset of the event ID, and the most bytes that it and the level take with their tabs.
    private static let eventStart = 134
    private static let endingLength: UInt32 = 24

    /// The process column: its first 32 bytes, and the rest.
    let process: SIMD4<UInt64>
    let processRest: UInt64
    let processHash: UInt64
    /// The bytes from the area's tab to the first byte of the event ID.
    let middle: SIMD8<UInt64>
    /// The bytes from the event ID to the tab after the level, then zeros.
    let ending: SIMD2<UInt64>
    let endingRest: UInt64
    /// Offsets of the tabs after the event ID and the level.
    let eventEnd: UInt32
    let levelEnd: UInt32

    /// Reads the words; `nil` unless tabs are where they must be.
    ///
    /// Once the words are known, there are no tabs elsewhere. Nor is there a line end: known words hold none, and the
    /// thread, which is not compared, holds only bytes with bit 5 or bit 6 set.
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
        // The tab is included, because zeros may occur in a text.
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
    /// Returns the bytes whose position, counted from `start`, is below `count`, then zeros; `count` is 127 at most.
    @inline(__always)
    fileprivate func first(_ count: UInt32, at start: Int8) -> SIMD2<UInt64> {
        let lanes = SIMD16<Int8>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
        let places = lanes &+ SIMD16<Int8>(repeating: start)
        let isBehind = places .>= SIMD16<Int8>(repeating: Int8(truncatingIfNeeded: count))
        return unsafe unsafeBitCast(replacing(with: 0, where: isBehind), to: SIMD2<UInt64>.self)
    }
}

/// A parser of padded rows whose columns were all seen before; other rows are left to ``RowParser``.
///
/// The numbers of the columns are in caches in which a text has one or two places, so a lookup needs no search; evicted
/// texts are still in the tables. The caches are small: a few hundred of their entries are in use all the time.
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
    /// Entries in order of appearance, so that the frequent ones are close together.
    private var entries = [Entry()]
    private static let maximumEntries = 4096
    /// Bytes before the tab after the time.
    static let timeLength = 23
    /// The entries by hash; 0 means none.
    private var slots = Array(repeating: UInt16(0), count: 4096)
    /// The facts known about a row with padded columns.
    struct Known {
        /// The numbers of the process column, and of area to level.
        var process: UInt32 = 0
        var columns: UInt32 = 0
        /// Offsets in the row of the tabs after the event ID and the level; no line end precedes them.
        var eventEnd: UInt32 = 0
        var levelEnd: UInt32 = 0

        /// The value for a row that isn't padded, or has a column not seen before.
        static let nothing = Known()
    }

    /// Finds the columns of the row that begins at `start`.
    // A separate function, because the optimizer gives up on one that does all the work for a row.
    @inline(never)
    mutating func find(_ window: borrowing ByteWindow, at start: Int) -> Known {
        guard let row = RowWords(window.part(from: start, count: RowWords.length)),
            let process = process(of: row), let columns = columns(of: row)
        else { return .nothing }
        return Known(
            process: process,
            columns: columns,
            eventEnd: row.eventEnd,
            levelEnd: row.levelEnd
        )
    }

    /// Returns the number of the process column, if it is known.
    @inline(__always)
    private func process(of row: borrowing RowWords) -> UInt32? {
        let known = processes[Self.processSlot(of: row)]
        let difference = row.process ^ known.words
        let half = difference.lowHalf | difference.highHalf
        return half[0] | half[1] | (row.processRest ^ known.rest) == 0 ? known.number : nil
    }

    /// Returns the number of area, category, event ID and level, if they are known.
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
        // Number 0 stands for many texts, each of which is examined anew.
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
        // The entry in this place moves to the other one, and evicts the entry there.
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
