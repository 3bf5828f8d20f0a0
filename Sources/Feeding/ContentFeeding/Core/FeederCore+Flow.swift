extension FeederCore {
    /// The most batches that may be in flight now.
    public var inFlightLimit: Int { throttle.limit }

    /// Until when nothing is sent, because the engine asked for a pause or does nothing.
    public var pausedUntil: FeedInstant? {
        [throttle.pausedUntil, breaker.nextProbe].compactMap(\.self).max()
    }

    /// Draws from a reply what it says of the engine.
    mutating func regulate(_ reply: BatchReply, of batch: BatchID, _ sent: SentBatch, at now: FeedInstant) {
        let tone = ReplyTone(of: reply, to: sent.ids.count)
        if tone.isPutOff, case .results = reply { refused(batch, pause: nil, at: now) }
        if tone.isGood, !sent.isProbe {
            throttle.completed(sent.ids.count, at: now)
        } else {
            throttle.disturbed()
        }
        let isBack: Bool
        // What settles something is a success, whatever else came of it.
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

    /// The engine asks for a pause, all of it.
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

    /// Stops when there are too many errors, or the time for the feed or for a success is over.
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

    /// When the feed gives up; while there is nothing to do, nobody waits for the engine.
    private var surrender: FeedInstant? {
        window.count > 0 ? breaker.surrender(after: configuration.giveUpAfter) : nil
    }

    /// Moments at which the flow has something to decide.
    var flowWishes: [FeedInstant?] {
        let deadline = configuration.deadline.map { FeedInstant(sinceStart: $0) }
        return [breaker.nextProbe, surrender, deadline]
    }

    /// Tells what has changed since the last time.
    mutating func tellFlow(at now: FeedInstant, _ commands: inout [Command]) {
        if throttle.limit != told.limit {
            told.limit = throttle.limit
            commands.append(.flow(.limit(told.limit)))
        }
        if let nextProbe = breaker.nextProbe, nextProbe != told.nextProbe, let failure = breaker.lastFailure {
            (told.nextProbe, told.isWaiting) = (nextProbe, true)
            commands.append(.flow(.waiting(failure, for: max(.zero, nextProbe - now))))
        } else if told.isWaiting, breaker.isClosed {
            told.isWaiting = false
            commands.append(.flow(.answering))
        }
    }
}

/// What a reply says of the engine, whatever it says of the operations.
private struct ReplyTone {
    /// Something got its outcome by it.
    private(set) var settles = false
    /// The engine did not do its work, or nobody knows.
    private(set) var failure: DocumentFailure?
    /// The engine has too much to do, and said so.
    private(set) var putOff: DocumentFailure?
    /// The engine did all of it.
    private(set) var isGood = false

    var isPutOff: Bool { putOff != nil }

    init(of reply: BatchReply, to count: Int) {
        switch reply {
        case .results(let results) where results.count == count: read(results)
        case .results: failure = DocumentFailure(.attemptsExhausted, "the engine's answer does not fit the question")
        case .failed(let failed): read(failed, count)
        }
    }

    private mutating func read(_ results: [OperationResult]) {
        for result in results {
            switch result {
            // Whoever finds that a document has changed does its work.
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
        // The last one of it fails by that.
        case .split, .tooLarge: settles = count == 1
        case .stop: break
        }
    }
}

/// How the way in which batches are sent has changed.
public enum FlowChange: Hashable, Sendable {
    /// From now on at most this many batches are in flight.
    case limit(Int)
    /// The engine does nothing; nothing is sent until it is asked again after this time.
    case waiting(DocumentFailure, for: Duration)
    /// It works again.
    case answering
}

/// What an observer has been told of the flow last.
struct ToldFlow: Hashable, Sendable {
    var limit = 0
    var nextProbe: FeedInstant?
    var isWaiting = false
}
