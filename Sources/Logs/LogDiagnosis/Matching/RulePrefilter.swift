import Synchronization
import TextPatterns
import ULSLog

/// A prefilter of the events that rules may be about and of those that need an explanation.
final class RulePrefilter: EventPrefilter {
    private struct Known {
        var choices: [EventColumns: PrefilterResult] = [:]
        /// The number of each meaning; events are handed over with this number.
        var numbers: [ColumnMeaning: Int] = [:]
        var list: [(meaning: ColumnMeaning, patterns: CasePatterns)] = []
        /// Compiled patterns, by the numbers of the patterns in them.
        var patterns: [[Int]: CasePatternSet] = [:]
        /// The size of all compiled patterns together; see ``Pattern/size``.
        var compiledSize = 0
        /// Gates for rows of High and worse, and for milder ones, made when first needed.
        var gates: [Bool: MessageGate?] = [:]
        var kinds = KnownKinds()
    }

    /// The place where problems that no selector matches are counted.
    enum Counting {
        /// On the reading threads; such events are not handed over.
        case inUnits
        /// By the receiver of the events.
        case afterwards
    }

    private let selectors: CompiledSelectors
    let counting: Counting
    /// Whether units tell the problems of each request.
    private let keepsProblems: Bool
    private let known = Mutex(Known())
    /// Memories of threads that read no unit at the moment.
    private let memories = Mutex<[CaseMemory]>([])

    init(_ selectors: CompiledSelectors, counting: Counting, keepsProblems: Bool = false) {
        self.selectors = selectors
        self.counting = counting
        self.keepsProblems = keepsProblems
    }

    func choice(
        area: Span<UInt8>,
        category: Span<UInt8>,
        eventID: Span<UInt8>,
        level: Span<UInt8>
    ) -> PrefilterResult {
        let columns = EventColumns(area: area, category: category, eventID: eventID, level: level)
        // Each unit of work asks once more.
        if let choice = known.withLock({ $0.choices[columns] }) { return choice }
        let choice = choice(columns)
        known.withLock { known in
            if known.choices.count < Self.maximumKnown { known.choices[columns] = choice }
        }
        return choice
    }

    private func choice(_ columns: EventColumns) -> PrefilterResult {
        let meaning = ColumnMeaning(columns, selectors)
        if LogMarks.areMarks(eventID: columns.eventID) { return .yes(number(of: meaning)) }
        let isNeeded = meaning.problem != .never || !meaning.candidates.allSatisfy { selectors.cases[$0].isNoise }
        guard isNeeded else { return .no }
        let number = number(of: meaning)
        if number == Self.notKnown { return .yes(number) }
        let cases = meaning.candidates.map { selectors.cases[$0] }
        // Non-ASCII bytes are compared once it is known which letters they are.
        if cases.contains(where: { $0.messages.isEmpty || !$0.isASCII }) { return .yes(number) }
        switch meaning.problem {
        case .never: return .ifMessageMatches(number)
        case .byLevel: return counting == .inUnits ? .elseCounted(number) : .yes(number)
        case .byMessage: return .ifMessageMatters(number)
        }
    }

    /// Returns the number of a meaning, compiling its patterns under the lock, one meaning after the other.
    private func number(of meaning: ColumnMeaning) -> Int {
        known.withLock { known in
            if let number = known.numbers[meaning] { return number }
            guard known.list.count < Self.maximumKnown else { return Self.notKnown }
            known.list.append((meaning, patterns(of: meaning, &known)))
            known.numbers[meaning] = known.list.count - 1
            return known.list.count - 1
        }
    }

    /// Returns sets of patterns for the cases that name event IDs and for those that do not.
    ///
    /// The sets are small and few are needed, so that compiling takes little time.
    private func patterns(of meaning: ColumnMeaning, _ known: inout Known) -> CasePatterns {
        let named = numbers(of: meaning.candidates.filter { selectors.cases[$0].eventIDs != nil })
        let others = numbers(of: meaning.candidates.filter { selectors.cases[$0].eventIDs == nil })
        let all = selectors.patternsOfOthers
        // Levels and categories leave a few out here and there, which would make another set each time.
        return CasePatterns(
            named: named.isEmpty ? nil : compiled(named, &known),
            others: others.isEmpty ? nil : compiled(others.count > all.count / 2 ? all : others, &known)
        )
    }

    /// The patterns of some cases.
    private func numbers(of cases: [Int]) -> [Int] { Set(cases.flatMap { selectors.cases[$0].patterns }).sorted() }

    /// Returns patterns, compiling each set once.
    ///
    /// Many sets that differ a little would each take their time, so at a limit the set of all patterns is used
    /// instead: slower to scan, and compiled once.
    private func compiled(_ numbers: [Int], _ known: inout Known) -> CasePatternSet {
        if let patterns = known.patterns[numbers] { return patterns }
        let size = numbers.reduce(0) { $0 + selectors.patterns[$1].size }
        let all = Array(selectors.patterns.indices)
        if numbers != all, known.compiledSize + size > Self.maximumCompiledSize { return compiled(all, &known) }
        known.compiledSize += size
        let patterns = CasePatternSet(selectors, numbers)
        known.patterns[numbers] = patterns
        return patterns
    }

    /// The most that is compiled, as ``Pattern/size``, before sets are no longer told apart.
    private static let maximumCompiledSize = 2 * PatternSet.maximumSize

    /// The most columns that are remembered, and the most meanings that get a number; no farm's log has that many.
    private static let maximumKnown = 10_000
    /// The number of an event whose columns must be examined again.
    static let notKnown = -1

    func makeMatcher() -> CaseMatcher {
        let unit = ClusterUnit(known: known.withLock { $0.kinds }, keepsProblems: keepsProblems)
        return CaseMatcher(self, selectors, unit, memories.withLock { $0.popLast() } ?? CaseMemory())
    }

    /// Takes the memory of a matcher, for that of the next unit.
    fileprivate func keep(_ memory: CaseMemory) { memories.withLock { $0.append(memory) } }

    /// Returns the meaning of the columns with a number, ready to scan messages with these scanners.
    func knowledge(_ number: Int, _ scanners: MessageScanners) -> ColumnKnowledge {
        let (meaning, patterns) = known.withLock { $0.list[number] }
        return ColumnKnowledge(meaning, MessageScan(patterns, scanners), gate(of: meaning))
    }

    /// Returns the gate for messages of rows with such columns; `nil` if some case must see all of them.
    private func gate(of meaning: ColumnMeaning) -> MessageGate? {
        let cases = meaning.candidates.map { selectors.cases[$0] }
        guard cases.allSatisfy({ $0.eventIDs != nil || $0.neededTexts != nil }) else { return nil }
        let isMild = ProblemScan.isMild(meaning.rank)
        return known.withLock { known in
            if let gate = known.gates[isMild] { return gate }
            let gate = MessageGate(selectors.textsOfOthers, isMild: isMild)
            known.gates[isMild] = gate
            return gate
        }
    }

    /// Notes the kinds of unexplained events.
    func note(_ kinds: KnownKinds) { known.withLock { $0.kinds = kinds } }
}

/// The meaning of columns, for one thread.
final class ColumnKnowledge {
    let meaning: ColumnMeaning
    let scan: MessageScan
    /// What nearly all messages do not pass; `nil` if all must be looked at.
    let gate: MessageGate?
    /// Whether a message that does not pass is of no interest at all.
    fileprivate let endsAtGate: Bool
    fileprivate let needsPattern: Bool
    fileprivate let hasCandidates: Bool
    fileprivate let countsByMessage: Bool
    /// Whether only the usual sentences are signs of failure.
    let isMild: Bool
    /// Whether signs of failure matter.
    fileprivate let mayBeProblem: Bool
    /// Whether the gate passes over sentences that are signs here.
    private let needsAllSigns: Bool

    init(_ meaning: ColumnMeaning, _ scan: MessageScan, _ gate: MessageGate? = nil) {
        self.meaning = meaning
        needsPattern = meaning.needsPattern
        hasCandidates = !meaning.candidates.isEmpty
        countsByMessage = meaning.problem == .byMessage
        isMild = countsByMessage && ProblemScan.isMild(meaning.rank)
        mayBeProblem = meaning.problem != .never
        needsAllSigns = meaning.problem == .byLevel && ProblemScan.isMild(meaning.rank)
        self.scan = scan
        self.gate = gate
        endsAtGate = needsPattern && !scan.hasNamed
    }

    /// Returns what a message may be of interest for.
    fileprivate func interests(of message: Span<UInt8>) -> MessageGate.Interests {
        guard let gate else { return [.cases, .signs] }
        let found = gate.interests(of: message)
        return needsAllSigns ? found.union(.signs) : found
    }
}

/// What a message is to the rules.
private enum MessageFact: Sendable, Equatable {
    /// A case holds for it.
    case match
    /// No case holds for it, and it shows these signs of failure.
    case signs(ProblemSigns)

    static let mere = Self.signs([])
}

/// What a thread remembers from unit to unit.
struct CaseMemory: Sendable {
    /// What messages are, by their columns' number.
    fileprivate var facts = MessageMemo<MessageFact>()
    fileprivate var sketches = SketchMemo()
}

/// A matcher of messages with the cases of a prefilter, which also counts problems that match none.
struct CaseMatcher: MessageMatcher {
    private let prefilter: RulePrefilter
    private let selectors: CompiledSelectors
    private var known: [ColumnKnowledge?] = []
    private let scanners = MessageScanners()
    private let problems = ProblemScan()
    /// What the message just looked at is.
    private var found = MessageFact.mere
    private var memory: CaseMemory
    private var unexplained: ClusterUnit

    init(
        _ prefilter: RulePrefilter,
        _ selectors: CompiledSelectors,
        _ unexplained: ClusterUnit,
        _ memory: consuming CaseMemory
    ) {
        self.prefilter = prefilter
        self.selectors = selectors
        self.unexplained = unexplained
        self.memory = memory
    }

    mutating func matches(_ message: Span<UInt8>, _ number: Int) -> Bool {
        let knowledge = knowledge(number)
        // Else this is the message that was just looked at, because it may matter.
        if !knowledge.countsByMessage { look(message, number, knowledge) }
        return found == .match
    }

    mutating func matters(_ message: Span<UInt8>, _ number: Int) -> Bool {
        let knowledge = knowledge(number)
        look(message, number, knowledge)
        return switch found {
        case .match: true
        case .signs(let signs): knowledge.countsByMessage && signs.areProblem
        }
    }

    /// Finds out what a message is.
    private mutating func look(_ message: Span<UInt8>, _ number: Int, _ knowledge: ColumnKnowledge) {
        let interests = knowledge.interests(of: message)
        // Nearly all messages end here.
        found = .mere
        if interests.isEmpty, knowledge.endsAtGate { return }
        let key = memory.facts.key(of: message, UInt64(truncatingIfNeeded: number))
        if let known = memory.facts[key] {
            found = known
            return
        }
        if holdsCase(message, knowledge, isClear: !interests.contains(.cases)) {
            found = .match
        } else if knowledge.mayBeProblem, interests.contains(.signs) {
            found = .signs(problems.signs(in: message, isMild: knowledge.isMild))
        }
        memory.facts.note(found, by: key)
    }

    /// Returns whether a case holds for a message; `isClear` if no case without event IDs does.
    private func holdsCase(_ message: Span<UInt8>, _ knowledge: ColumnKnowledge, isClear: Bool) -> Bool {
        guard knowledge.hasCandidates, !isClear || !knowledge.endsAtGate else { return false }
        if !knowledge.scan.look(message, isClear: isClear), knowledge.needsPattern { return false }
        for candidate in knowledge.meaning.candidates
        where selectors.cases[candidate].holds(message: message, knowledge.scan.hits) {
            return true
        }
        return false
    }

    mutating func count(_ message: Span<UInt8>, _ number: Int, _ record: CountedRecord) -> Bool {
        guard case .signs(let signs) = found else { return false }
        let row = ProblemRow(
            eventID: record.eventID,
            rank: knowledge(number).meaning.rank,
            signs: signs,
            correlation: record.correlation,
            time: record.time,
            server: record.server,
            line: record.line
        )
        return unexplained.count(row, message, &memory.sketches)
    }

    mutating func see(_ event: consuming ULSEvent) { unexplained.see(event) }

    mutating func tally() -> ClusterUnit? {
        prefilter.keep(memory)
        memory = CaseMemory()
        return unexplained
    }

    private mutating func knowledge(_ number: Int) -> ColumnKnowledge {
        if number < known.count, let knowledge = known[number] { return knowledge }
        while known.count <= number { known.append(nil) }
        let knowledge = prefilter.knowledge(number, scanners)
        known[number] = knowledge
        return knowledge
    }
}

/// Facts that follow from an event's area, category, event ID, and level.
struct ColumnMeaning: Hashable, Sendable {
    /// The cases that the event may meet, in order.
    var candidates: [Int]
    var rank: Int
    /// What decides whether the event is a problem.
    var problem: Problem
    /// Whether any case examines the message.
    var looksAtMessage: Bool
    /// Whether every case needs a pattern in the message.
    var needsPattern: Bool

    enum Problem: Hashable, Sendable {
        /// It is noise.
        case never
        /// It is one: Monitorable or worse, or a message alone, which nobody quotes without a reason.
        case byLevel
        /// It is one if its message shows signs of failure.
        case byMessage
    }

    init(_ columns: EventColumns, _ selectors: CompiledSelectors) {
        candidates = selectors.candidates(columns)
        rank = columns.isBare ? 6 : columns.rank
        let isNoise = candidates.contains { selectors.cases[$0].makesNoise }
        problem = isNoise ? .never : rank <= 3 || columns.isBare ? .byLevel : .byMessage
        needsPattern = candidates.allSatisfy { number in
            selectors.cases[number].messages.contains { $0.needsPattern }
        }
        looksAtMessage = candidates.contains { !selectors.cases[$0].messages.isEmpty }
    }
}

/// Columns that a row shares with thousands of others, so that decisions about them are made once.
struct EventColumns: Hashable, Sendable {
    var area: [UInt8]
    var category: [UInt8]
    var eventID: [UInt8]
    var level: [UInt8]

    /// Whether the row is a bare message, whose event ID and level are unknown.
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
