import LogDiagnosis
import TextSafety
import ULSLog

/// How much the text of a diagnosis says of each finding.
public enum FindingDetail: Sendable {
    /// What fits on a page: headline, since, decoded, where, usually, cause, do, row, trace.
    case page
    /// Explanations, all evidence and all steps besides.
    case full
}

/// A finding or a cluster on about twelve lines: what an administrator needs at two in the morning.
///
/// What the text says, what that usually comes from, where it comes from and what causes it are lines of their own, never
/// mixed, each with its certainty.
struct FindingPage {
    /// A line with a label: `cause`, `do 1`.
    private struct Line {
        var label: String
        var text: String
        /// How certain it is, or what it changes.
        var note: String?
        /// Whether the text is from a log and is cut rather than wrapped.
        var isRow = false
    }

    private var severity: Severity
    private var id: String?
    private var headline: String
    private var numbers: String
    private var lines: [Line] = []

    /// Column at which text beside the labels begins.
    private static let indent = 11
    private static let (maximumSteps, maximumCauses) = (2, 2)
    /// What a finding is that is told although it is as usual.
    static let usual = "as usual: all its kinds of rows are normal, and no more frequent than that (--normal)"
    private static let maximumDecoded = 3
    /// Columns of a row in a pipe or file.
    private static let rowColumns = 160
    /// Characters of a message that nothing else tells of.
    private static let tellingText = 400

    init(_ finding: Finding) {
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
            add("look", check.sentence, "changes nothing")
        }
        if let config = finding.config.first { add("config", "\(config.at)   \(config.text)") }
        for sentence in finding.farm { add("farm", sentence, "certain") }
        if let place = finding.filePlace { add("file", "\(place.file):\(place.line)") }
        add(finding.evidence.first { $0.role == .match } ?? finding.evidence.first)
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
            add("open", "\(verdicts) would come first, but the input does not say enough")
        }
    }

    init(_ cluster: FailureCluster, isFull: Bool) {
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
        // The page stays short: what is usual says more than what is needed.
        if isFull || cluster.explanation.usually.count + cluster.explanation.causes.count < maximum {
            add("needs", cluster.explanation.needs.joined(separator: "; "))
        }
        for cause in cluster.explanation.usually.prefix(maximum) { add("usually", cause) }
        for cause in cluster.explanation.causes.prefix(maximum) { add("cause", cause, "possible") }
        for (index, check) in cluster.explanation.checks.prefix(isFull ? .max : Self.maximumSteps).enumerated() {
            add("do \(index + 1)", check.sentence, "changes nothing")
        }
        add(cluster.example, isTelling: cluster.explanation.decoded.isEmpty)
        if !cluster.id.isEmpty { add("kind", cluster.id, "fastctl suppress add \(cluster.id) --reason TEXT hides it") }
    }

    private mutating func add(_ label: String, _ text: String?, _ note: String? = nil) {
        if let text, !text.isEmpty { lines.append(Line(label: label, text: text, note: note)) }
    }

    private mutating func add(_ reading: FailureReading, isFull: Bool = false) {
        let decoded = reading.decoded.prefix(isFull ? .max : Self.maximumDecoded)
        for text in decoded { add("decoded", text, "certain") }
        for (name, text, confidence) in reading.surroundings { add(name, text, confidence?.rawValue) }
    }

    /// Adds a row with the beginning of its message; with more of it if nothing else tells what it says.
    private mutating func add(_ event: Evidence?, isTelling: Bool = false) {
        guard let event else { return }
        let columns = [event.eventID, event.level].filter { !$0.isEmpty }.joined(separator: " ")
        let place = "\(event.place.file):\(event.place.line)" + (columns.isEmpty ? "" : "  \(columns)")
        let text = isTelling ? event.text.prefix(Self.tellingText) : event.text[...]
        let isCut = event.isTruncated || text.endIndex < event.text.endIndex
        let mark = isTelling ? " | " : "  "
        lines.append(Line(label: "row", text: "\(place)\(mark)\(text)\(isCut ? "…" : "")", isRow: !isTelling))
        if let id = event.correlation { add("trace", "fastctl logs trace \(id)") }
    }

    /// What a step changes and how to undo it, as far as the rule says so.
    private static func note(on step: FixStep) -> String? {
        if step.effect == "none" { return "changes nothing" }
        let undo = step.undo.flatMap { $0.hasPrefix("none needed") ? nil : "undo: \($0)" }
        let notes = [step.effect.map { "effect: \($0)" }, undo].compactMap(\.self)
        return notes.isEmpty ? nil : notes.joined(separator: "; ")
    }

    /// The first names and how many more there are; `nil` without a name.
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

    /// Appends a heading and a list; text from a log is code.
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
    /// What is known of it in one sentence, or else the message.
    var headline: String {
        if let headline = explanation.headline { return headline }
        return template.isEmpty ? "A problem without a message" : template
    }

    /// `31 rows`, with the event ID: `31 rows of 8nca`, `1 row of event 6398`.
    var rowsText: String {
        let rows = Quantity(grouped: count, "row", "rows").description
        guard !eventID.isEmpty else { return rows }
        // Digits alone would read like a total.
        return
            "\(rows) of \(eventID.utf8.allSatisfy { (0x30...0x39).contains($0) } ? "event " : "")\(eventID.prefix(16))"
    }
}

extension Amount {
    /// `3 requests`, or `at least 3 requests`.
    func words(_ one: String, _ several: String) -> String {
        Quantity(grouped: count, one, several, isAtLeast: isAtLeast).description
    }
}
