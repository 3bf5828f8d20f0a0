/// What was read of each text, put together from its units.
struct ReadAccount {
    private let plan: LogPlan
    /// Reports in the order of sources; an archive's texts stand behind it.
    private var reports: [[SourceReport]]
    /// Physical lines of the text of a source that is being read, up to the unit at hand.
    private var lines: [Int]
    /// Lines above the part of a source that is read; counted when somebody asks.
    private var skippedLines: [Int?]
    /// The texts of each source, by name.
    private var texts: [[String: Text]]
    private(set) var quality = ReadQuality()

    private struct Text {
        /// The number of its report.
        var report: Int
        var times = TimeSpan()
    }

    init(_ plan: LogPlan) {
        self.plan = plan
        reports = plan.reports.map { [$0] }
        lines = plan.reports.map { _ in 0 }
        texts = plan.reports.map { [$0.name: Text(report: 0)] }
        skippedLines = plan.skippedBytes.map { $0 == 0 ? 0 : nil }
    }

    /// How many lines of its text stand above the unit at hand.
    ///
    /// Without those that were skipped, lines count from where reading has begun.
    mutating func lines(above text: LogText, withSkipped: Bool = true) -> Int {
        guard withSkipped else { return lines[text.source] }
        let skipped = skippedLines[text.source] ?? plan.linesSkipped(ofSource: text.source)
        skippedLines[text.source] = skipped
        return skipped + lines[text.source]
    }

    mutating func addTimes(_ times: TimeSpan, of text: LogText) {
        change(text) { report, span in
            span.add(times)
            report.firstTime = span.first?.time ?? report.firstTime
            report.lastTime = span.last?.time ?? report.lastTime
        }
    }

    /// Closes a unit.
    mutating func end(_ end: UnitEnd, of text: LogText) {
        quality += end.quality
        change(text) { report, _ in
            report.bytes += Int(end.bytes)
            report.records += end.quality.records
            report.notes += end.notes
            report.isIncomplete = report.isIncomplete || end.isIncomplete
        }
        lines[text.source] = end.isTextEnd ? 0 : lines[text.source] + end.quality.lines
    }

    mutating func fail(_ failure: SourceFailure) {
        reports[failure.source][0].isIncomplete = true
        // All parts of a file fail in the same way.
        guard !reports[failure.source][0].notes.contains(failure.reason) else { return }
        reports[failure.source][0].notes.append(failure.reason)
    }

    /// All reports; an archive of which texts were read is named by these.
    func files() -> [SourceReport] {
        reports.flatMap { group in
            group.count > 1 && group[0].notes.isEmpty && group[0].bytes == 0 ? Array(group.dropFirst()) : group
        }
    }

    /// What is to be said of archives when servers are merged: their logs come one after the other.
    var archiveNotes: [String] {
        reports.filter { $0.count > 2 }.map { group in
            "\(group[0].name): its \(group.count - 1) logs come in the archive's own order; unpack it to merge them by time"
        }
    }

    private mutating func change(_ text: LogText, _ body: (inout SourceReport, inout TimeSpan) -> Void) {
        let source = text.source
        var known = texts[source][text.name] ?? Text(report: reports[source].count)
        if known.report == reports[source].count {
            reports[source].append(SourceReport(name: text.name, server: text.server))
        }
        body(&reports[source][known.report], &known.times)
        texts[source][text.name] = known
    }
}

extension LogPlan {
    /// How many lines stand above the part of a source that is read.
    func linesSkipped(ofSource number: Int) -> Int {
        let end = skippedBytes[number]
        guard end > 0, case .file(let path, _) = sources[number].kind, let file = try? PlainFile(path: path) else {
            return 0
        }
        let pieceBytes = 256 << 10
        var bytes = [UInt8](repeating: 0, count: pieceBytes + ByteWindow.slack)
        var place: Int64 = 0
        var count = 0
        while place < end, let read = try? file.read(into: &bytes, at: place), read > 0 {
            let used = min(read, pieceBytes, Int(clamping: end - place))
            count += ByteWindow(bytes.span).lineEnds(in: 0..<used)
            place += Int64(used)
        }
        return count
    }
}
