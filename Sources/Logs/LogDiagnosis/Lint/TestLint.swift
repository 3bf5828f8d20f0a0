import YAML

/// Whether the tests of a rule show all that it may say, and when it is silent.
struct TestLint {
    private(set) var complaints: [RuleComplaint] = []
    private let subject: LintSubject

    init(_ subject: LintSubject, _ file: RuleTestFile?) {
        self.subject = subject
        let rule = subject.rule
        guard let file else {
            complain("there are no tests: \(rule.id).tests.yaml", in: nil)
            return
        }
        var expected: Set<String> = []
        for test in file.tests {
            guard case .findings(let findings) = test.expectation else { continue }
            for finding in findings where finding.rule == rule.id { expected.insert(finding.verdict ?? "") }
        }
        for verdict in rule.verdicts where !expected.contains(verdict.id) {
            complain("no test expects verdict \(verdict.id)", in: file)
        }
        // Those that `each` makes of one are one.
        let nearMisses = Set(file.tests.filter { $0.isNearMiss }.map(\.place)).count
        let used = Set(rule.checks.entries.flatMap { $0.value.selectors.map(\.value) }).count
        if nearMisses < used {
            complain("\(used) selectors have only \(nearMisses) tests that are called NEAR MISS", in: file)
        }
        if !file.tests.contains(where: { $0.name.hasPrefix("PASS") && $0.expectation == .findings([]) }) {
            complain("no test shows a clean pass: call it PASS, and expect []", in: file)
        }
        if !file.tests.contains(where: { $0.expectation == .notEvaluated }) {
            complain("no test expects not_evaluated", in: file)
        }
    }

    /// A stable rule must have them, others should.
    private mutating func complain(_ message: String, in file: RuleTestFile?) {
        let severity: RuleComplaint.Severity = subject.rule.status == .stable ? .error : .warning
        complaints.append(RuleComplaint(severity, file: file?.file ?? subject.file, message: message))
    }
}
