import LogDiagnosis
import Redaction
import ReportKit
import TextKit

/// A diagnosis for a ticket or a job's summary: at most ``maximumBytes``, with a note about omitted content.
final class DiagnosisMarkdown {
    private let report: DiagnosisReport
    private let options: DiagnosisOptions

    /// The size limit of `$GITHUB_STEP_SUMMARY`.
    private static let maximumBytes = 1 << 20
    /// The share of the limit for everything except findings.
    private static let maximumRest = maximumBytes / 4
    /// The number of bytes reserved for the sentence about omitted content.
    private static let reserve = 512

    init(_ report: DiagnosisReport, _ options: DiagnosisOptions) {
        self.report = report
        self.options = options
    }

    func append(to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes.append(text: "# Diagnosis\n\n\(DiagnosisCounts(report).sentence())\n")
        if let redaction = report.redaction, !redaction.isApplied {
            bytes.append(0x0A)
            RedactionNote.phrase(about: redaction).appendMarkdown(to: &bytes)
            bytes.append(0x0A)
        }
        let rest = rest
        let end = start + Self.maximumBytes - rest.count - Self.reserve
        for (index, finding) in report.findings.enumerated() {
            let before = bytes.count
            bytes.append(0x0A)
            FindingMarkdown(finding).append(to: &bytes)
            bytes.breakRunnerCommands(from: before)
            guard bytes.count > end else { continue }
            bytes.removeLast(bytes.count - before)
            let count = report.findings.count - index
            let left = Quantity(grouped: count, "more finding is", "more findings are")
            bytes.append(
                text: "\n\(left) not shown, because this format is limited to 1 MiB; -o json lists them all.\n"
            )
            break
        }
        for cluster in report.unexplained.prefix(while: \.fillsPage) {
            let before = bytes.count
            bytes.append(0x0A)
            FindingPage(cluster, isFull: true, logs: report.logWords).appendMarkdown(to: &bytes)
            bytes.breakRunnerCommands(from: before)
            guard bytes.count > end else { continue }
            bytes.removeLast(bytes.count - before)
            break
        }
        bytes.append(contentsOf: rest)
    }

    private var rest: [UInt8] {
        var rest: [UInt8] = []
        let page = DiagnosisPage.page(of: report, rows: options.describedRows, TextLayout())
        guard !page.blocks.isEmpty else { return rest }
        rest.append(0x0A)
        page.appendMarkdown(to: &rest)
        rest.breakRunnerCommands(from: 0)
        guard rest.count > Self.maximumRest else { return rest }
        return Array(
            "\nThe lists of unexplained, unevaluated and unread items are too long for this format; use -o json.\n".utf8
        )
    }
}

/// A finding in Markdown.
///
/// Text from a log or a web.config file is formatted as code, as is any text whose placeholders were filled. The rule
/// author's own text is formatted as escaped prose, except for the verification, which is code.
private final class FindingMarkdown {
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
            bytes.append(text: ", \(finding.occurrencesText)")
        }
        if let span = ReportWords.span(finding.firstTime, finding.lastTime) { bytes.append(text: ", \(span)") }
        bytes.append(0x0A)
        if finding.isUsual { bytes.append(text: "- \(FindingPage.usual)\n") }
        if !finding.servers.isEmpty {
            bytes.append(text: finding.servers.count == 1 ? "- server " : "- servers ")
            appendCode(ReportWords.list(finding.servers, maximum: ReportWords.maximumServers), to: &bytes)
            bytes.append(0x0A)
        }
        for sentence in finding.farm {
            bytes.append(text: "- farm " as StaticString)
            appendCode(sentence, to: &bytes)
            bytes.append(0x0A)
        }
        if let place = finding.filePlace {
            bytes.append(text: "- file " as StaticString)
            appendCode("\(place.file):\(place.line)", to: &bytes)
            bytes.append(0x0A)
        }
        if !finding.undecided.isEmpty {
            bytes.append(text: "- undecided, because the input is not sufficient: " as StaticString)
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

    /// The maximum number of symptoms; the data formats contain all of them.
    private static let maximumSymptoms = 20
}

/// A rule's own advice in Markdown: the meaning of the finding, the remedies, and the sources.
struct RuleMarkdown {
    private let rule: Rule

    init(_ rule: Rule) { self.rule = rule }

    func append(to bytes: inout [UInt8]) {
        appendExplanation(to: &bytes)
        append(rule.fix, to: &bytes)
        appendSources(to: &bytes)
    }

    func appendExplanation(to bytes: inout [UInt8]) {
        let parts = [
            ("What", rule.explanation.what), ("Why", rule.explanation.why), ("Impact", rule.explanation.impact),
        ]
        for (name, text) in parts {
            guard let text else { continue }
            bytes.append(text: "\n**\(name):** ")
            bytes.append(markdownProse: text)
            bytes.append(0x0A)
        }
    }

    /// Appends steps of the rule, with or without filled placeholders.
    func append(_ steps: [FixStep], to bytes: inout [UInt8]) {
        if !steps.isEmpty { bytes.append(text: "\n**Fix:**\n\n" as StaticString) }
        for (index, step) in steps.enumerated() {
            // A step that is identical to the rule's contains no untrusted text.
            let isProse = rule.fix.contains(step)
            bytes.append(text: "\(index + 1). ")
            bytes.append(markdown: step.step, isProse: isProse)
            bytes.append(0x0A)
            for (name, text) in [("where", step.location), ("effect", step.effect), ("undo", step.undo)] {
                guard let text else { continue }
                bytes.append(text: "   - \(name): ")
                bytes.append(markdown: text, isProse: isProse)
                bytes.append(0x0A)
            }
        }
    }

    fileprivate func appendSources(to bytes: inout [UInt8]) {
        if let verify = rule.verify {
            bytes.append(text: "\n**Verify:** " as StaticString)
            bytes.append(markdown: verify, isProse: false)
            bytes.append(0x0A)
        }
        if !rule.references.isEmpty { bytes.append(text: "\n**See:**\n\n" as StaticString) }
        for reference in rule.references {
            bytes.append(text: "- " as StaticString)
            bytes.append(markdownProse: reference.title)
            if let url = reference.url {
                bytes.append(text: ": " as StaticString)
                bytes.append(markdownLink: url)
            }
            bytes.append(0x0A)
        }
    }
}

extension [UInt8] {
    /// Appends a sentence, as prose if it is the rule's own, otherwise as code.
    mutating func append(markdown text: String, isProse: Bool) {
        if isProse {
            append(markdownProse: text)
        } else {
            append(markdownCode: text, columns: sentenceColumns, inTable: false)
        }
    }

    /// Appends an address as a link if it is a plain web address, otherwise as code.
    fileprivate mutating func append(markdownLink url: String) {
        guard WebAddress.isPlain(url) else { return append(markdownCode: url, inTable: false) }
        append(text: "<\(url)>")
    }
}

/// The maximum number of columns of a sentence; longer text is cut.
private let sentenceColumns = 1000
