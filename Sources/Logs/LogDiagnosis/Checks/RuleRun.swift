import ULSLog
import WebConfig
import YAML

/// The state of one rule while events arrive.
struct RuleRun {
    /// An event that waits until it is known whether it is evidence for a finding of a superseding rule.
    private struct Held {
        var match: MatchedEvent
        /// The selectors of superseding rules that the event meets.
        var claims: [RuleMatch]
    }

    let rule: Rule
    /// The numbers of the rules that supersede this one.
    private let superseders: [Int]
    /// The servers, in lowercase, whose web.config files were given, if the rule is judged for each server.
    ///
    /// A rule that combines facts from logs and configuration is judged for each server; otherwise, this is empty.
    private let servers: [String]
    private let budget: DistinctBudget
    private var states: [[String]: RuleState] = [:]
    private var held: [Held] = []
    private(set) var reached: [DiagnosisLimit: Int] = [:]
    /// Whether there were more values of `per` captures than ``DiagnosisLimit/findingValues``.
    private var hasDropped = false

    /// The maximum number of bytes of a message kept while its event waits.
    private static let maximumHeldMessage = 2048

    init(
        _ rule: Rule,
        superseders: [Int],
        configs: [WebConfigSource] = [],
        budget: DistinctBudget = DistinctBudget()
    ) {
        self.budget = budget
        let named = Set(configs.compactMap { $0.server?.lowercased() }).sorted()
        servers = rule.joinsLogsAndConfig ? named : []
        self.rule = rule
        self.superseders = superseders
    }

    /// True if so many events are waiting that they must be settled.
    var isFull: Bool { held.count >= DiagnosisLimit.supersededEvents.maximum }

    /// Takes an event; `matches` are the selectors, of all rules, that the event meets.
    mutating func take(_ match: consuming MatchedEvent, _ matches: [RuleMatch]) {
        guard !superseders.isEmpty else { return count(match) }
        // All events wait, so that they are counted in order.
        let claims = matches.filter { superseders.contains($0.rule) }
        _ = match.event.truncateMessage(to: Self.maximumHeldMessage)
        held.append(Held(match: match, claims: claims))
    }

    /// Counts the waiting events, except those that are evidence for a superseding rule.
    mutating func settle(_ outcome: (Int) -> RuleOutcome?) {
        guard !held.isEmpty else { return }
        let outcomes = superseders.reduce(into: [Int: RuleOutcome]()) { $0[$1] = outcome($1) }
        let waiting = held
        held = []
        for one in waiting {
            let isTaken = one.claims.contains { claim in
                outcomes[claim.rule]?.isEvidence(claim, one.match.groups) ?? false
            }
            if !isTaken { count(one.match) }
        }
    }

    /// Records that events had to be settled before the end.
    mutating func noteEarlySettlement() { reached[.supersededEvents, default: 0] += 1 }

    private mutating func count(_ match: borrowing MatchedEvent) {
        let values = rule.per.map { match.capture($0) ?? "" } + Self.server(of: match.groups, servers)
        if states[values] == nil, states.count >= DiagnosisLimit.findingValues.maximum {
            reached[.findingValues, default: 0] += 1
            hasDropped = true
            return
        }
        states[values, default: RuleState(rule, budget)].take(match)
    }

    /// Returns the server, the last of an event's values, if the rule is judged for each server.
    fileprivate static func server(of groups: EventGroups, _ servers: [String]) -> [String] {
        guard !servers.isEmpty else { return [] }
        guard case .server(let name) = groups.server, !name.isEmpty else {
            // Rows that don't name their server, such as those of a paste, are matched with the files of the only
            // server given.
            return [servers.count == 1 ? servers[0] : ""]
        }
        return [name.lowercased()]
    }

    /// Returns the outcome of the rule.
    func outcome(_ circumstances: Circumstances) -> RuleOutcome {
        var seen = states
        let known = Set(states.keys.compactMap(\.last))
        let none = rule.per.map { _ in "" }
        for server in servers where !known.contains(server) { seen[none + [server]] = RuleState(rule, budget) }
        if seen.isEmpty { seen[none] = RuleState(rule, budget) }
        let judgements = seen.map { values, state in
            let circumstances = servers.isEmpty ? circumstances : circumstances.of(server: values.last ?? "")
            return (values: values, judgement: RuleJudgement(rule, state, circumstances))
        }
        let inOrder = judgements.sorted { $0.values.lexicographicallyPrecedes($1.values) }
        return RuleOutcome(inOrder, rule, hasDropped: hasDropped, circumstances, servers: servers)
    }

    /// The number of times each limit was reached.
    var limits: [DiagnosisLimit: Int] {
        states.values.reduce(into: reached) { $0.merge($1.reached, uniquingKeysWith: +) }
    }
}

/// The state of a rule's checks on logs while events arrive, for one value of its `per` captures.
struct RuleState {
    /// Checks in the order of the rule, without those on configuration and quality, which need no events.
    ///
    /// This is an array because a state with two references would be copied for each event.
    private var checks: [(name: String, state: any CheckState)] = []

    /// The state of a check.
    subscript(name: String) -> (any CheckState)? { checks.first { $0.name == name }?.state }

    init(_ rule: Rule, _ budget: DistinctBudget) {
        let names = rule.selectors.keys
        let number = { (name: Located<String>) in names.firstIndex(of: name.value) ?? 0 }
        for entry in rule.checks.entries {
            switch entry.value.kind {
            case .count(let count):
                checks.append((entry.key.value, CountState(count, selector: number(count.of), budget: budget)))
            case .sequence(let sequence):
                let state = SequenceState(
                    sequence,
                    steps: sequence.steps.map(number),
                    breakers: sequence.notBetween?.values.map(number) ?? [],
                    budget: budget
                )
                checks.append((entry.key.value, state))
            case .absence(let absence):
                let state = AbsenceState(absence, after: number(absence.after), expected: number(absence.expect))
                checks.append((entry.key.value, state))
            case .config, .differs, .quality, .farm: continue
            }
        }
    }

    mutating func take(_ match: borrowing MatchedEvent) {
        for index in 0..<checks.count { checks[index].state.take(match) }
    }

    /// The number of times each limit was reached.
    var reached: [DiagnosisLimit: Int] {
        checks.reduce(into: [:]) { $0.merge($1.state.reached, uniquingKeysWith: +) }
    }
}

/// A rule's verdict on the results of its checks.
struct RuleJudgement {
    let rule: Rule
    /// The results, by check.
    private let results: [String: CheckResult]
    /// The verdict that holds.
    let verdict: VerdictDefinition?
    /// The undecided verdicts before the one that holds, or all undecided verdicts if none holds.
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
                state[entry.key.value]?.result(circumstances.extent, circumstances.requests) ?? CheckResult(.unknown)
            // The missing events may be in hidden rows.
            if circumstances.extent.hidesRows, result.truth == .no { result.truth = .unknown }
            return result
        case .config(let config): return ConfigCheck(definition: config).result(configs, hasRefused: hasRefused)
        case .differs(let differs): return DiffersCheck(definition: differs).result(configs, hasRefused: hasRefused)
        case .quality(let quality): return QualityCheck(definition: quality).result(circumstances.extent)
        case .farm(let condition): return FarmCheck(condition: condition).result(circumstances.farm)
        }
    }

    /// The result of a check.
    subscript(check: String) -> CheckResult { results[check] ?? CheckResult(.unknown) }

    /// The true checks that the verdict or its symptoms name, in the order of the rule.
    var trueChecks: [String] {
        guard let verdict else { return [] }
        let named = Set(verdict.when.checks + (verdict.symptoms ?? []))
        return rule.checks.keys.filter { named.contains($0) && self[$0].truth == .yes }
    }

    /// Returns the reason why the rule could not be evaluated; `nil` if it could.
    ///
    /// A rule with a verdict counts as evaluated. A missing optional input is not a reason.
    fileprivate func reasonNotEvaluated(_ circumstances: Circumstances) -> String? {
        guard verdict == nil else { return nil }
        let isConfigGiven = !circumstances.configs.isEmpty || circumstances.hasRefused
        if rule.needs.logs == .required, !circumstances.extent.isGiven {
            return circumstances.extent.isEmpty ? "no row was examined" : "no logs were given"
        }
        if rule.needs.webConfig == .required, !isConfigGiven { return "no web.config was given" }
        if rule.needs.farm == .required, circumstances.farm == nil { return "no farm.json was given" }
        if !circumstances.extent.isGiven, !isConfigGiven {
            return circumstances.extent.isEmpty ? "no row was examined" : "neither logs nor a web.config was given"
        }
        if rule.needs.webConfig != nil, circumstances.hasRefused, hasUnknown(.config) {
            return "a web.config was refused"
        }
        if rule.needs.webConfig == .required, hasUnknown(.config) {
            let servers = Set(circumstances.configs.compactMap { $0.source.server?.lowercased() })
            return rule.comparesServers && servers.count < 2
                ? "it compares servers; specify the web.config of two or more, each as SERVER=PATH"
                : "web.config does not settle it: the value is not true or false, is encrypted, or is in another file"
        }
        if rule.needs.farm == .required, hasUnknown(.farm) { return "farm.json does not settle it" }
        guard circumstances.extent.isGiven, hasUnknown(.logs) else { return nil }
        if !circumstances.extent.isComplete { return "a log was not read to the end" }
        if circumstances.extent.hidesRows { return "a filter hides rows that it may need" }
        return "the log begins or ends in the middle of a request that it needs"
    }

    private func hasUnknown(_ input: CheckDefinition.Input) -> Bool {
        rule.checks.entries.contains { $0.value.input == input && self[$0.key.value].truth == .unknown }
    }
}

extension Rule {
    /// Whether the rule's verdicts combine facts from logs and web.config files, which must be from the same server.
    fileprivate var joinsLogsAndConfig: Bool {
        checks.entries.contains { if case .config = $0.value.kind { true } else { false } }
            && checks.entries.contains { $0.value.input == .logs }
    }

    fileprivate var comparesServers: Bool {
        checks.entries.contains { if case .differs = $0.value.kind { true } else { false } }
    }
}

extension CheckDefinition {
    fileprivate enum Input { case logs, config, farm }

    /// The subject of the check.
    fileprivate var input: Input {
        switch kind {
        case .count, .sequence, .absence, .quality: .logs
        case .config, .differs: .config
        case .farm: .farm
        }
    }
}

/// The outcome of a rule.
struct RuleOutcome {
    let rule: Rule
    /// All findings, worst first; a report lists ``Rule/maximumFindings`` of them.
    private(set) var findings: [Finding] = []
    /// Whether there may be more findings, because there were too many values to distinguish.
    let hasDropped: Bool
    private(set) var notEvaluated: String?
    /// The servers for which the rule is judged separately; see ``RuleRun``.
    private let servers: [String]
    /// The true checks of verdicts, and the selectors that they are based on.
    private var evidence: [(values: [String], selectors: UInt64, result: CheckResult)] = []
    /// The selectors of true checks that counted rows, including those of contradicted findings.
    private(set) var counted: Set<UInt64> = []

    /// - Parameters:
    ///   - judgements: One for each value of the rule's `per` captures.
    ///   - rule: The rule.
    ///   - hasDropped: Whether there were too many values to distinguish.
    ///   - circumstances: The inputs of the run.
    ///   - servers: The servers for which the rule is judged separately.
    init(
        _ judgements: [(values: [String], judgement: RuleJudgement)],
        _ rule: Rule,
        hasDropped: Bool,
        _ circumstances: Circumstances,
        servers: [String]
    ) {
        self.rule = rule
        self.servers = servers
        self.hasDropped = hasDropped
        for (values, judgement) in judgements {
            guard let finding = Finding(judgement, per: values) else { continue }
            findings.append(finding)
            for check in judgement.trueChecks where judgement[check].count > 0 {
                let selectors = Self.selectors(of: check, in: rule)
                if selectors != 0 { counted.insert(selectors) }
            }
            // A contradicted finding does not claim events that others may use.
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
    }

    private static func selectors(of check: String, in rule: Rule) -> UInt64 {
        let names = rule.selectors.keys
        return (rule.checks[check]?.selectors ?? []).reduce(0) { mask, selector in
            names.firstIndex(of: selector.value).map { mask | 1 << UInt64($0) } ?? mask
        }
    }

    /// Returns whether an event that meets these selectors is evidence for a finding.
    fileprivate func isEvidence(_ match: RuleMatch, _ groups: EventGroups) -> Bool {
        let values =
            rule.per.map { name in match.captures.first { $0.name == name }?.value ?? "" }
            + RuleRun.server(of: groups, servers)
        return evidence.contains {
            $0.selectors & match.selectors != 0 && $0.values == values && $0.result.isEvidence(groups)
        }
    }

    /// Marks the findings as usual, except those that are also based on configuration, which rows do not contain.
    mutating func markUsual() {
        for index in findings.indices where findings[index].config.isEmpty && findings[index].farm.isEmpty {
            findings[index].isUsual = true
        }
    }

    /// Returns whether at least some of the events that meet these selectors are evidence for a finding.
    func explains(_ selectors: UInt64) -> Bool { evidence.contains { $0.selectors & selectors != 0 } }
}

extension Finding {
    /// Returns whether a finding precedes another in a report: worst first, then by rule, first time, and fingerprint.
    static func isBefore(_ one: Finding, _ other: Finding) -> Bool {
        if one.severity != other.severity { return one.severity > other.severity }
        if one.rule.id != other.rule.id { return one.rule.id < other.rule.id }
        let times = (one.firstTime?.instant ?? .min, other.firstTime?.instant ?? .min)
        if times.0 != times.1 { return times.0 < times.1 }
        return one.fingerprint < other.fingerprint
    }
}

/// The result of a check.
struct CheckResult: Sendable {
    var truth: Ternary
    /// The number of events, groups, or values counted.
    var count = 0
    /// Whether there may be more than ``count``, because a limit was reached.
    var isAtLeast = false
    var tally = Tally()
    /// The web.config elements that make the check true.
    var config: [ConfigEvidence] = []
    /// Sentences about the facts in the farm's file that make the check true.
    var farm: [String] = []
    /// The groups whose events are evidence; `nil` if all events that meet the check's selectors are evidence.
    var groups: Set<GroupKey>?
    /// The grouping of ``groups``.
    var grouping = Grouping.request

    init(_ truth: Ternary) { self.truth = truth }

    /// Returns whether an event that meets the check's selectors is evidence.
    func isEvidence(_ event: EventGroups) -> Bool {
        guard truth == .yes else { return false }
        return groups?.contains(event[grouping]) ?? true
    }
}

/// The state of a check on logs while events arrive.
protocol CheckState {
    /// Takes the next event that meets one of its rule's selectors.
    mutating func take(_ match: borrowing MatchedEvent)

    /// Returns the final result, once all events have arrived.
    func result(_ extent: LogExtent, _ requests: RequestLedger) -> CheckResult

    /// The number of times each limit was reached.
    var reached: [DiagnosisLimit: Int] { get }
}

/// A summary of the events that a check counted.
struct Tally: Sendable {
    /// The number of events or groups.
    private(set) var count = 0
    private(set) var servers: Set<String> = []
    private(set) var first: LogTime?
    private(set) var last: LogTime?
    private(set) var evidence: [Evidence] = []
    /// The first abnormal row of the first event's request, if the rule asks for it.
    private(set) var firstAbnormal: Evidence?
    private(set) var captures: [Capture] = []

    /// The maximum number of events whose text is kept, unless the first group contains more.
    private static let maximumEvidence = 5
    private static let maximumServers = 1000
    private static let maximumCaptures = 32

    /// Counts an event.
    mutating func add(_ match: borrowing MatchedEvent) {
        if count == 0 { firstAbnormal = match.firstAbnormal }
        count += 1
        if evidence.count < Self.maximumEvidence { evidence.append(match.evidence) }
        note(match.event.time, match.event.server, match.captures)
    }

    /// Counts a group made up of these events.
    mutating func add(_ events: [Sighting]) {
        if count == 0 { firstAbnormal = events.first?.firstAbnormal }
        count += 1
        let keepsEvidence = evidence.isEmpty || evidence.count + events.count <= Self.maximumEvidence
        for event in events {
            if keepsEvidence { evidence.append(event.evidence) }
            note(event.evidence.time, event.evidence.server, event.captures)
        }
    }

    /// Records the time and server of an event that is not counted because it may have been counted already.
    mutating func extend(_ match: borrowing MatchedEvent) { note(match.event.time, match.event.server, []) }

    private mutating func note(_ time: LogTime, _ server: String?, _ captures: [Capture]) {
        if let server, servers.count < Self.maximumServers { servers.insert(server) }
        if time.quality != .none {
            if first.map({ time.instant < $0.instant }) ?? true { first = time }
            if last.map({ time.instant > $0.instant }) ?? true { last = time }
        }
        for capture in captures where self.captures.count < Self.maximumCaptures {
            if !self.captures.contains(where: { $0.name == capture.name }) { self.captures.append(capture) }
        }
    }
}

/// The part of an event that a check keeps in case it counts later.
struct Sighting: Sendable {
    var evidence: Evidence
    fileprivate var captures: [Capture]
    var firstAbnormal: Evidence?

    init(_ match: borrowing MatchedEvent) {
        evidence = match.evidence
        captures = match.captures
        firstAbnormal = match.firstAbnormal
    }
}

/// An event that meets one or more of a rule's selectors.
struct MatchedEvent {
    var event: ULSEvent
    /// A bit for each selector of the rule.
    var selectors: UInt64
    var captures: [Capture]
    var groups: EventGroups
    /// The first abnormal row of the event's request, if the rule asks for it.
    var firstAbnormal: Evidence?

    /// Returns whether the event meets a selector.
    func meets(_ selector: Int) -> Bool { selectors & (1 << UInt64(selector)) != 0 }

    /// Returns the value of a capture.
    func capture(_ name: String) -> String? { captures.first { $0.name == name }?.value }

    var evidence: Evidence { Evidence(event) }
}

extension Evidence {
    init(_ event: borrowing ULSEvent, role: Role = .match) {
        let message = event[.message]
        let isTruncated = message.count > Self.maximumText
        var end = min(message.count, Self.maximumText)
        // Don't cut in the middle of a character.
        while isTruncated, end > 0, message[end] & 0xC0 == 0x80 { end -= 1 }
        let correlation = event.text(.correlation)
        self.init(
            role: role,
            place: event.place,
            time: event.time,
            server: event.server,
            eventID: event.text(.eventID),
            level: event.text(.level),
            category: event.text(.category),
            correlation: correlation.isEmpty ? nil : correlation,
            text: message.extracting(first: end).text,
            isTruncated: isTruncated
        )
    }
}

/// The inputs of a run, and the extent to which they were read; the final results of checks depend on both.
struct Circumstances {
    var extent: LogExtent
    var requests: RequestLedger
    var configs: [WebConfigFile]
    var refusedConfigs: [WebConfigError]
    var farm: FarmFacts?
    var hasRefused: Bool { !refusedConfigs.isEmpty }

    /// Returns the circumstances of one server, in lowercase: its own web.config files, and those without a server,
    /// which apply to all servers.
    func of(server: String) -> Circumstances {
        let isIts = { (source: WebConfigSource) in source.server.map { $0.lowercased() == server } ?? true }
        var own = self
        own.configs = configs.filter { isIts($0.source) }
        own.refusedConfigs = refusedConfigs.filter { isIts($0.source) }
        return own
    }
}

// MARK: Available inputs

extension DiagnosisReport {
    /// The number of rules that could not be evaluated although all their inputs were given.
    package var notEvaluatedWithInputs: Int { notEvaluated.count { hasInputs($0.rule.checks.entries.map(\.value)) } }

    /// The number of findings with an undecided verdict although all inputs of that verdict were given.
    package var undecidedWithInputs: Int {
        (findings + known).count { finding in
            finding.undecided.contains { id in
                let verdict = finding.rule.verdicts.first { $0.id == id }
                return hasInputs(verdict?.when.checks.compactMap { finding.rule.checks[$0] } ?? [])
            }
        }
    }

    /// Whether there are files of at least two servers.
    private var comparesServers: Bool { Set(configs.compactMap { $0.source.server?.lowercased() }).count > 1 }

    /// Returns whether all inputs of these checks were given.
    private func hasInputs(_ checks: [CheckDefinition]) -> Bool {
        checks.allSatisfy { check in
            if case .differs = check.kind, refusedConfigs.isEmpty, !comparesServers { return false }
            return switch check.input {
            case .logs: logs != nil
            case .config: !configs.isEmpty || !refusedConfigs.isEmpty
            case .farm: farm != nil
            }
        }
    }
}
