/// A search for the size of batches: the largest that costs no throughput, as a multiple of the first size.
///
/// A larger batch costs the engine and us less for each operation, even where it brings no throughput. So the size
/// doubles as long as the throughput holds. It returns to the first size for good once the engine refuses anything
/// because it is overloaded, or finds a batch too large.
///
/// An engine's throughput rises and falls by half within a second, as it collects garbage and writes segments. So the
/// size to compare with is measured for a while, and a larger one is given up only after as long a time.
struct BatchSizeSearch: Hashable, Sendable {
    private(set) var factor = 1
    /// The most operations in a batch of the first size.
    private let count: Int
    /// The most open operations at a time.
    private let window: Int
    /// What was measured at this size so far.
    private var atThisSize = ThroughputWindow.Measurement.none
    /// The best throughput of a size that was measured for ``longEnough``; 0 if none was.
    private var best = 0.0
    private(set) var isOver = false

    private static let largestFactor = 8
    /// The share of the best throughput that a larger size must retain.
    private static let leastShare = 0.95
    /// The share below which a size is given up at once.
    private static let hopelessShare = 0.4
    /// The time over which an engine's rise and fall are level.
    private static let longEnough = Duration.milliseconds(800)
    /// The longest time that a batch of the next size may be expected to take: longer ones hold up other clients of the
    /// engine, and an interruption.
    private static let longestRoundTrip = Duration.seconds(2)

    init(count: Int, window: Int) {
        (self.count, self.window) = (count, window)
    }

    /// Processes a measurement at this size, with so many batches in flight.
    mutating func measured(_ measurement: ThroughputWindow.Measurement, inFlight: Int) {
        guard !isOver else { return }
        atThisSize += measurement
        let isLongEnough = atThisSize.time >= Self.longEnough
        let share = best > 0 ? atThisSize.rate / best : 0
        // The first size is never given up: nothing is the best yet.
        if best > 0, share < Self.leastShare {
            if isLongEnough || share < Self.hopelessShare { retreat() }
            return
        }
        guard best > 0 || isLongEnough else { return }
        // What holds after a short time is not known well enough to be what others must reach.
        if isLongEnough { best = max(best, atThisSize.rate) }
        let next = 2 * factor
        // Half of the window waits while the other half is in flight.
        let fits = 2 * inFlight * next * count <= window
        guard next <= Self.largestFactor, fits, atThisSize.roundTrip * 2 <= Self.longestRoundTrip else {
            isOver = true
            return
        }
        change(to: next)
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
        best = 0
        change(to: 1)
    }

    private mutating func retreat() {
        factor /= 2
        isOver = true
    }

    private mutating func change(to factor: Int) {
        self.factor = factor
        atThisSize = .none
    }
}
