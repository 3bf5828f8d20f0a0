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
        /// Kinds of unexplained events of which earlier units have an example.
        var kinds: Set<UInt64> = []
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
        return CaseMatcher(self, selectors, unit)
    }

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

    /// Notes the kinds of unexplained events that have an example.
    func note(_ kinds: Set<UInt64>) { known.withLock { $0.kinds = kinds } }
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

    init(_ meaning: ColumnMeaning, _ scan: MessageScan, _ gate: MessageGate? = nil) {
        self.meaning = meaning
        needsPattern = meaning.needsPattern
        hasCandidates = !meaning.candidates.isEmpty
        countsByMessage = meaning.problem == .byMessage
        isMild = countsByMessage && ProblemScan.isMild(meaning.rank)
        self.scan = scan
        self.gate = gate
        endsAtGate = needsPattern && !scan.hasNamed
    }

    /// Returns whether it is plain that no case without event IDs holds for a message.
    fileprivate func isClearOfCases(_ message: Span<UInt8>) -> Bool { !(gate?.mayMeetCase(message) ?? true) }
}

/// A matcher of messages with the cases of a prefilter, which also counts problems that match none.
struct CaseMatcher: MessageMatcher {
    private let prefilter: RulePrefilter
    private let selectors: CompiledSelectors
    private var known: [ColumnKnowledge?] = []
    private let scanners = MessageScanners()
    private let problems = ProblemScan()
    /// The signs in the message just looked at.
    private var signs: ProblemSigns?
    private var unexplained: ClusterUnit

    init(_ prefilter: RulePrefilter, _ selectors: CompiledSelectors, _ unexplained: ClusterUnit) {
        self.prefilter = prefilter
        self.selectors = selectors
        self.unexplained = unexplained
    }

    mutating func matches(_ message: Span<UInt8>, _ number: Int) -> Bool {
        let knowledge = knowledge(number)
        return matches(message, knowledge, isClear: knowledge.isClearOfCases(message))
    }

    /// Returns whether a case holds for a message; `isClear` if no case without event IDs does.
    private func matches(_ message: Span<UInt8>, _ knowledge: ColumnKnowledge, isClear: Bool) -> Bool {
        guard knowledge.hasCandidates, !isClear || !knowledge.endsAtGate else { return false }
        if !knowledge.scan.look(message, isClear: isClear), knowledge.needsPattern { return false }
        for candidate in knowledge.meaning.candidates
        where selectors.cases[candidate].holds(message: message, knowledge.scan.hits) {
            return true
        }
        return false
    }

    mutating func matters(_ message: Span<UInt8>, _ number: Int) -> Bool {
        let knowledge = knowledge(number)
        signs = nil
        let isOfInterest = knowledge.gate?.mayHold(message) ?? true
        // Nearly all messages end here.
        if !isOfInterest, knowledge.endsAtGate { return false }
        let isClear = !isOfInterest || knowledge.isClearOfCases(message)
        if matches(message, knowledge, isClear: isClear) { return true }
        guard isOfInterest, knowledge.countsByMessage else { return false }
        let found = problems.signs(in: message, isMild: knowledge.isMild)
        guard found.areProblem else { return false }
        signs = found
        return true
    }

    mutating func count(_ message: Span<UInt8>, _ number: Int, _ record: CountedRecord) -> Bool {
        let meaning = knowledge(number).meaning
        // Only for these columns have the signs of this very message been looked for.
        let known = meaning.problem == .byMessage ? signs : nil
        let row = ProblemRow(
            eventID: record.eventID,
            rank: meaning.rank,
            signs: known ?? problems.signs(in: message, isMild: false),
            correlation: record.correlation,
            time: record.time,
            server: record.server,
            line: record.line
        )
        signs = nil
        return unexplained.count(row, message)
    }

    mutating func see(_ event: consuming ULSEvent) { unexplained.see(event) }

    func tally() -> ClusterUnit? { unexplained }

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
