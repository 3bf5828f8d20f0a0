import ContentFeeding

extension FeedSimulation {
    /// Every kind of failure that an engine without transactions has.
    mutating func trouble(_ batch: ContentBatch) {
        let delay = Duration.milliseconds(Int.random(in: 1...5000, using: &random))
        let failure = DocumentFailure(.rejectedByEngine, "simulated", disposition: .retryable)
        let reply: BatchReply
        switch Int.random(in: 0..<11, using: &random) {
        case 8:
            // What had an effect had it before the answer.
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
            switch Int.random(in: 0..<5, using: &random) {
            case 0: results.append(.notNow(failure))
            case 1:
                lose([item])
                results.append(.unknown(failure))
            case 2: results.append(.failed(failure))
            default: results.append(engine.apply(item))
            }
        }
        return results
    }

    /// The engine is gone: a batch is refused, or nobody knows.
    mutating func fail(_ batch: ContentBatch) {
        let failure = DocumentFailure(.rejectedByEngine, "gone", disposition: .retryable)
        let isUnclear = plan.engine != .keepsProgress && Int.random(in: 0..<4, using: &random) == 0
        if isUnclear { lose(batch.items) }
        let kind: BatchFailure.Kind = isUnclear ? .ambiguous : .definite(isCharged: false)
        let delay = Duration.milliseconds(Int.random(in: 1...3000, using: &random))
        schedule(.deliver(.reply(batch.id, .failed(BatchFailure(kind, failure)))), after: delay)
    }

    /// The engine is gone for the first part of each period.
    var isInOutage: Bool {
        guard let outage = plan.outage else { return false }
        let periods = now.sinceStart / (outage * 3)
        return periods - periods.rounded(.down) < 1.0 / 3
    }

    /// The operations take effect now, later, twice or never; nobody is told.
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
