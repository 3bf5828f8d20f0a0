import LogDiagnosis
import Neighbors
import ReportKit
import TextKit
import ULSLog

/// The level of detail of findings in the text of a diagnosis.
package enum FindingDetail: Sendable {
    /// A page with the lines headline, since, decoded, where, usually, cause, do, row, trace.
    case page
    /// The page, with additional explanations, all evidence and all steps.
    case full
}

/// A finding or a cluster in about twelve lines, with the facts that an administrator needs in an emergency.
///
/// The meaning of the text, its usual causes, its origin and its cause are on separate lines, never mixed, each with
/// its certainty.
struct FindingPage {
    /// A line with a label: `cause`, `do 1`.
    private struct Line {
        var label: String
        var text: String
        /// The confidence, or the effect of a step.
        var note: String?
        /// Whether the text is from a log, and is therefore cut instead of wrapped.
        var isRow = false
    }

    private var severity: Severity
    private var id: String?
    private var headline: String
    private var numbers: String
    private var lines: [Line] = []

    /// The column at which text next to the labels begins.
    private static let indent = 11
    private static let (maximumSteps, maximumCauses) = (2, 2)
    /// The note on a finding that is reported although it is not more frequent than usual.
    static let usual = "as usual: none of its kinds of rows is more frequent than usual (--usual)"
    private static let maximumDecoded = 3
    /// The number of columns of a row in a pipe or file.
    private static let rowColumns = 160
    /// The number of characters that are shown of a message without any other explanation.
    private static let tellingText = 400

    /// Creates the page; `logs` are words of a command line that name the logs.
    init(_ finding: Finding, logs: String) {
        severity = finding.severity
        id = finding.rule.id.text
        headline = finding.rule.title
        numbers = Self.numbers(
            rows: finding.occurrences > 0 ? finding.occurrencesText : nil,
            servers: finding.servers
        )
        add("since", ReportWords.span(finding.firstTime, finding.lastTime))
        if finding.isUsual { add("normal", Self.usual) }
        if let reading = finding.reading { add(reading) }
        add("cause", finding.message, finding.confidence.rawValue)
        for cause in finding.reading?.usually.prefix(Self.maximumCauses) ?? [] { add("usually", cause) }
        for cause in finding.reading?.causes.prefix(Self.maximumCauses) ?? [] { add("cause", cause, "possible") }
        for symptom in finding.symptoms.prefix(Self.maximumSteps) where finding.symptoms.count > 1 {
            add("", "- " + symptom.text)
        }
        let steps = finding.fix.prefix(Self.maximumSteps)
        for (index, step) in steps.enumerated() {
            add("do \(index + 1)", step.step, Self.note(on: step))
        }
        for check in finding.reading?.checks.prefix(Self.maximumSteps) ?? [] {
            add("look", check.sentence, check.effect)
        }
        if let config = finding.config.first { add("config", "\(config.at)   \(config.text)") }
        for sentence in finding.farm { add("farm", sentence, "certain") }
        if let place = finding.filePlace { add("file", "\(place.file):\(place.line)") }
        add(finding.evidence.first { $0.role == .match } ?? finding.evidence.first, logs)
        var more = "fastctl rules show \(finding.rule.id)"
        let looks = finding.reading?.checks.count ?? 0
        if finding.fix.count > steps.count || looks > Self.maximumSteps || finding.evidence.count > 1
            || finding.config.count > 1
        {
            more += ", or this command with --explain"
        }
        add("more", more)
        if !finding.undecided.isEmpty {
            let verdicts = ReportWords.list(finding.undecided, maximum: 8)
            add("open", "\(verdicts) would take precedence, but the input is insufficient")
        }
    }

    /// Creates the page; `logs` are words of a command line that name the logs.
    init(_ cluster: FailureCluster, isFull: Bool, logs: String) {
        severity = cluster.severity
        headline = cluster.headline
        numbers = Self.numbers(
            rows: cluster.rowsText,
            requests: cluster.requests,
            users: cluster.users,
            servers: cluster.servers
        )
        let changes = cluster.changes.map(\.text)
        let span = ReportWords.span(cluster.firstTime, cluster.lastTime)
        add("since", span.map { changes.isEmpty ? $0 : "\($0) (\(changes.joined(separator: "; ")))" })
        let (users, addresses) = (
            Self.names(cluster.userNames, cluster.users), Self.names(cluster.addressNames, cluster.addresses)
        )
        add("who", users.map { users in addresses.map { "\(users) at \($0)" } ?? users })
        if users == nil { add("urls", addresses) }
        add(cluster.explanation, isFull: isFull)
        let maximum = isFull ? Int.max : Self.maximumCauses
        // The page stays short: usual causes are more informative than prerequisites, and these than possible causes.
        let isSupposed = cluster.explanation.usually.isEmpty
        if isSupposed || isFull || cluster.explanation.usually.count + cluster.explanation.causes.count < maximum {
            let needs = cluster.explanation.needs
            add("depends", needs.isEmpty ? nil : "on \(needs.joined(separator: "; "))")
        }
        for cause in cluster.explanation.usually.prefix(maximum) { add("usually", cause) }
        for cause in cluster.explanation.causes.prefix(maximum) { add("cause", cause, "possible") }
        for neighbor in cluster.looksLike { add("similar", neighbor.sentence, "possible") }
        for (index, check) in cluster.explanation.checks.prefix(isFull ? .max : Self.maximumSteps).enumerated() {
            // Without a cause, the checks are those of the component that the text names.
            let isAimed = check.isAdvice || !isSupposed || !cluster.explanation.causes.isEmpty
            add("\(isAimed ? "do" : "look") \(index + 1)", check.sentence, check.effect)
        }
        add(cluster.example, logs, isTelling: cluster.explanation.told.isEmpty)
        if !cluster.id.isEmpty { add("kind", cluster.id, "fastctl suppress add \(cluster.id) --reason TEXT hides it") }
    }

    private mutating func add(_ label: String, _ text: String?, _ note: String? = nil) {
        if let text, !text.isEmpty { lines.append(Line(label: label, text: text, note: note)) }
    }

    private mutating func add(_ reading: FailureReading, isFull: Bool = false) {
        // The headline usually contains the exception already.
        if let exception = reading.exception, isFull || !exception.hasSuffix(headline) { add("exception", exception) }
        let decoded = reading.decoded.prefix(isFull ? .max : Self.maximumDecoded)
        for text in decoded { add("decoded", text, "certain") }
        for (name, text, confidence) in reading.surroundings { add(name, text, confidence?.rawValue) }
    }

    /// Adds a row with the beginning of its message, or with more of the message if there is no other explanation.
    private mutating func add(_ event: Evidence?, _ logs: String, isTelling: Bool = false) {
        guard let event else { return }
        let columns = [event.eventID, event.level].filter { !$0.isEmpty }.joined(separator: " ")
        let place = "\(event.place.file):\(event.place.line)" + (columns.isEmpty ? "" : "  \(columns)")
        let text = isTelling ? event.text.prefix(Self.tellingText) : event.text[...]
        let isCut = event.isTruncated || text.endIndex < event.text.endIndex
        let mark = isTelling ? " | " : "  "
        lines.append(Line(label: "row", text: "\(place)\(mark)\(text)\(isCut ? "…" : "")", isRow: !isTelling))
        if let id = event.correlation { add("trace", "fastctl logs trace \(id) \(logs)") }
    }

    /// Returns the effect of a step, and how to undo it, if the rule gives them.
    private static func note(on step: FixStep) -> String? {
        if step.effect == "none" { return "changes nothing" }
        let undo = step.undo.flatMap { $0.hasPrefix("none needed") ? nil : "undo: \($0)" }
        let notes = [step.effect.map { "effect: \($0)" }, undo].compactMap(\.self)
        return notes.isEmpty ? nil : notes.joined(separator: "; ")
    }

    /// Returns the first names and the number of others; `nil` if there are no names.
    private static func names(_ names: [String], _ amount: Amount) -> String? {
        let listed = names.prefix(maximumNames).joined(separator: ", ")
        let rest = amount.count - min(names.count, maximumNames)
        guard rest > 0 || amount.isAtLeast, !listed.isEmpty else { return listed.isEmpty ? nil : listed }
        return listed + (rest > 0 ? " and \(amount.isAtLeast ? "at least " : "")\(rest) more" : ", perhaps more")
    }

    private static let maximumNames = 3

    private static func numbers(
        rows: String?,
        requests: Amount = Amount(0),
        users: Amount = Amount(0),
        servers: [String]
    ) -> String {
        var words = [rows].compactMap(\.self)
        if requests.count > 0 { words.append(requests.words("request", "requests")) }
        if users.count > 0 { words.append(users.words("user", "users")) }
        if !servers.isEmpty { words.append(ReportWords.list(servers, maximum: 3)) }
        return words.joined(separator: ", ")
    }

    /// Appends a heading and a list; text from a log is formatted as code.
    func appendMarkdown(to bytes: inout [UInt8]) {
        bytes.append(text: "## \(severity.rawValue.uppercased()): ")
        bytes.append(markdown: headline, isProse: false)
        bytes.append(text: "\n\n" as StaticString)
        if !numbers.isEmpty {
            bytes.append(text: "- " as StaticString)
            bytes.append(markdown: numbers, isProse: false)
            bytes.append(0x0A)
        }
        for line in lines {
            bytes.append(text: "- \(line.label)\(line.note.map { " (\($0))" } ?? ""): ")
            bytes.append(markdown: line.text, isProse: false)
            bytes.append(0x0A)
        }
    }

    func append(_ layout: TextLayout, to bytes: inout [UInt8]) {
        let word = severity.rawValue.uppercased()
        bytes.append(severity.style, layout) { $0.append(text: word) }
        var narrow = layout
        narrow.width = (layout.width ?? TextLayout.pipeWidth) - word.utf8.count
        let head = headline + (numbers.isEmpty ? "" : layout.isUnicode ? " · \(numbers)" : " (\(numbers))")
        bytes.append(
            label: id.map { "  \($0)" } ?? "",
            .bold,
            indent: (id.map { $0.utf8.count + 2 } ?? 0) + 2,
            paragraph: head,
            narrow
        )
        for line in lines { append(line, layout, to: &bytes) }
    }

    private func append(_ line: Line, _ layout: TextLayout, to bytes: inout [UInt8]) {
        guard line.isRow else {
            let note = line.note.map { layout.isUnicode ? " — \($0)" : " (\($0))" } ?? ""
            return bytes.append(
                label: "  " + line.label,
                .bold,
                indent: Self.indent,
                paragraph: line.text + note,
                layout
            )
        }
        bytes.append(.bold, layout) { $0.append(text: "  " + line.label) }
        bytes.append(blanks: Self.indent - line.label.utf8.count - 2)
        bytes.append(
            line: line.text,
            columns: layout.isWide ? nil : layout.width.map { max(24, $0 - Self.indent) } ?? Self.rowColumns,
            layout
        )
        bytes.append(0x0A)
    }
}

extension FailureCluster {
    /// The explanation in one sentence, or otherwise the message, which for a single row includes all names.
    var headline: String {
        if let headline = explanation.headline ?? explanation.sentence { return headline }
        let line = example.text.prefix { $0 != "\n" && $0 != "\r" }
        if count == 1, !line.isEmpty, line.utf8.count <= 200 { return String(line) }
        return template.isEmpty ? "A problem without a message" : template
    }

    /// `31 rows`, with the event ID: `31 rows of 8nca`, `1 row of event 6398`.
    var rowsText: String {
        let rows = Quantity(grouped: count, "row", "rows").description
        guard !eventID.isEmpty else { return rows }
        // An ID of digits alone would look like a total.
        return
            "\(rows) of \(eventID.utf8.allSatisfy(\.isDigit) ? "event " : "")\(eventID.prefix(16))"
    }
}

extension Amount {
    /// `3 requests`, or `at least 3 requests`.
    func words(_ one: String, _ several: String) -> String {
        Quantity(grouped: count, one, several, isAtLeast: isAtLeast).description
    }
}

/// A finding in readable form: the problem, its start and location, the evidence, and the remedies.
final class FindingText {
    private let finding: Finding
    /// Whether the finding above has the same rule, verdict and fix, so that the explanation need not be repeated.
    private let isRepetition: Bool
    private let layout: TextLayout

    /// The column at which text next to labels such as `evidence` begins.
    fileprivate static let indent = 13
    /// The column at which the message below the title begins.
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
            let text = "undecided: \(verdicts) would take precedence, but the input is insufficient"
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
        if isRepetition { return append("fix", "the same as in the finding above", to: &bytes) }
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

/// A finding's evidence in readable form: events grouped by file and request, then web.config elements.
///
/// Log text follows a mark, `| ` by default, so that no line begins with log text.
final class EvidenceText {
    private let finding: Finding
    private let layout: TextLayout
    private let indent: Int
    private let mark: String

    /// The maximum number of events, and of elements; the data formats contain all of them.
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

    private func append(_ group: EvidenceGroup, _ label: String, namesCorrelation: Bool, to bytes: inout [UInt8]) {
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
                // The place is never cut, so that it can be copied.
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
        let sentence: Phrase = "and \(rest): -o json lists them all"
        sentence.appendLines(to: &bytes, layout, from: indent, indent: indent)
    }

    /// Event IDs have four or five characters.
    private static let idWidth = 4
    /// Longer strings are not event IDs.
    private static let maximumID = 16
    private static let maximumCorrelation = 64
    /// The number of columns between a place and the note on it.
    private static let noteSpace = 3
    /// The maximum number of columns of an element; the data formats contain all of its attributes.
    private static let elementWidth = 200
}

/// Consecutive events under one heading, which have the same file, request and role.
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

    /// The place, from the first line to the last: `file:41-46`.
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
