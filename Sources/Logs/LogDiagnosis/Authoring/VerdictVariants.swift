import YAML

extension VerdictCondition {
    /// Variants of the condition with one thing changed, and the keys that lead to it.
    var variants: [(condition: VerdictCondition, change: String, path: [String])] {
        switch self {
        case .check(let name): [(.not(self), "not \(name)", [])]
        case .all(let parts):
            Self.variants(of: parts, key: "all", make: VerdictCondition.all)
                + (parts.count > 1 ? [(.any(parts), "any instead of all", [])] : [])
        case .any(let parts):
            Self.variants(of: parts, key: "any", make: VerdictCondition.any)
                + (parts.count > 1 ? [(.all(parts), "all instead of any", [])] : [])
        case .not(let part):
            [(part, "without not", [])] + part.innerVariants.map { (.not($0.condition), $0.change, ["not"] + $0.path) }
        case .unknown(let part):
            [(part, "without unknown", []), (.not(self), "not unknown", [])]
                + part.innerVariants.map { (.unknown($0.condition), $0.change, ["unknown"] + $0.path) }
        }
    }

    /// Variants of an operand: a check has none that its operator does not have.
    private var innerVariants: [(condition: VerdictCondition, change: String, path: [String])] {
        if case .check = self { [] } else { variants }
    }

    private static func variants(
        of parts: [VerdictCondition],
        key: String,
        make: ([VerdictCondition]) -> VerdictCondition
    ) -> [(condition: VerdictCondition, change: String, path: [String])] {
        var variants: [(condition: VerdictCondition, change: String, path: [String])] = []
        for index in parts.indices {
            func replaced(by other: VerdictCondition) -> VerdictCondition {
                var changed = parts
                changed[index] = other
                return make(changed)
            }
            let path = [key, "\(index)"]
            let name = parts[index].words
            if parts.count > 1 {
                var shorter = parts
                shorter.remove(at: index)
                variants.append((make(shorter), "without \(name)", path))
            }
            if case .all = parts[index] { variants.append((replaced(by: .not(parts[index])), "not \(name)", path)) }
            if case .any = parts[index] { variants.append((replaced(by: .not(parts[index])), "not \(name)", path)) }
            variants += parts[index].variants.map { (replaced(by: $0.condition), $0.change, path + $0.path) }
        }
        return variants
    }

    /// The condition in words: `any [owssvr, not trace_on]`.
    var words: String {
        switch self {
        case .check(let name): name
        case .all(let parts): "all [\(parts.map(\.words).joined(separator: ", "))]"
        case .any(let parts): "any [\(parts.map(\.words).joined(separator: ", "))]"
        case .not(let part): "not \(part.words)"
        case .unknown(let part): "unknown \(part.words)"
        }
    }
}

/// The outcomes of verdicts, for everything that may be known about the checks.
struct VerdictLogic {
    private let rule: Rule
    private let checks: [String]

    /// The most checks that are examined; the number of cases is 3 to the power of this.
    private static let maximumChecks = 9

    init(_ rule: Rule) {
        self.rule = rule
        checks = Set(rule.verdicts.flatMap(\.when.checks)).sorted()
    }

    /// Returns whether other verdicts on the same checks have the same outcome in every case; false for too many cases.
    ///
    /// The outcome is the verdict that wins and the set of those that are undecided.
    func isEqual(to verdicts: [VerdictDefinition]) -> Bool {
        guard checks.count <= Self.maximumChecks else { return false }
        let values: [Ternary] = [.no, .unknown, .yes]
        let cases = checks.reduce(1) { count, _ in count * values.count }
        return (0..<cases).allSatisfy { number in
            var rest = number
            var known: [String: Ternary] = [:]
            for check in checks {
                known[check] = values[rest % values.count]
                rest /= values.count
            }
            return !isPossible(known) || Self.outcome(rule.verdicts, known) == Self.outcome(verdicts, known)
        }
    }

    private struct Outcome: Equatable {
        var winner: String?
        var undecided: Set<String> = []
    }

    private static func outcome(_ verdicts: [VerdictDefinition], _ known: [String: Ternary]) -> Outcome {
        var outcome = Outcome()
        for verdict in verdicts {
            switch verdict.when.holds({ known[$0] ?? .unknown }) {
            case .yes:
                outcome.winner = verdict.id
                return outcome
            case .unknown: outcome.undecided.insert(verdict.id)
            case .no: break
            }
        }
        return outcome
    }

    /// Returns whether checks can have these values together: a check of an element that asks for more than another
    /// check is never truer than that check.
    private func isPossible(_ known: [String: Ternary]) -> Bool {
        implications.allSatisfy { (known[$0.stricter] ?? .no) <= (known[$0.looser] ?? .yes) }
    }

    private var implications: [(stricter: String, looser: String)] {
        let configs: [(String, ConfigDefinition)] = checks.compactMap { name in
            if case .config(let config)? = rule.checks[name]?.kind { (name, config) } else { nil }
        }
        return configs.flatMap { stricter in
            configs.filter { $0.0 != stricter.0 && stricter.1.implies($0.1) }.map { (stricter.0, $0.0) }
        }
    }
}

extension ConfigDefinition {
    /// Returns whether the check asks for everything that the other one asks for.
    fileprivate func implies(_ other: ConfigDefinition) -> Bool {
        guard element == other.element, location == other.location else { return false }
        return (other.where?.entries ?? []).allSatisfy { entry in
            guard let own = self.where?[entry.key.value] else { return false }
            return own.bool == entry.value.bool && own.equals == entry.value.equals
                && own.exists == entry.value.exists && own.default == entry.value.default
        }
    }
}
