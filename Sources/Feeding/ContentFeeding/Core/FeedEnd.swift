/// Names one call that waits for completion.
public struct BarrierID: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// How a feed ended.
public enum FeedEnd: Hashable, Sendable {
    /// The input was read to its end, each operation is settled, and the level is reached.
    case completed
    case stopped(StopReason)
}

/// Why a feed ended early.
public enum StopReason: Hashable, Sendable {
    /// Ctrl-C.
    case interrupted
    /// SIGTERM or SIGHUP.
    case terminated
    /// The engine can't go on.
    case engine(EngineError.Code, message: String)
    /// The input can't be read any further.
    case input(message: String)
    /// The engine has done nothing for this long; `last` is what it failed with last.
    case gaveUp(after: Duration, last: String)
    /// The time for the whole feed is over.
    case deadline(Duration)
    /// So many of the settled operations have an error that going on makes no sense.
    case halted(errors: Int, settled: Int)
    /// What must be written down (errors, a backup, the journal) can't be.
    case storage(message: String)
}
