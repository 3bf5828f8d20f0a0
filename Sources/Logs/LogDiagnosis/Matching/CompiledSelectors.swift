import TextPatterns
import YAML

/// The selectors of all rules, found by event ID first and by text then.
struct CompiledSelectors: Sendable {
    let cases: [CompiledCase]
    /// What cases look for in messages, by number.
    let patterns: [Pattern]
    /// Cases that name event IDs, by event ID in small letters.
    private let byEventID: [[UInt8]: [Int]]
    /// Cases that don't.
    private let others: [Int]

    /// - Parameters:
    ///   - rules: in the order of their numbers.
    ///   - areTrusted: whether it is known that all patterns can be compiled, which takes some time to find out.
    /// - Throws: An expression that can't be.
    init(_ rules: [Rule], areTrusted: Bool = false) throws(RuleError) {
        var table = PatternTable()
        var cases: [CompiledCase] = []
        for (number, rule) in rules.enumerated() {
            for (selector, entry) in rule.selectors.entries.enumerated() {
                for written in entry.value.cases {
                    cases.append(
                        CompiledCase(written, rule: number, selector: selector, id: rule.id, &table)
                    )
                }
            }
        }
        self.cases = cases
        patterns = table.patterns
        if !areTrusted { try table.checkPatterns() }
        var byEventID: [[UInt8]: [Int]] = [:]
        for (number, one) in cases.enumerated() {
            for id in one.eventIDs ?? [] { byEventID[id, default: []].append(number) }
        }
        self.byEventID = byEventID
        others = cases.indices.filter { cases[$0].eventIDs == nil }
    }

    /// The cases that rows with these columns may meet, in order.
    func candidates(_ columns: EventColumns) -> [Int] {
        let named = byEventID[columns.eventID.map(\.folded)] ?? []
        return (named + others).filter { cases[$0].holds(columns) }.sorted()
    }
}
