import Redaction
import ULSLog

/// A summary of logs as a page.
enum SummaryHTML {
    /// Rows of a list, unless more are asked for.
    static let leastRows = 25

    static func append(
        _ summary: LogSummary,
        rows: Int,
        redaction: RedactionSummary?,
        to bytes: inout [UInt8]
    ) {
        let rows = max(rows, leastRows)
        var document = HTMLDocument(title: "Summary of logs" + PageWords.window(summary.firstTime, summary.lastTime)) {
            page in
            page.paragraph(SummaryPage.heading(of: summary) + ".", class: "lead")
            page.paragraph(verdict(on: summary), class: "verdict")
            page.redaction(redaction)
        }
        document.section("timeline", "Timeline", share: 4) {
            TimelineCharts(summary.timeline, noun: .event).write(to: &$0)
        }
        document.section("levels", "Levels and sources", share: 3) { page in
            page.element("div", ["class": "lists"]) { page in
                page.element("div") { page in
                    page.table(HTMLTable(SummaryPage.levels(of: summary, TextLayout()), "Events by level"))
                    page.table(list("Events by area", "AREA", summary.areas, rows))
                }
                page.element("div") { $0.table(list("Events by category", "CATEGORY", summary.categories, rows)) }
                page.element("div") { $0.table(list("Events by ID", "EVENT ID", summary.eventIDs, rows)) }
            }
            page.lineEnd()
        }
        document.section("requests", "Requests and durations", share: 4) { page in
            if let chart = BarChart.latency(of: summary.requestDurations) {
                page.chart(chart)
            } else {
                page.paragraph("No row says how long a request took: the log level may be too high for times.")
            }
            page.table(durations(summary.scopes, rows, "Requests and scopes, by the time they took"))
            page.table(correlations(of: summary, rows))
        }
        document.section("quality", "How the logs were read", share: 2) { page in
            var gaps = HTMLTable(SummaryPage.gaps(of: summary, rows), "\(SummaryPage.gapsTitle(summary, rows))")
            gaps.omitted = max(0, summary.gaps.count - rows)
            gaps.nouns = ("gap", "gaps")
            gaps.command = "fastctl logs summary -o json"
            page.table(gaps)
            page.readNotes(summary.files, summary.quality, notes: summary.notes)
        }
        document.append(to: &bytes)
    }

    private static func verdict(on summary: LogSummary) -> Phrase {
        let bad = summary.levels.filter { ULSLevel($0.value).isAbnormal }.reduce(0) { $0 + $1.count }
        let all = Quantity(grouped: summary.events, "event", "events")
        guard bad > 0 else { return "None of \(all) is at Monitorable or worse." }
        return "\(Quantity(grouped: bad)) of \(all) \(bad == 1 ? "is" : "are") at Monitorable or worse."
    }

    private static func list(
        _ caption: Phrase,
        _ column: String,
        _ counts: [LogSummary.Count],
        _ rows: Int
    ) -> HTMLTable {
        var table = HTMLTable(SummaryPage.table(of: counts, named: column, rows), caption)
        table.omitted = max(0, counts.count - rows)
        table.nouns = ("kind", "kinds")
        table.command = "fastctl logs summary -o json"
        return table
    }

    /// Returns the requests with the most events, in several orders.
    private static func correlations(of summary: LogSummary, _ rows: Int) -> HTMLTable {
        var table = HTMLTable(
            "\(SummaryPage.correlationsTitle(summary))",
            [
                .init(title: "Correlation"), .init(title: "Events", isNumber: true), .init(title: "Worst"),
                .init(title: "First"), .init(title: "Span", isNumber: true),
            ]
        )
        let shown = Array(summary.correlations.prefix(rows))
        let spans = shown.map { $0.lastTime.milliseconds(since: $0.firstTime) }
        for (correlation, span) in zip(shown, spans) {
            let worst = correlation.worstLevel
            table.append([
                .code("\(correlation.id)"), .count(correlation.count),
                worst.word.isEmpty ? .untrusted(nil) : .phrase("\(untrusted: worst.word)", worst.style.name),
                .phrase("\(correlation.firstTime.iso8601 ?? "–")"), .duration(span.map { .milliseconds($0) }),
            ])
        }
        table.orderName = "most events"
        table.order("worst level", by: shown.map { -$0.worstLevel.rank })
        table.order("longest", by: spans.map { $0 ?? -1 })
        table.order("earliest", by: shown.map { $0.firstTime.hasDate ? -$0.firstTime.instant : .min })
        table.omitted = max(0, summary.correlations.count - rows)
        table.nouns = ("request", "requests")
        table.command = "fastctl logs summary -o json"
        return table
    }

    /// Returns durations in several orders.
    static func durations(_ scopes: [ScopeDurations], _ rows: Int, _ caption: Phrase) -> HTMLTable {
        let shown = Array(scopes.prefix(rows))
        var table = HTMLTable(
            caption,
            [
                .init(title: "Name", isWide: true), .init(title: "Count", isNumber: true),
                .init(title: "Half within", isNumber: true), .init(title: "95 % within", isNumber: true),
                .init(title: "Slowest", isNumber: true), .init(title: "In all", isNumber: true),
                .init(title: "Never left", isNumber: true),
            ]
        )
        for scope in shown {
            let times = [scope.p50, scope.p95, scope.max, scope.total].map { time in
                // A scope that was never left has no known duration.
                HTMLTable.Cell.duration(scope.count > 0 ? .microseconds(time) : nil)
            }
            table.append([.untrusted(scope.key), .count(scope.count)] + times + [.count(scope.open)])
        }
        table.orderName = "most time in all"
        table.order("slowest", by: shown.map(\.max))
        table.order("slowest 5 %", by: shown.map(\.p95))
        table.order("most often", by: shown.map(\.count))
        table.omitted = scopes.count - shown.count
        table.nouns = ("name", "names")
        table.command = "fastctl logs slow -o json"
        return table
    }
}

/// Slow requests and scopes as a page.
enum SlowHTML {
    static func append(
        _ report: SlowReport,
        rows: Int,
        redaction: RedactionSummary?,
        to bytes: inout [UInt8]
    ) {
        let rows = max(rows, SummaryHTML.leastRows)
        let times = report.files.compactMap(\.firstTime) + report.files.compactMap(\.lastTime)
        let ends = PageWords.ends(of: times)
        var document = HTMLDocument(title: "Slow requests" + PageWords.window(ends.first, ends.last)) { page in
            let left = report.requests.reduce(0) { $0 &+ $1.count }
            page.paragraph(
                "\(Quantity(grouped: left, "request", "requests")) in \(Quantity(grouped: report.events, "event", "events")).",
                class: "lead"
            )
            page.paragraph(verdict(on: report), class: "verdict")
            page.redaction(redaction)
        }
        document.section("durations", "How long requests took", share: 3) { page in
            guard let chart = BarChart.latency(of: report.requestDurations) else {
                return page.paragraph("No row says how long a request took: the log level may be too high for times.")
            }
            page.chart(chart)
        }
        document.section("requests", "Requests", share: 3) { page in
            let table = SummaryHTML.durations(report.requests, rows, "Requests and jobs")
            if table.rows.isEmpty { page.paragraph("No request was entered or left.") }
            page.table(table)
        }
        document.section("scopes", "Scopes within them", share: 3) { page in
            let table = SummaryHTML.durations(report.scopes, rows, "Scopes within requests")
            if table.rows.isEmpty { page.paragraph("No scope within a request was entered or left.") }
            page.table(table)
        }
        if !report.slowest.isEmpty {
            document.section("slowest", "Slowest", share: 3) { $0.table(slowest(in: report)) }
        }
        document.section("quality", "How the logs were read") {
            $0.readNotes(report.files, report.quality, notes: report.notes)
        }
        document.append(to: &bytes)
    }
}

extension SlowHTML {
    /// One sentence for whoever reads no other: what took longest.
    private static func verdict(on report: SlowReport) -> Phrase {
        guard let slowest = report.slowest.first(where: \.isRequest) ?? report.slowest.first else {
            return "How long anything took is unknown: the log level may be too high for times."
        }
        let took = ShortDuration(measured: slowest.duration)
        let name = HTMLExcerpt(slowest.name, maximum: longestName)
        let rest: Phrase = name.missing > 0 ? "…" : ""
        let noun: Phrase = slowest.isRequest ? "request" : "scope"
        return "The slowest \(noun) took \("\(took)", .bold): \(untrusted: name.text)" + rest
    }

    private static func slowest(in report: SlowReport) -> HTMLTable {
        let hasServers = report.slowest.contains { $0.server != nil }
        var table = HTMLTable(
            "The slowest single requests and scopes",
            [.init(title: "Took", isNumber: true), .init(title: "Time")] + (hasServers ? [.init(title: "Server")] : [])
                + [.init(title: "Correlation"), .init(title: "Name", isWide: true), .init(title: "Where")]
        )
        for instance in report.slowest {
            table.append(
                [.duration(instance.duration), .phrase("\(instance.time.iso8601 ?? "–")")]
                    + (hasServers ? [.untrusted(instance.server)] : [])
                    + [
                        .code(instance.correlation), .untrusted(instance.name),
                        .place("\(instance.place.file):\(instance.place.line)"),
                    ]
            )
        }
        table.orderName = "slowest"
        table.order("earliest", by: report.slowest.map { $0.time.hasDate ? -$0.time.instant : .min })
        return table
    }

    /// Bytes of a name in the first sentence.
    private static let longestName = 200
}

/// Words that several pages share.
enum PageWords {
    /// Returns what is added to a title: `, 2011-09-26 10:39 to 10:41`.
    static func window(_ first: LogTime?, _ last: LogTime?) -> String {
        guard let first, let date = first.isoDate, let from = first.minute else { return "" }
        guard let last, let lastDate = last.isoDate, let until = last.minute else { return ", \(date) \(from)" }
        if date == lastDate { return from == until ? ", \(date) \(from)" : ", \(date) \(from) to \(until)" }
        return ", \(date) \(from) to \(lastDate) \(until)"
    }

    /// Returns the first and the last of several times with a date.
    static func ends(of times: [LogTime]) -> (first: LogTime?, last: LogTime?) {
        let dated = times.filter(\.hasDate)
        return (dated.min { $0.instant < $1.instant }, dated.max { $0.instant < $1.instant })
    }
}

extension HTMLWriter {
    /// Writes what was read, and what to know about it.
    mutating func readNotes(_ files: [SourceReport], _ quality: ReadQuality, notes: [String]) {
        let phrases =
            notes.map { "\(untrusted: $0)" as Phrase } + ReadNotes.phrases(about: files)
            + ReadNotes.phrases(about: quality)
        if phrases.isEmpty {
            let lines = Quantity(grouped: quality.lines, "line was", "lines were")
            paragraph("\(lines) read and understood.")
        } else {
            var left = 0
            element("ul") { page in
                left = page.items(phrases) { page, note in page.element("li") { $0.text(note) } }
            }
            rest(left, "note", "notes", command: nil)
        }
        var table = HTMLTable(
            "Files",
            [
                .init(title: "File"), .init(title: "Server"), .init(title: "Rows", isNumber: true),
                .init(title: "Size", isNumber: true), .init(title: "First"), .init(title: "Last"),
            ]
        )
        for file in files.prefix(Self.maximumFiles) {
            table.append([
                .place(file.name), .untrusted(file.server), .count(file.records),
                .phrase("\(ShortByteCount(file.bytes))"),
                .phrase("\(file.firstTime?.iso8601 ?? "–")"), .phrase("\(file.lastTime?.iso8601 ?? "–")"),
            ])
        }
        table.omitted = max(0, files.count - Self.maximumFiles)
        table.nouns = ("file", "files")
        self.table(table)
    }

    private static var maximumFiles: Int { 100 }
}
