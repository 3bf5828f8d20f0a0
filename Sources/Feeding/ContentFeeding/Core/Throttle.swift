/// The limit on batches in flight, and the pauses in which none may be sent.
///
/// ``ThroughputSearch`` finds the best limit, and ``BatchSizeSearch`` the size of batches; this type handles a server
/// that refuses batches (429). A refusal costs at most one cut per round trip, because the batches behind it were sent
/// under the old limit. All sending pauses, longer with each refused round, at random so that many clients spread out,
/// and at least as long as the server asks. The refused limit is remembered, and retried only rarely.
struct Throttle: Sendable {
    private var search: ThroughputSearch?
    private var size: BatchSizeSearch?
    private let fixedLimit: Int
    private var window: ThroughputWindow
    private(set) var pausedUntil: FeedInstant?
    private var refusal: Refusal?
    /// The number of consecutive refused rounds.
    private var streak = 0
    /// The last refused round.
    private var round = Round()
    /// The number of times that the limit may fail to be filled before that counts as a lack of input.
    private var patience = Self.usualPatience

    /// A number of batches in flight that the server refused.
    private struct Refusal {
        var level: Int
        var wait: Duration
        var retryAt: FeedInstant
        /// Batches accepted since then.
        var taken = 0
    }

    /// The batches that were in flight when one of them was refused.
    private struct Round {
        var last = BatchID(rawValue: 0)
        var limit = 0
        var refused = 0
    }

    private static let firstRefusalWait = Duration.seconds(30)
    private static let longestRefusalWait = Duration.seconds(600)
    /// Batches to accept before retrying a refused limit, so that retries stay a small share.
    private static let takenBeforeRetry = 200
    /// The lowest ceiling at which there is something to search.
    private static let leastCeiling = 3
    private static let usualPatience = 3

    /// `size` searches for the size of batches, if that is wanted and the limit is searched for, too.
    init(_ setting: BatchesInFlight, ceiling: Int, size: BatchSizeSearch? = nil) {
        let ceiling = max(1, ceiling)
        switch setting {
        case .adaptive where ceiling >= Self.leastCeiling:
            search = ThroughputSearch(ceiling: ceiling)
            self.size = size
            fixedLimit = ceiling
        case .adaptive: fixedLimit = ceiling
        case .fixed(let count): fixedLimit = min(max(1, count), ceiling)
        }
        let limit = search?.limit ?? fixedLimit
        window = ThroughputWindow(level: limit, after: 0)
    }

    /// The most batches in flight now.
    var limit: Int { search?.limit ?? fixedLimit }

    /// The size of batches now, as a multiple of the first one.
    var batchSize: Int { size?.factor ?? 1 }

    /// Notes that the server accepted a batch of `count` operations.
    mutating func completed(_ count: Int, at now: FeedInstant) {
        streak = 0
        guard let search else { return }
        refusal?.taken += 1
        guard let measurement = window.add(count, at: now) else { return }
        patience = Self.usualPatience
        if let level = refusal?.level, limit >= level { refusal = nil }
        // The size once it is known how many batches the server can use: the more of them, the less a larger one helps.
        if let size, !size.isOver, !search.isClimbing {
            resize { $0.measured(measurement, inFlight: $1) }
        } else {
            change { [refusal] in $0.measured(measurement.rate) { Self.isAllowed($0, by: refusal, at: now) } }
        }
    }

    /// Notes that the server found a batch too large.
    mutating func tooLarge() {
        resize { size, _ in size.refused() }
    }

    /// Notes that the server refused the batch and asks for this pause; or, without one, that it put off part of the
    /// batch.
    ///
    /// `newest` is the last batch that was sent.
    mutating func refused(
        _ batch: BatchID,
        newest: BatchID,
        pause: Duration?,
        policy: RetryPolicy,
        at now: FeedInstant,
        using random: inout SplitMix64
    ) {
        let isNewRound = batch.rawValue > round.last.rawValue
        resize { size, _ in size.refused() }
        if isNewRound {
            round = Round(last: newest, limit: limit)
            streak += 1
            cut(at: now)
        }
        guard let pause else { return }
        round.refused += 1
        // The batches not refused are what the server accepts.
        change { [round] in $0.descend(to: round.limit - round.refused) }
        let spread = isNewRound ? policy.pause(after: streak, using: &random) : .zero
        let until = now + min(max(pause, spread, .milliseconds(1)), policy.maximumSlowDown)
        pausedUntil = max(pausedUntil ?? until, until)
    }

    /// Discards the measurement: something other than the limit has changed the speed.
    mutating func disturbed() {
        window = ThroughputWindow(level: limit, after: limit)
    }

    /// Notes that there was room, but nothing to send.
    mutating func starved() {
        guard search != nil else { return }
        patience -= 1
        if patience <= 0 {
            resize { size, _ in size.starved() }
            change { $0.starved() }
        }
        disturbed()
    }

    /// Restarts the search after the server has come back.
    mutating func ramp() {
        change { $0.ramp() }
        resize { size, _ in size.restart() }
        disturbed()
    }

    mutating func endPause(at now: FeedInstant) {
        if let until = pausedUntil, until <= now { pausedUntil = nil }
    }

    private mutating func cut(at now: FeedInstant) {
        guard let refused = search?.limit else { return }
        let wait = refusal.map { min($0.wait * 2, Self.longestRefusalWait) } ?? Self.firstRefusalWait
        let level = min(refused, refusal?.level ?? refused)
        refusal = Refusal(level: level, wait: wait, retryAt: now + wait)
        change { $0.refused() }
        disturbed()
    }

    private mutating func change(_ body: (inout ThroughputSearch) -> Void) {
        let before = limit
        if var changed = search {
            body(&changed)
            search = changed
        }
        guard limit != before else { return }
        patience = Self.usualPatience
        window = ThroughputWindow(level: limit, after: before)
    }

    /// Changes the size of batches, given the limit; what was measured at another size does not count.
    private mutating func resize(_ body: (inout BatchSizeSearch, _ limit: Int) -> Void) {
        guard var changed = size else { return }
        let before = changed.factor
        body(&changed, limit)
        size = changed
        guard changed.factor != before else { return }
        // Larger batches are not there yet: each is read in several pieces.
        patience = Self.usualPatience + limit * changed.factor
        disturbed()
    }

    private static func isAllowed(_ level: Int, by refusal: Refusal?, at now: FeedInstant) -> Bool {
        guard let refusal, level >= refusal.level else { return true }
        return now >= refusal.retryAt && refusal.taken >= takenBeforeRetry
    }
}
