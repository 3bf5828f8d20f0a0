public import LogDiagnosis

/// Shows a rule to people, its tests as examples.
public enum RuleRenderer {
    private static let indent = 12

    /// Appends the rule's description.
    public static func append(_ description: RuleDescription, _ layout: TextLayout, to bytes: inout [UInt8]) {
        bytes.append(.bold, layout) { $0.append(text: description.id.text) }
        bytes.append(text: "  ")
        bytes.append(line: description.title, layout)
        bytes.append(0x0A)
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
                    bytes.append(line: line, columns: layout.width.map { $0 - 6 }, layout)
                    bytes.append(0x0A)
                }
                bytes.append(label: "    =", indent: 6, paragraph: example.outcome, layout)
            }
        }
    }

    /// Names, and what is to be said of them; a name that is too long has a line of its own.
    private static func append(_ facts: [RuleDescription.Fact], _ layout: TextLayout, to bytes: inout [UInt8]) {
        for fact in facts {
            // A name is the author's, and made safe as a paragraph is.
            let name = Paragraph.lines(of: fact.name, columns: .max, layout).first ?? ""
            let isLong = name.count > indent - 4
            bytes.append(text: isLong ? "  \(name)\n" : "")
            bytes.append(label: isLong ? "" : "  \(name)", indent: indent, paragraph: fact.text, layout)
        }
    }
}
