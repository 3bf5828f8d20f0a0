import LogDiagnosis
import Redaction

/// A diagnosis for the log of a GitHub workflow: annotations, then the evidence in a section where no command is
/// obeyed.
///
/// A runner obeys lines that begin with `::`, and `##[` anywhere. Untrusted text is therefore escaped in annotations;
/// elsewhere it follows `| `, is broken up, and stands between `::stop-commands::TOKEN` and `::TOKEN::`.
struct WorkflowCommands {
    private let report: DiagnosisReport
    private let options: DiagnosisOptions
    private let layout = TextLayout(neutralizesRunnerCommands: true)

    /// Number of annotations of one kind that GitHub shows for a step.
    private static let maximumPerKind = 10
    private static let whole = "see this step's log, or -o json"
    /// Maximum characters of an annotation's message; longer ones are cut.
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
            // The sentence about the remaining findings is a notice too.
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
            kinds > 0 ? Quantity(grouped: kinds, "more kind", "more kinds").description + " of unexplained rows" : nil,
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
            append("file", place.file, to: &bytes)
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
        append("file", place.file, to: &bytes)
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
    mutating func append(workflowData text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "%"): append(text: "%25" as StaticString)
            case 0x0D: append(text: "%0D" as StaticString)
            case 0x0A: append(text: "%0A" as StaticString)
            default: append(byte)
            }
        }
    }

    /// Appends the value of a workflow command's property.
    mutating func append(workflowProperty text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "%"): append(text: "%25" as StaticString)
            case 0x0D: append(text: "%0D" as StaticString)
            case 0x0A: append(text: "%0A" as StaticString)
            case UInt8(ascii: ":"): append(text: "%3A" as StaticString)
            case UInt8(ascii: ","): append(text: "%2C" as StaticString)
            default: append(byte)
            }
        }
    }
}
