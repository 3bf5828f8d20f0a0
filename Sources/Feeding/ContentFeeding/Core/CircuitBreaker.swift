/// Stops sending to an engine that does nothing any more, asks it now and then, and in the end gives up.
///
/// *Closed*: everything is sent. When there were failures and for a while no success, it is *open*: nothing is sent,
/// until it is time to *probe* with one operation. A success closes it, at any time.
///
/// An engine that asks for a pause (429) is alive and never opens it; but the time without success goes on, so that a
/// job does not wait for ever either.
struct CircuitBreaker: Sendable {
    /// Whether anything may be sent.
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
    /// The last success, or when work began after there was none.
    ///
    /// The beginning of a feed counts as a success: target and collection were looked at just before.
    private var since = FeedInstant.start
    /// When there was something to do again.
    private var idleUntil = FeedInstant.start
    private var hasFailures = false
    /// What went wrong last since then, put off included.
    private(set) var lastFailure: DocumentFailure?

    /// Without success for this long, failures open it.
    private static let patience = Duration.seconds(10)
    private static let firstWait = Duration.seconds(1)
    private static let longestWait = Duration.seconds(30)

    var isClosed: Bool { state == .closed }

    /// When the next probe is due; `nil` while it is closed, or one is under way.
    var nextProbe: FeedInstant? {
        if case .open(let instant, _) = state { instant } else { nil }
    }

    /// A batch is sent after a time in which there was nothing to do: that time is not held against the engine.
    mutating func began(at now: FeedInstant) {
        if lastFailure == nil { since = now }
    }

    /// There was nothing to do: that time is no time of giving up, whatever went wrong before.
    mutating func idled(until now: FeedInstant) { idleUntil = now }

    /// Whether anything may be sent now; opens when it has become due.
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

    /// The engine settled something; says whether that has closed the breaker.
    mutating func succeeded(at now: FeedInstant) -> Bool {
        defer { state = .closed }
        (since, hasFailures, lastFailure) = (now, false, nil)
        return state != .closed
    }

    /// The engine failed, or nobody knows.
    mutating func failed(_ batch: BatchID, _ failure: DocumentFailure, at now: FeedInstant) {
        (hasFailures, lastFailure) = (true, failure)
        if case .probing(batch, let wait) = state {
            let longer = min(wait * 2, Self.longestWait)
            state = .open(nextProbe: now + longer, wait: longer)
        } else {
            trip(at: now)
        }
    }

    /// The engine answered and settled nothing; says whether that has closed the breaker.
    mutating func answered(_ batch: BatchID, putOff failure: DocumentFailure? = nil) -> Bool {
        if let failure { lastFailure = failure }
        guard isProbe(batch) else { return false }
        hasFailures = false
        state = .closed
        return true
    }

    /// When the engine has done nothing for so long that the feed gives up; `nil` while there is no trouble.
    func surrender(after limit: Duration?) -> FeedInstant? {
        guard lastFailure != nil, let limit else { return nil }
        return max(since, idleUntil) + limit
    }

    private mutating func trip(at now: FeedInstant) {
        guard state == .closed, hasFailures, now - since >= Self.patience else { return }
        state = .open(nextProbe: now + Self.firstWait, wait: Self.firstWait)
    }
}
