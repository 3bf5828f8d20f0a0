/// `30s`, `5m`, `1h30m`, `250ms`: whole numbers with units, the longer unit first; `0` needs none.
extension Duration: ArgumentValue {
    private static let units: [(suffix: String, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60000), ("s", 1000), ("ms", 1),
    ]

    public init(argument word: String) throws(ArgumentExpectation) {
        guard let total = word == "0" ? 0 : Self.milliseconds(of: word) else {
            throw ArgumentExpectation("a duration such as 30s, 5m, 1h30m or 250ms")
        }
        self = .milliseconds(total)
    }

    private static func milliseconds(of word: String) -> Int64? {
        var (rest, total, unitsLeft) = (word[...], Int64(0), units[...])
        repeat {
            let digits = rest.prefix { "0"..."9" ~= $0 }
            let suffix = rest.dropFirst(digits.count).prefix { !("0"..."9" ~= $0) }
            rest = rest.dropFirst(digits.count + suffix.count)
            guard let count = Int64(digits), let index = unitsLeft.firstIndex(where: { $0.suffix == suffix }) else {
                return nil
            }
            let (part, isTooLong) = count.multipliedReportingOverflow(by: units[index].milliseconds)
            let (sum, isOverflow) = total.addingReportingOverflow(part)
            guard !isTooLong, !isOverflow else { return nil }
            total = sum
            unitsLeft = units[(index + 1)...]
        } while !rest.isEmpty
        return total
    }

    public var argumentText: String {
        let (seconds, attoseconds) = components
        var rest = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        let parts = Self.units.map { unit in
            defer { rest %= unit.milliseconds }
            return rest / unit.milliseconds == 0 ? "" : "\(rest / unit.milliseconds)" + unit.suffix
        }
        let text = parts.joined()
        return text.isEmpty ? "0" : text
    }
}
