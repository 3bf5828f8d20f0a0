/// What surrounds a feed: its clock, its journal, where it spills.
///
/// Everything has a default.
public struct FeedOptions: Sendable {
    public var configuration = FeedConfiguration()
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Keeps what must survive a crash, for an engine that does not keep it itself.
    public var journal: (any FeedJournal)?
    /// Decides the length of pauses.
    public var seed: UInt64
    /// Where errors go that memory should not hold; `nil` for the engine's own disk, else the current folder.
    public var spillDirectory: String?
    /// The most bytes that may be spilled.
    public var maximumSpillBytes = 4 << 30

    public init() {
        var system = SystemRandomNumberGenerator()
        seed = system.next()
    }
}
