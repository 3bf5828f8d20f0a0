public import Redaction
public import ULSLog
public import WebConfig

/// The result of running rules over logs and configuration.
///
/// Each rule that was run either has findings, is in ``passed``, or is in ``notEvaluated``. Each of its findings is in
/// exactly one of ``findings``, ``known`` and ``suppressed``.
public struct DiagnosisReport: Sendable {
    /// The findings that are neither known nor suppressed, worst first, then by rule, first time, and fingerprint.
    public var findings: [Finding] = []
    /// The findings that are in the baseline and not worse than there, and usual findings below error, in the same
    /// order.
    public var known: [Finding] = []
    /// The findings and kinds of unexplained rows that suppressions hide.
    public var suppressed: [SuppressedFinding] = []
    /// The decisions made before the run.
    public var triage = FindingTriage()
    /// The baseline of this run: all findings except suppressed findings and findings about files given to the program.
    public var baseline = FindingBaseline([])
    /// The known findings that are gone: their rule could have found them but did not.
    public var gone: [FindingBaseline.Entry] = []
    /// The number of other known findings that were not found, because this run could not have seen them.
    public var unseenKnown = 0
    /// The rules without a true verdict, sorted by ID.
    public var passed: [Rule] = []
    /// The rules that could not be evaluated, sorted by ID.
    public var notEvaluated: [NotEvaluated] = []
    /// The findings that were left out because their rule has more than ``Rule/maximumFindings``.
    public var omitted: [OmittedFindings] = []
    /// The rows that show a problem and are neither noise nor evidence, by kind, most informative first.
    public var unexplained: [FailureCluster] = []
    /// The number of unexplained events and of their kinds, including those not listed.
    public var unexplainedEvents = 0
    /// The number of kinds of unexplained failures, including those not listed.
    public var unexplainedKinds = 0
    /// The number of unexplained rows that are not part of any kind, because they only follow rows of a kind in the
    /// same requests.
    public var unexplainedFollowing = 0
    /// The number of rows of normal kinds, which are not among the unexplained ones.
    public var normalRows = 0
    /// The number of normal kinds: those that also occur in the log of a normal day.
    public var normalKinds = 0
    /// The description of the log as a normal one, for comparison with other logs; `nil` unless requested.
    public var described: NormalFailures?
    /// Whether a limit was reached, so that there may be more unexplained events, in total and of each kind.
    public var unexplainedIsAtLeast = false
    /// The reason why no row of the logs was examined; `nil` if some rows were, or if the reason was not determined.
    public var emptiness: EmptySelection?
    /// The report on reading the logs; `nil` if no logs were given.
    public var logs: ReadReport?
    /// The inputs as named on the command line, if any.
    public var inputs: [String] = []
    /// The web.config files that checks examined.
    public var configs: [WebConfigFile] = []
    /// The files that were given but refused.
    public var refusedConfigs: [WebConfigError] = []
    /// Log-wide changes: silent sources, floods, and unfinished requests.
    public var changes: [LogChange] = []
    /// Restarts and configuration changes, by time.
    public var marks: [LogMark] = []
    /// The facts about the farm; `nil` if no file was given.
    public var farm: FarmFacts?
    /// Sentences about facts from the farm's file that are not part of a rule.
    public var farmNotes: [String] = []
    /// The limits of the diagnosis that were reached, with counts.
    public var limits: [DiagnosisLimitReached] = []
    /// The redaction of this report, or the request to show everything; `nil` if that is the default.
    public var redaction: RedactionSummary?

    /// The maximum number of kinds of unexplained events that are listed.
    public static let maximumUnexplained = 100

    /// Creates a report without findings.
    public init() {}

    /// Whether nothing was examined and the reason is known.
    package var isEmpty: Bool { emptiness?.isPartial == false }

    /// The reason why there is no verdict on the logs although rows were examined, because no rule could be evaluated;
    /// `nil` if at least one could.
    package var reasonOfNoVerdict: String? {
        guard let logs, logs.lookedAt > 0, !notEvaluated.isEmpty, notEvaluated.count == ruleCount else { return nil }
        let reasons = Dictionary(notEvaluated.map { ($0.reason, 1) }, uniquingKeysWith: +)
        guard let most = reasons.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else { return nil }
        return "no rule could be evaluated, so this is not a pass: \(most.key)"
    }

    /// Whether there may be more findings than counted, because a limit was reached.
    public var findingsAreAtLeast: Bool { limits.contains { $0.limit == .findingValues } }

    /// The number of rules that were run.
    public var ruleCount: Int {
        let found = findings + known + suppressed.compactMap(\.finding)
        return Set(found.map(\.rule.id)).count + passed.count + notEvaluated.count
    }

    /// The number of findings of each severity that are neither known nor suppressed, worst first, including those not
    /// listed.
    public var counts: [(severity: Severity, count: Int)] {
        Severity.allCases.reversed().map { severity in
            let listed = findings.count { $0.severity == severity }
            return (severity, listed + omitted.reduce(0) { $0 + ($1.severity == severity ? $1.count : 0) })
        }
    }
}

/// Conditions on rows that no row meets together.
public struct EmptySelection: Sendable, Hashable {
    /// A condition on rows, such as `of server` with `WFE9`.
    public struct Condition: Sendable, Hashable {
        /// The property that rows must have, without the value.
        public var words: String
        /// The wanted value; `nil` if the words alone express the condition.
        public var value: String?
        /// Whether the value names a server.
        public var isServer: Bool
        /// Whether rows with another value of the same option are also wanted.
        public var isAlternative: Bool

        /// Creates a condition.
        public init(_ words: String, _ value: String?, isServer: Bool = false, isAlternative: Bool = false) {
            (self.words, self.value, self.isServer, self.isAlternative) = (words, value, isServer, isAlternative)
        }

        var text: String { value.map { "\(words) '\($0)'" } ?? words }
    }

    /// The conditions that no row meets.
    public var conditions: [Condition]
    /// True if each condition is met by some row, but no row meets all of them.
    public var areTogether: Bool
    /// Whether rows were examined nevertheless, because another value is also wanted.
    public var isPartial: Bool

    /// Creates the reason; an empty list of conditions means that the logs have no rows.
    public init(_ conditions: [Condition], areTogether: Bool = false, isPartial: Bool = false) {
        (self.conditions, self.areTogether, self.isPartial) = (conditions, areTogether, isPartial)
    }

    /// Returns a sentence: `no row of server 'WFE9': the logs have APP1, WFE1`.
    package func sentence(_ logs: ReadReport?) -> String {
        sentence(coverage: logs?.coverage ?? [], files: logs?.files ?? [])
    }

    /// Returns the sentence; without `showsTimes`, it leaves out the times that the logs cover.
    package func sentence(coverage: [ServerCoverage], files: [SourceReport], showsTimes: Bool = true) -> String {
        guard !conditions.isEmpty else { return "there are no events in the logs; are they ULS logs?" }
        let texts = conditions.map(\.text)
        let what =
            areTogether && texts.count > 1
            ? "no row matches all of these: " + texts.joined(separator: ", ")
            : texts.map { "no row " + $0 }.joined(separator: ", ")
        if conditions.contains(where: \.isServer) {
            let names = Set(coverage.compactMap(\.server) + files.compactMap(\.server)).sorted()
            let more = names.count > Self.maximumNames ? ", …" : ""
            let known = names.prefix(Self.maximumNames).joined(separator: ", ")
            return names.isEmpty ? what : "\(what): the logs have \(known)\(more)"
        }
        let first = coverage.compactMap(\.firstTime).min { $0.instant < $1.instant }?.iso8601
        let last = coverage.compactMap(\.lastTime).max { $0.instant < $1.instant }?.iso8601
        guard showsTimes, let first, let last, conditions.contains(where: { $0.value == nil }) else { return what }
        return "\(what): the logs cover \(first) to \(last)"
    }

    /// The maximum number of servers that the sentence names.
    private static let maximumNames = 10
}

/// A rule that could not be evaluated, and why.
public struct NotEvaluated: Sendable {
    /// The rule.
    public var rule: Rule
    /// The reason in readable form: `no web.config was given`.
    public var reason: String

    /// Creates the record of a rule that could not be evaluated.
    public init(rule: Rule, reason: String) {
        self.rule = rule
        self.reason = reason
    }
}

/// Findings of a rule beyond those listed.
public struct OmittedFindings: Sendable, Hashable {
    /// The rule.
    public var rule: RuleID
    /// The severity of the findings.
    public var severity: Severity
    /// The number of the findings.
    public var count: Int
    /// Whether there may be more findings, because a limit was reached.
    public var isAtLeast: Bool

    /// Creates the count of findings that are not listed.
    public init(rule: RuleID, severity: Severity, count: Int, isAtLeast: Bool = false) {
        self.rule = rule
        self.severity = severity
        self.count = count
        self.isAtLeast = isAtLeast
    }
}

/// A limit that bounds the memory of a diagnosis.
public enum DiagnosisLimit: String, Sendable, CaseIterable {
    /// Groups of a check that may still lead to a result: 20,000. The oldest are dropped.
    case groups
    /// Distinct values, such as requests, that all checks together count exactly: 4,000,000. Beyond that, counts are
    /// "at least".
    case distinctValues
    /// Findings of a rule, by the values of its captures: 200 at most. Events of any other findings are not counted.
    case findingValues
    /// Kinds of unexplained events: 10,000. Events of all other kinds are counted together.
    case templates
    /// Events held for a rule that another rule supersedes: 10,000. Beyond that, events are settled based on the
    /// information available by then.
    case supersededEvents

    /// The limit as a number.
    public var maximum: Int {
        switch self {
        case .groups: 20_000
        case .distinctValues: 4_000_000
        case .findingValues: 200
        case .templates, .supersededEvents: 10_000
        }
    }
}

/// A limit, and how often it was reached.
public struct DiagnosisLimitReached: Sendable, Hashable {
    /// The limit.
    public var limit: DiagnosisLimit
    /// The number of times that it was reached.
    public var count: Int

    /// Creates the record of a limit that was reached.
    public init(limit: DiagnosisLimit, count: Int) {
        self.limit = limit
        self.count = count
    }
}

extension DiagnosisReport {
    /// Adds leads to the findings of rules that request them, by rereading the part of the log where their requests
    /// begin to fail.
    mutating func addLeads(from reader: LogReader, _ rules: RuleSet) throws {
        try Self.addLeads(to: &findings, from: reader, rules)
        try Self.addLeads(to: &known, from: reader, rules)
    }

    private static func addLeads(to findings: inout [Finding], from reader: LogReader, _ rules: RuleSet) throws {
        for index in findings.indices where findings[index].rule.lead != nil {
            guard let first = findings[index].evidence.first, first.role == .match,
                let id = first.correlation.flatMap(CorrelationPattern.init)?.id
            else { continue }
            let lead = try reader.firstEvent(
                of: id,
                before: first.time,
                by: RuleDuration.request.milliseconds,
                at: first.place
            ) { event in
                event.time == first.time && event.text(.eventID) == first.eventID
                    && event.text(.message).utf8.starts(with: first.text.utf8)
            } isWanted: { event in
                event.level.isAbnormal && !rules.selectors.isNoise(EventColumns(event))
            }
            guard let lead else { continue }
            let evidence = [Evidence(lead, role: .lead)] + findings[index].evidence
            findings[index].evidence = Array(evidence.prefix(Finding.maximumEvidence))
        }
    }
}
