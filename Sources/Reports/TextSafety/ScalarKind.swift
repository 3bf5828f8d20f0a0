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
