/// Correlations over all units: those that may go on, and the busiest of those that ended.
///
/// A correlation ends when it was silent for ten minutes of log time; what ended only competes for the list.
struct CorrelationLedger {
    /// Milliseconds of silence after which a correlation has ended.
    static let silence: Int64 = 600_000
    /// How many of those that ended are kept.
    static let listed = 100

    private var open = CorrelationTable()
    private var busiest: [CorrelationCount] = []
    /// The last one of those that are listed, once there are so many: one that is not before it never will be.
    private var last: CorrelationCount?
    private var sweepAt = 20_000
    private(set) var ended = 0
    private(set) var evicted = 0

    /// How many there were.
    var count: Int { ended + open.counts.count }

    /// Adds what was counted behind everything that was added so far.
    ///
    /// `horizon` is in milliseconds: no row to come is older, as far as names of files say; `.min` when nothing is known.
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

    /// The busiest first; of equal ones by id.
    func list() -> [CorrelationCount] {
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
    mutating func merge(_ other: CorrelationCount) {
        count &+= other.count
        if other.first < first { first = other.first }
        if other.last > last { last = other.last }
        rank = min(rank, other.rank)
    }
}
