package import LogDiagnosis
import ReportKit
package import TextKit
import ULSLog
import WebConfig

/// The conclusion of a diagnosis: exit code and final messages, derived together so that they cannot disagree.
package struct DiagnosisConclusion: Sendable {
    package let status: ExitStatus
    /// Whether the run fails because no rows were examined, or none with a requested value.
    package let isOfNothing: Bool
    /// One line that summarizes the run.
    package let sentence: String
    /// The reasons for the exit code and other remarks, one line each, to be printed before the sentence.
    package let remarks: [String]

    /// All lines to print at the end.
    package var lines: [String] { remarks + [sentence] }

    package init(_ report: DiagnosisReport, _ circumstances: DiagnosisCircumstances) {
        let facts = DiagnosisFacts(report, circumstances)
        var statuses: [ExitStatus] = []
        if !facts.balances { statuses.append(.unbalanced) }
        if facts.hasRejectedInput || facts.failsAsEmpty { statuses.append(.inputRejected) }
        if facts.failures > 0 || facts.failsOnUnexplained { statuses.append(.documentsFailed) }
        if circumstances.requireComplete, !facts.isComplete { statuses.append(.notEvaluated) }
        status = .first(of: statuses)
        isOfNothing = facts.failsAsEmpty
        sentence = Self.sentence(on: report, circumstances)
        remarks = Self.remarks(on: report, facts, circumstances)
    }

    private static func remarks(
        on report: DiagnosisReport,
        _ facts: DiagnosisFacts,
        _ circumstances: DiagnosisCircumstances
    ) -> [String] {
        // Problems that invalidate all other results come first.
        var lines = [facts.absence].compactMap(\.self)
        if !circumstances.tellsNotes {
            let refused = report.refusedConfigs.prefix(ReadNotes.maximumFiles).map { refused -> Phrase in
                let advice: Phrase = refused.advice.map { "; \(untrusted: $0)" } ?? ""
                return "\(untrusted: refused.place): \(untrusted: refused.message)\(advice)"
            }
            let layout = TextLayout(neutralizesRunnerCommands: true)
            lines += (refused + DiagnosisNotes.phrases(of: report)).map { $0.text(layout) }
        }
        if !facts.balances { lines.append(DiagnosisFacts.imbalance) }
        if let errors = facts.parseErrors { lines.append(errors) }
        if circumstances.requireComplete, !facts.isComplete {
            let missing = facts.incompleteness.joined(separator: ", ")
            lines.append("incomplete, but --require-complete was given: \(missing)")
        }
        if facts.failsOnUnexplained {
            let kinds = Quantity(
                grouped: report.unexplainedKinds,
                "kind",
                "kinds",
                isAtLeast: report.unexplainedIsAtLeast
            )
            lines.append("rows of \(kinds) show a problem that no rule explains (--fail-on-unexplained)")
        }
        if facts.failures > 0, let severity = circumstances.gate.failOn {
            let findings = Quantity(grouped: facts.failures, "finding", "findings")
            lines.append("\(findings) of severity \(severity.rawValue) or worse (--fail-on)")
        }
        return lines
    }

    /// Returns the reasons the result is not reliable, as sentences, for forms whose readers don't see the exit code.
    ///
    /// Refused web.config files are not included, because the report lists them.
    package static func rejections(of report: DiagnosisReport, _ circumstances: DiagnosisCircumstances) -> [String] {
        let facts = DiagnosisFacts(report, circumstances)
        var sentences: [String] = []
        if facts.failsAsEmpty || facts.holdsNothing { sentences += [facts.absence].compactMap(\.self) }
        if !facts.balances { sentences.append(DiagnosisFacts.imbalance) }
        return sentences + [facts.parseErrors, facts.unreadFiles].compactMap(\.self)
    }

    /// Returns `1 error, 2 warnings by 24 rules on 1,219 rows in 1 file; 5 kinds of rows unexplained, not
    /// counted (--fail-on-unexplained) (0.2 s)`.
    private static func sentence(on report: DiagnosisReport, _ circumstances: DiagnosisCircumstances) -> String {
        let counts = DiagnosisCounts(report)
        let aside = counts.asideWords.isEmpty ? "" : " (\(counts.asideWords.joined(separator: ", ")))"
        let found = (counts.findings == 0 ? "no findings" : counts.severityWords) + aside
        let rules = Quantity(grouped: counts.rules, "rule", "rules")
        let notEvaluated = counts.notEvaluated > 0 ? ", \(Quantity(grouped: counts.notEvaluated)) not evaluated," : ""
        let inputs = ReportWords.inputs(of: report)
        // The report shows them under the headings of their severities, like findings.
        let remark = circumstances.gate.failsOnUnexplained ? "" : ", not counted (--fail-on-unexplained)"
        let unexplained = counts.unexplainedWords.map { "; \($0)\(remark)" } ?? ""
        let duration = ShortDuration(circumstances.duration)
        return "\(found) by \(rules)\(notEvaluated) on \(inputs)\(unexplained) (\(duration))"
    }
}

/// Facts that determine the exit code of a diagnosis.
final class DiagnosisFacts {
    private let report: DiagnosisReport
    private let circumstances: DiagnosisCircumstances

    init(_ report: DiagnosisReport, _ circumstances: DiagnosisCircumstances) {
        self.report = report
        self.circumstances = circumstances
    }

    /// Whether the counts of lines add up, so that every line is accounted for.
    var balances: Bool { report.logs?.quality.balances ?? true }

    /// The number of findings severe enough to fail, listed or not.
    var failures: Int { DiagnosisCounts(report).count(atLeast: circumstances.gate.failOn) }

    /// Whether there are unexplained rows, and they are a failure.
    var failsOnUnexplained: Bool { circumstances.gate.failsOnUnexplained && report.unexplainedEvents > 0 }

    var hasRejectedInput: Bool {
        hasTooManyParseErrors || holdsNothing || incompleteFiles > 0 || !report.refusedConfigs.isEmpty
    }

    var hasTooManyParseErrors: Bool {
        guard let quality = report.logs?.quality, quality.lines > 0 else { return false }
        return Double(quality.notUnderstood) > circumstances.maximumParseErrors * Double(quality.lines)
    }

    /// Whether the logs contain no event at all, for a reason other than a window or filter.
    var holdsNothing: Bool {
        guard let logs = report.logs else { return false }
        var outcome = LogOutcome(logs)
        outcome.hasWindow = circumstances.hasWindow
        return outcome.holdsNothing
    }

    /// Whether the run fails because no row was examined, or none that had any effect.
    var failsAsEmpty: Bool {
        circumstances.failsIfNone && (report.emptiness != nil || report.reasonOfNoVerdict != nil)
    }

    /// The reason that no row was examined, or none with a requested value or any effect; `nil` if there was such a
    /// row.
    var absence: String? {
        if let emptiness = report.emptiness { return emptiness.sentence(report.logs) }
        return holdsNothing ? EmptySelection([]).sentence(nil) : report.reasonOfNoVerdict
    }

    static let imbalance = "the line counts do not add up; please report this: it is a bug in this program"

    /// A sentence about lines that were not understood, if they are too many.
    var parseErrors: String? {
        guard hasTooManyParseErrors, let quality = report.logs?.quality else { return nil }
        let all = Quantity(grouped: quality.lines, "line", "lines")
        let verb = quality.lines == 1 ? "was" : "were"
        let notUnderstood = "\(Quantity(grouped: quality.notUnderstood)) of \(all) \(verb) not understood"
        return "\(notUnderstood), more than --max-parse-errors allows"
    }

    /// A sentence about logs that were not read to the end, if there are any.
    var unreadFiles: String? {
        guard incompleteFiles > 0 else { return nil }
        return "\(Quantity(grouped: incompleteFiles, "file was", "files were")) not read to the end"
    }

    var isComplete: Bool { incompleteness.isEmpty }

    /// The requested parts that are missing, in words: an input that was not given is not missing.
    var incompleteness: [String] {
        var words: [String] = []
        let rules = report.notEvaluatedWithInputs
        if rules > 0 { words.append("\(Quantity(grouped: rules, "rule", "rules")) not evaluated") }
        let undecided = report.undecidedWithInputs
        if undecided > 0 {
            words.append("\(Quantity(grouped: undecided, "finding", "findings")) with an undecided verdict")
        }
        let unread = incompleteFiles + report.refusedConfigs.count
        if unread > 0 { words.append("\(Quantity(grouped: unread, "file", "files")) not read to the end") }
        return words
    }

    private var incompleteFiles: Int { report.logs?.files.count(where: \.isIncomplete) ?? 0 }
}

/// The conditions under which a diagnosis fails, shared by the exit code, the last line and the reports, which
/// therefore cannot disagree.
package struct DiagnosisGate: Sendable {
    /// The lowest severity at which a finding is a failure; `nil` for none.
    package var failOn: Severity?
    /// Whether rows that show a problem no rule explains are a failure.
    package var failsOnUnexplained: Bool

    package init(failOn: Severity? = .error, failsOnUnexplained: Bool = false) {
        self.failOn = failOn
        self.failsOnUnexplained = failsOnUnexplained
    }

    /// Returns whether a finding fails the run.
    func fails(_ finding: Finding) -> Bool { failOn.map { finding.severity >= $0 } ?? false }

    /// Returns the severity of a kind of unexplained rows in forms that support only errors, warnings and notes: at
    /// most a warning, unless it makes the run fail.
    func loudness(of kind: FailureCluster) -> Severity { failsOnUnexplained ? .error : kind.severity }
}

/// Facts that the conclusion needs, but that the diagnosis does not contain.
package struct DiagnosisCircumstances: Sendable {
    /// Conditions under which the diagnosis fails.
    package var gate = DiagnosisGate()
    /// Whether an incomplete evaluation is a failure.
    package var requireComplete = false
    /// Whether the run fails if no row was examined.
    package var failsIfNone = false
    /// The maximum tolerated share of lines that were not understood, from 0 to 1.
    package var maximumParseErrors = defaultParseErrors
    /// Whether a window or filter was given, which may leave no events.
    package var hasWindow = false
    /// Whether the results already show how the files were read.
    package var tellsNotes = false
    package var duration = Duration.zero

    package init() {}

    /// One percent of the lines.
    package static let defaultParseErrors = 0.01
}
