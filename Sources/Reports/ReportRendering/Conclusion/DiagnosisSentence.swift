import LogDiagnosis

/// `1 error, 2 warnings by 24 rules on 1,219 events in 1 file (0.2 s)`.
struct DiagnosisSentence {
    let report: DiagnosisReport
    let duration: Duration

    var text: String {
        let counts = DiagnosisCounts(report)
        let found = counts.findings == 0 ? "no finding" : counts.severityWords
        let rules = GroupedNumber.of(counts.rules, "rule", "rules")
        let notEvaluated = counts.notEvaluated > 0 ? ", \(GroupedNumber(counts.notEvaluated)) not evaluated," : ""
        let inputs = ReportWords.inputs(of: report)
        return "\(found) by \(rules)\(notEvaluated) on \(inputs) (\(ShortDuration(duration)))"
    }
}
