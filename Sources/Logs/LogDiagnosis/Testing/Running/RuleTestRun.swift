/// The tests of one rule, ready to be run on it and on its mutants.
///
/// Logs are rendered and read once, when the run is made.
public struct RuleTestRun: Sendable {
    let rule: Rule
    private let tests: [PreparedTest]
    /// Rules that run along with the one that is tested.
    private let others: [RuleID: Rule]

    /// Reads the logs of all tests.
    ///
    /// - Parameters:
    ///   - rule: the rule that is tested.
    ///   - file: its tests.
    ///   - others: the rules that tests may name to run along.
    /// - Throws: which test names a rule that is not there, or has a log that cannot be read.
    public init(_ rule: Rule, _ file: RuleTestFile, others: [Rule] = []) throws(RuleError) {
        guard rule.id == file.rule else {
            throw RuleError(file: file.file, message: "these are tests of \(file.rule), not of \(rule.id)")
        }
        let known = Dictionary(others.map { ($0.id, $0) }) { first, _ in first }
        var tests: [PreparedTest] = []
        for test in file.tests {
            if let missing = test.with.first(where: { known[$0] == nil || $0 == rule.id }) {
                let message = missing == rule.id ? "it runs without being named" : "there is no such rule"
                throw RuleError(file: file.file, place: test.place, message: "with \(missing): \(message)")
            }
            do {
                tests.append(try PreparedTest(test))
            } catch {
                throw RuleError(file: file.file, place: test.place, message: "\(error)")
            }
        }
        self.rule = rule
        self.tests = tests
        self.others = known
    }

    /// Runs all tests.
    public func results() throws(RuleError) -> [RuleTestResult] {
        var sets = RuleSets(rule, others: others)
        var results: [RuleTestResult] = []
        for prepared in tests {
            let test = prepared.test
            var differences = prepared.differences(try sets.rules(with: test.with), of: rule.id)
            var passed = differences.isEmpty
            if test.isKnownGap {
                passed.toggle()
                if !passed { differences = ["a known gap passes: remove known_gap"] }
            }
            results.append(
                RuleTestResult(name: test.name, place: test.place, passed: passed, differences: differences)
            )
        }
        return results
    }

    /// Whether a test expects a finding in a log without correlations: only then strict groups tell from requests.
    var groupsWithoutCorrelation: Bool { tests.contains { $0.test.findsWithoutCorrelation } }

    /// Whether some test notices that a rule is not what it was.
    ///
    /// Known gaps don't count. A rule that cannot be made ready is noticed when it is loaded.
    func notices(_ mutant: Rule) -> Bool {
        var sets = RuleSets(mutant, others: others)
        return tests.contains { prepared in
            guard !prepared.test.isKnownGap else { return false }
            guard let rules = try? sets.rules(with: prepared.test.with) else { return true }
            return !prepared.differences(rules, of: mutant.id).isEmpty
        }
    }
}

/// A rule with those that run along, made ready once for each combination.
private struct RuleSets {
    private let rule: Rule
    private let others: [RuleID: Rule]
    private var ready: [[RuleID]: RuleSet] = [:]

    init(_ rule: Rule, others: [RuleID: Rule]) {
        self.rule = rule
        self.others = others
    }

    mutating func rules(with ids: [RuleID]) throws(RuleError) -> RuleSet {
        if let known = ready[ids] { return known }
        let rules = try RuleSet([rule] + ids.compactMap { others[$0] })
        ready[ids] = rules
        return rules
    }
}
