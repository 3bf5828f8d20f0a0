import LogDiagnosis
import ReportKit
import TextKit
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

/// When a report was made, for the formats that say so; time is passed in, so that the same report makes the same
/// bytes.
package struct ReportMoment: Hashable, Sendable {
    /// Start of the run, as the time since 1970; `nil` to leave it out.
    package var startedAt: Duration?
    package var duration: Duration

    package init(startedAt: Duration? = nil, duration: Duration = .zero) {
        self.startedAt = startedAt
        self.duration = duration
    }
}

/// A summary as metrics, `fastctl_logs_…`.
///
/// Event IDs, categories and requests are left out: they would make too many time series.
enum SummaryMetrics {
    static func append(_ summary: LogSummary, _ moment: ReportMoment, to bytes: inout [UInt8]) {
        var text = PrometheusText()
        text.append(
            "fastctl_logs_events",
            help: "Events, by level.",
            summary.levels.map { .init(labels: ["level": $0.value], value: String($0.count)) }
        )
        text.append("fastctl_logs_rows", help: "Rows, parts of split messages included.", summary.records)
        text.append(
            "fastctl_logs_files",
            help: "Files that were read.",
            summary.files.count(where: \.isRead)
        )
        text.append("fastctl_logs_requests", help: "Requests, by their correlations.", summary.correlationCount)
        text.append("fastctl_logs_gaps", help: "Times without a row of a server.", summary.gaps.count)
        text.append("fastctl_logs_lines", help: "Lines that were read.", summary.quality.lines)
        text.append(
            "fastctl_logs_lines_not_understood",
            help: "Lines that belong to no event.",
            summary.quality.notUnderstood
        )
        // A server's local time is no instant.
        if let last = summary.lastTime, last.quality == .exact {
            let seconds = Seconds(milliseconds: last.instant)
            text.append(
                "fastctl_logs_last_event_timestamp_seconds",
                help: "The time of the last event, in seconds since 1970.",
                [.init(value: seconds.description)]
            )
        }
        text.appendRun("fastctl_logs", startedAt: moment.startedAt, duration: moment.duration)
        bytes += text.bytes
    }
}

/// Durations of requests as metrics, `fastctl_slow_…`: a summary for each of the slowest kinds.
enum SlowMetrics {
    static func append(_ report: SlowReport, rows: Int, _ moment: ReportMoment, to bytes: inout [UInt8]) {
        var text = PrometheusText()
        let requests = report.requests.filter { $0.count > 0 }.prefix(rows)
        text.append(
            "fastctl_slow_request_duration_seconds",
            .summary,
            help: "How long requests took, by method and path.",
            requests.flatMap(samples)
        )
        text.append(
            "fastctl_slow_requests_open",
            help: "Requests that did not end, as far as the logs show.",
            requests.map { .init(labels: ["request": $0.key], value: String($0.open)) }
        )
        text.append("fastctl_slow_events", help: "Events that begin or end a request or a scope.", report.events)
        text.appendRun("fastctl_slow", startedAt: moment.startedAt, duration: moment.duration)
        bytes += text.bytes
    }

    private static func samples(of request: ScopeDurations) -> [PrometheusText.Sample] {
        let quantiles = [("0.5", request.p50), ("0.95", request.p95), ("1", request.max)]
        let seconds = { (time: Int64) in Seconds(microseconds: time).description }
        return quantiles.map { quantile, time in
            .init(labels: ["request": request.key, "quantile": quantile], value: seconds(time))
        } + [
            .init(suffix: "_sum", labels: ["request": request.key], value: seconds(request.total)),
            .init(suffix: "_count", labels: ["request": request.key], value: String(request.count)),
        ]
    }
}

/// Metrics in the text format that Prometheus' node exporter reads from files (version 0.0.4).
///
/// A metric's samples stand together below its help and type; names are our own, values of labels are escaped.
struct PrometheusText {
    /// What a metric's value is: a gauge may fall again, a summary has quantiles, a sum and a count.
    enum Kind: String {
        case gauge, summary
    }

    /// One value of a metric, and what it is the value of.
    struct Sample {
        /// What follows the metric's name: nothing, `_sum` or `_count`.
        var suffix = ""
        var labels: KeyValuePairs<String, String> = [:]
        /// A decimal number.
        var value: String
    }

    private(set) var bytes: [UInt8] = []

    /// Appends a metric; nothing if it has no samples.
    mutating func append(_ name: String, _ kind: Kind = .gauge, help: String, _ samples: [Sample]) {
        guard !samples.isEmpty else { return }
        bytes.append(text: "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n")
        for sample in samples {
            bytes.append(text: name + sample.suffix)
            append(sample.labels)
            bytes.append(text: " \(sample.value)\n")
        }
    }

    /// Appends a gauge without labels.
    mutating func append(_ name: String, help: String, _ value: Int) {
        append(name, help: help, [Sample(value: String(value))])
    }

    /// Appends when a run began, and how long it took; the time is left out if it is not known.
    mutating func appendRun(_ prefix: String, startedAt start: Duration?, duration: Duration) {
        if let start {
            append(
                "\(prefix)_run_timestamp_seconds",
                help: "When the run began, in seconds since 1970.",
                [Sample(value: start.secondsText)]
            )
        }
        append(
            "\(prefix)_run_duration_seconds",
            help: "How long the run took.",
            [Sample(value: duration.secondsText)]
        )
    }

    private mutating func append(_ labels: KeyValuePairs<String, String>) {
        guard !labels.isEmpty else { return }
        bytes.append(UInt8(ascii: "{"))
        for (index, (label, value)) in labels.enumerated() {
            bytes.append(text: index > 0 ? ",\(label)=\"" : "\(label)=\"")
            appendEscaped(value)
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Appends a label's value: a backslash, a quote and a line end are escaped.
    private mutating func appendEscaped(_ value: String) {
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): bytes.append(text: "\\\\" as StaticString)
            case UInt8(ascii: "\""): bytes.append(text: "\\\"" as StaticString)
            case 0x0A: bytes.append(text: "\\n" as StaticString)
            default: bytes.append(byte)
            }
        }
    }
}
