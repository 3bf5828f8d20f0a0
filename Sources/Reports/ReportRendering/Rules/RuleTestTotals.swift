import LogDiagnosis

/// What the tests of several rules come to.
public struct RuleTestTotals: Sendable {
    private var rules = 0
    private var tests = 0
    private var failures = 0
    private var mutants = 0
    private var survivors = 0
    private let mutates: Bool

    /// - Parameter mutates: whether it is told what tests do not see.
    public init(mutates: Bool) { self.mutates = mutates }

    /// True when no test fails and nothing goes unnoticed.
    public var passed: Bool { failures + survivors == 0 }

    /// All in one sentence.
    public var sentence: String {
        let tested = "rules: \(rules), tests: \(tests), failed: \(failures)"
        return mutates ? "\(tested); mutants: \(mutants), not noticed: \(survivors)" : tested
    }

    public mutating func add(_ outcome: RuleTestOutcome) {
        rules += 1
        tests += outcome.results.count
        failures += outcome.failures.count
        mutants += outcome.mutation?.mutants ?? 0
        survivors += outcome.mutation?.survivors.count ?? 0
    }

    /// Counts a rule without tests, which is a failure.
    public mutating func addWithoutTests() {
        rules += 1
        failures += 1
    }
}
