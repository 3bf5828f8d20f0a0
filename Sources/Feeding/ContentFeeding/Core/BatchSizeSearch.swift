/// A search for the size of batches: the largest that costs no throughput, as a multiple of the first size.
///
/// A larger batch costs the engine and us less for each operation, even where it brings no throughput. So the size
/// doubles as long as the throughput holds. It returns to the first size for good once the engine refuses anything
/// because it is overloaded, or finds a batch too large.
struct BatchSizeSearch: Hashable, Sendable {
    private(set) var factor = 1
    /// The most operations in a batch of the first size.
    private let count: Int
    /// The most open operations at a time.
    private let window: Int
    /// The best throughput of any size so far.
    private var best = 0.0
    private(set) var isOver = false

    private static let largestFactor = 8
    /// The share of the best throughput that a larger size must retain.
    private static let leastShare = 0.95
    /// The longest time that a batch of the next size may be expected to take: longer ones hold up other clients of the
    /// engine, and an interruption.
    private static let longestRoundTrip = Duration.seconds(2)

    init(count: Int, window: Int) {
        (self.count, self.window) = (count, window)
    }

    /// Processes a measurement at this size, with so many batches in flight.
    mutating func measured(_ measurement: ThroughputWindow.Measurement, inFlight: Int) {
        guard !isOver else { return }
        // Never so at the first size, where nothing is the best yet.
        guard measurement.rate >= best * Self.leastShare else { return retreat() }
        best = max(best, measurement.rate)
        let next = 2 * factor
        // Half of the window waits while the other half is in flight.
        let fits = 2 * inFlight * next * count <= window
        guard next <= Self.largestFactor, fits, measurement.roundTrip * 2 <= Self.longestRoundTrip else {
            isOver = true
            return
        }
        factor = next
    }

    /// Notes that batches of this size can't be filled in time.
    mutating func starved() {
        if !isOver, factor > 1 { retreat() }
    }

    /// Notes that the engine finds itself overloaded, or a batch too large.
    mutating func refused() {
        (factor, isOver) = (1, true)
    }

    /// Starts over after the engine has come back, unless the search has ended.
    mutating func restart() {
        guard !isOver else { return }
        (factor, best) = (1, 0)
    }

    private mutating func retreat() {
        factor /= 2
        isOver = true
    }
}
