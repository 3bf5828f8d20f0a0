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
