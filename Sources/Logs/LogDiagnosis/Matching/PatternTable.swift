import TextPatterns
import YAML

/// All texts and expressions that rules look for in messages, each once.
struct PatternTable {
    private(set) var patterns: [Pattern] = []
    private var numbers: [Pattern: Int] = [:]
    /// Where a pattern was written first, for errors.
    private(set) var origins: [(rule: RuleID, place: Place)] = []

    /// The number of a pattern.
    mutating func number(of pattern: Pattern, rule: RuleID, place: Place) -> Int {
        if let known = numbers[pattern] { return known }
        numbers[pattern] = patterns.count
        patterns.append(pattern)
        origins.append((rule, place))
        return patterns.count - 1
    }
}

/// Which patterns stand in the message at hand.
struct PatternHits {
    /// For each pattern, the number of the last message it was in.
    private var seen: [UInt64]
    private var message: UInt64 = 0

    init(count: Int) { seen = Array(repeating: 0, count: count) }

    mutating func begin() { message += 1 }
    mutating func add(_ pattern: Int) { seen[pattern] = message }
    func contains(_ pattern: Int) -> Bool { seen[pattern] == message }
}
