import JSONText
import LogDiagnosis

/// The run, as SARIF has it: how it ended, and what a reader of the results should know.
struct SARIFInvocation {
    private let report: DiagnosisReport
    private let options: DiagnosisOptions
    private let rules: SARIFRules
    /// Findings that are not among the results.
    private let cut: Int

    init(_ report: DiagnosisReport, _ options: DiagnosisOptions, _ rules: SARIFRules, cut: Int) {
        self.report = report
        self.options = options
        self.rules = rules
        self.cut = cut
    }

    func write(to writer: inout JSONWriter) {
        writer.object { invocation in
            // Findings are no failure of the run, and neither are rules that could not be evaluated.
            let isSuccess = [.done, .documentsFailed, .notEvaluated].contains(options.status)
            invocation.member("executionSuccessful", isSuccess)
            invocation.member("exitCode", Int(options.status.rawValue))
            if let start = options.startedAt {
                invocation.member("startTimeUtc", UTCTimestamp(since1970: start).description)
                invocation.member("endTimeUtc", UTCTimestamp(since1970: start + options.duration).description)
            }
            invocation.array("toolExecutionNotifications") { writeNotifications(to: &$0) }
        }
    }

    private func writeNotifications(to array: inout JSONWriter) {
        for entry in report.notEvaluated {
            write(
                "not-evaluated",
                "note",
                "\(entry.rule.id) was not evaluated: \(entry.reason)",
                entry.rule,
                to: &array
            )
        }
        for finding in report.findings where !finding.undecided.isEmpty {
            let verdicts = finding.undecided.joined(separator: ", ")
            write("undecided", "note", "\(finding.rule.id) is undecided: \(verdicts)", finding.rule, to: &array)
        }
        for refused in report.refusedConfigs {
            write("input-refused", "error", "\(refused)", to: &array)
        }
        for note in DiagnosisNotes.phrases(of: report) {
            write("note", "warning", note.text(TextLayout()), to: &array)
        }
        for omission in omissions { write("cut", "warning", omission, to: &array) }
    }

    /// What was cut to stay within the limits, in words.
    private var omissions: [String] {
        var words: [String] = []
        if cut > 0 {
            let findings = GroupedNumber.of(cut, "finding is", "findings are")
            words.append(
                """
                \(findings) not in this file, which holds at most \(GroupedNumber(SARIFLimits.results)) results and \
                \(GroupedNumber(SARIFLimits.resultBytes)) bytes of them: -o json has all
                """
            )
        }
        if rules.omitted > 0 {
            words.append(
                "\(GroupedNumber.of(rules.omitted, "rule is", "rules are")) not in this file: there are too many"
            )
        }
        let long = report.findings.count { $0.evidence.count + $0.config.count > SARIFLimits.locations }
        if long > 0 {
            let findings = GroupedNumber.of(long, "finding has", "findings have")
            words.append("\(findings) more than \(SARIFLimits.locations) places, of which the first are in this file")
        }
        return words
    }

    private func write(
        _ id: String,
        _ level: String,
        _ text: String,
        _ rule: Rule? = nil,
        to array: inout JSONWriter
    ) {
        array.object { object in
            object.object("descriptor") { $0.member("id", id) }
            object.member("level", level)
            object.object("message") { $0.member("text", SARIFText.message([text])) }
            guard let rule else { return }
            object.object("associatedRule") { associated in
                associated.member("id", rule.id.text)
                if let index = rules.index(of: rule) { associated.member("index", index) }
            }
        }
    }
}
