import TextPatterns
import YAML

/// All texts and expressions that rules look for in messages, each once.
struct PatternTable {
    private(set) var patterns: [Pattern] = []
    private var numbers: [Pattern: Int] = [:]
    /// Where a pattern was written first, for errors.
    private var origins: [(rule: RuleID, place: Place)] = []

    /// The number of a pattern.
    mutating func number(of pattern: Pattern, rule: RuleID, place: Place) -> Int {
        if let known = numbers[pattern] { return known }
        numbers[pattern] = patterns.count
        patterns.append(pattern)
        origins.append((rule, place))
        return patterns.count - 1
    }

    /// Refuses patterns that can't be compiled.
    func checkPatterns() throws(RuleError) {
        do throws(PatternError) {
            _ = try PatternSet(patterns)
        } catch {
            let origin = error.pattern.map { origins[$0] }
            throw RuleError(
                file: origin.map { "\($0.rule).yaml" } ?? "rules",
                place: origin?.place,
                message: error.message
            )
        }
    }
}
