import LogDiagnosis
import ULSLog

/// A diagnosis as metrics, `fastctl_diagnosis_…`.
///
/// A rule that was evaluated has a sample for each severity it can have, zero if it found nothing, so that an alert on
/// it ends when the problem does.
struct DiagnosisMetrics {
    private let report: DiagnosisReport
    private let options: DiagnosisOptions

    init(_ report: DiagnosisReport, _ options: DiagnosisOptions) {
        self.report = report
        self.options = options
    }

    func append(to bytes: inout [UInt8]) {
        var text = PrometheusText()
        text.append("fastctl_diagnosis_findings", help: "Findings, by rule and severity.", findings)
        text.append("fastctl_diagnosis_occurrences", help: "Events that the findings of a rule rest on.", occurrences)
        text.append(
            "fastctl_diagnosis_findings_incomplete",
            help: "Whether there may be more findings, because a limit was reached (1) or not (0).",
            report.findingsAreAtLeast ? 1 : 0
        )
        let counts = DiagnosisCounts(report)
        text.append("fastctl_diagnosis_rules", help: "Rules that were run.", counts.rules)
        text.append(
            "fastctl_diagnosis_rules_not_evaluated",
            help: "Rules that could not be evaluated, because the input does not say enough.",
            counts.notEvaluated
        )
        text.append(
            "fastctl_diagnosis_unexplained_events",
            help: "Events that show a problem and that no rule explains.",
            report.unexplainedEvents
        )
        text.append(
            "fastctl_diagnosis_unexplained_kinds",
            help: "Kinds of events that show a problem and that no rule explains.",
            report.unexplainedKinds
        )
        appendInputs(to: &text)
        text.append("fastctl_diagnosis_exit_code", help: "The exit code of the run.", Int(options.status.rawValue))
        text.appendRun("fastctl_diagnosis", startedAt: options.startedAt, duration: options.duration)
        bytes += text.bytes
    }

    private var findings: [PrometheusText.Sample] {
        RuleResult.all(of: report).flatMap { result -> [PrometheusText.Sample] in
            if case .notEvaluated = result.outcome { return [] }
            var counts: [Severity: Int] = [:]
            for verdict in result.rule.verdicts { counts[verdict.severity] = 0 }
            if case .found(let findings) = result.outcome {
                for finding in findings { counts[finding.severity, default: 0] += 1 }
            }
            for omitted in report.omitted where omitted.rule == result.rule.id {
                counts[omitted.severity, default: 0] += omitted.count
            }
            return counts.sorted { $0.key > $1.key }.map { severity, count in
                .init(labels: ["rule": result.rule.id.text, "severity": severity.rawValue], value: String(count))
            }
        }
    }

    private var occurrences: [PrometheusText.Sample] {
        RuleResult.all(of: report).compactMap { result in
            guard case .found(let findings) = result.outcome else { return nil }
            let count = findings.reduce(0) { $0 + $1.occurrences }
            return .init(labels: ["rule": result.rule.id.text], value: String(count))
        }
    }

    private func appendInputs(to text: inout PrometheusText) {
        if let logs = report.logs {
            text.append("fastctl_diagnosis_log_rows", help: "Rows of logs that the rules looked at.", logs.lookedAt)
            text.append(
                "fastctl_diagnosis_log_files",
                help: "Files of logs that were read.",
                logs.files.count(where: \.isRead)
            )
            text.append("fastctl_diagnosis_log_lines", help: "Lines of logs that were read.", logs.quality.lines)
            text.append(
                "fastctl_diagnosis_log_lines_not_understood",
                help: "Lines of logs that belong to no event.",
                logs.quality.notUnderstood
            )
        }
        text.append("fastctl_diagnosis_web_configs", help: "Files of web.config that were read.", report.configs.count)
        text.append(
            "fastctl_diagnosis_web_configs_refused",
            help: "Files of web.config that could not be read without guessing.",
            report.refusedConfigs.count
        )
    }
}
