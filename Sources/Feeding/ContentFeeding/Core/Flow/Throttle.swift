/// How many batches may be in flight, and until when none may be sent.
///
/// The search for the best number is ``ThroughputSearch``; here is what a server that refuses (429) adds to it. A
/// refusal costs at most one cut for each round trip, because the batches behind it were sent under the old number. All
/// sending pauses, longer with each round that is refused, at random so that many clients spread out, and at least as
/// long as the server asks for. The number that was refused is remembered, and tried again only rarely.
struct Throttle: Sendable {
    private var search: ThroughputSearch?
    private let fixedLimit: Int
    private var window: ThroughputWindow
    private(set) var pausedUntil: FeedInstant?
    private var refusal: Refusal?
    /// Rounds that were refused one after the other.
    private var streak = 0
    /// The last round that was refused.
    private var round = Round()
    /// How often the number in flight could not be kept up since it was last measured.
    private var starvations = 0

    /// A number of batches in flight that the server refused.
    private struct Refusal {
        var level: Int
        var wait: Duration
        var retryAt: FeedInstant
        /// Batches that were taken since then.
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
    /// So many batches must have been taken before a refused number is tried again: retries stay a small share.
    private static let takenBeforeRetry = 200
    /// Below it there is nothing to search.
    private static let leastCeiling = 3
    private static let maximumStarvations = 3

    init(_ setting: BatchesInFlight, ceiling: Int) {
        let ceiling = max(1, ceiling)
        switch setting {
        case .adaptive where ceiling >= Self.leastCeiling:
            search = ThroughputSearch(ceiling: ceiling)
            fixedLimit = ceiling
        case .adaptive: fixedLimit = ceiling
        case .fixed(let count): fixedLimit = min(max(1, count), ceiling)
        }
        let limit = search?.limit ?? fixedLimit
        window = ThroughputWindow(level: limit, after: 0)
    }

    /// The most batches in flight now.
    var limit: Int { search?.limit ?? fixedLimit }

    /// A batch of `count` operations was taken by the server.
    mutating func completed(_ count: Int, at now: FeedInstant) {
        streak = 0
        guard search != nil else { return }
        refusal?.taken += 1
        guard let rate = window.add(count, at: now) else { return }
        starvations = 0
        if let level = refusal?.level, limit >= level { refusal = nil }
        change { [refusal] in $0.measured(rate) { Self.isAllowed($0, by: refusal, at: now) } }
    }

    /// The server refused the batch and asks for this pause; or, with none, put off a part of it.
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
        if isNewRound {
            round = Round(last: newest, limit: limit)
            streak += 1
            cut(at: now)
        }
        guard let pause else { return }
        round.refused += 1
        // What was not refused is what the server takes.
        change { [round] in $0.descend(to: round.limit - round.refused) }
        let spread = isNewRound ? policy.pause(after: streak, using: &random) : .zero
        let until = now + min(max(pause, spread, .milliseconds(1)), policy.maximumSlowDown)
        pausedUntil = max(pausedUntil ?? until, until)
    }

    /// Something else than the number in flight has changed the speed: what was measured says nothing.
    mutating func disturbed() {
        window = ThroughputWindow(level: limit, after: limit)
    }

    /// There was nothing to send, and room for it.
    mutating func starved() {
        guard search != nil else { return }
        starvations += 1
        if starvations >= Self.maximumStarvations { change { $0.starved() } }
        disturbed()
    }

    /// The server is back after it was gone.
    mutating func ramp() {
        change { $0.ramp() }
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
        starvations = 0
        window = ThroughputWindow(level: limit, after: before)
    }

    private static func isAllowed(_ level: Int, by refusal: Refusal?, at now: FeedInstant) -> Bool {
        guard let refusal, level >= refusal.level else { return true }
        return now >= refusal.retryAt && refusal.taken >= takenBeforeRetry
    }
}
