import LogDiagnosis
import TextSafety
import ULSLog

/// A finding for people: what is wrong, since when and where, the evidence, and what helps.
struct FindingText {
    private let finding: Finding
    /// Whether the finding above has the same rule, verdict and fix, so that the explanation need not be repeated.
    private let isRepetition: Bool
    private let layout: TextLayout

    /// Column at which text beside labels such as `evidence` begins.
    fileprivate static let indent = 13
    /// Column at which the message below the title begins.
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
        if finding.isUsual { append("normal", FindingPage.usual, to: &bytes) }
        for (name, text, confidence) in finding.reading?.statements ?? [] {
            append(name, confidence.map { "\(text) (\($0.rawValue))" } ?? text, to: &bytes)
        }
        if let needs = finding.reading?.needs, !needs.isEmpty {
            append("needs", needs.joined(separator: "; "), to: &bytes)
        }
        for cause in finding.reading?.usually ?? [] { append("usually", cause, to: &bytes) }
        for cause in finding.reading?.causes ?? [] { append("cause", "\(cause) (possible)", to: &bytes) }
        if !isRepetition { appendExplanation(to: &bytes) }
        EvidenceText(finding, layout).append(to: &bytes)
        for sentence in finding.farm { append("farm", sentence, to: &bytes) }
        if let place = finding.filePlace { append("file", "\(place.file):\(place.line)", to: &bytes) }
        appendFix(to: &bytes)
        for check in finding.reading?.checks ?? [] { append("look", check.sentence, to: &bytes) }
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

    /// Returns the layout of a paragraph that begins a number of columns from the left.
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
            let text = "undecided: \(verdicts) would come first, but the input does not say enough"
            bytes.append(label: "", indent: Self.messageIndent, paragraph: text, layout)
        }
    }

    /// `verdict confirmed · confidence certain · 31 occurrences · 13:10:36 to 15:42:09 · WFE01, WFE02`.
    private var facts: String {
        var facts = ["verdict \(finding.verdict)", "confidence \(finding.confidence.rawValue)"]
        if finding.occurrences > 0 {
            facts.append(finding.occurrencesText)
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

extension Finding {
    /// `31 occurrences`, or `at least 31 occurrences`.
    var occurrencesText: String {
        Quantity(grouped: occurrences, "occurrence", "occurrences", isAtLeast: occurrencesAreAtLeast).description
    }
}

/// A finding's evidence for people: events under their file and request, then web.config elements.
///
/// Log text follows a mark, `| ` by default, so that no line begins with it.
struct EvidenceText {
    private let finding: Finding
    private let layout: TextLayout
    private let indent: Int
    private let mark: String

    /// Maximum number of events, and of elements; the data formats have all.
    private static let maximum = 10

    /// Creates the evidence of a finding, with the indentation of each line and the mark before each event.
    init(_ finding: Finding, _ layout: TextLayout, indent: Int = FindingText.indent, mark: String = "| ") {
        self.finding = finding
        self.layout = layout
        self.indent = indent
        self.mark = mark
    }

    func append(to bytes: inout [UInt8]) {
        var label = indent == 0 ? "" : "  evidence"
        var correlation: String?
        for group in EvidenceGroup.groups(of: finding.evidence.prefix(Self.maximum)) {
            append(group, label, namesCorrelation: group.correlation != correlation, to: &bytes)
            label = ""
            correlation = group.correlation
        }
        appendRest(finding.evidence.count, "event", "events", to: &bytes)
        for config in finding.config.prefix(Self.maximum) {
            append(config, label, to: &bytes)
            label = ""
        }
        appendRest(finding.config.count, "element", "elements", to: &bytes)
    }

    private func append(
        _ group: EvidenceGroup,
        _ label: String,
        namesCorrelation: Bool,
        to bytes: inout [UInt8]
    ) {
        appendHead(label, to: &bytes)
        let place = lineText(group.place, layout)
        bytes.append(text: place)
        var notes = group.isLead ? ["begin reading here"] : []
        if namesCorrelation, let correlation = group.correlation {
            notes.append("correlation " + lineText(correlation, columns: Self.maximumCorrelation, layout))
        }
        var used = indent + SafeText.width(place)
        for note in notes {
            if used + Self.noteSpace + SafeText.width(note) <= layout.width ?? .max {
                bytes.append(blanks: Self.noteSpace)
                bytes.append(text: note)
                used += Self.noteSpace + SafeText.width(note)
            } else {
                // Never cut, so that it can be copied.
                bytes.append(0x0A)
                bytes.append(blanks: indent)
                let phrase: Phrase = "\(untrusted: note)"
                phrase.appendLines(to: &bytes, layout, from: indent, indent: indent)
                bytes.removeLast()
                used = indent + SafeText.width(note)
            }
        }
        bytes.append(0x0A)
        for event in group.events {
            bytes.append(blanks: indent)
            append(event, to: &bytes)
            bytes.append(0x0A)
        }
    }

    /// Appends `| b9y3  Failed to open the file …`, cut at the terminal's edge.
    private func append(_ event: Evidence, to bytes: inout [UInt8]) {
        let id = lineText(event.eventID, columns: Self.maximumID, layout)
        let ellipsis = event.isTruncated ? "…" : ""
        bytes.append(text: mark)
        bytes.append(padded: id, to: Self.idWidth)
        bytes.append(blanks: 2)
        let taken = indent + mark.utf8.count + 2 + max(Self.idWidth, SafeText.width(id))
        bytes.append(line: event.text + ellipsis, columns: layout.cutWidth.map { max(16, $0 - taken) }, layout)
    }

    private func append(_ config: ConfigEvidence, _ label: String, to bytes: inout [UInt8]) {
        appendHead(label, to: &bytes)
        let element = lineText(config.text, columns: Self.elementWidth, layout)
        let phrase: Phrase = "\(untrusted: config.at)   \(untrusted: element)"
        let owner: Phrase = config.owner.map { " (\(untrusted: $0))" } ?? ""
        (phrase + owner).appendLines(to: &bytes, layout, from: indent, indent: indent)
    }

    private func appendHead(_ label: String, to bytes: inout [UInt8]) {
        bytes.append(label.isEmpty ? .plain : .bold, layout) { $0.append(text: label) }
        bytes.append(blanks: indent - label.utf8.count)
    }

    private func appendRest(_ count: Int, _ one: String, _ several: String, to bytes: inout [UInt8]) {
        guard count > Self.maximum else { return }
        bytes.append(blanks: indent)
        let rest = Quantity(grouped: count - Self.maximum, "more \(one)", "more \(several)")
        let sentence: Phrase = "and \(rest): -o json has them all"
        sentence.appendLines(to: &bytes, layout, from: indent, indent: indent)
    }

    /// Event IDs have four or five characters.
    private static let idWidth = 4
    /// Longer strings are not event IDs.
    private static let maximumID = 16
    private static let maximumCorrelation = 64
    /// Columns between a place and what is said of it.
    private static let noteSpace = 3
    /// Maximum columns of an element; the data formats have all of its attributes.
    private static let elementWidth = 200
}

/// Consecutive events under one heading: they share file, request and role.
private struct EvidenceGroup {
    private(set) var events: [Evidence]

    /// Groups consecutive events, in the finding's order.
    static func groups(of evidence: some Sequence<Evidence>) -> [EvidenceGroup] {
        evidence.reduce(into: []) { groups, event in
            if let last = groups.indices.last, groups[last].takes(event) {
                groups[last].events.append(event)
            } else {
                groups.append(EvidenceGroup(events: [event]))
            }
        }
    }

    private func takes(_ event: Evidence) -> Bool {
        guard let first = events.first else { return true }
        return first.place.file == event.place.file && first.correlation == event.correlation
            && first.role == event.role
    }

    /// Place from the first line to the last: `file:41-46`.
    var place: String {
        guard var place = events.first?.place else { return "" }
        for event in events {
            place.line = min(place.line, event.place.line)
            place.lineEnd = max(place.lineEnd, event.place.lineEnd)
        }
        return place.lineEnd > place.line
            ? "\(place.file):\(place.line)-\(place.lineEnd)" : "\(place.file):\(place.line)"
    }

    var correlation: String? { events.first?.correlation }
    var isLead: Bool { events.first?.role == .lead }
}
