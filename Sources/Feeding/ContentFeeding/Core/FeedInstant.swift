/// A moment of a feed, counted from its start in whole nanoseconds.
///
/// The core has no clock; whoever runs it says what time it is.
public struct FeedInstant: Hashable, Comparable, Sendable {
    private let nanoseconds: Int64

    private init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public init(sinceStart: Duration) {
        let (seconds, attoseconds) = sinceStart.components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isLonger) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        nanoseconds = isTooLong || isLonger ? .max : sum
    }

    public var sinceStart: Duration { .nanoseconds(nanoseconds) }

    public static let start = FeedInstant(nanoseconds: 0)
    /// A moment that does not come: 292 years from the start.
    public static let never = FeedInstant(nanoseconds: .max)

    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
    public static func + (instant: Self, duration: Duration) -> Self {
        let (sum, isNever) = instant.nanoseconds.addingReportingOverflow(FeedInstant(sinceStart: duration).nanoseconds)
        return isNever ? .never : FeedInstant(nanoseconds: sum)
    }
    public static func - (left: Self, right: Self) -> Duration { left.sinceStart - right.sinceStart }
}
