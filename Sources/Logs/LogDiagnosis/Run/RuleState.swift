import YAML

/// The checks of a rule on logs while events come, for one value of its `per` captures.
struct RuleState {
    /// In the order of the rule; those on configuration and quality need no events.
    ///
    /// An array, because a state that is looked at twice would be copied with each event.
    private var checks: [(name: String, state: any CheckState)] = []

    /// The state of a check.
    subscript(name: String) -> (any CheckState)? { checks.first { $0.name == name }?.state }

    init(_ rule: Rule) {
        let names = rule.selectors.keys
        let number = { (name: Located<String>) in names.firstIndex(of: name.value) ?? 0 }
        for entry in rule.checks.entries {
            switch entry.value.kind {
            case .count(let count): checks.append((entry.key.value, CountState(count, selector: number(count.of))))
            case .sequence(let sequence):
                let state = SequenceState(
                    sequence,
                    steps: sequence.steps.map(number),
                    breakers: sequence.notBetween?.values.map(number) ?? []
                )
                checks.append((entry.key.value, state))
            case .absence(let absence):
                let state = AbsenceState(
                    absence,
                    after: number(absence.after),
                    expected: number(absence.expect)
                )
                checks.append((entry.key.value, state))
            case .config, .differs, .quality: continue
            }
        }
    }

    mutating func take(_ match: borrowing MatchedEvent) {
        for index in 0..<checks.count { checks[index].state.take(match) }
    }

    /// How often limits were reached.
    var reached: [DiagnosisLimit: Int] {
        checks.reduce(into: [:]) { $0.merge($1.state.reached, uniquingKeysWith: +) }
    }
}
