import JSONText
package import Redaction
package import ReportKit
import TextKit
package import ULSLog

/// Shows slow requests and scopes.
package enum SlowRenderer {
    package static let forms = SummaryRenderer.forms

    /// Appends the report; text and Markdown list the first `rows` names of each kind, and the other formats list all
    /// names.
    package static func append(
        _ report: SlowReport,
        as form: OutputForm = .text,
        layout: TextLayout = TextLayout(),
        rows: Int = 20,
        csv: CSVStyle = CSVStyle(),
        redaction: RedactionSummary? = nil,
        to bytes: inout [UInt8]
    ) {
        switch form {
        case .html: SlowHTML.append(report, rows: rows, redaction: redaction, to: &bytes)
        case .json, .ndjson: SlowObject.append(report, redaction, to: &bytes)
        case .text:
            RedactionNote.framing(redaction, layout, to: &bytes) { bytes in
                page(of: report, rows: rows).append(to: &bytes, layout)
            }
        case .markdown:
            page(of: report, rows: rows).appendMarkdown(to: &bytes, under: "Slow requests")
            RedactionNote.appendMarkdown(redaction, to: &bytes)
        case .csv: SlowTable.append(report, csv, to: &bytes)
        default: form.failAsUndeclared()
        }
    }

    private static func page(of report: SlowReport, rows: Int) -> Page {
        var page = Page()
        let events = Quantity(grouped: report.events, "event", "events")
        if report.requests.isEmpty, report.scopes.isEmpty {
            page.sentence("No scope was entered or left in \(events); the log level may be too high.")
            return page
        }
        let left = report.requests.reduce(0) { $0 &+ $1.count }
        page.sentence("\(Quantity(grouped: left, "request", "requests")) in \(events)")
        page.table(ScopeDurationTable.table(of: report.requests.prefix(rows), named: "REQUEST"), under: "Requests")
        page.table(
            ScopeDurationTable.table(of: report.scopes.prefix(rows), named: "SCOPE"),
            under: "Scopes within them"
        )
        page.table(slowest(in: report), under: "Slowest")
        return page
    }

    private static func slowest(in report: SlowReport) -> TextTable {
        var table = TextTable(columns: [
            .init(title: "TOOK", alignment: .right), .init(title: "TIME"), .init(title: "SERVER", minimum: 8),
            .init(title: "CORRELATION", movesBelow: true), .init(title: "NAME", minimum: 16),
            .init(title: "WHERE", minimum: 16),
        ])
        for instance in report.slowest {
            table.append([
                "\(ShortDuration(measured: .microseconds(instance.microseconds)))", "\(instance.time.iso8601 ?? "-")",
                .untrusted(instance.server),
                .untrusted(instance.correlation.isEmpty ? nil : instance.correlation), .untrusted(instance.name),
                .untrusted("\(instance.place.file):\(instance.place.line)"),
            ])
        }
        return table
    }
}

/// `fastctl.slow/1`: slow requests and scopes, as one JSON object on one line.
private enum SlowObject {
    static func append(_ report: SlowReport, _ redaction: RedactionSummary?, to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.slow/1") { object in
            object.member("files", report.files)
            object.member("events", report.events)
            object.member("requests", report.requests)
            object.member("scopes", report.scopes)
            object.array("slowest") { array in
                for instance in report.slowest { array.object { append(instance, to: &$0) } }
            }
            object.member("quality", report.quality)
            object.member("redaction", redaction)
        }
        bytes.append(0x0A)
    }

    private static func append(_ instance: SlowReport.Instance, to object: inout JSONWriter) {
        object.member("name", instance.name)
        object.member("request", instance.isRequest)
        object.member("seconds", microseconds: instance.microseconds)
        object.member("time", instance.time)
        object.member("server", log: instance.server)
        object.member("correlation", log: instance.correlation)
        object.member("file", instance.place.file)
        object.member("line", instance.place.line)
        object.member("lineEnd", instance.place.lineEnd)
    }
}

/// Durations of scopes, one row per name.
enum ScopeDurationTable {
    static func table(of scopes: some Sequence<ScopeDurations>, named title: String) -> TextTable {
        var table = TextTable(columns: [
            .init(title: "COUNT", alignment: .right), .init(title: "P50", alignment: .right),
            .init(title: "P95", alignment: .right), .init(title: "MAX", alignment: .right),
            .init(title: "TOTAL", alignment: .right), .init(title: "OPEN", alignment: .right),
            .init(title: title, minimum: 16),
        ])
        for scope in scopes {
            let times = [scope.p50, scope.p95, scope.max, scope.total].map { time in
                // A scope that was never left has no known duration.
                TextTable.Cell(text: scope.count > 0 ? "\(ShortDuration(measured: .microseconds(time)))" : "-")
            }
            table.append([.count(scope.count)] + times + [.count(scope.open), .untrusted(scope.key)])
        }
        return table
    }
}

/// A summary as one table: `list` is the key in `fastctl.summary/1` that a row comes from; durations are in seconds.
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

/// Slow requests and scopes as one table: `list` is the key in `fastctl.slow/1` that a row comes from.
private enum SlowTable {
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
    /// The median, 95th percentile, maximum and sum in seconds, empty if the scope was never left, and the number of
    /// scopes that were never left.
    fileprivate var fields: [String?] {
        let times = [p50, p95, max, total].map { count > 0 ? Seconds(microseconds: $0).description : nil }
        return times + [String(open)]
    }
}
