import TextPatterns
import YAML

/// Whether all that a rule defines is used, and all that it needs is there.
struct UseLint {
    private(set) var complaints: [RuleComplaint] = []
    private let subject: LintSubject
    private let rule: Rule
    /// The names of places in all sentences.
    private let places: Set<String>

    init(_ subject: LintSubject) {
        self.subject = subject
        rule = subject.rule
        let sentences =
            rule.verdicts.map(\.message) + rule.fix.map(\.step) + rule.checks.entries.compactMap(\.value.label)
        places = Set(sentences.flatMap { MessageTemplate($0)?.names ?? [] })
        checkSelectors()
        checkChecks()
        checkCaptures()
        checkPer()
        for verdict in rule.verdicts.enumerated() where !rule.fix.contains(where: { $0.isMeant(for: verdict.element) })
        {
            let message = "no step of the fix is meant for verdict \(verdict.element.id)"
            complaints.append(subject.warning(message, at: "verdicts", "\(verdict.offset)"))
        }
    }

    private mutating func checkSelectors() {
        let used = Set(rule.checks.entries.flatMap { $0.value.selectors.map(\.value) })
        for entry in rule.selectors.entries where !used.contains(entry.key.value) {
            complaints.append(subject.warning("no check uses selector \(entry.key.value)", entry.key.place))
        }
    }

    private mutating func checkChecks() {
        var used = Set(rule.verdicts.flatMap { $0.when.checks + ($0.symptoms ?? []) })
        for place in places { used.insert(String(place.prefix { $0 != "." })) }
        for entry in rule.checks.entries where !used.contains(entry.key.value) {
            complaints.append(subject.warning("no verdict uses check \(entry.key.value)", entry.key.place))
        }
    }

    private mutating func checkCaptures() {
        let distinct = rule.checks.entries.compactMap { entry -> String? in
            if case .count(let count) = entry.value.kind { count.distinct?.value } else { nil }
        }
        let used = places.union(rule.per).union(distinct)
        for template in rule.selectors.entries.flatMap({ $0.value.cases.flatMap(\.captures) }) {
            for name in CaptureTemplate(template.value)?.names ?? [] where !used.contains(name) {
                complaints.append(subject.warning("no sentence, per or distinct uses capture \(name)", template.place))
            }
        }
    }

    /// An event without them would belong to no finding.
    private mutating func checkPer() {
        for entry in rule.checks.entries {
            for selector in entry.value.selectors {
                for written in rule.selectors[selector.value]?.cases ?? [] {
                    let names = Set(written.captures.flatMap { CaptureTemplate($0.value)?.names ?? [] })
                    for name in rule.per where !names.contains(name) {
                        let message = "selector \(selector.value) does not capture \(name), which per needs"
                        complaints.append(subject.error(message, written.place))
                    }
                }
            }
        }
    }
}

extension FixStep {
    fileprivate func isMeant(for verdict: VerdictDefinition) -> Bool {
        verdicts.isEmpty || verdicts.contains(verdict.id)
    }
}
