extension FeederCore {
    /// Gives an operation its outcome, and its document's next operation its turn.
    mutating func settle(
        _ id: OperationID,
        _ outcome: Outcome,
        _ issue: DocumentIssue?,
        at now: FeedInstant,
        _ settled: inout [OperationOutcome]
    ) {
        guard let entry = window.remove(id) else { return }
        if entry.state == .ready { ready.left(byteCount: entry.operation.byteCount) }
        counts[outcome] += 1
        settled.append(
            OperationOutcome(
                operationID: id,
                kind: entry.operation.kind,
                documentID: entry.operation.documentID,
                outcome: outcome,
                issue: issue,
                attempts: entry.sends
            )
        )
        reachedLevel = min(reachedLevel, capabilities.appliedLevel)
        let document = entry.operation.documentID
        let lane = lanes.removeHead(document, next: entry.next, at: now)
        recordSettled(id, entry, isHeld: lane?.heldUntil != nil)
        if let until = lane?.heldUntil {
            timers.insert(.lane(document), at: until)
        } else if let next = lane?.head {
            begin(next, at: now, &settled)
        }
    }

    /// Forgets the operation's row, or keeps one for as long as its lane is held.
    private mutating func recordSettled(_ id: OperationID, _ entry: OperationWindow.Entry, isHeld: Bool) {
        guard isJournaled else { return }
        journal.rows[id] = nil
        if isHeld {
            let (operation, attempts, sends) = (entry.operation, entry.attempts, entry.sends)
            journal.rows[id] = JournalRow(
                id: id,
                operation: operation,
                attempts: attempts,
                sends: sends,
                isSettled: true
            )
            if let before = lanes[operation.documentID]?.row { journal.settledRows.append(before) }
            lanes.setRow(id, of: operation.documentID)
        } else if entry.hasRow {
            journal.settledRows.append(id)
        }
    }

    /// Lets an operation go that has come to the head of its lane.
    private mutating func begin(_ id: OperationID, at now: FeedInstant, _ settled: inout [OperationOutcome]) {
        guard let entry = window[id] else { return }
        if entry.isOverdue {
            expire(id, nil, at: now, &settled)
        } else if let failure = refusal(of: entry.operation) {
            settle(id, .failed, .error(failure), at: now, &settled)
        } else {
            makeReady(id, at: now)
        }
    }

    mutating func expire(
        _ id: OperationID,
        _ failure: DocumentFailure?,
        at now: FeedInstant,
        _ settled: inout [OperationOutcome]
    ) {
        let reason = failure.map { ": \($0.message)" } ?? ""
        let expired = DocumentFailure(.expired, "its time ran out\(reason)", disposition: .retryable)
        settle(id, .expired, .error(expired), at: now, &settled)
    }

    /// Settles operations whose deadline has passed; those in flight are settled when they come back.
    mutating func expireOverdue(at now: FeedInstant, _ commands: inout [Command]) {
        guard configuration.operationTimeout != nil else { return }
        var settled: [OperationOutcome] = []
        while deadlineCursor < window.next {
            if let entry = window[deadlineCursor], let deadline = entry.deadline {
                guard deadline <= now else { break }
                if entry.state == .inFlight {
                    window.update(deadlineCursor) { $0.isOverdue = true }
                } else if lanes[entry.operation.documentID]?.head == deadlineCursor {
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

    var nextDeadline: FeedInstant? { window[deadlineCursor]?.deadline }

    /// Tells of outcomes, or keeps them until the journal has them.
    mutating func announce(_ settled: [OperationOutcome], _ commands: inout [Command]) {
        guard !settled.isEmpty else { return }
        if isJournaled {
            journal.outcomes += settled
        } else {
            commands.append(.settled(settled))
        }
    }
}
