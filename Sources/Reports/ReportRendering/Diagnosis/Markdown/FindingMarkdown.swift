import LogDiagnosis

/// A finding in Markdown.
///
/// What a log or a web.config says is code, hence all that a rule's places were filled with; what the rule's author wrote
/// is escaped prose.
struct FindingMarkdown {
    private let finding: Finding
    private var rule: Rule { finding.rule }

    init(_ finding: Finding) { self.finding = finding }

    func append(to bytes: inout [UInt8]) {
        bytes.append(text: "## \(finding.severity.rawValue.uppercased()) \(rule.id): ")
        bytes.append(markdownProse: rule.title)
        bytes.append(text: "\n\n" as StaticString)
        appendCode(finding.message, to: &bytes)
        bytes.append(text: "\n\n" as StaticString)
        for symptom in finding.symptoms.prefix(Self.maximumSymptoms) {
            bytes.append(text: "- " as StaticString)
            appendCode(symptom.text, to: &bytes)
            bytes.append(0x0A)
        }
        appendFacts(to: &bytes)
        let advice = RuleMarkdown(rule)
        advice.appendExplanation(to: &bytes)
        appendEvidence(to: &bytes)
        advice.append(finding.fix, to: &bytes)
        advice.appendSources(to: &bytes)
    }

    private func appendFacts(to bytes: inout [UInt8]) {
        bytes.append(text: "- verdict " as StaticString)
        appendCode(finding.verdict, to: &bytes)
        bytes.append(text: ", confidence \(finding.confidence.rawValue)")
        if finding.occurrences > 0 {
            bytes.append(text: ", \(GroupedNumber.of(finding.occurrences, "occurrence", "occurrences"))")
        }
        if let span = ReportWords.span(finding.firstTime, finding.lastTime) { bytes.append(text: ", \(span)") }
        bytes.append(0x0A)
        if !finding.servers.isEmpty {
            bytes.append(text: finding.servers.count == 1 ? "- server " : "- servers ")
            appendCode(ReportWords.list(finding.servers, maximum: ReportWords.maximumServers), to: &bytes)
            bytes.append(0x0A)
        }
        if !finding.undecided.isEmpty {
            bytes.append(text: "- undecided, for the input does not say enough: " as StaticString)
            appendCode(ReportWords.list(finding.undecided, maximum: 8), to: &bytes)
            bytes.append(0x0A)
        }
    }

    private func appendEvidence(to bytes: inout [UInt8]) {
        var lines: [UInt8] = []
        let layout = TextLayout(neutralizesRunnerCommands: true)
        EvidenceText(finding, layout, indent: 0, mark: "| ").append(to: &lines)
        guard !lines.isEmpty else { return }
        bytes.append(text: "\n**Evidence:**\n\n" as StaticString)
        bytes.append(markdownFence: lines)
    }

    private func appendCode(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(markdown: text, isProse: false)
    }

    /// More symptoms than that are in the data formats.
    private static let maximumSymptoms = 20
}
