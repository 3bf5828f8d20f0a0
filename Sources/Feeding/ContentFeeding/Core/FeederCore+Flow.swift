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
