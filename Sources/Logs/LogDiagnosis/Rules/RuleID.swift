/// The number of a rule: `FS` and four digits, never used again for another rule.
///
/// FS0101 is ASP.NET tracing; FS1nnn has the number of the failure in the catalogue; FS04nn looks at web.config alone;
/// FS90nn is about the log and the tool itself.
public struct RuleID: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let text: String

    /// `nil` unless it is `FS` and four digits; small letters are taken for capitals.
    public init?(_ text: String) {
        let capitals = text.uppercased()
        guard capitals.utf8.count == 6, capitals.hasPrefix("FS"),
            capitals.utf8.dropFirst(2).allSatisfy({ $0 &- UInt8(ascii: "0") < 10 })
        else { return nil }
        self.text = capitals
    }

    public var description: String { text }

    public static func < (one: Self, other: Self) -> Bool { one.text < other.text }
}

extension RuleID: Decodable {
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let id = RuleID(text), id.text == text else {
            throw RuleError.Reason("\u{201C}\(text)\u{201D} is no rule ID: FS and four digits")
        }
        self = id
    }
}
