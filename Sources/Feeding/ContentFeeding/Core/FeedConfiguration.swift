/// The settings of a feeder: how it batches, waits and retries.
///
/// FAST's names: `maxDocsInBatch` is ``batchCount``, `batchSizeKB` is ``batchBytes``, `activeDocumentsLimitMB` is
/// ``windowBytes``, `documentTimeoutMin` is ``operationTimeout``.
public struct FeedConfiguration: Hashable, Sendable {
    /// The most operations in a batch; `nil` for a number that suits the engine, found while feeding.
    public var batchCount: Int?
    /// The most bytes of IDs and documents in a batch, where a larger document travels alone; `nil` for 1 MiB to begin
    /// with, and more while larger batches are faster.
    public var batchBytes: Int?
    /// The time an operation waits for others before a partial batch is sent.
    public var linger = Duration.milliseconds(100)
    /// The most open operations at a time.
    public var windowCount = 64_000
    /// The most bytes of open operations at a time.
    public var windowBytes = 64 << 20
    /// How many batches may be in flight.
    public var batchesInFlight = BatchesInFlight.adaptive
    /// The most operations sent in a span of time; `nil` for no limit.
    public var rate: OperationRate?
    /// How a document that is to be removed or updated but does not exist counts.
    public var missing = MissingPolicy.error
    /// Whether documents are only added where there is none: one that exists is an error, and stays as it is.
    ///
    /// Only for an engine that keeps conditions, which all engines here do.
    public var addsOnlyNew = false
    /// The level an operation must reach to count as done.
    public var level = CompletionLevel.secured
    /// How often and how soon operations are retried.
    public var retry = RetryPolicy()
    /// The time an operation may take after it was accepted; `nil` for no limit.
    public var operationTimeout: Duration?
    /// The time a request may live on after we gave up on it; `nil` for the engine's own value.
    public var quarantine: Duration?
    /// The time the feed continues without any success while there are failures; `nil` for no limit.
    public var giveUpAfter: Duration? = .seconds(15 * 60)
    /// The time the whole feed may take; `nil` for no limit.
    public var deadline: Duration?
    /// The point at which too many documents have an error and the feed stops; `nil` for no limit.
    public var halt: HaltPolicy?
    /// The bits of a lane's key that count: tests narrow them, so that documents share lanes.
    var laneMask = UInt32.max

    /// Creates the usual settings.
    public init() {}
}

extension FeedConfiguration {
    /// A copy with every limit at least one: with a limit of zero, a feed would never move.
    var usable: FeedConfiguration {
        var usable = self
        usable.batchCount = batchCount.map { max(1, $0) }
        usable.batchBytes = batchBytes.map { max(1, $0) }
        usable.windowCount = min(max(1, windowCount), Self.maximumWindowCount)
        usable.windowBytes = max(1, windowBytes)
        usable.retry.attempts = max(1, retry.attempts)
        usable.giveUpAfter = Self.bounded(giveUpAfter)
        usable.deadline = Self.bounded(deadline)
        return usable
    }

    /// More open operations than any engine can use; eight times as many IDs may lie between the first and the last of
    /// them.
    private static let maximumWindowCount = 1 << 24

    /// The most bytes in a batch where nothing else is known.
    static let firstBatchBytes = 1 << 20

    /// Whether the size of batches is searched for.
    var sizesBatches: Bool { batchCount == nil && batchBytes == nil }

    /// Ten years: longer waits count as unlimited, and no clock has to count that far.
    private static let longestWait = Duration.seconds(10 * 365 * 86_400)

    private static func bounded(_ wait: Duration?) -> Duration? {
        guard let wait, wait < longestWait else { return nil }
        return max(.zero, wait)
    }
}

/// The treatment of a document that is to be removed or updated but does not exist.
public enum MissingPolicy: String, Hashable, Sendable, CaseIterable {
    case error
    case warn
    case ignore
}

/// The limits on how often and how soon an operation is retried.
public struct RetryPolicy: Hashable, Sendable {
    /// The total number of attempts; those that the engine put off for its own sake do not count.
    public var attempts = 10
    /// The longest pause after the first failure; it doubles with each further failure.
    public var base = Duration.milliseconds(100)
    /// The longest pause between two attempts.
    public var maximum = Duration.seconds(30)
    /// The longest pause that an engine can ask for.
    public var maximumSlowDown = Duration.seconds(300)

    /// Creates the usual limits.
    public init() {}

    /// Returns a random pause before attempt `attempt + 1`: full jitter, so that many clients spread out.
    package func pause(after attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let doublings = min(max(attempt - 1, 0), 20)
        let ceiling = min(maximum, base * (1 << doublings))
        return ceiling * Double.random(in: 0...1, using: &generator)
    }
}

/// The number of batches that may be in flight at the same time; the engine's own limit applies as well.
public enum BatchesInFlight: Hashable, Sendable {
    /// The fewest that yield the most, found while feeding.
    case adaptive
    /// Always up to this many.
    case fixed(Int)
}

/// The point at which too many documents have an error for the feed to continue.
public enum HaltPolicy: Hashable, Sendable {
    /// This many documents.
    case errors(Int)
    /// This share of the settled documents, in percent, once there are ``leastSettled`` of them.
    case percent(Double)

    /// The fewest settled documents for which a share is meaningful.
    public static let leastSettled = 100

    /// Returns whether a feed with these counts should stop.
    func applies(to errors: Int, of settled: Int) -> Bool {
        guard errors > 0 else { return false }
        return switch self {
        case .errors(let limit): errors >= limit
        case .percent(let share): settled >= Self.leastSettled && Double(errors) * 100 >= share * Double(settled)
        }
    }
}

/// A number of operations in a span of time: `500/s`, `90/m`.
public struct OperationRate: Hashable, Sendable {
    /// The operations in a period.
    public let count: Int
    /// The span of time in which they may be sent.
    public let period: Duration

    /// The maximum number of operations, more than any engine takes.
    public static let maximumCount = 1_000_000_000

    /// Creates a rate of at least one and at most ``maximumCount`` operations in a second or longer.
    public init(_ count: Int, per period: Duration = .seconds(1)) {
        self.count = min(max(count, 1), Self.maximumCount)
        self.period = max(period, .seconds(1))
    }
}

/// A token bucket for operations: one second's worth may be sent at once, then no more than the rate.
///
/// It is kept as the moment at which the bucket is full again, to the attosecond, so that no rounding adds up: in any
/// span of time no more operations are sent than the rate allows, plus those of one second.
struct RateLimit: Hashable, Sendable {
    /// The cost of one operation, in time.
    private let interval: Duration
    /// The most operations sent at once.
    let burst: Int
    /// The most operations in a batch: a quarter of a burst, so that the engine's work is spread out.
    let maximumCount: Int
    /// The moment at which the bucket is full again, since the start of the feed.
    private var fullAt = Duration.zero

    init(_ rate: OperationRate) {
        interval = rate.period / rate.count
        burst = max(1, Int(Duration.seconds(1) / interval))
        maximumCount = max(1, burst / 4)
    }

    /// Returns when `count` operations may be sent, now or later.
    ///
    /// More than a burst may be sent when the bucket is full; the operations after it wait longer.
    func start(of count: Int, at now: FeedInstant) -> FeedInstant {
        let missing = interval * min(count, burst) - interval * burst
        return max(now, FeedInstant(sinceStart: max(fullAt, now.sinceStart) + missing))
    }

    mutating func take(_ count: Int, at now: FeedInstant) {
        fullAt = max(fullAt, now.sinceStart) + interval * count
    }
}
