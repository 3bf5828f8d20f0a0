import TestSupport
import Testing

@testable import ULSLog

/// Random logs in all forms, read in all ways: always the events they were made of.
@Suite(.serialized) struct ReadingPropertyTests {
    @Test func `Events come out as they went in, however a file is cut`() throws {
        try LogTrials.run(10, "file") { seed in
            try Self.check(seed, events: 15, readings: LogReading.some(seed, 2))
        }
    }

    @Test func `Reading byte by byte gives the same`() throws {
        try LogTrials.run(2, "bytes") { seed in
            try Self.check(seed, events: 5, cut: 60, readings: LogReading.byteByByte)
        }
    }

    private static func check(
        _ seed: UInt64,
        events: Int,
        cut: Int = 800,
        readings: [LogReading]
    ) throws -> String? {
        let server = seed % 2 == 0 ? nil : "WFE-9"
        let log = GeneratedLog(seed: seed, events: events, server: server, cut: cut)
        let folder = try SourceFolder()
        let name = server.map { "\($0)-20210304-1000.log" } ?? "some.log"
        let plain = try folder.write(name, log.bytes)
        let packed = try folder.write(name + ".gz", StoredGzip.pack(log.bytes))
        var summaries: Set<CountedSummary> = []
        for path in [plain, packed] {
            for reading in readings {
                let reader = reading.reader([path])
                let (events, report) = try reader.events()
                // In a packed file the text has the name of the file without its suffix, or the file's.
                let expected = log.events(file: events.first?.file ?? path)
                let summary = CountedSummary(try reader.summary())
                if let problem = difference(events, expected) ?? missing(log, events)
                    ?? wrong(report, log, events) ?? summary.difference(from: CountedSummary(events, log))
                {
                    return "\(path == plain ? "plain" : "packed"), \(reading): \(problem)"
                }
                summaries.insert(summary)
                let bytes = report.files.first?.bytes ?? 0
                let marked = log.bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
                if bytes != log.bytes.count - marked {
                    return "\(path), \(reading): \(bytes) bytes read of \(log.bytes.count), mark of \(marked)"
                }
            }
        }
        return summaries.count == 1 ? nil : "summaries differ"
    }

    private static func missing(_ log: GeneratedLog, _ events: [ModelEvent]) -> String? {
        let found = Set(events.map { $0[.message] })
        return log.wholeMessages.first { !found.contains($0) }.map { "not whole: \($0)" }
    }

    private static func wrong(_ report: ReadReport, _ log: GeneratedLog, _ events: [ModelEvent]) -> String? {
        let quality = report.quality
        var expected = log.quality
        expected.parts = log.rows.count - events.count
        expected.orphans = events.count { $0.isOrphan }
        if !quality.balances { return "lines do not balance: \(quality)" }
        if quality != expected { return "quality is \(quality), expected \(expected)" }
        if report.events != quality.records - quality.parts { return "\(report.events) events of \(quality)" }
        return nil
    }
}

/// What a filter or a window selects is what is left of all events when each of them is asked.
@Suite(.serialized) struct SelectionPropertyTests {
    @Test func `A filter selects what asking each event selects`() throws {
        try LogTrials.run(12, "filter") { seed in
            var random = SeededGenerator(seed: seed)
            let log = GeneratedLog(seed: seed, events: 15, server: "WFE-9")
            let folder = try SourceFolder()
            let path = try folder.write("WFE-9-20210304-1000.log", log.bytes)
            let all = log.events(file: path)
            var filter = EventFilter()
            let accepts = Self.choose(&filter, all, &random)
            let expected = all.filter(accepts)
            for reading in LogReading.some(seed, 2) {
                let reader = reading.reader([path]).with { $0.filter = filter }
                let (events, report) = try reader.events()
                if let problem = difference(events, expected) { return "\(reading), \(filter): \(problem)" }
                if !report.quality.balances || report.quality.lines != log.quality.lines {
                    return "\(reading), \(filter): \(report.quality)"
                }
                let summary = CountedSummary(try reader.summary())
                var wanted = CountedSummary(expected, log)
                wanted.records = expected.reduce(0) { $0 + $1.parts }
                wanted.quality = summary.quality
                if let problem = summary.difference(from: wanted) { return "\(reading), \(filter): \(problem)" }
            }
            return nil
        }
    }

    @Test func `Passing over text without the digits loses no event of a correlation`() throws {
        try LogTrials.run(12, "correlation") { seed in
            var random = SeededGenerator(seed: seed)
            let log = GeneratedLog(seed: seed, events: 20)
            let folder = try SourceFolder()
            let path = try folder.write("a.log", log.bytes)
            let packed = try folder.write("a.log.gz", StoredGzip.pack(log.bytes))
            let id = "0000000\(Int.random(in: 0...3, using: &random))-ab9f-0000-0000-0001deadbeef"
            let wanted = log.rows.map { $0.columns[8] }.filter { !$0.isEmpty }.randomElement(using: &random) ?? id
            let length = [8, 9, 14, 23, 30, 36].randomElement(using: &random) ?? 36
            let text = String(wanted.prefix(length))
            guard let pattern = CorrelationPattern(Bool.random(using: &random) ? text.uppercased() : text) else {
                return nil
            }
            for path in [path, packed] {
                for reading in LogReading.some(seed, 2) {
                    let reader = reading.reader([path]).with { $0.filter.correlations = [pattern] }
                    let (events, report) = try reader.events()
                    let expected = log.events(file: events.first?.file ?? path).filter {
                        $0[.correlation].hasPrefix(text)
                    }
                    if let problem = difference(events, expected) { return "\(reading), \(pattern): \(problem)" }
                    if !report.quality.balances || report.quality.lines != log.quality.lines {
                        return "\(reading), \(pattern): \(report.quality)"
                    }
                }
            }
            return nil
        }
    }

    @Test func `A window selects rows by their clock, with the line numbers of the whole file`() throws {
        try LogTrials.run(8, "window") { seed in
            var random = SeededGenerator(seed: seed)
            let log = GeneratedLog(seed: seed, events: 60)
            let folder = try SourceFolder()
            let path = try folder.write("a.log", log.bytes)
            let all = log.events(file: path)
            let first = Int64.random(in: -1000...30_000, using: &random)
            let bounds = (
                GeneratedLog.start + first, GeneratedLog.start + first + .random(in: 0...20_000, using: &random)
            )
            let window = TimeWindow(
                lower: Bool.random(using: &random) ? nil : .init(scale: .clock, value: bounds.0),
                upper: Bool.random(using: &random) ? nil : .init(scale: .clock, value: bounds.1)
            )
            let expected = all.filter {
                window.contains(LogTime(clock: $0.clock, quality: $0.isUTC ? .exact : .local)) == .inside
            }
            for reading in LogReading.some(seed, 1) {
                let (events, _) = try reading.reader([path]).with { $0.window = window }.events()
                if let problem = difference(events, expected) { return "\(reading), \(window): \(problem)" }
            }
            return nil
        }
    }

    /// Sets some of a filter, and returns what it says of an event.
    private static func choose(
        _ filter: inout EventFilter,
        _ events: [ModelEvent],
        _ random: inout SeededGenerator
    ) -> (ModelEvent) -> Bool {
        var tests: [(ModelEvent) -> Bool] = []
        let some = events.randomElement(using: &random)
        if Int.random(in: 0..<3, using: &random) == 0 {
            let word = ULSLevel.knownWords.randomElement(using: &random) ?? "High"
            filter.level = ULSLevel(word)
            tests.append { ULSLevel($0[.level]).rank <= ULSLevel(word).rank }
        }
        if Int.random(in: 0..<4, using: &random) == 0, let id = some?[.eventID] {
            filter.eventIDs = [id, "none"]
            tests.append { $0[.eventID] == id }
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
            filter.servers = ["wfe1"]
            tests.append { $0.server == "WFE1" }
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
            filter.processes = ["W3WP"]
            tests.append { $0[.process].hasPrefix("w3wp.exe") }
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
            filter.categories = ["caf?", "*/CLAIMS*", "search/gen*l"]
            tests.append {
                $0[.category] == "Café" || $0[.category].hasPrefix("Claims")
                    || $0[.area] == "Search" && $0[.category] == "General"
            }
        }
        if Int.random(in: 0..<2, using: &random) == 0 {
            let (text, folded) =
                [("FAILED", "failed"), ("é", "é"), ("at a.b", "at a.b"), ("日本 ", "日本 "), ("\n", "\n")]
                .randomElement(using: &random) ?? ("", "")
            filter.contains = [text, "z"]
            tests.append { event in
                let message = Array(event[.message].utf8.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 })
                return message.firstRange(of: Array(folded.utf8)) != nil && message.contains(UInt8(ascii: "z"))
            }
        }
        return { event in tests.allSatisfy { $0(event) } }
    }
}
