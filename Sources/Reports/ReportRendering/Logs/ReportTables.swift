import ULSLog

/// A summary as one table: `list` is the key of `fastctl.summary/1` that a row comes from, durations are seconds.
enum SummaryTable {
    static func append(_ summary: LogSummary, _ style: CSVStyle, to bytes: inout [UInt8]) {
        let table = CSVText(
            [
                "list", "value", "server", "count", "abnormal", "firstTime", "lastTime", "worstLevel", "p50", "p95",
                "max", "total", "open",
            ],
            style,
            to: &bytes
        )
        for file in summary.files {
            let times = [file.firstTime?.iso8601, file.lastTime?.iso8601]
            table.append(["files", file.name, file.server, String(file.records), nil] + times, to: &bytes)
        }
        let lists = [
            ("levels", summary.levels), ("areas", summary.areas), ("categories", summary.categories),
            ("eventIDs", summary.eventIDs),
        ]
        for (name, counts) in lists {
            for count in counts { table.append([name, count.value, nil, String(count.count)], to: &bytes) }
        }
        for request in summary.correlations {
            table.append(
                [
                    "correlations", request.id.description, nil, String(request.count), nil, request.firstTime.iso8601,
                    request.lastTime.iso8601, request.worstLevel.word,
                ],
                to: &bytes
            )
        }
        for scope in summary.scopes {
            let head = ["scopes", scope.key, nil, String(scope.count), nil, nil, nil, nil]
            table.append(head + scope.fields, to: &bytes)
        }
        for gap in summary.gaps {
            table.append(["gaps", nil, gap.server, nil, nil, gap.from.iso8601, gap.until.iso8601], to: &bytes)
        }
        append(summary.histogram, of: summary, to: table, &bytes)
    }

    private static func append(
        _ histogram: LogSummary.Histogram,
        of summary: LogSummary,
        to table: CSVText,
        _ bytes: inout [UInt8]
    ) {
        var start = histogram.start
        for (events, abnormal) in zip(histogram.events, histogram.abnormal) {
            let (end, isBeyond) = start.addingReportingOverflow(histogram.step)
            guard !isBeyond else { return }
            let times = [start, end].map { summary.time(atInstant: $0).iso8601 }
            table.append(["histogram", nil, nil, String(events), String(abnormal)] + times, to: &bytes)
            start = end
        }
    }
}

/// Slow requests and scopes as one table: `list` is the key of `fastctl.slow/1` that a row comes from.
enum SlowTable {
    static func append(_ report: SlowReport, _ style: CSVStyle, to bytes: inout [UInt8]) {
        let table = CSVText(
            [
                "list", "name", "request", "count", "p50", "p95", "max", "total", "open", "seconds", "time", "server",
                "correlation", "file", "line",
            ],
            style,
            to: &bytes
        )
        for (name, scopes) in [("requests", report.requests), ("scopes", report.scopes)] {
            for scope in scopes {
                let head = [name, scope.key, String(scope.isRequest), String(scope.count)]
                table.append(head + scope.fields, to: &bytes)
            }
        }
        for one in report.slowest {
            table.append(
                [
                    "slowest", one.name, String(one.isRequest), nil, nil, nil, nil, nil, nil,
                    Seconds(microseconds: one.microseconds).description, one.time.iso8601, one.server, one.correlation,
                    one.place.file, String(one.place.line),
                ],
                to: &bytes
            )
        }
    }
}

extension ScopeDurations {
    /// Median, 95th percentile, maximum and sum in seconds, empty if it was never left, and how many are open.
    fileprivate var fields: [String?] {
        let times = [p50, p95, max, total].map { count > 0 ? Seconds(microseconds: $0).description : nil }
        return times + [String(open)]
    }
}
