import TestSupport
import Testing

@testable import ULSLog

/// What a chooser chooses is what is left of all events when each of them is asked.
@Suite(.serialized) struct ChosenEventsPropertyTests {
    @Test(.timeLimit(.minutes(2))) func `A chooser selects what asking each whole event selects`() throws {
        try LogTrials.run(6, "chooser") { seed in
            let log = GeneratedLog(seed: seed, events: 20, server: "WFE-9", cut: seed % 2 == 0 ? 800 : 20)
            let folder = try SourceFolder()
            let plain = try folder.write("WFE-9-20210304-1000.log", log.bytes)
            let packed = try folder.write("WFE-9-20210304-1000.log.gz", StoredGzip.pack(log.bytes))
            let chooser = TestChooser(seed: seed)
            for path in [plain, packed] {
                for reading in LogReading.some(seed, 3) {
                    let found = try ChosenReading(reading.reader([path]), chooser)
                    let expected = log.events(file: path).filter(chooser.wants)
                    if let problem = difference(found.events, expected) { return "\(path), \(reading): \(problem)" }
                    if let problem = Self.edgeDifference(found.edges, Self.edges(log)) {
                        return "\(reading): \(problem)"
                    }
                    let quality = found.report.quality
                    if !quality.balances || quality.lines != log.quality.lines { return "\(reading): \(quality)" }
                    if found.report.events != expected.count { return "\(reading): \(found.report.events) events" }
                }
            }
            return nil
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `Each event is handed over or counted, and only whole ones of a request are counted`()
        throws
    {
        try LogTrials.run(6, "counted") { seed in
            let log = GeneratedLog(seed: seed, events: 20, server: "WFE-9", cut: seed % 2 == 0 ? 800 : 20)
            let folder = try SourceFolder()
            let path = try folder.write("WFE-9-20210304-1000.log", log.bytes)
            let number = Int(seed % UInt64(TestChooser.words.count))
            let matcher = TestChooser.Matcher()
            for reading in LogReading.some(seed, 3) {
                let found = try ChosenReading(reading.reader([path]), TestChooser(always: .elseCounted(number)))
                let all = (found.events + found.counted).sorted { $0.line < $1.line }
                let expected = log.events(file: path).sorted { $0.line < $1.line }
                if let problem = difference(all, expected) { return "\(reading): \(problem)" }
                let isWrong = found.counted.contains { event in
                    event[.correlation].isEmpty || event.parts > 1
                        || matcher.matches(Array(event[.message].utf8).span, number)
                }
                if isWrong { return "\(reading): counted \(found.counted)" }
                if found.report.events != found.events.count { return "\(reading): \(found.report.events) events" }
            }
            return nil
        }
    }

    @Test(.timeLimit(.minutes(2))) func `A filter and a window hold for choosers too`() throws {
        try LogTrials.run(10, "filter") { seed in
            var random = SeededGenerator(seed: seed)
            let log = GeneratedLog(seed: seed, events: 40, server: "WFE-9", cut: 100)
            let folder = try SourceFolder()
            let path = try folder.write("WFE-9-20210304-1000.log", log.bytes)
            let chooser = TestChooser(seed: seed)
            var reader = LogReading.some(seed, 1)[0].reader([path])
            if Bool.random(using: &random) { reader.filter.level = ULSLevel("High") }
            if Bool.random(using: &random) { reader.filter.contains = [["failed", "é"][Int(seed % 2)]] }
            if Bool.random(using: &random) { reader.filter.servers = ["wfe1"] }
            if Bool.random(using: &random) {
                let start = GeneratedLog.start + Int64.random(in: 0...10_000, using: &random)
                reader.window = TimeWindow(lower: .init(scale: .clock, value: start), upper: nil)
            }
            let all = try reader.events(in: .time)
            let found = try ChosenReading(reader, chooser)
            if let problem = difference(found.events, all.events.filter(chooser.wants)) { return problem }
            if found.report.incomparable != all.report.incomparable { return "\(found.report)" }
            // Neither levels nor texts matter for edges.
            let edges = Self.edges(log).filter { edge in
                reader.window.contains(edge.time) == .inside
                    && (reader.filter.servers.isEmpty || edge.server == "WFE1")
            }
            return Self.edgeDifference(found.edges, edges)
        }
    }

    @Test(.timeLimit(.minutes(2))) func `Several servers' events come by time, the same for any jobs`() throws {
        try LogTrials.run(6, "merge") { seed in
            var random = SeededGenerator(seed: seed)
            let folder = try SourceFolder()
            var paths: [String] = []
            var edges: [RequestEdge] = []
            for number in 0..<Int.random(in: 2...6, using: &random) {
                let server = ["WFE1", "WFE2", "APP-3"].randomElement(using: &random) ?? ""
                let log = GeneratedLog(seed: seed &+ UInt64(number) &* 77, events: 8, server: server, cut: 100)
                paths.append(try folder.write("\(server)-20210304-10\(10 + number).log", log.bytes))
                edges += Self.edges(log)
            }
            let chooser = TestChooser(seed: seed)
            var first: [ModelEvent]?
            for jobs in [1, 2, 5] {
                var reading = LogReading.some(seed &+ UInt64(jobs), 1)[0]
                reading.jobs = jobs
                let reader = reading.reader(paths)
                let found = try ChosenReading(reader, chooser)
                let all = try reader.events(in: .time).events
                if let problem = Self.misses(found.events, all.filter(chooser.wants)) {
                    return "\(reading): \(problem)"
                }
                if let first, let problem = difference(found.events, first) { return "\(reading): \(problem)" }
                first = found.events
                if Set(found.edges) != Set(edges) || found.edges.count != edges.count {
                    return "\(reading): \(found.edges.count) edges, expected \(edges.count)"
                }
            }
            return nil
        }
    }

    /// The edges of a log of which rows are known.
    static func edges(_ log: GeneratedLog) -> [RequestEdge] {
        log.rows.compactMap { row in
            let message = row.message.utf8
            let kind: RequestEdge.Kind? =
                if message.starts(with: "Name=".utf8) {
                    .beginning
                } else if message.starts(with: "Leaving Monitored Scope (Request".utf8)
                    || message.starts(with: "Leaving Monitored Scope (Timer Job".utf8)
                {
                    .end
                } else {
                    nil
                }
            guard let kind, let correlation = CorrelationPattern(row.columns[8])?.id else { return nil }
            let time = LogTime(clock: row.clock, quality: row.isUTC ? .exact : .local)
            return RequestEdge(kind: kind, correlation: correlation, time: time, server: row.server)
        }
    }

    private static func edgeDifference(_ found: [RequestEdge], _ expected: [RequestEdge]) -> String? {
        found == expected ? nil : "edges \(found), expected \(expected)"
    }

    /// What is missing or too much, whatever the order: what is not chosen makes no difference to that of a merge by
    /// time but where rows of one file go back in time.
    private static func misses(_ found: [ModelEvent], _ expected: [ModelEvent]) -> String? {
        func sorted(_ events: [ModelEvent]) -> [ModelEvent] {
            events.sorted { ($0.file, $0.line) < ($1.file, $1.line) }
        }
        return difference(sorted(found), sorted(expected))
    }
}
