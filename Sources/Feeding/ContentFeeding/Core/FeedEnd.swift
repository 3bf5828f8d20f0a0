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
    /// What must be written down (errors, a backup, the journal) can't be.
    case storage(message: String)
}
