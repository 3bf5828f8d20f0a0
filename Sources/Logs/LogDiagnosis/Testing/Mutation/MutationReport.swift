public import YAML

/// What mutating a rule showed of its tests.
public struct MutationReport: Sendable {
    /// A change of the rule that no test notices.
    public struct Survivor: Sendable, Hashable {
        /// What was changed: `check owssvr: without step lookup_failed`.
        public var change: String
        /// Where that stands in the rule's file.
        public var place: Place?
        /// Whether no test can notice it, because the verdicts come to the same in every case: write it more simply.
        public var isRedundant: Bool
    }

    /// How many mutants there are.
    public var mutants: Int
    /// How many more there would be: a rule has at most ``maximumMutants``.
    public var omitted: Int
    public var survivors: [Survivor]

    /// The most mutants of a rule that are looked at.
    public static let maximumMutants = 5000

    /// How many were noticed.
    public var killed: Int { mutants - survivors.count }
}

extension RuleTestRun {
    /// Changes one thing of the rule after the other, and looks whether some test notices.
    ///
    /// - Parameter yaml: the text of the rule, for the places of survivors.
    /// - Returns: how many mutants there are, and those that no test notices. Mutants that would be the rule itself are
    ///   left out; what can't be told from it by any test is to be written more simply.
    public func mutate(yaml: String? = nil) -> MutationReport {
        let all = RuleMutants(rule, yaml: yaml, withStrictGroups: groupsWithoutCorrelation).mutants
        let mutants = all.prefix(MutationReport.maximumMutants)
        let logic = VerdictLogic(rule)
        let survivors = mutants.filter { !notices($0.rule) }.map { mutant in
            // Verdicts can only be compared where nothing but their logic was changed.
            let isLogic = mutant.isOfLogic && logic.isEqual(to: mutant.rule.verdicts)
            return MutationReport.Survivor(change: mutant.change, place: mutant.place, isRedundant: isLogic)
        }
        return MutationReport(mutants: mutants.count, omitted: all.count - mutants.count, survivors: survivors)
    }
}
