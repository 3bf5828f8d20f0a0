import LogDiagnosis

/// What a rule says by itself, in Markdown: what it means, what helps, and where that is from.
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

    /// Appends steps of the rule, their places filled or not.
    func append(_ steps: [FixStep], to bytes: inout [UInt8]) {
        if !steps.isEmpty { bytes.append(text: "\n**Fix:**\n\n" as StaticString) }
        for (index, step) in steps.enumerated() {
            // A step as the rule has it holds nothing from outside.
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

    func appendSources(to bytes: inout [UInt8]) {
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
    /// Appends a sentence: as prose if it is the rule's own, else as code.
    mutating func append(markdown text: String, isProse: Bool) {
        if isProse {
            append(markdownProse: text)
        } else {
            append(markdownCode: text, columns: sentenceColumns, inTable: false)
        }
    }

    /// Appends an address as a link if it is one of the web and has nothing strange in it, else as code.
    fileprivate mutating func append(markdownLink url: String) {
        guard WebAddress.isPlain(url) else { return append(markdownCode: url, inTable: false) }
        append(text: "<\(url)>")
    }
}

/// What is longer than that is no sentence.
private let sentenceColumns = 1000
