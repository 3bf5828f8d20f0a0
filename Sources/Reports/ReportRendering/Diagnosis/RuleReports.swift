import JSONText
public import LogDiagnosis
import TextSafety

/// Lists rules: a table, `fastctl.ruleEntry/1` objects as an array or one per line, or their IDs.
public enum RuleListRenderer {
    /// Appends the rules in the given order.
    public static func append(
        _ entries: [RuleLibrary.Entry],
        as format: ListFormat,
        nameEnd: NameEnd = .line,
        csv: CSVStyle = CSVStyle(),
        _ layout: TextLayout,
        to bytes: inout [UInt8]
    ) {
        switch format {
        case .json, .ndjson:
            var list = JSONList(isArray: format == .json)
            for entry in entries { list.append(to: &bytes) { append(entry, to: &$0) } }
            list.end(in: &bytes)
        case .name:
            for entry in entries {
                bytes.append(contentsOf: entry.rule.id.text.utf8)
                bytes.append(nameEnd == .nul ? 0 : 0x0A)
            }
        case .text: page(of: entries).append(to: &bytes, layout)
        case .markdown: page(of: entries).appendMarkdown(to: &bytes)
        case .csv:
            let table = CSVText(
                [
                    "rule", "slug", "title", "revision", "status", "kind", "category", "severity", "logs", "webConfig",
                    "supersedes", "builtIn", "file",
                ],
                csv,
                to: &bytes
            )
            for entry in entries { table.append(fields(of: entry), to: &bytes) }
        }
    }

    private static func fields(of entry: RuleLibrary.Entry) -> [String?] {
        let rule = entry.rule
        return [
            rule.id.text, rule.slug, rule.title, "\(rule.revision)", rule.status.rawValue, rule.kind.rawValue,
            rule.category, rule.worstSeverity?.rawValue, rule.needs.logs?.rawValue, rule.needs.webConfig?.rawValue,
            rule.supersedes.map(\.text).joined(separator: " "), "\(entry.isBuiltIn)", entry.source.name,
        ]
    }

    private static func page(of entries: [RuleLibrary.Entry]) -> Page {
        var page = Page()
        var table = TextTable(columns: [
            .init(title: "ID"), .init(title: "WORST"), .init(title: "STATUS"), .init(title: "NEEDS"),
            .init(title: "TITLE", minimum: 24),
        ])
        for entry in entries {
            let rule = entry.rule
            table.append([
                "\(rule.id)", "\(rule.kind == .noise ? "noise" : rule.worstSeverity?.rawValue ?? "-")",
                "\(rule.status.rawValue)",
                "\(rule.needs.words)", .untrusted(rule.title),
            ])
        }
        page.table(table)
        return page
    }

    private static func append(_ entry: RuleLibrary.Entry, to bytes: inout [UInt8]) {
        let rule = entry.rule
        bytes.append(object: "fastctl.ruleEntry/1") { object in
            DiagnosisObject.writeName(of: rule, to: &object)
            object.member("revision", rule.revision)
            object.member("status", rule.status.rawValue)
            object.member("kind", rule.kind.rawValue)
            object.member("category", rule.category)
            object.member("severity", rule.worstSeverity?.rawValue)
            object.member("logs", rule.needs.logs?.rawValue)
            object.member("webConfig", rule.needs.webConfig?.rawValue)
            object.member("supersedes", rule.supersedes.map(\.text))
            object.member("builtIn", entry.isBuiltIn)
            object.member("file", entry.source.name)
        }
    }
}

extension Rule {
    /// Worst severity of the rule's verdicts.
    var worstSeverity: Severity? { verdicts.map(\.severity).max() }
}

extension Needs {
    /// Inputs by name, optional ones with a question mark: `logs, web.config?`.
    fileprivate var words: String {
        [(logs, "logs"), (webConfig, "web.config")].compactMap { need, name in
            need.map { $0 == .required ? name : "\(name)?" }
        }.joined(separator: ", ")
    }
}

/// Shows a rule to people, with its tests as examples.
public enum RuleRenderer {
    private static let indent = 12

    /// Appends the rule's description.
    public static func append(_ description: RuleDescription, _ layout: TextLayout, to bytes: inout [UInt8]) {
        let id = description.id.text
        bytes.append(label: id, .bold, indent: id.utf8.count + 2, paragraph: description.title, layout)
        append(description.identity, layout, to: &bytes)
        for section in description.sections {
            bytes.append(0x0A)
            bytes.append(.bold, layout) { $0.append(text: section.heading) }
            bytes.append(0x0A)
            for block in section.blocks { append(block, layout, to: &bytes) }
        }
    }

    private static func append(_ block: RuleDescription.Block, _ layout: TextLayout, to bytes: inout [UInt8]) {
        switch block {
        case .paragraph(let text): bytes.append(label: "  ", indent: 2, paragraph: text, layout)
        case .facts(let facts): append(facts, layout, to: &bytes)
        case .steps(let steps):
            for (number, step) in steps.enumerated() {
                bytes.append(label: "  \(number + 1)", indent: 4, paragraph: step.text, layout)
                for detail in step.details {
                    bytes.append(label: "    \(detail.name)", indent: indent, paragraph: detail.text, layout)
                }
            }
        case .references(let references):
            for reference in references {
                bytes.append(label: "  ", indent: 2, paragraph: reference.title, layout)
                if let url = reference.url { bytes.append(label: "    ", indent: 4, paragraph: url, layout) }
            }
        case .examples(let examples):
            for example in examples {
                bytes.append(label: "  ", indent: 2, paragraph: example.name, layout)
                for line in example.given {
                    bytes.append(text: "    | ")
                    bytes.append(line: line, columns: layout.cutWidth.map { $0 - 6 }, layout)
                    bytes.append(0x0A)
                }
                bytes.append(label: "    =", indent: 6, paragraph: example.outcome, layout)
            }
        }
    }

    /// Appends facts, each a name and its text; a name that is too long gets its own line.
    private static func append(_ facts: [RuleDescription.Fact], _ layout: TextLayout, to bytes: inout [UInt8]) {
        for fact in facts {
            // Names come from the rule's author and are made safe like paragraphs.
            let name = Paragraph.lines(of: fact.name, columns: .max, layout).first ?? ""
            let isLong = name.count > indent - 4
            if isLong { bytes.append(label: "  ", indent: 2, paragraph: name, layout) }
            bytes.append(label: isLong ? "" : "  \(name)", indent: indent, paragraph: fact.text, layout)
        }
    }
}

/// Complaints about rules: a line for each, `fastctl.ruleComplaint/1` objects, or a table.
public enum ComplaintRenderer {
    public static func append(
        _ complaints: [RuleComplaint],
        as format: ComplaintFormat,
        csv: CSVStyle = CSVStyle(),
        to bytes: inout [UInt8]
    ) {
        switch format {
        case .text:
            for complaint in complaints {
                SafeText.append("\(complaint)", to: &bytes)
                bytes.append(0x0A)
            }
        case .json, .ndjson:
            var list = JSONList(isArray: format == .json)
            for complaint in complaints { list.append(to: &bytes) { append(complaint, to: &$0) } }
            list.end(in: &bytes)
        case .csv:
            let table = CSVText(["severity", "file", "line", "column", "message"], csv, to: &bytes)
            for complaint in complaints {
                table.append(
                    [
                        complaint.severity.rawValue, complaint.file, complaint.line.map { String($0) },
                        complaint.column.map { String($0) }, complaint.message,
                    ],
                    to: &bytes
                )
            }
        }
    }

    private static func append(_ complaint: RuleComplaint, to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.ruleComplaint/1") { object in
            object.member("severity", complaint.severity.rawValue)
            object.member("file", complaint.file)
            object.member("line", complaint.line)
            object.member("column", complaint.column)
            object.member("message", complaint.message)
        }
    }
}
