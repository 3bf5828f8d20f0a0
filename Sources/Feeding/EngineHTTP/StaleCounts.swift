import Synchronization

/// Whether a collection's documents were counted as searches see them, because the engine refused to show the rest.
public final class StaleCounts: Sendable {
    private let state = Mutex(false)

    /// Creates the record of a collection that was not counted yet.
    public init() {}

    /// Whether a count was taken without the latest changes.
    public var isNoted: Bool { state.withLock { $0 } }

    /// Records that a count was taken without the latest changes.
    public func note() { state.withLock { $0 = true } }
}
