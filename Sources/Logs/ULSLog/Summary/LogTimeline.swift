import TextKit
public import ULSRows

/// The numbers of rows that each server wrote over time, by level: the data for a chart.
///
/// A timeline is counted only with ``LogReader/countsLevelsOverTime``. It does not include rows without a date.
public struct LogTimeline: Sendable, Hashable {
    /// The counts of one server, one for each step.
    public struct Lane: Sendable, Hashable {
        /// The server; `nil` if rows and file names do not contain it.
        public var server: String?
        /// The number of the server's rows in each step.
        public var steps: [LevelCounts]

        /// Creates a lane.
        public init(server: String?, steps: [LevelCounts]) {
            self.server = server
            self.steps = steps
        }

        /// The counts of all steps together.
        public var total: LevelCounts { steps.reduce(into: LevelCounts()) { $0 += $1 } }
    }

    /// The time at which the first step begins.
    public var start = LogTime.none
    /// The length of a step in milliseconds: a round number of seconds, minutes, hours or days.
    public var step: Int64 = 1000
    /// The servers by name, all with the same number of steps.
    public var lanes: [Lane] = []
    /// Whether there are servers beyond the maximum number, whose rows are in a single lane with the server `nil`.
    public var hasFoldedServers = false

    /// Creates an empty timeline.
    public init() {}

    /// Returns the time at which a step begins.
    public func time(ofStep number: Int) -> LogTime {
        var time = start
        time.clock += Int64(number) * step
        return time
    }

    /// The maximum number of steps.
    public static let maximumSteps = 96
}

/// The numbers of events by the rank of their level.
public struct LevelCounts: Sendable, Hashable {
    /// The values of ``ULSLevel/rank``, worst first.
    public static let ranks = 1...9

    private var counts = SIMD16<Int64>()

    /// Creates counts that are all zero.
    public init() {}

    /// The number of rows of this rank.
    public subscript(rank: Int) -> Int {
        get { Int(counts[rank & 15]) }
        set { counts[rank & 15] = Int64(newValue) }
    }

    /// The number of rows of all ranks.
    public var total: Int { Int(counts.wrappedSum()) }

    /// Returns the number of events at these ranks.
    public func count(of ranks: ClosedRange<Int>) -> Int { ranks.reduce(0) { $0 + self[$1] } }

    public static func += (total: inout LevelCounts, more: LevelCounts) { total.counts &+= more.counts }

    @inline(__always)
    mutating func count(rank: UInt8) { counts[Int(rank & 15)] &+= 1 }
}

/// A builder of a ``LogTimeline``, for one work unit or for all of them.
///
/// The parts may be added in any order, because the steps depend only on the rows.
struct TimelineBuilder: Sendable {
    /// The steps in milliseconds, each a multiple of the previous one; longer steps are obtained by doubling.
    private static let steps: [Int64] = [
        1000, 5000, 15_000, 30_000, 60_000, 300_000, 900_000, 1_800_000, 3_600_000, 10_800_000, 21_600_000, 43_200_000,
        86_400_000, 604_800_000,
    ]
    /// The maximum number of steps held per server while counting, and of servers.
    private static let maximumHeld = 4096
    private static let maximumServers = 64

    private var step = steps[0]
    private var lanes: [String?: [Int64: LevelCounts]] = [:]
    private var first: PackedTime?
    private var hasFoldedServers = false

    // The current counters, because most rows are from the same server and second as the previous row.
    private var server = -1
    private var secondStart = Int64.min
    private var current = LevelCounts()
    private var name: String?

    /// Counts a row with a date from the server with this number; returns false if ``begin(_:rank:server:name:)`` must
    /// count it.
    @inline(__always)
    mutating func add(_ time: PackedTime, rank: UInt8, server: Int) -> Bool {
        guard server == self.server, UInt64(bitPattern: time.instant &- secondStart) < 1000 else { return false }
        current.count(rank: rank)
        return true
    }

    /// Counts a row that begins a new second, or is from a different server than the previous row.
    @inline(never)
    mutating func begin(_ time: PackedTime, rank: UInt8, server: Int, name: String?) {
        store()
        self.server = server
        self.name = name
        secondStart = time.instant.flooredQuotient(by: 1000) * 1000
        if first.map({ time < $0 }) ?? true { first = time }
        current.count(rank: rank)
    }

    /// Counts an event.
    mutating func add(_ time: PackedTime, rank: UInt8, server: String?) {
        guard time.hasDate else { return }
        var one = LevelCounts()
        one.count(rank: rank)
        if first.map({ time < $0 }) ?? true { first = time }
        add(one, at: time.instant.flooredQuotient(by: step), of: server)
    }

    mutating func add(_ other: TimelineBuilder) {
        var other = other
        other.store()
        hasFoldedServers = hasFoldedServers || other.hasFoldedServers
        if let time = other.first, first.map({ time < $0 }) ?? true { first = time }
        while step < other.step { coarsen() }
        while other.step < step { other.coarsen() }
        for (server, counts) in other.lanes.sorted(by: { ($0.key ?? "") < ($1.key ?? "") }) {
            for (number, count) in counts { hold(count, at: number, of: server) }
        }
        while lanes.values.contains(where: { $0.count > Self.maximumHeld }) { coarsen() }
    }

    /// Returns the timeline, in as many steps as a chart shows.
    consuming func timeline() -> LogTimeline {
        store()
        var timeline = LogTimeline()
        guard let first else { return timeline }
        while let ends = ends, ends.last - ends.first >= LogTimeline.maximumSteps { coarsen() }
        guard let ends else { return timeline }
        var start = first.time
        start.clock = ends.first * step + Int64(start.offset) * 1000
        timeline.start = start
        timeline.step = step
        timeline.hasFoldedServers = hasFoldedServers
        timeline.lanes = lanes.sorted { ($0.key ?? "") < ($1.key ?? "") }.map { server, counts in
            LogTimeline.Lane(server: server, steps: (ends.first...ends.last).map { counts[$0] ?? LevelCounts() })
        }
        return timeline
    }

    private var ends: (first: Int64, last: Int64)? {
        let numbers = lanes.values.flatMap(\.keys)
        guard let first = numbers.min(), let last = numbers.max() else { return nil }
        return (first, last)
    }

    /// Adds the current counters to the rest.
    private mutating func store() {
        guard current.total > 0 else { return }
        add(current, at: secondStart.flooredQuotient(by: step), of: name)
        current = LevelCounts()
    }

    private mutating func add(_ counts: LevelCounts, at number: Int64, of server: String?) {
        hold(counts, at: number, of: server)
        if lanes[server]?.count ?? 0 > Self.maximumHeld { coarsen() }
    }

    private mutating func hold(_ counts: LevelCounts, at number: Int64, of server: String?) {
        if lanes[server] == nil, server != nil, lanes.count >= Self.maximumServers {
            hasFoldedServers = true
            return hold(counts, at: number, of: nil)
        }
        lanes[server, default: [:]][number, default: LevelCounts()] += counts
    }

    private mutating func coarsen() {
        let longer = Self.steps.first { $0 > step } ?? step * 2
        let factor = longer / step
        step = longer
        lanes = lanes.mapValues { counts in
            var coarser: [Int64: LevelCounts] = [:]
            for (number, count) in counts {
                coarser[number.flooredQuotient(by: factor), default: LevelCounts()] += count
            }
            return coarser
        }
    }
}
