/// Text as mdoc wants it.
enum ManualText {
    /// Prose: one sentence a line, as mdoc asks; an empty line begins a paragraph.
    static func prose(_ text: String) -> [String] {
        var lines: [String] = []
        for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if paragraph.isEmpty {
                if !lines.isEmpty, lines.last != ".Pp" { lines.append(".Pp") }
                continue
            }
            var sentence: [String] = []
            for word in paragraph.split(separator: " ") {
                // An option is copied, so its hyphens are minus signs.
                sentence.append(word.contains("--") || word.hasPrefix("-") ? literal(word) : escaped(word))
                if let last = word.last(where: { !"'\")".contains($0) }), ".?!".contains(last) {
                    lines.append(guarded(sentence.joined(separator: " ")))
                    sentence = []
                }
            }
            if !sentence.isEmpty { lines.append(guarded(sentence.joined(separator: " "))) }
        }
        if lines.last == ".Pp" { lines.removeLast() }
        return lines
    }

    /// A line to copy: every character stays what it is.
    static func code(_ line: some StringProtocol) -> String { guarded(literal(line)) }

    /// One argument of a macro, which is no macro itself.
    static func argument(_ word: some StringProtocol) -> String {
        let text = (isObeyed(word) ? "\\&" : "") + literal(word).replacing("\"", with: "\\(dq")
        return text.contains(" ") ? "\"\(text)\"" : text
    }

    /// Whether mdoc would take it for a macro, as `Ar`, or for punctuation, as a lone `.`.
    private static func isObeyed(_ word: some StringProtocol) -> Bool {
        guard word.count <= 3, let first = word.first, word.count > 1 else {
            return word.allSatisfy { !$0.isLetter && !$0.isNumber }
        }
        return first == "%" || (first.isUppercase && word.dropFirst().allSatisfy(\.isLowercase))
    }

    private static func escaped(_ text: Substring) -> String { String(text).replacing("\\", with: "\\e") }

    private static func literal(_ text: some StringProtocol) -> String {
        text.map { character in
            switch character {
            case "\\": "\\e"
            case "-": "\\-"
            case "'": "\\(aq"
            case "`": "\\(ga"
            case "^": "\\(ha"
            case "~": "\\(ti"
            default: String(character)
            }
        }
        .joined()
    }

    /// A line that begins with `.` or `'` would be a macro.
    private static func guarded(_ line: String) -> String {
        line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
    }
}
