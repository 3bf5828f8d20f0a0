/// Which times were read of a server's logs.
///
/// All rows that were looked at count, whether they are wanted or not. What a window lets pass over unread does not count:
/// files outside of it by their names, and parts of large files that lie before or behind it.
public struct ServerSpan: Sendable, Hashable {
    /// `nil` for rows of which nobody says the server.
    public var server: String?
    /// The oldest time; ``LogTime/none`` where no row says one.
    public var firstTime: LogTime
    /// The newest.
    public var lastTime: LogTime
    /// How often the clock was set back by more than two seconds.
    public var clockSteps: Int

    public init(server: String?, firstTime: LogTime, lastTime: LogTime, clockSteps: Int = 0) {
        self.server = server
        self.firstTime = firstTime
        self.lastTime = lastTime
        self.clockSteps = clockSteps
    }
}

/// The times of the rows of each server, put together from units.
struct ServerTimes: Sendable {
    /// In no order; a server's place is its number.
    private var spans: [(server: String?, times: TimeSpan)] = []
    private var numbers: [String?: Int] = [:]

    /// Adds the times of a server's rows; those of a server beyond ``LogLimit/processes`` are not told.
    mutating func add(_ times: TimeSpan, server: String?) {
        if let number = numbers[server] {
            spans[number].times.add(times)
        } else if spans.count <= LogLimit.processes.maximum {
            numbers[server] = spans.count
            spans.append((server, times))
        }
    }

    /// The spans by name, with the steps of clocks.
    func list(_ activity: [ServerActivity]) -> [ServerSpan] {
        var steps: [String?: Int] = [:]
        for activity in activity { steps[activity.server, default: 0] += activity.steps }
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

extension [ServerActivity] {
    /// All gaps that were kept, by time: as many as may be listed.
    var gaps: [LogSummary.Gap] {
        flatMap { activity in activity.gaps.map { (activity.server, $0.from, $0.until) } }
            .sorted { ($0.1, $0.0 ?? "") < ($1.1, $1.0 ?? "") }
            .prefix(LogLimit.gaps.maximum)
            .map { LogSummary.Gap(server: $0.0, from: $0.1.time, until: $0.2.time) }
    }
}

extension ServerSpan {
    /// As much of it as a window has; one of times of day does not clip.
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
    /// How much later than a row the bound is, in milliseconds.
    fileprivate func distance(from time: LogTime) -> Int64? {
        guard time.hasDate else { return nil }
        return switch scale {
        case .clock: value - time.clock
        case .instant: value - time.instant
        case .timeOfDay: nil
        }
    }
}

extension ServerCoverage {
    /// What each server's logs cover: files that were not opened by their names, others by their first and last rows.
    static func of(_ plan: LogPlan, _ reports: [SourceReport]) -> [ServerCoverage] {
        var coverage: [ServerCoverage] = []
        func add(_ server: String?, _ first: LogTime?, _ last: LogTime?) {
            let index = coverage.firstIndex { $0.server == server } ?? coverage.count
            if index == coverage.count {
                coverage.append(ServerCoverage(server: server, firstTime: nil, lastTime: nil, files: 0))
            }
            coverage[index].files += 1
            for time in [first, last].compactMap(\.self) {
                if coverage[index].firstTime.map({ time.instant < $0.instant }) ?? true {
                    coverage[index].firstTime = time
                }
                if coverage[index].lastTime.map({ time.instant > $0.instant }) ?? true {
                    coverage[index].lastTime = time
                }
            }
        }
        let sources = Dictionary(plan.sources.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for report in reports {
            guard let source = sources[report.name], case .file = source.kind, !report.isSkipped else {
                add(report.server, report.firstTime, report.lastTime)
                continue
            }
            add(
                source.server,
                FileTimes.first(of: source).map { plan.time(of: $0, server: source.server) } ?? report.firstTime,
                FileTimes.last(of: source).map { plan.time(of: $0, server: source.server) } ?? report.lastTime
            )
        }
        return coverage.sorted { ($0.server ?? "") < ($1.server ?? "") }
    }
}

extension LogPlan {
    /// The time of a row of a server.
    func time(of row: RowStart, server: String?) -> LogTime {
        if row.isUTC { return LogTime(clock: row.clock, quality: .exact) }
        return zones.zone(for: server)?.resolve(clock: row.clock) ?? LogTime(clock: row.clock, quality: .local)
    }
}

extension ServerCoverage {
    /// What each server's files cover, as far as they were looked at, in the order of the servers' names.
    package static func of(_ files: [SourceReport]) -> [ServerCoverage] {
        let opened = files.filter { $0.firstTime.map { $0.quality != .none } ?? false }
        return Dictionary(grouping: opened, by: \.server)
            .map { server, files in
                ServerCoverage(
                    server: server,
                    firstTime: files.compactMap(\.firstTime).min { $0.instant < $1.instant },
                    lastTime: files.compactMap(\.lastTime).max { $0.instant < $1.instant },
                    files: files.count
                )
            }
            .sorted { ($0.server ?? "") < ($1.server ?? "") }
    }
}

/// When a server wrote rows of one layout, and when it did not.
struct ServerActivity: Sendable {
    var server: String?
    var isUTC: Bool
    /// The first row's time.
    private(set) var first: PackedTime
    /// The newest time so far, or since the clock was set back.
    var newest: PackedTime
    private(set) var gaps: [Gap] = []
    private(set) var gapCount = 0
    /// How often the clock was set back.
    private(set) var steps = 0
    private let minimum: Int64

    struct Gap: Sendable {
        var from: PackedTime
        var until: PackedTime
    }

    /// Milliseconds that a row may be older than one before it: threads write at the same time.
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

    /// Goes on with what the same server wrote behind it.
    mutating func append(_ next: ServerActivity) {
        add(next.first)
        gapCount += next.gapCount
        for gap in next.gaps where gaps.count < LogLimit.gaps.maximum { gaps.append(gap) }
        steps += next.steps
        // What came before a step tells nothing of what follows it.
        if next.steps > 0 || next.newest > newest { newest = next.newest }
    }

    @inline(never)
    private mutating func addGap(until time: PackedTime) {
        gapCount += 1
        if gaps.count < LogLimit.gaps.maximum { gaps.append(Gap(from: newest, until: time)) }
    }
}

/// When the servers of a unit wrote rows, selected or not.
struct ServerActivities {
    /// By the server's number and the layout.
    private var activities: [ServerActivity?] = []
    private let gapMinimum: Int64

    init(gapMinimum: Int64) { self.gapMinimum = gapMinimum }

    var all: [ServerActivity] { activities.compactMap(\.self) }

    /// Notes that a server wrote, whose number in `facts` this is.
    @inline(__always)
    mutating func add(_ time: PackedTime, server number: Int, isUTC: Bool, _ facts: borrowing RecordFacts) {
        let index = number &* 2 &+ (isUTC ? 1 : 0)
        if index < activities.count, activities[index] != nil {
            activities[index]?.add(time)
        } else {
            while activities.count <= index { activities.append(nil) }
            activities[index] = ServerActivity(
                server: facts.servers[number],
                isUTC: isUTC,
                first: time,
                gapMinimum: gapMinimum
            )
        }
    }
}

extension [ServerActivity] {
    /// Goes on with what servers wrote behind it.
    mutating func append(continuing next: ServerActivity) {
        if let index = firstIndex(where: { $0.server == next.server && $0.isUTC == next.isUTC }) {
            self[index].append(next)
        } else if count <= LogLimit.processes.maximum {
            append(next)
        }
    }
}
