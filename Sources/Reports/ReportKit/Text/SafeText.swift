import TextKit

/// Untrusted text, made safe to print.
///
/// Anything that a terminal would interpret, a reader can't see, or that would reverse the line is written as a visible
/// escape such as `\u{1B}`: control characters (line ends and tabs too), format characters such as bidirectional
/// controls, zero-width characters and tags, line and paragraph separators, private use, unassigned code points,
/// variation selectors without an emoji, and combining marks that have no base or exceed ``maximumMarks`` on one. Bytes
/// that are not UTF-8 become `\x{FF}`. Letters, their marks and emoji are kept.
///
/// A backslash is kept, so escaping safe text again changes nothing. The drawback is that text that already contains
/// such an escape cannot be distinguished from escaped text; if that matters, use a data format.
package enum SafeText {
    /// The maximum number of combining marks on one character.
    package static let maximumMarks = 8

    /// Appends text, made safe.
    package static func append(_ text: String, to output: inout [UInt8]) {
        append(text.utf8.span, to: &output)
    }

    /// Appends text of at most `maximum` characters; the last is `…` if there are more.
    package static func append(_ text: String, maximum: Int, to output: inout [UInt8]) {
        append(text.utf8.span, maximum: maximum, to: &output)
    }

    /// The notation for code points that must not be interpreted.
    package enum Notation: Sendable {
        /// `\u{1B}`, `\u{202E}`: for terminals and plain text.
        case escapes
        /// `␛` and `‹U+202E›`: for pages, where every reader has the glyphs.
        case symbols
    }

    /// Appends UTF-8 text, made safe.
    package static func append(_ text: Span<UInt8>, in notation: Notation = .escapes, to output: inout [UInt8]) {
        let plain = text.plainPrefixCount
        text.extracting(0..<plain).withUnsafeBufferPointer { output.append(contentsOf: $0) }
        guard plain < text.count else { return }
        var writer = SafeTextWriter(maximum: nil, notation)
        writer.write(text, from: plain, to: &output)
    }

    /// Appends UTF-8 text of at most `maximum` characters; the last is `…` if there are more.
    ///
    /// Every character of an escape counts, and an escape is never cut; combining marks are counted with their base
    /// character.
    package static func append(_ text: Span<UInt8>, maximum: Int, to output: inout [UInt8]) {
        var writer = SafeTextWriter(maximum: max(0, maximum))
        writer.write(text, from: 0, to: &output)
    }

    /// Returns the text, made safe.
    package static func escaping(_ text: String) -> String {
        guard text.utf8.span.plainPrefixCount < text.utf8.count else { return text }
        var output: [UInt8] = []
        append(text, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Returns the text, made safe and at most `maximum` characters long.
    package static func escaping(_ text: String, maximum: Int) -> String {
        var output: [UInt8] = []
        append(text, maximum: maximum, to: &output)
        return String(decoding: output, as: UTF8.self)
    }
}

extension Span<UInt8> {
    /// The number of printable ASCII bytes at the start, without the last of them if another kind of byte follows.
    ///
    /// The last byte may carry a combining mark.
    var plainPrefixCount: Int {
        var index = 0
        while index < count, self[index] &- 0x20 < 0x5F { index += 1 }
        return index == count || index == 0 ? index : index - 1
    }
}

extension SafeText {
    /// Returns the number of terminal columns that text takes after it is made safe.
    ///
    /// Chinese, Japanese and Korean characters and emoji take two columns. Terminals differ on the rarest characters.
    package static func width(_ text: String) -> Int {
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
private enum ScalarKind {
    case plain
    case keycap
    case emoji
    case mark
    /// A request to draw an emoji in color or in black.
    case emojiSelector
    /// A joiner of two emoji into one.
    case joiner
    /// A code point that is interpreted or invisible.
    case hidden

    package init(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x30...0x39, 0x23, 0x2A: self = .keycap
        case 0x20...0x7E: self = .plain
        // Latin letters, then Hangul syllables and the common Chinese characters, which need no lookup.
        case 0xC0...0x2AF, 0xAC00...0xD7A3, 0x4E00...0x9FFF: self = .plain
        case 0xFE0E, 0xFE0F: self = .emojiSelector
        case 0x200D: self = .joiner
        // These are invisible, although they are categorized as letters and symbols.
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

/// A writer of one text, code point by code point, that keeps the necessary state about the preceding ones.
private struct SafeTextWriter {
    /// The base to which a mark or a joiner would attach.
    private enum Base {
        case none
        case text
        /// A digit, `#` or `*`, which a combining enclosing mark turns into a keycap.
        case keycap
        case emoji
    }

    private let maximum: Int?
    private let notation: SafeText.Notation
    private var base = Base.none
    private var marks = 0
    /// The number of characters written so far.
    private var width = 0
    /// True after a joiner, which must not be the last code point.
    private var isJoining = false

    package init(maximum: Int?, _ notation: SafeText.Notation = .escapes) {
        self.maximum = maximum
        self.notation = notation
    }

    package mutating func write(_ text: Span<UInt8>, from start: Int, to output: inout [UInt8]) {
        /// The place to cut the text if it does not fit.
        var cut = output.count
        var decoder = ScalarDecoder(offset: start)
        while maximum != 0, let unit = decoder.next(in: text) {
            switch unit {
            case .scalar(let scalar): write(scalar, before: decoder.following(in: text), to: &output)
            case .invalid(let byte):
                base = .none
                escape(UInt32(byte), as: "x", to: &output)
            }
            guard let maximum else { continue }
            if width > maximum {
                output.removeLast(output.count - cut)
                output.append(contentsOf: "…".utf8)
                return
            }
            if width < maximum, !isJoining { cut = output.count }
        }
    }

    private mutating func write(_ scalar: Unicode.Scalar, before next: Unicode.Scalar?, to output: inout [UInt8]) {
        let kind = ScalarKind(scalar)
        isJoining = false
        switch kind {
        case .plain, .keycap, .emoji:
            base = kind == .emoji ? .emoji : kind == .keycap ? .keycap : .text
            marks = 0
            width += 1
            keep(scalar, in: &output)
        case .mark where base != .none && marks < SafeText.maximumMarks:
            marks += 1
            keep(scalar, in: &output)
        case .emojiSelector where base == .emoji && marks == 0,
            .emojiSelector where base == .keycap && marks == 0 && next == "\u{20E3}":
            marks += 1
            keep(scalar, in: &output)
        case .joiner where base == .emoji && next.map(ScalarKind.init) == .emoji:
            isJoining = true
            keep(scalar, in: &output)
        case .mark where base != .none:
            escape(scalar.value, as: "u", to: &output)
        case .mark, .emojiSelector, .joiner, .hidden:
            base = .none
            escape(scalar.value, as: "u", to: &output)
        }
    }

    private func keep(_ scalar: Unicode.Scalar, in output: inout [UInt8]) {
        output.append(contentsOf: UTF8.encode(scalar) ?? .init())
    }

    private mutating func escape(_ value: UInt32, as letter: Unicode.Scalar, to output: inout [UInt8]) {
        guard notation == .escapes else { return show(value, isByte: letter == "x", to: &output) }
        let before = output.count
        output.append(UInt8(ascii: "\\"))
        output.append(UInt8(ascii: letter))
        output.append(UInt8(ascii: "{"))
        output.append(contentsOf: String(value, radix: 16, uppercase: true).utf8)
        output.append(UInt8(ascii: "}"))
        width += output.count - before
    }

    /// Writes a control character as its symbol, any other code point as its number, and an invalid byte as the
    /// replacement character.
    private mutating func show(_ value: UInt32, isByte: Bool, to output: inout [UInt8]) {
        switch value {
        case _ where isByte: output.append(contentsOf: "\u{FFFD}".utf8)
        case ..<0x20: output.append(contentsOf: String(Character(Unicode.Scalar(0x2400 + value) ?? "\u{FFFD}")).utf8)
        case 0x7F: output.append(contentsOf: "\u{2421}".utf8)
        default:
            let digits = value.padded(to: 4, radix: 16, uppercase: true)
            output.append(contentsOf: "\u{2039}U+\(digits)\u{203A}".utf8)
            width += digits.count + 3
        }
        width += 1
    }
}

/// A decoder of UTF-8 that may be invalid.
private struct ScalarDecoder {
    enum Unit {
        case scalar(Unicode.Scalar)
        /// A byte that is not part of a code point.
        case invalid(UInt8)
    }

    private var offset: Int

    init(offset: Int) { self.offset = offset }

    mutating func next(in text: Span<UInt8>) -> Unit? {
        guard offset < text.count else { return nil }
        let first = text[offset]
        guard let (scalar, length) = Self.scalar(in: text, at: offset) else {
            offset += 1
            return .invalid(first)
        }
        offset += length
        return .scalar(scalar)
    }

    /// Returns the next code point without consuming it.
    func following(in text: Span<UInt8>) -> Unicode.Scalar? { Self.scalar(in: text, at: offset)?.0 }

    private static func scalar(in text: Span<UInt8>, at offset: Int) -> (Unicode.Scalar, Int)? {
        guard offset < text.count else { return nil }
        let first = UInt32(text[offset])
        let (length, least): (Int, UInt32)
        switch first {
        case ..<0x80: return (Unicode.Scalar(UInt8(first)), 1)
        case 0xC2...0xDF: (length, least) = (2, 0x80)
        case 0xE0...0xEF: (length, least) = (3, 0x800)
        case 0xF0...0xF4: (length, least) = (4, 0x10000)
        default: return nil
        }
        guard text.count - offset >= length else { return nil }
        var value = first & (0x7F >> UInt32(length))
        for index in offset + 1..<offset + length {
            let byte = UInt32(text[index])
            guard byte & 0xC0 == 0x80 else { return nil }
            value = value << 6 | byte & 0x3F
        }
        guard value >= least, let scalar = Unicode.Scalar(value) else { return nil }
        return (scalar, length)
    }
}
