import TextKit
public import ULSRows

/// A summary of logs: counts, times, the busiest requests, and the slowest scopes.
public struct LogSummary: Sendable {
    /// A value and the number of events that have it.
    public struct Count: Sendable, Hashable {
        /// The value.
        public var value: String
        /// The number of occurrences.
        public var count: Int
    }

    /// A correlation: a request or a job.
    public struct Correlation: Sendable, Hashable {
        /// The ID of the request.
        public var id: CorrelationID
        /// The number of events.
        public var count: Int
        /// The time of its first event.
        public var firstTime: LogTime
        /// The time of its last event.
        public var lastTime: LogTime
        /// The worst level of its events.
        public var worstLevel: ULSLevel
    }

    /// A period of at least ``LogReader/gapMinimum``, by default five minutes, during which a server wrote nothing.
    public struct Gap: Sendable, Hashable {
        /// The server that was silent; `nil` if it is not known.
        public var server: String?
        /// The time of the last row before the silence.
        public var from: LogTime
        /// The time of the first row after it.
        public var until: LogTime
    }

    /// The number of events over time, in equal steps from `start` on.
    public struct Histogram: Sendable, Hashable {
        /// The instant at which the first step begins, in milliseconds; a clock reading if UTC is not known.
        public var start: Int64 = 0
        /// The length of a step in milliseconds: a minute, doubled until there are few enough steps.
        public var step: Int64 = 60_000
        /// The number of events in each step.
        public var events: [Int] = []
        /// The number of events at Monitorable or worse in each step.
        public var abnormal: [Int] = []

        /// Creates an empty histogram.
        public init() {}
    }

    /// The result of reading each file.
    public var files: [SourceReport] = []
    /// The number of rows selected, including parts of split messages.
    public var records = 0
    /// The number of events selected.
    public var events = 0
    /// The time of the first event; `nil` if none has a date.
    public var firstTime: LogTime?
    /// The time of the last event; `nil` if none has a date.
    public var lastTime: LogTime?
    /// The levels that occur, worst first, under the service's names; as in a filter, case is ignored.
    public var levels: [Count] = []
    /// The areas, by count, highest first, and then by value; the same applies to categories and event IDs.
    public var areas: [Count] = []
    /// The categories, most frequent first.
    public var categories: [Count] = []
    /// The event IDs, most frequent first.
    public var eventIDs: [Count] = []
    /// The number of correlations; a correlation that resumes after ten minutes of silence counts again.
    public var correlationCount = 0
    /// The correlations with the most events.
    public var correlations: [Correlation] = []
    /// The scopes, by sum of durations, greatest first.
    public var scopes: [ScopeDurations] = []
    /// The periods during which a server wrote nothing, in order.
    public var gaps: [Gap] = []
    /// The number of events over time.
    public var histogram = Histogram()
    /// The number of events over time by level, counted only with ``LogReader/countsLevelsOverTime``.
    public var timeline = LogTimeline()
    /// The durations of all requests and jobs together.
    public var requestDurations = DurationHistogram()
    /// The quality of reading the texts.
    public var quality = ReadQuality()
    /// The number of rows left out because their times do not show whether they are in the window.
    public var incomparable = 0
    /// Notes for the user on inputs that were skipped.
    public var notes: [String] = []

    /// Creates an empty summary.
    public init() {}
}

/// The durations of the scopes of one name.
public struct ScopeDurations: Sendable, Hashable {
    /// The method and path, or the scope's name, without the variable parts.
    public var key: String
    /// Whether these are entire requests or jobs rather than parts of them.
    public var isRequest: Bool
    /// The number of times that the scope was left.
    public var count: Int
    /// The durations in microseconds.
    package var p50: Int64
    package var p95: Int64
    package var max: Int64
    package var total: Int64
    /// The number of times that the scope was entered but never left, according to the logs.
    public var open: Int

    /// The duration that half of the scopes do not exceed, accurate to about one percent.
    public var median: Duration { .microseconds(p50) }
    /// The duration that 95 percent of the scopes do not exceed, accurate to about one percent.
    public var percentile95: Duration { .microseconds(p95) }
    /// The longest duration.
    public var longest: Duration { .microseconds(max) }
    /// The sum of all durations.
    public var sum: Duration { .microseconds(total) }
}

/// The counts of distinct columns, with a total for each column.
struct ColumnCounts {
    private var levels: [String: Int] = [:]
    private var areas: [String: Int] = [:]
    private var categories: [String: Int] = [:]
    private var eventIDs: [String: Int] = [:]

    /// The name for entries that a full table could not distinguish.
    private static let other = "(other)"

    init(_ columns: InternedColumns, _ counts: [Int]) {
        for (number, count) in counts.enumerated() where count > 0 {
            let texts =
                number == 0
                ? Array(repeating: Self.other, count: 4)
                : columns[number].split(separator: 0x09, omittingEmptySubsequences: false).map(Self.text)
            guard texts.count == 4 else { continue }
            areas[texts[0], default: 0] += count
            categories[texts[1], default: 0] += count
            eventIDs[texts[2], default: 0] += count
            levels[ULSLevel(texts[3]).name, default: 0] += count
        }
    }

    func fill(_ summary: inout LogSummary) {
        summary.areas = Self.sorted(areas)
        summary.categories = Self.sorted(categories)
        summary.eventIDs = Self.sorted(eventIDs)
        summary.levels = Self.sorted(levels).sorted { ULSLevel($0.value).rank < ULSLevel($1.value).rank }
    }

    private static func sorted(_ counts: [String: Int]) -> [LogSummary.Count] {
        counts.map { LogSummary.Count(value: $0.key, count: $0.value) }
            .sorted { $0.count != $1.count ? $0.count > $1.count : $0.value < $1.value }
    }

    private static func text(_ column: ArraySlice<UInt8>) -> String {
        var padded = Array(column)
        padded.append(contentsOf: repeatElement(0, count: ByteWindow.slack))
        return String(decoding: ByteWindow(padded.span).validText(0..<column.count), as: UTF8.self)
    }
}

/// A counter of events by time, in steps that grow longer when there are too many.
struct HistogramBuilder {
    /// The maximum number of steps in a histogram, which is more than any screen can show.
    private static let maximumSteps = 4096
    /// The maximum number of distinct steps held while counting.
    private static let maximumHeld = 100_000

    private var step: Int64 = 60_000
    private var counts: [Int64: (events: Int, abnormal: Int)] = [:]

    mutating func add(_ minute: MinuteCount) {
        let number = (minute.number &* 60_000).flooredQuotient(by: step)
        counts[number, default: (0, 0)].events += minute.events
        counts[number, default: (0, 0)].abnormal += minute.abnormal
        if counts.count > Self.maximumHeld { coarsen() }
    }

    mutating func add(_ time: PackedTime, isAbnormal: Bool) {
        add(MinuteCount(number: time.instant.flooredQuotient(by: 60_000), events: 1, abnormal: isAbnormal ? 1 : 0))
    }

    consuming func histogram() -> LogSummary.Histogram {
        var histogram = LogSummary.Histogram()
        while let first = counts.keys.min(), let last = counts.keys.max(), last - first >= Self.maximumSteps {
            coarsen()
        }
        guard let first = counts.keys.min(), let last = counts.keys.max() else { return histogram }
        histogram.start = first * step
        histogram.step = step
        for number in first...last {
            histogram.events.append(counts[number]?.events ?? 0)
            histogram.abnormal.append(counts[number]?.abnormal ?? 0)
        }
        return histogram
    }

    private mutating func coarsen() {
        step *= 2
        var coarser: [Int64: (events: Int, abnormal: Int)] = [:]
        for (number, count) in counts {
            let half = number.flooredQuotient(by: 2)
            coarser[half, default: (0, 0)].events += count.events
            coarser[half, default: (0, 0)].abnormal += count.abnormal
        }
        counts = coarser
    }
}

extension LogReader {
    /// Counts the contents of logs.
    public func summary() throws -> LogSummary {
        // Texts are searched for in complete messages, so messages must be joined first.
        guard !filter.examinesMessages else { return try summaryOfEvents() }
        var reader = self
        reader.sizes.unitBytes *= sizes.unitsOfSummary
        let plan = try ReadPlan(reader)
        var account = ReadAccount(plan)
        var collector = SummaryCollector()
        var selection = selection
        selection.countsLevelsOverTime = countsLevelsOverTime
        let gapMinimum = gapMinimum.milliseconds
        let queue = reader.start([plan.items.flatMap { $0 }]) { [selection] in
            SummarySink($0, selection: selection, gapMinimum: gapMinimum)
        }
        defer { queue.cancel() }
        var isMore = true
        while isMore {
            do {
                guard let output = try queue.next(lane: 0) else {
                    isMore = false
                    continue
                }
                let tables = output.payload
                progress?.add(events: tables.records)
                collector.add(
                    tables,
                    bytes: output.end?.bytes ?? 0,
                    server: output.text.server,
                    horizon: min(plan.horizon(behind: output.text.source), tables.times.last?.instant ?? .min)
                )
                account.addTimes(tables.times, of: output.text)
                if let end = output.end { account.end(end, of: output.text) }
            } catch let failure as SourceFailure {
                account.fail(failure)
            }
        }
        collector.add(account.quality)
        var summary = finish(collector, account.files())
        summary.notes = plan.notes
        return summary
    }

    /// Returns the same summary from events, whose messages are complete.
    private func summaryOfEvents() throws -> LogSummary {
        var collector = SummaryCollector()
        var rows = EventRows(self)
        var parts = 0
        let report = try forEachEvent(in: .files, of: selection, passesOver: false) { event in
            parts += event.parts - 1
            if let tables = rows.take(event) { collector.add(tables, bytes: 0, server: nil, horizon: .min) }
        }
        collector.add(rows.finish(), bytes: 0, server: nil, horizon: .min)
        collector.add(report.quality)
        collector.setTimelines(report.timelines)
        var summary = finish(collector, report.files)
        summary.records += parts
        summary.incomparable = report.incomparable
        summary.notes = report.notes
        return summary
    }

    /// Returns the summary, with the gaps that overlap the window.
    private func finish(_ collector: SummaryCollector, _ files: [SourceReport]) -> LogSummary {
        var summary = collector.finish()
        summary.files = files
        summary.gaps.removeAll { !window.mayTouch(from: $0.from, until: $0.until) }
        return summary
    }
}

/// A counter of events that formats them as rows.
private struct EventRows {
    private static let tableEvents = 100_000

    private let reader: LogReader
    private var parser = RowParser()
    private var sink: SummarySink
    private var count = 0

    init(_ reader: LogReader) {
        self.reader = reader
        sink = Self.makeSink(reader)
    }

    /// Counts an event; returns the tables once they contain many events.
    mutating func take(_ event: borrowing ULSEvent) -> SummaryTables? {
        let row = PastedRow(event)
        var fields = row.fields
        parser.complete(ByteWindow(row.bytes.span), &fields)
        sink.take(ByteWindow(row.bytes.span), fields)
        count += 1
        guard count % Self.tableEvents == 0 else { return nil }
        return finish()
    }

    mutating func finish() -> SummaryTables {
        let tables = sink.finish(parser)
        parser = RowParser()
        sink = Self.makeSink(reader)
        return tables
    }

    private static func makeSink(_ reader: LogReader) -> SummarySink {
        var all = Selection(filter: RecordFilter(EventFilter()), window: .all, zones: reader.zones)
        all.countsLevelsOverTime = reader.countsLevelsOverTime
        return SummarySink(LogText(source: 0, name: ""), selection: all, gapMinimum: reader.gapMinimum.milliseconds)
    }
}
