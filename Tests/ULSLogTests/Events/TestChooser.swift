import Synchronization

@testable import ULSLog

/// A chooser that draws its answers from a seed, and looks for words in messages.
struct TestChooser: EventChooser {
    var seed: UInt64 = 0
    /// Answers in place of drawn ones.
    var always: EventChoice?
    let questions = Counter()

    static let words = ["Failed", "open C:", "Failed to open", "end. {0}", "z", "nothing has this"]

    /// Counts in all threads.
    final class Counter: Sendable {
        private let value = Mutex(0)
        var count: Int { value.withLock { $0 } }
        func add() { value.withLock { $0 += 1 } }
    }

    struct Matcher: MessageMatcher {
        /// All that were counted.
        private var counted: [ULSEvent] = []

        mutating func count(_ message: Span<UInt8>, _ number: Int) -> Bool { true }
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
    ) -> EventChoice {
        questions.add()
        return choice([area.array, category.array, eventID.array, level.array])
    }

    func makeMatcher() -> Matcher { Matcher() }

    /// Whether an event of which everything is known is chosen.
    func wants(_ event: ModelEvent) -> Bool {
        switch choice([.area, .category, .eventID, .level].map { Array(event[$0].utf8) }) {
        case .no: false
        case .yes: true
        case .elseCounted: true
        case .ifMessageMatches(let number): Matcher().matches(Array(event[.message].utf8).span, number)
        }
    }

    private func choice(_ columns: [[UInt8]]) -> EventChoice {
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

/// What a reading by a chooser handed over, in its order.
struct ChosenReading {
    var events: [ModelEvent] = []
    var edges: [RequestEdge] = []
    /// Events that were counted, not handed over.
    var counted: [ModelEvent] = []
    /// How many edges had come before each event.
    var edgesBefore: [Int] = []
    var report = ReadReport()

    init(_ reader: LogReader, _ chooser: TestChooser) throws {
        var (events, edges, before): ([ModelEvent], [RequestEdge], [Int]) = ([], [], [])
        var counted: [ModelEvent] = []
        report = try reader.forEachEvent(chosenBy: chooser) {
            edges.append($0)
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
