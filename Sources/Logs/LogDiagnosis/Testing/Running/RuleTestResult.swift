public import YAML

/// How a test of a rule went.
public struct RuleTestResult: Sendable {
    public var name: String
    /// Where the test stands in its file.
    public var place: Place
    /// Whether the rule says what is expected; a known gap must not.
    public var passed: Bool
    /// What differs, a line each, for people.
    public var differences: [String]
}
