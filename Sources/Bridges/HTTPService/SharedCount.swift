import Synchronization

/// A total to which each request contributes until it ends.
package final class SharedCount: Sendable {
    private let total = Atomic(0)

    package init() {}

    /// The sum of all parts.
    package var sum: Int { total.load(ordering: .relaxed) }

    /// The part of one request, which is returned, at the latest, when nothing refers to it any more.
    package final class Part: Sendable {
        private let count: SharedCount
        private let own = Atomic(0)

        package init(of count: SharedCount) { self.count = count }

        deinit { giveBack() }

        /// Returns the added amount.
        package func giveBack() { count.total.subtract(own.exchange(0, ordering: .relaxed), ordering: .relaxed) }

        /// Adds to the part, and returns whether the total is within a limit.
        package func add(_ more: Int, upTo limit: Int) -> Bool {
            own.add(more, ordering: .relaxed)
            return count.total.add(more, ordering: .relaxed).newValue <= limit
        }
    }
}
