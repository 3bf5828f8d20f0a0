import Synchronization
import TestSupport
import Testing

@testable import ULSLog
@testable import ULSRows

@Suite struct ChosenEventsTests {
    private static func read(
        _ text: String,
        _ prefilter: TestPrefilter,
        as name: String = "a.log"
    ) throws
        -> ChosenReading
    {
        try ChosenReading(LogReader(text: Array(text.utf8), name: name), prefilter)
    }

    @Test func `A prefilter is called once for each combination of column values`() throws {
        let prefilter = TestPrefilter(always: .yes(0))
        let text = (0..<100).map { number in row { $0.level = number % 2 == 0 ? "High" : "Medium" } }
        #expect(try Self.read(text.joined(), prefilter).events.count == 100)
        #expect(prefilter.questions.count == 2)
    }

    @Test func `A prefilter is not called for rows that the filter excludes`() throws {
        let prefilter = TestPrefilter(always: .yes(0))
        var reader = LogReader(text: Array((row() + row { $0.level = "Medium" }).utf8), name: "a.log")
        reader.filter.level = ULSLevel("High")
        #expect(try ChosenReading(reader, prefilter).events.map { $0[.level] } == ["High"])
        #expect(prefilter.questions.count == 1)
    }

    @Test func `Text that spans a cut between two rows matches`() throws {
        let text =
            row("It has Failed to op...") + row("between") + row("...en, and more") { $0.mark = "*" }
            + row("...open at last") { ($0.mark, $0.thread) = ("*", "0x0001") }
        let number = try #require(TestPrefilter.words.firstIndex(of: "Failed to open"))
        let found = try Self.read(text, TestPrefilter(always: .ifMessageMatches(number)))
        #expect(found.events.map { $0[.message] } == ["It has Failed to open, and more"])
        #expect(found.events.map(\.parts) == [2])
    }

    @Test func `A message that could continue but does not is evaluated as complete`() throws {
        let text = row("Failed ...") + row("Done ...") { $0.thread = "0x0001" } + row("... Failed") { $0.eventID = "x" }
        let found = try Self.read(text, TestPrefilter(always: .ifMessageMatches(0)))
        #expect(found.events.map { $0[.message] } == ["Failed ...", "... Failed"])
    }

    @Test func `Messages in pasted text are chosen like those in a log file`() throws {
        let text = "Failed to open it\nand went on\n\nw3wp.exe (0x1620) 0x1988 Search General ab2c4 High it Failed\n"
        let all = try LogReader(text: Array(text.utf8), name: "a.txt").readEvents(in: .time).events
        #expect(!all.isEmpty)
        for seed in 0..<20 {
            let prefilter = TestPrefilter(seed: UInt64(seed))
            #expect(try Self.read(text, prefilter, as: "a.txt").events == all.filter(prefilter.wants))
        }
        let prefilter = TestPrefilter(always: .ifMessageMatches(0))
        #expect(try Self.read(text, prefilter, as: "a.txt").events == all.filter(prefilter.wants))
    }

    @Test func `A Windows-1252 message is passed to the matcher unchanged`() throws {
        var bytes = Array(row("Failed caf#").utf8)
        bytes[try #require(bytes.lastIndex(of: UInt8(ascii: "#")))] = 0xE9
        let reader = LogReader(text: bytes, name: "a.log")
        let found = try ChosenReading(reader, TestPrefilter(always: .ifMessageMatches(0)))
        #expect(found.events.map { $0[.message] } == ["Failed café"])
    }

    @Test func `Combinations beyond the limit are still chosen correctly`() throws {
        let text = (0..<LogLimit.columns.maximum + 50).map { number in row { $0.eventID = "e\(number)" } }.joined()
        let prefilter = TestPrefilter(seed: 5)
        let reader = LogReader(text: Array(text.utf8), name: "a.log")
        let expected = try reader.readEvents(in: .time).events.filter(prefilter.wants)
        #expect(try ChosenReading(reader, prefilter).events == expected)
    }
}

/// A prefilter selects the same events as a test of each event.
@Suite(.serialized) struct ChosenEventsPropertyTests {
    @Test(.timeLimit(.minutes(10))) func `A prefilter selects the same events as a test of each complete event`() throws
    {
        try LogTrials.run(6, "prefilter") { seed in
            let log = GeneratedLog(seed: seed, events: 20, server: "WFE-9", cut: seed % 2 == 0 ? 800 : 20)
            let folder = try SourceFolder()
            let plain = try folder.write("WFE-9-20210304-1000.log", log.bytes)
            let packed = try folder.write("WFE-9-20210304-1000.log.gz", StoredGzip.pack(log.bytes))
            let prefilter = TestPrefilter(seed: seed)
            for path in [plain, packed] {
                for reading in LogReading.some(seed, 3) {
                    let found = try ChosenReading(reading.reader([path]), prefilter)
                    let expected = log.events(file: path).filter(prefilter.wants)
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

    @Test(.timeLimit(.minutes(10)))
    func `Each event is either delivered or counted, and only complete events of a request are counted`()
        throws
    {
        try LogTrials.run(6, "counted") { seed in
            let log = GeneratedLog(seed: seed, events: 20, server: "WFE-9", cut: seed % 2 == 0 ? 800 : 20)
            let folder = try SourceFolder()
            let path = try folder.write("WFE-9-20210304-1000.log", log.bytes)
            let number = Int(seed % UInt64(TestPrefilter.words.count))
            let matcher = TestPrefilter.Matcher()
            for reading in LogReading.some(seed, 3) {
                let found = try ChosenReading(reading.reader([path]), TestPrefilter(always: .elseCounted(number)))
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

    @Test(.timeLimit(.minutes(10))) func `The filter and the time window also apply when a prefilter is used`() throws {
        try LogTrials.run(10, "filter") { seed in
            var random = SeededGenerator(seed: seed)
            let log = GeneratedLog(seed: seed, events: 40, server: "WFE-9", cut: 100)
            let folder = try SourceFolder()
            let path = try folder.write("WFE-9-20210304-1000.log", log.bytes)
            let prefilter = TestPrefilter(seed: seed)
            var reader = LogReading.some(seed, 1)[0].reader([path])
            if Bool.random(using: &random) { reader.filter.level = ULSLevel("High") }
            if Bool.random(using: &random) { reader.filter.contains = [["failed", "é"][Int(seed % 2)]] }
            if Bool.random(using: &random) { reader.filter.servers = ["wfe1"] }
            if Bool.random(using: &random) {
                let start = GeneratedLog.start + Int64.random(in: 0...10_000, using: &random)
                reader.window = TimeWindow(lower: .init(scale: .clock, value: start), upper: nil)
            }
            let all = try reader.readEvents(in: .time)
            let found = try ChosenReading(reader, prefilter)
            if let problem = difference(found.events, all.events.filter(prefilter.wants)) { return problem }
            if found.report.incomparable != all.report.incomparable { return "\(found.report)" }
            // Levels and texts are irrelevant for edges.
            let edges = Self.edges(log).filter { edge in
                reader.window.contains(edge.time) == .inside
                    && (reader.filter.servers.isEmpty || edge.server == "WFE1")
            }
            return Self.edgeDifference(found.edges, edges)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `Events of several servers are delivered in order of time, for any number of jobs`() throws {
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
            let prefilter = TestPrefilter(seed: seed)
            var first: [ModelEvent]?
            for jobs in [1, 2, 5] {
                var reading = LogReading.some(seed &+ UInt64(jobs), 1)[0]
                reading.jobs = jobs
                let reader = reading.reader(paths)
                let found = try ChosenReading(reader, prefilter)
                let all = try reader.readEvents(in: .time).events
                if let problem = Self.misses(found.events, all.filter(prefilter.wants)) {
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

    /// Returns the edges of a log whose rows are known.
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
            let isNamed = message.starts(with: "Name=Request (".utf8) || message.starts(with: "Name=Timer Job ".utf8)
            let name = isNamed ? String(decoding: message.dropFirst(5).prefix(300), as: UTF8.self) : nil
            return RequestEdge(kind: kind, correlation: correlation, time: time, server: row.server, name: name)
        }
    }

    private static func edgeDifference(_ found: [RequestEdge], _ expected: [RequestEdge]) -> String? {
        found == expected ? nil : "edges \(found), expected \(expected)"
    }

    /// Missing and surplus events, regardless of order: events that are not chosen affect the order of a merge by time
    /// only if the times in a file go backward.
    private static func misses(_ found: [ModelEvent], _ expected: [ModelEvent]) -> String? {
        func sorted(_ events: [ModelEvent]) -> [ModelEvent] {
            events.sorted { ($0.file, $0.line) < ($1.file, $1.line) }
        }
        return difference(sorted(found), sorted(expected))
    }
}

/// A prefilter whose answers are random, based on a seed, and which searches for words in messages.
struct TestPrefilter: EventPrefilter {
    var seed: UInt64 = 0
    /// The answer to every call, instead of random answers.
    var always: PrefilterResult?
    let questions = Counter()

    static let words = ["Failed", "open C:", "Failed to open", "end. {0}", "z", "nothing has this"]

    /// A counter shared by all threads.
    final class Counter: Sendable {
        private let value = Mutex(0)
        var count: Int { value.withLock { $0 } }
        func add() { value.withLock { $0 += 1 } }
    }

    struct Matcher: MessageMatcher {
        /// All values that were counted.
        private var counted: [ULSEvent] = []

        mutating func count(_ message: Span<UInt8>, _ number: Int, _ record: CountedRecord) -> Bool { true }
        mutating func see(_ event: consuming ULSEvent) { counted.append(event) }
        func tally() -> [ULSEvent]? { counted.isEmpty ? nil : counted }

        func matches(_ message: Span<UInt8>, _ number: Int) -> Bool {
            message.array.firstRange(of: Array(words[number].utf8)) != nil
        }
    }

    func choice(
        area: Span<UInt8>,
        category: Span<UInt8>,
        eventID: Span<UInt8>,
        level: Span<UInt8>
    ) -> PrefilterResult {
        questions.add()
        return choice([area.array, category.array, eventID.array, level.array])
    }

    func makeMatcher() -> Matcher { Matcher() }

    /// Returns whether an event is chosen once all of its columns are known.
    func wants(_ event: ModelEvent) -> Bool {
        switch choice([.area, .category, .eventID, .level].map { Array(event[$0].utf8) }) {
        case .no: false
        case .yes: true
        case .elseCounted: true
        case .ifMessageMatches(let number), .ifMessageMatters(let number):
            Matcher().matches(Array(event[.message].utf8).span, number)
        }
    }

    private func choice(_ columns: [[UInt8]]) -> PrefilterResult {
        if let always { return always }
        var hash = seed
        for byte in columns.joined(separator: [0x09]) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let number = Int(hash >> 20 & 0xFF)
        if number < 80 { return .no }
        return number < 120 ? .yes(0) : .ifMessageMatches(number % Self.words.count)
    }
}

extension Span<UInt8> {
    fileprivate var array: [UInt8] { indices.map { self[$0] } }
}

/// The events that a read with a prefilter delivered, in order.
struct ChosenReading {
    var events: [ModelEvent] = []
    var edges: [RequestEdge] = []
    /// The number of events that were counted, but not delivered.
    var counted: [ModelEvent] = []
    /// The number of edges before each event.
    var edgesBefore: [Int] = []
    var report = ReadReport()

    init(_ reader: LogReader, _ prefilter: TestPrefilter) throws {
        var (events, edges, before): ([ModelEvent], [RequestEdge], [Int]) = ([], [], [])
        var counted: [ModelEvent] = []
        report = try reader.forEachEvent(chosenBy: prefilter) {
            edges += $0
        } tallies: { tally, lines in
            for var event in tally {
                event.place.line += lines
                event.place.lineEnd += lines
                counted.append(ModelEvent(event))
            }
        } _: { event in
            events.append(ModelEvent(event))
            before.append(edges.count)
        }
        (self.events, self.edges, edgesBefore, self.counted) = (events, edges, before, counted)
    }
}
