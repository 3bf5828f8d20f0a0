/// The times that were read of a server's logs.
///
/// All examined rows count, wanted or not. What a window allows to be left unread does not count: files whose names
/// place them outside it, and parts of large files that lie before or after it.
public struct ServerSpan: Sendable, Hashable {
    /// The server; `nil` for rows whose server is unknown.
    public var server: String?
    /// The oldest time; ``LogTime/none`` if no row has one.
    public var firstTime: LogTime
    /// The newest time.
    public var lastTime: LogTime
    /// Number of times that the clock was set back by more than two seconds.
    public var clockSteps: Int

    /// Creates what is known of a server's rows.
    public init(server: String?, firstTime: LogTime, lastTime: LogTime, clockSteps: Int = 0) {
        self.server = server
        self.firstTime = firstTime
        self.lastTime = lastTime
        self.clockSteps = clockSteps
    }
}

/// The times of each server's rows, assembled from units.
struct ServerTimes: Sendable {
    /// Spans in no particular order; a server's place is its number.
    private var spans: [(server: String?, times: TimeSpan)] = []
    private var numbers: [String?: Int] = [:]

    /// Adds the times of a server's rows; those of servers beyond ``LogLimit/processes`` are not reported.
    mutating func add(_ times: TimeSpan, server: String?) {
        if let number = numbers[server] {
            spans[number].times.add(times)
        } else if spans.count <= LogLimit.processes.maximum {
            numbers[server] = spans.count
            spans.append((server, times))
        }
    }

    /// Returns the spans by name, with the steps of clocks.
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
    /// All gaps that were kept, by time, up to the number that may be listed.
    var gaps: [LogSummary.Gap] {
        flatMap { timeline in timeline.gaps.map { (timeline.server, $0.from, $0.until) } }
            .sorted { ($0.1, $0.0 ?? "") < ($1.1, $1.0 ?? "") }
            .prefix(LogLimit.gaps.maximum)
            .map { LogSummary.Gap(server: $0.0, from: $0.1.time, until: $0.2.time) }
    }
}

extension ServerSpan {
    /// Returns the part of it that is in a window; a window of times of day does not clip.
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
    /// Returns how much later than a row the bound is, in milliseconds.
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
    /// Returns what was read of each server's logs, in the order of the servers' names.
    ///
    /// Of a file that was searched for a correlation only, whose other rows were passed over, the first and last rows
    /// count.
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

    /// Returns what was read of each server's files, in the order of the servers' names; `skipsUnknown` leaves out files
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

/// Times in which a server wrote rows of one layout, and gaps in which it did not.
struct ServerTimeline: Sendable {
    var server: String?
    var isUTC: Bool
    /// Time of the first row.
    private(set) var first: PackedTime
    /// The newest time so far, or since the clock was set back.
    fileprivate(set) var newest: PackedTime
    private(set) var gaps: [Gap] = []
    private(set) var gapCount = 0
    /// Number of times that the clock was set back.
    private(set) var steps = 0
    private let minimum: Int64

    struct Gap: Sendable {
        var from: PackedTime
        var until: PackedTime
    }

    /// Milliseconds by which a row may be older than one before it, because threads write at the same time.
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

    /// Appends what the same server wrote next.
    mutating func append(_ next: ServerTimeline) {
        add(next.first)
        gapCount += next.gapCount
        for gap in next.gaps where gaps.count < LogLimit.gaps.maximum { gaps.append(gap) }
        steps += next.steps
        // Times before a step tell nothing about those after it.
        if next.steps > 0 || next.newest > newest { newest = next.newest }
    }

    @inline(never)
    private mutating func addGap(until time: PackedTime) {
        gapCount += 1
        if gaps.count < LogLimit.gaps.maximum { gaps.append(Gap(from: newest, until: time)) }
    }
}

/// Times in which the servers of a unit wrote rows, selected or not.
///
/// Most rows come from the same server as the row before and follow it closely: then only the newest time changes.
struct ServerTimelines {
    /// Timelines by number: two for each server, one for each layout.
    private var timelines: [ServerTimeline?] = []
    /// The timeline whose row came last, and its newest time.
    private var active = -1
    private var newest = PackedTime(clock: 0, lowBits: 0, offset: 0)
    private let gapMinimum: Int64

    init(gapMinimum: Int64) { self.gapMinimum = gapMinimum }

    /// Notes that the server with this number in `meanings` wrote.
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
    /// Appends what a server wrote next.
    mutating func append(continuing next: ServerTimeline) {
        if let index = firstIndex(where: { $0.server == next.server && $0.isUTC == next.isUTC }) {
            self[index].append(next)
        } else if count <= LogLimit.processes.maximum {
            append(next)
        }
    }
}
