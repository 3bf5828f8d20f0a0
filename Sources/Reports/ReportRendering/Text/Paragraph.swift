import TextSafety

/// Text set in lines of so many columns.
enum Paragraph {
    /// The lines of a text from outside, made safe; a word that is longer than a line is not cut.
    ///
    /// No line begins with what a runner obeys, if the layout says so: where a line ends is ours to decide.
    static func lines(of text: String, columns: Int, _ layout: TextLayout) -> [String] {
        var lines: [String] = []
        var (line, width) = ("", 0)
        for word in lineText(text, layout).split(separator: " ") {
            let wordWidth = SafeText.width(String(word))
            if width > 0, width + 1 + wordWidth > columns {
                lines.append(line)
                (line, width) = ("", 0)
            }
            if width > 0 {
                line += " "
                width += 1
            }
            // A word begins a line: made safe once more, for it did not begin the text.
            let piece = width == 0 ? lineText(String(word), layout) : String(word)
            line += piece
            width += wordWidth
        }
        if width > 0 { lines.append(line) }
        return lines
    }
}

extension [UInt8] {
    /// Appends a label of one's own and, from the column `indent` on, a text from outside in as many lines as it takes.
    mutating func append(
        label: String,
        _ style: TerminalStyle = .plain,
        indent: Int,
        paragraph text: String,
        _ layout: TextLayout
    ) {
        append(style, layout) { $0.append(text: label) }
        let columns = Swift.max(20, (layout.width ?? TextLayout.pipeWidth) - indent)
        let lines = Paragraph.lines(of: text, columns: columns, layout)
        var blanks = indent - SafeText.width(label)
        for line in lines {
            append(blanks: blanks)
            append(text: line)
            append(0x0A)
            blanks = indent
        }
        // The label stands alone when there is nothing to say.
        if lines.isEmpty { append(0x0A) }
    }
}
