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
/// Two caches in which a text has one place, so that looking costs no search; what was pushed out is found in the tables.
struct PaddedColumns {
    private struct Process {
        var words: (UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0)
        var number = 0
    }

    private struct Entry {
        var middle: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)
        var event: UInt64 = 0
        var level: UInt64 = 0
        var levelRest: UInt64 = 0
        var number = 0
    }

    private var processes = Array(repeating: Process(), count: 256)
    private var entries = Array(repeating: Entry(), count: 4096)

    /// The number of the process column, if it is known.
    @inline(__always)
    func process(of row: borrowing PaddedRow) -> Int? {
        let slot = Self.processSlot(of: row)
        let other = processes[slot].words
        let difference =
            (row.process.0 ^ other.0) | (row.process.1 ^ other.1) | (row.process.2 ^ other.2)
            | (row.process.3 ^ other.3) | (row.process.4 ^ other.4)
        return difference == 0 ? processes[slot].number : nil
    }

    /// The number of area, category, event ID and level, if they are known.
    @inline(__always)
    func columns(of row: borrowing PaddedRow) -> Int? {
        let slot = Self.slot(of: row)
        let other = entries[slot].middle
        let one =
            (row.middle.0 ^ other.0) | (row.middle.1 ^ other.1) | (row.middle.2 ^ other.2) | (row.middle.3 ^ other.3)
        let two =
            (row.middle.4 ^ other.4) | (row.middle.5 ^ other.5) | (row.middle.6 ^ other.6) | (row.middle.7 ^ other.7)
        let three =
            (row.event ^ entries[slot].event) | (row.level ^ entries[slot].level)
            | (row.levelRest ^ entries[slot].levelRest)
        return one | two | three == 0 ? entries[slot].number : nil
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
        processes[Self.processSlot(of: row)] = Process(words: row.process, number: fields.process)
        entries[Self.slot(of: row)] = Entry(
            middle: row.middle,
            event: row.event,
            level: row.level,
            levelRest: row.levelRest,
            number: fields.columns
        )
    }

    @inline(__always)
    private static func processSlot(of row: borrowing PaddedRow) -> Int {
        Int(truncatingIfNeeded: UInt64.mixed(row.process.0 ^ row.process.2, row.process.1)) & 255
    }

    @inline(__always)
    private static func slot(of row: borrowing PaddedRow) -> Int {
        Int(truncatingIfNeeded: UInt64.mixed(row.event, row.level)) & 4095
    }
}
