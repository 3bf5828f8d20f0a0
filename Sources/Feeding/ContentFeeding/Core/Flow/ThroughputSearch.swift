/// Finds the fewest batches in flight that bring about as many operations in a second as any number would.
///
/// It climbs by doubling as long as that pays, and from there on compares neighbours: the level held, then the
/// candidate, then the level held again, so that a server that grows slower is not mistaken for a level that is worse.
/// A higher level must bring clearly more, a lower one about the same: so on a flat curve it walks down to where the
/// curve begins to fall, and does not drift up. The longer nothing changes, the rarer it asks.
///
/// Vespa's feed client walks at random over 128 logarithmic buckets. On the servers of the tests that finds the same
/// levels, but it needs hundreds of replies for it, goes on wandering above a flat curve, where it costs latency, and
/// has no notion of a level that is refused. A feed of a million removals has a thousand replies.
struct ThroughputSearch: Hashable, Sendable {
    /// The level that is held; ``limit`` differs from it while another one is tried.
    private(set) var level: Int
    let ceiling: Int
    private var phase: Phase
    private var isUpNext = true
    /// Measurements at the level held between two comparisons.
    private var rest = 0
    /// What the level held brings, as a share of the best: several steps down must not add up.
    private var share = 1.0

    private enum Phase: Hashable {
        /// Doubling; the level before brought this much.
        case climbing(from: Int, Double)
        /// Measuring the level held, this often before something else is tried.
        case holding(Int)
        case trying(Int, before: Double)
        /// Measuring the level held once more, after the candidate.
        case confirming(Int, before: Double, tried: Double)
    }

    static let firstLevel = 4
    /// What doubling must bring, so that it is worth the latency.
    private static let gainOfDoubling = 1.1
    /// What a step up must bring.
    private static let gainOfStep = 1.05
    /// What a step down, and all of them together, may cost.
    private static let leastOfStep = 0.97
    private static let leastShare = 0.95
    /// Two measurements of one level that differ by more than this prove nothing.
    private static let trust = 0.75
    /// The most measurements between two comparisons, and the fewest once nothing changed.
    private static let longestRest = 64
    private static let firstRest = 4

    init(ceiling: Int) {
        self.ceiling = max(1, ceiling)
        level = min(Self.firstLevel, self.ceiling)
        phase = .climbing(from: level, 0)
    }

    /// The number of batches that may be in flight now.
    var limit: Int {
        switch phase {
        case .climbing, .holding, .confirming: level
        case .trying(let candidate, _): candidate
        }
    }

    /// Takes in a measurement at ``limit``; `isAllowed` says which levels the server has not refused.
    mutating func measured(_ rate: Double, isAllowed: (Int) -> Bool) {
        switch phase {
        case .climbing(let previous, let before): climb(from: previous, before, rate, isAllowed)
        case .holding(let left) where left > 0: phase = .holding(left - 1)
        case .holding: tryNext(after: rate, isAllowed)
        case .trying(let candidate, let before):
            // One that is far worse needs no second look.
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

    /// The level that is tried can't be kept busy.
    mutating func starved() {
        switch phase {
        case .climbing(let previous, let before) where before > 0:
            level = previous
            phase = .holding(0)
        case .trying(let candidate, _) where candidate > level: reject(candidate, ratio: 1)
        default: break
        }
    }

    /// The server refused a batch: back to the level held, or if that is the one refused, to a lower one.
    mutating func refused() {
        switch phase {
        case .climbing(let previous, let before) where before > 0: level = previous
        case .trying(let candidate, _) where candidate > level: break
        default: level = Self.below(limit)
        }
        (share, isUpNext) = (1, true)
        phase = .holding(Self.firstRest)
    }

    /// Holds no more than this.
    mutating func descend(to limit: Int) {
        guard limit < level else { return }
        level = max(1, limit)
    }

    /// Begins anew with a quarter of the level, because the server has just come back.
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
        guard mayRise || mayFall else { return phase = .holding(Self.firstRest) }
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

    /// Stays, and asks in the other direction; when both are refuted, rests.
    private mutating func reject(_ candidate: Int, ratio: Double) {
        let isUp = candidate > level
        isUpNext = !isUp
        // What a higher level does not bring is not missing.
        if isUp { share = max(share, min(1, 1 / max(ratio, 0.1))) }
        if isUp { rest = min(max(2 * rest, Self.firstRest), Self.longestRest) }
        phase = .holding(isUp ? rest : 0)
    }
}

extension ThroughputSearch {
    /// 1, 2, 3, 4, 6, 8, 12, 16, 24 and so on: the next one.
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
