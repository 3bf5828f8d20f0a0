/// A circuit breaker: stops sending to an engine that makes no progress, probes it now and then, and finally gives up.
///
/// *Closed*: everything is sent. After failures and no success for a while, it is *open*: nothing is sent until it is
/// time to *probe* with one operation. A success closes it at any time.
///
/// An engine that asks for a pause (429) is alive and never opens the breaker; but the time without success keeps
/// running, so that a job does not wait forever either.
struct CircuitBreaker: Sendable {
    /// The permission to send.
    enum Admission: Hashable {
        case all
        /// One operation, to see whether the engine is back.
        case probe
        case none
    }

    private enum State: Hashable {
        case closed
        case open(nextProbe: FeedInstant, wait: Duration)
        case probing(BatchID, wait: Duration)
    }

    private var state = State.closed
    /// The time of the last success, or of the beginning of work if there was none before.
    ///
    /// The beginning of a feed counts as a success: target and collection were checked just before.
    private var since = FeedInstant.start
    /// The time at which there was something to do again.
    private var idleUntil = FeedInstant.start
    private var hasFailures = false
    /// The last failure since then, including postponements.
    private(set) var lastFailure: DocumentFailure?

    /// The time without success after which failures open the breaker.
    private static let patience = Duration.seconds(10)
    private static let firstWait = Duration.seconds(1)
    private static let longestWait = Duration.seconds(30)

    var isClosed: Bool { state == .closed }

    /// The time of the next probe; `nil` while the breaker is closed, or a probe is under way.
    var nextProbe: FeedInstant? {
        if case .open(let instant, _) = state { instant } else { nil }
    }

    /// Notes that a batch is sent after an idle time, which is not held against the engine.
    mutating func began(at now: FeedInstant) {
        if lastFailure == nil { since = now }
    }

    /// Notes that there was nothing to do: idle time does not count toward giving up, whatever went wrong before.
    mutating func idled(until now: FeedInstant) { idleUntil = now }

    /// Returns what may be sent now; opens the breaker when that is due.
    mutating func admission(at now: FeedInstant) -> Admission {
        trip(at: now)
        return switch state {
        case .closed: .all
        case .open(let nextProbe, _): nextProbe <= now ? .probe : .none
        case .probing: .none
        }
    }

    mutating func probed(with batch: BatchID) {
        if case .open(_, let wait) = state { state = .probing(batch, wait: wait) }
    }

    func isProbe(_ batch: BatchID) -> Bool {
        if case .probing(batch, _) = state { true } else { false }
    }

    /// Notes that the engine settled something; returns whether that closed the breaker.
    mutating func succeeded(at now: FeedInstant) -> Bool {
        defer { state = .closed }
        (since, hasFailures, lastFailure) = (now, false, nil)
        return state != .closed
    }

    /// Notes that the engine failed, or that nobody knows whether it did.
    mutating func failed(_ batch: BatchID, _ failure: DocumentFailure, at now: FeedInstant) {
        (hasFailures, lastFailure) = (true, failure)
        if case .probing(batch, let wait) = state {
            let longer = min(wait * 2, Self.longestWait)
            state = .open(nextProbe: now + longer, wait: longer)
        } else {
            trip(at: now)
        }
    }

    /// Notes that the engine answered but settled nothing; returns whether that closed the breaker.
    mutating func answered(_ batch: BatchID, putOff failure: DocumentFailure? = nil) -> Bool {
        if let failure { lastFailure = failure }
        guard isProbe(batch) else { return false }
        hasFailures = false
        state = .closed
        return true
    }

    /// The time since which nothing has succeeded although there was something to do.
    var noSuccessSince: FeedInstant { max(since, idleUntil) }

    /// Returns the time at which the feed gives up on an engine that makes no progress; `nil` while there is no
    /// failure.
    func surrender(after limit: Duration?) -> FeedInstant? {
        guard lastFailure != nil, let limit else { return nil }
        return noSuccessSince + limit
    }

    private mutating func trip(at now: FeedInstant) {
        guard state == .closed, hasFailures, now - since >= Self.patience else { return }
        state = .open(nextProbe: now + Self.firstWait, wait: Self.firstWait)
    }
}
