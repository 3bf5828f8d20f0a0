extension FeederCore {
    /// Gives an operation its outcome, and its document's next operation its turn.
    ///
    /// The next one may be settled by that at once, and so on: a loop, because a document can have many waiting.
    mutating func settle(
        _ id: OperationID,
        _ outcome: Outcome,
        _ issue: DocumentIssue?,
        at now: FeedInstant,
        _ settled: inout [OperationOutcome]
    ) {
        var next = settleOne(id, outcome, issue, at: now, &settled)
        while let id = next {
            guard let verdict = verdictBeforeSending(id) else { return makeReady(id, at: now) }
            next = settleOne(id, verdict.outcome, verdict.issue, at: now, &settled)
        }
    }

    /// Lets an operation go that has come to the head of its lane.
    mutating func begin(_ id: OperationID, at now: FeedInstant, _ settled: inout [OperationOutcome]) {
        if let verdict = verdictBeforeSending(id) {
            settle(id, verdict.outcome, verdict.issue, at: now, &settled)
        } else {
            makeReady(id, at: now)
        }
    }

    /// The outcome of an operation that need not be sent at all.
    private func verdictBeforeSending(_ id: OperationID) -> (outcome: Outcome, issue: DocumentIssue)? {
        guard let operation = window.operation(id) else { return nil }
        if isOutOfTime(id) { return (.expired, .error(.expired(after: nil))) }
        return refusal(of: operation).map { (.failed, .error($0)) }
    }

    /// Gives one operation its outcome; returns its document's next operation, if that may go now.
    private mutating func settleOne(
        _ id: OperationID,
        _ outcome: Outcome,
        _ issue: DocumentIssue?,
        at now: FeedInstant,
        _ settled: inout [OperationOutcome]
    ) -> OperationID? {
        guard let entry = window[id], let operation = window.remove(id) else { return nil }
        if entry.state == .ready { ready.left(byteCount: entry.byteCount) }
        counts[outcome] += 1
        settledHere += 1
        if let issue, issue.isError { errorsHere += 1 }
        if outcome != .failed { largestTaken = max(largestTaken, entry.byteCount) }
        reachedLevel = min(reachedLevel, capabilities.appliedLevel)
        let lane = lanes.removeHead(entry.lane, next: entry.next, at: now)
        if isJournaled { recordSettled(id, operation, entry, isHeld: lane?.heldUntil != nil) }
        settled.append(
            OperationOutcome(
                operationID: id,
                kind: operation.kind,
                documentID: operation.documentID,
                outcome: outcome,
                issue: issue,
                attempts: Int(entry.sends)
            )
        )
        guard let until = lane?.heldUntil else { return lane?.head }
        timers.insert(.lane(entry.lane), at: until)
        return nil
    }

    /// Forgets the operation's row, or keeps one for as long as its lane is held.
    private mutating func recordSettled(
        _ id: OperationID,
        _ operation: ContentOperation,
        _ entry: OperationWindow.Entry,
        isHeld: Bool
    ) {
        journal.rows[id] = nil
        if isHeld, entry.isMaybeApplied {
            journal.rows[id] = JournalRow(id: id, operation.detached(), entry, isSettled: true)
            if let before = lanes[entry.lane]?.row { journal.settledRows.append(before) }
            lanes.setRow(id, of: entry.lane)
        } else if entry.hasRow {
            journal.settledRows.append(id)
        }
    }

    mutating func expire(
        _ id: OperationID,
        _ failure: DocumentFailure?,
        at now: FeedInstant,
        _ settled: inout [OperationOutcome]
    ) {
        settle(id, .expired, .error(.expired(after: failure)), at: now, &settled)
    }

    /// Settles operations whose deadline has passed; those in flight are settled when they come back.
    mutating func expireOverdue(at now: FeedInstant, _ commands: inout [Command]) {
        // What was not sent when the feed was stopped stays open: a later run has all the time in the world for it.
        guard configuration.operationTimeout != nil, stopReason == nil else { return }
        var settled: [OperationOutcome] = []
        while deadlineCursor < window.next {
            if let entry = window[deadlineCursor] {
                guard entry.deadline <= now else { break }
                if entry.state == .inFlight {
                    window.update(deadlineCursor) { $0.isOverdue = true }
                } else if lanes[entry.lane]?.head == deadlineCursor {
                    expire(deadlineCursor, nil, at: now, &settled)
                } else {
                    // Its turn never came: an earlier operation on the document is still in flight.
                    window.update(deadlineCursor) { $0.isOverdue = true }
                }
            }
            deadlineCursor = deadlineCursor.next
        }
        announce(settled, &commands)
        if !settled.isEmpty { forgetSettledChunks() }
    }

    var nextDeadline: FeedInstant? {
        guard configuration.operationTimeout != nil else { return nil }
        return window[deadlineCursor]?.deadline
    }

    /// Tells of outcomes, or keeps them until the journal has them.
    mutating func announce(_ settled: [OperationOutcome], _ commands: inout [Command]) {
        guard !settled.isEmpty else { return }
        if isRecording {
            journal.outcomes += settled
        } else {
            commands.append(.settled(settled))
        }
    }
}

extension DocumentFailure {
    /// The time ran out, maybe after a failure.
    static func expired(after failure: DocumentFailure?) -> DocumentFailure {
        let reason = failure.map { ": \($0.message)" } ?? ""
        return DocumentFailure(.expired, "its time ran out\(reason)", disposition: .retryable)
    }
}
