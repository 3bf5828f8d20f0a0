/// What is going to be read, in which order, and what is left out.
struct LogPlan {
    /// One for each source, in reading order.
    private(set) var sources: [LogSource] = []
    /// What is known of each source before it is read.
    private(set) var reports: [SourceReport] = []
    /// The items of each source.
    private(set) var items: [[WorkItem]] = []
    /// How many bytes of each source stand above the part that is read; their lines are counted when they are needed.
    private(set) var skippedBytes: [Int64] = []
    /// What was passed over among the inputs, for a person.
    private(set) var notes: [String] = []
    private let window: TimeWindow
    let zones: ServerZones
    private let sizes: ReadingSizes

    init(_ reader: LogReader) throws {
        window = reader.window
        zones = reader.zones
        sizes = reader.sizes
        let inputs = LogInputs(reader.inputs, encoding: reader.encoding)
        if let problem = inputs.problems.first(where: { reader.inputs.contains($0.source) || $0.source == "-" })
            ?? (inputs.sources.isEmpty ? inputs.problems.first : nil)
        {
            throw LogError(code: .cannotOpen, message: problem.message, advice: problem.advice)
        }
        notes = inputs.notes.map(\.description)
        var found = inputs.sources
        if let text = reader.text { found.append(LogSource(text, encoding: reader.encoding)) }
        for index in found.indices where found[index].nominalStart == nil {
            found[index].nominalStart = FileTimes.first(of: found[index])?.clock
        }
        sources = LogSource.inReadingOrder(found)
        plan()
        for problem in inputs.problems {
            var report = SourceReport(name: problem.source)
            report.notes = [problem.description]
            report.isIncomplete = true
            reports.append(report)
            items.append([])
            skippedBytes.append(0)
        }
    }

    /// No row of a source behind this one is older, as far as starts are known: milliseconds; `.min` if they are not.
    func horizon(behind source: Int) -> Int64 {
        // Sorted by start: the next one is the oldest.
        guard let next = sources.dropFirst(source + 1).first else { return .max }
        guard let start = next.nominalStart else { return .min }
        // Zones differ by a day at most.
        return start - (zones == ServerZones() ? 0 : CivilDate.dayLength)
    }

    private mutating func plan() {
        for (number, source) in sources.enumerated() {
            var report = SourceReport(name: source.name, server: source.server)
            var skipped: Int64 = 0
            if isOutside(number) {
                report.isSkipped = true
                report.firstTime = source.nominalStart.map { LogTime(clock: $0, quality: .local) }
                items.append([])
            } else if case .file(let path, let size) = source.kind, FileTimes.isNative(source, sizes) {
                let section = FileSection(
                    path: path,
                    size: size,
                    window: window,
                    zone: zones.zone(for: source.server),
                    minimumBytes: sizes.minimumSectionedBytes
                )
                skipped = section.start
                items.append(parts(of: source, number, path, size, section))
            } else {
                items.append([.stream(source, number: number)])
            }
            reports.append(report)
            skippedBytes.append(skipped)
        }
    }

    /// Whether the name says that no row of a source can be in the window.
    private func isOutside(_ number: Int) -> Bool {
        guard !window.isAll, let server = sources[number].server, let start = sources[number].nominalStart else {
            // A first row does not tell: a file may be several in one.
            return false
        }
        let next = sources[(number + 1)...].first { $0.server == server && $0.nominalStart != start }?.nominalStart
        return !window.mayOverlap(clockFrom: start, clockTo: next, zone: zones.zone(for: server))
    }

    private func parts(
        of source: LogSource,
        _ number: Int,
        _ path: String,
        _ size: Int64,
        _ section: FileSection
    ) -> [WorkItem] {
        let text = LogText(source: number, name: source.name, server: source.server)
        var ranges: [(start: Int64, end: Int64)] = []
        var start = section.start
        repeat {
            // Units end at multiples, wherever the section begins.
            let end = min((start / sizes.unitBytes + 1) * sizes.unitBytes, section.end)
            ranges.append((start, end))
            start = end
        } while start < section.end
        let file = PartedFile(path: path, parts: ranges.count)
        return ranges.map { start, end in
            .part(
                WorkItem.FilePart(
                    text: text,
                    file: file,
                    start: start,
                    end: end >= size ? .max : end,
                    fileEnd: size,
                    isFirst: start == 0,
                    isLast: end >= section.end
                )
            )
        }
    }
}
