import ULSLog

/// What the summary says to people.
enum SummaryPage {
    static func page(of summary: LogSummary, rows: Int, _ layout: TextLayout) -> Page {
        var page = Page()
        page.sentence(heading(of: summary))
        var figure: [UInt8] = []
        HistogramFigure(summary, layout).append(to: &figure)
        if !figure.isEmpty {
            page.heading("Events by time")
            page.figure(figure)
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

    /// The first sentence: `3 files, 2 servers (WFE1, WFE2): 1,234 events in 2 h 5 min, from … to …`.
    private static func heading(of summary: LogSummary) -> Phrase {
        let read = summary.files.count { !$0.isSkipped }
        let events = GroupedNumber.of(summary.events, "event", "events")
        var phrase: Phrase = "\(GroupedNumber.of(read, "file", "files"))\(servers(of: summary)): \(events, .bold)"
        if let first = summary.firstTime, let last = summary.lastTime {
            let (from, until) = (first.iso8601 ?? "-", last.iso8601 ?? "-")
            if let distance = last.milliseconds(since: first), distance > 0 {
                phrase = phrase + " in \(MeasuredTime(milliseconds: distance)), from \(from) to \(until)"
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
        var phrase: Phrase = ", \(GroupedNumber.of(names.count, "server", "servers")) ("
        for (index, name) in names.prefix(maximumServers).enumerated() {
            phrase = phrase + (index > 0 ? ", \(outside: name)" : "\(outside: name)")
        }
        return phrase + (names.count > maximumServers ? ", …)" : ")")
    }

    private static func correlationsTitle(_ summary: LogSummary) -> String {
        "Requests with the most events, of \(GroupedNumber(summary.correlationCount))"
    }

    private static func gapsTitle(_ summary: LogSummary, _ rows: Int) -> String {
        let count = summary.gaps.count
        return count > rows ? "The first \(rows) of \(GroupedNumber(count)) gaps" : "Gaps without a row"
    }

    private static let maximumServers = 8
}
