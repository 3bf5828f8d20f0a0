extension [UInt8] {
    /// Appends prose that is not from a log, but not of our own making either: of a rule's author.
    ///
    /// It is text and nothing else: what Markdown takes for markup is escaped, and a word that could become a name, a
    /// number or a link is code.
    mutating func append(markdownProse text: String) {
        var isFirst = true
        for word in lineText(text, TextLayout()).split(separator: " ") {
            if !isFirst { append(0x20) }
            if word.mayBecomeLink {
                append(markdownCode: String(word))
            } else {
                append(escapingMarkdown: word, isFirst: isFirst)
            }
            isFirst = false
        }
    }

    private mutating func append(escapingMarkdown word: Substring, isFirst: Bool) {
        // At the beginning of a line these make a list, a heading or a rule.
        if isFirst, let first = word.utf8.first, "+-=".utf8.contains(first) { append(UInt8(ascii: "\\")) }
        var before: UInt8 = 0
        for byte in word.utf8 {
            switch byte {
            case UInt8(ascii: "<"): append(text: "&lt;" as StaticString)
            case UInt8(ascii: ">"): append(text: "&gt;" as StaticString)
            case UInt8(ascii: "&"): append(text: "&amp;" as StaticString)
            case _ where "\\`*_[]|~$!".utf8.contains(byte),
                // `1.` and `1)` begin a numbered list.
                _ where isFirst && (byte == UInt8(ascii: ".") || byte == UInt8(ascii: ")")) && before &- 0x30 < 10:
                append(UInt8(ascii: "\\"))
                append(byte)
            default: append(byte)
            }
            before = byte
        }
    }
}

extension Substring {
    /// Whether GitHub makes a link of it: a name, a number of an issue, an address.
    fileprivate var mayBecomeLink: Bool {
        utf8.contains(UInt8(ascii: "@")) || utf8.contains(UInt8(ascii: "#")) || contains("://")
            || lowercased().contains("www.")
    }
}
