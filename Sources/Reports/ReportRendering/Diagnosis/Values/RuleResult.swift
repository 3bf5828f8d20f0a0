import LogDiagnosis

/// What became of one rule.
struct RuleResult {
    enum Outcome {
        case passed
        case notEvaluated(reason: String)
        /// With those that are listed.
        case found([Finding])
    }

    let rule: Rule
    let outcome: Outcome
    /// Findings, those included that are not listed.
    let findingCount: Int

    /// The results of all rules, by ID.
    static func all(of report: DiagnosisReport) -> [RuleResult] {
        let found = Dictionary(grouping: report.findings, by: \.rule.id)
        let omitted = Dictionary(grouping: report.omitted, by: \.rule)
        let withFindings = found.compactMap { id, findings in
            findings.first.map { first in
                let rest = (omitted[id] ?? []).reduce(0) { $0 + $1.count }
                return RuleResult(rule: first.rule, outcome: .found(findings), findingCount: findings.count + rest)
            }
        }
        let passed = report.passed.map { RuleResult(rule: $0, outcome: .passed, findingCount: 0) }
        let notEvaluated = report.notEvaluated.map {
            RuleResult(rule: $0.rule, outcome: .notEvaluated(reason: $0.reason), findingCount: 0)
        }
        return (withFindings + passed + notEvaluated).sorted { $0.rule.id < $1.rule.id }
    }
}
