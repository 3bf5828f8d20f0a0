package import LogDiagnosis
package import YAML

/// A rule with a single change that good tests detect.
package struct RuleMutant: Sendable {
    var rule: Rule
    /// A readable description of the change.
    package var change: String
    /// The place of the change in the rule's file.
    package var place: Place?
    /// Whether the change is in a verdict's condition.
    var isOfLogic = false
}

/// All mutants of a rule, each with a single change.
package struct RuleMutants {
    package private(set) var mutants: [RuleMutant] = []
    private let rule: Rule
    private let outline: RuleOutline?

    /// - Parameters:
    ///   - rule: The rule to change.
    ///   - yaml: The text of the rule, for the places of verdicts; `nil` if the places are not needed.
    ///   - withStrictGroups: Whether tests can distinguish correlations from requests.
    package init(_ rule: Rule, yaml: String?, withStrictGroups: Bool) {
        self.rule = rule
        outline = yaml.flatMap { RuleOutline(yaml: $0) }
        for index in rule.selectors.entries.indices {
            let entry = rule.selectors.entries[index]
            add(entry.value.variants, \.selectors.entries[index].value, "selector \(entry.key.value)", entry.key.place)
        }
        for index in rule.checks.entries.indices {
            let entry = rule.checks.entries[index]
            let variants = entry.value.variants(withStrictGroups: withStrictGroups)
            add(variants, \.checks.entries[index].value, "check \(entry.key.value)", entry.key.place)
        }
        addVerdicts()
        for index in rule.verdicts.indices { addParts(ofVerdict: index) }
        addWhole()
    }

    private mutating func add<Value>(
        _ variants: [Variant<Value>],
        _ path: WritableKeyPath<Rule, Value>,
        _ name: String,
        _ place: Place?
    ) {
        for variant in variants {
            let changed = variant.lifted(rule, path, in: name)
            mutants.append(RuleMutant(rule: changed.value, change: changed.change, place: changed.place ?? place))
        }
    }

    /// Adds mutants with a verdict dropped, or with neighbors swapped where that changes an outcome.
    private mutating func addVerdicts() {
        for index in rule.verdicts.indices {
            let verdict = rule.verdicts[index]
            let place = outline?["verdicts", "\(index)"]
            var shorter = rule
            shorter.verdicts.remove(at: index)
            mutants.append(RuleMutant(rule: shorter, change: "without verdict \(verdict.id)", place: place))
            guard index > 0 else { continue }
            var swapped = rule
            swapped.verdicts.swapAt(index - 1, index)
            guard !VerdictLogic(rule).isEqual(to: swapped.verdicts) else { continue }
            let change = "verdict \(verdict.id) before \(rule.verdicts[index - 1].id)"
            mutants.append(RuleMutant(rule: swapped, change: change, place: place))
        }
    }

    private mutating func addParts(ofVerdict index: Int) {
        let verdict = rule.verdicts[index]
        let name = "verdict \(verdict.id)"
        func place(_ path: [String]) -> Place? { outline?[["verdicts", "\(index)"] + path] }
        for variant in verdict.when.variants {
            var mutant = rule
            mutant.verdicts[index].when = variant.condition
            let change = "\(name): \(variant.change)"
            let place = place(["when"] + variant.path)
            mutants.append(RuleMutant(rule: mutant, change: change, place: place, isOfLogic: true))
        }
        let severity = Severity.allCases.next(after: verdict.severity)
        let worse = Variant(severity, "severity: \(severity.rawValue)")
        add([worse], \.verdicts[index].severity, name, place(["severity"]))
        let confidence = Confidence.allCases.next(after: verdict.confidence)
        let surer = Variant(confidence, "confidence: \(confidence.rawValue)")
        add([surer], \.verdicts[index].confidence, name, place(["confidence"]))
        for (number, symptom) in (verdict.symptoms ?? []).enumerated() {
            var mutant = rule
            mutant.verdicts[index].symptoms?.remove(at: number)
            let change = "\(name): without symptom \(symptom)"
            mutants.append(RuleMutant(rule: mutant, change: change, place: place(["symptoms", "\(number)"])))
        }
    }

    /// Adds mutants that change keys of the rule as a whole.
    private mutating func addWhole() {
        for (index, name) in rule.per.enumerated() {
            var mutant = rule
            mutant.per.remove(at: index)
            mutants.append(RuleMutant(rule: mutant, change: "without per \(name)", place: outline?["per", "\(index)"]))
        }
        for (index, id) in rule.supersedes.enumerated() {
            var mutant = rule
            mutant.supersedes.remove(at: index)
            let place = outline?["supersedes", "\(index)"]
            mutants.append(RuleMutant(rule: mutant, change: "without supersedes \(id)", place: place))
        }
        if rule.lead != nil {
            var mutant = rule
            mutant.lead = nil
            mutants.append(RuleMutant(rule: mutant, change: "without lead", place: outline?["lead"]))
        }
    }
}

extension Array where Element: Equatable {
    /// Returns the element after a value, or the first element after the last value.
    fileprivate func next(after value: Element) -> Element { self[((firstIndex(of: value) ?? 0) + 1) % count] }
}

/// The result of mutating a rule to check its tests.
package struct MutationReport: Sendable {
    /// A change to the rule that no test notices.
    package struct Survivor: Sendable, Hashable {
        /// A description of the change: `check owssvr: without step lookup_failed`.
        package var change: String
        /// The place of the change in the rule's file.
        package var place: Place?
        /// The line of that place.
        package var line: Int? { place?.line }
        /// Whether no test can notice the change, because the verdicts have the same outcome in every case.
        ///
        /// In this case, the condition should be simplified.
        package var isRedundant: Bool
    }

    /// The number of mutants that were tried.
    package var mutants: Int
    /// The number of mutants beyond ``maximumMutants``, which were not tried.
    package var omitted: Int
    /// The changes to the rule that no test noticed.
    package var survivors: [Survivor]

    /// The maximum number of mutants of a rule that are tried.
    fileprivate static let maximumMutants = 5000

    /// The number of mutants that were noticed.
    package var killed: Int { mutants - survivors.count }
}

extension RuleTestRun {
    /// Makes single changes to the rule, one after the other, and checks whether any test notices each change.
    ///
    /// - Parameter yaml: The text of the rule, for the places of survivors.
    /// - Returns: The number of mutants, and those that no test notices. Mutants equal to the rule itself are left out;
    ///   parts that no test can distinguish should be simplified.
    package func mutate(yaml: String? = nil) -> MutationReport {
        let all = RuleMutants(rule, yaml: yaml, withStrictGroups: groupsWithoutCorrelation).mutants
        let mutants = all.prefix(MutationReport.maximumMutants)
        let logic = VerdictLogic(rule)
        let survivors = mutants.filter { !notices($0.rule) }.map { mutant in
            // Verdicts can be compared only if nothing but their logic was changed.
            let isLogic = mutant.isOfLogic && logic.isEqual(to: mutant.rule.verdicts)
            return MutationReport.Survivor(change: mutant.change, place: mutant.place, isRedundant: isLogic)
        }
        return MutationReport(mutants: mutants.count, omitted: all.count - mutants.count, survivors: survivors)
    }
}

/// The places of all parts of a rule file, by the keys that lead to them.
struct RuleOutline: Sendable {
    private var place: Place
    private var children: [String: RuleOutline] = [:]

    /// The place that keys and indices lead to, or the deepest existing place along the way.
    subscript(path: String...) -> Place { self[path] }

    subscript(path: [String]) -> Place {
        guard let first = path.first, let child = children[first] else { return place }
        return child[Array(path.dropFirst())]
    }

    /// Creates an outline; `nil` if the text is not YAML.
    init?(yaml: String) {
        guard let outline: RuleOutline = try? YAMLDecoder(limits: Rule.limits).decode(from: yaml) else { return nil }
        self = outline
    }
}

extension RuleOutline: Decodable {
    init(from decoder: any Decoder) throws {
        let written = try Located<YAMLValue>(from: decoder)
        place = written.place
        switch written.value {
        case .text: break
        case .list:
            for (index, item) in try [RuleOutline](from: decoder).enumerated() { children["\(index)"] = item }
        case .mapping:
            for entry in try YAMLMapping<RuleOutline>(from: decoder).entries {
                var child = entry.value
                child.place = entry.key.place
                children[entry.key.value] = child
            }
        }
    }
}

/// A value with a single change.
struct Variant<Value> {
    var value: Value
    /// A readable description of the change: `without level|equals`.
    var change: String
    /// The place of the change in the rule's file.
    package var place: Place?

    init(_ value: Value, _ change: String, at place: Place? = nil) {
        self.value = value
        self.change = change
        self.place = place
    }

    /// Returns the same change as part of a larger value.
    func lifted<Whole>(_ whole: Whole, _ path: WritableKeyPath<Whole, Value>, in name: String = "") -> Variant<Whole> {
        var changed = whole
        changed[keyPath: path] = value
        return Variant<Whole>(changed, name.isEmpty ? change : "\(name): \(change)", at: place)
    }
}

extension Array {
    /// Returns variants of the list, each without one of its elements; none for a list of one element.
    func withoutEach(_ describe: (Element) -> String, at place: Place? = nil) -> [Variant<[Element]>] {
        guard count > 1 else { return [] }
        return indices.map { index in
            var shorter = self
            let dropped = shorter.remove(at: index)
            return Variant(shorter, "without \(describe(dropped))", at: place)
        }
    }
}
