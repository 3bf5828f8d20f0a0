/// The decisions on whether anything may be sent, and whether the feed goes on at all.
///
/// A throttle, a circuit breaker and a rate limit share them. They learn from the engine's replies; of operations they
/// know only the number.
struct FlowControl: Sendable {
    private let configuration: FeedConfiguration
    private var throttle: Throttle
    private var breaker = CircuitBreaker()
    private var rate: RateLimit?
    /// The time at which the rate allows ready operations to be sent.
    private var rateWake: FeedInstant?
    private var newestBatch = BatchID(rawValue: 0)
    /// Operations settled in this run; ``errorCount`` are those with an error.
    private var settledCount = 0
    private var errorCount = 0
    private var reported: ReportedFlow
    /// The time of the last word about a standstill; `nil` if there was none since the last success.
    private var lastWord: FeedInstant?

    /// The flow as last reported to the observer.
    private struct ReportedFlow {
        var limit: Int
        var batchSize = 1
        var nextProbe: FeedInstant?
        var isWaiting = false
    }

    /// The time without success after which a failing engine is mentioned; a moment's pause is not worth a word.
    private static let firstWord = Duration.seconds(2)
    /// The time between further words, and before the first one about an engine that has not failed but is silent.
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

    /// The most batches that may be in flight now.
    var limit: Int { throttle.limit }

    /// The size of batches now, as a multiple of the first one.
    var batchSize: Int { throttle.batchSize }

    /// The most operations that the rate allows in a batch.
    var maximumCount: Int { rate?.maximumCount ?? .max }

    /// The time until which nothing is sent, because the engine asked for a pause or makes no progress.
    var pausedUntil: FeedInstant? {
        [throttle.pausedUntil, breaker.nextProbe].compactMap(\.self).max()
    }

    /// Whether the engine makes progress, as far as is known.
    var isAnswering: Bool { breaker.isClosed }

    /// The engine's last failure since it last settled anything.
    var lastFailure: DocumentFailure? { breaker.lastFailure }

    mutating func endPause(at now: FeedInstant) { throttle.endPause(at: now) }

    /// Notes that there was nothing to do until now.
    mutating func idled(until now: FeedInstant) { breaker.idled(until: now) }

    /// Returns what may be sent now, in up to ``limit`` batches.
    mutating func admission(at now: FeedInstant) -> CircuitBreaker.Admission {
        rateWake = nil
        return throttle.pausedUntil == nil ? breaker.admission(at: now) : .none
    }

    /// Returns whether the rate allows this many operations now; if not, notes when it does.
    mutating func mayLeave(_ count: Int, at now: FeedInstant) -> Bool {
        guard let start = rate?.start(of: count, at: now), start > now else { return true }
        rateWake = start
        return false
    }

    /// Notes that there was room for another batch, but nothing to send.
    mutating func starved() { throttle.starved() }

    /// Notes that a batch of `count` operations is sent; `isFirst` says that no other one is in flight.
    mutating func sent(_ batch: BatchID, _ count: Int, isFirst: Bool, isProbe: Bool, at now: FeedInstant) {
        newestBatch = batch
        if isFirst { breaker.began(at: now) }
        if isProbe { breaker.probed(with: batch) }
        rate?.take(count, at: now)
    }

    /// Pauses all sending at the engine's request; returns the end of the pause.
    mutating func slowDown(
        _ batch: BatchID,
        _ pause: Duration,
        at now: FeedInstant,
        using random: inout SplitMix64
    ) -> FeedInstant {
        refused(batch, pause: pause, at: now, using: &random)
        return throttle.pausedUntil ?? now
    }

    /// Adjusts the throttle and the circuit breaker to what a reply says about the engine.
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
        // A reply that settles anything is a success, whatever else it says.
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

    /// Returns what has changed since the last time.
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

    /// Returns the time at which a word about the standstill is due; `nil` while there is none.
    private func wordIsDue(_ work: WorkAtHand) -> FeedInstant? {
        guard let firstWord = firstWordIsDue(work) else { return nil }
        return lastWord.map { $0 + Self.nextWord } ?? firstWord
    }

    private func firstWordIsDue(_ work: WorkAtHand) -> FeedInstant? {
        guard work.open > 0 else { return nil }
        if lastFailure != nil { return breaker.noSuccessSince + Self.firstWord }
        return work.batchesInFlight > 0 || lastWord != nil ? breaker.noSuccessSince + Self.nextWord : nil
    }

    /// Returns the standstill that lasts now; `nil` if there is none worth a word.
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

    /// Returns the next moment at which there is something to decide; after a stop that is only the end of a pause.
    func wake(after now: FeedInstant, isStopped: Bool, _ work: WorkAtHand) -> FeedInstant? {
        var wishes = [throttle.pausedUntil, wordIsDue(work)]
        if !isStopped {
            let deadline = configuration.deadline.map { FeedInstant(sinceStart: $0) }
            wishes += [rateWake, breaker.nextProbe, surrender(work), deadline]
        }
        return wishes.compactMap(\.self).filter { $0 > now }.min()
    }

    /// Returns the time at which the feed gives up; while there is nothing to do, nobody waits for the engine.
    private func surrender(_ work: WorkAtHand) -> FeedInstant? {
        work.open > 0 ? breaker.surrender(after: configuration.giveUpAfter) : nil
    }
}

/// The numbers of operations not settled and of batches not answered.
struct WorkAtHand {
    let open: Int
    let batchesInFlight: Int
}

/// A reply's verdict on the engine, regardless of what it says about the operations.
private struct EngineHealthSignal {
    /// Whether the reply settled anything.
    private(set) var settles = false
    /// The failure if the engine did not do its work, or if nobody knows whether it did.
    private(set) var failure: DocumentFailure?
    /// The reason the engine gave for being overloaded.
    private(set) var putOff: DocumentFailure?
    /// Whether the engine did all of its work.
    private(set) var isGood = false
    /// Whether the engine takes no batches of this size.
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
            // An engine that notices a changed document is working.
            case .done, .failed, .outdated: settles = true
            case .notNow(let reason): if putOff == nil { putOff = reason }
            case .unknown(let reason): if failure == nil { failure = reason }
            }
        }
        isGood = putOff == nil && failure == nil
    }

    private mutating func read(_ failed: BatchFailure, _ count: Int) {
        switch failed.kind {
        case .definite, .ambiguous: failure = failed.failure
        case .slowDown: putOff = failed.failure
        case .permanent: settles = true
        // A batch of one operation fails for good.
        case .split: settles = count == 1
        case .tooLarge: (settles, isTooLarge) = (count == 1, true)
        case .stop: break
        }
    }
}

/// A change in the way batches are sent.
public enum FlowChange: Hashable, Sendable {
    /// At most this many batches are in flight from now on.
    case limit(Int)
    /// Batches are this many times as large as the first ones from now on.
    case batchSize(Int)
    /// The engine makes no progress; nothing is sent until it is probed after this time.
    case waiting(DocumentFailure, for: Duration)
    /// The engine works again.
    case answering
    /// Nothing has succeeded for a while: told after two seconds of failures, or thirty of silence, and then every
    /// thirty seconds.
    case standstill(Standstill)
}

/// A time in which nothing succeeds although there is something to do.
public struct Standstill: Hashable, Sendable {
    /// The time since the last success.
    public let duration: Duration
    /// The engine's last failure; `nil` if it has simply not answered.
    public let failure: DocumentFailure?
    /// The time left until the feed gives up; `nil` if it never does, or as long as the engine has not failed.
    public let givesUpAfter: Duration?
    /// The number of operations that are not settled.
    public let open: Int
}
