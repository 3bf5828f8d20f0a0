import ULSLog
import YAML

/// What a rule came to.
struct RuleOutcome {
    let rule: Rule
    private(set) var findings: [Finding] = []
    private(set) var omitted: OmittedFindings?
    private(set) var notEvaluated: String?
    /// True checks of verdicts, and which selectors they rest on.
    private var evidence: [(values: [String], selectors: UInt64, result: CheckResult)] = []

    /// - Parameters:
    ///   - judgements: one for each value of the rule's `per` captures.
    ///   - rule: the rule.
    ///   - hasDropped: whether there were more values than are told apart.
    ///   - circumstances: what the run was given.
    init(
        _ judgements: [(values: [String], judgement: RuleJudgement)],
        _ rule: Rule,
        hasDropped: Bool,
        _ circumstances: Circumstances
    ) {
        self.rule = rule
        for (values, judgement) in judgements {
            guard let finding = Finding(judgement, per: values) else { continue }
            findings.append(finding)
            // A finding that something speaks against takes nothing away from others.
            if finding.confidence == .possible { continue }
            for check in judgement.trueChecks {
                evidence.append((values, Self.selectors(of: check, in: rule), judgement[check]))
            }
        }
        if findings.isEmpty {
            notEvaluated = judgements.lazy.compactMap { $0.judgement.reasonNotEvaluated(circumstances) }.first
            if hasDropped, notEvaluated == nil { notEvaluated = "its events have too many different values" }
        }
        findings.sort(by: Finding.isBefore)
        if findings.count > Rule.maximumFindings {
            let rest = findings[Rule.maximumFindings...]
            omitted = OmittedFindings(
                rule: rule.id,
                severity: rest.map(\.severity).max() ?? .info,
                count: rest.count
            )
            findings.removeLast(rest.count)
        }
    }

    private static func selectors(of check: String, in rule: Rule) -> UInt64 {
        let names = rule.selectors.keys
        return (rule.checks[check]?.selectors ?? []).reduce(0) { mask, selector in
            names.firstIndex(of: selector.value).map { mask | 1 << UInt64($0) } ?? mask
        }
    }

    /// Whether an event that meets these selectors is evidence of a finding.
    func isEvidence(_ match: RuleMatch, _ groups: EventGroups) -> Bool {
        let values = rule.per.map { name in match.captures.first { $0.name == name }?.value ?? "" }
        return evidence.contains {
            $0.selectors & match.selectors != 0 && $0.values == values && $0.result.isEvidence(groups)
        }
    }

    /// Whether events that meet these selectors are evidence of a finding, some of them at least.
    func explains(_ selectors: UInt64) -> Bool { evidence.contains { $0.selectors & selectors != 0 } }
}

extension Finding {
    /// The order of a report: worst first, then by rule, first time and fingerprint.
    static func isBefore(_ one: Finding, _ other: Finding) -> Bool {
        if one.severity != other.severity { return one.severity > other.severity }
        if one.rule.id != other.rule.id { return one.rule.id < other.rule.id }
        let times = (one.firstTime?.instant ?? .min, other.firstTime?.instant ?? .min)
        if times.0 != times.1 { return times.0 < times.1 }
        return one.fingerprint < other.fingerprint
    }
}
