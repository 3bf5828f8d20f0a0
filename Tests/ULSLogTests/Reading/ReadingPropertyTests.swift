import TestSupport
import Testing

@testable import ULSLog
@testable import ULSRows

/// Random logs of every form, read in every way, contain exactly the events from which they were generated.
@Suite(.serialized) struct ReadingPropertyTests {
    @Test func `The same events are read however a file is divided`() throws {
        try LogTrials.run(10, "file") { seed in
            try Self.check(seed, events: 15, readings: LogReading.some(seed, 2))
        }
    }

    @Test func `The same events are read if a file is read byte by byte`() throws {
        try LogTrials.run(2, "bytes") { seed in
            try Self.check(seed, events: 5, cut: 60, readings: LogReading.byteByByte)
        }
    }

    private static func check(_ seed: UInt64, events: Int, cut: Int = 800, readings: [LogReading]) throws -> String? {
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
                let (events, report) = try reader.readEvents()
                // In a compressed file, the text has the name of the file with or without its suffix.
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

/// A filter or a window selects the same events as a test of each event.
@Suite(.serialized) struct SelectionPropertyTests {
    @Test func `A filter selects the same events as a test of each event`() throws {
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
                let (events, report) = try reader.readEvents()
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

    @Test func `Skipping text without a correlation's digits loses no event of the correlation`() throws {
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
                    let (events, report) = try reader.readEvents()
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

    @Test func `A window selects rows by their clock time, and keeps the line numbers of the whole file`() throws {
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
                let (events, _) = try reading.reader([path]).with { $0.window = window }.readEvents()
                if let problem = difference(events, expected) { return "\(reading), \(window): \(problem)" }
            }
            return nil
        }
    }

    @Test func `A window selects all its rows, whatever the order of rows and the size of files`() throws {
        try LogTrials.run(20, "disorder") { seed in
            var random = SeededGenerator(seed: seed)
            let folder = try SourceFolder()
            let paths = try DisorderedLog.write(in: folder, &random)
            // The ends of pieces are covered by another property, and small pieces are slow.
            let readings = [LogReading(), LogReading(unit: 4096, jobs: 5), LogReading(piece: 64 << 10, jobs: 2)]
            let reading = readings[Int(seed % 3)]
            var all: [(time: LogTime, place: ULSEvent.Place)] = []
            _ = try reading.reader(paths).forEachEvent(in: .files) { all.append(($0.time, $0.place)) }
            for window in DisorderedLog.windows(&random) {
                let expected = all.filter { window.contains($0.time) == .inside }.map(\.place)
                let reader = reading.reader(paths).with { $0.window = window }
                for order in [LogReader.Order.files, .time] {
                    var found: [ULSEvent.Place] = []
                    let report = try reader.forEachEvent(in: order) { found.append($0.place) }
                    let isSame = order == .files ? found == expected : Set(found) == Set(expected)
                    guard isSame, found.count == expected.count, try reader.summary().events == found.count else {
                        return "\(reading), \(window), \(order): \(found.count) of \(expected.count) rows"
                    }
                    // Bisection may lose rows, and reports how much it skipped.
                    let bisected = reader.with { $0.bisects = true }
                    var some: [ULSEvent.Place] = []
                    let part = try bisected.forEachEvent(in: order) { some.append($0.place) }
                    let bytes = report.files.reduce(0) { $0 + $1.bytes }
                    guard part.files.reduce(0, { $0 + $1.bytes + $1.unreadBytes }) == bytes,
                        Set(some).isSubset(of: Set(expected)),
                        some.count == expected.count || part.files.contains(where: { $0.unreadBytes > 0 })
                    else { return "\(reading), \(window), \(order): bisection read \(part.files)" }
                }
            }
            return nil
        }
    }

    /// Sets a random part of a filter, and returns the expected verdict on an event.
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
            // An unknown value is not treated as harmless.
            tests.append { event in
                let level = ULSLevel(event[.level])
                return !level.isKnown || level.rank <= ULSLevel(word).rank
            }
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

/// Logs of one day whose rows are not in order.
private enum DisorderedLog {
    private enum Order: CaseIterable {
        case sorted
        case reversed
        case shuffled
        /// They include rows of another server, whose clock is hours ahead.
        case merged
        case setBack
        case oneOfAnotherDay
    }

    /// The time 2011-09-26 08:00.
    private static let start: Int64 = 1_317_024_000_000
    private static let hour: Int64 = 3_600_000

    /// Writes one file without a native name, or several with native names; rows are at most an hour outside the span
    /// in the name.
    static func write(in folder: SourceFolder, _ random: inout SeededGenerator) throws -> [String] {
        let order = Order.allCases.randomElement(using: &random) ?? .sorted
        let count = [3, 40, 120].randomElement(using: &random) ?? 40
        guard Bool.random(using: &random) else {
            let clocks = clocks(order, count: count, from: start, length: 4 * hour, &random)
            return [try folder.write("merged.log", text(clocks, &random))]
        }
        return try (0..<4).map { number in
            let begin = start + Int64(number) * hour
            let clocks = (0..<count).map { _ in Int64.random(in: begin - hour..<begin + 2 * hour, using: &random) }
            return try folder.write("WFE1-20110926-\(two(8 + number))00.log", text(clocks, &random))
        }
    }

    /// Windows inside, around, before and after the rows, for one day and for every day.
    static func windows(_ random: inout SeededGenerator) -> [TimeWindow] {
        let first = start + Int64.random(in: -2 * hour...6 * hour, using: &random)
        let last = first + ([0, 60_000, hour, 8 * hour].randomElement(using: &random) ?? 0)
        let day = 24 * hour
        return [
            TimeWindow(lower: .init(scale: .clock, value: first), upper: .init(scale: .clock, value: last)),
            TimeWindow(lower: .init(scale: .clock, value: first)),
            TimeWindow(upper: .init(scale: .clock, value: first)),
            TimeWindow(
                lower: .init(scale: .timeOfDay, value: (first % day + day) % day),
                upper: .init(scale: .timeOfDay, value: (last % day + day) % day)
            ),
        ]
    }

    private static func clocks(
        _ order: Order,
        count: Int,
        from start: Int64,
        length: Int64,
        _ random: inout SeededGenerator
    ) -> [Int64] {
        var clocks = (0..<count).map { start + length / Int64(count) * Int64($0) }
        let place = Int.random(in: 0..<count, using: &random)
        switch order {
        case .sorted: break
        case .reversed: clocks.reverse()
        case .shuffled: clocks.shuffle(using: &random)
        case .merged:
            for index in clocks.indices where Int.random(in: 0..<40, using: &random) == 0 {
                clocks[index] += 6 * hour
            }
        case .setBack: for index in place..<count { clocks[index] -= hour }
        case .oneOfAnotherDay: clocks[place] += ([-24, -1, 1, 24].randomElement(using: &random) ?? 24) * hour
        }
        return clocks
    }

    private static func text(_ clocks: [Int64], _ random: inout SeededGenerator) -> [UInt8] {
        let filler = String(repeating: "x", count: Int.random(in: 0..<100, using: &random))
        let rows = clocks.map { clock in
            let day = (clock - start + 8 * hour) / (24 * hour) - (clock < start - 8 * hour ? 1 : 0)
            let second = (clock / 1000 % 86_400 + 86_400) % 86_400
            return row("said \(filler)") {
                $0.time = "09/\(26 + day)/2011 \(two(Int(second / 3600))):\(two(Int(second / 60 % 60))):"
                $0.time += "\(two(Int(second % 60))).00"
            }
        }
        return Array((nativeHeader + rows.joined()).utf8)
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
