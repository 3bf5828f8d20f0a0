extension [UInt8] {
    /// Appends text as the content of an element or within an attribute's double quotes.
    ///
    /// Characters that XML 1.0 cannot hold, even as references, become U+FFFD. Every `>` is escaped, and hence `]]>`
    /// too. Line ends and tabs survive in attributes.
    mutating func append(xml text: String, inAttribute: Bool = false) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": append(text: "&amp;" as StaticString)
            case "<": append(text: "&lt;" as StaticString)
            case ">": append(text: "&gt;" as StaticString)
            case "\"" where inAttribute: append(text: "&quot;" as StaticString)
            case "\t" where inAttribute: append(text: "&#9;" as StaticString)
            case "\n" where inAttribute: append(text: "&#10;" as StaticString)
            case "\r": append(text: "&#13;" as StaticString)
            default: append(contentsOf: UTF8.encode(Self.isXML(scalar) ? scalar : "\u{FFFD}") ?? .init())
            }
        }
    }

    /// Whether XML allows a character.
    ///
    /// Source: XML 1.0, production 2, `Char`.
    private static func isXML(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}

extension [UInt8] {
    /// Appends untrusted text as code that fits in a table cell: nothing in it is markup, a link or a mention.
    ///
    /// Outside a table, a bar needs no backslash, which would be visible there.
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
            // A table cell ends at a bar, even in code.
            if inTable, byte == UInt8(ascii: "|") { append(UInt8(ascii: "\\")) }
            append(byte)
        }
        append(text: blank + marks)
    }

    /// Appends lines unchanged, in a fence that nothing in them can close.
    mutating func append(markdownFence lines: [UInt8]) {
        let fence = String(repeating: "`", count: Swift.max(3, longestRunOfBackticks(in: lines.span) + 1))
        append(text: fence + "text\n")
        append(contentsOf: lines)
        append(text: fence + "\n")
    }
}

/// Maximum columns of Markdown code; longer text is cut.
private let markdownCodeColumns = 200

private func longestRunOfBackticks(in text: Span<UInt8>) -> Int {
    var (longest, run) = (0, 0)
    for index in text.indices {
        run = text[index] == UInt8(ascii: "`") ? run + 1 : 0
        longest = max(longest, run)
    }
    return longest
}

extension [UInt8] {
    /// Appends prose by a rule's author, which is neither log text nor our own.
    ///
    /// It stays plain text: Markdown markup is escaped, and a word that could become a mention, an issue number or a
    /// link is code.
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
        // At the start of a line, these begin a list, a heading or a rule.
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
    /// Whether GitHub might turn the word into a link: a mention, an issue number, an address.
    fileprivate var mayBecomeLink: Bool {
        utf8.contains(UInt8(ascii: "@")) || utf8.contains(UInt8(ascii: "#")) || contains("://")
            || lowercased().contains("www.")
    }
}

extension [UInt8] {
    /// Breaks up `##[`, `##vso[` and `##teamcity[`, which runners look for anywhere in a step's output.
    ///
    /// Two number signs in a row are either our own headings, followed by a space, or within code.
    mutating func breakRunnerCommands(from start: Int) {
        guard let first = indices(ofDoubledSignsFrom: start).first else { return }
        var broken: [UInt8] = []
        for index in first..<count {
            broken.append(self[index])
            if isDoubledSign(at: index) { broken.append(0x20) }
        }
        replaceSubrange(first..., with: broken)
    }

    private func indices(ofDoubledSignsFrom start: Int) -> some Collection<Int> {
        (start..<count).lazy.filter { isDoubledSign(at: $0) }
    }

    /// Whether two number signs begin at an index and no space follows them.
    private func isDoubledSign(at index: Int) -> Bool {
        index + 2 < count && self[index] == UInt8(ascii: "#") && self[index + 1] == UInt8(ascii: "#")
            && self[index + 2] != 0x20
    }
}
