package import Redaction
import ReportKit
import TextKit
package import ULSLog

/// A summary of logs as a page.
package enum SummaryHTML {
    /// The number of rows in a list, unless more are requested.
    static let leastRows = 25

    package static func append(_ summary: LogSummary, rows: Int, redaction: RedactionSummary?, to bytes: inout [UInt8])
    {
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
                page.paragraph("No row shows the duration of a request; the log level may be too high.")
            }
            page.table(durations(summary.scopes, rows, "Requests and scopes, by duration"))
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
                .init(title: "Half within", isNumber: true), .init(title: "95% within", isNumber: true),
                .init(title: "Slowest", isNumber: true), .init(title: "Total", isNumber: true),
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
        table.orderName = "most total time"
        table.order("slowest", by: shown.map(\.max))
        table.order("slowest 5%", by: shown.map(\.p95))
        table.order("most often", by: shown.map(\.count))
        table.omitted = scopes.count - shown.count
        table.nouns = ("name", "names")
        table.command = "fastctl logs slow -o json"
        return table
    }
}

/// Slow requests and scopes as a page.
package enum SlowHTML {
    package static func append(_ report: SlowReport, rows: Int, redaction: RedactionSummary?, to bytes: inout [UInt8]) {
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
        document.section("durations", "Durations of requests", share: 3) { page in
            guard let chart = BarChart.latency(of: report.requestDurations) else {
                return page.paragraph("No row shows the duration of a request; the log level may be too high.")
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
    /// A one-sentence summary: the longest duration.
    private static func verdict(on report: SlowReport) -> Phrase {
        guard let slowest = report.slowest.first(where: \.isRequest) ?? report.slowest.first else {
            return "Durations are unknown; the log level may be too high."
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

    /// The maximum number of bytes of a name in the first sentence.
    private static let longestName = 200
}

/// Wording that several pages share.
enum PageWords {
    /// Returns the suffix of a title: `, 2011-09-26 10:39 to 10:41`.
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
    /// Writes a section on how the logs were read, with notes.
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

/// The traces of requests as a page: the first failure, the time spent in each scope, and every row.
package struct TraceHTML {
    private let traces: [RequestTrace]
    private let redaction: RedactionSummary?

    /// The maximum number of bytes of the first problem's message in the first sentence; its row has the complete
    /// message.
    private static let longestMessage = 200
    /// The maximum number of scopes in a chart of how the time was spent.
    private static let maximumScopes = 60

    package init(_ traces: [RequestTrace], _ redaction: RedactionSummary?) {
        (self.traces, self.redaction) = (traces, redaction)
    }

    package func append(to bytes: inout [UInt8]) {
        let ends = PageWords.ends(
            of: traces.flatMap { trace in
                [trace.events.first?.time, trace.events.last?.time].compactMap(\.self)
            }
        )
        let noun = traces.count == 1 ? "Request" : "Requests"
        var document = HTMLDocument(title: noun + PageWords.window(ends.first, ends.last)) { page in
            page.redaction(redaction)
            guard !traces.isEmpty else { return page.paragraph("No event has this correlation.", class: "verdict") }
            for (number, trace) in traces.enumerated() {
                page.element("p", ["class": "verdict \(Self.style(of: trace))"]) { page in
                    if traces.count > 1 {
                        page.link(to: "request-\(number + 1)") { $0.text("Request \(number + 1)") }
                        page.text(": ")
                    }
                    page.text(sentence(on: trace))
                }
                page.lineEnd()
            }
            var counts: [Int: Int] = [:]
            for event in traces.flatMap(\.events) { counts[event.level.rank, default: 0] += 1 }
            page.levelFilter(counts)
        }
        for (number, trace) in traces.enumerated() {
            let title = traces.count == 1 ? "The request" : "Request \(number + 1)"
            document.section("request-\(number + 1)", title, share: max(1, trace.events.count)) { page in
                page.facts(TraceHead(trace).rows)
                page.table(waterfall(of: trace))
                page.table(rows(of: trace))
            }
        }
        document.append(to: &bytes)
    }

    /// Returns a sentence with the request's duration and its first failure.
    private func sentence(on trace: RequestTrace) -> Phrase {
        let events = Quantity(grouped: trace.events.count, "event", "events")
        let took: Phrase =
            trace.microseconds.map { "It took \("\(ShortDuration(measured: .microseconds($0)))", .bold), with " }
            ?? "Its duration is unknown; it has "
        let begin = took + "\(events). "
        guard let problem = TraceHead(trace).firstProblem else {
            return begin + "No event is at Monitorable or worse."
        }
        let after = elapsed(problem.time, trace).map { " after \($0)" } ?? ""
        let server: Phrase = problem.server.map { " on \(untrusted: $0)" } ?? ""
        let message = HTMLExcerpt(problem.text(.message), maximum: Self.longestMessage)
        let rest: Phrase = message.missing > 0 ? "…" : ""
        return begin + "The first problem occurred\(after)\(server): \(untrusted: message.text)" + rest
    }

    private static func style(of trace: RequestTrace) -> String {
        guard let worst = TraceHead(trace).worst, worst.isAbnormal else { return "good" }
        return worst.rank <= 2 ? "error" : "warning"
    }

    private func start(of trace: RequestTrace) -> LogTime? { trace.events.first { $0.time.quality != .none }?.time }

    private func elapsed(_ time: LogTime, _ trace: RequestTrace) -> String? {
        guard let start = start(of: trace), let passed = time.milliseconds(since: start) else { return nil }
        return "\(ShortDuration(measured: .milliseconds(passed)))"
    }
}

extension TraceHTML {
    /// A scope in the chart of how the time was spent.
    private struct Stretch {
        var scope: RequestTrace.Scope
        var depth: Int
        var start: Int64
        var duration: Int64
        var isOpen: Bool
    }

    /// Returns the longest scopes, ordered by start, with a bar for the time in which each ran.
    private func waterfall(of trace: RequestTrace) -> HTMLTable {
        var table = HTMLTable(
            "Where the time went",
            [
                .init(title: "Scope", isWide: true), .init(title: "Began after", isNumber: true),
                .init(title: "Took", isNumber: true), .init(title: "When", isWide: true),
            ]
        )
        let stretches = stretches(of: trace)
        let whole = stretches.map { $0.start + $0.duration }.max() ?? 0
        guard stretches.count > 1, whole > 0 else { return table }
        let longest = stretches.indices.sorted {
            stretches[$0].duration != stretches[$1].duration ? stretches[$0].duration > stretches[$1].duration : $0 < $1
        }
        let kept = Set(longest.prefix(Self.maximumScopes))
        for (index, stretch) in stretches.enumerated() where kept.contains(index) {
            let took: Phrase =
                stretch.isOpen ? "never left" : "\(ShortDuration(measured: .microseconds(stretch.duration)))"
            table.append([
                HTMLTable.Cell(
                    content: { $0.text(untrusted: stretch.scope.name) },
                    style: Self.indentation(stretch.depth)
                ),
                .phrase("\(ShortDuration(measured: .microseconds(stretch.start)))"), .phrase(took),
                HTMLTable.Cell(content: { Self.write(stretch, whole, to: &$0) }, style: "when"),
            ])
        }
        table.omitted = stretches.count - kept.count
        table.nouns = ("shorter scope", "shorter scopes")
        return table
    }

    private static func write(_ stretch: Stretch, _ whole: Int64, to page: inout HTMLWriter) {
        let place = Int(Double(stretch.start) / Double(whole) * 10_000)
        let length = max(50, Int(Double(stretch.duration) / Double(whole) * 10_000))
        page.element("svg", ["class": "stretch", "aria-hidden": "true", "height": "12", "width": "100%"]) { page in
            page.element(
                "rect",
                [
                    "x": HTMLWriter.percent(min(place, 9950)), "width": HTMLWriter.percent(length), "height": "12",
                    "class": stretch.isOpen ? "f3" : "f5", "fill": stretch.isOpen ? "#c77700" : "#2e6fb7",
                ]
            )
        }
    }

    /// Returns the scopes whose times are known, in microseconds since the first event, in the order of the tree.
    private func stretches(of trace: RequestTrace) -> [Stretch] {
        guard let start = start(of: trace) else { return [] }
        func microseconds(_ index: Int?) -> Int64? {
            guard let index, trace.events.indices.contains(index) else { return nil }
            return trace.events[index].time.milliseconds(since: start).map { max(0, $0) * 1000 }
        }
        let end = microseconds(trace.events.indices.last) ?? 0
        return TraceLines(trace).compactMap { line in
            let scope: RequestTrace.Scope
            switch line.kind {
            case .entering(let entered), .whole(let entered): scope = entered
            case .event, .leaving: return nil
            }
            let left = microseconds(scope.leaving)
            let known = scope.microseconds ?? left.flatMap { left in microseconds(scope.entering).map { left - $0 } }
            guard let began = microseconds(scope.entering) ?? left.map({ max(0, $0 - (known ?? 0)) }) else {
                return nil
            }
            return Stretch(
                scope: scope,
                depth: line.depth,
                start: began,
                duration: max(0, known ?? end - began),
                isOpen: scope.leaving == nil
            )
        }
    }

    /// Returns the class that indents a cell.
    private static func indentation(_ depth: Int) -> String? { depth > 0 ? "d\(min(depth, 12))" : nil }
}

extension TraceHTML {
    /// Returns all rows, indented according to their scopes.
    private func rows(of trace: RequestTrace) -> HTMLTable {
        let hasServers = trace.servers.count > 1
        var table = HTMLTable(
            "All rows of the request",
            [.init(title: "Time"), .init(title: "After", isNumber: true)]
                + (hasServers ? [.init(title: "Server")] : [])
                + [.init(title: "Level"), .init(title: "Event"), .init(title: "Message", isWide: true)]
        )
        let gaps = Dictionary(trace.gaps.map { ($0.before, $0.milliseconds) }, uniquingKeysWith: { one, _ in one })
        for line in TraceLines(trace) {
            let indices = line.events.filter(trace.events.indices.contains)
            guard let event = indices.map({ trace.events[$0] }).min(by: { $0.level.rank < $1.level.rank }) else {
                continue
            }
            let isProblem = indices.contains { $0 == trace.firstAbnormal }
            let pause = indices.lazy.compactMap { gaps[$0] }.first
            var cells: [HTMLTable.Cell] = [
                .phrase("\(Self.clock(event.time))"), .phrase("\(elapsed(event.time, trace) ?? "–")"),
            ]
            if hasServers { cells.append(.untrusted(event.server)) }
            cells += [
                .phrase("\(untrusted: event.level.word)", event.level.style.name), .code(event.text(.eventID)),
                HTMLTable.Cell(
                    content: { page in
                        if let pause {
                            page.element("p", ["class": "remark"]) {
                                $0.text("\(ShortDuration(measured: .milliseconds(pause))) without a row")
                            }
                        }
                        if isProblem { page.element("p", ["class": "remark bad"]) { $0.text("First problem") } }
                        Self.write(line, event, to: &page)
                    },
                    style: Self.indentation(line.depth)
                ),
            ]
            table.append(cells, rank: event.level.rank, style: isProblem ? "first" : nil)
        }
        table.omitted = trace.omitted
        table.command = trace.correlation.isEmpty ? nil : "fastctl logs trace \(trace.correlation) -o json"
        return table
    }

    private static func clock(_ time: LogTime) -> String {
        var bytes: [UInt8] = []
        time.appendTimeOfDay(to: &bytes)
        return bytes.isEmpty ? "–" : String(decoding: bytes, as: UTF8.self)
    }

    private static func write(_ line: TraceLine, _ event: ULSEvent, to page: inout HTMLWriter) {
        switch line.kind {
        case .event:
            page.message(event.text(.message))
        case .entering(let scope), .whole(let scope):
            page.element("span", ["class": "scope"]) { $0.text(untrusted: scope.name) }
            if let duration = scope.microseconds { page.text(" \(ShortDuration(measured: .microseconds(duration)))") }
            if scope.leaving == nil { page.text(" never left") }
            if scope.entering == nil { page.text(" entered earlier") }
        case .leaving(let scope):
            page.text("left ")
            page.element("span", ["class": "scope"]) { $0.text(untrusted: scope.name) }
        }
    }
}
