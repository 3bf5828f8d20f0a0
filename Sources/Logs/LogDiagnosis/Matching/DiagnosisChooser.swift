import Synchronization
import ULSLog

/// Chooses the events that rules may be about, and those that want an explanation.
final class DiagnosisChooser: EventChooser {
    private struct Known {
        /// Each meaning once; its number is what events are handed over with.
        var numbers: [ColumnMeaning: Int] = [:]
        var list: [(meaning: ColumnMeaning, patterns: MessagePatterns)] = []
    }

    private let selectors: CompiledSelectors
    private let known = Mutex(Known())

    init(_ selectors: CompiledSelectors) { self.selectors = selectors }

    func choice(
        area: Span<UInt8>,
        category: Span<UInt8>,
        eventID: Span<UInt8>,
        level: Span<UInt8>
    ) -> EventChoice {
        let columns = EventColumns(area: area, category: category, eventID: eventID, level: level)
        let meaning = ColumnMeaning(columns, selectors)
        guard meaning.isAbnormal || !meaning.candidates.isEmpty else { return .no }
        let number = known.withLock { known in
            if let number = known.numbers[meaning] { return number }
            known.list.append((meaning, MessagePatterns(selectors, cases: meaning.candidates)))
            known.numbers[meaning] = known.list.count - 1
            return known.list.count - 1
        }
        let cases = meaning.candidates.map { selectors.cases[$0] }
        // Bytes that are not ASCII are compared when it is known what letters they are.
        let isDecided = meaning.isAbnormal || cases.contains { $0.messages.isEmpty || !$0.isASCII }
        return isDecided ? .yes(number) : .ifMessageMatches(number)
    }

    func makeMatcher() -> CaseMatcher { CaseMatcher(self, selectors) }

    /// What columns mean that have a number, ready to look into messages.
    func knowledge(_ number: Int) -> ColumnKnowledge {
        let (meaning, patterns) = known.withLock { $0.list[number] }
        return ColumnKnowledge(meaning, patterns)
    }
}

/// What columns mean, for one thread.
final class ColumnKnowledge {
    let meaning: ColumnMeaning
    let scan: MessageScan

    init(_ meaning: ColumnMeaning, _ patterns: MessagePatterns) {
        self.meaning = meaning
        scan = MessageScan(patterns)
    }
}

/// Looks into messages for the cases of a chooser.
final class CaseMatcher: MessageMatcher {
    private let chooser: DiagnosisChooser
    private let selectors: CompiledSelectors
    private var known: [ColumnKnowledge?] = []

    fileprivate init(_ chooser: DiagnosisChooser, _ selectors: CompiledSelectors) {
        self.chooser = chooser
        self.selectors = selectors
    }

    func matches(_ message: Span<UInt8>, _ number: Int) -> Bool {
        let knowledge = knowledge(number)
        knowledge.scan.look(message)
        for candidate in knowledge.meaning.candidates
        where selectors.cases[candidate].holds(message: message, knowledge.scan.hits) {
            return true
        }
        return false
    }

    private func knowledge(_ number: Int) -> ColumnKnowledge {
        if number < known.count, let knowledge = known[number] { return knowledge }
        while known.count <= number { known.append(nil) }
        let knowledge = chooser.knowledge(number)
        known[number] = knowledge
        return knowledge
    }
}
