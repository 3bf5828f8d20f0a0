import TextSafety

/// A function that takes a buffer's bytes and empties it, so that a long report is written piece by piece.
public typealias BufferDrain = (inout [UInt8]) throws -> Void

/// Number of bytes at which a buffer is worth draining.
let drainThreshold = 64 << 10

extension [UInt8] {
    mutating func append(text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(text: String) { append(contentsOf: text.utf8) }

    /// Appends untrusted text, made safe to display.
    mutating func append(safe text: String) { SafeText.append(text, to: &self) }

    mutating func append(safe text: Span<UInt8>) { SafeText.append(text, to: &self) }

    mutating func append(number: some BinaryInteger) {
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
    /// Appends untrusted text as part of one line: line ends as `↵`, tabs as spaces, the rest made safe.
    ///
    /// If `columns` is given, the text is cut to that many terminal columns, the last one being `…`.
    mutating func append(line text: Span<UInt8>, columns: Int? = nil, _ layout: TextLayout) {
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
            // Some characters take two columns: cut again, by the excess.
            let excess = SafeText.width(String(decoding: self[start...], as: UTF8.self)) - columns
            guard excess > 0, maximum > 0 else { return }
            removeLast(count - start)
            maximum -= (excess + 1) / 2
        }
    }

    mutating func append(line text: String, columns: Int? = nil, _ layout: TextLayout) {
        append(line: text.utf8.span, columns: columns, layout)
    }

    /// Appends our own text, padded with spaces to `width` columns.
    mutating func append(padded text: String, to width: Int) {
        append(text: text)
        append(blanks: width - SafeText.width(text))
    }

    mutating func append(blanks count: Int) {
        append(contentsOf: repeatElement(UInt8(ascii: " "), count: Swift.max(0, count)))
    }
}

/// Returns untrusted text as part of one line, cut if `columns` is given.
func lineText(_ text: String, columns: Int? = nil, _ layout: TextLayout) -> String {
    var bytes: [UInt8] = []
    bytes.append(line: text, columns: columns, layout)
    return String(decoding: bytes, as: UTF8.self)
}

extension Span<UInt8> {
    /// Whether the text holds line ends, tabs, or runner commands that the layout neutralizes.
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

    /// Whether the text begins with `::`, which the runner recognizes after spaces too.
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

/// The layout of text for people: for a terminal of some width, or for a pipe or file.
public struct TextLayout: Hashable, Sendable {
    /// Width of the terminal in columns; `nil` for a pipe or file, where nothing is cut.
    public var width: Int?
    /// Whether rows and cells are whole on a terminal too, however long; sentences are wrapped all the same.
    public var isWide = false
    public var isColored: Bool
    /// Whether bars, arrows and tree lines may be non-ASCII, because the locale is UTF-8.
    public var isUnicode: Bool
    /// Whether to break up text that a CI runner would take for commands.
    ///
    /// `##[group]`, `##vso[…]` and `##teamcity[…]` are printed as `# #…`, and text that begins with `::` as `: :`.
    public var neutralizesRunnerCommands: Bool

    public init(
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

    /// Minimum width; narrower terminals count as this wide.
    public static let minimumWidth = 40

    /// Width of paragraphs in a pipe or file.
    static let pipeWidth = 120

    /// Columns at which rows and cells are cut; `nil` if they are whole.
    var cutWidth: Int? { isWide ? nil : width }
}

/// The style of words on a terminal: a basic color, bold or not.
///
/// Only red and magenta can be read on black and on white; yellow, green and cyan are lost on white, blue on black. Color
/// never says anything that the words don't, because half of the readers don't see it.
struct TerminalStyle: Hashable, Sendable {
    /// Parameters of the escape sequence that turns the style on; empty for plain text.
    fileprivate let parameters: String

    public static let plain = TerminalStyle(parameters: "")
    public static let bold = TerminalStyle(parameters: "1")
    public static let red = TerminalStyle(parameters: "31")
    public static let boldRed = TerminalStyle(parameters: "1;31")
    public static let magenta = TerminalStyle(parameters: "35")
    public static let boldMagenta = TerminalStyle(parameters: "1;35")
}

extension [UInt8] {
    /// Appends what `body` appends, in a style if the layout is colored.
    mutating func append(_ style: TerminalStyle, _ layout: TextLayout, _ body: (inout [UInt8]) -> Void) {
        guard layout.isColored, style != .plain else { return body(&self) }
        append(text: "\u{1B}[\(style.parameters)m")
        body(&self)
        append(text: "\u{1B}[0m" as StaticString)
    }
}

/// Values of `--color`: whether output is colored.
public enum ColorChoice: String, Hashable, Sendable, CaseIterable {
    /// Color on a terminal, unless the environment says otherwise.
    case auto
    case always
    case never

    /// Decides whether to color output.
    ///
    /// In order of precedence: the option, `NO_COLOR`, a dumb terminal, `CLICOLOR_FORCE` and `FORCE_COLOR`, and whether
    /// the output is a terminal.
    ///
    /// Sources: no-color.org (present and not empty) and bixense.com/clicolors; `0` does not force.
    public func isColored(isTerminal: Bool, environment: (String) -> String?) -> Bool {
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
