/// Whether chance makes so many events, by Chernoff's bounds: their logarithms need no library beyond ours.
enum Chance {
    /// Returns whether a Poisson process of this mean makes so many events less than once in a million times.
    static func isUnlikely(_ count: Int, mean: Double) -> Bool {
        // P(X ≥ k) ≤ e^(k−μ) (μ/k)^k for k > μ.
        let mean = max(mean, 0.01)
        let k = Double(count)
        guard k > mean else { return false }
        return k - mean - k * logarithm(k / mean) < -13.8
    }

    /// Returns whether events fall on two sides as they do less than once in ten thousand times if only this share of
    /// them is due to the second side.
    static func isUnlikely(_ first: Double, _ second: Double, share: Double) -> Bool {
        let sum = first + second
        guard sum > 0, share > 0, share < 1 else { return false }
        // P ≤ e^(−n D(q‖p)), with the distance D of what was seen from what is expected.
        let seen = second / sum
        return sum * (distance(seen, share) + distance(1 - seen, 1 - share)) > 9.2
    }

    private static func distance(_ seen: Double, _ expected: Double) -> Double {
        guard seen > 0 else { return 0 }
        let ratio = seen / expected
        return seen * (ratio >= 1 ? logarithm(ratio) : -logarithm(1 / ratio))
    }

    /// The natural logarithm of a number from 1 on.
    private static func logarithm(_ number: Double) -> Double {
        let exponent = Double(number.exponent)
        // ln m = 2 artanh((m − 1) / (m + 1)) for 1 ≤ m < 2.
        let ratio = (number.significand - 1) / (number.significand + 1)
        var (sum, power) = (0.0, ratio)
        for odd in stride(from: 1.0, through: 21, by: 2) {
            sum += power / odd
            power *= ratio * ratio
        }
        return exponent * 0.693_147_180_559_945_3 + 2 * sum
    }
}
