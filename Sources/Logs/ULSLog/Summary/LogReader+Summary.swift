extension LogReader {
    /// Counts what is in the logs.
    public func summary() throws -> LogSummary {
        // Texts are searched for in joined messages, so messages must be joined first.
        guard !filter.examinesMessages else { return try summaryOfEvents() }
        let plan = try ReadPlan(self)
        var account = ReadAccount(plan)
        var collector = SummaryCollector()
        var selection = selection
        selection.countsLevelsOverTime = countsLevelsOverTime
        let gapMinimum = gapMinimum.milliseconds
        let queue = start([plan.items.flatMap { $0 }]) { [selection] in
            SummarySink($0, selection: selection, gapMinimum: gapMinimum)
        }
        defer { queue.cancel() }
        var isMore = true
        while isMore {
            do {
                guard let output = try queue.next(lane: 0) else {
                    isMore = false
                    continue
                }
                let tables = output.payload
                progress?.add(events: tables.records)
                collector.add(
                    tables,
                    bytes: output.end?.bytes ?? 0,
                    server: output.text.server,
                    horizon: min(plan.horizon(behind: output.text.source), tables.times.last?.instant ?? .min)
                )
                account.addTimes(tables.times, of: output.text)
                if let end = output.end { account.end(end, of: output.text) }
            } catch let failure as SourceFailure {
                account.fail(failure)
            }
        }
        collector.add(account.quality)
        var summary = finish(collector, account.files())
        summary.notes = plan.notes
        return summary
    }

    /// Returns the same from events, whose messages are whole.
    private func summaryOfEvents() throws -> LogSummary {
        var collector = SummaryCollector()
        var rows = EventRows(self)
        var parts = 0
        let report = try forEachEvent(in: .files, of: selection, passesOver: false) { event in
            parts += event.parts - 1
            if let tables = rows.take(event) { collector.add(tables, bytes: 0, server: nil, horizon: .min) }
        }
        collector.add(rows.finish(), bytes: 0, server: nil, horizon: .min)
        collector.add(report.quality)
        collector.setTimelines(report.timelines)
        var summary = finish(collector, report.files)
        summary.records += parts
        summary.incomparable = report.incomparable
        summary.notes = report.notes
        return summary
    }

    /// Returns the summary, with the gaps that touch the window.
    private func finish(_ collector: SummaryCollector, _ files: [SourceReport]) -> LogSummary {
        var summary = collector.finish()
        summary.files = files
        summary.gaps.removeAll { !window.mayTouch(from: $0.from, until: $0.until) }
        return summary
    }
}

/// A counter of events that lays them out as rows.
private struct EventRows {
    private static let tableEvents = 100_000

    private let reader: LogReader
    private var parser = RowParser()
    private var sink: SummarySink
    private var count = 0

    init(_ reader: LogReader) {
        self.reader = reader
        sink = Self.makeSink(reader)
    }

    /// Counts an event; returns the tables when they hold many.
    mutating func take(_ event: borrowing ULSEvent) -> SummaryTables? {
        let row = PastedRow(event)
        var fields = row.fields
        parser.complete(ByteWindow(row.bytes.span), &fields)
        sink.take(ByteWindow(row.bytes.span), fields)
        count += 1
        guard count % Self.tableEvents == 0 else { return nil }
        return finish()
    }

    mutating func finish() -> SummaryTables {
        let tables = sink.finish(parser)
        parser = RowParser()
        sink = Self.makeSink(reader)
        return tables
    }

    private static func makeSink(_ reader: LogReader) -> SummarySink {
        var all = Selection(filter: RecordFilter(EventFilter()), window: .all, zones: reader.zones)
        all.countsLevelsOverTime = reader.countsLevelsOverTime
        return SummarySink(LogText(source: 0, name: ""), selection: all, gapMinimum: reader.gapMinimum.milliseconds)
    }
}
