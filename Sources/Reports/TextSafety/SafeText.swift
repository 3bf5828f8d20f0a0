/// Text from outside, made fit to be printed.
///
/// What a terminal would obey, what a reader can't see, and what would turn the line round is written as a visible
/// escape: `\u{1B}`. That is: control characters (line ends and tabs too), format characters such as bidirectional
/// controls, zero-width characters and tags, line and paragraph separators, private use, unassigned code points,
/// variation selectors without an emoji, and combining marks that have no base or are more than
/// ``maximumMarks`` on one. Bytes that are not UTF-8 become `\x{FF}`. Letters, their marks and emoji stay.
///
/// A backslash stays as it is, so making safe text safe changes nothing. The price: text that spells an escape looks
/// like one. Where that matters, use a data format.
public enum SafeText {
    /// How many combining marks may stand on one character.
    public static let maximumMarks = 8

    /// Appends text, made safe.
    public static func append(_ text: String, to output: inout [UInt8]) {
        append(text.utf8.span, to: &output)
    }

    /// Appends text of at most `maximum` characters, the last one being `…` when there are more.
    public static func append(_ text: String, maximum: Int, to output: inout [UInt8]) {
        append(text.utf8.span, maximum: maximum, to: &output)
    }

    /// Appends text given in UTF-8, made safe.
    public static func append(_ text: Span<UInt8>, to output: inout [UInt8]) {
        let plain = text.plainPrefixCount
        text.extracting(0..<plain).withUnsafeBufferPointer { output.append(contentsOf: $0) }
        guard plain < text.count else { return }
        var writer = SafeTextWriter(maximum: nil)
        writer.write(text, from: plain, to: &output)
    }

    /// Appends text given in UTF-8 of at most `maximum` characters, the last one being `…` when there are more.
    ///
    /// An escape has as many characters as it is long and is never cut; marks count with the character they stand on.
    public static func append(_ text: Span<UInt8>, maximum: Int, to output: inout [UInt8]) {
        var writer = SafeTextWriter(maximum: max(0, maximum))
        writer.write(text, from: 0, to: &output)
    }

    /// The text, made safe.
    public static func escaping(_ text: String) -> String {
        guard text.utf8.span.plainPrefixCount < text.utf8.count else { return text }
        var output: [UInt8] = []
        append(text, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// The text, made safe and at most `maximum` characters long.
    public static func escaping(_ text: String, maximum: Int) -> String {
        var output: [UInt8] = []
        append(text, maximum: maximum, to: &output)
        return String(decoding: output, as: UTF8.self)
    }
}

extension Span<UInt8> {
    /// How many bytes at the start are printable ASCII, except the last if something else follows.
    ///
    /// That last one may carry a combining mark.
    var plainPrefixCount: Int {
        var index = 0
        while index < count, self[index] &- 0x20 < 0x5F { index += 1 }
        return index == count || index == 0 ? index : index - 1
    }
}

extension SafeText {
    /// How many columns of a terminal the text takes, when it has been made safe.
    ///
    /// Signs of Chinese, Japanese and Korean and emoji take two. Terminals differ for the rarest.
    public static func width(_ text: String) -> Int {
        guard text.utf8.span.plainPrefixCount < text.utf8.count else { return text.utf8.count }
        return text.reduce(0) { $0 + width(of: $1) }
    }

    private static func width(of character: Character) -> Int {
        guard let first = character.unicodeScalars.first, ScalarKind(first) != .mark else { return 0 }
        if character.unicodeScalars.contains("\u{FE0F}") || first.properties.isEmojiPresentation { return 2 }
        return switch first.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x17000...0x18D08,
            0x1B000...0x1B2FB, 0x1F200...0x1F251, 0x20000...0x3FFFD:
            2
        default: 1
        }
    }
}

/// What a code point does to a line of text.
enum ScalarKind {
    case plain
    case keycap
    case emoji
    case mark
    /// Asks for an emoji to be drawn in color or in black.
    case emojiSelector
    /// Joins two emoji into one.
    case joiner
    /// Obeyed or not seen.
    case hidden

    init(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x30...0x39, 0x23, 0x2A: self = .keycap
        case 0x20...0x7E: self = .plain
        // Letters of Latin, then syllables of Hangul and the common signs of Chinese: no need to look them up.
        case 0xC0...0x2AF, 0xAC00...0xD7A3, 0x4E00...0x9FFF: self = .plain
        case 0xFE0E, 0xFE0F: self = .emojiSelector
        case 0x200D: self = .joiner
        // Drawn as nothing, though their categories are those of letters and signs.
        case 0x2800, 0x1D159: self = .hidden
        default: self = Self.lookUp(scalar.properties)
        }
    }

    private static func lookUp(_ properties: Unicode.Scalar.Properties) -> Self {
        if properties.isDefaultIgnorableCodePoint { return .hidden }
        return switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: .hidden
        case .nonspacingMark, .spacingMark, .enclosingMark: .mark
        default: properties.isEmoji ? .emoji : .plain
        }
    }
}
