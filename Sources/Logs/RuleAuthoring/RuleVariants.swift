import LogDiagnosis
import TextPatterns
import ULSLog
import YAML

extension CheckDefinition {
    /// Returns variants of the check, each with a single change.
    ///
    /// - Parameter withStrictGroups: Whether tests can distinguish correlations from requests.
    /// - Returns: One variant for each change.
    func variants(withStrictGroups: Bool) -> [Variant<CheckDefinition>] {
        let kinds: [Variant<Kind>] =
            switch kind {
            case .count(let count): count.variants.map { Variant(.count($0.value), $0.change, at: $0.place) }
            case .sequence(let sequence): sequence.variants(withStrictGroups: withStrictGroups)
            case .absence(let absence): absence.variants(withStrictGroups: withStrictGroups)
            case .config(let config): config.variants.map { Variant(.config($0.value), $0.change) }
            case .differs(let differs): differs.variants.map { Variant(.differs($0.value), $0.change) }
            case .quality(let quality): quality.variants.map { Variant(.quality($0.value), $0.change) }
            case .farm(let condition): condition.variants.map { Variant(.farm($0.value), $0.change) }
            }
        return kinds.map { $0.lifted(self, \.kind) }
    }
}

extension CountDefinition {
    fileprivate var variants: [Variant<CountDefinition>] {
        var variants: [Variant<CountDefinition>] = []
        for (name, bound) in [("gte", \Self.gte), ("lte", \Self.lte), ("eq", \Self.eq)] {
            guard let value = self[keyPath: bound] else { continue }
            for other in [value - 1, value + 1] where other >= 0 {
                variants.append(Variant(other as Int?, "\(name): \(other)", at: of.place).lifted(self, bound))
            }
        }
        variants += RuleDuration.variants(of: within).map { $0.lifted(self, \.within) }
        if by != nil { variants.append(Variant(Grouping?.none, "without by").lifted(self, \.by)) }
        if let distinct {
            let variant = Variant(Located<String>?.none, "without distinct", at: distinct.place)
            variants.append(variant.lifted(self, \.distinct))
        }
        return variants
    }
}

extension AbsenceDefinition {
    fileprivate func variants(withStrictGroups: Bool) -> [Variant<CheckDefinition.Kind>] {
        let alone = CountDefinition(of: after, gte: 1, by: by)
        var variants = [
            Variant(CheckDefinition.Kind.count(alone), "without expect: \(expect.value)", at: expect.place)
        ]
        for variant in RuleDuration.variants(of: within) {
            guard let within = variant.value else { continue }
            var longer = self
            longer.within = within
            variants.append(Variant(.absence(longer), variant.change, at: after.place))
        }
        variants += by.variants(withStrictGroups: withStrictGroups).map { variant in
            var regrouped = self
            regrouped.by = variant.value
            return Variant(.absence(regrouped), variant.change, at: after.place)
        }
        return variants
    }
}

extension QualityDefinition {
    fileprivate var variants: [Variant<QualityDefinition>] {
        [gte - 1, gte + 1].filter { $0 >= 0 }.map { Variant($0, "gte: \($0)").lifted(self, \.gte) }
    }
}

extension RuleDuration {
    /// Returns variants without a time limit, and with a time limit ten times as long.
    static func variants(of duration: RuleDuration?) -> [Variant<RuleDuration?>] {
        guard let duration else { return [] }
        var variants = [Variant(RuleDuration?.none, "without within")]
        let tenfold = RuleDuration(milliseconds: min(duration.milliseconds * 10, longest.milliseconds))
        if tenfold != duration { variants.append(Variant(tenfold, "within ten times as long")) }
        return variants
    }
}

extension Grouping {
    /// Returns variants with coarser or finer groups.
    func variants(withStrictGroups: Bool) -> [Variant<Grouping>] {
        switch self {
        case .server: [Variant(.request, "by: request")]
        case .correlation: [Variant(.server, "by: server")]
        case .request:
            [Variant(.server, "by: server")] + (withStrictGroups ? [Variant(.correlation, "by: correlation")] : [])
        }
    }
}

extension SequenceDefinition {
    /// Returns variants of the sequence, each with a single change.
    ///
    /// - Parameter withStrictGroups: Whether tests can distinguish correlations from requests.
    /// - Returns: One variant for each change.
    func variants(withStrictGroups: Bool) -> [Variant<CheckDefinition.Kind>] {
        withoutSteps
            + changes(withStrictGroups: withStrictGroups).map { Variant(.sequence($0.value), $0.change, at: $0.place) }
    }

    /// The variants with each step dropped; if there were two steps, the result is a count of the groups with the
    /// remaining one.
    private var withoutSteps: [Variant<CheckDefinition.Kind>] {
        steps.indices.map { index in
            var shorter = self
            shorter.steps.remove(at: index)
            var kind = CheckDefinition.Kind.sequence(shorter)
            if shorter.steps.count == 1, let left = shorter.steps.first {
                let group = Located(by.rawValue, at: left.place)
                kind = .count(CountDefinition(of: left, gte: 1, distinct: group))
            }
            return Variant(kind, "without step \(steps[index].value)", at: steps[index].place)
        }
    }

    private func changes(withStrictGroups: Bool) -> [Variant<SequenceDefinition>] {
        var variants: [Variant<SequenceDefinition>] = []
        for index in steps.indices.dropLast() where steps[index].value != steps[index + 1].value {
            var swapped = self
            swapped.steps.swapAt(index, index + 1)
            let change = "\(steps[index + 1].value) before \(steps[index].value)"
            variants.append(Variant(swapped, change, at: steps[index].place))
        }
        if let breakers = notBetween?.values {
            for index in breakers.indices {
                var shorter = breakers
                let dropped = shorter.remove(at: index)
                var looser = self
                looser.notBetween = shorter.isEmpty ? nil : OneOrMany(shorter)
                variants.append(Variant(looser, "without not_between \(dropped.value)", at: dropped.place))
            }
        }
        let place = steps.first?.place
        variants += RuleDuration.variants(of: within).map { Variant($0.value, $0.change, at: place) }
            .map { $0.lifted(self, \.within) }
        variants += by.variants(withStrictGroups: withStrictGroups).map { Variant($0.value, $0.change, at: place) }
            .map { $0.lifted(self, \.by) }
        return variants
    }
}

extension ConfigDefinition {
    /// The variants of the check, each with a single change.
    var variants: [Variant<ConfigDefinition>] {
        var variants: [Variant<ConfigDefinition>] = []
        let attributes = self.where?.entries ?? []
        for index in attributes.indices {
            let attribute = attributes[index]
            var others = attributes
            others.remove(at: index)
            variants.append(changed(others, "without \(attribute.key.value)", at: attribute.key.place))
            for variant in attribute.value.variants {
                var entries = attributes
                entries[index].value = variant.value
                variants.append(changed(entries, "\(attribute.key.value): \(variant.change)", at: attribute.key.place))
            }
        }
        let elsewhere = ["any", nil].contains(location) ? "none" : "any"
        variants.append(Variant(elsewhere as String?, "location: \(elsewhere)").lifted(self, \.location))
        return variants
    }

    private func changed(
        _ attributes: [YAMLMapping<AttributeCondition>.Entry],
        _ change: String,
        at place: Place
    ) -> Variant<ConfigDefinition> {
        var config = self
        config.where = attributes.isEmpty ? nil : YAMLMapping(entries: attributes)
        return Variant(config, change, at: place)
    }
}

extension AttributeCondition {
    fileprivate var variants: [Variant<AttributeCondition>] {
        var variants: [Variant<AttributeCondition>] = []
        if let bool { variants.append(Variant(!bool as Bool?, "bool: \(!bool)").lifted(self, \.bool)) }
        if let exists { variants.append(Variant(!exists as Bool?, "exists: \(!exists)").lifted(self, \.exists)) }
        if let equals {
            variants += equals.values.withoutEach(FieldCondition.quoted).map {
                Variant(OneOrMany($0.value) as OneOrMany<String>?, "equals \($0.change)").lifted(self, \.equals)
            }
        }
        variants += defaults.map { Variant($0, "default: \($0 ?? "none")").lifted(self, \.default) }
        return variants
    }

    /// The defaults with the opposite effect; no default is among them only if the current default meets the condition.
    private var defaults: [String?] {
        guard let value = `default` else { return [] }
        if let bool {
            let word = value.lowercased()
            let opposite = word == "true" ? "false" : "true"
            return word == "\(bool)" ? [opposite, nil] : [opposite]
        }
        guard let equals else { return [] }
        if equals.values.contains(where: { $0.lowercased() == value.lowercased() }) { return [nil] }
        return equals.values.first.map { [$0] } ?? []
    }
}

extension DiffersDefinition {
    /// The variants of the comparison, each with a single change.
    var variants: [Variant<DiffersDefinition>] {
        `default` == nil ? [] : [Variant(String?.none, "without default").lifted(self, \.default)]
    }
}

extension Selector {
    /// The variants of the selector, each with a single change.
    var variants: [Variant<Selector>] {
        var variants: [Variant<Selector>] = []
        for index in cases.indices {
            if cases.count > 1 {
                var shorter = self
                shorter.cases.remove(at: index)
                variants.append(Variant(shorter, "without case \(index + 1)", at: cases[index].place))
            }
            let name = cases.count > 1 ? "case \(index + 1)" : ""
            variants += cases[index].variants.map { $0.lifted(self, \.cases[index], in: name) }
        }
        return variants
    }
}

extension SelectorCase {
    fileprivate var variants: [Variant<SelectorCase>] {
        var variants: [Variant<SelectorCase>] = []
        for index in conditions.indices {
            let condition = conditions[index]
            var shorter = self
            shorter.conditions.remove(at: index)
            variants.append(Variant(shorter, "without \(condition.words)", at: condition.place))
            variants += condition.variants.map { $0.lifted(self, \.conditions[index]) }
        }
        for index in captures.indices {
            var blind = self
            blind.captures[index].value = Self.unfit(captures[index].value)
            variants.append(
                Variant(
                    blind,
                    "without capture \(FieldCondition.quoted(captures[index].value))",
                    at: captures[index].place
                )
            )
        }
        return variants
    }

    /// Returns a template that has the same names but matches no message, so that the rule can still refer to its
    /// captures.
    private static func unfit(_ template: String) -> String {
        let names = CaptureTemplate(template)?.names ?? []
        return "\u{1}" + names.map { "\u{1}{\($0)}\u{1}" }.joined()
    }
}

extension FieldCondition {
    /// The variants of the condition, each with a single change that a good test can notice.
    var variants: [Variant<FieldCondition>] {
        var variants = values.withoutEach(Self.quoted, at: place).map { $0.lifted(self, \.values) }
        if values.count > 1 {
            var flipped = self
            flipped.quantifier = quantifier == .all ? .any : .all
            variants.append(
                Variant(flipped, quantifier == .all ? "any of its values, not all" : "all of its values", at: place)
            )
        }
        if let weaker = weakerComparison {
            var weakened = self
            weakened.comparison = weaker
            variants.append(Variant(weakened, "\(weaker.rawValue) instead of \(comparison.rawValue)", at: place))
        }
        for index in values.indices {
            for other in neighbours(of: values[index]) {
                var moved = self
                moved.values[index] = other
                variants.append(
                    Variant(moved, "\(Self.quoted(other)) instead of \(Self.quoted(values[index]))", at: place)
                )
            }
        }
        return variants.map { Variant($0.value, "\(words): \($0.change)", at: place) }
    }

    /// The condition's name: `message|contains`.
    var words: String {
        "\(field.rawValue)|\(comparison.rawValue)" + (quantifier == .any ? "" : "|\(quantifier.rawValue)")
    }

    static func quoted(_ text: String) -> String {
        "\u{201C}\(text.count > 40 ? text.prefix(39) + "\u{2026}" : text[...])\u{201D}"
    }

    /// A comparison that holds for more texts; only for messages, because other columns have a single meaning.
    private var weakerComparison: Comparison? {
        guard field == .message else { return nil }
        return switch comparison {
        case .equals, .startsWith, .endsWith: .contains
        case .contains, .glob, .expression, .atLeast, .atMost, .exists: nil
        }
    }

    /// Returns the values on both sides of a bound, or the opposite of a truth value.
    private func neighbours(of value: String) -> [String] {
        switch comparison {
        case .exists: return [value == "true" ? "false" : "true"]
        case .atLeast, .atMost:
            if field == .level { return Self.levels(besides: value) }
            guard let number = Int(value), (1..<1 << 40).contains(number) else { return [] }
            return ["\(number - 1)", "\(number + 1)"]
        case .equals, .contains, .startsWith, .endsWith, .glob, .expression: return []
        }
    }

    /// Returns the levels on both sides of the given level, among those that the service itself uses for trace rows.
    private static func levels(besides value: String) -> [String] {
        let levels = ["Critical", "Unexpected", "Monitorable", "High", "Medium", "Verbose", "VerboseEx"]
        let rank = ULSLevel(value).rank
        let worse = levels.last { ULSLevel($0).rank < rank }
        let milder = levels.first { ULSLevel($0).rank > rank }
        return [worse, milder].compactMap(\.self)
    }
}

extension VerdictCondition {
    /// The variants of the condition, each with a single change, and the keys that lead to the change.
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

    /// The variants of an operand; for a check, only those that its operator does not already have.
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
}

extension FarmCondition {
    /// The variants of the condition, each with a single change.
    var variants: [Variant<FarmCondition>] {
        switch self {
        case .edition(let editions):
            editions.withoutEach(\.rawValue).map { Variant(.edition($0.value), $0.change) }
                + [Variant(.edition(FarmFacts.Edition.allCases.filter { !editions.contains($0) }), "other editions")]
        case .build(let from, let below):
            [from.map { _ in Variant(.build(from: nil, below: below), "without from") }].compactMap(\.self)
                + [below.map { _ in Variant(.build(from: from, below: nil), "without below") }].compactMap(\.self)
                + [-1, 1].flatMap { step in
                    [
                        from?.moved(by: step).map { Variant(Self.build(from: $0, below: below), "from: \($0)") },
                        below?.moved(by: step).map { Variant(Self.build(from: from, below: $0), "below: \($0)") },
                    ].compactMap(\.self)
                }
        case .builds(let differ): [Variant(.builds(differ: !differ), differ ? "same" : "differ")]
        case .service(let type, let runs): [Variant(.service(type, runs: !runs), "runs: \(!runs)")]
        case .application(let type, let online): [Variant(.application(type, online: !online), "online: \(!online)")]
        case .authentication(let name, let used): [Variant(.authentication(name, used: !used), "used: \(!used)")]
        }
    }
}

/// The outcomes of verdicts, for all combinations of check results.
struct VerdictLogic {
    private let rule: Rule
    private let checks: [String]

    /// The maximum number of checks that are examined; the number of cases is 3 to the power of this number.
    private static let maximumChecks = 9

    init(_ rule: Rule) {
        self.rule = rule
        checks = Set(rule.verdicts.flatMap(\.when.checks)).sorted()
    }

    /// Returns whether other verdicts on the same checks have the same outcome in every case; false if there are too
    /// many cases.
    ///
    /// The outcome consists of the winning verdict and the set of undecided verdicts.
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

    /// Returns whether checks can have these values together: if a check includes all conditions of another check on an
    /// element, it can't be true unless the other check is.
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
    /// Returns whether the check includes all conditions of the other one.
    fileprivate func implies(_ other: ConfigDefinition) -> Bool {
        guard element == other.element, location == other.location else { return false }
        return (other.where?.entries ?? []).allSatisfy { entry in
            guard let own = self.where?[entry.key.value] else { return false }
            return own.bool == entry.value.bool && own.equals == entry.value.equals
                && own.exists == entry.value.exists && own.default == entry.value.default
        }
    }
}
