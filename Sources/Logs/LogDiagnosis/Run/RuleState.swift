import YAML

/// The checks of a rule on logs while events come, for one value of its `per` captures.
struct RuleState {
    /// By check; those on configuration and quality need no events.
    private(set) var checks: [String: any CheckState] = [:]

    init(_ rule: Rule) {
        let names = rule.selectors.keys
        let number = { (name: Located<String>) in names.firstIndex(of: name.value) ?? 0 }
        for entry in rule.checks.entries {
            switch entry.value.kind {
            case .count(let count): checks[entry.key.value] = CountState(count, selector: number(count.of))
            case .sequence(let sequence):
                checks[entry.key.value] = SequenceState(
                    sequence,
                    steps: sequence.steps.map(number),
                    breakers: sequence.notBetween?.values.map(number) ?? []
                )
            case .absence(let absence):
                checks[entry.key.value] = AbsenceState(
                    absence,
                    after: number(absence.after),
                    expected: number(absence.expect)
                )
            case .config, .differs, .quality: continue
            }
        }
    }

    mutating func take(_ match: borrowing MatchedEvent) {
        for name in checks.keys { checks[name]?.take(match) }
    }

    /// How often limits were reached.
    var reached: [DiagnosisLimit: Int] {
        checks.values.reduce(into: [:]) { $0.merge($1.reached, uniquingKeysWith: +) }
    }
}
