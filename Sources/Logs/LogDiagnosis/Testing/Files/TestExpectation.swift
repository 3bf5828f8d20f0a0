/// What a rule must say in a test.
public enum TestExpectation: Sendable, Hashable {
    /// The rule must refuse to guess.
    case notEvaluated
    /// These findings, in the order of the report, and no others.
    case findings([ExpectedFinding])
}

/// What must be true of a finding; what is `nil` is not compared.
public struct ExpectedFinding: Sendable, Hashable {
    public var rule: RuleID
    public var verdict: String?
    public var severity: Severity?
    public var confidence: Confidence?
    /// All symptoms and their counts.
    public var symptoms: [String: Int]?
    /// Some captures.
    public var captures: [String: String]
    public var undecided: [String]?
    /// How many events, or groups of them.
    public var count: Int?
    public var message: String?
    /// The event ID of the row that leads the evidence.
    public var lead: String?
}
