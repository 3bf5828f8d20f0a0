/// Counts durations in microseconds, and tells which one so many of them stay below.
///
/// Buckets grow with the durations: each power of two is cut into 64 of the same width, so that a duration read back is
/// at most ``relativeError`` away from the one that was counted; below 128 µs it is exact. Only buckets that count
/// something take room, eight bytes each. Which bucket counts a duration depends on nothing but the duration, so a
/// merge of parts equals the whole, in any order.
public struct DurationHistogram: Hashable, Sendable {
    /// The most that ``quantile(_:)`` is off, relative to the duration that was counted: half a bucket.
    public static let relativeError = 1.0 / 128

    /// How many durations were counted.
    public private(set) var count = 0
    /// The sum of them, in microseconds, exact up to the greatest `Int64`.
    public private(set) var total: Int64 = 0
    /// The longest, exactly, in microseconds; zero if there is none.
    public private(set) var max: Int64 = 0
    /// In ascending order.
    private var buckets: [Bucket] = []

    public init() {}

    /// Counts a duration; a negative one as zero.
    public mutating func add(_ duration: Int64) {
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

    /// Counts all that `other` has counted.
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

    /// The duration that this share of them does not exceed, in microseconds; nil if none was counted.
    ///
    /// A share of 0.5 asks for the median, 0.95 for what all but one in twenty stay below.
    public func quantile(_ share: Double) -> Int64? {
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

    private static func sum(_ one: Int64, _ two: Int64) -> Int64 {
        let (sum, isTooGreat) = one.addingReportingOverflow(two)
        return isTooGreat ? .max : sum
    }

    private func firstPlace(notBelow number: Int) -> Int {
        let buckets = buckets.span
        var low = 0
        var rest = buckets.count
        // Which half it is in can't be foretold: a sum costs less than a wrong guess.
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
    /// How many durations of about the same length there are.
    ///
    /// Number and count share one word: 3,712 numbers exist, and 2⁴⁸ rows don't.
    private struct Bucket: Hashable, Sendable {
        private static let countBits = 48
        private static let stepBits = 6

        private var packed: UInt64

        /// The bucket that a duration falls in, counting that one.
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

        /// The duration in the middle of those that fall in this bucket.
        var middle: Int64 {
            let shift = Swift.max(0, number >> Self.stepBits - 1)
            let lowest = Int64(number - shift << Self.stepBits) << shift
            return lowest + (Int64(1) << shift - 1) / 2
        }
    }
}
