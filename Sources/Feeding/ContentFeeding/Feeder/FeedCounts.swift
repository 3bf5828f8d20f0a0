/// Counts of all accepted operations: open, and settled by outcome.
///
/// ``isBalanced`` is the identity that every report rests on. Its two sides are counted separately: outcomes when they
/// happen, open operations by what the feeder still holds.
public struct FeedCounts: Hashable, Sendable {
    /// Operations that were accepted, each with an ID.
    public internal(set) var accepted = 0
    /// Accepted operations without an outcome so far.
    public internal(set) var open = 0
    /// The documents among the updated ones that an earlier attempt of the same addition may have created.
    ///
    /// Its answer was lost, so whether they existed before is not known.
    public package(set) var perhapsAdded = 0
    private var outcomes = [Int](repeating: 0, count: Outcome.allCases.count)

    /// Creates counts of no operations.
    public init() {}

    /// Creates counts of operations that have an outcome, and of some that are open.
    public init(settled: [Outcome: Int], open: Int = 0) {
        for (outcome, count) in settled { self[outcome] = count }
        self.open = open
        accepted = self.settled + open
    }

    /// The number of operations with this outcome.
    public package(set) subscript(outcome: Outcome) -> Int {
        get { outcomes[outcome.rawValue] }
        set { outcomes[outcome.rawValue] = newValue }
    }

    /// Operations that have an outcome.
    public var settled: Int { outcomes.reduce(0, +) }

    /// Whether every accepted operation is settled or open: always, unless the feeder itself is at fault.
    public var isBalanced: Bool { accepted == settled + open }
}

extension FeedCounts {
    /// Documents that existed and were removed.
    public var removed: Int { self[.removed] }
    /// Operations on documents that did not exist.
    public var missing: Int { self[.missing] }
    /// Documents that do not exist now, and nobody knows whether they did before.
    public var gone: Int { self[.gone] }
    /// Documents that were created.
    public var added: Int { self[.added] }
    /// Documents that existed and were changed.
    public var updated: Int { self[.updated] }
    /// Operations on documents that already were as requested.
    public var noop: Int { self[.noop] }
    /// Operations older than one that the engine already had.
    public var stale: Int { self[.stale] }
    /// Operations that a later one replaced before they were sent.
    public var superseded: Int { self[.superseded] }
    /// Operations that the engine deliberately dropped.
    public var dropped: Int { self[.dropped] }
    /// Operations that can't be done, or whose attempts are used up.
    public var failed: Int { self[.failed] }
    /// Operations whose time ran out.
    public var expired: Int { self[.expired] }
    /// Operations that the user canceled before they were sent.
    public var cancelled: Int { self[.cancelled] }
}
