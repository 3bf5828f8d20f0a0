import LogDiagnosis

/// A diagnosis as test results: a test case for each rule.
///
/// What Jenkins, GitLab and the actions of GitHub agree on: details in the text of elements, unique names, one level of
/// suites, no file or line. A rule that was not evaluated is skipped; findings below the threshold are no failures.
struct JUnitReport {
    private let report: DiagnosisReport
    private let options: DiagnosisOptions

    /// The bytes beyond which cases keep their names and results and lose their text.
    ///
    /// GitLab takes 30 MB.
    static let maximumBytes = 24 << 20
    static let suite = "fastctl.uls"

    init(_ report: DiagnosisReport, _ options: DiagnosisOptions) {
        self.report = report
        self.options = options
    }

    func append(to bytes: inout [UInt8]) {
        let start = bytes.count
        let cases = RuleResult.all(of: report).map { JUnitCase($0, failOn: options.failOn) }
        let counts = [
            ("tests", cases.count), ("failures", cases.count(where: \.isFailure)), ("errors", 0),
        ]
        let numbers = counts.map { " \($0.0)=\"\($0.1)\"" }.joined()
        let time = " time=\"\(options.duration.secondsText)\""
        bytes.append(text: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" as StaticString)
        bytes.append(text: "<testsuites name=\"fastctl\"\(numbers)\(time)>\n")
        bytes.append(text: "  <testsuite name=\"\(Self.suite)\"\(numbers)")
        bytes.append(text: " skipped=\"\(cases.count(where: \.isSkipped))\"\(time)")
        if let start = options.startedAt {
            // Without a fraction and a zone, as most readers want it; it is UTC.
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

    /// Appends what is not about a rule that has findings: what was not explained, not evaluated and not read.
    private func appendRest(to bytes: inout [UInt8]) {
        var text: [UInt8] = []
        DiagnosisPage.page(of: report).append(to: &text, JUnitCase.layout)
        if !text.isEmpty { text.append(0x0A) }
        text.append(text: DiagnosisCounts(report).sentence() + "\n")
        bytes.append(text: "    <system-out>" as StaticString)
        bytes.append(xml: String(decoding: text, as: UTF8.self))
        bytes.append(text: "</system-out>\n" as StaticString)
    }
}
