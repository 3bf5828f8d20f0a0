import LogDiagnosis
import ReportKit
import TextKit
import ULSLog

/// A diagnosis as metrics, `fastctl_diagnosis_…`.
///
/// A rule that was evaluated has a sample for each severity it can have, with the value zero if it found nothing, so
/// that an alert based on it ends when the problem ends.
enum DiagnosisMetrics {
    static func append(_ report: DiagnosisReport, _ options: DiagnosisOptions, to bytes: inout [UInt8]) {
        let counts = DiagnosisCounts(report)
        let (notExplained, web) = ("that show a problem and that no rule explains.", "web.config files that")
        let (findings, occurrences) = samples(of: report)
        var text = PrometheusText("fastctl_diagnosis")
        text.append("findings", "Findings, by rule and severity.", findings)
        text.append("occurrences", "Events on which a rule's findings are based.", occurrences)
        text.append([
            (
                "findings_incomplete",
                "Whether there may be more findings, because a limit was reached (1) or not (0).",
                report.findingsAreAtLeast ? 1 : 0
            ),
            ("rules", "Rules that were run.", counts.rules),
            (
                "rules_not_evaluated", "Rules that could not be evaluated, because the input is not sufficient.",
                counts.notEvaluated
            ),
            ("unexplained_events", "Events \(notExplained)", report.unexplainedEvents),
            ("unexplained_kinds", "Kinds of events \(notExplained)", report.unexplainedKinds),
        ])
        if let logs = report.logs {
            text.append([
                ("log_rows", "Log rows that the rules examined.", logs.lookedAt),
                ("log_files", "Log files that were read.", logs.files.count(where: \.isRead)),
                ("log_lines", "Log lines that were read.", logs.quality.lines),
                ("log_lines_not_understood", "Log lines that do not belong to an event.", logs.quality.notUnderstood),
            ])
        }
        text.append([
            ("web_configs", "\(web) were read.", report.configs.count),
            ("web_configs_refused", "\(web) could not be read without guessing.", report.refusedConfigs.count),
            ("exit_code", "The exit code of the run.", Int(options.status.rawValue)),
        ])
        text.appendRun(ReportMoment(startedAt: options.startedAt, duration: options.duration))
        bytes += text.bytes
    }

    private static func samples(
        of report: DiagnosisReport
    ) -> (findings: [PrometheusText.Sample], occurrences: [PrometheusText.Sample]) {
        var (all, occurrences): ([PrometheusText.Sample], [PrometheusText.Sample]) = ([], [])
        for result in RuleResult.all(of: report) {
            let id = result.rule.id
            var counts = Dictionary(result.rule.verdicts.map { ($0.severity, 0) }) { $0 + $1 }
            switch result.outcome {
            case .notEvaluated: continue
            case .found(let findings):
                for finding in findings { counts[finding.severity, default: 0] += 1 }
                let count = findings.reduce(0) { $0 + $1.occurrences }
                occurrences.append(.init(labels: ["rule": id.text], value: "\(count)"))
            default: break
            }
            for omitted in report.omitted where omitted.rule == id {
                counts[omitted.severity, default: 0] += omitted.count
            }
            for (severity, count) in counts.sorted(by: { $0.key > $1.key }) {
                all.append(.init(labels: ["rule": id.text, "severity": severity.rawValue], value: "\(count)"))
            }
        }
        return (all, occurrences)
    }
}

/// The date of a report, for the formats that contain it; the time is passed in, so the same report produces the same
/// bytes.
package struct ReportMoment: Hashable, Sendable {
    /// The start of the run, as the time since 1970; `nil` to leave it out.
    package var startedAt: Duration?
    package var duration: Duration

    package init(startedAt: Duration? = nil, duration: Duration = .zero) {
        self.startedAt = startedAt
        self.duration = duration
    }
}

/// Metrics in the text format that Prometheus' node exporter reads from files (version 0.0.4).
///
/// All metrics are gauges. The samples of a metric are grouped below its help and type; names are our own, and label
/// values are escaped.
package struct PrometheusText {
    /// One value of a metric, and its labels.
    package struct Sample {
        var labels: KeyValuePairs<String, String>
        /// A decimal number.
        var value: String

        package init(labels: KeyValuePairs<String, String> = [:], value: String) {
            (self.labels, self.value) = (labels, value)
        }
    }

    package private(set) var bytes: [UInt8] = []
    /// The beginning of all names.
    private let prefix: String

    package init(_ prefix: String) { self.prefix = prefix }

    /// Appends a metric, or nothing if it has no samples.
    package mutating func append(_ name: String, _ help: String, _ samples: [Sample]) {
        guard !samples.isEmpty else { return }
        let name = "\(prefix)_\(name)"
        bytes.append(text: "# HELP \(name) \(help)\n# TYPE \(name) gauge\n")
        for sample in samples {
            let labels = sample.labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
            bytes.append(text: "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(sample.value)\n")
        }
    }

    /// Appends gauges without labels.
    mutating func append(_ gauges: [(name: String, help: String, value: Int)]) {
        for (name, help, value) in gauges { append(name, help, [Sample(value: "\(value)")]) }
    }

    /// Appends the start time and the duration of a run; the start time is left out if it is not known.
    mutating func appendRun(_ moment: ReportMoment) {
        let start = moment.startedAt.map { [Sample(value: $0.secondsText)] } ?? []
        append("run_timestamp_seconds", "Start time of the run, in seconds since 1970.", start)
        append("run_duration_seconds", "Duration of the run.", [Sample(value: moment.duration.secondsText)])
    }

    /// Returns the escaped value of a label, in which nothing can be mistaken for its end.
    private static func escaped(_ value: String) -> String {
        // Escapes scalar by scalar, because a quote followed by a combining accent would be a different character.
        let escapes: [Unicode.Scalar: String] = ["\\": "\\\\", "\"": "\\\"", "\n": "\\n"]
        return value.unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
    }
}
