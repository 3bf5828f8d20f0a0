import LogDiagnosis

/// A finding for people: what is wrong, since when and where, the evidence, and what helps.
struct FindingText {
    private let finding: Finding
    /// Whether the finding above is of the same rule and verdict, so that what it means need not be said again.
    private let isRepetition: Bool
    private let layout: TextLayout

    /// Where the text beside labels such as `evidence` begins.
    static let indent = 13
    /// Where the message below the title begins.
    private static let messageIndent = 7

    init(_ finding: Finding, after previous: Finding?, _ layout: TextLayout) {
        self.finding = finding
        self.layout = layout
        isRepetition =
            previous.map { $0.rule.id == finding.rule.id && $0.verdict == finding.verdict && $0.fix == finding.fix }
            ?? false
    }

    func append(to bytes: inout [UInt8]) {
        appendTitle(to: &bytes)
        appendMessage(to: &bytes)
        bytes.append(0x0A)
        if !isRepetition { appendExplanation(to: &bytes) }
        EvidenceText(finding, layout).append(to: &bytes)
        appendFix(to: &bytes)
        append("more", "fastctl rules show \(finding.rule.id)", to: &bytes)
    }

    private func appendTitle(to bytes: inout [UInt8]) {
        let severity = finding.severity.rawValue.uppercased()
        let id = finding.rule.id.text
        bytes.append(finding.severity.style, layout) { $0.append(text: severity) }
        bytes.append(
            label: "  \(id)",
            .bold,
            indent: id.utf8.count + 4,
            paragraph: finding.rule.title,
            narrowed(by: severity.utf8.count)
        )
    }

    /// The layout of a paragraph that begins so many columns from the left.
    private func narrowed(by columns: Int) -> TextLayout {
        var narrow = layout
        narrow.width = (layout.width ?? TextLayout.pipeWidth) - columns
        return narrow
    }

    private func appendMessage(to bytes: inout [UInt8]) {
        let bullet = layout.isUnicode ? "       · " : "       * "
        bytes.append(label: "", indent: Self.messageIndent, paragraph: finding.message, layout)
        for symptom in finding.symptoms {
            bytes.append(label: bullet, indent: Self.messageIndent + 2, paragraph: symptom.text, layout)
        }
        bytes.append(label: "", indent: Self.messageIndent, paragraph: facts, layout)
        if !finding.undecided.isEmpty {
            let verdicts = ReportWords.list(finding.undecided, maximum: 8)
            let text = "undecided: \(verdicts), which would come first; the input does not say enough"
            bytes.append(label: "", indent: Self.messageIndent, paragraph: text, layout)
        }
    }

    /// `verdict confirmed · confidence certain · 31 occurrences · 13:10:36 to 15:42:09 · WFE01, WFE02`.
    private var facts: String {
        var facts = ["verdict \(finding.verdict)", "confidence \(finding.confidence.rawValue)"]
        if finding.occurrences > 0 {
            facts.append(GroupedNumber.of(finding.occurrences, "occurrence", "occurrences"))
        }
        if let span = ReportWords.span(finding.firstTime, finding.lastTime) { facts.append(span) }
        if !finding.servers.isEmpty {
            facts.append(ReportWords.list(finding.servers, maximum: ReportWords.maximumServers))
        }
        return facts.joined(separator: layout.isUnicode ? " · " : "; ")
    }

    private func appendExplanation(to bytes: inout [UInt8]) {
        append("what", finding.rule.explanation.what, to: &bytes)
        append("why", finding.rule.explanation.why, to: &bytes)
        if let impact = finding.rule.explanation.impact { append("impact", impact, to: &bytes) }
    }

    private func appendFix(to bytes: inout [UInt8]) {
        if isRepetition { return append("fix", "as in the finding above", to: &bytes) }
        for (index, step) in finding.fix.enumerated() {
            let number = String(index + 1)
            let blanks = String(repeating: " ", count: max(0, 3 - number.utf8.count))
            append("\(index == 0 ? "fix" : "   ")   \(blanks)\(number)", step.step, to: &bytes)
            for (name, text) in [("where", step.location), ("effect", step.effect), ("undo", step.undo)] {
                guard let text else { continue }
                let label = String(repeating: " ", count: Self.indent) + name
                bytes.append(label: label, indent: Self.indent + 8, paragraph: text, layout)
            }
        }
        if let verify = finding.rule.verify { append("verify", verify, to: &bytes) }
    }

    private func append(_ label: String, _ text: String, to bytes: inout [UInt8]) {
        bytes.append(label: "  " + label, .bold, indent: Self.indent, paragraph: text, layout)
    }
}
