/// Whether a rule says as much as its status promises.
struct TrustLint {
    private(set) var complaints: [RuleComplaint] = []

    init(_ subject: LintSubject) {
        let rule = subject.rule
        if rule.status == .experimental {
            for (index, verdict) in rule.verdicts.enumerated() where verdict.severity > .warning {
                let message =
                    "an experimental rule warns at most; verdict \(verdict.id) says \(verdict.severity.rawValue)"
                complaints.append(subject.error(message, at: "verdicts", "\(index)", "severity"))
            }
        }
        guard rule.status == .stable else { return }
        func missing(_ what: String, _ key: String) {
            complaints.append(subject.error("a stable rule needs \(what)", at: key))
        }
        if rule.verify == nil { missing("verify: how to see that it is cured", "status") }
        if rule.references.isEmpty { missing("references: where its facts come from", "status") }
        if rule.explanation.impact == nil { missing("an impact: what users notice", "explain") }
        if rule.fix.isEmpty { missing("a step of a fix", "fix") }
    }
}
