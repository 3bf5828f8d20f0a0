/// A sink that counts the records of a work unit.
struct SummarySink: UnitSink {
    private let selection: Selection
    private var meanings: ColumnMeanings
    private var times: RecordTimes
    /// Counts by number of columns.
    private var counts: [Int] = []
    /// Counts by number of the correlation.
    private var correlations: [CorrelationCount] = []
    private var pending = PendingCounts()
    private var timelines: ServerTimelines
    private var minutes: [MinuteCount] = []
    private var minute = MinuteCount(number: .min)
    /// The minute's first millisecond; before any, that of a minute in which no row can be.
    private var minuteStart = Int64.min
    private var splits: [SplitRow] = []
    private var scopes = ScopeTable()
    /// Events over time by level, if they are wanted.
    private var timeline: TimelineBuilder?
    private var records = 0
    private var span = TimeSpan()
    private var incomparable = 0
    /// Whether no record is left out because of its correlation or its time.
    private let isUnbounded: Bool
    private let text: LogText

    init(_ text: LogText, selection: Selection, gapMinimum: Int64) {
        self.text = text
        self.selection = selection
        timelines = ServerTimelines(gapMinimum: gapMinimum)
        meanings = ColumnMeanings(filter: selection.filter, server: text.server, zones: selection.zones)
        times = RecordTimes(window: selection.window)
        timeline = selection.countsLevelsOverTime ? TimelineBuilder() : nil
        isUnbounded = selection.filter.correlations.isEmpty && selection.window.isAll
    }

    @inline(__always)
    mutating func take(_ window: borrowing ByteWindow, _ fields: RowFields) {
        meanings.note(window, fields)
        let process = meanings.processes[fields.process]
        if !times.holds(for: fields, server: process.server) {
            times.resolve(fields, server: process.server, meanings.serverZones[process.server])
        }
        let time = times.time(of: fields)
        if fields.timeQuality == nil {
            timelines.add(time, server: process.server, isUTC: fields.isUTC, meanings)
        }
        let columns = meanings.columns[fields.columns]
        guard columns.isWanted, process.isWanted, isUnbounded || wants(fields) else { return }
        records &+= 1
        span.add(time)
        if let split = SplitMessage(window, fields) {
            keep(window, fields, split, time)
            if case .part = split { return }
        }
        count(fields, time, columns.rank)
        if fields.timeQuality == nil {
            count(time, columns.rank)
            if timeline?.add(time, rank: columns.rank, server: process.server) == false {
                let name = meanings.servers[process.server]
                timeline?.begin(time, rank: columns.rank, server: process.server, name: name)
            }
        }
        if columns.isScope { countScope(window, fields) }
    }

    mutating func drain() -> SummaryTables? { nil }

    consuming func finish(_ parser: borrowing RowParser) -> SummaryTables {
        countPending()
        for (number, id) in zip(correlations.indices, parser.correlations.ids) { correlations[number].id = id }
        if minute.events > 0 { minutes.append(minute) }
        return SummaryTables(
            columns: parser.columns,
            counts: counts,
            correlations: correlations.filter { $0.count > 0 },
            servers: timelines.finish(),
            minutes: minutes,
            splits: splits,
            scopes: scopes,
            timeline: timeline,
            records: records,
            times: span,
            incomparable: incomparable,
            overflow: parser.overflow.columns
        )
    }

    /// Returns whether correlation and time are wanted.
    @inline(never)
    private mutating func wants(_ fields: RowFields) -> Bool {
        if !selection.filter.correlations.isEmpty,
            !fields.hasCorrelation || !selection.filter.wants(fields.correlation)
        {
            return false
        }
        switch times.membership(ofClock: fields.clock) {
        case .inside: return true
        case .outside: return false
        case .incomparable:
            incomparable += 1
            return false
        }
    }

    @inline(__always)
    private mutating func count(_ fields: RowFields, _ time: PackedTime, _ rank: UInt8) {
        if fields.columns >= counts.count || fields.correlationNumber >= correlations.count { makeRoom(fields) }
        if pending.isFull { countPending() }
        pending.append(
            PendingCounts.Row(
                time: time,
                columns: UInt32(truncatingIfNeeded: fields.columns),
                correlation: UInt32(truncatingIfNeeded: fields.correlationNumber),
                rank: rank
            )
        )
    }

    @inline(never)
    private mutating func countPending() { pending.count(in: &counts, &correlations) }

    @inline(never)
    private mutating func makeRoom(_ fields: RowFields) {
        if fields.columns >= counts.count { counts.append(contentsOf: repeatElement(0, count: fields.columns + 64)) }
        let missing = fields.correlationNumber &- correlations.count &+ 1
        if missing > 0 { correlations.append(contentsOf: repeatElement(.nothing, count: missing &+ 255)) }
    }

    @inline(__always)
    private mutating func count(_ time: PackedTime, _ rank: UInt8) {
        if UInt64(bitPattern: time.instant &- minuteStart) >= 60_000 { turnMinute(time) }
        minute.events &+= 1
        if rank <= 3 { minute.abnormal &+= 1 }
    }

    @inline(never)
    private mutating func turnMinute(_ time: PackedTime) {
        if minute.events > 0 { minutes.append(minute) }
        minute = MinuteCount(number: time.instant.flooredQuotient(by: 60_000))
        minuteStart = minute.number &* 60_000
    }

    @inline(never)
    private mutating func countScope(_ window: borrowing ByteWindow, _ fields: RowFields) {
        let text = window.span(window.trimmed(fields.message))
        guard let message = ScopeMessage.parse(text), let name = message.name else { return }
        switch message.kind {
        case .entering: scopes.entered(name: text.extracting(name))
        // A cut one is counted after it was joined.
        case .leaving where splits.last?.position == fields.position: break
        case .leaving(let duration): scopes.left(name: text.extracting(name), duration: duration)
        }
    }

    @inline(never)
    private mutating func keep(
        _ window: borrowing ByteWindow,
        _ fields: RowFields,
        _ split: SplitMessage,
        _ time: PackedTime
    ) {
        let server = meanings.server(of: fields)
        let columns = meanings.columns[fields.columns]
        splits.append(
            SplitRow(
                message: split,
                key: window.partKey(fields, server: server),
                position: fields.position,
                columns: fields.columns,
                rank: columns.rank,
                correlation: fields.correlation,
                time: time,
                server: server,
                scope: columns.isScope
                    ? SplitRow.Scope(ULSEvent(window, fields, time: time.time, server: server, file: text.name)) : nil
            )
        )
    }
}

/// Tables counted in a work unit.
struct SummaryTables: Sendable {
    /// The texts behind the numbers of columns: area to level, with tabs and padding.
    var columns: InternedColumns
    /// Events by number of columns.
    var counts: [Int]
    var correlations: [CorrelationCount]
    var servers: [ServerTimeline]
    var minutes: [MinuteCount]
    var splits: [SplitRow]
    var scopes: ScopeTable
    /// Events over time by level, if they are wanted.
    var timeline: TimelineBuilder?
    /// Rows selected.
    var records: Int
    /// The times of the selected rows.
    var times: TimeSpan
    var incomparable: Int
    /// Records whose columns a full table could not tell apart.
    var overflow: Int
}

/// Events within a minute, or within another step of time.
struct MinuteCount: Sendable {
    /// The step's number since 1970.
    var number: Int64
    var events = 0
    var abnormal = 0
}

/// A row that may be part of a longer message: only whoever sees all units can tell.
struct SplitRow: Sendable {
    var message: SplitMessage
    var key: UInt64
    /// Offset in its unit, in bytes.
    var position: Int64
    /// What the row adds to the counts as a separate event.
    var columns: Int
    var rank: UInt8
    var correlation: CorrelationID
    var time: PackedTime
    var server: String?
    /// The row itself if it is that of a scope: its name and duration may be in two rows.
    var scope: Scope?

    /// The row of a scope: an object, because it is large, and hardly any split row is one.
    final class Scope: Sendable {
        let event: ULSEvent

        init(_ event: consuming ULSEvent) { self.event = event }
    }
}

/// Rows waiting to be counted, a few dozen at a time.
///
/// Accessing a table takes as long as counting a row in it, so that is done once for many rows.
private struct PendingCounts {
    /// The values counted of a row.
    struct Row {
        var time = PackedTime(clock: 0, lowBits: 0, offset: 0)
        /// Numbers of columns and correlation; correlation 0 is none.
        var columns: UInt32 = 0
        var correlation: UInt32 = 0
        var rank: UInt8 = 0
    }

    private static let maximum = 64

    private var rows = InlineArray<64, Row>(repeating: Row())
    private var count = 0

    /// Whether the rows must be counted before the next one is added.
    var isFull: Bool { count >= Self.maximum }

    @inline(__always)
    mutating func append(_ row: Row) {
        rows[count] = row
        count &+= 1
    }

    /// Counts the rows in tables that have room for all their numbers.
    mutating func count(in columns: inout [Int], _ correlations: inout [CorrelationCount]) {
        var columns = columns.mutableSpan
        var correlations = correlations.mutableSpan
        for index in 0..<count {
            let row = rows[index]
            columns[Int(row.columns)] &+= 1
            if row.correlation != 0 { correlations[Int(row.correlation)].add(row.time, rank: row.rank) }
        }
        count = 0
    }
}
