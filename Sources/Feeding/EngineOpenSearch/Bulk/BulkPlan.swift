import ContentFeeding

/// What a batch becomes: actions for the engine, and results that need none.
struct BulkPlan: Sendable {
    /// What is sent.
    private(set) var actions: [BulkAction] = []
    /// The place of each action's operation in the batch.
    private(set) var places: [Int] = []
    /// What is known without sending, by its place in the batch.
    private(set) var known: [Int: OperationResult] = [:]
    let count: Int

    init(count: Int) {
        self.count = count
        actions.reserveCapacity(count)
        places.reserveCapacity(count)
    }

    mutating func send(_ action: BulkAction, for place: Int) {
        actions.append(action)
        places.append(place)
    }

    mutating func settle(_ place: Int, _ result: OperationResult) { known[place] = result }

    /// The answer to the whole batch, given one to each action.
    func reply(_ answers: [ItemAnswer?]) -> BatchReply {
        if known.isEmpty, let halt = Self.commonHalt(of: answers) { return .failed(halt) }
        var results = [OperationResult](repeating: .unknown(Self.unanswered), count: count)
        for (place, answer) in zip(places, answers) {
            if let answer { results[place] = answer.result }
        }
        for (place, result) in known { results[place] = result }
        return .results(results)
    }

    /// Why all of it came to nothing: only when all have the same reason, which is the batch's own then.
    private static func commonHalt(of answers: [ItemAnswer?]) -> BatchFailure? {
        guard case .halt(let first)? = answers.first ?? nil else { return nil }
        let isCommon = answers.allSatisfy { answer in
            if case .halt(let halt)? = answer { halt.kind == first.kind } else { false }
        }
        return isCommon ? first : nil
    }

    private static let unanswered = DocumentFailure(
        .attemptsExhausted,
        "the engine's answer says nothing of this operation",
        disposition: .retryable
    )
}
