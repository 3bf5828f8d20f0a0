import Synchronization

/// How far a comparison is: noted by what reads and compares, looked at by whoever shows it.
public final class ReconciliationProgress: Sendable {
    /// What is done at a moment.
    ///
    /// Each stage begins when the one before it has ended.
    public enum Stage: Hashable, Sendable {
        /// Both sides are read at the same time.
        case reading(Reading)
        /// What was read is compared, in the order of IDs.
        case comparing(Share)
        /// The source is read again for what is planned, and what is orphaned is looked up.
        case planning(Share)
    }

    /// How much was read of both sides.
    public struct Reading: Hashable, Sendable {
        /// Entries of the source.
        public var source = 0
        /// What is something in the source, but no entry that can be read.
        public var rejected = 0
        /// Documents of the collection.
        public var collection = 0
        /// All documents of the collection, as it said at the beginning; `nil` if it did not.
        public var collectionTotal: Int?
    }

    /// A part of something whose size is known.
    public struct Share: Hashable, Sendable {
        /// What is done.
        public var done = 0
        /// What there is to do.
        public let total: Int
    }

    private let state = Mutex(State())

    private struct State {
        var reading = Reading()
        var later: Stage?
    }

    /// Creates the progress of a comparison that has not begun.
    public init() {}

    /// What is done now.
    public var stage: Stage { state.withLock { $0.later ?? .reading($0.reading) } }

    /// The entries of the source that can't be read, also after it was read.
    public var rejected: Int { state.withLock { $0.reading.rejected } }

    func note(source account: SourceAccount) {
        state.withLock { ($0.reading.source, $0.reading.rejected) = (account.entries, account.rejected) }
    }

    func note(documents count: Int) { state.withLock { $0.reading.collection += count } }

    func expect(documents count: Int?) { state.withLock { $0.reading.collectionTotal = count } }

    func beginComparing(_ total: Int) { state.withLock { $0.later = .comparing(Share(total: total)) } }

    func beginPlanning(_ total: Int) { state.withLock { $0.later = .planning(Share(total: total)) } }

    /// Notes that so much more was compared, or read again.
    func note(done count: Int) {
        state.withLock { state in
            switch state.later {
            case .comparing(var share):
                share.done += count
                state.later = .comparing(share)
            case .planning(var share):
                share.done += count
                state.later = .planning(share)
            case .reading, nil: break
            }
        }
    }
}
