import ULSLog
import WebConfig
import YAML

/// All rules while events come.
struct DiagnosisRun {
    private let diagnosis: Diagnosis
    private let matcher: EventMatcher
    private var rules: [RuleRun]
    private var requests = RequestGroups()
    private var edges: RequestEdges
    private var unexplained = UnexplainedTable()
    private var leads = LeadTable()
    private let hasLeads: Bool
    /// Whether the leads of requests with a correlation are read afterwards: not all of their rows come here.
    private let readsLeads: Bool
    private var count = 0

    /// `chooser` is who chooses the events, if anybody does.
    init(_ diagnosis: Diagnosis, _ chooser: DiagnosisChooser? = nil) {
        self.diagnosis = diagnosis
        let rules = diagnosis.rules.rules
        matcher = EventMatcher(diagnosis.rules.selectors, chooser)
        self.rules = rules.map { rule in
            RuleRun(rule, superseders: rules.indices.filter { rules[$0].supersedes.contains(rule.id) })
        }
        edges = RequestEdges(within: rules.map(\.reach).max() ?? 0)
        hasLeads = diagnosis.rules.haveLeads
        readsLeads = chooser?.counting == .inUnits
    }

    mutating func take(_ edge: RequestEdge) { edges.take(edge) }

    /// Takes what was counted in a unit, above which `lines` lines of its text stand.
    mutating func take(_ unit: UnexplainedUnit, lines: Int) { unexplained.add(unit, lines: lines) }

    /// The kinds of unexplained events that are known.
    var kinds: Set<UInt64> { unexplained.hashes }

    mutating func take(_ event: borrowing ULSEvent) {
        let (matches, rank, isAbnormal) = matcher.matches(event)
        if isAbnormal { unexplained.add(event, rank: rank, matches) }
        guard !matches.isEmpty || isAbnormal && hasLeads else { return }
        count += 1
        let groups = requests.groups(of: event, number: count)
        let keepsLead = hasLeads && !(readsLeads && groups.request.isCorrelation)
        if isAbnormal, keepsLead { leads.note(event, groups.request) }
        for match in matches {
            let wantsLead = keepsLead && rules[match.rule].rule.lead != nil
            let lead = wantsLead ? leads.lead(of: event, groups.request) : nil
            let matched = MatchedEvent(
                event: copy event,
                selectors: match.selectors,
                captures: match.captures,
                groups: groups,
                lead: lead
            )
            rules[match.rule].take(matched, matches)
            if rules[match.rule].isFull { settleEarly(match.rule) }
        }
    }

    /// Too many events wait: it is decided with what is known by now.
    private mutating func settleEarly(_ number: Int) {
        let now = Circumstances(
            extent: .soFar,
            edges: edges,
            configs: diagnosis.configs,
            refusedConfigs: diagnosis.refusedConfigs
        )
        let others = rules
        rules[number].settle { others[$0].outcome(now) }
        rules[number].noteEarlySettlement()
    }

    /// What all rules come to; `log` is `nil` when no logs were given, and a filter may have hidden rows of it.
    consuming func finish(_ log: ReadReport?, hidesRows: Bool = false) -> DiagnosisReport {
        var extent = log.map { LogExtent($0) } ?? .none
        extent.hidesRows = hidesRows
        let circumstances = Circumstances(
            extent: extent,
            edges: edges,
            configs: diagnosis.configs,
            refusedConfigs: diagnosis.refusedConfigs
        )
        var outcomes: [RuleOutcome?] = rules.map { _ in nil }
        // Those that supersede others first.
        for number in diagnosis.rules.order {
            rules[number].settle { outcomes[$0] ?? rules[$0].outcome(circumstances) }
            outcomes[number] = rules[number].outcome(circumstances)
        }
        let left = unexplained.unexplained { rule, selectors in outcomes[rule]?.explains(selectors) ?? false }
        var report = DiagnosisReport(outcomes.compactMap(\.self))
        report.unexplained = Array(left.prefix(DiagnosisReport.maximumUnexplained))
        report.unexplainedEvents = left.reduce(unexplained.beyond) { $0 + $1.count }
        report.unexplainedKinds = left.count
        report.logs = log
        report.configs = diagnosis.configs
        report.refusedConfigs = diagnosis.refusedConfigs
        report.limits = limits
        return report
    }

    private var limits: [DiagnosisLimitReached] {
        var reached = rules.reduce(into: [:]) { $0.merge($1.limits, uniquingKeysWith: +) }
        if unexplained.beyond > 0 { reached[.templates] = unexplained.beyond }
        return DiagnosisLimit.allCases.compactMap { limit in
            reached[limit].map { DiagnosisLimitReached(limit: limit, count: $0) }
        }
    }
}

extension DiagnosisReport {
    fileprivate init(_ outcomes: [RuleOutcome]) {
        self.init()
        for outcome in outcomes {
            if !outcome.findings.isEmpty {
                findings += outcome.findings
            } else if let reason = outcome.notEvaluated {
                notEvaluated.append(NotEvaluated(rule: outcome.rule, reason: reason))
            } else {
                passed.append(outcome.rule)
            }
            if let omission = outcome.omitted { omitted.append(omission) }
        }
        findings.sort(by: Finding.isBefore)
    }
}

extension Rule {
    /// The longest time that its checks look back, in milliseconds.
    fileprivate var reach: Int64 {
        checks.entries.map { entry in
            switch entry.value.kind {
            case .count(let count): count.within?.milliseconds ?? 0
            case .sequence(let sequence): (sequence.within ?? .request).milliseconds
            case .absence(let absence): absence.within.milliseconds
            case .config, .differs, .quality: 0
            }
        }.max() ?? 0
    }
}
