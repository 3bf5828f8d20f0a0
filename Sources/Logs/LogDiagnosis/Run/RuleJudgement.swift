import YAML

/// The verdict of a rule on its checks' results.
struct RuleJudgement {
    let rule: Rule
    /// By check, in the order of the rule.
    private let results: [String: CheckResult]
    /// The verdict that holds.
    let verdict: VerdictDefinition?
    /// Verdicts before it, or all, that are not known.
    let undecided: [String]

    init(_ rule: Rule, _ state: RuleState, _ circumstances: Circumstances) {
        self.rule = rule
        var results: [String: CheckResult] = [:]
        for entry in rule.checks.entries {
            results[entry.key.value] = Self.result(entry, state, circumstances)
        }
        self.results = results
        var undecided: [String] = []
        var winner: VerdictDefinition?
        for verdict in rule.verdicts where winner == nil {
            switch verdict.when.holds({ results[$0]?.truth ?? .unknown }) {
            case .yes: winner = verdict
            case .unknown: undecided.append(verdict.id)
            case .no: continue
            }
        }
        verdict = winner
        self.undecided = undecided
    }

    private static func result(
        _ entry: YAMLMapping<CheckDefinition>.Entry,
        _ state: RuleState,
        _ circumstances: Circumstances
    ) -> CheckResult {
        let (configs, hasRefused) = (circumstances.configs, circumstances.hasRefused)
        switch entry.value.kind {
        case .count, .sequence, .absence:
            var result =
                state[entry.key.value]?.result(circumstances.extent, circumstances.edges) ?? CheckResult(.unknown)
            // What was not found may stand in rows that are hidden.
            if circumstances.extent.hidesRows, result.truth == .no { result.truth = .unknown }
            return result
        case .config(let config): return ConfigCheck(definition: config).result(configs, hasRefused: hasRefused)
        case .differs(let differs): return DiffersCheck(definition: differs).result(configs, hasRefused: hasRefused)
        case .quality(let quality): return QualityCheck(definition: quality).result(circumstances.extent)
        }
    }

    /// What a check came to.
    subscript(check: String) -> CheckResult { results[check] ?? CheckResult(.unknown) }

    /// The checks that make the verdict and are true, in the order of the rule.
    var trueChecks: [String] {
        guard let verdict else { return [] }
        let named = Set(verdict.when.checks + (verdict.symptoms ?? []))
        return rule.checks.keys.filter { named.contains($0) && self[$0].truth == .yes }
    }

    /// Why the rule could not be evaluated; `nil` if it could.
    ///
    /// A rule that has a verdict could; an input that it can do without, and that was not given, is no reason.
    func reasonNotEvaluated(_ circumstances: Circumstances) -> String? {
        guard verdict == nil else { return nil }
        let isConfigGiven = !circumstances.configs.isEmpty || circumstances.hasRefused
        if rule.needs.logs == .required, !circumstances.extent.isGiven {
            return circumstances.extent.isEmpty ? "no row was looked at" : "no logs were given"
        }
        if rule.needs.webConfig == .required, !isConfigGiven { return "no web.config was given" }
        if !circumstances.extent.isGiven, !isConfigGiven {
            return circumstances.extent.isEmpty ? "no row was looked at" : "neither logs nor a web.config were given"
        }
        if rule.needs.webConfig != nil, circumstances.hasRefused, hasUnknown(onLogs: false) {
            return "a web.config was refused"
        }
        if rule.needs.webConfig == .required, hasUnknown(onLogs: false) {
            return rule.comparesServers
                ? "it compares servers: give --web-config SERVER=PATH of two or more"
                : "web.config does not say it: the value is no truth value, or stands in another file (configSource)"
        }
        guard circumstances.extent.isGiven, hasUnknown(onLogs: true) else { return nil }
        if !circumstances.extent.isComplete { return "a log was not read to its end" }
        if circumstances.extent.hidesRows { return "a filter hides rows that it may be about" }
        return "the log begins or ends in the middle of a request that it is about"
    }

    private func hasUnknown(onLogs: Bool) -> Bool {
        rule.checks.entries.contains { $0.value.isOnLogs == onLogs && self[$0.key.value].truth == .unknown }
    }
}

extension Rule {
    fileprivate var comparesServers: Bool {
        checks.entries.contains { if case .differs = $0.value.kind { true } else { false } }
    }
}

extension CheckDefinition {
    /// Whether it looks at logs, not at configuration.
    var isOnLogs: Bool {
        switch kind {
        case .count, .sequence, .absence, .quality: true
        case .config, .differs: false
        }
    }
}
