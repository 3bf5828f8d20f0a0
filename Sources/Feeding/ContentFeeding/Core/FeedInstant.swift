/// A moment of a feed, counted from its start.
///
/// The core has no clock; whoever runs it says what time it is.
public struct FeedInstant: Hashable, Comparable, Sendable {
    public let sinceStart: Duration

    public init(sinceStart: Duration) { self.sinceStart = sinceStart }

    public static let start = FeedInstant(sinceStart: .zero)

    public static func < (left: Self, right: Self) -> Bool { left.sinceStart < right.sinceStart }
    public static func + (instant: Self, duration: Duration) -> Self {
        FeedInstant(sinceStart: instant.sinceStart + duration)
    }
    public static func - (left: Self, right: Self) -> Duration { left.sinceStart - right.sinceStart }
}
