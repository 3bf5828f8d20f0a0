import TextKit

extension FeederCore {
    /// Determines the result of each operation in a batch whose reply has arrived.
    mutating func take(_ reply: BatchReply, of batch: BatchID, at now: FeedInstant, _ commands: inout [Command]) {
        guard let sent = inFlight.removeValue(forKey: batch) else { return }
        var settled: [OperationOutcome] = []
        settled.reserveCapacity(sent.ids.count)
        var stored: [OperationID] = []
        switch reply {
        case .results(let results) where results.count == sent.ids.count:
            carried.forget(through: sent.carriedThrough)
            if keepsProgress { stored = sent.ids }
            take(results, of: sent, at: now, &settled, &commands)
        case .results(let results):
            let failure = DocumentFailure(
                .attemptsExhausted,
                "the engine returned \(results.count) results for \(sent.ids.count) operations",
                disposition: .retryable
            )
            retry(sent.ids.map { ($0, failure) }, .unclear, at: now, &settled, &commands)
        case .failed(let failure):
            take(failure, of: sent, as: batch, at: now, &settled, &commands)
        }
        splitter.removePart(of: sent.origin)
        flow.take(reply, of: batch, sent, at: now, using: &random)
        announce(settled, storedByEngine: stored, &commands)
        forgetSettledChunks()
    }

    private mutating func take(
        _ results: [OperationResult],
        of sent: SentBatch,
        at now: FeedInstant,
        _ settled: inout [OperationOutcome],
        _ commands: inout [Command]
    ) {
        var later: [(OperationID, DocumentFailure)] = []
        var outdated: [(OperationID, DocumentFailure)] = []
        var unclear: [(OperationID, DocumentFailure)] = []
        var answered: [(OperationID, DocumentFailure)] = []
        for (place, id) in sent.ids.enumerated() {
            if place + Self.prefetchDistance < sent.ids.count,
                let entry = window[sent.ids[place + Self.prefetchDistance]]
            {
                lanes.prefetch(entry.lane)
            }
            switch results[place] {
            case .done(let outcome): settle(id, as: outcome, at: now, &settled)
            case .failed(let failure): settle(id, .failed, .error(explained(failure, of: id)), at: now, &settled)
            case .notNow(let failure): later.append((id, failure))
            case .outdated(let failure): outdated.append((id, failure))
            case .unknown(let failure, answered: false): unclear.append((id, failure))
            case .unknown(let failure, answered: true): answered.append((id, failure))
            }
        }
        // An operation that the engine postpones because of its own load has not used up an attempt.
        retry(later, .uncharged, at: now, &settled, &commands)
        retry(outdated, .charged, at: now, &settled, &commands)
        retry(unclear, .unclear, at: now, &settled, &commands)
        retry(answered, .answered, at: now, &settled, &commands)
    }

    /// Returns the failure with another possible reason added: the lost reply may have been a success, and the document
    /// may have been changed since, perhaps by the engine's own pipeline.
    private func explained(_ failure: DocumentFailure, of id: OperationID) -> DocumentFailure {
        guard failure.isConflict, window[id]?.mayHaveApplied == true else { return failure }
        let word = failure.code == .alreadyExists ? "added" : "written"
        return DocumentFailure(
            failure.code,
            "\(failure.message); an earlier attempt of this operation may have \(word) it"
        )
    }

    /// Returns whether an earlier run, whose operations are sent again, had removed the document.
    private func isGoneSinceEarlierRun(_ id: OperationID) -> Bool {
        guard let repeated = reading.resumed?.repeated, let operation = window.operation(id) else { return false }
        return repeated.hasRemoved(operation, id) && !(window[id]?.isDuplicate ?? false)
    }

    private mutating func settle(
        _ id: OperationID,
        as outcome: Outcome,
        at now: FeedInstant,
        _ settled: inout [OperationOutcome]
    ) {
        switch outcome {
        case .updated where window.mayHaveBeenAdded(by: id, addsMissing: configuration.addsMissing),
            // An update that finds its own result has already changed the document.
            .noop
        where !keepsProgress && configuration.addsMissing && window.mayHaveBeenAdded(by: id, addsMissing: true):
            counts.perhapsAdded += 1
            settle(id, .updated, nil, at: now, &settled)
        default:
            let (outcome, issue) = outcome.reported(
                configuration.missing,
                isDuplicate: window[id]?.isDuplicate ?? false,
                // The document may have been removed by an earlier attempt of the same operation.
                wasRemoved: window.mayHaveBeenRemoved(by: id) || isGoneSinceEarlierRun(id)
            )
            settle(id, outcome, issue, at: now, &settled)
        }
    }

    private mutating func take(
        _ failure: BatchFailure,
        of sent: SentBatch,
        as batch: BatchID,
        at now: FeedInstant,
        _ settled: inout [OperationOutcome],
        _ commands: inout [Command]
    ) {
        let ids = sent.ids
        switch failure.kind {
        case .definite(let isCharged):
            let charge: Charge = isCharged ? .charged : .uncharged
            retry(ids.map { ($0, failure.failure) }, charge, at: now, &settled, &commands)
        case .ambiguous:
            retry(ids.map { ($0, failure.failure) }, .unclear, at: now, &settled, &commands)
        case .permanent:
            for id in ids { settle(id, .failed, .error(failure.failure), at: now, &settled) }
        case .split(let mayHaveApplied):
            // The complete reply arrived, so no copy is still in transit, and there is no need to wait for one.
            if mayHaveApplied { for id in ids { window.update(id) { $0.mayHaveApplied = true } } }
            split(sent, as: batch, failure.failure, at: now, &settled)
        case .tooLarge: divide(sent, failure.failure, at: now, &settled)
        case .slowDown(let pause):
            let until = flow.slowDown(batch, pause, at: now, using: &random)
            for id in ids { putBack(id, at: now, &settled) }
            commands.append(.tell(.retrying(count: ids.count, failure.failure, after: until - now)))
        case .stop(let code):
            for id in ids { putBack(id, at: now, &settled) }
            stopReason = stopReason ?? .engine(code, message: failure.failure.message)
        }
    }

    /// Splits a batch that failed because of one of its operations; the parts are sent again until that operation is
    /// isolated.
    private mutating func split(
        _ sent: SentBatch,
        as batch: BatchID,
        _ failure: DocumentFailure,
        at now: FeedInstant,
        _ settled: inout [OperationOutcome]
    ) {
        guard sent.ids.count > 1 else {
            splitter.foundBad(in: sent.origin)
            for id in sent.ids { settle(id, .failed, .error(failure), at: now, &settled) }
            return
        }
        let ids = inTime(sent.ids, failure, at: now, &settled)
        for id in ids { window.update(id) { $0.state = .grouped } }
        splitter.split(ids, of: sent, as: batch)
    }

    /// Splits a batch that is too large into halves of about equal size, which are sent again, and keeps later batches
    /// smaller.
    private mutating func divide(
        _ sent: SentBatch,
        _ failure: DocumentFailure,
        at now: FeedInstant,
        _ settled: inout [OperationOutcome]
    ) {
        guard sent.ids.count > 1 else {
            let failure = DocumentFailure(.documentTooLarge, failure.message, disposition: failure.disposition)
            for id in sent.ids { settle(id, .failed, .error(failure), at: now, &settled) }
            return
        }
        splitter.learn(tooLarge: sent.ids.reduce(0) { $0 + (window[$1]?.byteCount ?? 0) })
        let ids = inTime(sent.ids, failure, at: now, &settled)
        for id in ids { window.update(id) { $0.state = .grouped } }
        splitter.divide(ids, sizes: ids.map { window[$0]?.byteCount ?? 0 }, of: sent)
    }

    /// Expires the operations whose time has run out, and returns the other operations.
    private mutating func inTime(
        _ ids: [OperationID],
        _ failure: DocumentFailure,
        at now: FeedInstant,
        _ settled: inout [OperationOutcome]
    ) -> [OperationID] {
        for id in ids where isOutOfTime(id) { expire(id, failure, at: now, &settled) }
        return ids.filter { window[$0] != nil }
    }

    /// Returns an operation to the queue as if it had not been sent.
    private mutating func putBack(_ id: OperationID, at now: FeedInstant, _ settled: inout [OperationOutcome]) {
        guard !isOutOfTime(id) else { return expire(id, nil, at: now, &settled) }
        makeReady(id, at: now)
    }

    /// The cost of a failure: whether it counts as an attempt, and whether the operation may have taken effect.
    private enum Charge {
        case uncharged
        case charged
        /// The operation may have taken effect, or may still do so.
        case unclear
        /// The operation may have taken effect, but does not do so later.
        case answered
    }

    /// Retries the operations of a batch after a shared pause, as often as the policy allows.
    private mutating func retry(
        _ failed: [(id: OperationID, failure: DocumentFailure)],
        _ charge: Charge,
        at now: FeedInstant,
        _ settled: inout [OperationOutcome],
        _ commands: inout [Command]
    ) {
        guard let first = failed.first else { return }
        let attempt = Int(failed.map { window[$0.id]?.sends ?? 0 }.max() ?? 0)
        let until = now + configuration.retry.pause(after: attempt, using: &random)
        commands.append(.tell(.retrying(count: failed.count, first.failure, after: until - now)))
        for (id, failure) in failed {
            if charge != .uncharged { window.update(id) { $0.attempts += 1 } }
            switch charge {
            case .uncharged, .charged: break
            case .unclear: suspect(id, at: now)
            case .answered: window.update(id) { $0.mayHaveApplied = true }
            }
            let attempts = Int(window[id]?.attempts ?? 0)
            if isOutOfTime(id) {
                expire(id, failure, at: now, &settled)
            } else if attempts >= configuration.retry.attempts {
                let last = DocumentFailure(
                    .attemptsExhausted,
                    "gave up after \(Quantity(attempts, "attempt", "attempts")): \(failure.message)",
                    disposition: .retryable
                )
                settle(id, .failed, .error(lastFailure(last, of: id)), at: now, &settled)
            } else {
                pause(id, until: until)
            }
        }
    }

    /// Returns the failure of an operation that is not sent again; a later job must not repeat a counting update that may
    /// have been applied.
    private func lastFailure(_ failure: DocumentFailure, of id: OperationID) -> DocumentFailure {
        guard window[id]?.mayHaveApplied == true, window.operation(id)?.isCounting == true else { return failure }
        return .perhapsCountedBefore(failure)
    }

    /// Records that a copy of the operation may have taken effect, or may still do so.
    private mutating func suspect(_ id: OperationID, at now: FeedInstant) {
        guard let lane = window[id]?.lane else { return }
        window.update(id) { $0.mayHaveApplied = true }
        quarantine(lane, at: now)
    }

    /// Delays later operations on the document while a copy of this one may still arrive.
    mutating func quarantine(_ lane: LaneKey, at now: FeedInstant) {
        guard quarantineTime > .zero else { return }
        lanes.quarantine(lane, until: now + quarantineTime)
    }

    var quarantineTime: Duration {
        capabilities.hasFence ? .zero : configuration.quarantine ?? capabilities.quarantine
    }

    private mutating func pause(_ id: OperationID, until: FeedInstant) {
        window.update(id) { entry in
            entry.state = .paused
            entry.pausedUntil = until
        }
        window.setAside(id)
        timers.insert(.operation(id), at: until)
        guard isRecording, let entry = window[id], let operation = window.operation(id) else { return }
        window.update(id) { $0.hasRow = true }
        journal.rows[id] = JournalRow(id: id, operation, entry)
    }
}

extension FeederCore {
    /// Starts an operation that has reached the head of its lane.
    mutating func begin(_ id: OperationID, at now: FeedInstant, _ settled: inout [OperationOutcome]) {
        if let verdict = verdictBeforeSending(id) {
            settle(id, verdict.outcome, verdict.issue, at: now, &settled)
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
        settle(id, .expired, .error(lastFailure(.expired(after: failure), of: id)), at: now, &settled)
    }

    /// Settles an operation, and starts the next operation on the same document.
    ///
    /// The next operation may then be settled immediately, and so may the one after it. This is a loop rather than a
    /// recursion, because many operations on a document may be waiting.
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

    /// Returns the outcome of an operation that need not be sent at all.
    private func verdictBeforeSending(_ id: OperationID) -> (outcome: Outcome, issue: DocumentIssue)? {
        guard let operation = window.operation(id) else { return nil }
        if isOutOfTime(id) { return (.expired, .error(lastFailure(.expired(after: nil), of: id))) }
        return limits.refusal(of: operation).map { (.failed, .error($0)) }
    }

    private func isOutOfTime(_ id: OperationID) -> Bool { stopReason == nil && window[id]?.isOverdue ?? false }

    /// Settles one operation, and returns the next operation on its document if that one may be sent now.
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
        flow.settled(isError: issue?.isError ?? false)
        if outcome.showsThatTheEngineTookIt { splitter.taken(entry.byteCount) }
        reachedLevel = min(reachedLevel, capabilities.appliedLevel)
        let lane = lanes.removeHead(entry.lane, next: entry.next, at: now)
        if isJournaled { recordSettled(id, operation, entry, isQuarantined: lane?.quarantinedUntil != nil) }
        settled.append(
            OperationOutcome(
                operationID: id,
                kind: operation.kind,
                documentID: operation.documentID,
                routing: operation.routing,
                outcome: outcome,
                issue: issue,
                attempts: Int(entry.sends)
            )
        )
        guard let until = lane?.quarantinedUntil else { return lane?.head }
        timers.insert(.lane(entry.lane), at: until)
        return nil
    }

    /// Drops the operation's row, or keeps it while its lane is in quarantine.
    private mutating func recordSettled(
        _ id: OperationID,
        _ operation: ContentOperation,
        _ entry: OperationWindow.Entry,
        isQuarantined: Bool
    ) {
        if !journal.rows.isEmpty { journal.rows[id] = nil }
        if isQuarantined, entry.mayHaveApplied {
            journal.rows[id] = JournalRow(id: id, operation.detached(), entry, isSettled: true)
            lanes.addRow(id, of: entry.lane)
        } else if entry.hasRow {
            journal.settledRows.append(id)
        }
    }

    /// Announces outcomes, or holds them back until they are stored in the journal.
    ///
    /// Outcomes that the engine has not stored with a batch are sent to it with the next one.
    mutating func announce(
        _ settled: [OperationOutcome],
        storedByEngine stored: [OperationID] = [],
        _ commands: inout [Command]
    ) {
        guard !settled.isEmpty else { return }
        // Usually, the settled operations are those that the engine stored, in the same order.
        if keepsProgress, !settled.elementsEqual(stored, by: { $0.operationID == $1 }) {
            let stored = Set(stored)
            carried.add(settled.filter { !stored.contains($0.operationID) })
        }
        if isRecording {
            journal.outcomes.append(settled)
        } else {
            commands.append(.tell(.settled(settled)))
        }
    }
}

extension Outcome {
    /// Returns the outcome and the issue to report for an operation if this is its outcome in the engine.
    ///
    /// The feeder reports results with this function as they arrive; an engine that keeps the job, as it stores them.
    func reported(
        _ missing: MissingPolicy,
        isDuplicate: @autoclosure () -> Bool,
        wasRemoved: @autoclosure () -> Bool
    ) -> (outcome: Outcome, issue: DocumentIssue?) {
        switch self {
        case .missing: wasRemoved() ? (.gone, nil) : (.missing, missing.issue(isDuplicate: isDuplicate()))
        case .updated, .noop: (self, isDuplicate() ? .warning(.duplicateInInput) : nil)
        case .stale: (.stale, .warning(.stale))
        case .dropped: (.dropped, .error(.dropped))
        case .removed, .gone, .added: (self, nil)
        case .superseded, .failed, .expired, .cancelled:
            // Only the feeder may assign these outcomes; an engine that returned them would hide a failure.
            (.failed, .error(DocumentFailure(.rejectedByEngine, "the engine reported '\(name)' without a reason")))
        }
    }

    /// Whether this outcome proves that the engine accepted the request.
    fileprivate var showsThatTheEngineTookIt: Bool {
        switch self {
        case .removed, .missing, .gone, .added, .updated, .noop, .stale, .dropped: true
        case .superseded, .failed, .expired, .cancelled: false
        }
    }
}

extension DocumentFailure {
    static let duplicateInInput = DocumentFailure(.duplicateInInput, "this ID occurs earlier in the input")
    fileprivate static let stale = DocumentFailure(
        .stale,
        "a newer operation on the document came first",
        disposition: .dropped
    )
    fileprivate static let dropped = DocumentFailure(
        .dropped,
        "the engine dropped the document: an ingest pipeline filters it out, so it is not stored",
        disposition: .dropped
    )

    /// Returns the failure of an operation whose time ran out, possibly after another failure.
    static func expired(after failure: DocumentFailure?) -> DocumentFailure {
        let reason = failure.map { ": \($0.message)" } ?? ""
        return DocumentFailure(.expired, "timed out\(reason)", disposition: .retryable)
    }
}
