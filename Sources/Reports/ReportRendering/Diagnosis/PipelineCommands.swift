import LogDiagnosis

/// A diagnosis for the log of an Azure pipeline: issues, then the evidence as text in which no command is obeyed.
///
/// An agent obeys `##vso[…]` anywhere in a line. Untrusted text is therefore escaped in issues; elsewhere it is broken
/// up. A finding for information is a line of the log, because issues are errors or warnings only.
struct PipelineCommands {
    private let report: DiagnosisReport
    private let gate: DiagnosisGate
    private let layout = TextLayout(neutralizesRunnerCommands: true)

    /// Maximum characters of an issue's message; longer ones are cut.
    private static let maximumColumns = 2000

    init(_ report: DiagnosisReport, _ gate: DiagnosisGate) {
        self.report = report
        self.gate = gate
    }

    func append(to bytes: inout [UInt8]) {
        for finding in report.findings {
            var lines = [finding.message] + finding.symptoms.map { "- \($0.text)" }
            if let step = finding.fix.first?.step { lines.append("Fix: \(step)") }
            append(lines, finding.severity, FindingPlace(finding), code: finding.rule.id.text, to: &bytes)
        }
        for cluster in report.unexplained {
            let lines = ["\(cluster.headline) (\(cluster.rowsText))"] + cluster.explanation.sentences
            append(lines, gate.loudness(of: cluster), FindingPlace(cluster.example), code: "unexplained", to: &bytes)
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
            bytes.append(pipelineProperty: lineText(place.file, layout))
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
    fileprivate mutating func append(pipelineData text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "%"): append(text: "%AZP25" as StaticString)
            case 0x0D: append(text: "%0D" as StaticString)
            case 0x0A: append(text: "%0A" as StaticString)
            default: append(byte)
            }
        }
    }

    /// Appends the value of a logging command's property.
    ///
    /// Source: the same file, `escape`.
    fileprivate mutating func append(pipelineProperty text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "%"): append(text: "%AZP25" as StaticString)
            case 0x0D: append(text: "%0D" as StaticString)
            case 0x0A: append(text: "%0A" as StaticString)
            case UInt8(ascii: "]"): append(text: "%5D" as StaticString)
            case UInt8(ascii: ";"): append(text: "%3B" as StaticString)
            default: append(byte)
            }
        }
    }
}
