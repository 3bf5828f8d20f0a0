/// A meter that takes the counts of a command now and then, and knows how fast it is and how long it will take.
///
/// It has no clock: whoever looks says what time it is, counted from the command's beginning.
public struct ProgressMeter: Sendable {
    private var bytes = RecentRate()
    private var items = RecentRate()
    /// What was counted last: what a command does next is counted anew.
    private var kind: ProgressCount.Items?

    public init() {}

    /// Takes a count and returns what can be said of it.
    public mutating func reading(of count: ProgressCount, at time: Duration) -> ProgressReading {
        if kind != count.kind { (bytes, items) = (RecentRate(), RecentRate()) }
        kind = count.kind
        if let read = count.bytes { bytes.note(read, at: time) }
        items.note(count.items, at: time)
        return ProgressReading(
            count: count,
            elapsed: time,
            bytesPerSecond: bytes.perSecond,
            itemsPerSecond: items.perSecond
        )
    }
}

/// How far a command is, how fast, and for how long it has run.
public struct ProgressReading: Sendable {
    public let count: ProgressCount
    public let elapsed: Duration
    /// The rates of the last seconds; `nil` as long as they can't be told.
    let bytesPerSecond: Double?
    let itemsPerSecond: Double?

    /// The time without an answer that is worth telling.
    private static let silence = Duration.seconds(3)

    /// The time in which nothing was done although something is open; `nil` if that is short.
    var waiting: (time: Duration, reason: String?, givesUpAfter: Duration?)? {
        guard let wait = count.wait, elapsed - wait.since >= Self.silence else { return nil }
        return (elapsed - wait.since, wait.reason, wait.givesUpAt.map { max(.zero, $0 - elapsed) })
    }

    /// The time left at the rate of the last seconds; `nil` if nothing tells it.
    var left: Duration? {
        guard waiting == nil else { return nil }
        let (rest, rate): (Double, Double?)
        if let total = count.totalBytes, total > 0 {
            (rest, rate) = (Double(max(0, total - (count.bytes ?? 0))), bytesPerSecond)
        } else if let total = count.totalItems, total > 0 {
            (rest, rate) = (Double(max(0, total - count.items)), itemsPerSecond)
        } else {
            return nil
        }
        guard let rate, rate > 0, rest / rate < 1_000_000 else { return nil }
        return .seconds(Int((rest / rate).rounded(.up)))
    }
}
