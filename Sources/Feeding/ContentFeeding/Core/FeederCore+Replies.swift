extension FeederCore {
    /// Decides what becomes of each operation of a batch that came back.
    mutating func take(
        _ reply: BatchReply,
        of batch: BatchID,
        at now: FeedInstant,
        _ commands: inout [Command]
    ) {
        guard let ids = inFlight.removeValue(forKey: batch) else { return }
        var settled: [OperationOutcome] = []
        settled.reserveCapacity(ids.count)
        switch reply {
        case .results(let results) where results.count == ids.count:
            for (id, result) in zip(ids, results) { take(result, of: id, at: now, &settled, &commands) }
        case .results(let results):
            let failure = DocumentFailure(
                .attemptsExhausted,
                "the engine answered \(results.count) results to \(ids.count) operations",
                disposition: .retryable
            )
            retry(ids, failure, isAmbiguous: true, at: now, &settled, &commands)
        case .failed(let failure):
            take(failure, of: ids, at: now, &settled, &commands)
        }
        announce(settled, &commands)
        forgetSettledChunks()
    }

    private mutating func take(
        _ result: OperationResult,
        of id: OperationID,
        at now: FeedInstant,
        _ settled: inout [OperationOutcome],
        _ commands: inout [Command]
    ) {
        switch result {
        case .done(.missing): settle(id, .missing, missingIssue(id), at: now, &settled)
        case .done(.stale): settle(id, .stale, .warning(.stale), at: now, &settled)
        case .done(.dropped): settle(id, .dropped, .warning(.dropped), at: now, &settled)
        case .done(let outcome): settle(id, outcome, nil, at: now, &settled)
        case .failed(let failure): settle(id, .failed, .error(failure), at: now, &settled)
        case .notNow(let failure): retry([id], failure, isAmbiguous: false, at: now, &settled, &commands)
        case .unknown(let failure): retry([id], failure, isAmbiguous: true, at: now, &settled, &commands)
        }
    }

    private mutating func take(
        _ failure: BatchFailure,
        of ids: [OperationID],
        at now: FeedInstant,
        _ settled: inout [OperationOutcome],
        _ commands: inout [Command]
    ) {
        switch failure.kind {
        case .definite:
            retry(ids, failure.failure, isAmbiguous: false, at: now, &settled, &commands)
        case .ambiguous:
            retry(ids, failure.failure, isAmbiguous: true, at: now, &settled, &commands)
        case .permanent:
            for id in ids { settle(id, .failed, .error(failure.failure), at: now, &settled) }
        case .split:
            split(ids, failure.failure, at: now, &settled)
        case .slowDown(let pause):
            let until = now + max(pause, .milliseconds(1))
            pausedUntil = max(pausedUntil ?? until, until)
            for id in ids { putBack(id, at: now, &settled) }
            commands.append(.retrying(count: ids.count, failure.failure, after: until - now))
        case .stop(let code):
            for id in ids { putBack(id, at: now, &settled) }
            stopReason = stopReason ?? .engine(code, message: failure.failure.message)
        }
    }

    /// After an unclear send of our own, a missing document is most likely one that our first copy removed.
    private func missingIssue(_ id: OperationID) -> DocumentIssue? {
        guard let entry = window[id] else { return nil }
        if entry.isMaybeApplied, entry.operation.kind == .remove { return nil }
        switch configuration.missing {
        case .error: return .error(.missing)
        case .warn: return .warning(.missing)
        case .ignore: return nil
        }
    }

    /// Gives an operation back to the queue as if it had not been sent.
    private mutating func putBack(_ id: OperationID, at now: FeedInstant, _ settled: inout [OperationOutcome]) {
        guard let entry = window[id] else { return }
        guard !entry.isOverdue else { return expire(id, nil, at: now, &settled) }
        makeReady(id, at: now)
    }

    private mutating func split(
        _ ids: [OperationID],
        _ failure: DocumentFailure,
        at now: FeedInstant,
        _ settled: inout [OperationOutcome]
    ) {
        guard ids.count > 1 else {
            for id in ids { settle(id, .failed, .error(failure), at: now, &settled) }
            return
        }
        for id in ids { window.update(id) { $0.state = .grouped } }
        let middle = ids.count / 2
        groups.insert(contentsOf: [Array(ids[..<middle]), Array(ids[middle...])], at: 0)
    }

    /// Tries again after a pause that the operations of a batch have in common, as often as the policy allows.
    private mutating func retry(
        _ ids: [OperationID],
        _ failure: DocumentFailure,
        isAmbiguous: Bool,
        at now: FeedInstant,
        _ settled: inout [OperationOutcome],
        _ commands: inout [Command]
    ) {
        let attempt = (ids.map { window[$0]?.attempts ?? 0 }.max() ?? 0) + 1
        let until = now + configuration.retry.pause(after: attempt, using: &random)
        commands.append(.retrying(count: ids.count, failure, after: until - now))
        for id in ids {
            guard let entry = window[id] else { continue }
            window.update(id) { entry in
                entry.attempts += 1
                entry.isMaybeApplied = entry.isMaybeApplied || isAmbiguous
            }
            if isAmbiguous { hold(entry.operation.documentID, at: now) }
            if entry.isOverdue {
                expire(id, failure, at: now, &settled)
            } else if entry.attempts + 1 >= configuration.retry.attempts {
                let last = DocumentFailure(
                    .attemptsExhausted,
                    "given up after \(entry.attempts + 1) attempts: \(failure.message)",
                    disposition: .retryable
                )
                settle(id, .failed, .error(last), at: now, &settled)
            } else {
                pause(id, until: until)
            }
        }
    }

    private mutating func pause(_ id: OperationID, until: FeedInstant) {
        window.update(id) { $0.state = .paused(until: until) }
        window.setAside(id)
        timers.insert(.operation(id), at: until)
        if isJournaled, let entry = window[id] {
            window.update(id) { $0.hasRow = true }
            journal.rows[id] = JournalRow(
                id: id,
                operation: entry.operation,
                attempts: entry.attempts,
                sends: entry.sends
            )
        }
    }

    /// Keeps later operations on the document waiting for as long as a copy of this one may still arrive.
    mutating func hold(_ document: DocumentID, at now: FeedInstant) {
        guard quarantine > .zero else { return }
        lanes.hold(document, until: now + quarantine)
    }

    var quarantine: Duration {
        capabilities.hasFence ? .zero : configuration.quarantine ?? capabilities.quarantine
    }
}

extension DocumentFailure {
    fileprivate static let stale = DocumentFailure(
        .stale,
        "a newer operation on the document had been there first",
        disposition: .dropped
    )
    fileprivate static let dropped = DocumentFailure(
        .dropped,
        "the engine dropped the operation on purpose",
        disposition: .dropped
    )
}
