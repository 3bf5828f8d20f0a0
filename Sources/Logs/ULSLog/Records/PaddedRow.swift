/// The words of a row that has its tabs where the service's padding puts them.
struct PaddedRow {
    /// The bytes that are looked at, and the least that such a row has.
    static let length = 176
    static let minimumLength = 147

    /// The process column.
    let process: (UInt64, UInt64, UInt64, UInt64, UInt64)
    /// From the area's tab to the first byte of the event ID.
    let middle: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
    let event: UInt64
    /// The level with its padding: its first eight bytes, and those behind.
    let level: UInt64
    let levelRest: UInt64
    /// Offsets of the tabs behind the event ID and the level.
    let eventEnd: Int
    let levelEnd: Int

    /// `nil` unless tabs stand where they must; that none stands elsewhere is known when the words are.
    @inline(__always)
    init?(_ row: borrowing ByteWindow) {
        guard row.word(64).tabs == 0x8000_0000_0000_0080, row[102] == 0x09, row[133] == 0x09 else { return nil }
        let eventWord = row.word(134)
        let eventLength = eventWord.firstTab
        guard eventLength < 8 else { return nil }
        // With the tab: zeros may stand in a text.
        event = eventWord & .lowBytes(eventLength &+ 1)
        eventEnd = 134 &+ eventLength
        let levelWord = row.word(eventEnd &+ 1)
        let levelLength = levelWord.firstTab
        if levelLength < 8 {
            level = levelWord & .lowBytes(levelLength &+ 1)
            levelRest = 0
            levelEnd = eventEnd &+ 1 &+ levelLength
        } else {
            let rest = row.word(eventEnd &+ 9)
            let restLength = rest.firstTab
            guard restLength < 8 else { return nil }
            level = levelWord
            levelRest = rest & .lowBytes(restLength &+ 1)
            levelEnd = eventEnd &+ 9 &+ restLength
        }
        process = (row.word(24), row.word(32), row.word(40), row.word(48), row.word(56))
        middle = (
            row.word(71), row.word(79), row.word(87), row.word(95), row.word(103), row.word(111), row.word(119),
            row.word(127)
        )
    }
}

/// The numbers of columns that were seen in a padded row.
///
/// Caches in which a text has one or two places, so that looking costs no search; what was pushed out is in the tables.
/// They are kept small: a few hundred entries of them are looked at all the time.
struct PaddedColumns {
    typealias Middle = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

    private struct Process {
        var words: (UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0)
        var number: UInt32 = 0
    }

    private struct Entry {
        var event: UInt64 = 0
        var level: UInt64 = 0
        var levelRest: UInt64 = 0
        var number: UInt32 = 0
        /// Which of the middles belongs to it.
        var middle: UInt32 = 0
    }

    private var processes = Array(repeating: Process(), count: 512)
    /// In order of appearance, so that the frequent ones stand together.
    private var entries = [Entry()]
    private static let maximumEntries = 4096
    /// The entry of a hash; 0 is none.
    private var slots = Array(repeating: UInt16(0), count: 4096)
    /// Areas and categories.
    private var middles: [Middle] = [(0, 0, 0, 0, 0, 0, 0, 0)]
    private var middleSlots = Array(repeating: UInt16(0), count: 256)
    private static let maximumMiddles = 4096

    /// The number of the process column, if it is known.
    @inline(__always)
    func process(of row: borrowing PaddedRow) -> Int? {
        let slot = Self.processSlot(of: row)
        let other = processes[slot].words
        let difference =
            (row.process.0 ^ other.0) | (row.process.1 ^ other.1) | (row.process.2 ^ other.2)
            | (row.process.3 ^ other.3) | (row.process.4 ^ other.4)
        return difference == 0 ? Int(processes[slot].number) : nil
    }

    /// The number of area, category, event ID and level, if they are known.
    @inline(__always)
    func columns(of row: borrowing PaddedRow) -> Int? {
        let slot = Self.slot(of: row)
        if let number = columns(of: row, in: entries[Int(slots[slot])]) { return number }
        return columns(of: row, in: entries[Int(slots[slot ^ 1])])
    }

    @inline(__always)
    private func columns(of row: borrowing PaddedRow, in entry: Entry) -> Int? {
        let difference = (row.event ^ entry.event) | (row.level ^ entry.level) | (row.levelRest ^ entry.levelRest)
        guard difference == 0, Self.difference(row.middle, middles[Int(entry.middle)]) == 0 else { return nil }
        return Int(entry.number)
    }

    /// Keeps the columns of a row that was split by its tabs, if it is padded.
    mutating func learn(_ window: borrowing ByteWindow, _ fields: RowFields) {
        let start = fields.start
        // Number 0 is many texts: each of them is looked at anew.
        guard fields.columns != 0, fields.process != 0, fields.timeEnd - start == 23, fields.processEnd - start == 64,
            fields.threadEnd - start == 71, fields.areaEnd - start == 102, fields.categoryEnd - start == 133,
            fields.end - start >= PaddedRow.minimumLength,
            let row = PaddedRow(window.part(from: start, count: PaddedRow.length)),
            start + row.eventEnd == fields.eventEnd, start + row.levelEnd == fields.levelEnd
        else { return }
        if process(of: row) != nil, self.columns(of: row) != nil { return }
        processes[Self.processSlot(of: row)] = Process(words: row.process, number: UInt32(fields.process))
        guard middles.count < Self.maximumMiddles, entries.count < Self.maximumEntries else { return }
        let middleSlot = Int(truncatingIfNeeded: UInt64.mixed(row.middle.4 ^ row.middle.0, row.middle.5)) & 255
        if Self.difference(row.middle, middles[Int(middleSlots[middleSlot])]) != 0 {
            middleSlots[middleSlot] = UInt16(middles.count)
            middles.append(row.middle)
        }
        entries.append(
            Entry(
                event: row.event,
                level: row.level,
                levelRest: row.levelRest,
                number: UInt32(fields.columns),
                middle: UInt32(middleSlots[middleSlot])
            )
        )
        // What is there moves to the other place, whose own goes.
        let slot = Self.slot(of: row)
        slots[slot ^ 1] = slots[slot]
        slots[slot] = UInt16(entries.count - 1)
    }

    @inline(__always)
    private static func difference(_ one: Middle, _ other: Middle) -> UInt64 {
        let first = (one.0 ^ other.0) | (one.1 ^ other.1) | (one.2 ^ other.2) | (one.3 ^ other.3)
        let second = (one.4 ^ other.4) | (one.5 ^ other.5) | (one.6 ^ other.6) | (one.7 ^ other.7)
        return first | second
    }

    @inline(__always)
    private static func processSlot(of row: borrowing PaddedRow) -> Int {
        Int(truncatingIfNeeded: UInt64.mixed(row.process.0 ^ row.process.2, row.process.1)) & 511
    }

    @inline(__always)
    private static func slot(of row: borrowing PaddedRow) -> Int {
        Int(truncatingIfNeeded: UInt64.mixed(row.event, row.level)) & 4095
    }
}
