import Synchronization
public import ULSLog
public import WebConfig
import YAML

/// A rule-based diagnosis of logs and configuration.
///
/// ```swift
/// let diagnosis = Diagnosis(rules: try .builtIn(), configs: [try .read(WebConfigSource(path: "web.config"))])
/// let report = try diagnosis.report(on: LogReader(inputs: ["/logs"]))
/// ```
public struct Diagnosis: Sendable {
    /// The rules to evaluate.
    public var rules: RuleSet
    /// The web.config files that checks examine.
    public var configs: [WebConfigFile]
    /// The files that were given but refused; their contents are unknown, not absent.
    public var refusedConfigs: [WebConfigError]
    /// The facts about the farm; `nil` if no file was given.
    public var farm: FarmFacts?
    /// The usual rates, from another log: kinds of rows, and findings below error, are reported only if they are more
    /// frequent than in that log.
    public var normal: NormalFailures?
    /// The decisions about findings: suppressions and known findings.
    public var triage = FindingTriage()
    /// Whether the report describes the log as a normal one, for comparison with other logs, which takes some time.
    public var describesNormal = false
    /// Whether rows that are noise are reported as findings, as the tests of such rules require.
    package var showsNoise = false

    /// Creates a diagnosis.
    public init(rules: RuleSet, configs: [WebConfigFile] = [], refusedConfigs: [WebConfigError] = []) {
        self.rules = rules
        self.configs = configs
        self.refusedConfigs = refusedConfigs
    }

    /// Reads logs and reports the problems found.
    ///
    /// - Parameters:
    ///   - reader: The logs, and which of their events to examine; `nil` if there are no logs.
    ///   - soFar: Takes the findings while the logs are being read, whenever another thread wants them.
    /// - Returns: The report, which is the same for any number of jobs.
    /// - Throws: Any error that the reader throws.
    public func report(on reader: LogReader?, soFar: FindingsSoFar? = nil) throws -> DiagnosisReport {
        guard var reader else { return report(on: nil as RecordedLog?) }
        try reader.findLogs()
        // Events that are not delivered can't be leads, so they are read again if that is cheap.
        let canReadAgain = try reader.canReadAgain()
        let counting: RulePrefilter.Counting = canReadAgain || !rules.haveLeads ? .inUnits : .afterwards
        let isPaste = try reader.detectPaste()
        let prefilter = RulePrefilter(rules.selectors, counting: counting, isPaste: isPaste)
        let run = DiagnosisReading(DiagnosisRun(self, prefilter))
        prefilter.note(run.run.kinds)
        let read = try reader.forEachEvent(chosenBy: prefilter) { edges in
            run.run.take(edges)
        } tallies: { unit, lines in
            run.run.take(unit, lines: lines)
            prefilter.note(run.run.kinds)
            soFar?.update { run.run.findingsSoFar() }
        } _: { event in
            run.run.take(event)
            soFar?.update { run.run.findingsSoFar() }
        }
        // The run is moved, because a copy would keep the kinds that the end of a run drops.
        var whole = DiagnosisRun(self)
        swap(&whole, &run.run)
        var report = (consume whole).finish(
            read,
            hidesRows: reader.filter.hidesRows,
            isFiltered: !reader.filter.isEmpty,
            hasWindow: !reader.window.isAll
        )
        if counting == .inUnits { try report.addLeads(from: reader, rules) }
        return report
    }

    /// A run shared by the closures that take edges, counts, and events in turn.
    private final class DiagnosisReading {
        var run: DiagnosisRun

        init(_ run: DiagnosisRun) { self.run = run }
    }

    /// Reports the problems in a log that has already been read.
    public func report(on log: RecordedLog?) -> DiagnosisReport {
        var run = DiagnosisRun(self)
        for edges in log?.edges ?? [] { run.take(edges) }
        for event in log?.events ?? [] { run.take(event) }
        return run.finish(log?.report)
    }

    /// Returns the rules' findings in a log that has already been read, and the rules that passed or were not evaluated:
    /// the part of a report that depends only on rules and takes a fraction of the time.
    package func judgement(on log: RecordedLog?) -> DiagnosisReport {
        var run = DiagnosisRun(self)
        run.onlyJudges = true
        for edges in log?.edges ?? [] { run.take(edges) }
        for event in log?.events ?? [] { run.take(event) }
        return run.judge(log.map { LogExtent($0.report) } ?? .none)
    }
}

/// The findings of a diagnosis whose logs are still being read; any of them may change or disappear before the end.
///
/// The thread that reads computes them only if another thread has asked since the last time, at most once a second.
public final class FindingsSoFar: Sendable {
    private let isWanted: Atomic<Bool>
    private let isAlwaysWanted: Bool
    private let newest = Mutex((due: ContinuousClock.now, findings: [Finding]()))

    /// Creates an empty list, which is computed at each opportunity if `isAlwaysWanted`, even if no thread asks.
    public init(isAlwaysWanted: Bool = false) {
        self.isAlwaysWanted = isAlwaysWanted
        isWanted = Atomic(isAlwaysWanted)
    }

    /// Returns the findings that were computed last, and asks for newer ones, at most once a second.
    public func findings() -> [Finding] {
        let now = ContinuousClock.now
        return newest.withLock { newest in
            if now >= newest.due {
                newest.due = now + .seconds(1)
                isWanted.store(true, ordering: .relaxed)
            }
            return newest.findings
        }
    }

    /// Computes the findings if another thread has asked for them.
    fileprivate func update(_ findings: () -> [Finding]) {
        guard isWanted.load(ordering: .relaxed) else { return }
        isWanted.store(isAlwaysWanted, ordering: .relaxed)
        let found = findings()
        newest.withLock { $0.findings = found }
    }
}

extension EventFilter {
    /// Whether the filter hides rows of requests that it selects; filters by server, process or correlation don't.
    var hidesRows: Bool {
        level != nil || !categories.isEmpty || !eventIDs.isEmpty || examinesMessages || !excludedCategories.isEmpty
            || !excludedEventIDs.isEmpty
    }
}

/// The state of all rules while events arrive.
struct DiagnosisRun {
    private let diagnosis: Diagnosis
    private let matcher: EventMatcher
    private var rules: [RuleRun]
    private var groups = RequestGroups()
    private var requests: RequestLedger
    private var clusters: ClusterTable
    private var marks = LogMarks()
    private var firstAbnormal = FirstAbnormalEvents()
    private let budget: DistinctBudget
    private let hasLeads: Bool
    /// Whether the leads of requests with a correlation are read afterward, because not all of their rows arrive here.
    private let readsLeads: Bool
    private var count = 0
    /// Whether unexplained rows are left out because only the findings of rules are wanted.
    fileprivate var onlyJudges = false

    /// Creates a run; `prefilter` is the prefilter of the events, if any.
    init(
        _ diagnosis: Diagnosis,
        _ prefilter: RulePrefilter? = nil,
        distinctValues: Int = DiagnosisLimit.distinctValues.maximum
    ) {
        self.diagnosis = diagnosis
        clusters = ClusterTable(normal: diagnosis.normal?.hashes ?? [])
        let rules = diagnosis.rules.rules
        matcher = EventMatcher(diagnosis.rules.selectors, prefilter)
        let budget = DistinctBudget(distinctValues)
        self.budget = budget
        self.rules = rules.map { rule in
            RuleRun(
                rule,
                superseders: rules.indices.filter { rules[$0].supersedes.contains(rule.id) },
                configs: diagnosis.configs.map(\.source) + diagnosis.refusedConfigs.map(\.source),
                budget: budget
            )
        }
        requests = RequestLedger(within: rules.map(\.reach).max() ?? 0)
        hasLeads = diagnosis.rules.haveLeads
        readsLeads = prefilter?.counting == .inUnits
    }

    mutating func take(_ edges: RequestEdges) { requests.take(edges) }

    /// Takes the counts of a unit; `lines` is the number of lines of text before the unit.
    mutating func take(_ unit: ClusterUnit, lines: Int) {
        for (id, problem) in unit.firstProblems { requests.take(problem.moved(by: lines), of: id) }
        clusters.add(unit, lines: lines)
    }

    /// The known kinds of unexplained events.
    var kinds: KnownKinds { clusters.known }

    mutating func take(_ event: borrowing ULSEvent) {
        if LogMarks.areMarks(eventID: event[.eventID]) { marks.note(event) }
        let result = matcher.matches(event)
        let (matches, isAbnormal) = (result.matches, result.isAbnormal)
        if !onlyJudges, let signs = result.problem,
            let problem = clusters.add(event, rank: result.rank, signs, matches), let id = event.correlationID
        {
            requests.take(problem, of: id)
        }
        guard !matches.isEmpty || isAbnormal && hasLeads else { return }
        count += 1
        let groups = groups.groups(of: event, number: count)
        let keepsLead = hasLeads && !(readsLeads && groups.request.isCorrelation)
        if isAbnormal, keepsLead { firstAbnormal.note(event, groups.request) }
        for match in matches {
            let wantsLead = keepsLead && rules[match.rule].rule.lead != nil
            let matched = MatchedEvent(
                event: copy event,
                selectors: match.selectors,
                captures: match.captures,
                groups: groups,
                firstAbnormal: wantsLead ? firstAbnormal.event(before: event, groups.request) : nil
            )
            rules[match.rule].take(matched, matches)
            if rules[match.rule].isFull { settleEarly(match.rule) }
        }
    }

    /// Settles a rule for which too many events are waiting, based on the information so far.
    private mutating func settleEarly(_ number: Int) {
        let now = circumstances(.soFar)
        let others = rules
        rules[number].settle { others[$0].outcome(now) }
        rules[number].noteEarlySettlement()
    }

    /// Returns the report as it would be if no more events arrived, without ending the run.
    func reportSoFar(_ log: ReadReport, hidesRows: Bool, isFiltered: Bool) -> DiagnosisReport {
        withoutSpending { $0.finish(log, hidesRows: hidesRows, isFiltered: isFiltered, hasWindow: true) }
    }

    /// Returns the findings of rules as if no more events arrived; the absence of a row is not one, because the row may follow.
    fileprivate func findingsSoFar() -> [Finding] { withoutSpending { $0.judge(.unfinished) }.findings }

    /// Ends a copy of the run, which must not use up the shared budget for events that wait for other rules.
    private func withoutSpending(_ end: (consuming DiagnosisRun) -> DiagnosisReport) -> DiagnosisReport {
        let left = budget.left
        defer { budget.restore(left) }
        return end(self)
    }

    /// Returns the report on all rules.
    ///
    /// `log` is `nil` if no logs were given; a filter or a window may have excluded some of its rows.
    consuming func finish(
        _ log: ReadReport?,
        hidesRows: Bool = false,
        isFiltered: Bool = false,
        hasWindow: Bool = false
    ) -> DiagnosisReport {
        var extent = log.map { LogExtent($0) } ?? .none
        extent.hidesRows = hidesRows
        let surroundings = surroundings(extent, isFiltered ? nil : log?.activity)
        var outcomes = outcomes(circumstances(extent))
        let explains = { [outcomes] (rule: Int, selectors: UInt64) in outcomes[rule].explains(selectors) }
        let unexplained = clusters.unexplained(explains)
        let exceptions = clusters.exceptions
        let free = unexplained.reduce(clusters.beyondFree) { $0 + $1.count.count }
        // Only normal failures need the kinds again.
        if diagnosis.normal == nil, !diagnosis.describesNormal { clusters.dropKinds() }
        let clustered = ClusterReport(unexplained, surroundings) {
            requests.isExplained($0, exceptions: exceptions, explains)
        }
        for number in usualRules(outcomes, hours: surroundings.hours) { outcomes[number].markUsual() }
        outcomes.removeAll { !diagnosis.showsNoise && $0.rule.kind == .noise }
        var sorting = FindingSorting(diagnosis.triage)
        var report = DiagnosisReport(outcomes, &sorting)
        for index in report.findings.indices { report.findings[index].read() }
        sorting.take(clustered)
        report.take(clustered, of: free)
        report.unexplainedIsAtLeast = clusters.beyond.count > 0
        if diagnosis.describesNormal { report.described = described(hours: surroundings.hours, log) }
        report.logs = log
        report.marks = surroundings.marks.list
        // Missing rows are not silence if they were filtered out or not read.
        if let log, !isFiltered, extent.isComplete {
            let found = LogChanges(log.activity)
            report.changes = found.all + requests.unended(found.ends)
        }
        report.take(diagnosis, servers: extent.serverNames)
        report.limits = limits
        let isWhole = !isFiltered && !hasWindow && (log == nil || extent.isComplete)
        sorting.finish(&report, triageScope(extent, isWhole: isWhole, outcomes))
        return report
    }

    /// Returns a report with only the findings of rules, without further explanations.
    fileprivate consuming func judge(_ extent: LogExtent) -> DiagnosisReport {
        let showsNoise = diagnosis.showsNoise
        let outcomes = outcomes(circumstances(extent))
        var sorting = FindingSorting(diagnosis.triage)
        return DiagnosisReport(outcomes.filter { showsNoise || $0.rule.kind != .noise }, &sorting)
    }

    /// Returns the outcomes of all rules, with superseding rules settled first.
    private mutating func outcomes(_ circumstances: Circumstances) -> [RuleOutcome] {
        var outcomes: [RuleOutcome?] = rules.map { _ in nil }
        for number in diagnosis.rules.order {
            rules[number].settle { outcomes[$0] }
            outcomes[number] = rules[number].outcome(circumstances)
        }
        return outcomes.compactMap(\.self)
    }

    private func circumstances(_ extent: LogExtent) -> Circumstances {
        Circumstances(
            extent: extent,
            requests: requests,
            configs: diagnosis.configs,
            refusedConfigs: diagnosis.refusedConfigs,
            farm: diagnosis.farm
        )
    }

    /// Returns the surroundings of clusters; `activity` is `nil` if a filter may have excluded rows.
    private func surroundings(_ extent: LogExtent, _ activity: LogActivity?) -> ClusterSurroundings {
        ClusterSurroundings(
            extent: extent.whole,
            servers: extent.namedServers,
            marks: marks.with(activity),
            requests: requests,
            normal: diagnosis.normal,
            triage: diagnosis.triage
        )
    }

    /// Returns the part of a farm that the run covers; `isWhole` is true if all rows of the logs were examined.
    private func triageScope(_ extent: LogExtent, isWhole: Bool, _ outcomes: [RuleOutcome]) -> TriageScope {
        let servers = extent.serverNames + diagnosis.configs.compactMap(\.source.server)
        return TriageScope(
            isWhole: isWhole && diagnosis.refusedConfigs.isEmpty,
            hasLogs: extent.isGiven,
            hasConfigs: !diagnosis.configs.isEmpty,
            hasFarm: diagnosis.farm != nil,
            servers: Set(servers.map { $0.lowercased() }),
            rules: outcomes.map(\.rule),
            unsure: Set(outcomes.filter { $0.notEvaluated != nil || $0.hasDropped }.map(\.rule.id))
        )
    }

    /// Returns the numbers of the rules whose findings are based on normal rows, as frequent as usual or less.
    private func usualRules(_ outcomes: [RuleOutcome], hours: Double) -> [Int] {
        // Rows whose kinds were not distinguished may be of any kind.
        guard let normal = diagnosis.normal, clusters.beyond.count == 0 else { return [] }
        let matched = clusters.matchedRows(noise: noise) { rule, selectors in
            outcomes[rule].counted.contains { $0 & selectors != 0 }
        }
        return matched.filter { normal.areNormal(outcomes[$0.key], $0.value, hours: hours) }.map(\.key)
    }

    /// The numbers of the rules that define noise.
    private var noise: Set<Int> { Set(rules.indices.filter { rules[$0].rule.kind == .noise }) }

    /// Describes the log's usual rates for all kinds of rows that show a problem and are not noise, whether or not
    /// rules explain them.
    private func described(hours: Double, _ log: ReadReport?) -> NormalFailures {
        let noise = noise
        let kinds = clusters.unexplained { rule, _ in noise.contains(rule) }
        var normal = NormalFailures(
            kinds: kinds.map {
                NormalFailures.Kind(
                    id: $0.members[0],
                    eventID: $0.name.eventID,
                    template: $0.name.template,
                    rows: $0.count.count
                )
            },
            others: clusters.beyond.byID,
            isIncomplete: clusters.beyond.areIncomplete,
            hours: hours
        )
        normal.portrait = log.map { LogPortrait($0, kinds) }
        return normal
    }

    private var limits: [DiagnosisLimitReached] {
        var reached = rules.reduce(into: [:]) { $0.merge($1.limits, uniquingKeysWith: +) }
        if clusters.beyond.count > 0 { reached[.templates] = clusters.beyond.count }
        return DiagnosisLimit.allCases.compactMap { limit in
            reached[limit].map { DiagnosisLimitReached(limit: limit, count: $0) }
        }
    }
}

extension DiagnosisReport {
    fileprivate init(_ outcomes: [RuleOutcome], _ sorting: inout FindingSorting) {
        self.init()
        for outcome in outcomes {
            if !outcome.findings.isEmpty {
                let new = sorting.take(outcome.findings)
                findings += new.prefix(Rule.maximumFindings)
                if let omission = OmittedFindings(of: outcome, among: new) { omitted.append(omission) }
            } else if let reason = outcome.notEvaluated {
                notEvaluated.append(NotEvaluated(rule: outcome.rule, reason: reason))
            } else {
                passed.append(outcome.rule)
            }
        }
        findings.sort(by: Finding.isBefore)
    }

    /// Takes the rows that no rule explains; `rows` is their number.
    fileprivate mutating func take(_ clustered: ClusterReport, of rows: Int) {
        unexplained = clustered.clusters
        unexplainedEvents =
            rows - clustered.normal.rows - clustered.meaningless - clustered.again - clustered.suppressedRows
        unexplainedKinds = clustered.kinds
        unexplainedFollowing = clustered.following
        normalRows = clustered.normal.rows
        normalKinds = clustered.normal.kinds
    }

    /// Takes the configuration that was examined, and notes on the farm in relation to the servers of the logs.
    fileprivate mutating func take(_ diagnosis: Diagnosis, servers: [String]) {
        configs = diagnosis.configs
        refusedConfigs = diagnosis.refusedConfigs
        farm = diagnosis.farm
        farmNotes = diagnosis.farm?.notes(servers: servers) ?? []
    }
}

extension OmittedFindings {
    /// Counts the new findings of a rule that are not listed; `nil` if all are listed.
    fileprivate init?(of outcome: RuleOutcome, among new: [Finding]) {
        let rest = new.dropFirst(Rule.maximumFindings)
        guard let severity = rest.map(\.severity).max() else { return nil }
        self.init(rule: outcome.rule.id, severity: severity, count: rest.count, isAtLeast: outcome.hasDropped)
    }
}

extension Rule {
    /// The maximum number of milliseconds that the rule's checks look back.
    fileprivate var reach: Int64 {
        checks.entries.map { entry in
            switch entry.value.kind {
            case .count(let count): count.within?.milliseconds ?? 0
            case .sequence(let sequence): (sequence.within ?? .request).milliseconds
            case .absence(let absence): absence.within.milliseconds
            case .config, .differs, .quality, .farm: 0
            }
        }.max() ?? 0
    }
}

/// The first abnormal row of each request, for the rules whose evidence begins with it.
private struct FirstAbnormalEvents {
    private var events: [GroupKey: (event: ULSEvent, last: Int64)] = [:]
    private static let maximum = 10_000

    /// Records an abnormal event.
    mutating func note(_ event: borrowing ULSEvent, _ request: GroupKey) {
        let instant = event.time.instant
        if let index = events.index(forKey: request) {
            events.values[index].last = instant
            return
        }
        if events.count >= Self.maximum {
            let request = RuleDuration.request.milliseconds
            events = events.filter { instant - $0.value.last <= request }
            if events.count >= Self.maximum { events.removeAll() }
        }
        var kept = copy event
        _ = kept.truncateMessage(to: Evidence.maximumText + 4)
        events[request] = (kept, instant)
    }

    /// Returns the first abnormal row of an event's request, unless it is the event itself.
    func event(before event: borrowing ULSEvent, _ request: GroupKey) -> Evidence? {
        guard let first = events[request]?.event, first.place != event.place else { return nil }
        return Evidence(first, role: .lead)
    }
}

/// A diagnosis of logs that are being written, which reports news as it arrives, and everything at the end.
///
/// The diagnosis begins at the end of each server's newest log. It has no clock and does not wait; see `LogFollower`.
public struct LiveDiagnosis {
    /// A run that the closures of a follower share.
    private final class State {
        var run: DiagnosisRun
        var hasChanged = true

        init(_ run: DiagnosisRun) { self.run = run }

        func take(_ event: borrowing ULSEvent) {
            run.take(event)
            hasChanged = true
        }
    }

    private let state: State
    private var follower: LogFollower
    private let filter: EventFilter
    private var known = KnownFailures()

    /// Creates the diagnosis.
    ///
    /// - Throws: A `LogError` if an input does not exist or cannot grow.
    public init(_ diagnosis: Diagnosis, following reader: LogReader) throws {
        // Rows can't be read again while logs are being written, so all relevant rows are kept as they arrive.
        let prefilter = RulePrefilter(diagnosis.rules.selectors, counting: .afterwards)
        let state = State(DiagnosisRun(diagnosis, prefilter))
        self.state = state
        filter = reader.filter
        follower = try LogFollower(reader, chosenBy: prefilter, last: .max) { edges in
            state.run.take(edges)
            state.hasChanged = true
        }
    }

    /// The folders to watch.
    public var folders: [String] { follower.folders }

    /// Looks for newly written text; see `LogFollower.look(at:relists:_:)`.
    public mutating func look(at now: Duration, relists: Bool) throws -> Bool {
        try follower.look(at: now, relists: relists) { [state] event, _ in state.take(event) }
    }

    /// Returns the maximum time to wait before looking again.
    public func pause(at now: Duration) -> Duration { follower.pause(at: now) }

    /// Returns the information gained since the last call.
    public mutating func news() -> [DiagnosisNews] {
        guard state.hasChanged else { return [] }
        state.hasChanged = false
        return known.news(in: report(follower.report))
    }

    /// Ends the diagnosis and returns the report.
    public mutating func finish() throws -> DiagnosisReport {
        report(try follower.finish { [state] event, _ in state.take(event) })
    }

    private func report(_ log: ReadReport) -> DiagnosisReport {
        state.run.reportSoFar(log, hidesRows: filter.hidesRows, isFiltered: !filter.isEmpty)
    }
}

/// News found while logs are written.
public indirect enum DiagnosisNews: Sendable {
    /// A finding that is new, or whose severity or verdict has changed.
    case finding(Finding, before: Severity?)
    /// Rows of a kind that no rule explains.
    case unexplained(FailureCluster)
}

/// Findings and kinds that have already been reported.
private struct KnownFailures {
    /// The severities and verdicts by fingerprint.
    private var findings: [String: (severity: Severity, verdict: String)] = [:]
    private var clusters: Set<String> = []

    mutating func news(in report: DiagnosisReport) -> [DiagnosisNews] {
        var news: [DiagnosisNews] = []
        for finding in report.findings {
            let before = findings[finding.fingerprint]
            guard before?.severity != finding.severity || before?.verdict != finding.verdict else { continue }
            findings[finding.fingerprint] = (finding.severity, finding.verdict)
            news.append(.finding(finding, before: before?.severity))
        }
        for cluster in report.unexplained where clusters.insert(cluster.id).inserted {
            news.append(.unexplained(cluster))
        }
        return news
    }
}
