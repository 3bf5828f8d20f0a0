extension [UInt8] {
    /// Appends text from outside as code, fit for a table's cell: nothing in it is markup, a link or a name.
    ///
    /// Outside of a table a bar needs no backslash, which would be seen there.
    mutating func append(
        markdownCode text: String,
        columns: Int = markdownCodeColumns,
        inTable: Bool = true
    ) {
        let line = lineText(text, columns: columns, TextLayout())
        guard !line.isEmpty else { return append(text: "–" as StaticString) }
        let marks = String(repeating: "`", count: longestRunOfBackticks(in: line.utf8.span) + 1)
        let blank = line.hasPrefix("`") || line.hasSuffix("`") ? " " : ""
        append(text: marks + blank)
        for byte in line.utf8 {
            // A table's cell ends at a bar, code or not.
            if inTable, byte == UInt8(ascii: "|") { append(UInt8(ascii: "\\")) }
            append(byte)
        }
        append(text: blank + marks)
    }

    /// Appends lines as they are, in a fence that nothing in them ends.
    mutating func append(markdownFence lines: [UInt8]) {
        let fence = String(repeating: "`", count: Swift.max(3, longestRunOfBackticks(in: lines.span) + 1))
        append(text: fence + "text\n")
        append(contentsOf: lines)
        append(text: fence + "\n")
    }
}

/// What is longer than this many columns is cut in Markdown's code.
let markdownCodeColumns = 200

func longestRunOfBackticks(in text: Span<UInt8>) -> Int {
    var (longest, run) = (0, 0)
    for index in text.indices {
        run = text[index] == UInt8(ascii: "`") ? run + 1 : 0
        longest = max(longest, run)
    }
    return longest
}
