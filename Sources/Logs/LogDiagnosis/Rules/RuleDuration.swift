/// A length of time in a rule: `500ms`, `60s`, `10m`, `2h`.
public struct RuleDuration: Sendable, Hashable {
    public var milliseconds: Int64

    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// How long a request may take, where a check does not say: ten minutes.
    public static let request = RuleDuration(milliseconds: 600_000)

    /// The longest a check may look back: a day.
    static let longest = RuleDuration(milliseconds: 86_400_000)
}

extension RuleDuration: Decodable {
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        let digits = text.prefix { $0.isNumber }
        let units: [Substring: Int64] = ["ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000]
        guard let count = Int64(digits), let unit = units[text.dropFirst(digits.count)], count > 0,
            count <= Self.longest.milliseconds / unit
        else {
            throw RuleError.Reason("\u{201C}\(text)\u{201D} is no duration up to 24h: write 500ms, 60s, 10m or 2h")
        }
        milliseconds = count * unit
    }
}
