/// A search for the smallest number of batches in flight that achieves about the highest possible throughput.
///
/// It doubles the level while that pays off, and then compares neighboring levels: it measures the current level, the
/// candidate, and the current level again, so that a server that is slowing down is not mistaken for a worse level. A
/// higher level must have a clearly higher throughput, and a lower one about the same. On a flat curve, the search
/// therefore descends to the point where throughput begins to fall, and does not drift upward. The longer nothing
/// changes, the less often it compares.
///
/// Vespa's feed client performs a random walk over 128 logarithmic buckets. On the test servers, it finds the same
/// levels. However, it needs hundreds of replies, while a feed of a million removals has only a thousand; it keeps
/// wandering on a flat curve, which costs latency; and it has no concept of a refused level.
struct ThroughputSearch: Hashable, Sendable {
    /// The current level; ``limit`` differs from it while another one is tried.
    var level: Int
    private let ceiling: Int
    private var phase: Phase
    private var isUpNext = true
    /// The number of measurements at the current level between two comparisons.
    private var rest = 0
    /// The throughput of the current level as a share of the best one, which limits the cumulative loss of several
    /// steps down.
    private var share = 1.0

    private enum Phase: Hashable {
        /// The level is being doubled, from a previous level and its throughput.
        case climbing(from: Int, Double)
        /// The current level is being measured this many times before another one is tried.
        case holding(Int)
        case trying(Int, before: Double)
        /// The current level is being measured again, after the candidate.
        case confirming(Int, before: Double, tried: Double)
    }

    private static let firstLevel = 4
    /// The gain that justifies the latency of doubling.
    private static let gainOfDoubling = 1.1
    /// The gain required for a step up.
    private static let gainOfStep = 1.05
    /// The share of throughput that a step down must retain; ``leastShare`` is the limit for all steps together.
    private static let leastOfStep = 0.97
    private static let leastShare = 0.95
    /// The ratio below which two measurements of the same level are unreliable.
    private static let trust = 0.75
    /// The maximum number of measurements between two comparisons; ``firstRest`` is the number after the first
    /// comparison without a change.
    private static let longestRest = 64
    private static let firstRest = 4

    init(ceiling: Int) {
        self.ceiling = max(1, ceiling)
        level = min(Self.firstLevel, self.ceiling)
        phase = .climbing(from: level, 0)
    }

    /// Whether the search is still doubling the level.
    var isClimbing: Bool {
        if case .climbing = phase { true } else { false }
    }

    /// The number of batches that may be in flight now.
    var limit: Int {
        switch phase {
        case .climbing, .holding, .confirming: level
        case .trying(let candidate, _): candidate
        }
    }

    /// Processes a measurement at ``limit``; `isAllowed` returns false for a level that the server has refused.
    mutating func measured(_ rate: Double, isAllowed: (Int) -> Bool) {
        switch phase {
        case .climbing(let previous, let before): climb(from: previous, before, rate, isAllowed)
        case .holding(let left) where left > 0: phase = .holding(left - 1)
        case .holding: tryNext(after: rate, isAllowed)
        case .trying(let candidate, let before):
            // A far worse level is rejected without a second measurement.
            if candidate < level, rate < before * 0.8 { return reject(candidate, ratio: rate / before) }
            phase = .confirming(candidate, before: before, tried: rate)
        case .confirming(let candidate, let before, let tried):
            guard min(before, rate) >= Self.trust * max(before, rate) else {
                phase = .holding(1)
                return
            }
            decide(candidate, ratio: tried / ((before + rate) / 2))
            if case .holding(0) = phase, level != candidate { tryNext(after: rate, isAllowed) }
        }
    }

    /// Records that there is too little work to fill the level being tried.
    mutating func starved() {
        switch phase {
        case .climbing(let previous, let before) where before > 0:
            level = previous
            phase = .holding(0)
        case .trying(let candidate, _) where candidate > level: reject(candidate, ratio: 1)
        default: break
        }
    }

    /// Returns to the current level after a refusal, or to a lower one if the current level was refused.
    mutating func refused() {
        switch phase {
        case .climbing(let previous, let before) where before > 0: level = previous
        case .trying(let candidate, _) where candidate > level: break
        default: level = Self.below(limit)
        }
        (share, isUpNext) = (1, true)
        phase = .holding(Self.firstRest)
    }

    /// Lowers the level to at most `limit`.
    mutating func descend(to limit: Int) {
        guard limit < level else { return }
        level = max(1, limit)
    }

    /// Starts over with a quarter of the level, because the server has just become available again.
    mutating func ramp() {
        level = max(1, level / 4)
        share = 1
        phase = .climbing(from: level, 0)
    }

    private mutating func climb(from previous: Int, _ before: Double, _ rate: Double, _ isAllowed: (Int) -> Bool) {
        guard rate >= before * Self.gainOfDoubling else {
            level = previous
            isUpNext = false
            phase = .holding(0)
            return
        }
        let next = min(2 * level, ceiling)
        guard next > level, isAllowed(next) else {
            phase = .holding(0)
            return
        }
        phase = .climbing(from: level, rate)
        level = next
    }

    private mutating func tryNext(after rate: Double, _ isAllowed: (Int) -> Bool) {
        let (up, down) = (Self.above(level), Self.below(level))
        let (mayRise, mayFall) = (up <= ceiling && isAllowed(up), down < level)
        guard mayRise || mayFall else {
            phase = .holding(Self.firstRest)
            return
        }
        let isUp = mayRise && (isUpNext || !mayFall)
        phase = .trying(isUp ? up : down, before: rate)
    }

    private mutating func decide(_ candidate: Int, ratio: Double) {
        let isUp = candidate > level
        let isBetter =
            isUp
            ? ratio >= Self.gainOfStep
            : ratio >= Self.leastOfStep && share * ratio >= Self.leastShare
        guard isBetter else { return reject(candidate, ratio: ratio) }
        level = candidate
        share = min(1, share * ratio)
        (isUpNext, rest) = (isUp, 0)
        phase = .holding(0)
    }

    /// Stays at the level and tries the other direction; rests once both directions are rejected.
    private mutating func reject(_ candidate: Int, ratio: Double) {
        let isUp = candidate > level
        isUpNext = !isUp
        // If a higher level has no higher throughput, the current one is as good as the best.
        if isUp { share = max(share, min(1, 1 / max(ratio, 0.1))) }
        if isUp { rest = min(max(2 * rest, Self.firstRest), Self.longestRest) }
        phase = .holding(isUp ? rest : 0)
    }
}

extension ThroughputSearch {
    /// Returns the next of the levels 1, 2, 3, 4, 6, 8, 12, 16, 24 and so on.
    static func above(_ level: Int) -> Int {
        level < 4 ? level + 1 : level + highestPower(level) / 2
    }

    static func below(_ level: Int) -> Int {
        guard level > 4 else { return max(1, level - 1) }
        let power = highestPower(level)
        return level == power ? level - power / 4 : max(power, level - power / 2)
    }

    private static func highestPower(_ level: Int) -> Int { 1 << (Int.bitWidth - 1 - level.leadingZeroBitCount) }
}

/// A measurement of the operations per second while a certain number of batches is in flight.
///
/// Replies to batches that are sent together arrive together, so a window consists of complete rounds, from one reply
/// to another. Batches that were already in flight when the limit changed are skipped.
struct ThroughputWindow: Hashable, Sendable {
    struct Measurement: Hashable, Sendable {
        let operations: Int
        let time: Duration
        /// The average time from sending a batch to its reply.
        let roundTrip: Duration

        static let none = Measurement(operations: 0, time: .zero, roundTrip: .zero)

        /// Operations per second.
        var rate: Double { Double(operations) / (time / .seconds(1)) }

        /// Adds a later measurement.
        static func += (all: inout Measurement, next: Measurement) {
            all = Measurement(
                operations: all.operations + next.operations,
                time: all.time + next.time,
                roundTrip: next.roundTrip
            )
        }
    }

    private let level: Int
    private var isPassedOver: Int
    private var start: FeedInstant?
    private var batches = 0
    private var operations = 0

    /// The minimum number of replies in a window; ``leastTime`` is its minimum duration.
    ///
    /// In a smaller window, a pause in the server would look like a trend.
    private static let leastBatches = 16
    private static let leastTime = Duration.milliseconds(150)
    /// The time after which ``leastRounds`` are sufficient, for a slow server.
    private static let patience = Duration.seconds(2)
    private static let leastRounds = 2

    /// Creates a window that begins once the replies to the batches of both levels have arrived.
    init(level: Int, after previous: Int) {
        self.level = level
        isPassedOver = max(level, previous)
    }

    /// Counts a batch whose reply has arrived; when the window is full, returns the measurement and begins the next
    /// window.
    mutating func add(_ count: Int, at now: FeedInstant) -> Measurement? {
        guard isPassedOver == 0, let start else {
            isPassedOver = max(0, isPassedOver - 1)
            if isPassedOver == 0 { start = now }
            return nil
        }
        batches += 1
        operations += count
        let elapsed = now - start
        guard batches % level == 0, elapsed > .zero, isEnough(elapsed) else { return nil }
        let measurement = Measurement(operations: operations, time: elapsed, roundTrip: elapsed * level / batches)
        (self.start, batches, operations) = (now, 0, 0)
        return measurement
    }

    private func isEnough(_ elapsed: Duration) -> Bool {
        if batches >= Self.leastBatches, elapsed >= Self.leastTime { return true }
        return batches >= Self.leastRounds * level && elapsed >= Self.patience
    }
}

/// A search for the largest batch size that does not reduce throughput, as a multiple of the first size.
///
/// In a larger batch, each operation costs the engine and the client less, even if throughput does not increase. So the
/// size doubles while the throughput holds. It returns to the first size permanently once the engine refuses a request
/// because of overload, or because a batch is too large.
///
/// An engine's throughput fluctuates by half within a second, because of garbage collection and segment writes. So the
/// reference size is measured for a while, and a larger size is abandoned only after an equally long time.
struct BatchSizeSearch: Hashable, Sendable {
    private(set) var factor = 1
    /// The maximum number of operations in a batch of the first size.
    private let count: Int
    /// The maximum number of operations that may be open at once.
    private let window: Int
    /// The measurements at this size so far.
    private var atThisSize = ThroughputWindow.Measurement.none
    /// The best throughput of any size that was measured for ``longEnough``; 0 if there is none.
    private var best = 0.0
    private(set) var isOver = false

    private static let largestFactor = 8
    /// The share of the best throughput that a larger size must retain.
    private static let leastShare = 0.95
    /// The share below which a size is abandoned immediately.
    private static let hopelessShare = 0.4
    /// The time over which fluctuations of an engine's throughput average out.
    private static let longEnough = Duration.milliseconds(800)
    /// The longest time that a batch of the next size may be expected to take: a longer one would delay other clients
    /// of the engine, and the reaction to an interruption.
    private static let longestRoundTrip = Duration.seconds(2)

    init(count: Int, window: Int) {
        (self.count, self.window) = (count, window)
    }

    /// Processes a measurement at this size, with `inFlight` batches in flight.
    mutating func measured(_ measurement: ThroughputWindow.Measurement, inFlight: Int) {
        guard !isOver else { return }
        atThisSize += measurement
        let isLongEnough = atThisSize.time >= Self.longEnough
        let share = best > 0 ? atThisSize.rate / best : 0
        // The first size is never abandoned, because there is no best throughput yet.
        if best > 0, share < Self.leastShare {
            if isLongEnough || share < Self.hopelessShare { retreat() }
            return
        }
        guard best > 0 || isLongEnough else { return }
        // A short measurement is not reliable enough as a reference for other sizes.
        if isLongEnough { best = max(best, atThisSize.rate) }
        let next = 2 * factor
        // Half of the window waits while the other half is in flight.
        let fits = 2 * inFlight * next * count <= window
        guard next <= Self.largestFactor, fits, atThisSize.roundTrip * 2 <= Self.longestRoundTrip else {
            isOver = true
            return
        }
        change(to: next)
    }

    /// Records that the input is too slow to fill batches of this size.
    mutating func starved() {
        if !isOver, factor > 1 { retreat() }
    }

    /// Records that the engine reported overload, or a batch that is too large.
    mutating func refused() {
        (factor, isOver) = (1, true)
    }

    /// Starts over after the engine has become available again, unless the search has ended.
    mutating func restart() {
        guard !isOver else { return }
        best = 0
        change(to: 1)
    }

    private mutating func retreat() {
        factor /= 2
        isOver = true
    }

    private mutating func change(to factor: Int) {
        self.factor = factor
        atThisSize = .none
    }
}
