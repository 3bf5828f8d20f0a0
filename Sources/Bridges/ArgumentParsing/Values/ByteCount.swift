/// A number of bytes: `4096`, `10MiB` (binary), `1GB` (decimal).
public struct ByteCount: Hashable, Comparable, Sendable, ArgumentValue {
    public var bytes: Int

    public init(bytes: Int) { self.bytes = bytes }

    public static func < (one: Self, other: Self) -> Bool { one.bytes < other.bytes }

    private static let units: [(suffix: String, bytes: Int)] = [
        ("TiB", 1 << 40), ("TB", 1_000_000_000_000), ("GiB", 1 << 30), ("GB", 1_000_000_000),
        ("MiB", 1 << 20), ("MB", 1_000_000), ("KiB", 1 << 10), ("KB", 1000), ("B", 1),
    ]

    /// Capitals don't matter in the unit, but `10M` is refused, because it means two things.
    public init(argument word: String) throws(ArgumentExpectation) {
        let digits = word.prefix { "0"..."9" ~= $0 }
        let suffix = word.dropFirst(digits.count).lowercased()
        let unit = suffix.isEmpty ? 1 : Self.units.first { $0.suffix.lowercased() == suffix }?.bytes
        guard let count = Int(digits), let unit, case (let bytes, false) = count.multipliedReportingOverflow(by: unit)
        else { throw ArgumentExpectation("a size such as 4096, 10MiB or 1GB") }
        self.bytes = bytes
    }

    /// In the largest unit that leaves no remainder.
    public var argumentText: String {
        guard bytes > 0, let unit = Self.units.first(where: { bytes % $0.bytes == 0 }), unit.bytes > 1 else {
            return "\(bytes)"
        }
        return "\(bytes / unit.bytes)" + unit.suffix
    }
}
