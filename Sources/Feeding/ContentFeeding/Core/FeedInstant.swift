/// A moment of a feed, counted from its start in whole nanoseconds.
///
/// The core has no clock; whoever runs it says what time it is.
public struct FeedInstant: Hashable, Comparable, Sendable {
    private let nanoseconds: Int64

    private init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// What is below a nanosecond is cut off; what is further away than 292 years is ``never``.
    public init(sinceStart: Duration) {
        let inRange = min(max(sinceStart, .nanoseconds(Int64.min)), .nanoseconds(Int64.max))
        let (seconds, attoseconds) = inRange.components
        // Seconds and the rest have the same sign, and their sum is in range.
        nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    public var sinceStart: Duration { .nanoseconds(nanoseconds) }

    public static let start = FeedInstant(nanoseconds: 0)
    /// A moment that does not come: 292 years from the start.
    public static let never = FeedInstant(nanoseconds: .max)

    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
    public static func + (instant: Self, duration: Duration) -> Self {
        let (sum, isTooFar) = instant.nanoseconds.addingReportingOverflow(FeedInstant(sinceStart: duration).nanoseconds)
        guard isTooFar else { return FeedInstant(nanoseconds: sum) }
        return FeedInstant(nanoseconds: duration < .zero ? .min : .max)
    }
    public static func - (left: Self, right: Self) -> Duration { left.sinceStart - right.sinceStart }
}
