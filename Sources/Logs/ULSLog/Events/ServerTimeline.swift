import TextKit
public import ULSRows

/// The span of time covered by the rows read from a server's logs.
///
/// All examined rows count, wanted or not. Text that is left unread because of a window does not count; this concerns
/// files whose names place them outside the window, and parts of large files that are before or after it.
public struct ServerSpan: Sendable, Hashable {
    /// The server; `nil` for rows whose server is unknown.
    public var server: String?
    /// The oldest time; ``LogTime/none`` if no row has one.
    public var firstTime: LogTime
    /// The newest time.
    public var lastTime: LogTime
    /// The number of times that the clock was set back by more than two seconds.
    public var clockSteps: Int

    /// Creates the span of a server's rows.
    public init(server: String?, firstTime: LogTime, lastTime: LogTime, clockSteps: Int = 0) {
        self.server = server
        self.firstTime = firstTime
        self.lastTime = lastTime
        self.clockSteps = clockSteps
    }
}

/// The times of each server's rows, assembled from units.
struct ServerTimes: Sendable {
    /// The spans in no particular order; a server's index is its number.
    private var spans: [(server: String?, times: TimeSpan)] = []
    private var numbers: [String?: Int] = [:]

    /// Adds the times of a server's rows; servers beyond ``LogLimit/processes`` are not reported.
    mutating func add(_ times: TimeSpan, server: String?) {
        if let number = numbers[server] {
            spans[number].times.add(times)
        } else if spans.count <= LogLimit.processes.maximum {
            numbers[server] = spans.count
            spans.append((server, times))
        }
    }

    /// Returns the spans, sorted by name, with the numbers of clock steps.
    func list(_ timelines: [ServerTimeline]) -> [ServerSpan] {
        var steps: [String?: Int] = [:]
        for timeline in timelines { steps[timeline.server, default: 0] += timeline.steps }
        return spans.map { server, times in
            ServerSpan(
                server: server,
                firstTime: times.first?.time ?? .none,
                lastTime: times.last?.time ?? .none,
                clockSteps: steps[server] ?? 0
            )
        }
        .sorted { ($0.server ?? "") < ($1.server ?? "") }
    }
}

extension [ServerTimeline] {
    /// All recorded gaps, by time, up to the maximum number listed.
    var gaps: [LogSummary.Gap] {
        flatMap { timeline in timeline.gaps.map { (timeline.server, $0.from, $0.until) } }
            .sorted { ($0.1, $0.0 ?? "") < ($1.1, $1.0 ?? "") }
            .prefix(LogLimit.gaps.maximum)
            .map { LogSummary.Gap(server: $0.0, from: $0.1.time, until: $0.2.time) }
    }
}

extension ServerSpan {
    /// Returns the part of the span that is in a window; a window of times of day does not clip it.
    func clipped(to window: TimeWindow) -> ServerSpan {
        var span = self
        if let lower = window.lower, let missing = lower.distance(from: firstTime), missing > 0 {
            span.firstTime.clock += missing
        }
        if let upper = window.upper, let missing = upper.distance(from: lastTime), missing < 0 {
            span.lastTime.clock += missing
        }
        return span
    }
}

extension TimeWindow.Bound {
    /// Returns the number of milliseconds by which the bound is later than a row.
    fileprivate func distance(from time: LogTime) -> Int64? {
        guard time.hasDate else { return nil }
        return switch scale {
        case .clock: value - time.clock
        case .instant: time.quality == .exact ? value - time.instant : (reading ?? value) - time.clock
        case .timeOfDay: nil
        }
    }
}

extension ServerCoverage {
    /// Returns the coverage of each server's logs, in the order of the servers' names.
    ///
    /// For a file that was searched only for a correlation, with all other rows skipped, its first and last rows count.
    static func of(_ plan: ReadPlan, _ reports: [SourceReport]) -> [ServerCoverage] {
        let sources = Dictionary(plan.sources.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        return of(
            reports.map { report in
                var report = report
                guard let source = sources[report.name], case .file = source.kind, !report.isSkipped else {
                    return report
                }
                report.server = source.server
                guard report.unreadBytes == 0 else { return report }
                let ends = [FileTimes.first(of: source), FileTimes.last(of: source)].compactMap(\.self)
                let times = ends.map { plan.time(of: $0, server: source.server) }
                let all = times + [report.firstTime, report.lastTime].compactMap(\.self)
                report.firstTime = all.min { $0.instant < $1.instant }
                report.lastTime = all.max { $0.instant < $1.instant }
                return report
            },
            skipsUnknown: false
        )
    }

    /// Returns the coverage of each server's files, in the order of the servers' names; `skipsUnknown` leaves out files
    /// without any known time.
    package static func of(_ files: [SourceReport], skipsUnknown: Bool = true) -> [ServerCoverage] {
        let known = files.filter { !skipsUnknown || $0.firstTime.map { $0.quality != .none } ?? false }
        return Dictionary(grouping: known, by: \.server)
            .map { server, files in
                let opened = files.filter { !$0.isSkipped }
                let told = opened.isEmpty ? files : opened
                let times = told.flatMap { [$0.firstTime, $0.lastTime].compactMap(\.self) }
                return ServerCoverage(
                    server: server,
                    firstTime: times.min { $0.instant < $1.instant },
                    lastTime: times.max { $0.instant < $1.instant },
                    files: opened.count,
                    unopened: files.count - opened.count
                )
            }
            .sorted { ($0.server ?? "") < ($1.server ?? "") }
    }
}

extension ReadPlan {
    /// Returns the time of a server's row.
    func time(of row: RowStart, server: String?) -> LogTime {
        if row.isUTC { return LogTime(clock: row.clock, quality: .exact) }
        return zones.zone(for: server)?.resolve(clock: row.clock) ?? LogTime(clock: row.clock, quality: .local)
    }
}

/// The times at which a server wrote rows of one layout, and the gaps between them.
struct ServerTimeline: Sendable {
    var server: String?
    var isUTC: Bool
    /// The time of the first row.
    private(set) var first: PackedTime
    /// The newest time so far, or since the clock was set back.
    fileprivate(set) var newest: PackedTime
    private(set) var gaps: [Gap] = []
    private(set) var gapCount = 0
    /// The number of times that the clock was set back.
    private(set) var steps = 0
    private let minimum: Int64

    struct Gap: Sendable {
        var from: PackedTime
        var until: PackedTime
    }

    /// The maximum number of milliseconds by which a row may be older than the previous one, because threads write
    /// concurrently.
    static let tolerance: Int64 = 2000

    init(server: String?, isUTC: Bool, first: PackedTime, gapMinimum: Int64) {
        self.server = server
        self.isUTC = isUTC
        self.first = first
        newest = first
        minimum = gapMinimum
    }

    @inline(__always)
    mutating func add(_ time: PackedTime) {
        let advance = time.instant &- newest.instant
        if advance > 0 {
            if advance >= minimum { addGap(until: time) }
            newest = time
        } else if advance < -Self.tolerance {
            steps += 1
            newest = time
        }
    }

    /// Appends a timeline of the same server's next rows.
    mutating func append(_ next: ServerTimeline) {
        add(next.first)
        gapCount += next.gapCount
        for gap in next.gaps where gaps.count < LogLimit.gaps.maximum { gaps.append(gap) }
        steps += next.steps
        // Times before a clock step are not comparable with times after it.
        if next.steps > 0 || next.newest > newest { newest = next.newest }
    }

    @inline(never)
    private mutating func addGap(until time: PackedTime) {
        gapCount += 1
        if gaps.count < LogLimit.gaps.maximum { gaps.append(Gap(from: newest, until: time)) }
    }
}

/// The times at which the servers of a unit wrote rows, selected or not.
///
/// Most rows are from the same server as the previous row and follow it closely, so that only the newest time changes.
struct ServerTimelines {
    /// The timelines by number: two for each server, one per layout.
    private var timelines: [ServerTimeline?] = []
    /// The timeline of the last row, and its newest time.
    private var active = -1
    private var newest = PackedTime(clock: 0, lowBits: 0, offset: 0)
    private let gapMinimum: Int64

    init(gapMinimum: Int64) { self.gapMinimum = gapMinimum }

    /// Records that the server with this number in `meanings` wrote a row.
    @inline(__always)
    mutating func add(_ time: PackedTime, server: Int, isUTC: Bool, _ meanings: borrowing ColumnMeanings) {
        let number = server &* 2 &+ (isUTC ? 1 : 0)
        let advance = time.instant &- newest.instant
        if number == active, advance >= 0, advance < gapMinimum {
            newest = time
        } else if number != active || advance != 0 {
            add(time, number, of: meanings.servers[server])
        }
    }

    @inline(never)
    private mutating func add(_ time: PackedTime, _ number: Int, of server: String?) {
        storeNewest()
        active = number
        while timelines.count <= number { timelines.append(nil) }
        if timelines[number] == nil {
            timelines[number] = ServerTimeline(
                server: server,
                isUTC: !number.isMultiple(of: 2),
                first: time,
                gapMinimum: gapMinimum
            )
        }
        timelines[number]?.add(time)
        newest = timelines[number]?.newest ?? time
    }

    /// Returns the timelines at the end of a unit.
    consuming func finish() -> [ServerTimeline] {
        storeNewest()
        return timelines.compactMap(\.self)
    }

    private mutating func storeNewest() {
        if timelines.indices.contains(active) { timelines[active]?.newest = newest }
    }
}

extension [ServerTimeline] {
    /// Appends a timeline of the server's next rows.
    mutating func append(continuing next: ServerTimeline) {
        if let index = firstIndex(where: { $0.server == next.server && $0.isUTC == next.isUTC }) {
            self[index].append(next)
        } else if count <= LogLimit.processes.maximum {
            append(next)
        }
    }
}

/// The numbers of rows over time by process and by kind, in intervals of five minutes.
///
/// All rows that the filter and the window accept count, regardless of any prefilter, so that a report can show which
/// processes stopped writing and which rows fill a log.
public struct LogActivity: Sendable {
    /// A process on a server, as named in its rows.
    public struct Writer: Sendable, Hashable {
        /// The server; `nil` if it is not known.
        public var server: String?
        /// The name without the ID: `w3wp.exe`.
        public var name: String
        /// The entire column: `w3wp.exe (0x1A2C)`.
        public var process: String
    }

    /// Rows of one category and event ID.
    public struct Kind: Sendable, Hashable {
        /// The category.
        public var category: String
        /// The event ID.
        public var eventID: String
    }

    /// The number of rows over time, by the process that wrote them.
    public private(set) var writers: [Writer: ActivitySeries] = [:]
    /// The number of rows over time, by kind.
    public private(set) var kinds: [Kind: ActivitySeries] = [:]
    /// Whether rows are missing because there were too many processes or kinds; if so, nothing is known about silence.
    public private(set) var isIncomplete = false

    /// The maximum number of processes, and of kinds of rows.
    private static let maximumWriters = 1000
    private static let maximumKinds = 5000

    /// Adds the counts of another part of the logs.
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

    /// Returns a copy with servers renamed, including names in the process column.
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

/// A series of rows over time: the number in each five-minute interval, and the times of the first and the last row.
public struct ActivitySeries: Sendable {
    /// The number of rows in each bin, by the number of the bin; see ``binLength``.
    public private(set) var bins: [Int32: Int] = [:]
    private var span = TimeSpan()
    fileprivate private(set) var isIncomplete = false

    /// The length of a bin in milliseconds: five minutes.
    public static let binLength: Int64 = 300_000
    /// The number of bins in a week.
    private static let maximumBins = 2016

    /// The time of the first row.
    public var firstTime: LogTime { span.first?.time ?? .none }
    /// The time of the last row.
    public var lastTime: LogTime { span.last?.time ?? .none }
    /// The number of rows.
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

/// A counter of a unit's rows by the numbers of their processes and columns, so that most rows cost only two additions.
struct ActivityCounter {
    /// The counts for the current five minutes, which are kept separately because each row changes two of them.
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

    /// The counts of all earlier rows, and the key of each count.
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

    /// Counts a row with a date; returns false if ``learn(_:_:_:server:)`` must count it.
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

    /// Counts a row that begins a new interval, or is the first of its process or columns.
    @inline(never)
    mutating func learn(_ time: PackedTime, _ fields: RowFields, _ window: borrowing ByteWindow, server: String?) {
        // The number 0 represents all texts beyond a limit.
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
