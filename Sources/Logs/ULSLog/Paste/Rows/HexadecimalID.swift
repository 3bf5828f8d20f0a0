/// Process and thread ids: `0x` and hexadecimal digits, or a placeholder in their place.
enum HexadecimalID {
    /// Whether `range` is an id and a placeholder (`0xXXXX`, `0x0000`); nil if it is no id at all.
    static func isPlaceholder(_ text: [UInt8], _ range: Range<Int>) -> Bool? {
        guard (3...18).contains(range.count), text.hasPrefix(prefix, at: range.lowerBound) else { return nil }
        let digits = text[(range.lowerBound + 2)..<range.upperBound]
        guard digits.allSatisfy({ $0.isHexadecimal || masks.contains($0) }) else { return nil }
        return digits.contains { masks.contains($0) } || digits.allSatisfy { $0 == UInt8(ascii: "0") }
    }

    /// The end of the thread id at `start`; nil if there is none.
    ///
    /// The area may be glued to it, `0x1988Windows SharePoint Services`, and begin with a hexadecimal digit,
    /// `0x12C4Excel`: ids have capitals and at least four digits, an area goes on in small letters.
    static func thread(_ text: [UInt8], at start: Int, to end: Int) -> (end: Int, isPlaceholder: Bool)? {
        let wordEnd = text.endOfWord(from: start, to: end)
        if let isPlaceholder = isPlaceholder(text, start..<wordEnd) { return (wordEnd, isPlaceholder) }
        guard text.hasPrefix(prefix, at: start) else { return nil }
        var cut = start + 2
        while cut < wordEnd, text[cut].isDigit || (text[cut].isHexadecimal && text[cut].isCapital) { cut += 1 }
        if cut < wordEnd, text[cut].isSmallLetter, text[cut - 1].isCapital { cut -= 1 }
        guard cut < wordEnd, text[cut].isCapital, cut - start >= 6 else { return nil }
        return isPlaceholder(text, start..<cut).map { (cut, $0) }
    }

    private static let prefix = Array("0x".utf8)
    private static let masks = Set("Xx.?#*".utf8)
}
