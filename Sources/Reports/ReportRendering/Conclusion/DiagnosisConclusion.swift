public import LogDiagnosis
import ULSLog
import WebConfig

/// How a diagnosis ended: the exit code and what is said last, from one place, so that they cannot disagree.
public struct DiagnosisConclusion: Sendable {
    public let status: ExitStatus
    /// What happened, in one line.
    public let sentence: String
    /// Why the exit code is what it is and what else there is to say, a line each, to stand before the sentence.
    public let remarks: [String]

    /// Everything that is said at the end, line by line.
    public var lines: [String] { remarks + [sentence] }

    public init(_ report: DiagnosisReport, _ circumstances: DiagnosisCircumstances) {
        let facts = DiagnosisFacts(report, circumstances)
        var statuses: [ExitStatus] = []
        if !facts.balances { statuses.append(.unbalanced) }
        if facts.hasRejectedInput { statuses.append(.inputRejected) }
        if facts.failures > 0 { statuses.append(.documentsFailed) }
        if circumstances.requireComplete, !facts.isComplete { statuses.append(.notEvaluated) }
        status = .first(of: statuses)
        sentence = DiagnosisSentence(report: report, duration: circumstances.duration).text
        remarks = Self.remarks(on: report, facts, circumstances)
    }

    private static func remarks(
        on report: DiagnosisReport,
        _ facts: DiagnosisFacts,
        _ circumstances: DiagnosisCircumstances
    ) -> [String] {
        var lines: [String] = []
        if !circumstances.tellsNotes {
            let refused = report.refusedConfigs.prefix(ReadNotes.maximumFiles).map { refused -> Phrase in
                let advice: Phrase = refused.advice.map { "; \(outside: $0)" } ?? ""
                return "\(outside: refused.place): \(outside: refused.message)\(advice)"
            }
            let layout = TextLayout(neutralizesRunnerCommands: true)
            lines += (refused + DiagnosisNotes.phrases(of: report)).map { $0.text(layout) }
        }
        if !facts.balances {
            lines.append("the lines do not add up: please report this, it is a defect of this program")
        }
        if facts.hasTooManyParseErrors, let quality = report.logs?.quality {
            lines.append(
                """
                \(GroupedNumber(quality.notUnderstood)) of \(GroupedNumber.of(quality.lines, "line", "lines")) were not \
                understood, more than --max-parse-errors allows
                """
            )
        }
        if facts.holdsNothing { lines.append("there is no event in the logs: are they ULS logs?") }
        if circumstances.requireComplete, !facts.isComplete {
            let missing = facts.incompleteness.joined(separator: ", ")
            lines.append("not complete, as --require-complete demands: \(missing)")
        }
        if facts.failures > 0, let severity = circumstances.failOn {
            let findings = GroupedNumber.of(facts.failures, "finding is", "findings are")
            lines.append("\(findings) at or above \(severity.rawValue) (--fail-on)")
        }
        return lines
    }
}
