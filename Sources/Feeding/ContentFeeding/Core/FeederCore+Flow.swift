extension FeederCore {
    /// The most batches that may be in flight now.
    public var inFlightLimit: Int { throttle.limit }

    /// The time until which nothing is sent, because the engine asked for a pause or makes no progress.
    public var pausedUntil: FeedInstant? {
        [throttle.pausedUntil, breaker.nextProbe].compactMap(\.self).max()
    }

    /// Adjusts the throttle and the circuit breaker to what a reply says about the engine.
    mutating func regulate(_ reply: BatchReply, of batch: BatchID, _ sent: SentBatch, at now: FeedInstant) {
        let tone = EngineHealthSignal(of: reply, to: sent.ids.count)
        if tone.isPutOff, case .results = reply { refused(batch, pause: nil, at: now) }
        if tone.isGood, !sent.isProbe {
            throttle.completed(sent.ids.count, at: now)
        } else {
            throttle.disturbed()
        }
        let isBack: Bool
        // A reply that settles anything is a success, whatever else it says.
        if tone.settles {
            isBack = breaker.succeeded(at: now)
        } else if let failure = tone.failure {
            breaker.failed(batch, failure, at: now)
            isBack = false
        } else {
            isBack = breaker.answered(batch, putOff: tone.putOff)
        }
        if isBack { throttle.ramp() }
    }

    /// Pauses all sending at the engine's request.
    mutating func slowDown(_ batch: BatchID, _ pause: Duration, at now: FeedInstant) {
        refused(batch, pause: pause, at: now)
    }

    private mutating func refused(_ batch: BatchID, pause: Duration?, at now: FeedInstant) {
        throttle.refused(
            batch,
            newest: BatchID(rawValue: lastBatch),
            pause: pause,
            policy: configuration.retry,
            at: now,
            using: &random
        )
    }

    /// Stops if there are too many errors, or if the time for the feed or for a success has run out.
    mutating func stopIfDue(at now: FeedInstant) {
        // With nothing left to send there is nothing to stop.
        guard stopReason == nil, !reading.hasEnded || window.count > 0 else { return }
        if let halt = configuration.halt, halt.applies(to: errorsHere, of: settledHere) {
            stopReason = .halted(errors: errorsHere, settled: settledHere)
        } else if let deadline = configuration.deadline, now >= FeedInstant(sinceStart: deadline) {
            stopReason = .deadline(deadline)
        } else if let limit = configuration.giveUpAfter, let end = surrender, end <= now {
            stopReason = .gaveUp(after: limit, last: breaker.lastFailure?.message ?? "")
        }
    }

    /// The time at which the feed gives up; while there is nothing to do, nobody waits for the engine.
    private var surrender: FeedInstant? {
        window.count > 0 ? breaker.surrender(after: configuration.giveUpAfter) : nil
    }

    /// The moments at which the flow has something to decide.
    var flowWishes: [FeedInstant?] {
        let deadline = configuration.deadline.map { FeedInstant(sinceStart: $0) }
        return [breaker.nextProbe, surrender, deadline]
    }

    /// Reports what has changed since the last time.
    mutating func tellFlow(at now: FeedInstant, _ commands: inout [Command]) {
        if throttle.limit != told.limit {
            told.limit = throttle.limit
            commands.append(.tell(.flow(.limit(told.limit))))
        }
        if let nextProbe = breaker.nextProbe, nextProbe != told.nextProbe, let failure = breaker.lastFailure {
            (told.nextProbe, told.isWaiting) = (nextProbe, true)
            commands.append(.tell(.flow(.waiting(failure, for: max(.zero, nextProbe - now)))))
        } else if told.isWaiting, breaker.isClosed {
            told.isWaiting = false
            commands.append(.tell(.flow(.answering)))
        }
    }
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
        case .split, .tooLarge: settles = count == 1
        case .stop: break
        }
    }
}

/// A change in the way batches are sent.
public enum FlowChange: Hashable, Sendable {
    /// At most this many batches are in flight from now on.
    case limit(Int)
    /// The engine makes no progress; nothing is sent until it is probed after this time.
    case waiting(DocumentFailure, for: Duration)
    /// The engine works again.
    case answering
}

/// The flow as last reported to the observer.
struct ReportedFlow: Hashable, Sendable {
    var limit = 0
    var nextProbe: FeedInstant?
    var isWaiting = false
}
