/// What was read of each text, put together from its units.
struct ReadAccount {
    private let plan: LogPlan
    /// Reports in the order of sources; an archive's texts stand behind it.
    private var reports: [[SourceReport]]
    /// Physical lines read of the text of a source that is being read, up to the unit at hand.
    private var lines: [Int?]
    /// How many lines of a source stand above the part that is read; counted only when somebody wants to know.
    private var skippedLines: [Int: Int] = [:]
    private(set) var quality = ReadQuality()

    init(_ plan: LogPlan) {
        self.plan = plan
        reports = plan.reports.map { [$0] }
        lines = plan.reports.map { _ in nil }
    }

    /// How many lines of its text stand above the unit at hand.
    mutating func lines(above text: LogText) -> Int {
        let read = lines[text.source] ?? 0
        guard plan.skippedBytes[text.source] > 0 else { return read }
        if let known = skippedLines[text.source] { return known + read }
        let counted = plan.linesSkipped(ofSource: text.source)
        skippedLines[text.source] = counted
        return counted + read
    }

    mutating func addTimes(_ first: PackedTime?, _ last: PackedTime?, of text: LogText) {
        change(text) { report in
            if let first, report.firstTime.map({ first.time.instant < $0.instant }) ?? true {
                report.firstTime = first.time
            }
            if let last, report.lastTime.map({ last.time.instant > $0.instant }) ?? true {
                report.lastTime = last.time
            }
        }
    }

    /// Closes a unit.
    mutating func end(_ end: UnitEnd, of text: LogText) {
        quality += end.quality
        change(text) { report in
            report.bytes += Int(end.bytes)
            report.records += end.quality.records
            report.notes += end.notes
        }
        lines[text.source] = end.isTextEnd ? nil : (lines[text.source] ?? 0) + end.quality.lines
    }

    mutating func fail(_ failure: SourceFailure) {
        reports[failure.source][0].notes.append(failure.reason)
        reports[failure.source][0].isIncomplete = true
    }

    /// All reports; an archive of which texts were read is named by these.
    func files() -> [SourceReport] {
        reports.flatMap { group in
            group.count > 1 && group[0].notes.isEmpty && group[0].bytes == 0 ? Array(group.dropFirst()) : group
        }
    }

    private mutating func change(_ text: LogText, _ body: (inout SourceReport) -> Void) {
        let group = reports[text.source]
        if let index = group.lastIndex(where: { $0.name == text.name }) {
            body(&reports[text.source][index])
        } else {
            var report = SourceReport(name: text.name, server: text.server)
            body(&report)
            reports[text.source].append(report)
        }
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
