extension FeederCore {
    /// Asks the engine for the next level that someone waits for, once everything they wait for is settled.
    mutating func raiseForBarriers(_ commands: inout [Command]) {
        guard stopReason == nil else { return answerBarriersAfterStop(&commands) }
        guard raising == nil, !barriers.isEmpty || isDrained else { return }
        // An outcome that is not durable yet counts as open.
        let lowest = min(window.lowest, journal.lowestPending ?? window.lowest)
        var level = isDrained && reading.hasEnded ? configuration.level : .submitted
        for barrier in barriers where barrier.through < lowest { level = max(level, barrier.level) }
        if level > reachedLevel {
            raising = Raising(level: level, through: lowest, settled: counts.settled)
            commands.append(.raise(level))
        } else {
            answerBarriers(below: lowest, reached: reachedLevel, &commands)
        }
    }

    private var isJournalSettled: Bool { !isRecording || journal.isIdle }

    private mutating func answerBarriers(
        below lowest: OperationID,
        reached: CompletionLevel,
        _ commands: inout [Command]
    ) {
        barriers.removeAll { barrier in
            guard barrier.through < lowest, barrier.level <= reached else { return false }
            commands.append(.reached(barrier.id, nil))
            return true
        }
    }

    private mutating func answerBarriersAfterStop(_ commands: inout [Command]) {
        guard let stopReason, inFlight.isEmpty else { return }
        for barrier in barriers { commands.append(.reached(barrier.id, stopReason.engineError)) }
        barriers = []
    }

    mutating func raised(_ error: EngineError?, _ commands: inout [Command]) {
        guard let raising else { return }
        self.raising = nil
        if let error {
            stopReason = stopReason ?? .engine(error.code, message: error.message)
        } else {
            if counts.settled == raising.settled { reachedLevel = raising.level }
            answerBarriers(below: raising.through, reached: raising.level, &commands)
        }
    }

    /// Nothing is open and nothing is on its way to the journal.
    private var isDrained: Bool { window.count == 0 && isJournalSettled }

    /// Ends the feed when there is nothing left to do, or nothing more may be done.
    mutating func finishIfDone(_ commands: inout [Command]) {
        guard raising == nil else { return }
        if let stopReason {
            guard inFlight.isEmpty, isJournalSettled else { return }
            isFinished = true
            commands.append(.finish(.stopped(stopReason)))
        } else if reading.hasEnded, isDrained, configuration.level <= reachedLevel,
            barriers.isEmpty
        {
            isFinished = true
            commands.append(.finish(reading.failure.map { .stopped(.input(message: $0)) } ?? .completed))
        }
    }
}

extension StopReason {
    /// The reason as the error that a waiting caller gets.
    var engineError: EngineError {
        switch self {
        case .engine(let code, let message): EngineError(code, message)
        case .input(let message), .storage(let message): EngineError(.inputOutput, message)
        case .gaveUp(_, let last): EngineError(.unreachable, "the engine has done nothing for too long; last: \(last)")
        case .deadline: EngineError(.rejected, "the time for the feed is over")
        case .halted(let errors, _): EngineError(.rejected, "\(errors) documents have an error")
        case .interrupted, .terminated: EngineError(.rejected, "the feed was stopped")
        }
    }
}
