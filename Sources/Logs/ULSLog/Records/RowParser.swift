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
    private let seed = HashSeed()
    /// Texts that a full table did not take.
    private(set) var overflow = (processes: 0, columns: 0)

    init() {
        processes = ColumnTable(maximum: LogLimit.processes.maximum)
        columns = ColumnTable(maximum: LogLimit.columns.maximum)
    }

    /// Parses a record of one line as nearly all are: padded, of columns that came before, and with a GUID at its end.
    ///
    /// - Returns: `nil` for any other, which ``parse(_:_:lineEnd:into:)`` is for.
    @inline(__always)
    mutating func parsePadded(
        _ window: borrowing ByteWindow,
        _ row: RowStart,
        from start: Int,
        to end: Int,
        line: Int,
        position: Int64
    ) -> RowFields? {
        guard row.tab &- start == PaddedColumns.timeLength else { return nil }
        let known = padded.find(window, at: start)
        let levelEnd = start &+ Int(known.levelEnd)
        guard known.levelEnd != 0, let number = correlations.find(window, behind: levelEnd, to: end) else { return nil }
        var fields = RowFields(start: start, end: end, line: line)
        fields.position = position
        fields.take(row)
        fields.take(known)
        fields.correlationNumber = number
        fields.correlation = correlations.ids[number]
        fields.messageEnd = end &- CorrelationReader.textLength &- 1
        return fields
    }

    /// Parses a record; its first physical line ends at `lineEnd`, and it begins and ends as `fields` say.
    ///
    /// - Returns: False when there are fewer than eight columns.
    @inline(__always)
    mutating func parse(
        _ window: borrowing ByteWindow,
        _ row: RowStart,
        lineEnd: Int,
        into fields: inout RowFields
    ) -> Bool {
        fields.take(row)
        let isPadded = row.tab &- fields.start == PaddedColumns.timeLength
        let known = isPadded ? padded.find(window, at: fields.start) : .nothing
        if known.levelEnd != 0, fields.start &+ Int(known.levelEnd) < lineEnd {
            fields.take(known)
        } else {
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
        var hash = self.hash(window, from: process.lowerBound, to: process.upperBound)
        fields.process =
            processes.find(window, process, hash: hash) ?? processes.insert(window, process, hash: hash)
        if fields.process == 0 { overflow.processes += 1 }
        let columns = fields.threadEnd + 1..<fields.levelEnd
        // All of them: many areas and categories may share an event ID and a level.
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
    fileprivate mutating func take(_ known: PaddedColumns.Known) {
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
