import JSONText
import LogDiagnosis

/// The rules that were run, as SARIF describes them.
struct SARIFRules {
    private let rules: [Rule]
    private let indices: [RuleID: Int]
    /// Number of rules left out because there are too many.
    let omitted: Int
    /// The ID that kinds of unexplained rows have in place of a rule's.
    static let unexplained = "unexplained"
    /// Whether there are such kinds, so that their ID needs a description.
    private let hasUnexplained: Bool

    /// Takes all rules, ordered by ID; if there are too many, those without findings are dropped first.
    init(_ report: DiagnosisReport) {
        let all = RuleResult.all(of: report)
        let found = all.filter(\.isFound)
        let others = all.filter { !$0.isFound }
        rules = (found + others).prefix(SARIFLimits.rules).map(\.rule).sorted { $0.id < $1.id }
        indices = Dictionary(zip(rules.map(\.id), rules.indices)) { first, _ in first }
        omitted = all.count - rules.count
        hasUnexplained = !report.unexplained.isEmpty || report.suppressed.contains { $0.finding == nil }
    }

    /// The index of what describes kinds of unexplained rows; `nil` if there are none.
    var indexOfUnexplained: Int? { hasUnexplained ? rules.count : nil }

    /// Returns the index of a rule in the list.
    func index(of rule: Rule) -> Int? { indices[rule.id] }

    func write(to writer: inout JSONWriter) {
        writer.array { array in
            for rule in rules { array.object { Self.writeMembers(of: rule, to: &$0) } }
            if hasUnexplained { array.object { Self.writeUnexplained(to: &$0) } }
        }
    }

    /// Describes kinds of unexplained rows as if a rule had found them.
    private static func writeUnexplained(to object: inout JSONWriter) {
        object.member("id", unexplained)
        object.member("name", unexplained)
        object.object("shortDescription") { $0.member("text", "Rows show a problem that no rule explains") }
        object.object("fullDescription") { description in
            description.member(
                "text",
                """
                Rows of one kind hold an exception, a code or words of failure, or are at a bad level, and no rule explains \
                them. What their text says is decoded and certain, where it comes from is likely, a cause is possible.
                """
            )
        }
        object.object("help") { help in
            let text = """
                Look at what the message names; it changes nothing. If the kind turns out to be harmless, hide it: \
                fastctl suppress add KIND --reason TEXT
                """
            help.member("text", text)
            help.member("markdown", text)
        }
        object.object("defaultConfiguration") { $0.member("level", Severity.warning.sarifLevel) }
    }

    private static func writeMembers(of rule: Rule, to object: inout JSONWriter) {
        object.member("id", rule.id.text)
        object.member("name", rule.slug)
        object.object("shortDescription") { description in
            description.member("text", SARIFText.plain(rule.title, maximum: SARIFLimits.description))
        }
        object.object("fullDescription") { description in
            let text = "\(rule.explanation.what) \(rule.explanation.why)"
            description.member("text", SARIFText.plain(text, maximum: SARIFLimits.description))
        }
        object.object("help") { help in
            help.member("text", SARIFText.plain(plainHelp(of: rule), maximum: SARIFLimits.help))
            help.member("markdown", markdownHelp(of: rule))
        }
        if let url = rule.references.compactMap(\.url).first(where: WebAddress.isPlain) {
            object.member("helpUri", url)
        }
        if let severity = rule.verdicts.map(\.severity).max() {
            object.object("defaultConfiguration") { $0.member("level", severity.sarifLevel) }
        }
        object.object("properties") { properties in
            let tags = [rule.category] + rule.tags.filter { $0 != rule.category }
            let known = tags.filter { !$0.isEmpty }.prefix(SARIFLimits.tags)
            properties.member("tags", known.map { SARIFText.plain($0, maximum: 100) })
            properties.member("revision", rule.revision)
        }
    }

    private static func plainHelp(of rule: Rule) -> String {
        let steps = rule.fix.enumerated().map { "\($0 + 1). \($1.step)" }
        let verify = rule.verify.map { ["Verify: \($0)"] } ?? []
        let impact = [rule.explanation.impact].compactMap(\.self)
        return ([rule.explanation.what, rule.explanation.why] + impact + steps + verify).joined(separator: " ")
    }

    private static func markdownHelp(of rule: Rule) -> String {
        var bytes: [UInt8] = []
        RuleMarkdown(rule).append(to: &bytes)
        // Its first line is empty.
        bytes.removeFirst(min(1, bytes.count))
        guard bytes.count > SARIFLimits.help else { return String(decoding: bytes, as: UTF8.self) }
        // Cut between lines, where no code is open.
        let end = bytes.prefix(SARIFLimits.help).lastIndex(of: 0x0A) ?? 0
        return String(decoding: bytes[..<end], as: UTF8.self) + "\n…\n"
    }
}
