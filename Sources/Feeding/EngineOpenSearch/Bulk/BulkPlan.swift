import ContentFeeding

/// What a batch becomes: actions for the engine, and results that need none.
struct BulkPlan: Sendable {
    /// What is sent.
    private(set) var actions: [BulkAction] = []
    /// The place of each action's operation in the batch, in ascending order.
    private(set) var places: [Int] = []
    /// What is known without sending, by its place in the batch.
    private(set) var known: [Int: OperationResult] = [:]
    let count: Int

    init(count: Int) {
        self.count = count
        actions.reserveCapacity(count)
        places.reserveCapacity(count)
    }

    mutating func send(_ action: consuming BulkAction, for place: Int) {
        actions.append(action)
        places.append(place)
    }

    mutating func settle(_ place: Int, _ result: OperationResult) { known[place] = result }

    /// The answer to the whole batch, given one to each action.
    func reply(_ answers: [ItemAnswer?]) -> BatchReply {
        if known.isEmpty, let halt = Self.commonHalt(of: answers) { return .failed(halt) }
        var results: [OperationResult] = []
        results.reserveCapacity(count)
        var next = 0
        for place in 0..<count {
            if next < places.count, places[next] == place {
                let answer = next < answers.count ? answers[next]?.result : nil
                results.append(answer ?? .unknown(Self.unanswered))
                next += 1
            } else {
                results.append(known[place] ?? .unknown(Self.unanswered))
            }
        }
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
