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
    /// Whether somebody has chosen the rows, so that a known sentence counts in any of them.
    let isPaste: Bool
    /// Whether units tell the problems of each request.
    private let keepsProblems: Bool
    private let known = Mutex(Known())
    /// Memories of threads that read no unit at the moment.
    private let memories = Mutex<[CaseMemory]>([])

    init(_ selectors: CompiledSelectors, counting: Counting, keepsProblems: Bool = false, isPaste: Bool = false) {
        self.selectors = selectors
        self.counting = counting
        self.isPaste = isPaste
        self.keepsProblems = keepsProblems
    }

    /// In what somebody copied, a sentence that is known is a message, also without a row.
    var messageTest: (@Sendable ([UInt8]) -> Bool)? {
        guard isPaste else { return nil }
        return { text in !FailureReading(text: String(decoding: text, as: UTF8.self)).isEmpty }
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
    func keep(_ memory: CaseMemory) { memories.withLock { $0.append(memory) } }

    /// Returns the meaning of the columns with a number, ready to scan messages with these scanners.
    func knowledge(_ number: Int, _ scanners: MessageScanners) -> ColumnKnowledge {
        let (meaning, patterns) = known.withLock { $0.list[number] }
        return ColumnKnowledge(meaning, MessageScan(patterns, scanners), gate(of: meaning), isPaste: isPaste)
    }

    /// Returns the gate for messages of rows with such columns; `nil` if all of them must be seen.
    private func gate(of meaning: ColumnMeaning) -> MessageGate? {
        guard !isPaste else { return nil }
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
