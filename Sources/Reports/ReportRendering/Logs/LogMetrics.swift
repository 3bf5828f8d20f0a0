import ULSLog

/// When a report was made, for the formats that say so; time is passed in, so that the same report makes the same
/// bytes.
public struct ReportMoment: Hashable, Sendable {
    /// Start of the run, as the time since 1970; `nil` to leave it out.
    public var startedAt: Duration?
    public var duration: Duration

    public init(startedAt: Duration? = nil, duration: Duration = .zero) {
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
