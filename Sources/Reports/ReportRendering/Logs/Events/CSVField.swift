/// A field of comma-separated values that no spreadsheet takes for a formula.
enum CSVField {
    /// Appends the field, quoted where its content asks for it.
    ///
    /// What begins like a formula (`=`, `+`, `-`, `@`, tab, carriage return, also in full width) and is no number gets a
    /// tab in front, within quotes: so it stays text even when a spreadsheet saves it and opens it again.
    static func append(_ text: Span<UInt8>, to bytes: inout [UInt8]) {
        let isFormula = beginsFormula(text) && !isNumber(text)
        guard isFormula || needsQuotes(text) else {
            return text.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        }
        bytes.append(quote)
        if isFormula { bytes.append(0x09) }
        for index in text.indices {
            if text[index] == quote { bytes.append(quote) }
            bytes.append(text[index])
        }
        bytes.append(quote)
    }

    private static let quote = UInt8(ascii: "\"")

    private static func needsQuotes(_ text: Span<UInt8>) -> Bool {
        guard text.count > 0 else { return false }
        // Blanks at the ends are a part of the text, but some readers take them away.
        if text[0] == 0x20 || text[text.count - 1] == 0x20 { return true }
        return text.indices.contains { index in
            let byte = text[index]
            return byte == quote || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") || byte < 0x20
        }
    }

    private static func beginsFormula(_ text: Span<UInt8>) -> Bool {
        guard text.count > 0 else { return false }
        switch text[0] {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0D: return true
        // U+FF0B ＋, U+FF0D －, U+FF1D ＝, U+FF20 ＠
        case 0xEF where text.count > 2 && text[1] == 0xBC: return [0x8B, 0x8D, 0x9D, 0xA0].contains(text[2])
        default: return false
        }
    }

    /// Whether it is a decimal number with its sign: `-5`, `+0.25`.
    private static func isNumber(_ text: Span<UInt8>) -> Bool {
        var digits = 0
        var points = 0
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits += 1
            case UInt8(ascii: "."): points += 1
            case UInt8(ascii: "-") where index == 0, UInt8(ascii: "+") where index == 0: break
            default: return false
            }
        }
        return digits > 0 && points < 2 && text[text.count - 1] != UInt8(ascii: ".")
    }
}
