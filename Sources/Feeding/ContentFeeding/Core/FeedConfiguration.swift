/// How a feeder batches, waits and tries again.
///
/// FAST's names: `maxDocsInBatch` is ``batchCount``, `batchSizeKB` is ``batchBytes``, `activeDocumentsLimitMB` is
/// ``windowBytes``, `documentTimeoutMin` is ``operationTimeout``.
public struct FeedConfiguration: Hashable, Sendable {
    /// The most operations in a batch.
    public var batchCount = 1_000
    /// The most bytes of IDs and documents in a batch; a larger document travels alone.
    public var batchBytes = 1 << 20
    /// How long an operation waits for company before a batch that is not full leaves.
    public var linger = Duration.milliseconds(100)
    /// The most operations that are open at a time.
    public var windowCount = 20_000
    /// The most bytes of open operations at a time.
    public var windowBytes = 64 << 20
    public var batchesInFlight = BatchesInFlight.adaptive
    /// The most operations that are sent in a span of time; `nil` for no limit.
    public var rate: OperationRate?
    public var missing = MissingPolicy.error
    /// How far an operation must come to count as done.
    public var level = CompletionLevel.secured
    public var retry = RetryPolicy()
    /// How long an operation may take from acceptance on; `nil` for ever.
    public var operationTimeout: Duration?
    /// How long a request may live on after we gave it up; `nil` for what the engine says.
    public var quarantine: Duration?
    /// How long the feed goes on without any success while there is trouble; `nil` for ever.
    public var giveUpAfter: Duration? = .seconds(15 * 60)
    /// How long the feed may take in all; `nil` for ever.
    public var deadline: Duration?
    /// How many documents may have an error before the feed stops; `nil` for all.
    public var halt: HaltPolicy?
    /// What counts of a lane's key: tests narrow it, so that documents share lanes.
    var laneMask = UInt32.max

    public init() {}
}

extension FeedConfiguration {
    /// The same with every limit at least one: none at all would be a feed that never moves.
    var usable: FeedConfiguration {
        var usable = self
        usable.batchCount = max(1, batchCount)
        usable.batchBytes = max(1, batchBytes)
        usable.windowCount = min(max(1, windowCount), Self.maximumWindowCount)
        usable.windowBytes = max(1, windowBytes)
        usable.retry.attempts = max(1, retry.attempts)
        usable.giveUpAfter = Self.bounded(giveUpAfter)
        usable.deadline = Self.bounded(deadline)
        return usable
    }

    /// More open operations than any engine has a use for; eight times as many IDs may lie between the first and the
    /// last of them.
    static let maximumWindowCount = 1 << 24

    /// Ten years: what is longer is for ever, and no clock has to count so far.
    private static let longestWait = Duration.seconds(10 * 365 * 86_400)

    private static func bounded(_ wait: Duration?) -> Duration? {
        guard let wait, wait < longestWait else { return nil }
        return max(.zero, wait)
    }
}

/// What it means that a document to be removed or updated is not there.
public enum MissingPolicy: String, Hashable, Sendable, CaseIterable {
    case error
    case warn
    case ignore
}

/// How often and how soon an operation is tried again.
public struct RetryPolicy: Hashable, Sendable {
    /// Attempts in all; those that the engine put off for its own sake do not count.
    public var attempts = 10
    /// The pause after the first failure is at most this; it doubles with each.
    public var base = Duration.milliseconds(100)
    public var maximum = Duration.seconds(30)
    /// The longest pause that an engine can ask for.
    public var maximumSlowDown = Duration.seconds(300)

    public init() {}

    /// A random pause before attempt `attempt + 1`: full jitter, so that many clients spread out.
    func pause(after attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let doublings = min(max(attempt - 1, 0), 20)
        let ceiling = min(maximum, base * (1 << doublings))
        return ceiling * Double.random(in: 0...1, using: &generator)
    }
}
