/// A histogram of durations in microseconds, which also gives quantiles.
///
/// Buckets grow with the durations: each power of two is cut into 64 of the same width, so that a duration read back is
/// at most ``relativeError`` away from the one counted; below 128 µs it is exact. Only buckets that count something
/// take memory, eight bytes each. The bucket that counts a duration depends only on the duration, so a merge of parts
/// equals the whole, in any order.
public struct DurationHistogram: Hashable, Sendable {
    /// The greatest error of ``duration(ofShare:)``, relative to the counted duration: half a bucket.
    public static let relativeError = 1.0 / 128

    /// Number of durations counted.
    public private(set) var count = 0
    /// Sum of the durations, in microseconds, exact up to the greatest `Int64`.
    package private(set) var total: Int64 = 0
    /// The longest duration, exactly, in microseconds; zero if there is none.
    package private(set) var max: Int64 = 0
    /// Buckets in ascending order.
    private var buckets: [Bucket] = []

    /// Creates a histogram that has counted nothing.
    public init() {}

    /// Counts a duration; a negative one counts as zero.
    package mutating func add(_ duration: Int64) {
        let duration = Swift.max(0, duration)
        count += 1
        total = Self.sum(total, duration)
        max = Swift.max(max, duration)
        let bucket = Bucket(holding: duration)
        let place = firstPlace(notBelow: bucket.number)
        if place < buckets.count, buckets[place].number == bucket.number {
            buckets[place].count += 1
        } else {
            buckets.insert(bucket, at: place)
        }
    }

    /// Counts everything that `other` has counted.
    public mutating func merge(_ other: DurationHistogram) {
        count += other.count
        total = Self.sum(total, other.total)
        max = Swift.max(max, other.max)
        var merged: [Bucket] = []
        merged.reserveCapacity(Swift.max(buckets.count, other.buckets.count))
        var (mine, theirs) = (buckets[...], other.buckets[...])
        while let one = mine.first, let two = theirs.first {
            if one.number <= two.number { mine.removeFirst() }
            if two.number <= one.number { theirs.removeFirst() }
            var next = one.number <= two.number ? one : two
            if one.number == two.number { next.count += two.count }
            merged.append(next)
        }
        buckets = merged + mine + theirs
    }

    /// Returns the duration that this share of durations does not exceed, in microseconds; nil if none was counted.
    ///
    /// A share of 0.5 gives the median; 0.95 gives what all but one in twenty stay below.
    package func quantile(_ share: Double) -> Int64? {
        guard count > 0 else { return nil }
        let share = share > 0 ? Swift.min(share, 1) : 0
        let rank = Swift.max(1, Int((Double(count) * share).rounded(.up)))
        guard rank < count else { return max }
        var seen = 0
        for bucket in buckets {
            seen += bucket.count
            if seen >= rank { return Swift.min(bucket.middle, max) }
        }
        return max
    }

    /// Returns how many durations are below each bound, in microseconds, and not below the one before; the last number
    /// is of those at the last bound or longer.
    ///
    /// A duration within ``relativeError`` of a bound may count on its other side.
    package func counts(between bounds: [Int64]) -> [Int] {
        var counts = Array(repeating: 0, count: bounds.count + 1)
        for bucket in buckets {
            counts[bounds.firstIndex { bucket.middle < $0 } ?? bounds.count] += bucket.count
        }
        return counts
    }

    /// Returns how many durations are longer than one of this length, in microseconds, or about as long.
    package func count(above duration: Int64) -> Int {
        let number = Bucket(holding: duration).number
        return buckets.reduce(0) { $1.number > number ? $0 + $1.count : $0 }
    }

    private static func sum(_ one: Int64, _ two: Int64) -> Int64 {
        let (sum, isTooGreat) = one.addingReportingOverflow(two)
        return isTooGreat ? .max : sum
    }

    private func firstPlace(notBelow number: Int) -> Int {
        let buckets = buckets.span
        var low = 0
        var rest = buckets.count
        // The half to search can't be predicted: a sum costs less than a wrong guess.
        while rest > 0 {
            let half = (rest &+ 1) / 2
            let isBelow = (buckets[low &+ half &- 1].number &- number) &>> (Int.bitWidth &- 1)
            low &+= half & isBelow
            rest &-= half
        }
        return low
    }
}

extension DurationHistogram {
    /// The number of durations of about the same length.
    ///
    /// Number and count share one word: there are 3,712 numbers, and never 2⁴⁸ rows.
    private struct Bucket: Hashable, Sendable {
        private static let countBits = 48
        private static let stepBits = 6

        private var packed: UInt64

        /// Creates the bucket that a duration falls in, with a count of one.
        init(holding duration: Int64) {
            let value = Int(Swift.max(0, duration))
            let highestBit = Int.bitWidth - 1 - value.leadingZeroBitCount
            let shift = Swift.max(0, highestBit - Self.stepBits)
            let number = (shift << Self.stepBits) + (value >> shift)
            packed = UInt64(number) << Self.countBits | 1
        }

        /// The position among all buckets, shortest durations first.
        var number: Int { Int(packed >> Self.countBits) }

        var count: Int {
            get { Int(packed & (1 << Self.countBits - 1)) }
            set { packed = UInt64(number) << Self.countBits | UInt64(newValue) & (1 << Self.countBits - 1) }
        }

        /// The middle of the durations that fall in this bucket.
        var middle: Int64 {
            let shift = Swift.max(0, number >> Self.stepBits - 1)
            let lowest = Int64(number - shift << Self.stepBits) << shift
            return lowest + (Int64(1) << shift - 1) / 2
        }
    }
}

extension DurationHistogram {
    /// Counts a duration to the microsecond; a negative one counts as zero.
    public mutating func add(_ duration: Duration) { add(duration.microseconds) }

    /// All durations together.
    public var sum: Duration { .microseconds(total) }

    /// The longest duration; zero if there is none.
    public var longest: Duration { .microseconds(max) }

    /// Returns the duration that this share of durations does not exceed; `nil` if none was counted.
    ///
    /// A share of 0.5 gives the median; 0.95 gives what all but one in twenty stay below.
    public func duration(ofShare share: Double) -> Duration? { quantile(share).map { .microseconds($0) } }
}
