@testable import ContentFeeding

extension FeedSimulation {
    /// Every kind of failure that can occur in an engine without transactions.
    mutating func trouble(_ batch: ContentBatch) {
        let delay = Duration.milliseconds(Int.random(in: 1...5000, using: &random))
        let failure = DocumentFailure(.rejectedByEngine, "simulated", disposition: .retryable)
        let reply: BatchReply
        switch Int.random(in: 0..<11, using: &random) {
        case 8:
            // Effects occur only before the reply.
            for item in batch.items where Bool.random(using: &random) { _ = engine.apply(item) }
            reply = .failed(BatchFailure(.split(mayHaveApplied: true), failure))
        case 9, 10: reply = .failed(BatchFailure(.tooLarge, failure))
        case 0: reply = .failed(BatchFailure(.definite(isCharged: Bool.random(using: &random)), failure))
        case 1:
            reply = .failed(BatchFailure(.slowDown(.milliseconds(Int.random(in: 1...900, using: &random))), failure))
        case 2: reply = .failed(BatchFailure(.split(mayHaveApplied: false), failure))
        case 3:
            lose(batch.items)
            reply = .failed(BatchFailure(.ambiguous, failure))
        case 4:
            lose(batch.items)
            reply = .results(Array(repeating: .done(.removed), count: batch.items.count + 1))
        case 5: reply = .failed(BatchFailure(.permanent, failure))
        default: reply = .results(mixedResults(batch, failure))
        }
        schedule(.deliver(.reply(batch.id, reply)), after: delay)
    }

    mutating func mixedResults(_ batch: ContentBatch, _ failure: DocumentFailure) -> [OperationResult] {
        var results: [OperationResult] = []
        for item in batch.items {
            switch Int.random(in: 0..<6, using: &random) {
            case 0: results.append(.notNow(failure))
            case 5:
                // The operation took effect before the reply, or does not do so at all.
                if Bool.random(using: &random) { _ = engine.apply(item) }
                results.append(.unknown(failure, answered: true))
            case 1:
                lose([item])
                results.append(.unknown(failure))
            case 2: results.append(.failed(failure))
            default: results.append(engine.apply(item))
            }
        }
        return results
    }

    /// The engine is unavailable: a batch is refused, or its fate is unknown.
    mutating func fail(_ batch: ContentBatch) {
        let failure = DocumentFailure(.rejectedByEngine, "gone", disposition: .retryable)
        let isUnclear = plan.engine != .keepsProgress && Int.random(in: 0..<4, using: &random) == 0
        if isUnclear { lose(batch.items) }
        let kind: BatchFailure.Kind = isUnclear ? .ambiguous : .definite(isCharged: false)
        let delay = Duration.milliseconds(Int.random(in: 1...3000, using: &random))
        schedule(.deliver(.reply(batch.id, .failed(BatchFailure(kind, failure)))), after: delay)
    }

    /// The engine is unavailable for the first part of each period.
    var isInOutage: Bool {
        guard let outage = plan.outage else { return false }
        let periods = now.sinceStart / (outage * 3)
        return periods - periods.rounded(.down) < 1.0 / 3
    }

    /// The operations take effect now, later, twice or never, without a reply.
    mutating func lose(_ items: [ContentBatch.Item]) {
        for item in items {
            let fate = Int.random(in: 0..<4, using: &random)
            if fate == 0 || fate == 1 { _ = engine.apply(item) }
            if fate == 1 || fate == 2 {
                schedule(.zombie(item), after: .milliseconds(Int.random(in: 0..<59_000, using: &random)))
            }
        }
    }

    mutating func transactionalTrouble(_ batch: ContentBatch) {
        let failure = DocumentFailure(.rejectedByEngine, "locked", disposition: .retryable)
        let kind: BatchFailure.Kind =
            Bool.random(using: &random) ? .definite(isCharged: true) : .slowDown(.milliseconds(20))
        schedule(.deliver(.reply(batch.id, .failed(BatchFailure(kind, failure)))), after: .milliseconds(30))
    }
}

extension FeedSimulation {
    /// Discards everything except the journal and the engine, and restarts from these.
    mutating func crash() {
        guard end == nil else { return }
        crashCount += 1
        // A commit that was under way may have become durable; a batch that was under way may have been applied.
        for entry in agenda where entry.run == run && Bool.random(using: &random) {
            switch entry.what {
            case .commit(let transaction): record(transaction)
            case .transact(let batch): _ = engine.applyWithProgress(batch)
            default: break
            }
        }
        startAgain()
    }

    /// A new run with the state from the journal or the engine.
    mutating func startAgain() {
        run += 1
        runStart = now
        (inFlight, inFlightDocuments, openBarriers) = ([:], [:], [:])
        let state = plan.engine == .journaled ? journal : engine.storedState
        if engine.stored.count != engine.tally.settled, plan.engine == .keepsProgress {
            violations.append("\(engine.stored.count) are settled, and \(engine.tally.settled) have an outcome")
        }
        readIndex = Int(state?.progress.offset.byte ?? 0)
        if let state { checkMark(of: state) }
        if state == nil { (announced, acceptedIDs) = ([:], []) }
        core = FeederCore(
            configuration: configuration,
            capabilities: capabilities,
            job: JobID(rawValue: "SIMULATION"),
            epoch: 1,
            isJournaled: plan.engine == .journaled,
            resuming: state,
            seed: random.next()
        )
        deliver(.timer)
    }
}

extension FeedSimulation {
    mutating func checkInvariants() {
        if !core.counts.isBalanced { violations.append("the counts do not balance: \(core.counts)") }
        if core.counts.open != core.openCount { violations.append("the open count is stale") }
        if core.openCount > configuration.windowCount + 30 { violations.append("the window is overfull") }
    }

    /// Operations that a later run considers sent, by their numbers, precede the position up to which the input must be
    /// unchanged.
    ///
    /// The positions of the simulated input are the numbers of its operations.
    mutating func checkMark(of state: JournalState) {
        let progress = state.progress
        let end = max(progress.highestSettled?.rawValue ?? 0, state.leasedThrough.rawValue)
        guard end > progress.sentThrough?.offset.byte ?? progress.offset.byte else { return }
        violations.append("operation \(end) was sent, and the input is known before \(progress)")
    }

    /// Operations whose time limit has passed are not sent.
    mutating func checkDeadlines(of batch: ContentBatch) {
        guard let timeout = plan.operationTimeout, run == 0 else { return }
        for item in batch.items {
            // A batch is made in time; committing its lease takes another moment.
            let late = timeout + .milliseconds(1)
            guard let accepted = acceptedAt[item.id], now - accepted > late else { continue }
            violations.append("operation \(item.id) was sent \(now - accepted) after it was accepted")
        }
    }

    /// After ten seconds without a success, in an outage, one operation at a time is sent.
    mutating func checkProbe(_ batch: ContentBatch) {
        // With a journal, a batch may have been made just before the breaker opened: its lease takes a moment.
        guard isInOutage, !core.isJournaled, !core.flow.isAnswering, batch.items.count > 1 else { return }
        violations.append("a batch of \(batch.items.count) was sent while the breaker was open")
    }

    mutating func checkReached(_ barrier: BarrierID) {
        guard let through = openBarriers.removeValue(forKey: barrier), through.rawValue > 0 else { return }
        for id in 1...through.rawValue where acceptedIDs.contains(OperationID(rawValue: id)) && crashCount == 0 {
            guard announced[OperationID(rawValue: id)] != nil else {
                violations.append("barrier \(barrier.rawValue) was reached before operation \(id)")
                return
            }
        }
    }

    mutating func checkEnd() {
        guard violations.isEmpty else { return }
        if end != .completed { violations.append("the feed ended with \(String(describing: end))") }
        if core.counts.open != 0 || core.counts.accepted != operations.count {
            violations.append("\(core.counts.accepted) of \(operations.count) accepted, \(core.counts.open) open")
        }
        if core.input.lines != operations.count { violations.append("\(core.input.lines) lines were counted") }
        if crashCount == 0, announced.count != operations.count { violations.append("some were never announced") }
        if plan.engine == .keepsProgress {
            let done = operations.count - core.counts[.failed]
            if engine.applications.count != done {
                violations.append("\(engine.applications.count) of \(done) took effect")
            }
            for (id, times) in engine.applications where times > 1 {
                violations.append("operation \(id) took effect \(times) times")
            }
        }
        checkFinalState()
    }

    /// The last operation on each document determines whether it exists.
    mutating func checkFinalState() {
        var last: [DocumentID: OperationID] = [:]
        for (index, operation) in operations.enumerated() {
            last[operation.documentID] = OperationID(rawValue: UInt64(index + 1))
        }
        for (document, id) in last {
            guard let outcome = announced[id]?.outcome else { continue }
            let isPresent = engine.present.contains(document)
            switch outcome {
            case .removed, .missing, .gone:
                if isPresent { violations.append("\(document) is there after operation \(id): \(outcome)") }
            case .added, .updated:
                if !isPresent { violations.append("\(document) is not there after operation \(id): \(outcome)") }
            default: break
            }
        }
    }
}

/// An engine with random behavior from a seed: it loses requests and replies, replies late, and lets copies of a
/// request take effect long after its client has given up.
struct SimulatedEngine {
    /// The existing documents.
    private(set) var present: Set<DocumentID> = []
    /// The last operation that took effect on each document.
    private(set) var lastApplied: [DocumentID: OperationID] = [:]
    /// Removals that found their document.
    private(set) var effective: Set<OperationID> = []
    /// The number of times each operation took effect.
    private(set) var applications: [OperationID: Int] = [:]
    /// The progress that a transactional engine stores with a batch.
    private(set) var storedProgress: FeedProgress?
    private(set) var storedInput = InputTally()
    private(set) var tally = FeedCounts()
    /// All operations that were settled according to the progress of any batch.
    private(set) var stored: Set<UInt64> = []
    /// Operations that took effect after a later one on the same document; this must stay empty.
    private(set) var overtaken: [OperationID] = []

    mutating func put(_ id: DocumentID) { present.insert(id) }

    /// Carries out one operation, and returns the reply of an honest engine.
    mutating func apply(_ item: ContentBatch.Item) -> OperationResult {
        let document = item.operation.documentID
        if let last = lastApplied[document], last > item.id { overtaken.append(item.id) }
        lastApplied[document] = max(lastApplied[document] ?? item.id, item.id)
        applications[item.id, default: 0] += 1
        let wasPresent = present.contains(document)
        switch item.operation.kind {
        case .remove:
            present.remove(document)
            if wasPresent { effective.insert(item.id) }
            return .done(wasPresent ? .removed : .missing)
        case .add:
            present.insert(document)
            return .done(wasPresent ? .updated : .added)
        case .update:
            return .done(wasPresent ? .updated : .missing)
        }
    }

    /// Applies a batch and its progress in one step.
    mutating func applyWithProgress(_ batch: ContentBatch) -> [OperationResult] {
        let results = batch.items.map { apply($0) }
        guard let update = batch.job else { return results }
        let progress = update.progress
        let carried = update.settledWithoutEngine.filter { !stored.contains($0.operationID.rawValue) }
        for outcome in carried { tally[outcome.outcome] += 1 }
        for case let outcome? in zip(batch.items, results).map({ update.outcome(of: $0, $1) }) {
            tally[outcome.outcome] += 1
        }
        stored.formUnion((1...progress.lastNamed).filter { progress.isSettled(OperationID(rawValue: $0)) })
        if progress.firstOperation >= storedProgress?.firstOperation ?? .first {
            storedInput = update.inputBeforeOffset
        }
        storedProgress = storedProgress?.union(progress) ?? progress
        return results
    }
}

extension FeedProgress {
    /// The last operation that is covered by the progress.
    fileprivate var lastNamed: UInt64 { max(lowestUnsettled.rawValue + UInt64(settled.count * 8), 1) }
}

extension SimulatedEngine {
    /// The stored progress as the state to resume from.
    var storedState: JournalState? {
        guard var progress = storedProgress else { return nil }
        let lowest = (1...).first { !stored.contains($0) } ?? 1
        progress.lowestUnsettled = OperationID(rawValue: lowest)
        let ahead = stored.filter { $0 > lowest }
        progress.settled = [UInt8](repeating: 0, count: Int(((ahead.max() ?? lowest) - lowest) >> 3) + 1)
        for number in ahead { progress.settled[Int(number - lowest) >> 3] |= 1 << UInt8((number - lowest) & 7) }
        return JournalState(progress, counts: tally, inputBeforeOffset: storedInput)
    }
}
