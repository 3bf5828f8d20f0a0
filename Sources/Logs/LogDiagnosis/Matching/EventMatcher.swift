import TextPatterns
import ULSLog

/// A matcher of events with the selectors of all rules.
final class EventMatcher {
    private let selectors: CompiledSelectors
    /// The prefilter of the events, which knows what their columns mean; `nil` if there is none.
    private let prefilter: RulePrefilter?
    /// Knowledge about columns, by the prefilter's number.
    private var chosen: [ColumnKnowledge?] = []
    private var known: [EventColumns: ColumnKnowledge] = [:]
    private let scanners = MessageScanners()
    /// A scan for all patterns, for events without a number from a prefilter.
    private lazy var allPatterns = MessageScan(CasePatterns(others: CasePatternSet(selectors)), scanners)
    private let problems = ProblemScan()
    /// The signs in messages that no case holds for, by the prefilter's number.
    private var unmatched = MessageMemo<ProblemSigns>()
    /// The most distinct columns that are remembered; beyond that, all are forgotten and learned again.
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
        let key = number.map { unmatched.key(of: event[.message], $0) }
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

/// What an event means to the rules.
struct MatchResult {
    var matches: [RuleMatch] = []
    var rank: Int
    /// Whether its level is Monitorable or worse, and it is not noise.
    var isAbnormal: Bool
    /// The signs of failure in it; `nil` if it is no problem.
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

    /// Adds a case that the event meets.
    mutating func add(_ met: CompiledCase, _ event: borrowing ULSEvent) {
        selectors |= 1 << UInt64(met.selector)
        for template in met.captures {
            guard let found = template.captures(in: event[.message]) else { continue }
            for name in template.names where !captures.contains(where: { $0.name == name }) {
                if let value = found[name] { captures.append(Capture(name: name, value: value)) }
            }
        }
    }
}
