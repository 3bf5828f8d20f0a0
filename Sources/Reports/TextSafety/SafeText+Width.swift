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
