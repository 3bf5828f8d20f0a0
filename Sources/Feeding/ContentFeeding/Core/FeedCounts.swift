/// Where all the accepted operations are.
///
/// ``isBalanced`` is the identity that every report rests on. The two sides are counted apart: outcomes when they
/// happen, open operations by what the feeder still holds.
public struct FeedCounts: Hashable, Sendable {
    public internal(set) var accepted = 0
    public internal(set) var open = 0
    private var outcomes = [Int](repeating: 0, count: Outcome.allCases.count)

    public init() {}

    public subscript(outcome: Outcome) -> Int {
        get { outcomes[outcome.rawValue] }
        set { outcomes[outcome.rawValue] = newValue }
    }

    /// Operations that have an outcome.
    public var settled: Int { outcomes.reduce(0, +) }

    public var isBalanced: Bool { accepted == settled + open }
}
