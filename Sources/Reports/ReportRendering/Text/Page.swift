/// What a report says to people, section by section, before it is known how it is shown.
struct Page {
    enum Block {
        case heading(String)
        case sentence(Phrase)
        case table(TextTable)
        /// Lines of our own making, as a histogram: nothing from outside is in them.
        case figure([UInt8])
    }

    private(set) var blocks: [Block] = []

    mutating func heading(_ text: String) { blocks.append(.heading(text)) }
    mutating func sentence(_ phrase: Phrase) { blocks.append(.sentence(phrase)) }
    mutating func figure(_ lines: [UInt8]) { blocks.append(.figure(lines)) }

    /// Adds a table under its heading; nothing when there are no rows.
    mutating func table(_ table: TextTable, under heading: String? = nil) {
        guard !table.rows.isEmpty else { return }
        if let heading { self.heading(heading) }
        blocks.append(.table(table))
    }

    func append(to bytes: inout [UInt8], _ layout: TextLayout) {
        for (index, block) in blocks.enumerated() {
            switch block {
            case .heading(let text):
                if index > 0 { bytes.append(0x0A) }
                bytes.append(.bold, layout) { $0.append(text: text) }
                bytes.append(0x0A)
            case .sentence(let phrase):
                phrase.append(to: &bytes, layout)
                bytes.append(0x0A)
            case .table(let table): table.append(to: &bytes, layout)
            case .figure(let lines): bytes.append(contentsOf: lines)
            }
        }
    }

    func appendMarkdown(to bytes: inout [UInt8]) {
        for (index, block) in blocks.enumerated() {
            if index > 0 { bytes.append(0x0A) }
            switch block {
            case .heading(let text): bytes.append(text: "## \(text)\n")
            case .sentence(let phrase):
                phrase.appendMarkdown(to: &bytes)
                bytes.append(0x0A)
            case .table(let table): table.appendMarkdown(to: &bytes)
            case .figure(let lines): bytes.append(markdownFence: lines)
            }
        }
    }
}
