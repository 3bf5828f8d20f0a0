import LogDiagnosis

/// A diagnosis as test results: one test case per rule, and one per kind of unexplained rows if these fail the run.
///
/// Common ground of Jenkins, GitLab and GitHub's actions: details in the text of elements, unique names, one level of
/// suites, no file or line. A rule that was not evaluated is skipped; findings below the threshold are not failures.
struct JUnitReport {
    private let report: DiagnosisReport
    private let options: DiagnosisOptions

    /// Size in bytes beyond which cases keep their names and results but lose their text.
    ///
    /// GitLab accepts 30 MB.
    private static let maximumBytes = 24 << 20
    fileprivate static let (logSuite, configSuite) = ("fastctl.uls", "fastctl.webconfig")
    /// A suite of its own for a check of web.config alone, whose results stand beside those of the logs.
    private var suite: String { report.isOfConfigsAlone ? Self.configSuite : Self.logSuite }

    init(_ report: DiagnosisReport, _ options: DiagnosisOptions) {
        self.report = report
        self.options = options
    }

    func append(to bytes: inout [UInt8]) {
        let start = bytes.count
        let cases = RuleResult.all(of: report).map { JUnitCase($0, options.gate) } + unexplainedCases
        let counts = [
            ("tests", cases.count), ("failures", cases.count(where: \.isFailure)), ("errors", 0),
        ]
        let numbers = counts.map { " \($0.0)=\"\($0.1)\"" }.joined()
        let time = " time=\"\(options.duration.secondsText)\""
        bytes.append(text: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" as StaticString)
        bytes.append(text: "<testsuites name=\"fastctl\"\(numbers)\(time)>\n")
        bytes.append(text: "  <testsuite name=\"\(suite)\"\(numbers)")
        bytes.append(text: " skipped=\"\(cases.count(where: \.isSkipped))\"\(time)")
        if let start = options.startedAt {
            // Without fraction and time zone, as most readers expect it; it is UTC.
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

    /// A failed case for each kind of unexplained rows, and one for those beyond the list, if they fail the run.
    private var unexplainedCases: [JUnitCase] {
        guard options.gate.failsOnUnexplained, report.unexplainedEvents > 0 else { return [] }
        let rest = UnlistedKinds(report)
        return report.unexplained.map { JUnitCase($0, in: suite) } + (rest.isNone ? [] : [JUnitCase(rest, in: suite)])
    }

    /// Appends everything but the findings: what was not explained, evaluated or read.
    private func appendRest(to bytes: inout [UInt8]) {
        var text: [UInt8] = []
        // Each has a case of its own if it is a failure.
        for cluster in report.unexplained.prefix(while: \.saysMore) where !options.gate.failsOnUnexplained {
            FindingPage(cluster, isFull: true).append(JUnitCase.layout, to: &text)
            text.append(0x0A)
        }
        DiagnosisPage.page(of: report).append(to: &text, JUnitCase.layout)
        if !text.isEmpty { text.append(0x0A) }
        text.append(text: DiagnosisCounts(report).sentence() + "\n")
        bytes.append(text: "    <system-out>" as StaticString)
        bytes.append(xml: String(decoding: text, as: UTF8.self))
        bytes.append(text: "</system-out>\n" as StaticString)
    }
}

/// The result of one rule, or a kind of unexplained rows, as a test case.
struct JUnitCase {
    private enum Result {
        case passed
        case failed([Finding])
        /// Rows that no rule explains, with what is said of them.
        case unexplained(Severity, message: String, text: String)
        /// Findings below the threshold.
        case tolerated([Finding])
        /// Not evaluated, or suppressed; the reason says which.
        case skipped(reason: String)
    }

    private let name: String
    /// Kind of input and the rule's category, where GitLab shows the suite.
    private let className: String
    private let result: Result
    /// Number of findings that are not listed.
    private let omitted: Int

    /// Size in bytes beyond which the text of a case is cut.
    private static let maximumText = 64 << 10
    /// Layout of text that browsers show and runners print.
    static let layout = TextLayout(neutralizesRunnerCommands: true)

    init(_ result: RuleResult, _ gate: DiagnosisGate) {
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
    init(_ kind: FailureCluster, in suite: String) {
        var text: [UInt8] = [0x0A]
        FindingPage(kind, isFull: true).append(Self.layout, to: &text)
        // The same in each run: what differs from log to log is in the message.
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

    fileprivate var isFailure: Bool {
        switch result {
        case .failed, .unexplained: true
        case .passed, .tolerated, .skipped: false
        }
    }
    fileprivate var isSkipped: Bool { if case .skipped = result { true } else { false } }

    /// Appends the case; if `isBrief`, without the text of its findings.
    func append(to bytes: inout [UInt8], isBrief: Bool) {
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
        guard !isBrief else { return "\(count): the text is too long for this file; -o json has it all" }
        var text: [UInt8] = [0x0A]
        var previous: Finding?
        for (index, finding) in findings.enumerated() {
            if text.count > Self.maximumText {
                let left = Quantity(grouped: findings.count - index, "more finding is", "more findings are")
                text.append(text: "\(left) not shown: -o json has them all\n")
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
