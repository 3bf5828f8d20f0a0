import JSONText
package import LogDiagnosis
package import ReportKit
package import TextKit
package import ULSLog

/// Renders a diagnosis in any of its formats.
///
/// ```swift
/// let renderer = DiagnosisRenderer(report, options)
/// renderer.append(as: .text, to: &standardOutput)
/// renderer.append(as: .junit, to: &file)
/// ```
package final class DiagnosisRenderer: Sendable {
    package static let forms: [OutputForm] = [
        .text, .json, .ndjson, .html, .markdown, .junit, .sarif, .github, .azure, .codequality, .csv, .prometheus,
    ]

    private let report: DiagnosisReport
    private let options: DiagnosisOptions

    package init(_ report: DiagnosisReport, _ options: DiagnosisOptions) {
        self.report = report
        self.options = options
    }

    /// Appends the whole report.
    package func append(as form: OutputForm, to bytes: inout [UInt8]) {
        switch form {
        case .text: DiagnosisText(report, options).append(to: &bytes)
        case .json: DiagnosisObject.append(report, options, to: &bytes)
        case .ndjson: DiagnosisRecords(report, options).append(to: &bytes)
        case .html: DiagnosisHTML(report, options).append(to: &bytes)
        case .markdown: DiagnosisMarkdown(report, options).append(to: &bytes)
        case .junit: JUnitReport(report, options).append(to: &bytes)
        case .sarif: SARIFLog(report, options).append(to: &bytes)
        case .github: WorkflowCommands(report, options).append(to: &bytes)
        case .azure: PipelineCommands(report, options).append(to: &bytes)
        case .codequality: CodeQualityReport(report, options.gate).append(to: &bytes)
        case .csv: FindingTable.append(report, options.csv, to: &bytes)
        case .prometheus: DiagnosisMetrics.append(report, options, to: &bytes)
        default: form.failAsUndeclared()
        }
    }
}

/// The options of the diagnosis formats, in addition to the findings.
///
/// Everything is passed in, including the time and random values, so the same report and options produce the same
/// bytes.
package struct DiagnosisOptions: Sendable {
    /// The layout of ``OutputForm/text``; the other formats have their own.
    package var layout = TextLayout()
    /// Traces of requests that findings show, by correlation, for ``OutputForm/sarif``.
    package var requests: [String: RequestTrace] = [:]
    /// The rows of a short input in which nothing was found.
    package var describedRows = DescribedRows()
    /// The style of ``OutputForm/csv``.
    package var csv = CSVStyle()
    /// The level of detail of findings in ``OutputForm/text``; the other formats contain everything.
    package var detail = FindingDetail.page
    /// Conditions under which the diagnosis fails.
    package var gate = DiagnosisGate()
    /// The exit code, from ``DiagnosisConclusion``.
    package var status = ExitStatus.done
    /// The reasons the result is not reliable, from ``DiagnosisConclusion``.
    package var rejections: [String] = []
    /// The version of this program.
    package var version: String
    /// The start of the run, as the time since 1970; `nil` to leave it out.
    package var startedAt: Duration?
    package var duration = Duration.zero
    /// The machine on which the diagnosis ran.
    package var host: String?
    /// An unguessable word: a GitHub runner ignores commands until it reads the word again.
    package var token: String

    package init(version: String, token: String) {
        self.version = version
        self.token = token
    }

    /// Returns the reasons the input was rejected, including refused files of a report; empty if it was not rejected.
    func reasonsOfRejection(of report: DiagnosisReport) -> [String] {
        status == .inputRejected ? rejections + report.refusedConfigs.map { "\($0)" } : rejections
    }
}

extension DiagnosisReport {
    /// The words of a command line that name the logs: `/logs`, or `LOGS` if there are many, or if they can't be read
    /// again.
    var logWords: String {
        guard (1...3).contains(inputs.count), !inputs.contains("-") else { return "LOGS" }
        return inputs.map(CommandLineWords.quoted).joined(separator: " ")
    }
}

/// Phrases about findings that several formats share.
enum ReportWords {
    /// Returns the time span of events; the date is repeated only if it differs: `2011-09-26T10:39:40.52 to
    /// 10:41:00.10`.
    static func span(_ first: LogTime?, _ last: LogTime?) -> String? {
        guard let first, let from = first.iso8601 else { return nil }
        guard let last, let until = last.iso8601, until != from else { return from }
        guard first.isoDate == last.isoDate else { return "\(from) to \(until)" }
        var bytes: [UInt8] = []
        last.appendTimeOfDay(to: &bytes)
        return "\(from) to \(String(decoding: bytes, as: UTF8.self))"
    }

    /// Lists at most `maximum` names: `WFE1, WFE2 and 3 more`.
    static func list(_ names: [String], maximum: Int) -> String {
        let rest = names.count - maximum
        let shown = names.prefix(maximum).joined(separator: ", ")
        return rest > 0 ? "\(shown) and \(Quantity(grouped: rest)) more" : shown
    }

    /// Describes the inputs of the rules: `1,219 rows in 1 file and 2 web.config files`.
    static func inputs(of report: DiagnosisReport) -> String {
        var parts: [String] = []
        if let logs = report.logs {
            let files = Quantity(grouped: logs.files.count(where: \.isRead), "file", "files")
            parts.append("\(Quantity(grouped: logs.lookedAt, "row", "rows")) in \(files)")
        }
        if !report.configs.isEmpty || parts.isEmpty {
            parts.append("\(Quantity(grouped: report.configs.count, "web.config file", "web.config files"))")
        }
        return parts.joined(separator: " and ")
    }

    /// Returns a rule's ID and title, for formats with little room: `FS0101 Tracing is on`.
    static func title(of rule: Rule) -> String { "\(rule.id) \(rule.title)" }

    /// The maximum number of servers to name.
    static let maximumServers = 8
}

/// Counts for all diagnosis formats, computed in one place so that they cannot disagree.
struct DiagnosisCounts: Hashable, Sendable {
    /// The number of findings of each severity, worst first, including zeros.
    let severities: [SeverityCount]
    /// Findings that are in the baseline.
    let known: Int
    /// Findings that are not in the baseline but no more frequent than usual.
    let usual: Int
    /// Findings and kinds of unexplained rows that suppressions hide.
    let suppressed: Int
    let passed: Int
    let notEvaluated: Int
    /// The number of rules that were run.
    let rules: Int
    /// Whether there may be more findings, because a limit was reached.
    let areAtLeast: Bool
    /// Kinds of rows that show a problem that no rule explains, in words: `5 kinds of rows unexplained`; `nil` if there
    /// are none.
    let unexplainedWords: String?

    struct SeverityCount: Hashable, Sendable {
        let severity: Severity
        let count: Int
    }

    init(_ report: DiagnosisReport) {
        severities = report.counts.map { SeverityCount(severity: $0.severity, count: $0.count) }
        usual = report.usual.count
        known = report.known.count - usual
        suppressed = report.suppressed.count
        passed = report.passed.count
        notEvaluated = report.notEvaluated.count
        rules = report.ruleCount
        areAtLeast = report.findingsAreAtLeast
        let kinds = Quantity(
            grouped: report.unexplainedKinds,
            "kind",
            "kinds",
            isAtLeast: report.unexplainedIsAtLeast
        )
        unexplainedWords = report.unexplainedKinds > 0 ? "\(kinds) of rows unexplained" : nil
    }

    /// The number of findings of all severities that are neither known, usual nor suppressed, including those not
    /// listed.
    var findings: Int { severities.reduce(0) { $0 + $1.count } }

    /// Returns the number of findings at or above a severity; 0 for `nil`.
    func count(atLeast severity: Severity?) -> Int {
        guard let severity else { return 0 }
        return severities.reduce(0) { $0 + ($1.severity >= severity ? $1.count : 0) }
    }

    /// Findings in words: `1 error, 2 warnings`; empty if there are none.
    var severityWords: String {
        let words = severities.filter { $0.count > 0 }.map {
            "\(Quantity(grouped: $0.count)) \($0.severity.noun(of: $0.count))"
        }
        return (areAtLeast ? "at least " : "") + words.joined(separator: ", ")
    }

    /// Known, usual and suppressed findings in words: `2 known`, `1 as usual`, `1 suppressed`.
    var asideWords: [String] {
        [
            known > 0 ? "\(Quantity(grouped: known)) known" : nil,
            usual > 0 ? "\(Quantity(grouped: usual)) as usual" : nil,
            suppressed > 0 ? "\(Quantity(grouped: suppressed)) suppressed" : nil,
        ].compactMap(\.self)
    }

    /// Returns the counts in one line: `3 findings: 1 error, 2 warnings · 5 kinds of rows unexplained · 41 rules found
    /// nothing · 4 not evaluated`.
    func sentence(_ separator: String = " · ") -> String {
        let found =
            findings == 0
            ? "no findings"
            : "\(Quantity(grouped: findings, "finding", "findings", isAtLeast: areAtLeast)): \(severityWords)"
        let rules = [
            "\(Quantity(grouped: passed, "rule", "rules")) found nothing",
            notEvaluated > 0 ? "\(Quantity(grouped: notEvaluated)) not evaluated" : nil,
        ]
        return ([found] + asideWords + ([unexplainedWords] + rules).compactMap(\.self)).joined(separator: separator)
    }
}

/// The result of one rule.
package struct RuleResult {
    enum Outcome {
        case passed
        case notEvaluated(reason: String)
        /// Findings; the associated value contains the listed ones.
        case found([Finding])
        /// Findings that are all known, or no more frequent than usual.
        case known([Finding])
        /// Findings that are all suppressed, or known.
        case suppressed([SuppressedFinding])
    }

    let rule: Rule
    let outcome: Outcome
    /// The number of findings that are neither known nor suppressed, including those not listed.
    let findingCount: Int

    /// Whether the rule has any findings, including known and suppressed ones.
    var isFound: Bool {
        switch outcome {
        case .passed, .notEvaluated: false
        case .found, .known, .suppressed: true
        }
    }

    /// Returns the results of all rules, ordered by ID.
    package static func all(of report: DiagnosisReport) -> [RuleResult] {
        let found = Dictionary(grouping: report.findings, by: \.rule.id)
        let known = Dictionary(grouping: report.known, by: \.rule.id).filter { found[$0.key] == nil }
        let hidden = Dictionary(grouping: report.suppressed.filter { $0.finding != nil }) { $0.finding?.rule.id }
        let omitted = Dictionary(grouping: report.omitted, by: \.rule)
        let withFindings = found.compactMap { id, findings in
            findings.first.map { first in
                let rest = (omitted[id] ?? []).reduce(0) { $0 + $1.count }
                return RuleResult(rule: first.rule, outcome: .found(findings), findingCount: findings.count + rest)
            }
        }
        let withKnown = known.compactMap { id, findings in
            findings.first.flatMap { first in
                hidden[id] == nil ? RuleResult(rule: first.rule, outcome: .known(findings), findingCount: 0) : nil
            }
        }
        let withSuppressed = hidden.compactMap { id, suppressed in
            suppressed.first?.finding.flatMap { first in
                found[first.rule.id] == nil
                    ? RuleResult(rule: first.rule, outcome: .suppressed(suppressed), findingCount: 0) : nil
            }
        }
        let passed = report.passed.map { RuleResult(rule: $0, outcome: .passed, findingCount: 0) }
        let notEvaluated = report.notEvaluated.map {
            RuleResult(rule: $0.rule, outcome: .notEvaluated(reason: $0.reason), findingCount: 0)
        }
        return (withFindings + withKnown + withSuppressed + passed + notEvaluated).sorted { $0.rule.id < $1.rule.id }
    }
}

/// Rules that could not be evaluated for the same reason.
struct NotEvaluatedGroup {
    let reason: String
    private(set) var rules: [Rule]

    /// Returns the groups in the order of their first rules.
    static func groups(of notEvaluated: [NotEvaluated]) -> [NotEvaluatedGroup] {
        var places: [String: Int] = [:]
        return notEvaluated.reduce(into: []) { groups, entry in
            if let place = places[entry.reason] {
                groups[place].rules.append(entry.rule)
            } else {
                places[entry.reason] = groups.count
                groups.append(NotEvaluatedGroup(reason: entry.reason, rules: [entry.rule]))
            }
        }
    }
}

extension Severity {
    /// Returns the noun for a number of findings: `error`, `errors`.
    fileprivate func noun(of count: Int) -> String {
        switch self {
        case .error, .warning: count == 1 ? rawValue : rawValue + "s"
        case .info, .critical: rawValue
        }
    }

    /// The style of the severity: the worse the severity, the more prominent the style.
    var style: TerminalStyle {
        switch self {
        case .critical, .error: .boldRed
        case .warning: .boldMagenta
        case .info: .bold
        }
    }
}

extension DiagnosisNews {
    /// Appends a line about a new or changed finding: `2024-03-11T11:03:00.200  error  FS1099  …`.
    package func appendLine(to bytes: inout [UInt8], _ layout: TextLayout) {
        switch self {
        case .finding(let finding, let before):
            // A new finding is shown with the time of its first row; a changed one, with the time of its last row.
            let time = before == nil ? finding.firstTime : finding.lastTime
            appendTime(time, to: &bytes)
            let was = before.map { $0 == finding.severity ? " (different verdict)" : " (was \($0.rawValue))" } ?? ""
            bytes.append(finding.severity.style, layout) { $0.append(text: finding.severity.rawValue) }
            bytes.append(text: "\(was)  \(finding.rule.id)  ")
            appendText(finding.message, to: &bytes, layout)
        case .unexplained(let cluster):
            appendTime(cluster.firstTime, to: &bytes)
            bytes.append(text: "unexplained  ")
            bytes.append(line: cluster.eventID.isEmpty ? "-" : cluster.eventID, layout)
            bytes.append(text: "  ")
            appendText(cluster.template, to: &bytes, layout)
        }
    }

    private func appendTime(_ time: LogTime?, to bytes: inout [UInt8]) {
        bytes.append(text: time?.iso8601 ?? "-")
        bytes.append(text: "  ")
    }

    private func appendText(_ text: String, to bytes: inout [UInt8], _ layout: TextLayout) {
        bytes.append(line: text, layout)
        bytes.append(0x0A)
    }
}

/// `fastctl.baseline/1`: known findings as JSON, with one entry per line, so that versions of the file can be compared.
package enum BaselineRenderer {
    package static func append(_ baseline: FindingBaseline, to bytes: inout [UInt8]) {
        bytes.append(text: "{\"schema\":\"\(FindingBaseline.schema)\",\"findings\":[")
        for (index, entry) in baseline.entries.enumerated() {
            bytes.append(text: index == 0 ? "\n" : ",\n")
            bytes += JSONWriter.object { object in
                object.member("rule", entry.rule.text)
                object.member("fingerprint", entry.fingerprint)
                object.member("severity", entry.severity.rawValue)
                object.member("title", entry.title)
                object.member("servers", entry.servers)
            }
        }
        bytes.append(text: baseline.entries.isEmpty ? "]}\n" : "\n]}\n")
    }
}

/// `fastctl.normal/1`: the kinds of rows that show problems in a log that is considered normal, one per line.
package enum NormalRenderer {
    package static func append(_ normal: NormalFailures, to bytes: inout [UInt8]) {
        bytes.append(object: NormalFailures.schema) { object in
            // One decimal is enough for a rate.
            object.member("hours", raw: Array("\(Double(Int(normal.hours * 10)) / 10)".utf8))
            object.array("kinds") { array in
                for kind in normal.kinds {
                    array.object { object in
                        object.member("id", kind.id)
                        object.member("eventID", kind.eventID)
                        object.member("template", kind.template)
                        object.member("rows", kind.rows)
                    }
                }
            }
            if !normal.others.isEmpty {
                object.object("others") { object in
                    for (id, rows) in normal.others.sorted(by: { $0.key < $1.key }) { object.member(id, rows) }
                }
                object.member("isIncomplete", normal.isIncomplete)
            }
            guard let portrait = normal.portrait else { return }
            object.array("failures") { array in
                for kind in portrait.kinds {
                    array.object { object in
                        object.member("id", kind.id)
                        object.member("eventID", kind.eventID)
                        object.member("template", kind.template)
                        object.member("exception", kind.exception)
                        object.member("level", log: kind.level.word)
                        object.member("rows", kind.rows)
                        object.member("events", kind.events)
                        object.object("servers") { object in
                            for (name, rows) in kind.servers.sorted(by: { $0.key < $1.key }) {
                                object.member(name, rows)
                            }
                        }
                    }
                }
            }
            object.array("servers") { array in
                for (_, server) in portrait.servers.sorted(by: { $0.key < $1.key }) {
                    array.object { object in
                        object.member("name", server.name)
                        object.member("hours", raw: NumberText.json(server.hours))
                    }
                }
            }
        }
        bytes.append(0x0A)
    }
}
