/// The account of what was read of followed logs: files, lines, times.
struct FollowAccount {
    /// Reports by path, in order of appearance.
    private var files: [String: (number: Int, report: SourceReport, times: TimeSpan)] = [:]
    private var quality = ReadQuality()
    private var timelines: [ServerTimeline] = []
    private var serverTimes = ServerTimes()
    private var lookedAt = 0
    private var incomparable = 0
    private var activity = LogActivity()

    /// Reports of more files than these are not kept; their lines count all the same.
    private static let maximumFiles = 10_000

    /// Adds what was read of a file.
    mutating func add(_ output: UnitOutput<EventBatch>) {
        let batch = output.payload
        for timeline in batch.servers { timelines.append(continuing: timeline) }
        for (server, times) in batch.serverTimes { serverTimes.add(times, server: server) }
        lookedAt += batch.lookedAt
        activity.add(batch.activity)
        guard let end = output.end else { return }
        quality += end.quality
        change(output.text.name, output.text.server) { report, times in
            report.bytes += Int(end.bytes)
            report.records += end.quality.records
            times.add(batch.times)
            report.firstTime = times.first?.time
            report.lastTime = times.last?.time
        }
    }

    mutating func add(incomparable count: Int) { incomparable += count }

    /// Adds a note on a file, which makes it incomplete if something in it could not be read.
    mutating func note(_ text: String, on source: LogSource, isIncomplete: Bool = false) {
        change(source.name, source.server) { report, _ in
            if !report.notes.contains(text) { report.notes.append(text) }
            report.isIncomplete = report.isIncomplete || isIncomplete
        }
    }

    private mutating func change(
        _ name: String,
        _ server: String?,
        _ body: (inout SourceReport, inout TimeSpan) -> Void
    ) {
        if files[name] == nil, files.count >= Self.maximumFiles { return }
        var file = files[name] ?? (files.count, SourceReport(name: name, server: server), TimeSpan())
        body(&file.report, &file.times)
        files[name] = file
    }

    /// Returns the report, with events handed over and the quality of joining messages.
    func report(events: Int, _ joining: ReadQuality, _ selection: Selection) -> ReadReport {
        var report = ReadReport()
        report.files = files.values.sorted { $0.number < $1.number }.map(\.report)
        report.events = events
        report.lookedAt = lookedAt
        report.quality = quality
        report.quality += joining
        report.incomparable = incomparable
        report.timelines = timelines
        report.quality.clockSteps = timelines.reduce(0) { $0 + $1.steps }
        report.servers = serverTimes.list(timelines).map { $0.clipped(to: selection.window) }
        report.gaps = timelines.gaps.filter { selection.window.mayTouch(from: $0.from, until: $0.until) }
        report.activity = activity
        return report
    }
}
