extension DurationHistogram {
    /// How many durations of about the same length there are.
    ///
    /// Number and count share one word: 3,712 numbers exist, and 2⁴⁸ rows don't.
    struct Bucket: Hashable, Sendable {
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
