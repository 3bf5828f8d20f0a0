import ULSLog

/// A condition on an event's level.
struct LevelTest: Sendable {
    private let text: TextTest
    private let bound: (isAtLeast: Bool, rank: Int)?

    init(_ condition: FieldCondition) {
        text = TextTest(condition)
        let ranks = condition.values.map { ULSLevel($0).rank }
        bound =
            switch condition.comparison {
            // As bad or worse than one of them: than the mildest.
            case .atLeast: (true, condition.needsAll ? ranks.min() ?? 0 : ranks.max() ?? 0)
            case .atMost: (false, condition.needsAll ? ranks.max() ?? 0 : ranks.min() ?? 0)
            default: nil
            }
    }

    func holds(_ word: Span<UInt8>, rank: Int) -> Bool {
        guard let bound else { return text.holds(word) }
        return bound.isAtLeast ? rank <= bound.rank : rank >= bound.rank
    }
}
