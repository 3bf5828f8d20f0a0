/// Text from outside, made safe to print.
///
/// Anything that a terminal would obey, that a reader can't see or that would reverse the line is written as a visible
/// escape such as `\u{1B}`: control characters (line ends and tabs too), format characters such as bidirectional
/// controls, zero-width characters and tags, line and paragraph separators, private use, unassigned code points,
/// variation selectors without an emoji, and combining marks that have no base or exceed ``maximumMarks`` on one. Bytes
/// that are not UTF-8 become `\x{FF}`. Letters, their marks and emoji stay.
///
/// A backslash stays as it is, so escaping safe text again changes nothing. The price: text that spells an escape looks
/// like one. Where that matters, use a data format.
public enum SafeText {
    /// The most combining marks on one character.
    public static let maximumMarks = 8

    /// Appends text, made safe.
    public static func append(_ text: String, to output: inout [UInt8]) {
        append(text.utf8.span, to: &output)
    }

    /// Appends text of at most `maximum` characters; the last is `…` if there are more.
    public static func append(_ text: String, maximum: Int, to output: inout [UInt8]) {
        append(text.utf8.span, maximum: maximum, to: &output)
    }

    /// How what must not be obeyed is written.
    public enum Notation: Sendable {
        /// `\u{1B}`, `\u{202E}`: for terminals and plain text.
        case escapes
        /// `␛` and `‹U+202E›`: for pages, where every reader has the glyphs.
        case symbols
    }

    /// Appends UTF-8 text, made safe.
    public static func append(_ text: Span<UInt8>, in notation: Notation = .escapes, to output: inout [UInt8]) {
        let plain = text.plainPrefixCount
        text.extracting(0..<plain).withUnsafeBufferPointer { output.append(contentsOf: $0) }
        guard plain < text.count else { return }
        var writer = SafeTextWriter(maximum: nil, notation)
        writer.write(text, from: plain, to: &output)
    }

    /// Appends UTF-8 text of at most `maximum` characters; the last is `…` if there are more.
    ///
    /// Every character of an escape counts, and an escape is never cut; marks count with the character they are on.
    public static func append(_ text: Span<UInt8>, maximum: Int, to output: inout [UInt8]) {
        var writer = SafeTextWriter(maximum: max(0, maximum))
        writer.write(text, from: 0, to: &output)
    }

    /// Returns the text, made safe.
    public static func escaping(_ text: String) -> String {
        guard text.utf8.span.plainPrefixCount < text.utf8.count else { return text }
        var output: [UInt8] = []
        append(text, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Returns the text, made safe and at most `maximum` characters long.
    public static func escaping(_ text: String, maximum: Int) -> String {
        var output: [UInt8] = []
        append(text, maximum: maximum, to: &output)
        return String(decoding: output, as: UTF8.self)
    }
}

extension Span<UInt8> {
    /// The number of printable ASCII bytes at the start, without the last if something else follows.
    ///
    /// The last one may carry a combining mark.
    var plainPrefixCount: Int {
        var index = 0
        while index < count, self[index] &- 0x20 < 0x5F { index += 1 }
        return index == count || index == 0 ? index : index - 1
    }
}

extension SafeText {
    /// Returns the number of terminal columns that text takes, once made safe.
    ///
    /// Chinese, Japanese and Korean characters and emoji take two. Terminals differ on the rarest.
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

/// The effect of a code point on a line of text.
enum ScalarKind {
    case plain
    case keycap
    case emoji
    case mark
    /// A request to draw an emoji in color or in black.
    case emojiSelector
    /// A joiner of two emoji into one.
    case joiner
    /// A code point that is obeyed or not seen.
    case hidden

    init(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x30...0x39, 0x23, 0x2A: self = .keycap
        case 0x20...0x7E: self = .plain
        // Latin letters, then Hangul syllables and the common Chinese characters: no need to look them up.
        case 0xC0...0x2AF, 0xAC00...0xD7A3, 0x4E00...0x9FFF: self = .plain
        case 0xFE0E, 0xFE0F: self = .emojiSelector
        case 0x200D: self = .joiner
        // Drawn as nothing, though their categories are those of letters and symbols.
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
