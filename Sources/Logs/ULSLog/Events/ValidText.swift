/// Makes UTF-8 of bytes that may be anything.
enum ValidText {
    /// Appends text; each byte that is not part of valid UTF-8 is read as Windows-1252.
    static func append(_ text: Span<UInt8>, to output: inout [UInt8]) {
        var index = 0
        while index < text.count, text[index] < 0x80 { index += 1 }
        output.append(copying: text.extracting(first: index))
        while index < text.count {
            let length = validLength(text, at: index)
            if length > 0 {
                output.append(copying: text.extracting(index..<index + length))
                index += length
            } else {
                output.append(contentsOf: UTF8.encode(scalar(of: text[index])) ?? UTF8.encodedReplacementCharacter)
                index += 1
            }
        }
    }

    /// The bytes of the character at `index`; 0 if there is none.
    ///
    /// Source: Unicode 15, table 3-7, "Well-Formed UTF-8 Byte Sequences".
    private static func validLength(_ text: Span<UInt8>, at index: Int) -> Int {
        let first = text[index]
        let (length, second): (Int, ClosedRange<UInt8>) =
            switch first {
            case 0..<0x80: (1, 0...0)
            case 0xC2...0xDF: (2, 0x80...0xBF)
            case 0xE0: (3, 0xA0...0xBF)
            case 0xE1...0xEC, 0xEE, 0xEF: (3, 0x80...0xBF)
            case 0xED: (3, 0x80...0x9F)
            case 0xF0: (4, 0x90...0xBF)
            case 0xF1...0xF3: (4, 0x80...0xBF)
            case 0xF4: (4, 0x80...0x8F)
            default: (0, 0...0)
            }
        guard length > 1 else { return length }
        guard index + length <= text.count, second.contains(text[index + 1]) else { return 0 }
        for offset in 2..<max(2, length) where text[index + offset] & 0xC0 != 0x80 { return 0 }
        return length
    }

    /// What a byte means in Windows-1252; U+FFFD for the five that mean nothing.
    private static func scalar(of byte: UInt8) -> Unicode.Scalar {
        guard (0x80...0x9F).contains(byte) else { return Unicode.Scalar(byte) }
        return Unicode.Scalar(upperControls[Int(byte) - 0x80]) ?? "\u{FFFD}"
    }

    /// The characters of 0x80 to 0x9F.
    ///
    /// Source: the WHATWG Encoding Standard's index of windows-1252.
    private static let upperControls: [UInt32] = [
        0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0xFFFD,
        0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
        0x0153, 0xFFFD, 0x017E, 0x0178,
    ]
}

extension ByteWindow {
    /// A column as events have it: without padding, valid UTF-8.
    func validText(_ range: Range<Int>) -> [UInt8] {
        var text: [UInt8] = []
        ValidText.append(span(trimmed(range)), to: &text)
        return text
    }
}
