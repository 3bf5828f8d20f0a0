import LogDiagnosis

/// A diagnosis for people: findings with what to do, then what was not explained, not evaluated and not read.
struct DiagnosisText {
    private let report: DiagnosisReport
    private let layout: TextLayout

    init(_ report: DiagnosisReport, _ layout: TextLayout) {
        self.report = report
        // Such text ends up in the log of a CI job as well.
        var safe = layout
        safe.neutralizesRunnerCommands = true
        self.layout = safe
    }

    func append(to bytes: inout [UInt8]) {
        var previous: Finding?
        for finding in report.findings {
            FindingText(finding, after: previous, layout).append(to: &bytes)
            bytes.append(0x0A)
            previous = finding
        }
        let rest = DiagnosisPage.page(of: report)
        if !rest.blocks.isEmpty {
            rest.append(to: &bytes, layout)
            bytes.append(0x0A)
        }
        bytes.append(text: DiagnosisCounts(report).sentence(layout.isUnicode ? " · " : "; "))
        bytes.append(0x0A)
    }
}
