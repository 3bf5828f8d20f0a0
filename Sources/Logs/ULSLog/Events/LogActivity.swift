/// When each process wrote, and how many rows of each kind came, in five minutes at a time.
///
/// All rows count that the filter and the window want, whatever a prefilter makes of them, so that a report can say who
/// fell silent and what fills a log.
public struct LogActivity: Sendable {
    /// A process of a server, as its rows name it.
    public struct Writer: Sendable, Hashable {
        /// The server; `nil` if it is not known.
        public var server: String?
        /// The name without the ID: `w3wp.exe`.
        public var name: String
        /// The whole column: `w3wp.exe (0x1A2C)`.
        public var process: String
    }

    /// Rows of one category and event ID.
    public struct Kind: Sendable, Hashable {
        /// The category.
        public var category: String
        /// The event's ID.
        public var eventID: String
    }

    /// Rows over time, by who wrote them.
    public private(set) var writers: [Writer: ActivitySeries] = [:]
    /// Rows over time, by kind.
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

    /// Returns the same with other names of servers, also where the column of the process holds one.
    public func renamingServers(_ name: (String) -> String) -> LogActivity {
        var renamed = self
        renamed.writers = [:]
        for (writer, series) in writers {
            var writer = writer
            writer.server = writer.server.map(name)
            writer.process = name(writer.process)
            renamed.writers[writer, default: ActivitySeries()].add(series)
        }
        return renamed
    }
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

    /// The time of the first row.
    public var firstTime: LogTime { span.first?.time ?? .none }
    /// The time of the last row.
    public var lastTime: LogTime { span.last?.time ?? .none }
    /// How many rows there are.
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
    /// The rows of the current five minutes: apart from the rest, because each row touches two of them.
    private struct Current {
        var bin = Int32.min
        var rows = 0
        var newest = PackedTime(rawValue: .min)

        @inline(__always)
        mutating func count(_ time: PackedTime) {
            rows &+= 1
            if newest < time { newest = time }
        }
    }

    /// All earlier rows, and what they are of.
    private struct Past<Key> {
        var key: Key?
        var series = ActivitySeries()

        mutating func add(_ current: Current) {
            guard current.rows > 0 else { return }
            series.add(current.rows, in: current.bin)
            series.add(current.newest)
        }
    }

    private var writers: [Current] = []
    private var kinds: [Current] = []
    private var pastWriters: [Past<LogActivity.Writer>] = []
    private var pastKinds: [Past<LogActivity.Kind>] = []
    private var bin = Int32.min
    private var binStart = Int64.max
    private var isIncomplete = false

    /// Counts a row with a date; returns false if ``learn(_:_:_:server:)`` must.
    @inline(__always)
    mutating func add(_ time: PackedTime, _ fields: RowFields) -> Bool {
        let sinceStart = time.instant &- binStart
        guard sinceStart >= 0, sinceStart < ActivitySeries.binLength else { return false }
        let (process, columns) = (fields.process, fields.columns)
        guard process < writers.count, columns < kinds.count, writers[process].bin == bin, kinds[columns].bin == bin
        else { return false }
        writers[process].count(time)
        kinds[columns].count(time)
        return true
    }

    /// Counts a row that begins five minutes, or is the first of its process or columns.
    @inline(never)
    mutating func learn(_ time: PackedTime, _ fields: RowFields, _ window: borrowing ByteWindow, server: String?) {
        // Number 0 stands for all texts beyond a limit.
        guard fields.process != 0, fields.columns != 0 else {
            isIncomplete = true
            return
        }
        bin = Int32(truncatingIfNeeded: time.instant.flooredQuotient(by: ActivitySeries.binLength))
        binStart = Int64(bin) * ActivitySeries.binLength
        while writers.count <= fields.process {
            writers.append(Current())
            pastWriters.append(Past())
        }
        while kinds.count <= fields.columns {
            kinds.append(Current())
            pastKinds.append(Past())
        }
        if pastWriters[fields.process].key == nil {
            let column = window.trimmed(fields.timeEnd + 1..<fields.processEnd)
            let name = ProcessColumn.parse(window, column).name
            pastWriters[fields.process].key = LogActivity.Writer(
                server: server,
                name: Self.text(window, name),
                process: Self.text(window, column)
            )
        }
        if pastKinds[fields.columns].key == nil {
            pastKinds[fields.columns].key = LogActivity.Kind(
                category: Self.text(window, fields.areaEnd + 1..<fields.categoryEnd),
                eventID: Self.text(window, fields.categoryEnd + 1..<fields.eventEnd)
            )
        }
        if writers[fields.process].bin != bin {
            pastWriters[fields.process].add(writers[fields.process])
            pastWriters[fields.process].series.add(time)
            writers[fields.process] = Current(bin: bin)
        }
        if kinds[fields.columns].bin != bin {
            pastKinds[fields.columns].add(kinds[fields.columns])
            pastKinds[fields.columns].series.add(time)
            kinds[fields.columns] = Current(bin: bin)
        }
        writers[fields.process].count(time)
        kinds[fields.columns].count(time)
    }

    private static func text(_ window: borrowing ByteWindow, _ range: Range<Int>) -> String {
        String(copying: window.validText(range).span)
    }

    /// Returns the counts at the end of a unit.
    consuming func finish() -> LogActivity {
        var activity = LogActivity()
        if isIncomplete { activity.noteMissing() }
        for (number, var past) in pastWriters.enumerated() {
            guard let writer = past.key else { continue }
            past.add(writers[number])
            activity.add(past.series, of: writer)
        }
        for (number, var past) in pastKinds.enumerated() {
            guard let kind = past.key else { continue }
            past.add(kinds[number])
            activity.add(past.series, of: kind)
        }
        return activity
    }
}
