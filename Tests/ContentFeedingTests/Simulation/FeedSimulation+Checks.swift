@testable import ContentFeeding

extension FeedSimulation {
    mutating func checkInvariants() {
        if !core.counts.isBalanced { violations.append("the counts do not balance: \(core.counts)") }
        if core.counts.open != core.openCount { violations.append("the open count is stale") }
        if core.openCount > configuration.windowCount + 30 { violations.append("the window is overfull") }
    }

    /// Nothing is sent whose time is up.
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
        guard isInOutage, !core.isJournaled, !core.breaker.isClosed, batch.items.count > 1 else { return }
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

    /// The last operation on each document decides whether it is there.
    mutating func checkFinalState() {
        var last: [DocumentID: OperationID] = [:]
        for (index, operation) in operations.enumerated() {
            last[operation.documentID] = OperationID(rawValue: UInt64(index + 1))
        }
        for (document, id) in last {
            guard let outcome = announced[id]?.outcome else { continue }
            let isPresent = engine.present.contains(document)
            switch outcome {
            case .removed, .missing:
                if isPresent { violations.append("\(document) is there after operation \(id): \(outcome)") }
            case .added, .updated:
                if !isPresent { violations.append("\(document) is not there after operation \(id): \(outcome)") }
            default: break
            }
        }
    }
}
