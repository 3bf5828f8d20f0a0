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
    private static let maximumWindowCount = 1 << 24

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

/// How many batches may be with the engine at the same time; the engine's own limit holds as well.
public enum BatchesInFlight: Hashable, Sendable {
    /// As few as bring the most, found while feeding.
    case adaptive
    /// Always up to this many.
    case fixed(Int)
}

/// When so many documents have an error that going on makes no sense.
public enum HaltPolicy: Hashable, Sendable {
    /// This many of them.
    case errors(Int)
    /// This share of the settled ones, in percent, once there are ``leastSettled`` of them.
    case percent(Double)

    /// A share of fewer operations says nothing.
    public static let leastSettled = 100

    /// Whether it is so.
    func applies(to errors: Int, of settled: Int) -> Bool {
        guard errors > 0 else { return false }
        return switch self {
        case .errors(let limit): errors >= limit
        case .percent(let share): settled >= Self.leastSettled && Double(errors) * 100 >= share * Double(settled)
        }
    }
}

/// Operations in a span of time: `500/s`, `90/m`.
public struct OperationRate: Hashable, Sendable {
    public let count: Int
    public let period: Duration

    /// More than any engine takes, in operations.
    public static let maximumCount = 1_000_000_000

    /// At least one operation, and at most ``maximumCount``, in a second or longer.
    public init(_ count: Int, per period: Duration = .seconds(1)) {
        self.count = min(max(count, 1), Self.maximumCount)
        self.period = max(period, .seconds(1))
    }
}

/// A token bucket over operations: as many as a second brings may leave at once, then no more than the rate.
///
/// It is kept as the moment at which the bucket is full again, and that to the attosecond, so that no rounding adds up:
/// in any span of time no more operations leave than the rate allows, and those of one second.
struct RateLimit: Hashable, Sendable {
    /// What one operation costs, in time.
    private let interval: Duration
    /// The most operations that leave at once.
    let burst: Int
    /// The most operations in a batch: a quarter of a burst, so that the engine's work is spread out.
    let maximumCount: Int
    /// Since the start of the feed.
    private var fullAt = Duration.zero

    init(_ rate: OperationRate) {
        interval = rate.period / rate.count
        burst = max(1, Int(Duration.seconds(1) / interval))
        maximumCount = max(1, burst / 4)
    }

    /// When `count` operations may leave, now or later.
    ///
    /// More than a burst may leave when the bucket is full; those after them wait the longer.
    func start(of count: Int, at now: FeedInstant) -> FeedInstant {
        let missing = interval * min(count, burst) - interval * burst
        return max(now, FeedInstant(sinceStart: max(fullAt, now.sinceStart) + missing))
    }

    mutating func take(_ count: Int, at now: FeedInstant) {
        fullAt = max(fullAt, now.sinceStart) + interval * count
    }
}
