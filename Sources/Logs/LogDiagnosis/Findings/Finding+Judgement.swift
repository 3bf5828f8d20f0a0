import Digests
import ULSLog
import YAML

extension Finding {
    /// What a rule's judgement comes to; `nil` if no verdict holds.
    ///
    /// - Parameters:
    ///   - judgement: the verdict and the results it rests on.
    ///   - values: the values of the rule's `per` captures.
    init?(_ judgement: RuleJudgement, per values: [String]) {
        guard let verdict = judgement.verdict else { return nil }
        let rule = judgement.rule
        let own = zip(rule.per, values).map { Capture(name: $0, value: $1) }
        let fingerprint = Self.fingerprint(rule, own)
        self.init(rule: rule, verdict: verdict, message: "", fingerprint: fingerprint)
        undecided = judgement.undecided
        let checks = judgement.trueChecks
        let results = checks.map { judgement[$0] }
        captures = own
        let others = results.flatMap(\.tally.captures).sorted { $0.name < $1.name }
        for capture in others where !captures.contains(where: { $0.name == capture.name }) { captures.append(capture) }
        config = results.flatMap(\.config)
        servers = Set(results.flatMap(\.tally.servers)).sorted()
        firstTime = results.compactMap(\.tally.first).min { $0.instant < $1.instant }
        lastTime = results.compactMap(\.tally.last).max { $0.instant < $1.instant }
        evidence = Self.evidence(results)
        // What the verdict rests on; symptoms beside it would count the same failures again.
        // Of checks on the same selectors, the greatest count.
        var counted: [(selectors: Set<String>, count: Int)] = []
        for check in checks where verdict.when.checks.contains(check) {
            let selectors = Set(rule.checks[check]?.selectors.map(\.value) ?? [])
            guard !selectors.isEmpty else { continue }
            let count = judgement[check].count
            if let index = counted.firstIndex(where: { !$0.selectors.isDisjoint(with: selectors) }) {
                counted[index] = (counted[index].selectors.union(selectors), max(counted[index].count, count))
            } else {
                counted.append((selectors, count))
            }
        }
        occurrences = counted.reduce(0) { $0 + $1.count }
        symptoms = (verdict.symptoms ?? []).filter { judgement[$0].truth == .yes }.map { check in
            let label = rule.checks[check]?.label ?? check
            return Symptom(
                check: check,
                text: filled(label, judgement, count: judgement[check].count),
                count: judgement[check].count
            )
        }
        message = filled(verdict.message, judgement, count: occurrences)
        fix = rule.fix.filter { $0.verdicts.isEmpty || $0.verdicts.contains(verdict.id) }.map { step in
            var step = step
            step.step = filled(step.step, judgement, count: occurrences)
            return step
        }
    }

    private func filled(_ text: String, _ judgement: RuleJudgement, count: Int) -> String {
        MessageTemplate(text)?.filled { name in
            if name == "count" { return "\(count)" }
            let parts = name.split(separator: ".")
            if parts.count == 2 {
                let result = judgement[String(parts[0])]
                if parts[1] == "count" { return "\(result.count)" }
                return result.config.isEmpty ? nil : result.config.map(\.at).joined(separator: ", ")
            }
            return captures.first { $0.name == name }?.value
        } ?? text
    }

    /// The lead, then what the checks saw, each event once.
    private static func evidence(_ results: [CheckResult]) -> [Evidence] {
        var evidence: [Evidence] = []
        var places: Set<ULSEvent.Place> = []
        let first = results.first { !$0.tally.evidence.isEmpty }
        let leads = [first?.tally.lead].compactMap(\.self)
        for one in leads + results.flatMap(\.tally.evidence) where places.insert(one.place).inserted {
            evidence.append(one)
        }
        return Array(evidence.prefix(maximumEvidence))
    }

    /// Events that a finding names.
    static let maximumEvidence = 8

    /// Says the same of the same failure in any run: whatever the verdict, and whatever log shows it.
    private static func fingerprint(_ rule: Rule, _ captures: [Capture]) -> String {
        var text = rule.id.text
        for capture in captures { text += "\u{0}\(capture.name)=\(capture.value)" }
        for entry in rule.checks.entries {
            if case .config(let config) = entry.value.kind { text += "\u{0}\(config.element)" }
            if case .differs(let differs) = entry.value.kind { text += "\u{0}\(differs.element)" }
        }
        var digest = SHA256()
        return String(digest.digest(of: text.utf8).hexadecimal.prefix(16))
    }
}
