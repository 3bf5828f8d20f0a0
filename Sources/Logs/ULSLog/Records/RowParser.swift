/// Splits a record into its columns.
///
/// The columns have tabs between them and, as the service writes them, padding: so the tabs stand at fixed offsets. Those
/// are tried first. That no tab stands elsewhere follows from the tables: a text that was seen before holds none.
struct RowParser {
    /// Different process columns.
    private(set) var processes: ColumnTable
    /// Different areas, categories, event IDs and levels, with the tabs between them.
    private(set) var columns: ColumnTable
    private(set) var correlations = CorrelationReader()
    private var padded = PaddedColumns()
    /// Texts that a full table did not take.
    private(set) var overflow = (processes: 0, columns: 0)

    init() {
        processes = ColumnTable(maximum: LogLimit.processes.maximum)
        columns = ColumnTable(maximum: LogLimit.columns.maximum)
    }

    /// Begins to parse the record at `fields.start`, before it is known where it ends.
    ///
    /// - Returns: An offset before which no line end stands.
    @inline(__always)
    mutating func begin(_ window: borrowing ByteWindow, _ row: RowStart, into fields: inout RowFields) -> Int {
        fields.clock = row.clock
        fields.isUTC = row.isUTC
        fields.isMarked = row.isMarked
        fields.timeEnd = row.tab
        if row.tab &- fields.start == 23 { padded.read(window, into: &fields) }
        return max(row.tab, fields.levelEnd)
    }

    /// Parses the rest of a record; its first physical line ends at `lineEnd`, and it ends at `fields.end`.
    ///
    /// - Returns: False when there are fewer than eight columns.
    @inline(__always)
    mutating func parse(_ window: borrowing ByteWindow, lineEnd: Int, into fields: inout RowFields) -> Bool {
        if fields.levelEnd == 0 || fields.levelEnd >= lineEnd {
            guard splitAny(window, lineEnd: lineEnd, into: &fields) else { return false }
        }
        correlations.read(window, into: &fields)
        return true
    }

    /// Any layout: seven tabs.
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
        padded.learn(window, fields)
        return true
    }

    /// Numbers the columns of a row that was laid out elsewhere, its correlation behind its message.
    mutating func complete(_ window: borrowing ByteWindow, _ fields: inout RowFields) {
        number(window, &fields)
        correlations.readColumn(window, fields.messageEnd + 1..<fields.end, into: &fields)
    }

    /// Numbers the columns of fields whose ends are known.
    private mutating func number(_ window: borrowing ByteWindow, _ fields: inout RowFields) {
        let process = fields.timeEnd + 1..<fields.processEnd
        var hash = Self.hash(window, from: process.lowerBound, to: process.upperBound)
        fields.process =
            processes.find(window, process, hash: hash) ?? processes.insert(window, process, hash: hash)
        if fields.process == 0 { overflow.processes += 1 }
        let columns = fields.threadEnd + 1..<fields.levelEnd
        // All of them: many areas and categories may share an event ID and a level.
        hash = Self.hash(window, from: columns.lowerBound, to: columns.upperBound)
        fields.columns =
            self.columns.find(window, columns, hash: hash) ?? self.columns.insert(window, columns, hash: hash)
        if fields.columns == 0 { overflow.columns += 1 }
    }

    @inline(__always)
    private static func hash(_ window: borrowing ByteWindow, from start: Int, to end: Int) -> UInt64 {
        var hash = UInt64(truncatingIfNeeded: end &- start)
        var offset = start
        while offset &+ 8 <= end {
            hash = .mixed(window.word(offset), hash)
            offset &+= 8
        }
        return .mixed(window.word(offset) & .lowBytes(end &- offset), hash)
    }
}
