import ULSLog

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
