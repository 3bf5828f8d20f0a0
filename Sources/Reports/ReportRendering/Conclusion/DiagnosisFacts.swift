import LogDiagnosis
import ULSLog

/// What the exit code of a diagnosis depends on.
struct DiagnosisFacts {
    private let report: DiagnosisReport
    private let circumstances: DiagnosisCircumstances

    init(_ report: DiagnosisReport, _ circumstances: DiagnosisCircumstances) {
        self.report = report
        self.circumstances = circumstances
    }

    /// Whether every line is accounted for.
    var balances: Bool { report.logs?.quality.balances ?? true }

    /// Findings that are bad enough, listed or not.
    var failures: Int { DiagnosisCounts(report).count(atLeast: circumstances.failOn) }

    var hasRejectedInput: Bool {
        hasTooManyParseErrors || holdsNothing || incompleteFiles > 0 || !report.refusedConfigs.isEmpty
    }

    var hasTooManyParseErrors: Bool {
        guard let quality = report.logs?.quality, quality.lines > 0 else { return false }
        return Double(quality.notUnderstood) > circumstances.maximumParseErrors * Double(quality.lines)
    }

    /// Whether there is no event in any log, and not because of a window or filter.
    var holdsNothing: Bool {
        guard let logs = report.logs else { return false }
        var outcome = LogOutcome(logs)
        outcome.hasWindow = circumstances.hasWindow
        return outcome.holdsNothing
    }

    var isComplete: Bool { incompleteness.isEmpty }

    /// What is missing, in words.
    var incompleteness: [String] {
        var words: [String] = []
        if !report.notEvaluated.isEmpty {
            words.append("\(GroupedNumber.of(report.notEvaluated.count, "rule", "rules")) not evaluated")
        }
        let undecided = report.findings.count { !$0.undecided.isEmpty }
        if undecided > 0 {
            words.append("\(GroupedNumber.of(undecided, "finding", "findings")) with an undecided verdict")
        }
        let unread = incompleteFiles + report.refusedConfigs.count
        if unread > 0 { words.append("\(GroupedNumber.of(unread, "file", "files")) not read to the end") }
        return words
    }

    private var incompleteFiles: Int { report.logs?.files.count(where: \.isIncomplete) ?? 0 }
}
