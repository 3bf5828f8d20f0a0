import JSONText
import LogDiagnosis
import Redaction
import ReportKit
import TextKit

/// A diagnosis as test results: one test case per rule, and one per kind of unexplained rows if such rows make the run
/// fail.
///
/// The report uses only features that Jenkins, GitLab and GitHub Actions have in common: details in the text of
/// elements, unique names, one level of suites, no file or line. A rule that was not evaluated is skipped; findings
/// below the threshold are not failures. Rejected input is an error, because a file without failures would suggest a
/// healthy farm.
final class JUnitReport {
    private let report: DiagnosisReport
    private let options: DiagnosisOptions

    /// The size in bytes beyond which cases keep their names and results but lose their text.
    ///
    /// GitLab accepts 30 MB.
    private static let maximumBytes = 24 << 20
    fileprivate static let (logSuite, configSuite) = ("fastctl.uls", "fastctl.webconfig")
    /// The suite; a check of web.config alone has a separate one, whose results are shown next to those of the logs.
    private var suite: String { report.isOfConfigsAlone ? Self.configSuite : Self.logSuite }

    init(_ report: DiagnosisReport, _ options: DiagnosisOptions) {
        self.report = report
        self.options = options
    }

    func append(to bytes: inout [UInt8]) {
        let start = bytes.count
        let reasons = options.reasonsOfRejection(of: report)
        let rejected = reasons.isEmpty ? [] : [JUnitCase(rejections: reasons, in: suite)]
        let cases = rejected + RuleResult.all(of: report).map { JUnitCase($0, options.gate) } + unexplainedCases
        let counts = [
            ("tests", cases.count), ("failures", cases.count(where: \.isFailure)), ("errors", rejected.count),
        ]
        let numbers = counts.map { " \($0.0)=\"\($0.1)\"" }.joined()
        let time = " time=\"\(options.duration.secondsText)\""
        bytes.append(text: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" as StaticString)
        bytes.append(text: "<testsuites name=\"fastctl\"\(numbers)\(time)>\n")
        bytes.append(text: "  <testsuite name=\"\(suite)\"\(numbers)")
        bytes.append(text: " skipped=\"\(cases.count(where: \.isSkipped))\"\(time)")
        if let start = options.startedAt {
            // The time in UTC, without a fraction or time zone, as most readers expect it.
            bytes.append(text: " timestamp=\"\(UTCTimestamp(since1970: start).description.prefix(19))\"")
        }
        if let host = options.host {
            bytes.append(text: " hostname=\"" as StaticString)
            bytes.append(xml: lineText(host, JUnitCase.layout), inAttribute: true)
            bytes.append(text: "\"" as StaticString)
        }
        bytes.append(text: ">\n" as StaticString)
        for result in cases {
            result.append(to: &bytes, isBrief: bytes.count - start > Self.maximumBytes)
        }
        appendRest(to: &bytes)
        bytes.append(text: "  </testsuite>\n</testsuites>\n" as StaticString)
    }

    /// A failed case for each kind of unexplained rows, and one for all kinds that are not listed, if such rows make
    /// the run fail.
    private var unexplainedCases: [JUnitCase] {
        guard options.gate.failsOnUnexplained, report.unexplainedEvents > 0 else { return [] }
        let rest = UnlistedKinds(report)
        return report.unexplained.map { JUnitCase($0, in: suite, logs: report.logWords) }
            + (rest.isNone ? [] : [JUnitCase(rest, in: suite)])
    }

    /// Appends everything except the findings: unexplained rows, rules that were not evaluated, and unread input.
    private func appendRest(to bytes: inout [UInt8]) {
        var text: [UInt8] = []
        // Each kind has a separate case if it is a failure.
        for cluster in report.unexplained.prefix(while: \.saysMore) where !options.gate.failsOnUnexplained {
            FindingPage(cluster, isFull: true, logs: report.logWords).append(JUnitCase.layout, to: &text)
            text.append(0x0A)
        }
        DiagnosisPage.page(of: report, rows: options.describedRows, JUnitCase.layout)
            .append(to: &text, JUnitCase.layout)
        if !text.isEmpty { text.append(0x0A) }
        text.append(text: DiagnosisCounts(report).sentence() + "\n")
        bytes.append(text: "    <system-out>" as StaticString)
        bytes.append(xml: String(decoding: text, as: UTF8.self))
        bytes.append(text: "</system-out>\n" as StaticString)
    }
}

/// The result of one rule, or a kind of unexplained rows, as a test case.
package struct JUnitCase {
    private enum Result {
        case passed
        case failed([Finding])
        /// Rows that no rule explains, with their interpretation.
        case unexplained(Severity, message: String, text: String)
        /// Findings below the threshold.
        case tolerated([Finding])
        /// The rule was not evaluated or its findings are suppressed, as the reason states.
        case skipped(reason: String)
        /// Input that was rejected.
        case rejected(reasons: [String])
    }

    private let name: String
    /// The kind of input and the rule's category, which GitLab shows as the suite.
    private let className: String
    private let result: Result
    /// The number of findings that are not listed.
    private let omitted: Int

    /// The size in bytes beyond which the text of a case is cut.
    private static let maximumText = 64 << 10
    /// The layout of text that browsers show and runners print.
    static let layout = TextLayout(neutralizesRunnerCommands: true)

    package init(_ result: RuleResult, _ gate: DiagnosisGate) {
        let rule = result.rule
        name = ReportWords.title(of: rule)
        let root =
            rule.needs.logs == nil && rule.needs.webConfig != nil ? JUnitReport.configSuite : JUnitReport.logSuite
        className = rule.category.isEmpty ? root : "\(root).\(rule.category)"
        switch result.outcome {
        case .passed:
            self.result = .passed
            omitted = 0
        case .notEvaluated(let reason):
            self.result = .skipped(reason: "not evaluated: \(reason)")
            omitted = 0
        case .suppressed(let suppressed):
            let first = suppressed.first?.suppression.description ?? ""
            let rest = suppressed.count - 1
            self.result = .skipped(reason: first + (rest > 0 ? " (and \(Quantity(grouped: rest)) more)" : ""))
            omitted = 0
        case .known(let findings):
            self.result = .tolerated(findings)
            omitted = 0
        case .found(let findings):
            self.result = findings.contains(where: gate.fails) ? .failed(findings) : .tolerated(findings)
            omitted = result.findingCount - findings.count
        }
    }

    /// The failed case of a kind of unexplained rows.
    init(_ kind: FailureCluster, in suite: String, logs: String) {
        var text: [UInt8] = [0x0A]
        FindingPage(kind, isFull: true, logs: logs).append(Self.layout, to: &text)
        // The name is the same in each run: parts that differ between logs are in the message.
        name = "unexplained \(kind.id) \(kind.eventID) \(kind.template)"
        className = suite + ".unexplained"
        result = .unexplained(
            kind.severity,
            message: "\(kind.headline) (\(kind.rowsText))",
            text: String(decoding: text.prefix(Self.maximumText), as: UTF8.self)
        )
        omitted = 0
    }

    /// The failed case of all kinds that are not listed.
    fileprivate init(_ rest: UnlistedKinds, in suite: String) {
        name = "unexplained, not listed"
        className = suite + ".unexplained"
        result = .unexplained(.warning, message: rest.sentence, text: "")
        omitted = 0
    }

    /// The case of input that was rejected.
    fileprivate init(rejections: [String], in suite: String) {
        name = "input"
        className = suite
        result = .rejected(reasons: rejections)
        omitted = 0
    }

    fileprivate var isFailure: Bool {
        switch result {
        case .failed, .unexplained: true
        case .passed, .tolerated, .skipped, .rejected: false
        }
    }
    fileprivate var isSkipped: Bool { if case .skipped = result { true } else { false } }

    /// Appends the case; if `isBrief`, without the text of its findings.
    package func append(to bytes: inout [UInt8], isBrief: Bool) {
        bytes.append(text: "    <testcase" as StaticString)
        append("classname", className, to: &bytes)
        append("name", name, to: &bytes)
        bytes.append(text: " time=\"0.000\"" as StaticString)
        switch result {
        case .passed: bytes.append(text: "/>\n" as StaticString)
        case .skipped(let reason):
            bytes.append(text: ">\n      <skipped" as StaticString)
            append("message", reason, to: &bytes)
            bytes.append(text: "/>\n    </testcase>\n" as StaticString)
        case .failed(let findings):
            bytes.append(text: ">\n      <failure" as StaticString)
            append("type", findings.map(\.severity).max()?.rawValue ?? "", to: &bytes)
            append("message", headline(of: findings), to: &bytes)
            bytes.append(text: ">" as StaticString)
            bytes.append(xml: text(of: findings, isBrief: isBrief))
            bytes.append(text: "</failure>\n    </testcase>\n" as StaticString)
        case .unexplained(let severity, let message, let text):
            bytes.append(text: ">\n      <failure" as StaticString)
            append("type", severity.rawValue, to: &bytes)
            append("message", message, to: &bytes)
            bytes.append(text: ">" as StaticString)
            bytes.append(xml: isBrief ? "" : text)
            bytes.append(text: "</failure>\n    </testcase>\n" as StaticString)
        case .rejected(let reasons):
            bytes.append(text: ">\n      <error type=\"input-rejected\"" as StaticString)
            append("message", reasons[0], to: &bytes)
            bytes.append(text: ">" as StaticString)
            bytes.append(xml: reasons.map { lineText($0, Self.layout) }.joined(separator: "\n"))
            bytes.append(text: "</error>\n    </testcase>\n" as StaticString)
        case .tolerated(let findings):
            bytes.append(text: ">\n      <system-out>" as StaticString)
            bytes.append(xml: text(of: findings, isBrief: isBrief))
            bytes.append(text: "</system-out>\n    </testcase>\n" as StaticString)
        }
    }

    private func headline(of findings: [Finding]) -> String {
        let rest = findings.count - 1 + omitted
        return (findings.first?.message ?? "") + (rest > 0 ? " (and \(Quantity(grouped: rest)) more)" : "")
    }

    private func text(of findings: [Finding], isBrief: Bool) -> String {
        let count = Quantity(grouped: findings.count + omitted, "finding", "findings")
        guard !isBrief else { return "\(count): the text is too long for this file; use -o json" }
        var text: [UInt8] = [0x0A]
        var previous: Finding?
        for (index, finding) in findings.enumerated() {
            if text.count > Self.maximumText {
                let left = Quantity(grouped: findings.count - index, "more finding is", "more findings are")
                text.append(text: "\(left) not shown: -o json lists them all\n")
                break
            }
            if previous != nil { text.append(0x0A) }
            FindingText(finding, after: previous, Self.layout).append(to: &text)
            previous = finding
        }
        if omitted > 0 {
            text.append(text: "\n\(Quantity(grouped: omitted, "more finding is", "more findings are")) not listed\n")
        }
        return String(decoding: text, as: UTF8.self)
    }

    private func append(_ name: String, _ value: String, to bytes: inout [UInt8]) {
        bytes.append(text: " \(name)=\"")
        bytes.append(xml: lineText(value, Self.layout), inAttribute: true)
        bytes.append(text: "\"" as StaticString)
    }
}

/// A diagnosis for the log of a GitHub workflow: annotations, then the evidence in a section where commands are
/// ignored.
///
/// A runner executes commands in lines that begin with `::`, and after `##[` anywhere. Untrusted text is therefore
/// escaped in annotations; elsewhere, it is placed after `| `, commands in it are broken up, and the section is
/// enclosed in `::stop-commands::TOKEN` and `::TOKEN::`.
final class WorkflowCommands {
    private let report: DiagnosisReport
    private let options: DiagnosisOptions
    private let layout = TextLayout(neutralizesRunnerCommands: true)

    /// The number of annotations of one kind that GitHub shows for a step.
    private static let maximumPerKind = 10
    private static let whole = "see this step's log, or -o json"
    /// The maximum number of characters of an annotation's message; longer ones are cut.
    private static let maximumColumns = 2000

    /// Kinds of annotations on GitHub, worst first.
    private enum Kind: String, CaseIterable {
        case error, warning, notice

        init(_ severity: Severity) {
            switch severity {
            case .critical, .error: self = .error
            case .warning: self = .warning
            case .info: self = .notice
            }
        }
    }

    init(_ report: DiagnosisReport, _ options: DiagnosisOptions) {
        self.report = report
        self.options = options
    }

    func append(to bytes: inout [UInt8]) {
        for sentence in options.reasonsOfRejection(of: report) {
            bytes.append(text: "::error title=fastctl::")
            bytes.append(workflowData: String(lineText(sentence, layout).prefix(Self.maximumColumns)))
            bytes.append(0x0A)
        }
        appendAnnotations(to: &bytes)
        if !report.findings.isEmpty {
            bytes.append(text: "::stop-commands::\(options.token)\n")
            for finding in report.findings { appendEvidence(of: finding, to: &bytes) }
            bytes.append(text: "::\(options.token)::\n")
        }
        if let redaction = report.redaction {
            bytes.append(text: RedactionNote.phrase(about: redaction).text(layout) + "\n")
        }
        bytes.append(text: DiagnosisCounts(report).sentence() + "\n")
    }

    private func appendAnnotations(to bytes: inout [UInt8]) {
        let total = DiagnosisCounts(report).findings
        var shown: [Finding] = []
        for kind in Kind.allCases {
            let findings = report.findings.filter { Kind($0.severity) == kind }
            // The sentence about the remaining findings is also a notice.
            let isFull = shown.count + findings.count < total || findings.count > Self.maximumPerKind
            let room = kind == .notice && isFull ? Self.maximumPerKind - 1 : Self.maximumPerKind
            shown += findings.prefix(room)
            for finding in findings.prefix(room) { append(finding, as: kind, to: &bytes) }
        }
        var kinds = report.unexplainedKinds
        for kind in Kind.allCases {
            let room = Self.maximumPerKind - shown.count { Kind($0.severity) == kind } - (kind == .notice ? 1 : 0)
            let clusters = report.unexplained.filter { Kind(options.gate.loudness(of: $0)) == kind }
            for cluster in clusters.prefix(max(0, room)) {
                append(cluster, as: kind, to: &bytes)
                kinds -= 1
            }
        }
        let rest = total - shown.count
        let left = [
            rest > 0 ? Quantity(grouped: rest, "more finding", "more findings").description : nil,
            kinds > 0 ? Quantity(grouped: kinds, "more kind", "more kinds").description + " of unexplained row" : nil,
        ].compactMap(\.self)
        guard !left.isEmpty else { return }
        let verb = rest + kinds == 1 ? "has" : "have"
        bytes.append(
            text: "::notice title=fastctl::\(left.joined(separator: " and ")) \(verb) no annotation: \(Self.whole)\n"
        )
    }

    /// Appends `::error file=…,line=…,endLine=…,title=…::…`.
    private func append(_ finding: Finding, as kind: Kind, to bytes: inout [UInt8]) {
        bytes.append(text: "::\(kind.rawValue) ")
        if let place = FindingPlace(finding) {
            append("file", place.path, to: &bytes)
            bytes.append(text: ",line=\(place.line),endLine=\(place.lineEnd),")
        }
        append("title", ReportWords.title(of: finding.rule), to: &bytes)
        bytes.append(text: "::" as StaticString)
        var lines = [finding.message] + finding.symptoms.map { "- \($0.text)" }
        if let step = finding.fix.first?.step { lines.append("Fix: \(step)") }
        let message = lines.map { lineText($0, layout) }.joined(separator: "\n")
        bytes.append(workflowData: String(message.prefix(Self.maximumColumns)))
        bytes.append(0x0A)
    }

    /// Appends an annotation about rows that no rule explains.
    private func append(_ cluster: FailureCluster, as kind: Kind, to bytes: inout [UInt8]) {
        let place = FindingPlace(cluster.example)
        bytes.append(text: "::\(kind.rawValue) ")
        append("file", place.path, to: &bytes)
        bytes.append(text: ",line=\(place.line),endLine=\(place.lineEnd),title=unexplained::")
        let lines = ["\(cluster.headline) (\(cluster.rowsText))"] + cluster.explanation.sentences
        let message = lines.map { lineText($0, layout) }.joined(separator: "\n")
        bytes.append(workflowData: String(message.prefix(Self.maximumColumns)))
        bytes.append(0x0A)
    }

    private func append(_ name: String, _ value: String, to bytes: inout [UInt8]) {
        bytes.append(text: "\(name)=")
        bytes.append(workflowProperty: lineText(value, layout))
    }

    private func appendEvidence(of finding: Finding, to bytes: inout [UInt8]) {
        var text: [UInt8] = []
        text.append(text: "\(finding.rule.id) \(finding.severity.rawValue): ")
        text.append(line: finding.message, layout)
        text.append(0x0A)
        EvidenceText(finding, layout, indent: 0, mark: "  ").append(to: &text)
        for line in text.split(separator: 0x0A) {
            bytes.append(text: "| " as StaticString)
            bytes.append(contentsOf: line)
            bytes.append(0x0A)
        }
    }
}

extension [UInt8] {
    /// Appends the message of a workflow command.
    ///
    /// Source: `actions/toolkit`, `packages/core/src/command.ts`.
    mutating func append(workflowData text: String) { append(text, percent: "%25") }

    /// Appends the value of a workflow command's property.
    mutating func append(workflowProperty text: String) { append(text, percent: "%25", escaping: ":,") }

    /// Appends a text in which line ends and the ASCII characters of `others` are escaped as `%0A`; `%` itself becomes
    /// `percent`.
    private mutating func append(_ text: String, percent: StaticString, escaping others: String = "") {
        for byte in text.utf8 {
            if byte == UInt8(ascii: "%") {
                append(text: percent)
            } else if byte == 0x0D || byte == 0x0A || others.utf8.contains(byte) {
                append(UInt8(ascii: "%"))
                append(hexadecimal: byte, uppercase: true)
            } else {
                append(byte)
            }
        }
    }
}

/// A diagnosis for the log of an Azure pipeline: issues, then the evidence as text in which commands are ignored.
///
/// An agent executes `##vso[…]` anywhere in a line. Untrusted text is therefore escaped in issues; elsewhere, commands
/// in it are broken up. An informational finding is a line of the log, because issues can only be errors or warnings.
final class PipelineCommands {
    private let report: DiagnosisReport
    private let options: DiagnosisOptions
    private let layout = TextLayout(neutralizesRunnerCommands: true)

    /// The maximum number of characters of an issue's message; longer ones are cut.
    private static let maximumColumns = 2000

    init(_ report: DiagnosisReport, _ options: DiagnosisOptions) {
        self.report = report
        self.options = options
    }

    func append(to bytes: inout [UInt8]) {
        for sentence in options.reasonsOfRejection(of: report) {
            append([sentence], .error, nil, code: "input-rejected", to: &bytes)
        }
        for finding in report.findings {
            var lines = [finding.message] + finding.symptoms.map { "- \($0.text)" }
            if let step = finding.fix.first?.step { lines.append("Fix: \(step)") }
            append(lines, finding.severity, FindingPlace(finding), code: finding.rule.id.text, to: &bytes)
        }
        for cluster in report.unexplained {
            let lines = ["\(cluster.headline) (\(cluster.rowsText))"] + cluster.explanation.sentences
            append(
                lines,
                options.gate.loudness(of: cluster),
                FindingPlace(cluster.example),
                code: "unexplained",
                to: &bytes
            )
        }
        for finding in report.findings { appendEvidence(of: finding, to: &bytes) }
        bytes.append(text: DiagnosisCounts(report).sentence() + "\n")
    }

    /// Appends `##vso[task.logissue type=…;sourcepath=…;linenumber=…;columnnumber=…;code=…;]…`.
    private func append(
        _ lines: [String],
        _ severity: Severity,
        _ place: FindingPlace?,
        code: String,
        to bytes: inout [UInt8]
    ) {
        let message = lines.map { lineText($0, layout) }
        guard severity > .info else {
            bytes.append(text: "\(code) info: \(message.joined(separator: " "))\n")
            return
        }
        bytes.append(text: "##vso[task.logissue type=\(severity > .warning ? "error" : "warning");")
        if let place {
            bytes.append(text: "sourcepath=" as StaticString)
            bytes.append(pipelineProperty: lineText(place.path, layout))
            bytes.append(text: ";linenumber=\(place.line);columnnumber=\(place.column);")
        }
        bytes.append(text: "code=\(code);]")
        bytes.append(pipelineData: String(message.joined(separator: "\n").prefix(Self.maximumColumns)))
        bytes.append(0x0A)
    }

    private func appendEvidence(of finding: Finding, to bytes: inout [UInt8]) {
        bytes.append(text: "\(finding.rule.id) \(finding.severity.rawValue): ")
        bytes.append(line: finding.message, layout)
        bytes.append(0x0A)
        EvidenceText(finding, layout, indent: 0, mark: "  ").append(to: &bytes)
    }
}

extension [UInt8] {
    /// Appends the message of a logging command.
    ///
    /// Source: `microsoft/azure-pipelines-task-lib`, `node/taskcommand.ts`, `escapedata`.
    fileprivate mutating func append(pipelineData text: String) { append(text, percent: "%AZP25") }

    /// Appends the value of a logging command's property.
    ///
    /// Source: the same file, `escape`.
    fileprivate mutating func append(pipelineProperty text: String) {
        append(text, percent: "%AZP25", escaping: "];")
    }
}

/// A diagnosis for GitLab's merge requests: a Code Quality report, one issue for each finding.
///
/// Source: docs.gitlab.com, "Code Quality": `description`, `check_name`, a unique `fingerprint`, a `severity` of
/// `info`, `minor`, `major`, `critical` or `blocker`, `location.path` in the repository, and `location.lines.begin`.
final class CodeQualityReport {
    private let report: DiagnosisReport
    private let gate: DiagnosisGate

    init(_ report: DiagnosisReport, _ gate: DiagnosisGate) {
        self.report = report
        self.gate = gate
    }

    func append(to bytes: inout [UInt8]) {
        var list = JSONList(isArray: true)
        var fingerprints: [String: Int] = [:]
        for finding in report.findings {
            // Two findings of the same kind may have the same fingerprint, but GitLab requires unique ones.
            let number = fingerprints[finding.fingerprint, default: 0] + 1
            fingerprints[finding.fingerprint] = number
            append(
                [finding.message] + finding.symptoms.map(\.text) + (finding.reading?.sentences ?? []),
                name: finding.rule.id.text,
                finding.severity,
                FindingPlace(finding) ?? FindingPlace(file: report.firstInput ?? "-"),
                fingerprint: number == 1 ? finding.fingerprint : "\(finding.fingerprint):\(number)",
                to: &list,
                &bytes
            )
        }
        for cluster in report.unexplained {
            append(
                [cluster.headline] + cluster.explanation.sentences,
                name: "unexplained",
                gate.loudness(of: cluster),
                FindingPlace(cluster.example),
                fingerprint: cluster.id,
                to: &list,
                &bytes
            )
        }
        list.end(in: &bytes)
    }

    private func append(
        _ sentences: [String],
        name: String,
        _ severity: Severity,
        _ place: FindingPlace,
        fingerprint: String,
        to list: inout JSONList,
        _ bytes: inout [UInt8]
    ) {
        var writer = JSONWriter()
        let description = sentences.map { lineText($0, Self.layout) }.joined(separator: " ")
        writer.object { object in
            object.member("description", String(description.prefix(Self.maximumDescription)))
            object.member("check_name", name)
            object.member("fingerprint", fingerprint)
            object.member("severity", severity.codeQuality)
            object.object("location") { location in
                location.member("path", Self.relativePath(place.path))
                location.object("lines") { $0.member("begin", place.line) }
            }
        }
        list.append(to: &bytes) { $0 += writer.takeBytes() }
    }

    /// Returns a path without `./` or `/` at its beginning, because GitLab would not find the file by such a path.
    private static func relativePath(_ path: String) -> String {
        let segments = path.split(whereSeparator: { $0 == "/" || $0 == "\\" }).drop { $0 == "." }
        return segments.isEmpty ? "-" : segments.joined(separator: "/")
    }

    /// The layout of text in a web page, which escapes it itself.
    private static let layout = TextLayout()
    /// The maximum number of characters of a description; longer ones are cut.
    private static let maximumDescription = 2000
}

extension Severity {
    /// GitLab's word for the severity.
    fileprivate var codeQuality: String {
        switch self {
        case .critical: "blocker"
        case .error: "critical"
        case .warning: "minor"
        case .info: "info"
        }
    }
}
