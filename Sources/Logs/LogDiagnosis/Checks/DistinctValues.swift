/// The number of distinct values that the checks of a run may still remember.
///
/// A class, because all checks of a run share what is left.
final class DistinctBudget {
    /// Room for so many more.
    private(set) var left: Int

    init(_ maximum: Int = DiagnosisLimit.distinctValues.maximum) { left = maximum }

    /// Takes room for a value; returns false if there is none.
    func take() -> Bool {
        guard left > 0 else { return false }
        left -= 1
        return true
    }

    func giveBack(_ count: Int) { left += count }

    /// Returns to what was left before a trial.
    func restore(_ count: Int) { left = count }
}

/// A value as a hash of 16 bytes, so that a million of them fit in little memory; two different values never share one
/// in practice.
struct ValueHash: Hashable {
    private let bits: UInt128

    init(_ value: some Hashable) {
        bits = UInt128(Self.half(value, 0)) << 64 | UInt128(Self.half(value, 1))
    }

    private static func half(_ value: some Hashable, _ seed: Int) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(seed)
        hasher.combine(value)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }
}
