import FailureExplanation
import Synchronization
import TextPatterns
public import ULSLog

/// A prefilter that selects the events that may be relevant to rules, or that need an explanation.
final class RulePrefilter: EventPrefilter {
    private struct Known {
        var choices: [EventColumns: PrefilterResult] = [:]
        /// The number of each meaning; events are delivered with this number.
        var numbers: [ColumnMeaning: Int] = [:]
        var list: [(meaning: ColumnMeaning, patterns: CasePatterns)] = []
        /// The compiled sets of patterns, by the numbers of their patterns.
        var patterns: [[Int]: CasePatternSet] = [:]
        /// The size of all compiled patterns together; see ``Pattern/size``.
        var compiledSize = 0
        /// The gates for rows at High or worse and for milder rows, created when first needed.
        var gates: [Bool: MessageGate?] = [:]
        var kinds = KnownKinds()
    }

    /// The place where problems that no selector matches are counted.
    enum Counting {
        /// On the reading threads; these events are not delivered.
        case inUnits
        /// By the receiver of the events.
        case afterwards
    }

    private let selectors: CompiledSelectors
    let counting: Counting
    /// Whether the rows were chosen by a person, so that a known sentence counts in any of them.
    let isPaste: Bool
    /// Whether units report the problems of each request.
    private let keepsProblems: Bool
    private let known = Mutex(Known())
    /// The memories of threads that are not currently reading a unit.
    private let memories = Mutex<[CaseMemory]>([])

    init(_ selectors: CompiledSelectors, counting: Counting, keepsProblems: Bool = false, isPaste: Bool = false) {
        self.selectors = selectors
        self.counting = counting
        self.isPaste = isPaste
        self.keepsProblems = keepsProblems
    }

    /// In copied text, a paragraph that reports a failure or names an actor is a message, even without a row.
    var messageTest: (@Sendable ([UInt8]) -> Bool)? {
        guard isPaste else { return nil }
        return { text in Explanation(of: String(decoding: text, as: UTF8.self)).isReport }
    }

    func choice(
        area: Span<UInt8>,
        category: Span<UInt8>,
        eventID: Span<UInt8>,
        level: Span<UInt8>
    ) -> PrefilterResult {
        let columns = EventColumns(area: area, category: category, eventID: eventID, level: level)
        // Each unit of work determines the choice again.
        if let choice = known.withLock({ $0.choices[columns] }) { return choice }
        let choice = choice(columns)
        known.withLock { known in
            if known.choices.count < Self.maximumKnown { known.choices[columns] = choice }
        }
        return choice
    }

    private func choice(_ columns: EventColumns) -> PrefilterResult {
        let meaning = ColumnMeaning(columns, selectors)
        if LogMarks.areMarks(eventID: columns.eventID.span) { return .yes(number(of: meaning)) }
        let isNeeded = meaning.problem != .never || !meaning.candidates.allSatisfy { selectors.cases[$0].isNoise }
        guard isNeeded else { return .no }
        let number = number(of: meaning)
        if number == Self.notKnown { return .yes(number) }
        let cases = meaning.candidates.map { selectors.cases[$0] }
        // Non-ASCII bytes are compared later, once they have been decoded.
        if cases.contains(where: { $0.messages.isEmpty || !$0.isASCII }) { return .yes(number) }
        switch meaning.problem {
        case .never: return .ifMessageMatches(number)
        case .byLevel: return counting == .inUnits ? .elseCounted(number) : .yes(number)
        case .byMessage: return .ifMessageMatters(number)
        }
    }

    /// Returns the number of a meaning, compiling its patterns under the lock, so that meanings are compiled one at a
    /// time.
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
    /// The sets are small and few are needed, so compiling takes little time.
    private func patterns(of meaning: ColumnMeaning, _ known: inout Known) -> CasePatterns {
        let named = numbers(of: meaning.candidates.filter { selectors.cases[$0].eventIDs != nil })
        let others = numbers(of: meaning.candidates.filter { selectors.cases[$0].eventIDs == nil })
        let all = selectors.patternsOfOthers
        // Levels and categories exclude only a few cases, and taking them into account would result in a different set
        // each time.
        return CasePatterns(
            named: named.isEmpty ? nil : compiled(named, &known),
            others: others.isEmpty ? nil : compiled(others.count > all.count / 2 ? all : others, &known)
        )
    }

    /// Returns the patterns of some cases.
    private func numbers(of cases: [Int]) -> [Int] { Set(cases.flatMap { selectors.cases[$0].patterns }).sorted() }

    /// Returns patterns, compiling each set once.
    ///
    /// Compiling many slightly different sets would take too long, so beyond a limit the set of all patterns is used
    /// instead, which is slower to scan but is compiled only once.
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

    /// The maximum amount to compile, as ``Pattern/size``, before the set of all patterns is used.
    private static let maximumCompiledSize = 2 * PatternSet.maximumSize

    /// The maximum number of combinations of columns that are remembered, and of meanings that get a number; no farm's
    /// log reaches it.
    private static let maximumKnown = 10_000
    /// The number of an event whose columns must be examined again.
    static let notKnown = -1

    func makeMatcher() -> CaseMatcher {
        let unit = ClusterUnit(known: known.withLock { $0.kinds }, keepsProblems: keepsProblems)
        return CaseMatcher(self, selectors, unit, memories.withLock { $0.popLast() } ?? CaseMemory())
    }

    /// Keeps the memory of a matcher for reuse by the next unit's matcher.
    func keep(_ memory: CaseMemory) { memories.withLock { $0.append(memory) } }

    /// Returns the meaning of the columns with a number, ready to scan messages with these scanners.
    func knowledge(_ number: Int, _ scanners: MessageScanners) -> ColumnKnowledge {
        let (meaning, patterns) = known.withLock { $0.list[number] }
        return ColumnKnowledge(meaning, MessageScan(patterns, scanners), gate(of: meaning), isPaste: isPaste)
    }

    /// Returns the gate for messages in rows with these columns; `nil` if all messages must be examined.
    private func gate(of meaning: ColumnMeaning) -> MessageGate? {
        guard !isPaste else { return nil }
        let cases = meaning.candidates.map { selectors.cases[$0] }
        guard cases.allSatisfy({ $0.eventIDs != nil || $0.neededTexts != nil }) else { return nil }
        let isMild = ProblemScan.isMild(meaning.rank)
        return known.withLock { known in
            if let gate = known.gates[isMild] { return gate }
            let gate = MessageGate.with(selectors.textsOfOthers, isMild: isMild)
            known.gates[isMild] = gate
            return gate
        }
    }

    /// Records the kinds of unexplained events.
    func note(_ kinds: KnownKinds) { known.withLock { $0.kinds = kinds } }
}

/// The relevance of a message to the rules.
private enum MessageFact: Sendable, Equatable {
    /// A case holds for the message.
    case match
    /// No case holds for the message, but it shows these signs of failure.
    case signs(ProblemSigns)

    static let mere = Self.signs([])

    private static let matchByte = UInt8.max

    var byte: UInt8 {
        switch self {
        case .match: Self.matchByte
        case .signs(let signs): signs.rawValue
        }
    }

    init(byte: UInt8) { self = byte == Self.matchByte ? .match : .signs(ProblemSigns(rawValue: byte)) }
}

/// State that a thread keeps from unit to unit.
///
/// The scanners are not `Sendable`, but only one thread at a time has them: a matcher gives them up at its end, and the
/// prefilter passes them to one later matcher, under its lock.
struct CaseMemory: @unchecked Sendable {
    /// The relevance of messages, by the number of their columns.
    fileprivate var facts = ByteMemo()
    fileprivate var sketches = SketchMemo()
    fileprivate var known: [ColumnKnowledge?] = []
    fileprivate var passages: [Passage?] = []
    fileprivate var mildGate: MessageGate?
    fileprivate var severeGate: MessageGate?
    fileprivate let scanners = MessageScanners()
    fileprivate let problems = ProblemScan()
}

/// A matcher of messages against the cases of a prefilter, which also counts problems that match no case.
struct CaseMatcher: MessageMatcher {
    private let prefilter: RulePrefilter
    private let selectors: CompiledSelectors
    /// The hash and the relevance of the last message that was examined.
    private var hash: UInt64 = 0
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
        let passage = passage(number)
        // Otherwise, ``matters(_:_:)`` has just examined this message.
        if !passage.countsByMessage { look(message, number, passage) }
        return found == .match
    }

    mutating func matters(_ message: Span<UInt8>, _ number: Int) -> Bool {
        let passage = passage(number)
        look(message, number, passage)
        return switch found {
        case .match: true
        case .signs(let signs): passage.countsByMessage && signs.areProblem
        }
    }

    /// Determines the relevance of a message.
    private mutating func look(_ message: Span<UInt8>, _ number: Int, _ passage: Passage) {
        hash = memory.sketches.hash(of: message)
        // Many messages are repeated, and looking one up takes a fraction of the time that the gate takes. The end of a
        // scope states its duration, so it is not repeated.
        let isKept = !message.hasText("Leaving Monitored", at: 0)
        let key = memory.sketches.key(hash, UInt64(truncatingIfNeeded: number))
        if isKept, let known = memory.facts[key] {
            found = MessageFact(byte: known)
            return
        }
        let interests = interests(of: message, passage)
        found = .mere
        if !interests.isEmpty || !passage.isEnd { lookClosely(message, number, interests) }
        if isKept { memory.facts.note(found.byte, by: key) }
    }

    /// Returns the reasons why a message may be of interest.
    private func interests(of message: Span<UInt8>, _ passage: Passage) -> MessageGate.Interests {
        let found =
            switch passage.gate {
            case .open: nil as MessageGate.Interests?
            case .mild: memory.mildGate?.interests(of: message)
            case .severe: memory.severeGate?.interests(of: message)
            }
        return passage.needsAllSigns ? found?.union(.signs) ?? .all : found ?? .all
    }

    // This is separate from the first check, which is made for each row.
    @inline(never)
    private mutating func lookClosely(_ message: Span<UInt8>, _ number: Int, _ interests: MessageGate.Interests) {
        let knowledge = knowledge(number)
        if holdsCase(message, knowledge, isClear: !interests.contains(.cases)) {
            found = .match
        } else if knowledge.mayBeProblem, interests.contains(.signs) {
            found = .signs(memory.problems.signs(in: message, isMild: knowledge.isMild))
        }
    }

    /// Returns whether a case holds for a message; `isClear` means that no case without event IDs does.
    private func holdsCase(_ message: Span<UInt8>, _ knowledge: ColumnKnowledge, isClear: Bool) -> Bool {
        guard knowledge.hasCandidates, !isClear || !knowledge.passage.isEnd else { return false }
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
        return unexplained.count(row, message, hash, &memory.sketches)
    }

    mutating func see(_ event: consuming ULSEvent) { unexplained.see(event) }

    mutating func tally() -> ClusterUnit? {
        prefilter.keep(memory)
        memory = CaseMemory()
        return unexplained
    }

    private mutating func passage(_ number: Int) -> Passage {
        if number < memory.passages.count, let passage = memory.passages[number] { return passage }
        return knowledge(number).passage
    }

    @inline(never)
    private mutating func knowledge(_ number: Int) -> ColumnKnowledge {
        if number < memory.known.count, let knowledge = memory.known[number] { return knowledge }
        while memory.known.count <= number {
            memory.known.append(nil)
            memory.passages.append(nil)
        }
        let knowledge = prefilter.knowledge(number, memory.scanners)
        memory.known[number] = knowledge
        memory.passages[number] = knowledge.passage
        switch knowledge.passage.gate {
        case .open: break
        case .mild: memory.mildGate = knowledge.gate
        case .severe: memory.severeGate = knowledge.gate
        }
        return knowledge
    }
}

/// A matcher of events against the selectors of all rules.
final class EventMatcher {
    private let selectors: CompiledSelectors
    /// The prefilter of the events, which provides the meanings of their columns; `nil` if there is none.
    private let prefilter: RulePrefilter?
    /// The facts about columns, by the prefilter's number.
    private var chosen: [ColumnKnowledge?] = []
    private var known: [EventColumns: ColumnKnowledge] = [:]
    private let scanners = MessageScanners()
    /// A scan for all patterns, for events without a number from a prefilter.
    private lazy var allPatterns = MessageScan(CasePatterns(others: CasePatternSet(selectors)), scanners)
    private let problems = ProblemScan()
    /// The signs in messages that no case holds for, by the prefilter's number.
    private var unmatched = MessageMemo<ProblemSigns>()
    /// The maximum number of distinct columns that are remembered; when it is exceeded, all are discarded and
    /// determined again.
    private static let maximumKnown = 10_000

    init(_ selectors: CompiledSelectors, _ prefilter: RulePrefilter?) {
        self.selectors = selectors
        self.prefilter = prefilter
    }

    /// Returns the selectors that an event meets.
    func matches(_ event: borrowing ULSEvent) -> MatchResult {
        let knowledge = knowledge(of: event)
        let meaning = knowledge.meaning
        var result = MatchResult(rank: meaning.rank, isAbnormal: meaning.problem == .byLevel && meaning.rank <= 3)
        let number = event.choice.flatMap { $0 == RulePrefilter.notKnown ? nil : UInt64($0) }
        let key = number.map { unmatched.key(unmatched.hash(of: event[.message]), $0) }
        let known = key.flatMap { unmatched[$0] }
        let signs = known ?? signs(in: event[.message], knowledge)
        if meaning.problem == .byLevel || signs.areProblem, meaning.problem != .never { result.problem = signs }
        guard known == nil, !meaning.candidates.isEmpty else { return result }
        if meaning.looksAtMessage, !knowledge.scan.look(event[.message]), meaning.needsPattern {
            if let key { unmatched.note(signs, by: key) }
            return result
        }
        for number in meaning.candidates
        where selectors.cases[number].holds(message: event[.message], knowledge.scan.hits) {
            let candidate = selectors.cases[number]
            guard candidate.holdsOtherwise(event) else { continue }
            if result.matches.last?.rule != candidate.rule { result.matches.append(RuleMatch(rule: candidate.rule)) }
            result.matches[result.matches.count - 1].add(candidate, event)
        }
        return result
    }

    private func signs(in message: Span<UInt8>, _ knowledge: ColumnKnowledge) -> ProblemSigns {
        knowledge.meaning.problem == .never ? [] : problems.signs(in: message, isMild: knowledge.isMild)
    }

    private func knowledge(of event: borrowing ULSEvent) -> ColumnKnowledge {
        guard let prefilter, let number = event.choice, number != RulePrefilter.notKnown else {
            return knowledgeOfColumns(event)
        }
        if number < chosen.count, let known = chosen[number] { return known }
        while chosen.count <= number { chosen.append(nil) }
        let knowledge = prefilter.knowledge(number, scanners)
        chosen[number] = knowledge
        return knowledge
    }

    private func knowledgeOfColumns(_ event: borrowing ULSEvent) -> ColumnKnowledge {
        let columns = EventColumns(event)
        if let knowledge = known[columns] { return knowledge }
        if known.count >= Self.maximumKnown { known.removeAll() }
        let meaning = ColumnMeaning(columns, selectors)
        let knowledge = ColumnKnowledge(meaning, allPatterns, isPaste: prefilter?.isPaste ?? false)
        known[columns] = knowledge
        return knowledge
    }
}

/// The relevance of an event to the rules.
struct MatchResult {
    var matches: [RuleMatch] = []
    var rank: Int
    /// Whether the event's level is Monitorable or worse and it is not noise.
    var isAbnormal: Bool
    /// The signs of failure in the event; `nil` if it is not a problem.
    var problem: ProblemSigns?

    init(rank: Int, isAbnormal: Bool) {
        self.rank = rank
        self.isAbnormal = isAbnormal
    }
}

/// The selectors of one rule that an event meets.
struct RuleMatch {
    let rule: Int
    /// A bit for each selector.
    private(set) var selectors: UInt64 = 0
    /// The first value captured for each name.
    private(set) var captures: [Capture] = []

    init(rule: Int) { self.rule = rule }

    /// Adds a case that the event meets; a form without a name ends its captures.
    mutating func add(_ met: CompiledCase, _ event: borrowing ULSEvent) {
        selectors |= 1 << UInt64(met.selector)
        for template in met.captures {
            guard let found = template.captures(in: event[.message]) else { continue }
            if found.isEmpty { break }
            for name in template.names where !captures.contains(where: { $0.name == name }) {
                if let value = found[name] { captures.append(Capture(name: name, value: value)) }
            }
        }
    }
}

/// The rules that define noise, or other chosen rules, for examining rows one by one.
public final class RowRules {
    private let rules: [Rule]
    private let matcher: EventMatcher

    /// Creates a matcher; only the rules for which `isUsed` returns true are used, which by default are those about noise.
    ///
    /// - Throws: ``RuleError`` if a rule cannot be used.
    public init(_ library: RuleLibrary, where isUsed: (Rule) -> Bool = { $0.kind == .noise }) throws(RuleError) {
        let used = try RuleLibrary.ruleSet(library.entries.filter { isUsed($0.rule) })
        rules = used.rules
        matcher = EventMatcher(used.selectors, nil)
    }

    /// Returns the first rule that matches a row; `nil` if there is none.
    public func rule(for event: borrowing ULSEvent) -> Rule? {
        matcher.matches(event).matches.first.map { rules[$0.rule] }
    }
}
