import Synchronization
import ULSLog

/// Chooses the events that rules may be about, and those that want an explanation.
final class DiagnosisChooser: EventChooser {
    private let selectors: CompiledSelectors
    /// Lists of cases between which only messages decide, each once.
    private let lists = Mutex<(numbers: [[Int]: Int], cases: [[Int]])>(([:], []))

    init(_ selectors: CompiledSelectors) { self.selectors = selectors }

    func choice(
        area: Span<UInt8>,
        category: Span<UInt8>,
        eventID: Span<UInt8>,
        level: Span<UInt8>
    ) -> EventChoice {
        let columns = EventColumns(area: area, category: category, eventID: eventID, level: level)
        if !columns.isBare, columns.rank <= 3, !Noise.contains(eventID: columns.eventID) { return .yes }
        let candidates = selectors.candidates(columns)
        guard !candidates.isEmpty else { return .no }
        let cases = candidates.map { selectors.cases[$0] }
        // Bytes that are not ASCII are compared when it is known what letters they are.
        if cases.contains(where: { $0.messages.isEmpty || !$0.isASCII }) { return .yes }
        let number = lists.withLock { lists in
            if let known = lists.numbers[candidates] { return known }
            lists.cases.append(candidates)
            lists.numbers[candidates] = lists.cases.count - 1
            return lists.cases.count - 1
        }
        return .ifMessageMatches(number)
    }

    func makeMatcher() -> CaseMatcher { CaseMatcher(self, selectors) }

    /// The cases behind a number.
    fileprivate func cases(_ number: Int) -> [Int] { lists.withLock { $0.cases[number] } }
}

/// Looks into messages for the cases of a chooser.
final class CaseMatcher: MessageMatcher {
    private let chooser: DiagnosisChooser
    private let selectors: CompiledSelectors
    private let scan: MessageScan
    private var cases: [Int: [Int]] = [:]

    fileprivate init(_ chooser: DiagnosisChooser, _ selectors: CompiledSelectors) {
        self.chooser = chooser
        self.selectors = selectors
        scan = MessageScan(selectors)
    }

    func matches(_ message: Span<UInt8>, _ number: Int) -> Bool {
        let candidates = cases[number] ?? chooser.cases(number)
        cases[number] = candidates
        scan.look(message)
        for candidate in candidates where selectors.cases[candidate].holds(message: message, scan.hits) { return true }
        return false
    }
}
