import JSONText
package import Redaction
package import ReportKit
import TextKit
package import ULSLog

/// Shows a summary of the logs.
package enum SummaryRenderer {
    package static let forms: [OutputForm] = [.text, .html, .markdown, .json, .ndjson, .csv]

    /// Appends the summary; text and Markdown list all levels and the first `rows` entries of all other lists, and the
    /// machine formats list everything.
    package static func append(
        _ summary: LogSummary,
        as form: OutputForm = .text,
        layout: TextLayout = TextLayout(),
        rows: Int = 10,
        csv: CSVStyle = CSVStyle(),
        redaction: RedactionSummary? = nil,
        to bytes: inout [UInt8]
    ) {
        switch form {
        case .html: SummaryHTML.append(summary, rows: rows, redaction: redaction, to: &bytes)
        case .json, .ndjson: SummaryObject.append(summary, redaction, to: &bytes)
        case .text:
            RedactionNote.framing(redaction, layout, to: &bytes) { bytes in
                SummaryPage.page(of: summary, rows: rows, layout).append(to: &bytes, layout)
            }
        case .markdown:
            SummaryPage.page(of: summary, rows: rows, TextLayout()).appendMarkdown(to: &bytes, under: "Summary of logs")
            RedactionNote.appendMarkdown(redaction, to: &bytes)
        case .csv: SummaryTable.append(summary, csv, to: &bytes)
        default: form.failAsUndeclared()
        }
    }
}

/// `fastctl.summary/1`: the summary as one JSON object on one line.
private enum SummaryObject {
    static func append(_ summary: LogSummary, _ redaction: RedactionSummary?, to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.summary/1") { object in
            object.member("files", summary.files)
            object.member("records", summary.records)
            object.member("events", summary.events)
            object.member("firstTime", summary.firstTime)
            object.member("lastTime", summary.lastTime)
            object.member("levels", summary.levels)
            object.member("areas", summary.areas)
            object.member("categories", summary.categories)
            object.member("eventIDs", summary.eventIDs)
            append(summary.correlations, to: &object)
            object.member("scopes", summary.scopes)
            append(summary.gaps, to: &object)
            object.member("quality", summary.quality)
            object.member("correlationCount", summary.correlationCount)
            object.member("correlationCountIsAtMost", summary.hasReached(.openCorrelations))
            append(summary.histogram, of: summary, to: &object)
            object.member("redaction", redaction)
        }
        bytes.append(0x0A)
    }

    private static func append(_ correlations: [LogSummary.Correlation], to object: inout JSONWriter) {
        object.array("correlations") { array in
            for correlation in correlations {
                array.object { object in
                    object.member("value", correlation.id.description)
                    object.member("count", correlation.count)
                    object.member("firstTime", correlation.firstTime)
                    object.member("lastTime", correlation.lastTime)
                    object.member("worstLevel", log: correlation.worstLevel.word)
                }
            }
        }
    }

    private static func append(_ gaps: [LogSummary.Gap], to object: inout JSONWriter) {
        object.array("gaps") { array in
            for gap in gaps {
                array.object { object in
                    object.member("server", log: gap.server)
                    object.member("from", gap.from)
                    object.member("until", gap.until)
                }
            }
        }
    }

    private static func append(_ histogram: LogSummary.Histogram, of summary: LogSummary, to object: inout JSONWriter) {
        object.object("histogram") { object in
            object.member("start", histogram.events.isEmpty ? nil : summary.time(atInstant: histogram.start))
            object.member("step", Seconds(milliseconds: histogram.step))
            object.member("events", histogram.events)
            object.member("abnormal", histogram.abnormal)
        }
    }
}

extension LogSummary {
    /// Returns an instant in these logs, with the offset and quality of the first time in the logs.
    func time(atInstant instant: Int64) -> LogTime {
        guard let firstTime else { return LogTime(clock: instant, quality: .local) }
        return LogTime(
            clock: instant + Int64(firstTime.offset) * 1000,
            offset: firstTime.offset,
            quality: firstTime.quality
        )
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ key: String, _ counts: [LogSummary.Count]) {
        array(key) { array in
            for count in counts {
                array.object { object in
                    object.member("value", count.value)
                    object.member("count", count.count)
                }
            }
        }
    }

    mutating func member(_ key: String, _ scopes: [ScopeDurations]) {
        array(key) { array in
            for scope in scopes {
                array.object { object in
                    object.member("key", scope.key)
                    object.member("count", scope.count)
                    // Scopes that were never left have no known duration.
                    let isMeasured = scope.count > 0
                    object.member("p50", microseconds: isMeasured ? scope.p50 : nil)
                    object.member("p95", microseconds: isMeasured ? scope.p95 : nil)
                    object.member("max", microseconds: isMeasured ? scope.max : nil)
                    object.member("total", microseconds: isMeasured ? scope.total : nil)
                    object.member("open", scope.open)
                    object.member("request", scope.isRequest)
                }
            }
        }
    }
}

/// The summary in readable form.
enum SummaryPage {
    static func page(of summary: LogSummary, rows: Int, _ layout: TextLayout) -> Page {
        var page = Page()
        page.sentence(heading(of: summary))
        let figure = HistogramFigure(summary, layout)
        if let sentence = figure.sentence {
            page.heading("Events by time")
            page.figure(figure.bars)
            page.sentence(sentence)
        }
        page.table(levels(of: summary, layout), under: "Levels")
        page.table(table(of: summary.eventIDs, named: "EVENT ID", rows), under: "Event IDs")
        page.table(table(of: summary.categories, named: "CATEGORY", rows), under: "Categories")
        page.table(table(of: summary.areas, named: "AREA", rows), under: "Areas")
        page.table(correlations(of: summary, rows), under: correlationsTitle(summary))
        let scopes = summary.scopes.filter { $0.count > 0 }.sorted { $0.max > $1.max }
        page.table(ScopeDurationTable.table(of: scopes.prefix(rows), named: "SCOPE"), under: "Slowest scopes")
        page.table(gaps(of: summary, rows), under: gapsTitle(summary, rows))
        let notes = ReadNotes.phrases(about: summary.files) + ReadNotes.phrases(about: summary.quality)
        if !notes.isEmpty { page.heading("How the logs were read") }
        for note in notes { page.sentence(note) }
        return page
    }

    /// Returns the first sentence: `3 files, 2 servers (WFE1, WFE2): 1,234 events in 2 h 5 min, from … to …`.
    static func heading(of summary: LogSummary) -> Phrase {
        let read = summary.files.count(where: \.isRead)
        let events = Quantity(grouped: summary.events, "event", "events")
        var phrase: Phrase =
            "\(Quantity(grouped: read, "file", "files"))\(servers(of: summary)): \(events.description, .bold)"
        if let first = summary.firstTime, let last = summary.lastTime {
            let (from, until) = (first.iso8601 ?? "-", last.iso8601 ?? "-")
            if let distance = last.milliseconds(since: first), distance > 0 {
                phrase = phrase + " in \(ShortDuration(measured: .milliseconds(distance))), from \(from) to \(until)"
            } else if from != "-" {
                phrase = phrase + " at \(from)"
            }
            if first.quality != .exact, first.quality != .none { phrase = phrase + ", the servers' local time" }
        }
        return phrase
    }

    private static func servers(of summary: LogSummary) -> Phrase {
        let names = Set(summary.files.compactMap(\.server)).sorted()
        guard !names.isEmpty else { return "" }
        var phrase: Phrase = ", \(Quantity(grouped: names.count, "server", "servers")) ("
        for (index, name) in names.prefix(maximumServers).enumerated() {
            phrase = phrase + (index > 0 ? ", \(untrusted: name)" : "\(untrusted: name)")
        }
        return phrase + (names.count > maximumServers ? ", …)" : ")")
    }

    static func correlationsTitle(_ summary: LogSummary) -> String {
        // Beyond the limit, requests may be counted twice.
        let bound = summary.hasReached(.openCorrelations) ? "at most " : ""
        return "Requests with the most events, of \(bound)\(Quantity(grouped: summary.correlationCount))"
    }

    static func gapsTitle(_ summary: LogSummary, _ rows: Int) -> String {
        let count = Quantity(grouped: summary.gaps.count, isAtLeast: summary.hasReached(.gaps))
        return summary.gaps.count > rows ? "The first \(rows) of \(count) gaps" : "Gaps without a row"
    }

    private static let maximumServers = 8
}

extension SummaryPage {
    /// Returns a table of all levels, each with its count, share and bar.
    static func levels(of summary: LogSummary, _ layout: TextLayout) -> TextTable {
        var table = TextTable(columns: [
            .init(title: "LEVEL", minimum: 8), .init(title: "EVENTS", alignment: .right),
            .init(title: "SHARE", alignment: .right), .init(title: "", minimum: 4, isDecoration: true),
        ])
        let total = max(1, summary.levels.reduce(0) { $0 + Double($1.count) })
        let most = max(1, summary.levels.map(\.count).max() ?? 1)
        let sign = layout.isUnicode ? "█" : "#"
        for level in summary.levels {
            let tenths = Int((Double(level.count) / total * 1000).rounded())
            let length = Int((Double(level.count) / Double(most) * 24).rounded(.up))
            let style = ULSLevel(level.value).style
            table.append([
                .untrusted(level.value.isEmpty ? nil : level.value, style), .count(level.count),
                "\(tenths / 10).\(tenths % 10)%",
                TextTable.Cell(text: String(repeating: sign, count: max(0, min(24, length))), style: style),
            ])
        }
        return table
    }

    static func table(of counts: [LogSummary.Count], named column: String, _ rows: Int) -> TextTable {
        var table = TextTable(columns: [
            .init(title: "EVENTS", alignment: .right), .init(title: column, minimum: 8),
        ])
        for count in counts.prefix(rows) {
            table.append([.count(count.count), .untrusted(count.value.isEmpty ? nil : count.value)])
        }
        return table
    }

    static func correlations(of summary: LogSummary, _ rows: Int) -> TextTable {
        var table = TextTable(columns: [
            .init(title: "CORRELATION", movesBelow: true), .init(title: "EVENTS", alignment: .right),
            .init(title: "WORST", minimum: 11), .init(title: "FIRST"), .init(title: "SPAN", alignment: .right),
        ])
        for correlation in summary.correlations.prefix(rows) {
            let span = correlation.lastTime.milliseconds(since: correlation.firstTime)
            let worst = correlation.worstLevel
            table.append([
                "\(correlation.id)", .count(correlation.count),
                .untrusted(worst.word.isEmpty ? nil : worst.word, worst.style),
                "\(correlation.firstTime.iso8601 ?? "-")",
                "\(span.map { "\(ShortDuration(measured: .milliseconds($0)))" } ?? "-")",
            ])
        }
        return table
    }

    static func gaps(of summary: LogSummary, _ rows: Int) -> TextTable {
        var table = TextTable(columns: [
            .init(title: "SERVER", minimum: 8), .init(title: "FROM"), .init(title: "UNTIL"),
            .init(title: "LENGTH", alignment: .right),
        ])
        for gap in summary.gaps.prefix(rows) {
            let length = gap.until.milliseconds(since: gap.from)
            table.append([
                .untrusted(gap.server), "\(gap.from.iso8601 ?? "-")", "\(gap.until.iso8601 ?? "-")",
                "\(length.map { "\(ShortDuration(measured: .milliseconds($0)))" } ?? "-")",
            ])
        }
        return table
    }
}

extension LogSummary {
    /// Returns whether a limit was reached, so that some numbers are only bounds.
    func hasReached(_ limit: LogLimit) -> Bool { quality.limits.contains { $0.limit == limit } }
}

/// Events over time as a row of bars, with the time per bar, the peak, and the time of the peak described in words.
private struct HistogramFigure {
    private let histogram: LogSummary.Histogram
    private let summary: LogSummary
    private let layout: TextLayout

    init(_ summary: LogSummary, _ layout: TextLayout) {
        self.summary = summary
        self.layout = layout
        let columns = min(Self.maximumColumns, (layout.width ?? 80) - Self.labelColumns)
        histogram = summary.histogram.merged(atMost: max(8, columns))
    }

    /// The step and the peaks in words; `nil` without times, or if all events are in one step.
    var sentence: Phrase? {
        guard histogram.events.count > 1, let peak = histogram.peak(of: \.events) else { return nil }
        let step = ShortDuration(measured: .milliseconds(histogram.step))
        let most: Phrase =
            "one bar is \(step); most events (\(Quantity(grouped: peak.count))) at \(time(of: peak))"
        guard let abnormal = histogram.peak(of: \.abnormal) else { return most }
        let count = Quantity(grouped: abnormal.count)
        return most + "; most at Monitorable or worse (\(count)) at \(time(of: abnormal))"
    }

    /// A row of bars for all events, and another one for problems if there are any.
    var bars: [UInt8] {
        var bytes: [UInt8] = []
        appendRow(histogram.events, titled: "events", .plain, to: &bytes)
        if histogram.peak(of: \.abnormal) != nil {
            appendRow(histogram.abnormal, titled: "problems", .boldMagenta, to: &bytes)
        }
        return bytes
    }

    private func appendRow(_ counts: [Int], titled title: String, _ style: TerminalStyle, to bytes: inout [UInt8]) {
        bytes.append(padded: title, to: 8)
        bytes.append(text: "  \(time(atStep: 0).minute ?? "-") ")
        bytes.append(style, layout) { $0.append(text: bars(counts)) }
        bytes.append(text: " \(time(atStep: counts.count).minute ?? "-")\n")
    }

    private func bars(_ counts: [Int]) -> String {
        let signs = layout.isUnicode ? Self.blocks : Self.plainSigns
        let most = max(1, counts.max() ?? 1)
        var text = ""
        for count in counts {
            // Zero is shown as a space, so that a pause does not look like a few events.
            let height = (Double(count) / Double(most) * Double(signs.count)).rounded(.up)
            text.append(count <= 0 ? " " : signs[min(signs.count, max(1, Int(height))) - 1])
        }
        return text
    }

    private func time(of peak: LogSummary.Histogram.Peak) -> String {
        let time = time(atStep: peak.step)
        let minute = time.minute ?? "-"
        // A time of day alone means nothing if the dates differ.
        let (first, last) = (self.time(atStep: 0), self.time(atStep: histogram.events.count))
        guard let date = time.isoDate, first.isoDate != last.isoDate else { return minute }
        return "\(date) \(minute)"
    }

    private func time(atStep step: Int) -> LogTime {
        let (offset, isFar) = histogram.step.multipliedReportingOverflow(by: Int64(step))
        let (clock, isBeyond) = histogram.start.addingReportingOverflow(offset)
        return summary.time(atInstant: isFar || isBeyond ? histogram.start : clock)
    }

    private static let blocks = Array("▁▂▃▄▅▆▇█")
    private static let plainSigns = Array(".:-=+*#@")
    private static let maximumColumns = 80
    /// The number of columns for the title and the times at both ends.
    private static let labelColumns = 24
}

extension LogSummary.Histogram {
    /// The step with the most events.
    struct Peak {
        var step: Int
        var count: Int
    }

    /// Returns the highest step; `nil` if all are empty.
    func peak(of counts: KeyPath<Self, [Int]>) -> Peak? {
        var peak: Peak?
        for (step, count) in self[keyPath: counts].enumerated() where count > peak?.count ?? 0 {
            peak = Peak(step: step, count: count)
        }
        return peak
    }

    /// Returns the histogram with at most `maximum` steps, merging several adjacent steps into each.
    fileprivate func merged(atMost maximum: Int) -> Self {
        let factor = (events.count + maximum - 1) / max(1, maximum)
        guard factor > 1 else { return self }
        let (longer, overflow) = step.multipliedReportingOverflow(by: Int64(factor))
        guard !overflow else { return self }
        var merged = self
        merged.step = longer
        merged.events = Self.sums(of: events, factor)
        merged.abnormal = Self.sums(of: abnormal, factor)
        return merged
    }

    private static func sums(of counts: [Int], _ factor: Int) -> [Int] {
        stride(from: 0, to: counts.count, by: factor).map { start in
            counts[start..<min(start + factor, counts.count)].reduce(0, &+)
        }
    }
}
