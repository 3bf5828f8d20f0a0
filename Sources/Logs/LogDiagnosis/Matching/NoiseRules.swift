public import ULSLog

/// The rules that say which rows mean nothing by themselves, for looking at one row after the other.
public final class NoiseRules {
    private let rules: [Rule]
    private let matcher: EventMatcher

    /// Creates a matcher; of the rules, only those about noise matter.
    ///
    /// - Throws: ``RuleError`` if a rule cannot be used.
    public init(_ library: RuleLibrary) throws(RuleError) {
        let noise = try RuleLibrary.ruleSet(library.entries.filter { $0.rule.kind == .noise })
        rules = noise.rules
        matcher = EventMatcher(noise.selectors, nil)
    }

    /// Returns the rule by which a row is noise; `nil` if none says so.
    public func rule(for event: borrowing ULSEvent) -> Rule? {
        matcher.matches(event).matches.first.map { rules[$0.rule] }
    }
}
