import LogDiagnosis

/// What all forms of a diagnosis count, from one place, so that they cannot disagree.
struct DiagnosisCounts: Hashable, Sendable {
    /// Findings of each severity, worst first; zeros too.
    let severities: [SeverityCount]
    let passed: Int
    let notEvaluated: Int
    /// Rules that were run.
    let rules: Int

    struct SeverityCount: Hashable, Sendable {
        let severity: Severity
        let count: Int
    }

    init(_ report: DiagnosisReport) {
        severities = report.counts.map { SeverityCount(severity: $0.severity, count: $0.count) }
        passed = report.passed.count
        notEvaluated = report.notEvaluated.count
        rules = report.ruleCount
    }

    /// Findings of all severities, those included that are not listed.
    var findings: Int { severities.reduce(0) { $0 + $1.count } }

    /// How many are at least that bad; `nil`: none is bad enough.
    func count(atLeast severity: Severity?) -> Int {
        guard let severity else { return 0 }
        return severities.reduce(0) { $0 + ($1.severity >= severity ? $1.count : 0) }
    }

    /// `1 error, 2 warnings`; empty when there are none.
    var severityWords: String {
        severities.filter { $0.count > 0 }.map { "\(GroupedNumber($0.count)) \($0.severity.noun(of: $0.count))" }
            .joined(separator: ", ")
    }

    /// `3 findings: 1 error, 2 warnings · 41 rules passed · 4 not evaluated`.
    func sentence(_ separator: String = " · ") -> String {
        let found =
            findings == 0
            ? "no findings" : "\(GroupedNumber.of(findings, "finding", "findings")): \(severityWords)"
        let parts = [
            found, "\(GroupedNumber.of(passed, "rule", "rules")) passed",
            notEvaluated > 0 ? "\(GroupedNumber(notEvaluated)) not evaluated" : nil,
        ]
        return parts.compactMap(\.self).joined(separator: separator)
    }
}
