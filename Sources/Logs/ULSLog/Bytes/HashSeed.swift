/// What hashes of this process begin with; to keep one saves looking for it each time.
struct HashSeed {
    private let first = Self.first
    private let second = Self.second

    private static let first = UInt64.random(in: .min ... .max)
    private static let second = UInt64.random(in: .min ... .max)

    /// A hash of two words.
    @inline(__always)
    func mixed(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let product = (one ^ first).multipliedFullWidth(by: other ^ second)
        return product.high ^ product.low
    }
}
