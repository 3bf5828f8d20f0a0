extension String {
    /// The longest text that a message quotes, in characters.
    private static let maximumQuoted = 40

    /// The text in quotation marks, cut where it is long.
    ///
    /// What counts is scalars: a single grapheme may be as long as the document.
    var quoted: String {
        let start = unicodeScalars.prefix(Self.maximumQuoted)
        let isCut = start.endIndex < unicodeScalars.endIndex
        return "\u{201C}\(String(start))\(isCut ? "\u{2026}" : "")\u{201D}"
    }
}
