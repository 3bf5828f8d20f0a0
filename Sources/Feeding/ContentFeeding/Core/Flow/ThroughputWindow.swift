/// Measures the operations in a second while a certain number of batches is in flight.
///
/// Batches that were sent together come back together, so a window is a number of whole rounds, from one reply to
/// another. Those that were already under way when the number changed are passed over.
struct ThroughputWindow: Hashable, Sendable {
    private let level: Int
    private var isPassedOver: Int
    private var start: FeedInstant?
    private var batches = 0
    private var operations = 0

    /// Fewer replies, or a shorter time, say little: a pause of the server's would look like a trend.
    private static let leastBatches = 16
    private static let leastTime = Duration.milliseconds(150)
    /// Of a server as slow as that, two rounds must do.
    private static let patience = Duration.seconds(2)
    private static let leastRounds = 2

    /// Begins when the batches of both levels have come back.
    init(level: Int, after previous: Int) {
        self.level = level
        isPassedOver = max(level, previous)
    }

    /// Counts a batch that came back; returns operations in a second when the window is full, and opens the next one.
    mutating func add(_ count: Int, at now: FeedInstant) -> Double? {
        guard isPassedOver == 0, let start else {
            isPassedOver = max(0, isPassedOver - 1)
            if isPassedOver == 0 { start = now }
            return nil
        }
        batches += 1
        operations += count
        let elapsed = now - start
        guard batches % level == 0, elapsed > .zero, isEnough(elapsed) else { return nil }
        let rate = Double(operations) / (elapsed / .seconds(1))
        (self.start, batches, operations) = (now, 0, 0)
        return rate
    }

    private func isEnough(_ elapsed: Duration) -> Bool {
        if batches >= Self.leastBatches, elapsed >= Self.leastTime { return true }
        return batches >= Self.leastRounds * level && elapsed >= Self.patience
    }
}
