/// A feed's clock: any clock, counted from the moment of creation.
package struct FeedClock: Sendable {
    package let now: @Sendable () -> FeedInstant
    package let sleep: @Sendable (FeedInstant) async throws -> Void

    package init(_ clock: some Clock<Duration>) {
        let start = clock.now
        now = { FeedInstant(sinceStart: start.duration(to: clock.now)) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0.sinceStart), tolerance: nil) }
    }
}

/// A moment in a feed, counted from its start in whole nanoseconds.
///
/// The core has no clock; its driver passes the time in.
public struct FeedInstant: Hashable, Comparable, Sendable {
    private let nanoseconds: Int64

    private init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Drops fractions of a nanosecond; durations of more than 292 years become ``never``.
    public init(sinceStart: Duration) {
        let inRange = min(max(sinceStart, .nanoseconds(Int64.min)), .nanoseconds(Int64.max))
        let (seconds, attoseconds) = inRange.components
        // Seconds and the rest have the same sign, and their sum is in range.
        nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// The time since the start of the feed.
    public var sinceStart: Duration { .nanoseconds(nanoseconds) }

    /// The moment at which the feed began.
    public static let start = FeedInstant(nanoseconds: 0)
    /// The distant future: 292 years from the start.
    public static let never = FeedInstant(nanoseconds: .max)

    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
    public static func + (instant: Self, duration: Duration) -> Self {
        let (sum, isTooFar) = instant.nanoseconds.addingReportingOverflow(FeedInstant(sinceStart: duration).nanoseconds)
        guard isTooFar else { return FeedInstant(nanoseconds: sum) }
        return FeedInstant(nanoseconds: duration < .zero ? .min : .max)
    }
    public static func - (left: Self, right: Self) -> Duration { left.sinceStart - right.sinceStart }
}

/// A small random generator whose whole state is a seed, so that a run can be repeated exactly.
public struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    /// Creates a generator; the same seed gives the same numbers.
    public init(seed: UInt64) { state = seed }

    /// Returns the next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
