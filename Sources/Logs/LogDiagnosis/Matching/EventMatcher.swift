import TextPatterns
import ULSLog

/// Finds which selectors of which rules an event meets.
final class EventMatcher {
    private let selectors: CompiledSelectors
    /// Who has chosen the events, and knows what their columns mean; `nil` when nobody has.
    private let chooser: DiagnosisChooser?
    /// By the chooser's number.
    private var chosen: [ColumnKnowledge?] = []
    private var known: [EventColumns: ColumnKnowledge] = [:]
    /// All patterns there are, for events that nobody has chosen.
    private lazy var allPatterns = MessageScan([MessagePatterns(selectors, Array(selectors.patterns.indices))])
    /// Different columns that are remembered; beyond, all are forgotten and learnt anew.
    private static let maximumKnown = 10_000

    init(_ selectors: CompiledSelectors, _ chooser: DiagnosisChooser?) {
        self.selectors = selectors
        self.chooser = chooser
    }

    /// The selectors an event meets, and whether it is a problem that wants an explanation.
    func matches(_ event: borrowing ULSEvent) -> (matches: [RuleMatch], rank: Int, isAbnormal: Bool) {
        let knowledge = knowledge(of: event)
        let meaning = knowledge.meaning
        guard !meaning.candidates.isEmpty else { return ([], meaning.rank, meaning.isAbnormal) }
        if meaning.looksAtMessage, !knowledge.scan.look(event[.message]), meaning.needsPattern {
            return ([], meaning.rank, meaning.isAbnormal)
        }
        var matches: [RuleMatch] = []
        for number in meaning.candidates
        where selectors.cases[number].holds(message: event[.message], knowledge.scan.hits) {
            let candidate = selectors.cases[number]
            guard candidate.holdsOtherwise(event) else { continue }
            if matches.last?.rule != candidate.rule { matches.append(RuleMatch(rule: candidate.rule)) }
            matches[matches.count - 1].add(candidate, event)
        }
        return (matches, meaning.rank, meaning.isAbnormal)
    }

    private func knowledge(of event: borrowing ULSEvent) -> ColumnKnowledge {
        guard let chooser, let number = event.choice, number != DiagnosisChooser.notKnown else {
            return knowledgeOfColumns(event)
        }
        if number < chosen.count, let known = chosen[number] { return known }
        while chosen.count <= number { chosen.append(nil) }
        let knowledge = chooser.knowledge(number)
        chosen[number] = knowledge
        return knowledge
    }

    private func knowledgeOfColumns(_ event: borrowing ULSEvent) -> ColumnKnowledge {
        let columns = EventColumns(event)
        if let knowledge = known[columns] { return knowledge }
        if known.count >= Self.maximumKnown { known.removeAll() }
        let knowledge = ColumnKnowledge(ColumnMeaning(columns, selectors), allPatterns)
        known[columns] = knowledge
        return knowledge
    }
}
