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
