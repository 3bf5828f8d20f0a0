import TextKit
import ULSRows

/// A sink that counts the records of a work unit.
struct SummarySink: UnitSink {
    private let selection: Selection
    private var meanings: ColumnMeanings
    private var times: RecordTimes
    /// The counts, by the number of the columns.
    private var counts: [Int] = []
    /// The counts, by the number of the correlation.
    private var correlations: [CorrelationCount] = []
    private var pending = PendingCounts()
    private var timelines: ServerTimelines
    private var minutes: [MinuteCount] = []
    private var minute = MinuteCount(number: .min)
    /// The first millisecond of the current minute; initially, that of a minute without rows.
    private var minuteStart = Int64.min
    private var splits: [SplitRow] = []
    private var scopes = ScopeTable()
    /// The events over time by level, if they are wanted.
    private var timeline: TimelineBuilder?
    private var records = 0
    private var span = TimeSpan()
    private var incomparable = 0
    /// Whether records are selected regardless of their correlations and times.
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
            if split.mayContinue { return }
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

    /// Returns whether a record's correlation and time are wanted.
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
        // A message that was cut is counted after its parts are joined.
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
                keys: window.partKeys(fields, split, server: server),
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

/// The tables of counts from a work unit.
struct SummaryTables: Sendable {
    /// The texts behind the numbers of columns: area to level, with tabs and padding.
    var columns: InternedColumns
    /// The number of events, by the number of the columns.
    var counts: [Int]
    var correlations: [CorrelationCount]
    var servers: [ServerTimeline]
    var minutes: [MinuteCount]
    var splits: [SplitRow]
    var scopes: ScopeTable
    /// The events over time by level, if they are wanted.
    var timeline: TimelineBuilder?
    /// The number of rows selected.
    var records: Int
    /// The times of the selected rows.
    var times: TimeSpan
    var incomparable: Int
    /// The number of records whose columns a full table could not distinguish.
    var overflow: Int
}

/// The number of events within a minute, or within another step of time.
struct MinuteCount: Sendable {
    /// The step's number since 1970.
    var number: Int64
    var events = 0
    var abnormal = 0
}

/// A row that may be part of a longer message, which can be decided only with a view of all units.
struct SplitRow: Sendable {
    var message: SplitMessage
    var keys: PartKeys
    /// The offset in its unit, in bytes.
    var position: Int64
    /// The contribution of the row to the counts as a separate event.
    var columns: Int
    var rank: UInt8
    var correlation: CorrelationID
    var time: PackedTime
    var server: String?
    /// The row itself, if it is a scope row, because the scope's name and duration may be in two rows.
    var scope: Scope?

    /// A scope row; this is a class because the row is large, and hardly any split row is a scope row.
    final class Scope: Sendable {
        let event: ULSEvent

        init(_ event: consuming ULSEvent) { self.event = event }
    }
}

/// A few dozen rows that are waiting to be counted.
///
/// Accessing a table takes as long as counting a row in it, so each table is accessed once for many rows.
private struct PendingCounts {
    /// The parts of a row that are counted.
    struct Row {
        var time = PackedTime(clock: 0, lowBits: 0, offset: 0)
        /// The numbers of the columns and the correlation; 0 means no correlation.
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

/// A collector that combines the tables of all units, in order.
struct SummaryCollector {
    private var summary = LogSummary()
    private var columns = InternedColumns(maximum: LogLimit.columns.maximum)
    private var counts: [Int] = [0]
    private var correlations = CorrelationTotals()
    private var servers: [ServerTimeline] = []
    private var histogram = HistogramBuilder()
    private var scopes = ScopeTable()
    private var timeline: TimelineBuilder?
    private var times = TimeSpan()
    private var open = OpenMessages<Int>()
    /// The scope rows that wait for the rest of their message, by number.
    private var waiting: [Int: ULSEvent] = [:]
    private var opened = 0
    /// A lower bound on the numbers of waiting rows.
    private var oldestWaiting = 1
    /// The number of bytes of each server's log that were read.
    private var progress: [String?: Int64] = [:]

    /// Adds a unit.
    ///
    /// `horizon` is a time in milliseconds before which no later unit has a row, according to the file names.
    mutating func add(_ tables: SummaryTables, bytes: Int64, server: String?, horizon: Int64) {
        summary.records += tables.records
        summary.incomparable += tables.incomparable
        times.add(tables.times)
        correlations.add(tables.correlations, horizon: horizon)
        for timeline in tables.servers { servers.append(continuing: timeline) }
        for minute in tables.minutes { histogram.add(minute) }
        scopes.merge(tables.scopes)
        if let counted = tables.timeline {
            if timeline == nil { timeline = TimelineBuilder() }
            timeline?.add(counted)
        }
        summary.quality.reach(.columns, times: tables.overflow)
        let numbers = merge(tables.columns, tables.counts)
        for split in tables.splits { add(split, numbers, server) }
        progress[server, default: 0] += bytes
    }

    mutating func add(_ quality: ReadQuality) { summary.quality += quality }

    /// Sets the times at which servers wrote rows, in place of those in the tables.
    mutating func setTimelines(_ timelines: [ServerTimeline]) { servers = timelines }

    /// Returns the summary, except for the files.
    consuming func finish() -> LogSummary {
        // The order matters, because the first names have their own entries.
        for (_, event) in waiting.sorted(by: { $0.key < $1.key }) { leave(event) }
        summary.quality.reach(.openParts, times: open.evicted)
        summary.quality.reach(.scopes, times: scopes.rowsBeyondLimit)
        summary.quality.reach(.openCorrelations, times: correlations.evicted)
        summary.quality.clockSteps = servers.reduce(0) { $0 + $1.steps }
        let gapCount = servers.reduce(0) { $0 + $1.gapCount }
        summary.gaps = servers.gaps
        summary.quality.reach(.gaps, times: gapCount - summary.gaps.count)
        summary.events = counts.reduce(0, +)
        summary.firstTime = times.first?.time
        summary.lastTime = times.last?.time
        summary.correlationCount = correlations.count
        summary.correlations = correlations.list().map { count in
            LogSummary.Correlation(
                id: count.id,
                count: Int(count.count),
                firstTime: count.first.time,
                lastTime: count.last.time,
                worstLevel: ULSLevel(rank: Int(count.rank))
            )
        }
        summary.scopes = scopes.durations()
        summary.histogram = histogram.histogram()
        summary.timeline = timeline.map { $0.timeline() } ?? LogTimeline()
        summary.requestDurations = scopes.requestDurations
        ColumnCounts(columns, counts).fill(&summary)
        return summary
    }

    /// Assigns this collector's numbers to the columns of a unit, and adds their counts.
    private mutating func merge(_ table: InternedColumns, _ more: [Int]) -> [Int] {
        var numbers = [0]
        for number in 1..<max(1, table.count) {
            let own = columns.take(number, of: table)
            numbers.append(own)
        }
        for (number, count) in more.enumerated() where count > 0 {
            let own = number < numbers.count ? numbers[number] : 0
            while counts.count <= own { counts.append(0) }
            counts[own] += count
            if own == 0, number > 0 { summary.quality.reach(.columns, times: count) }
        }
        return numbers
    }

    /// Joins a part to its message, or else counts it as a separate event.
    private mutating func add(_ split: SplitRow, _ numbers: [Int], _ server: String?) {
        let here = progress[server, default: 0] + split.position
        switch split.message {
        case .head, .trace(.opening): open(split, at: here)
        case .part, .trace:
            var (isMarked, hasMore) = (false, true)
            if case .part(let mark, let more) = split.message { (isMarked, hasMore) = (mark, more) }
            let number =
                if case .trace(let trace) = split.message {
                    open.trace(trace, key: split.keys.key, at: here)
                } else {
                    open.part(key: split.keys.key, isMarked: isMarked, at: here, hasMore: hasMore)
                }
            if let number {
                summary.quality.parts += 1
                if let part = split.scope?.event { join(part, to: number, hasMore: hasMore) }
                return
            }
            if isMarked { summary.quality.orphans += 1 }
            if hasMore { open(split, at: here) }
            let own = split.columns < numbers.count ? numbers[split.columns] : 0
            while counts.count <= own { counts.append(0) }
            counts[own] += 1
            if split.time.hasDate { histogram.add(split.time, isAbnormal: split.rank <= 3) }
            timeline?.add(split.time, rank: split.rank, server: split.server)
            guard split.correlation != .none else { return }
            correlations.add(
                CorrelationCount(
                    id: split.correlation,
                    first: split.time,
                    last: split.time,
                    count: 1,
                    rank: split.rank
                )
            )
        }
    }

    private mutating func open(_ split: SplitRow, at position: Int64) {
        opened += 1
        if let event = split.scope?.event { waiting[opened] = event }
        open.open(opened, split.keys, at: position)
        if waiting.count > LogLimit.openParts.maximum {
            while waiting[oldestWaiting] == nil { oldestWaiting += 1 }
            if let event = waiting.removeValue(forKey: oldestWaiting) { leave(event) }
        }
    }

    private mutating func join(_ part: ULSEvent, to number: Int, hasMore: Bool) {
        guard var event = waiting.removeValue(forKey: number) else { return }
        if !event.join(part) { summary.quality.reach(.messageBytes) }
        if hasMore { waiting[number] = event } else { leave(event) }
    }

    /// Counts the scope that an event reports as left.
    private mutating func leave(_ event: ULSEvent) {
        let text = event[.message]
        guard let message = ScopeMessage.parse(text), let name = message.name,
            case .leaving(let duration) = message.kind
        else { return }
        scopes.left(name: text.extracting(name), duration: duration)
    }
}

/// The correlations in all units: those that may continue, and the busiest of those that have ended.
///
/// A correlation ends after ten minutes of silence in log time; after that, it only competes for a place in the list.
struct CorrelationTotals {
    /// The number of milliseconds of silence after which a correlation has ended.
    static let silence: Int64 = 600_000
    /// The number of ended correlations that are kept.
    static let listed = 100

    private var open = CorrelationTable()
    private var busiest: [CorrelationCount] = []
    /// The last entry of the list, once the list is full; a correlation that does not rank above it is never listed.
    private var last: CorrelationCount?
    private var sweepAt = 20_000
    private(set) var ended = 0
    fileprivate var evicted = 0

    /// The number of correlations.
    var count: Int { ended + open.counts.count }

    /// Adds counts of rows that follow everything added so far.
    ///
    /// `horizon` is a time in milliseconds before which there are no later rows, according to the file names; `.min` if
    /// nothing is known.
    mutating func add(_ counts: [CorrelationCount], horizon: Int64) {
        for count in counts { add(count) }
        if open.counts.count > sweepAt { sweep(before: max(horizon, .min + Self.silence) - Self.silence) }
    }

    mutating func add(_ count: CorrelationCount) {
        var before: CorrelationCount?
        open.add(count) { known in
            if count.first.instant - known.last.instant > Self.silence {
                before = known
                known = count
            } else {
                known.merge(count)
            }
        }
        if let before { end(before) }
    }

    /// Returns the busiest correlations first; equally busy ones are ordered by ID.
    fileprivate func list() -> [CorrelationCount] {
        Self.sorted(busiest + open.counts).prefix(Self.listed).map { $0 }
    }

    private mutating func sweep(before time: Int64) {
        var rest: [CorrelationCount] = []
        for count in open.counts {
            if count.last.instant < time { end(count) } else { rest.append(count) }
        }
        if rest.count > LogLimit.openCorrelations.maximum {
            rest.sort { ($0.last, $0.id) < ($1.last, $1.id) }
            let excess = rest.count - LogLimit.openCorrelations.maximum * 3 / 4
            for count in rest.prefix(excess) { end(count) }
            evicted += excess
            rest.removeFirst(excess)
        }
        open = CorrelationTable()
        for count in rest { open.add(count) { _ in } }
        trim()
        sweepAt = min(max(20_000, rest.count * 2), LogLimit.openCorrelations.maximum)
    }

    private mutating func end(_ count: CorrelationCount) {
        ended += 1
        if let last, !Self.isBefore(count, last) { return }
        busiest.append(count)
        if busiest.count > 8 * Self.listed { trim() }
    }

    private mutating func trim() {
        guard busiest.count > Self.listed else { return }
        busiest = Array(Self.sorted(busiest).prefix(Self.listed))
        last = busiest.last
    }

    private static func sorted(_ counts: [CorrelationCount]) -> [CorrelationCount] {
        counts.sorted(by: isBefore)
    }

    private static func isBefore(_ one: CorrelationCount, _ other: CorrelationCount) -> Bool {
        one.count != other.count ? one.count > other.count : (one.id, one.first) < (other.id, other.first)
    }
}

extension CorrelationCount {
    fileprivate mutating func merge(_ other: CorrelationCount) {
        count &+= other.count
        if other.first < first { first = other.first }
        if other.last > last { last = other.last }
        rank = min(rank, other.rank)
    }
}
