import JSONText
public import Redaction
public import ULSLog

/// Shows slow requests and scopes.
public enum SlowRenderer {
    /// Appends the report; text, Markdown and metrics list the first `rows` names of each kind, the other formats all.
    public static func append(
        _ report: SlowReport,
        as format: ReportFormat = .text,
        layout: TextLayout = TextLayout(),
        rows: Int = 20,
        csv: CSVStyle = CSVStyle(),
        moment: ReportMoment = ReportMoment(),
        redaction: RedactionSummary? = nil,
        to bytes: inout [UInt8]
    ) {
        switch format {
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
        case .prometheus: SlowMetrics.append(report, rows: rows, moment, to: &bytes)
        }
    }

    private static func page(of report: SlowReport, rows: Int) -> Page {
        var page = Page()
        let events = Quantity(grouped: report.events, "event", "events")
        if report.requests.isEmpty, report.scopes.isEmpty {
            page.sentence("No scope was entered or left in \(events): the log level may be too high for times.")
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
            table.append(
                [.count(scope.count)] + times + [.count(scope.open), .untrusted(scope.key)]
            )
        }
        return table
    }
}
