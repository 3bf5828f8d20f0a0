/// When each process wrote, and how many rows of each kind came, in five minutes at a time.
///
/// All rows count that the filter and the window want, whatever a prefilter makes of them, so that a report can say who
/// fell silent and what fills a log.
public struct LogActivity: Sendable {
    /// A process of a server, as its rows name it.
    public struct Writer: Sendable, Hashable {
        public var server: String?
        /// The name without the ID: `w3wp.exe`.
        public var name: String
        /// The whole column: `w3wp.exe (0x1A2C)`.
        public var process: String
    }

    /// Rows of one category and event ID.
    public struct Kind: Sendable, Hashable {
        public var category: String
        public var eventID: String
    }

    public private(set) var writers: [Writer: ActivitySeries] = [:]
    public private(set) var kinds: [Kind: ActivitySeries] = [:]
    /// Whether rows are missing here, because there were too many processes or kinds: then nothing is known of silence.
    public private(set) var isIncomplete = false

    /// The most processes, and the most kinds of rows.
    private static let maximumWriters = 1000
    private static let maximumKinds = 5000

    /// Adds what another part of the logs shows.
    mutating func add(_ other: LogActivity) {
        isIncomplete = isIncomplete || other.isIncomplete
        for (writer, series) in other.writers { add(series, of: writer) }
        for (kind, series) in other.kinds { add(series, of: kind) }
    }

    mutating func add(_ series: ActivitySeries, of writer: Writer) {
        guard writers[writer] != nil || writers.count < Self.maximumWriters else {
            isIncomplete = true
            return
        }
        writers[writer, default: ActivitySeries()].add(series)
        if writers[writer]?.isIncomplete ?? false { isIncomplete = true }
    }

    mutating func add(_ series: ActivitySeries, of kind: Kind) {
        guard kinds[kind] != nil || kinds.count < Self.maximumKinds else {
            isIncomplete = true
            return
        }
        kinds[kind, default: ActivitySeries()].add(series)
        if kinds[kind]?.isIncomplete ?? false { isIncomplete = true }
    }

    mutating func noteMissing() { isIncomplete = true }
}

/// Rows over time: how many in each five minutes, and when the first and the last came.
public struct ActivitySeries: Sendable {
    /// Rows by number of bin; see ``binLength``.
    public private(set) var bins: [Int32: Int] = [:]
    private var span = TimeSpan()
    fileprivate private(set) var isIncomplete = false

    /// Milliseconds of a bin: five minutes.
    public static let binLength: Int64 = 300_000
    /// Bins of a week.
    private static let maximumBins = 2016

    public var firstTime: LogTime { span.first?.time ?? .none }
    public var lastTime: LogTime { span.last?.time ?? .none }
    public var rows: Int { bins.values.reduce(0, +) }

    mutating func add(_ other: ActivitySeries) {
        span.add(other.span)
        for (bin, count) in other.bins { add(count, in: bin) }
    }

    fileprivate mutating func add(_ count: Int, in bin: Int32) {
        guard bins[bin] != nil || bins.count < Self.maximumBins else {
            isIncomplete = true
            return
        }
        bins[bin, default: 0] += count
    }

    fileprivate mutating func add(_ time: PackedTime) { span.add(time) }
}

/// Counts the rows of a unit by the numbers of their process and of their columns, so that most cost two additions.
struct ActivityCounter {
    private struct Slot {
        var bin = Int32.min
        var count = 0
        var newest = PackedTime(rawValue: .min)
        var series = ActivitySeries()
        var server: String?
        /// The process; or category and event ID.
        var texts: [String] = []

        @inline(__always)
        mutating func count(_ time: PackedTime) {
            count &+= 1
            if newest < time { newest = time }
        }

        mutating func store() {
            guard count > 0 else { return }
            series.add(count, in: bin)
            series.add(newest)
            count = 0
            newest = PackedTime(rawValue: .min)
        }
    }

    private var writers: [Slot] = []
    private var kinds: [Slot] = []
    private var bin = Int32.min
    private var binStart = Int64.max
    private var isIncomplete = false

    /// Counts a row with a date.
    @inline(__always)
    mutating func add(_ time: PackedTime, _ fields: RowFields, _ window: borrowing ByteWindow, server: String?) {
        let sinceStart = time.instant &- binStart
        if sinceStart < 0 || sinceStart >= ActivitySeries.binLength { setBin(time) }
        let (process, columns) = (fields.process, fields.columns)
        if process < writers.count, columns < kinds.count, writers[process].bin == bin, kinds[columns].bin == bin {
            writers[process].count(time)
            kinds[columns].count(time)
        } else {
            learn(time, fields, window, server: server)
        }
    }

    private mutating func setBin(_ time: PackedTime) {
        bin = Int32(truncatingIfNeeded: time.instant.flooredQuotient(by: ActivitySeries.binLength))
        binStart = Int64(bin) * ActivitySeries.binLength
    }

    @inline(never)
    private mutating func learn(
        _ time: PackedTime,
        _ fields: RowFields,
        _ window: borrowing ByteWindow,
        server: String?
    ) {
        // Number 0 stands for all texts beyond a limit.
        guard fields.process != 0, fields.columns != 0 else {
            isIncomplete = true
            return
        }
        while writers.count <= fields.process { writers.append(Slot()) }
        while kinds.count <= fields.columns { kinds.append(Slot()) }
        if writers[fields.process].texts.isEmpty {
            let column = window.trimmed(fields.timeEnd + 1..<fields.processEnd)
            let name = ProcessColumn.parse(window, column).name
            writers[fields.process].server = server
            writers[fields.process].texts = [name, column].map { String(copying: window.validText($0).span) }
        }
        if kinds[fields.columns].texts.isEmpty {
            let texts = [fields.areaEnd + 1..<fields.categoryEnd, fields.categoryEnd + 1..<fields.eventEnd]
            kinds[fields.columns].texts = texts.map { String(copying: window.validText($0).span) }
        }
        if writers[fields.process].bin != bin {
            writers[fields.process].store()
            writers[fields.process].bin = bin
            writers[fields.process].series.add(time)
        }
        if kinds[fields.columns].bin != bin {
            kinds[fields.columns].store()
            kinds[fields.columns].bin = bin
            kinds[fields.columns].series.add(time)
        }
        writers[fields.process].count(time)
        kinds[fields.columns].count(time)
    }

    /// Returns the counts at the end of a unit.
    consuming func finish() -> LogActivity {
        var activity = LogActivity()
        if isIncomplete { activity.noteMissing() }
        for var slot in writers where !slot.texts.isEmpty {
            slot.store()
            let writer = LogActivity.Writer(server: slot.server, name: slot.texts[0], process: slot.texts[1])
            activity.add(slot.series, of: writer)
        }
        for var slot in kinds where !slot.texts.isEmpty {
            slot.store()
            activity.add(slot.series, of: LogActivity.Kind(category: slot.texts[0], eventID: slot.texts[1]))
        }
        return activity
    }
}
