import TextKit

/// A function that writes a buffer's bytes and empties the buffer, so that a long report is written piece by piece.
package typealias BufferDrain = (inout [UInt8]) throws -> Void

/// The number of bytes at which a buffer is worth draining.
package let drainThreshold = 64 << 10

extension [UInt8] {
    package mutating func append(text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    package mutating func append(text: String) { append(contentsOf: text.utf8) }

    /// Appends untrusted text, made safe to display.
    package mutating func append(safe text: String) { SafeText.append(text, to: &self) }

    package mutating func append(safe text: Span<UInt8>) { SafeText.append(text, to: &self) }

    package mutating func append(number: some BinaryInteger) {
        var rest = UInt64(number)
        let start = count
        repeat {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        self[start...].reverse()
    }
}

extension [UInt8] {
    /// Appends untrusted text as part of one line, with line ends as `↵`, tabs as spaces, and the rest made safe.
    ///
    /// If `columns` is given, the text is cut to that many terminal columns, the last one being `…`.
    package mutating func append(line text: Span<UInt8>, columns: Int? = nil, _ layout: TextLayout) {
        guard let columns else {
            guard text.needsFlattening(layout) else { return SafeText.append(text, to: &self) }
            return SafeText.append(text.flattened(layout).span, to: &self)
        }
        let start = count
        // Long enough for all characters that fit: a character has up to 9 code points.
        let head = text.extracting(first: columns * 40 + 64)
        var maximum = columns
        while true {
            if head.needsFlattening(layout) {
                SafeText.append(head.flattened(layout).span, maximum: maximum, to: &self)
            } else {
                SafeText.append(head, maximum: maximum, to: &self)
            }
            // Some characters take two columns, so the text is cut again by the excess.
            let excess = SafeText.width(String(decoding: self[start...], as: UTF8.self)) - columns
            guard excess > 0, maximum > 0 else { return }
            removeLast(count - start)
            maximum -= (excess + 1) / 2
        }
    }

    package mutating func append(line text: String, columns: Int? = nil, _ layout: TextLayout) {
        append(line: text.utf8.span, columns: columns, layout)
    }

    /// Appends the program's own text, padded with spaces to `width` columns.
    package mutating func append(padded text: String, to width: Int) {
        append(text: text)
        append(blanks: width - SafeText.width(text))
    }

    package mutating func append(blanks count: Int) {
        append(contentsOf: repeatElement(UInt8(ascii: " "), count: Swift.max(0, count)))
    }
}

/// Returns untrusted text as part of one line, cut if `columns` is given.
package func lineText(_ text: String, columns: Int? = nil, _ layout: TextLayout) -> String {
    var bytes: [UInt8] = []
    bytes.append(line: text, columns: columns, layout)
    return String(decoding: bytes, as: UTF8.self)
}

extension Span<UInt8> {
    /// Returns whether the text contains line ends, tabs, or runner commands that the layout neutralizes.
    fileprivate func needsFlattening(_ layout: TextLayout) -> Bool {
        if layout.neutralizesRunnerCommands, beginsRunnerCommand { return true }
        var before: UInt8 = 0
        for index in indices {
            let byte = self[index]
            if byte == 0x09 || byte == 0x0A || byte == 0x0D { return true }
            if byte == UInt8(ascii: "#"), before == byte, layout.neutralizesRunnerCommands { return true }
            before = byte
        }
        return false
    }

    /// Whether the text begins with `::`, which the runner also recognizes after spaces.
    private var beginsRunnerCommand: Bool {
        var index = 0
        while index < count, self[index] <= 0x20 { index += 1 }
        return index + 1 < count && self[index] == UInt8(ascii: ":") && self[index + 1] == UInt8(ascii: ":")
    }

    fileprivate func flattened(_ layout: TextLayout) -> [UInt8] {
        let lineEnd = layout.isUnicode ? " ↵ " : " \\n "
        var line: [UInt8] = []
        line.reserveCapacity(count + 16)
        var isCommand = layout.neutralizesRunnerCommands && beginsRunnerCommand
        var before: UInt8 = 0
        for index in indices {
            let byte = self[index]
            switch byte {
            case 0x0A where before == 0x0D: break
            case 0x0A, 0x0D: line.append(contentsOf: lineEnd.utf8)
            case 0x09: line.append(0x20)
            case UInt8(ascii: "#") where before == byte && layout.neutralizesRunnerCommands:
                line.append(0x20)
                line.append(byte)
            case UInt8(ascii: ":") where isCommand:
                isCommand = false
                line.append(byte)
                line.append(0x20)
            default: line.append(byte)
            }
            before = byte
        }
        return line
    }
}

/// The layout of human-readable text, for a terminal of some width, or for a pipe or file.
package struct TextLayout: Hashable, Sendable {
    /// The width of the terminal in columns; `nil` for a pipe or file, where nothing is cut.
    package var width: Int?
    /// Whether rows and cells are complete even on a terminal, regardless of their length; sentences are still wrapped.
    package var isWide = false
    package var isColored: Bool
    /// Whether bars, arrows and tree lines may be non-ASCII, because the locale is UTF-8.
    package var isUnicode: Bool
    /// Whether to break up text that a CI runner would interpret as commands.
    ///
    /// `##[group]`, `##vso[…]` and `##teamcity[…]` are printed as `# #…`, and text that begins with `::` as `: :`.
    package var neutralizesRunnerCommands: Bool

    package init(
        width: Int? = nil,
        isWide: Bool = false,
        isColored: Bool = false,
        isUnicode: Bool = true,
        neutralizesRunnerCommands: Bool = false
    ) {
        self.width = width.map { max($0, Self.minimumWidth) }
        self.isWide = isWide
        self.isColored = isColored
        self.isUnicode = isUnicode
        self.neutralizesRunnerCommands = neutralizesRunnerCommands
    }

    /// The minimum width; narrower terminals are treated as this wide.
    package static let minimumWidth = 40

    /// The width of paragraphs in a pipe or file.
    package static let pipeWidth = 120

    /// The number of columns at which rows and cells are cut; `nil` if they are not cut.
    package var cutWidth: Int? { isWide ? nil : width }
}

/// The style of words on a terminal: a basic color, bold or not.
///
/// Only red and magenta are readable on both black and white: yellow, green and cyan are not readable on white, and
/// blue is not readable on black. Color never adds information to the words, because many readers don't see it.
package struct TerminalStyle: Hashable, Sendable {
    /// Parameters of the escape sequence that turns the style on; empty for plain text.
    fileprivate let parameters: String

    package static let plain = TerminalStyle(parameters: "")
    package static let bold = TerminalStyle(parameters: "1")
    package static let red = TerminalStyle(parameters: "31")
    package static let boldRed = TerminalStyle(parameters: "1;31")
    package static let magenta = TerminalStyle(parameters: "35")
    package static let boldMagenta = TerminalStyle(parameters: "1;35")
}

extension [UInt8] {
    /// Appends the output of `body`, styled if the layout is colored.
    package mutating func append(_ style: TerminalStyle, _ layout: TextLayout, _ body: (inout [UInt8]) -> Void) {
        guard layout.isColored, style != .plain else { return body(&self) }
        append(text: "\u{1B}[\(style.parameters)m")
        body(&self)
        append(text: "\u{1B}[0m" as StaticString)
    }
}

/// Values of `--color`: whether output is colored.
package enum ColorChoice: String, Hashable, Sendable, CaseIterable {
    /// Color on a terminal, unless the environment disables it.
    case auto
    case always
    case never

    /// Decides whether to color output.
    ///
    /// The deciding factors, in order of precedence: the option, `NO_COLOR`, a dumb terminal, `CLICOLOR_FORCE` and
    /// `FORCE_COLOR`, and whether the output is a terminal.
    ///
    /// Sources: no-color.org (present and not empty) and bixense.com/clicolors; `0` does not force.
    package func isColored(isTerminal: Bool, environment: (String) -> String?) -> Bool {
        switch self {
        case .always: return true
        case .never: return false
        case .auto: break
        }
        if let refusal = environment("NO_COLOR"), !refusal.isEmpty { return false }
        if environment("TERM") == "dumb" { return false }
        for name in ["CLICOLOR_FORCE", "FORCE_COLOR"] {
            if let force = environment(name), !["", "0", "false"].contains(force) { return true }
        }
        return isTerminal
    }
}

extension [UInt8] {
    /// Appends text as the content of an element or within an attribute's double quotes.
    ///
    /// Characters that XML 1.0 cannot represent, even as references, become U+FFFD. Every `>` is escaped, including
    /// that of `]]>`. Line ends and tabs survive in attributes.
    package mutating func append(xml text: String, inAttribute: Bool = false) {
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

    /// Returns whether XML allows a character.
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
    /// Appends untrusted text as code that can be used in a table cell: nothing in it acts as markup, a link or a
    /// mention.
    ///
    /// Outside a table, a bar is not escaped, because the backslash would be visible.
    package mutating func append(
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

    /// Appends lines unchanged, in a code fence that nothing in them can close.
    package mutating func append(markdownFence lines: [UInt8]) {
        let fence = String(repeating: "`", count: Swift.max(3, longestRunOfBackticks(in: lines.span) + 1))
        append(text: fence + "text\n")
        append(contentsOf: lines)
        append(text: fence + "\n")
    }
}

/// The maximum number of columns of Markdown code; longer text is cut.
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
    /// Appends a rule author's prose, which is neither log text nor text of this program.
    ///
    /// The prose remains plain text: Markdown markup is escaped, and a word that could become a mention, an issue
    /// number or a link is formatted as code.
    package mutating func append(markdownProse text: String) {
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
    /// Two consecutive number signs are either a heading of this program, followed by a space, or inside code.
    package mutating func breakRunnerCommands(from start: Int) {
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

    /// Returns whether two number signs begin at an index and no space follows them.
    private func isDoubledSign(at index: Int) -> Bool {
        index + 2 < count && self[index] == UInt8(ascii: "#") && self[index + 1] == UInt8(ascii: "#")
            && self[index + 2] != 0x20
    }
}
