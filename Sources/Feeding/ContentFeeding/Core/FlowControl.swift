/// The component that decides whether anything may be sent, and whether the feed continues at all.
///
/// It consists of a throttle, a circuit breaker and a rate limit, which adapt to the engine's replies. They receive
/// only the number of operations, not the operations themselves.
struct FlowControl: Sendable {
    private let configuration: FeedConfiguration
    private var throttle: Throttle
    private var breaker = CircuitBreaker()
    private var rate: RateLimit?
    /// The time at which the rate allows ready operations to be sent.
    private var rateWake: FeedInstant?
    private var newestBatch = BatchID(rawValue: 0)
    /// The number of operations settled in this run; ``errorCount`` is the number with an error.
    private var settledCount = 0
    private var errorCount = 0
    private var reported: ReportedFlow
    /// The time of the last report of a standstill; `nil` if there was none since the last success.
    private var lastWord: FeedInstant?

    /// The flow as last reported to the observer.
    private struct ReportedFlow {
        var limit: Int
        var batchSize = 1
        var nextProbe: FeedInstant?
        var isWaiting = false
    }

    /// The time without success after which a failing engine is reported; shorter interruptions are not reported.
    private static let firstWord = Duration.seconds(2)
    /// The time between further reports, and before the first one about an engine that has not failed but does not
    /// respond.
    private static let nextWord = Duration.seconds(30)

    init(_ configuration: FeedConfiguration, _ capabilities: EngineCapabilities) {
        self.configuration = configuration
        let count = min(capabilities.suitableBatchCount, capabilities.maximumBatchCount)
        throttle = Throttle(
            configuration.batchesInFlight,
            ceiling: capabilities.maximumBatchesInFlight,
            size: configuration.sizesBatches ? BatchSizeSearch(count: count, window: configuration.windowCount) : nil
        )
        rate = configuration.rate.map(RateLimit.init)
        reported = ReportedFlow(limit: throttle.limit)
    }

    /// The maximum number of batches that may be in flight now.
    var limit: Int { throttle.limit }

    /// The current size of batches, as a multiple of the first one's size.
    var batchSize: Int { throttle.batchSize }

    /// The maximum number of operations that the rate allows in a batch.
    var maximumCount: Int { rate?.maximumCount ?? .max }

    /// The time until which nothing is sent, because the engine requested a pause or is not making progress.
    var pausedUntil: FeedInstant? {
        [throttle.pausedUntil, breaker.nextProbe].compactMap(\.self).max()
    }

    /// Whether the engine appears to be making progress.
    var isAnswering: Bool { breaker.isClosed }

    /// The engine's most recent failure since it last settled an operation.
    var lastFailure: DocumentFailure? { breaker.lastFailure }

    mutating func endPause(at now: FeedInstant) { throttle.endPause(at: now) }

    /// Records that there was nothing to do until now.
    mutating func idled(until now: FeedInstant) { breaker.idled(until: now) }

    /// Returns the work that may be sent now, in up to ``limit`` batches.
    mutating func admission(at now: FeedInstant) -> CircuitBreaker.Admission {
        rateWake = nil
        return throttle.pausedUntil == nil ? breaker.admission(at: now) : .none
    }

    /// Returns whether the rate allows this many operations now; if not, records when it will.
    mutating func mayLeave(_ count: Int, at now: FeedInstant) -> Bool {
        guard let start = rate?.start(of: count, at: now), start > now else { return true }
        rateWake = start
        return false
    }

    /// Records that there was room for another batch, but nothing to send.
    mutating func starved() { throttle.starved() }

    /// Records that a batch of `count` operations is sent; `isFirst` is true if no other batch is in flight.
    mutating func sent(_ batch: BatchID, _ count: Int, isFirst: Bool, isProbe: Bool, at now: FeedInstant) {
        newestBatch = batch
        if isFirst { breaker.began(at: now) }
        if isProbe { breaker.probed(with: batch) }
        rate?.take(count, at: now)
    }

    /// Pauses all sending at the engine's request, and returns the end of the pause.
    mutating func slowDown(
        _ batch: BatchID,
        _ pause: Duration,
        at now: FeedInstant,
        using random: inout SplitMix64
    ) -> FeedInstant {
        refused(batch, pause: pause, at: now, using: &random)
        return throttle.pausedUntil ?? now
    }

    /// Adjusts the throttle and the circuit breaker according to a reply.
    mutating func take(
        _ reply: BatchReply,
        of batch: BatchID,
        _ sent: SentBatch,
        at now: FeedInstant,
        using random: inout SplitMix64
    ) {
        let signal = EngineHealthSignal(of: reply, to: sent.ids.count)
        if signal.isTooLarge { throttle.tooLarge() }
        if signal.isPutOff, case .results = reply { refused(batch, pause: nil, at: now, using: &random) }
        if signal.isGood, !sent.isProbe {
            throttle.completed(sent.ids.count, at: now)
        } else {
            throttle.disturbed()
        }
        if signal.settles { lastWord = nil }
        let isBack: Bool
        // A reply that settles any operation is a success, regardless of the other operations.
        if signal.settles {
            isBack = breaker.succeeded(at: now)
        } else if let failure = signal.failure {
            breaker.failed(batch, failure, at: now)
            isBack = false
        } else {
            isBack = breaker.answered(batch, putOff: signal.putOff)
        }
        if isBack { throttle.ramp() }
    }

    private mutating func refused(
        _ batch: BatchID,
        pause: Duration?,
        at now: FeedInstant,
        using random: inout SplitMix64
    ) {
        throttle.refused(
            batch,
            newest: newestBatch,
            pause: pause,
            policy: configuration.retry,
            at: now,
            using: &random
        )
    }

    /// Counts an operation that was settled.
    mutating func settled(isError: Bool) {
        settledCount += 1
        if isError { errorCount += 1 }
    }

    /// Returns the reason to stop: there are too many errors, or the time for the feed or for a success has run out.
    func stop(at now: FeedInstant, _ work: WorkAtHand) -> StopReason? {
        if let halt = configuration.halt, halt.applies(to: errorCount, of: settledCount) {
            .halted(errors: errorCount, settled: settledCount)
        } else if let deadline = configuration.deadline, now >= FeedInstant(sinceStart: deadline) {
            .deadline(deadline)
        } else if let limit = configuration.giveUpAfter, let end = surrender(work), end <= now {
            .gaveUp(after: limit, last: lastFailure?.message ?? "")
        } else {
            nil
        }
    }

    /// Returns the changes since the last call.
    mutating func takeChanges(at now: FeedInstant, _ work: WorkAtHand) -> [FlowChange] {
        var changes: [FlowChange] = []
        if let word = wordIsDue(work), word <= now {
            lastWord = now
            changes.append(.standstill(standstill(at: now, work)))
        }
        if limit != reported.limit {
            reported.limit = limit
            changes.append(.limit(limit))
        }
        if batchSize != reported.batchSize {
            reported.batchSize = batchSize
            changes.append(.batchSize(batchSize))
        }
        if let nextProbe = breaker.nextProbe, nextProbe != reported.nextProbe, let lastFailure {
            (reported.nextProbe, reported.isWaiting) = (nextProbe, true)
            changes.append(.waiting(lastFailure, for: max(.zero, nextProbe - now)))
        } else if reported.isWaiting, isAnswering {
            reported.isWaiting = false
            changes.append(.answering)
        }
        return changes
    }

    /// Returns the time at which the current standstill must be reported; `nil` if there is none.
    private func wordIsDue(_ work: WorkAtHand) -> FeedInstant? {
        guard let firstWord = firstWordIsDue(work) else { return nil }
        return lastWord.map { $0 + Self.nextWord } ?? firstWord
    }

    private func firstWordIsDue(_ work: WorkAtHand) -> FeedInstant? {
        guard work.open > 0 else { return nil }
        if lastFailure != nil { return breaker.noSuccessSince + Self.firstWord }
        return work.batchesInFlight > 0 || lastWord != nil ? breaker.noSuccessSince + Self.nextWord : nil
    }

    /// Returns the current standstill; `nil` if there is none worth reporting.
    func lastingStandstill(at now: FeedInstant, _ work: WorkAtHand) -> Standstill? {
        guard let firstWord = firstWordIsDue(work), firstWord <= now else { return nil }
        return standstill(at: now, work)
    }

    private func standstill(at now: FeedInstant, _ work: WorkAtHand) -> Standstill {
        let end = breaker.surrender(after: configuration.giveUpAfter)
        return Standstill(
            duration: now - breaker.noSuccessSince,
            failure: lastFailure,
            givesUpAfter: end.map { max(.zero, $0 - now) },
            open: work.open
        )
    }

    /// Returns the next time at which a decision is due; after a stop, that is only the end of a pause.
    func wake(after now: FeedInstant, isStopped: Bool, _ work: WorkAtHand) -> FeedInstant? {
        var wishes = [throttle.pausedUntil, wordIsDue(work)]
        if !isStopped {
            let deadline = configuration.deadline.map { FeedInstant(sinceStart: $0) }
            wishes += [rateWake, breaker.nextProbe, surrender(work), deadline]
        }
        return wishes.compactMap(\.self).filter { $0 > now }.min()
    }

    /// Returns the time at which the feed gives up.
    ///
    /// While there is nothing to do, the feed is not waiting for the engine.
    private func surrender(_ work: WorkAtHand) -> FeedInstant? {
        work.open > 0 ? breaker.surrender(after: configuration.giveUpAfter) : nil
    }
}

/// The numbers of unsettled operations and of batches whose reply has not arrived.
struct WorkAtHand {
    let open: Int
    let batchesInFlight: Int
}

/// A reply's verdict on the engine, apart from the operations.
private struct EngineHealthSignal {
    /// Whether the reply settled anything.
    private(set) var settles = false
    /// The failure, if the engine did not or may not have carried out the batch.
    private(set) var failure: DocumentFailure?
    /// The reason that the engine gave for its overload.
    private(set) var putOff: DocumentFailure?
    /// Whether the engine did all of its work.
    private(set) var isGood = false
    /// Whether the engine rejects batches of this size.
    private(set) var isTooLarge = false

    var isPutOff: Bool { putOff != nil }

    init(of reply: BatchReply, to count: Int) {
        switch reply {
        case .results(let results) where results.count == count: read(results)
        case .results: failure = DocumentFailure(.attemptsExhausted, "the engine's reply does not match the request")
        case .failed(let failed): read(failed, count)
        }
    }

    private mutating func read(_ results: [OperationResult]) {
        for result in results {
            switch result {
            // An engine that detects a changed document is working.
            case .done, .failed, .outdated: settles = true
            case .notNow(let reason): if putOff == nil { putOff = reason }
            case .unknown(let reason, _): if failure == nil { failure = reason }
            }
        }
        isGood = putOff == nil && failure == nil
    }

    private mutating func read(_ failed: BatchFailure, _ count: Int) {
        switch failed.kind {
        case .definite, .ambiguous: failure = failed.failure
        case .slowDown: putOff = failed.failure
        case .permanent: settles = true
        // A batch of one operation fails permanently.
        case .split: settles = count == 1
        case .tooLarge: (settles, isTooLarge) = (count == 1, true)
        case .stop: break
        }
    }
}

/// A change in the way batches are sent.
public enum FlowChange: Hashable, Sendable {
    /// From now on, at most this many batches are in flight.
    case limit(Int)
    /// From now on, batches are this many times as large as the first ones.
    case batchSize(Int)
    /// The engine is not making progress; nothing is sent until it is probed after this time.
    case waiting(DocumentFailure, for: Duration)
    /// The engine works again.
    case answering
    /// Nothing has succeeded for a while.
    ///
    /// This is reported after two seconds of failures or thirty seconds without a reply, and every thirty seconds after
    /// that.
    case standstill(Standstill)
    /// All open operations follow operations on the same documents whose result is unknown, and are held back at most
    /// for this time, because a copy of these may still arrive.
    case held(open: Int, for: Duration)
}

/// A period in which nothing succeeds although there is something to do.
public struct Standstill: Hashable, Sendable {
    /// The time since the last success.
    public let duration: Duration
    /// The engine's last failure; `nil` if the engine has simply not replied.
    public let failure: DocumentFailure?
    /// The time left until the feed gives up; `nil` if it never gives up, or if the engine has not failed.
    public let givesUpAfter: Duration?
    /// The number of operations that are not settled.
    public let open: Int
}

/// The limit on batches in flight, and the pauses in which none may be sent.
///
/// ``ThroughputSearch`` finds the best limit, and ``BatchSizeSearch`` the size of batches; this type handles a server
/// that refuses batches (429). Refusals lower the limit at most once per round trip, because the other batches in
/// flight were sent under the old limit. After a refusal, all sending pauses for at least as long as the server
/// requests. The pause is random, so that many clients spread out, and grows with each refused round. The refused limit
/// is remembered, and retried only rarely.
struct Throttle: Sendable {
    private var search: ThroughputSearch?
    private var size: BatchSizeSearch?
    private let fixedLimit: Int
    private var window: ThroughputWindow
    private(set) var pausedUntil: FeedInstant?
    private var refusal: Refusal?
    /// The number of consecutive rounds that were refused.
    private var streak = 0
    /// The last refused round.
    private var round = Round()
    /// The number of times that the limit may go unfilled before that counts as a lack of input.
    private var patience = Self.usualPatience

    /// A number of batches in flight that the server refused.
    private struct Refusal {
        var level: Int
        var wait: Duration
        var retryAt: FeedInstant
        /// The number of batches accepted since then.
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
    /// The number of batches to accept before retrying a refused limit, so retries remain rare.
    private static let takenBeforeRetry = 200
    /// The lowest ceiling at which a search is worthwhile.
    private static let leastCeiling = 3
    private static let usualPatience = 3

    /// Creates a throttle; `size` searches for the batch size, if that is wanted and the limit is searched for as well.
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

    /// The maximum number of batches that may be in flight now.
    var limit: Int { search?.limit ?? fixedLimit }

    /// The current size of batches, as a multiple of the first one's size.
    var batchSize: Int { size?.factor ?? 1 }

    /// Records that the server accepted a batch of `count` operations.
    mutating func completed(_ count: Int, at now: FeedInstant) {
        streak = 0
        guard let search else { return }
        refusal?.taken += 1
        guard let measurement = window.add(count, at: now) else { return }
        patience = Self.usualPatience
        if let level = refusal?.level, limit >= level { refusal = nil }
        // Search for the size only once the useful number of batches is known: the more batches, the less a larger size
        // helps.
        if let size, !size.isOver, !search.isClimbing {
            resize { $0.measured(measurement, inFlight: $1) }
        } else {
            change { [refusal] in $0.measured(measurement.rate) { Self.isAllowed($0, by: refusal, at: now) } }
        }
    }

    /// Records that a batch was too large for the server.
    mutating func tooLarge() {
        resize { size, _ in size.refused() }
    }

    /// Records that the server refused the batch and requests this pause or, if `nil`, that it postponed part of the
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
        // The number of batches that were not refused is the number that the server accepts.
        change { [round] in $0.descend(to: round.limit - round.refused) }
        let spread = isNewRound ? policy.pause(after: streak, using: &random) : .zero
        let until = now + min(max(pause, spread, .milliseconds(1)), policy.maximumSlowDown)
        pausedUntil = max(pausedUntil ?? until, until)
    }

    /// Discards the measurement: something other than the limit has changed the speed.
    mutating func disturbed() {
        window = ThroughputWindow(level: limit, after: limit)
    }

    /// Records that there was room, but nothing to send.
    mutating func starved() {
        guard search != nil else { return }
        patience -= 1
        if patience <= 0 {
            resize { size, _ in size.starved() }
            change { $0.starved() }
        }
        disturbed()
    }

    /// Restarts the search after the server has become available again.
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

    /// Changes the batch size, given the limit, and discards measurements at other sizes.
    private mutating func resize(_ body: (inout BatchSizeSearch, _ limit: Int) -> Void) {
        guard var changed = size else { return }
        let before = changed.factor
        body(&changed, limit)
        size = changed
        guard changed.factor != before else { return }
        // Larger batches take a while to fill, because each is read in several chunks.
        patience = Self.usualPatience + limit * changed.factor
        disturbed()
    }

    private static func isAllowed(_ level: Int, by refusal: Refusal?, at now: FeedInstant) -> Bool {
        guard let refusal, level >= refusal.level else { return true }
        return now >= refusal.retryAt && refusal.taken >= takenBeforeRetry
    }
}

/// A circuit breaker, which stops sending to an engine that is not making progress, probes the engine from time to
/// time, and finally gives up.
///
/// While the breaker is *closed*, everything is sent. When there have been failures and no success for a while, it
/// *opens*: nothing is sent until it is time to *probe* the engine with one operation. A success closes it at any time.
///
/// An engine that requests a pause (429) is alive, so the breaker does not open; but the time without success keeps
/// running, so a job does not wait forever.
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
    /// The time of the last success, or the time at which work began if there was no success before.
    ///
    /// The beginning of a feed counts as a success, because the target and the collection have just been checked.
    private var since = FeedInstant.start
    /// The time at which the last idle period ended.
    private var idleUntil = FeedInstant.start
    private var hasFailures = false
    /// The last failure since then, including postponements.
    private(set) var lastFailure: DocumentFailure?

    /// The time without success after which failures open the breaker.
    private static let patience = Duration.seconds(10)
    private static let firstWait = Duration.seconds(1)
    private static let longestWait = Duration.seconds(30)

    var isClosed: Bool { state == .closed }

    /// The time of the next probe; `nil` while the breaker is closed or a probe is in progress.
    var nextProbe: FeedInstant? {
        if case .open(let instant, _) = state { instant } else { nil }
    }

    /// Records that a batch is sent after an idle period, which does not count as a lack of success.
    mutating func began(at now: FeedInstant) {
        if lastFailure == nil { since = now }
    }

    /// Records that there was nothing to do: idle time does not count toward giving up, regardless of earlier failures.
    mutating func idled(until now: FeedInstant) { idleUntil = now }

    /// Returns the work that may be sent now; opens the breaker if necessary.
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

    /// Records that the engine settled something, and returns whether that closed the breaker.
    mutating func succeeded(at now: FeedInstant) -> Bool {
        defer { state = .closed }
        (since, hasFailures, lastFailure) = (now, false, nil)
        return state != .closed
    }

    /// Records that the engine failed, or may have failed.
    mutating func failed(_ batch: BatchID, _ failure: DocumentFailure, at now: FeedInstant) {
        (hasFailures, lastFailure) = (true, failure)
        if case .probing(batch, let wait) = state {
            let longer = min(wait * 2, Self.longestWait)
            state = .open(nextProbe: now + longer, wait: longer)
        } else {
            trip(at: now)
        }
    }

    /// Records that the engine replied but settled nothing, and returns whether that closed the breaker.
    mutating func answered(_ batch: BatchID, putOff failure: DocumentFailure? = nil) -> Bool {
        if let failure { lastFailure = failure }
        guard isProbe(batch) else { return false }
        hasFailures = false
        state = .closed
        return true
    }

    /// The start of the period in which nothing has succeeded although there was something to do.
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
