import WebConfig
import YAML

/// Decisions about findings that were made before a run: suppressions and known findings.
///
/// Suppressions are applied first; the findings that they hide are neither new nor known.
public struct FindingTriage: Sendable {
    /// The suppressions; `nil` if no file was given.
    public var suppressions: SuppressionFile?
    /// The known findings; `nil` if no file was given.
    public var baseline: FindingBaseline?
    /// The day of the run; `nil` if no suppression expires.
    public var today: CalendarDay?
    /// The IDs of all existing rules, including those that a run does not use; empty if they are not known.
    public var rules: Set<RuleID> = []

    /// Creates an empty triage, which changes nothing.
    public init() {}

    /// The parts of a report in which a finding can be listed.
    enum Place {
        case new
        /// In the baseline, or no more frequent than usual.
        case known
        case suppressed(Suppression)
    }

    /// Returns the part of the report for a finding, and the entries that cover it, whether or not in force.
    func place(of finding: Finding) -> (place: Place, covering: [Int]) {
        let covering = suppressions?.entries(covering: finding) ?? []
        if let entry = inForce(covering) { return (.suppressed(entry), covering) }
        // An error is always reported, even if it is usual.
        let isUsual = finding.isUsual && finding.severity < .error
        return (isUsual || baseline?.knows(finding) ?? false ? .known : .new, covering)
    }

    /// Returns the suppression that hides a kind of unexplained rows, if any, and the entries that cover it.
    func suppression(of cluster: FailureCluster) -> (suppression: Suppression?, covering: [Int]) {
        let covering = suppressions?.entries(covering: cluster) ?? []
        return (inForce(covering), covering)
    }

    /// Returns the first of these entries that has not expired.
    private func inForce(_ indexes: [Int]) -> Suppression? {
        indexes.lazy.compactMap { suppressions?.entries[$0] }.first { !isExpired($0) }
    }

    private func isExpired(_ suppression: Suppression) -> Bool { today.map(suppression.isExpired) ?? false }
}

/// A finding, or a kind of unexplained rows, that a suppression hides.
public struct SuppressedFinding: Sendable {
    /// The suppressed item: a finding or a kind of unexplained rows.
    public indirect enum Subject: Sendable {
        case finding(Finding)
        case unexplained(FailureCluster)
    }

    /// The suppressed item: a finding or a kind of unexplained rows.
    public var subject: Subject
    /// The suppression that hides it.
    public var suppression: Suppression

    /// Creates the record of something suppressed.
    public init(_ subject: Subject, by suppression: Suppression) {
        self.subject = subject
        self.suppression = suppression
    }

    /// The finding; `nil` if it is a kind of unexplained rows.
    public var finding: Finding? { if case .finding(let finding) = subject { finding } else { nil } }
}

/// The scope of a run, which decides whether it could have seen a finding.
struct TriageScope {
    /// Whether logs, configuration and the farm's file were read to their ends, without a window or a filter.
    var isWhole: Bool
    var hasLogs: Bool
    var hasConfigs: Bool
    var hasFarm: Bool
    /// The servers of the logs and of the configuration, in lowercase.
    var servers: Set<String>
    /// The rules that were run.
    var rules: [Rule]
    /// The rules that could not be evaluated, or could be evaluated only for some of the values.
    var unsure: Set<RuleID>

    /// Returns whether these servers are all in the input.
    func covers(_ named: [String]) -> Bool { named.allSatisfy { servers.contains($0.lowercased()) } }

    /// Returns whether a finding of a rule would have been found.
    func sees(_ id: RuleID) -> Bool {
        guard isWhole, !unsure.contains(id), let needs = rules.first(where: { $0.id == id })?.needs else {
            return false
        }
        return (needs.logs == nil || hasLogs) && (needs.webConfig == nil || hasConfigs)
            && (needs.farm == nil || hasFarm)
    }

    /// Returns whether this run would have found the findings that an entry hides.
    func sees(_ suppression: Suppression) -> Bool {
        // This run cannot see findings on other servers.
        guard covers(suppression.match?.servers ?? []) else { return false }
        switch suppression.subject {
        case .rule(let id): return sees(id)
        // A kind of rows that one log lacks may well occur in the next.
        case .cluster: return false
        }
    }
}

extension FindingTriage {
    /// Returns findings about entries that are out of date.
    ///
    /// `covering` are the entries that cover something in this run. Entries whose findings this run could not have seen
    /// are left out.
    func outdatedEntries(covering: Set<Int>, _ scope: TriageScope) -> [Finding] {
        guard let suppressions else { return [] }
        return suppressions.entries.indices.compactMap { index in
            let entry = suppressions.entries[index]
            guard let verdict = verdict(on: entry, isUsed: covering.contains(index), scope) else { return nil }
            let values = [
                Capture(name: "subject", value: entry.subjectText), Capture(name: "reason", value: entry.reason),
                Capture(name: "owner", value: entry.owner ?? ""),
                Capture(name: "until", value: entry.until?.description ?? ""),
            ].filter { !$0.value.isEmpty }
            // Entries with the same contents count as one decision.
            let identity = values.map(\.value) + [entry.match?.identity ?? ""]
            return Finding(
                of: ProgramRule.suppression,
                verdict: verdict,
                values,
                identity: identity,
                at: entry.place
            )
        }
    }

    private func verdict(on entry: Suppression, isUsed: Bool, _ scope: TriageScope) -> String? {
        if isExpired(entry) { return isRenewed(entry) ? "replaced" : "expired" }
        if isUsed { return nil }
        if case .rule(let id) = entry.subject, !rules.isEmpty, !rules.contains(id) { return "unknown-rule" }
        return scope.sees(entry) ? "stale" : nil
    }

    /// Returns whether another entry that is in force hides everything that this entry hid.
    private func isRenewed(_ entry: Suppression) -> Bool {
        (suppressions?.entries ?? []).contains { other in
            other.subject == entry.subject && !isExpired(other)
                && (other.match == nil || other.match?.identity == entry.match?.identity)
        }
    }

    /// Returns the known findings that are gone, and the number of those that were not found because this run could not
    /// have seen them.
    func goneFindings(
        except found: Set<String>,
        _ scope: TriageScope
    ) -> (gone: [FindingBaseline.Entry], unseen: Int) {
        let missing = (baseline?.entries ?? []).filter { !found.contains($0.fingerprint) }
        let gone = missing.filter { scope.sees($0.rule) && scope.covers($0.servers) }
        return (gone, missing.count - gone.count)
    }
}

/// The findings of one run, divided into new, known and suppressed findings as they arrive.
struct FindingSorting {
    private let triage: FindingTriage
    private var known: [Finding] = []
    private var suppressed: [SuppressedFinding] = []
    /// The known and new findings, for a baseline.
    private var told: [FindingBaseline.Entry] = []
    /// The fingerprints of all findings.
    private var fingerprints: Set<String> = []
    /// The suppressions that cover something, whether or not in force.
    private var covering: Set<Int> = []

    init(_ triage: FindingTriage) { self.triage = triage }

    /// Takes the findings of a rule; returns those that are new, in the same order.
    mutating func take(_ findings: [Finding]) -> [Finding] {
        var new: [Finding] = []
        for finding in findings {
            fingerprints.insert(finding.fingerprint)
            let (place, covering) = triage.place(of: finding)
            self.covering.formUnion(covering)
            switch place {
            case .new: new.append(finding)
            case .known: known.append(finding)
            case .suppressed(let suppression):
                suppressed.append(SuppressedFinding(.finding(finding), by: suppression))
                continue
            }
            told.append(FindingBaseline.Entry(finding))
        }
        return new
    }

    /// Takes the kinds of unexplained rows that are suppressed.
    mutating func take(_ clusters: ClusterReport) {
        suppressed += clusters.suppressed
        covering.formUnion(clusters.covering)
    }

    /// Adds known and suppressed findings to a report, and findings about suppressions that are out of date.
    consuming func finish(_ report: inout DiagnosisReport, _ scope: TriageScope) {
        report.triage = triage
        report.known = known.sorted(by: Finding.isBefore)
        for index in report.known.indices { report.known[index].read() }
        report.suppressed = suppressed
        report.baseline = FindingBaseline(told)
        (report.gone, report.unseenKnown) = triage.goneFindings(except: fingerprints, scope)
        guard triage.suppressions != nil else { return }
        let outdated = triage.outdatedEntries(covering: covering, scope)
        if outdated.isEmpty { report.passed.append(ProgramRule.suppression) }
        report.findings = (report.findings + outdated).sorted(by: Finding.isBefore)
    }
}

/// A baseline: the fingerprints of known findings, which distinguish them from new findings.
public struct FindingBaseline: Sendable, Hashable {
    /// A known finding.
    ///
    /// The message is left out because it may contain users and addresses, and the file is kept.
    public struct Entry: Sendable, Hashable {
        /// The fingerprint, which identifies the finding in every run.
        public var fingerprint: String
        /// The rule that found it.
        public var rule: RuleID
        /// The failure in a few words.
        public var title: String
        /// The severity at that time; a finding that has become worse is new.
        public var severity: Severity
        /// The servers with the finding; if the input does not cover them, it is unknown whether the finding is gone.
        public var servers: [String]

        /// Creates an entry.
        public init(fingerprint: String, rule: RuleID, title: String, severity: Severity, servers: [String] = []) {
            self.fingerprint = fingerprint
            self.rule = rule
            self.title = title
            self.severity = severity
            self.servers = servers
        }

        init(_ finding: Finding) {
            self.init(
                fingerprint: finding.fingerprint,
                rule: finding.rule.id,
                title: finding.rule.title,
                severity: finding.severity,
                servers: Set(finding.servers + finding.config.compactMap(\.source.server)).sorted()
            )
        }
    }

    /// The entries, sorted by rule and fingerprint, without duplicate fingerprints.
    public let entries: [Entry]
    private let severities: [String: Severity]

    /// Creates a baseline from entries.
    public init(_ entries: [Entry]) {
        // If a fingerprint occurs twice, as for two verdicts, the worst severity applies.
        let worst = Dictionary(entries.map { ($0.fingerprint, $0) }) { $0.severity >= $1.severity ? $0 : $1 }
        self.entries = worst.values.sorted { ($0.rule, $0.fingerprint) < ($1.rule, $1.fingerprint) }
        severities = worst.mapValues(\.severity)
    }

    /// Returns whether a finding is known and no worse than before.
    public func knows(_ finding: Finding) -> Bool {
        severities[finding.fingerprint].map { finding.severity <= $0 } ?? false
    }
}

extension FindingBaseline {
    /// The first member of the file.
    public static let schema = "fastctl.baseline/1"
    private static let maximumBytes = 16 << 20
    /// The maximum number of values: enough for 16 MB of findings with their servers.
    private static let maximumValues = 1_000_000

    private struct Document: Decodable {
        struct Entry: Decodable {
            var fingerprint: String
            var rule: RuleID
            var title: String
            var severity: Severity
            var servers: [String]?
        }

        var schema: String
        var findings: [Entry]
    }

    /// Reads a file that `diagnose --write-baseline` has written.
    ///
    /// - Throws: ``RuleError`` with the problem and its place.
    public static func read(_ path: String) throws(RuleError) -> FindingBaseline {
        let file = CompanionFile(path: path, maximumBytes: maximumBytes, maximumValues: maximumValues)
        let document: Document = try file.decode(try file.text())
        guard document.schema == schema else {
            throw RuleError(
                file: path,
                message: "it is not a baseline of findings; create one with 'fastctl diagnose --write-baseline'"
            )
        }
        return FindingBaseline(
            document.findings.map {
                Entry(
                    fingerprint: $0.fingerprint,
                    rule: $0.rule,
                    title: $0.title,
                    severity: $0.severity,
                    servers: $0.servers ?? []
                )
            }
        )
    }
}

/// Rules about files given to the program, which the program evaluates itself, because their checks are code, not data.
///
/// The command `rules show` finds them, and reports list them with the other rules.
public enum ProgramRule {
    /// A suppression that is out of date.
    static let suppression = Rule(
        id: RuleID(ofProgram: "FS9001"),
        slug: "suppression-out-of-date",
        revision: 1,
        status: .stable,
        kind: .failure,
        title: "A suppression is out of date",
        category: "program",
        tags: ["suppressions"],
        needs: Needs(),
        supersedes: [],
        per: [],
        selectors: .init(),
        checks: .init(),
        verdicts: [
            verdict("expired", "The suppression of {subject} ended on {until}: its findings are reported again."),
            verdict(
                "replaced",
                "The suppression of {subject} ended on {until}; another entry still hides the same findings.",
                .info
            ),
            verdict("stale", "The suppression of {subject} no longer hides anything."),
            verdict("unknown-rule", "The suppression of {subject} names a rule that does not exist."),
        ],
        explanation: FindingExplanation(
            what:
                "An entry in the suppressions file has expired, is for a rule with no findings to hide, or names a rule that does not exist.",
            why:
                "Suppressions are temporary, but easily forgotten. One that is no longer needed hides the next failure of its kind.",
            impact: "None for the farm's users."
        ),
        fix: [
            FixStep(
                step: "If the reason still applies, give the entry a later date in 'until'; otherwise remove it.",
                effect: "none",
                verdicts: ["expired"]
            ),
            FixStep(step: "Remove the entry.", effect: "none", verdicts: ["stale", "replaced"]),
            FixStep(
                step: "Correct the ID; if the rule is your own, name its folder with --rules.",
                effect: "none",
                verdicts: ["unknown-rule"]
            ),
        ],
        verify: "fastctl diagnose --suppress FILE /logs",
        references: []
    )

    /// A web.config file that does not meet expectations.
    static let expectation = Rule(
        id: RuleID(ofProgram: "FS9002"),
        slug: "webconfig-not-as-expected",
        revision: 1,
        status: .stable,
        kind: .failure,
        title: "web.config is not as expected",
        category: "program",
        tags: ["webconfig"],
        needs: Needs(webConfig: .required),
        supersedes: [],
        per: [],
        selectors: .init(),
        checks: .init(),
        verdicts: [
            verdict("different", "{setting} is '{found}' in {file}; expected: {expected}.", .error),
            verdict("absent", "{setting} is not set in {file}; expected: {expected}{standard|}.", .error),
            verdict("unexpected", "{setting} is '{found}' in {file}, but must not be set.", .error),
            verdict("unreadable", "{setting} is {found} in {file}; expected: {expected}.", .error),
            verdict("refused", "{file} could not be read, so its values could not be compared: {found}.", .error),
            verdict("missing", "No web.config of {server} was given, but there are expectations for it.", .error),
        ],
        explanation: FindingExplanation(
            what: "A web.config differs from the given expectations file.",
            why:
                "It was changed, or a server was set up differently. The outcome of requests then depends on the server that handles them.",
            impact: nil
        ),
        fix: [
            FixStep(
                step: "Find out why it was changed; correct the web.config or the expectations.",
                effect: "saving a web.config restarts its web application",
                verdicts: ["different", "absent", "unexpected", "unreadable"]
            ),
            FixStep(step: "Repair the file.", verdicts: ["refused"]),
            FixStep(step: "Name the server's file: SERVER[/ZONE]=PATH.", effect: "none", verdicts: ["missing"]),
        ],
        verify: "fastctl webconfig check --expect FILE PATH",
        references: []
    )

    /// All program rules.
    public static let all = [suppression, expectation]

    static let allIDs = Set(all.map(\.id))

    private static func verdict(_ id: String, _ message: String, _ severity: Severity = .warning) -> VerdictDefinition {
        VerdictDefinition(
            id: id,
            when: .check("as the program finds it"),
            severity: severity,
            confidence: .certain,
            message: message
        )
    }
}

extension RuleID {
    /// Creates an ID from text that is part of the program.
    fileprivate init(ofProgram text: String) { self.text = text }
}

extension Finding {
    /// Creates a finding of a program rule; `values` fill the message's placeholders, and `identity`, which is the same
    /// in each run, distinguishes it from other findings of the rule.
    init(
        of rule: Rule,
        verdict id: String,
        _ values: [Capture],
        identity: [String],
        at place: FilePlace
    ) {
        let verdict = rule.verdicts.first { $0.id == id } ?? rule.verdicts[0]
        let message = MessageTemplate(verdict.message)?.filled { name in values.first { $0.name == name }?.value }
        self.init(
            rule: rule,
            verdict: verdict,
            message: message ?? verdict.message,
            fingerprint: Self.fingerprint(of: [rule.id.text] + identity)
        )
        captures = values
        filePlace = place
        fix = rule.fix.filter { $0.verdicts.isEmpty || $0.verdicts.contains(id) }
    }
}
