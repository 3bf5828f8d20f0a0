import Synchronization
import ULSLog

/// Chooses the events that rules may be about, and sees to those that want an explanation.
final class DiagnosisChooser: EventChooser {
    private struct Known {
        /// What was made of each meaning, and of the event ID of an abnormal one; its number is what events are handed
        /// over with.
        fileprivate var numbers: [Key: Int] = [:]
        fileprivate var list: [(key: Key, patterns: [MessagePatterns])] = []
        /// By the numbers of their patterns.
        fileprivate var patterns: [[Int]: MessagePatterns] = [:]
        /// Kinds of unexplained events that units before have an example of.
        var kinds: Set<UInt64> = []
    }

    private struct Key: Hashable {
        fileprivate var meaning: ColumnMeaning
        var eventID: [UInt8]
    }

    /// Who counts abnormal events that no selector means.
    enum Counting {
        /// The threads that read; such events are not handed over.
        case inUnits
        /// Whoever they are handed over to.
        case afterwards
    }

    private let selectors: CompiledSelectors
    let counting: Counting
    private let known = Mutex(Known())

    init(_ selectors: CompiledSelectors, counting: Counting) {
        self.selectors = selectors
        self.counting = counting
    }

    func choice(
        area: Span<UInt8>,
        category: Span<UInt8>,
        eventID: Span<UInt8>,
        level: Span<UInt8>
    ) -> EventChoice {
        let columns = EventColumns(area: area, category: category, eventID: eventID, level: level)
        let meaning = ColumnMeaning(columns, selectors)
        guard meaning.isAbnormal || !meaning.candidates.isEmpty else { return .no }
        let key = Key(meaning: meaning, eventID: meaning.isAbnormal ? columns.eventID : [])
        let number = number(of: key)
        if number == Self.notKnown { return .yes(number) }
        let cases = meaning.candidates.map { selectors.cases[$0] }
        // Bytes that are not ASCII are compared when it is known what letters they are.
        if cases.contains(where: { $0.messages.isEmpty || !$0.isASCII }) { return .yes(number) }
        guard meaning.isAbnormal else { return .ifMessageMatches(number) }
        return counting == .inUnits ? .elseCounted(number) : .yes(number)
    }

    /// The number of a meaning, with its patterns compiled: under the lock, one after the other.
    private func number(of key: Key) -> Int {
        known.withLock { known in
            if let number = known.numbers[key] { return number }
            guard known.list.count < Self.maximumKnown else { return Self.notKnown }
            known.list.append((key, patterns(of: key.meaning, &known)))
            known.numbers[key] = known.list.count - 1
            return known.list.count - 1
        }
    }

    /// Sets of patterns for the cases that name event IDs and for those that do not: small ones, of which few are
    /// needed, so that little time goes into compiling.
    private func patterns(of meaning: ColumnMeaning, _ known: inout Known) -> [MessagePatterns] {
        let named = meaning.candidates.filter { selectors.cases[$0].eventIDs != nil }
        let others = meaning.candidates.filter { selectors.cases[$0].eventIDs == nil }
        return [named, others].compactMap { cases in
            let numbers = Set(cases.flatMap { selectors.cases[$0].patterns }).sorted()
            if numbers.isEmpty { return nil }
            if let patterns = known.patterns[numbers] { return patterns }
            let patterns = MessagePatterns(selectors, numbers)
            known.patterns[numbers] = patterns
            return patterns
        }
    }

    /// Meanings that get a number; no log of a farm has so many.
    private static let maximumKnown = 10_000
    /// The number of an event whose columns must be asked again.
    static let notKnown = -1

    func makeMatcher() -> CaseMatcher { CaseMatcher(self, selectors, kinds: known.withLock { $0.kinds }) }

    /// What columns mean that have a number, ready to look into messages.
    func knowledge(_ number: Int) -> ColumnKnowledge {
        let (key, patterns) = known.withLock { $0.list[number] }
        return ColumnKnowledge(key.meaning, eventID: key.eventID, patterns)
    }

    /// Says of which kinds of unexplained events there are examples.
    func note(_ kinds: Set<UInt64>) { known.withLock { $0.kinds = kinds } }
}

/// What columns mean, for one thread.
final class ColumnKnowledge {
    let meaning: ColumnMeaning
    /// Of an abnormal event.
    let eventID: [UInt8]
    let scan: MessageScan
    fileprivate let needsPattern: Bool

    convenience init(_ meaning: ColumnMeaning, eventID: [UInt8], _ patterns: [MessagePatterns]) {
        self.init(meaning, eventID: eventID, MessageScan(patterns))
    }

    init(_ meaning: ColumnMeaning, eventID: [UInt8] = [], _ scan: MessageScan) {
        self.meaning = meaning
        needsPattern = meaning.needsPattern
        self.eventID = eventID
        self.scan = scan
    }
}

/// Looks into messages for the cases of a chooser, and counts the abnormal ones that are none.
final class CaseMatcher: MessageMatcher {
    private let chooser: DiagnosisChooser
    private let selectors: CompiledSelectors
    private var known: [ColumnKnowledge?] = []
    private var unexplained: UnexplainedUnit

    init(_ chooser: DiagnosisChooser, _ selectors: CompiledSelectors, kinds: Set<UInt64>) {
        self.chooser = chooser
        self.selectors = selectors
        unexplained = UnexplainedUnit(known: kinds)
    }

    func matches(_ message: Span<UInt8>, _ number: Int) -> Bool {
        let knowledge = knowledge(number)
        guard !knowledge.meaning.candidates.isEmpty else { return false }
        // So it is with nearly all.
        if !knowledge.scan.look(message), knowledge.needsPattern { return false }
        for candidate in knowledge.meaning.candidates
        where selectors.cases[candidate].holds(message: message, knowledge.scan.hits) {
            return true
        }
        return false
    }

    func count(_ message: Span<UInt8>, _ number: Int) -> Bool {
        let knowledge = knowledge(number)
        return unexplained.count(
            eventID: knowledge.eventID,
            message: message,
            rank: knowledge.meaning.rank
        )
    }

    func see(_ event: consuming ULSEvent) { unexplained.see(event) }

    func tally() -> UnexplainedUnit? { unexplained }

    private func knowledge(_ number: Int) -> ColumnKnowledge {
        if number < known.count, let knowledge = known[number] { return knowledge }
        while known.count <= number { known.append(nil) }
        let knowledge = chooser.knowledge(number)
        known[number] = knowledge
        return knowledge
    }
}

/// What follows from area, category, event ID and level of an event.
struct ColumnMeaning: Hashable, Sendable {
    /// The cases that it may meet, in order.
    var candidates: [Int]
    var rank: Int
    /// Whether it is a problem that wants an explanation: Monitorable or worse, and no noise.
    var isAbnormal: Bool
    /// Whether some case looks at the message.
    var looksAtMessage: Bool
    /// Whether each case needs a pattern in the message.
    var needsPattern: Bool

    init(_ columns: EventColumns, _ selectors: CompiledSelectors) {
        candidates = selectors.candidates(columns)
        rank = columns.isBare ? 6 : columns.rank
        isAbnormal = rank <= 3 && !Noise.contains(eventID: columns.eventID)
        needsPattern = candidates.allSatisfy { number in
            selectors.cases[number].messages.contains { !$0.patterns.isEmpty }
        }
        looksAtMessage = candidates.contains { !selectors.cases[$0].messages.isEmpty }
    }
}

/// The columns that rows share with thousands of others: what is decided for them is decided once.
struct EventColumns: Hashable, Sendable {
    var area: [UInt8]
    var category: [UInt8]
    var eventID: [UInt8]
    var level: [UInt8]

    /// Whether it is a bare message, of which nobody knows event ID and level.
    var isBare: Bool { eventID.isEmpty && level.isEmpty }

    var rank: Int { ULSLevel(level.span.text).rank }

    init(area: Span<UInt8>, category: Span<UInt8>, eventID: Span<UInt8>, level: Span<UInt8>) {
        self.area = area.array
        self.category = category.array
        self.eventID = eventID.array
        self.level = level.array
    }

    init(_ event: borrowing ULSEvent) {
        self.init(
            area: event[.area],
            category: event[.category],
            eventID: event[.eventID],
            level: event[.level]
        )
    }
}
