/// The tab that tables write before text that spreadsheets would interpret as a formula, and that readers remove.
///
/// Writing and reading are inverse: text of tabs and a sign gets one more tab, and text that is not guarded is never
/// written with a tab that a reader would remove.
package enum FormulaGuard {
    package static let tab: UInt8 = 0x09

    /// Returns whether a cell with this text gets a tab: whether it begins like a formula (`=`, `+`, `-`, `@`, carriage
    /// return, also in full width), after any number of tabs, and is not a number.
    package static func applies(to text: Span<UInt8>) -> Bool {
        var start = 0
        while start < text.count, text[start] == tab { start += 1 }
        guard beginsFormula(text, at: start) else { return false }
        return start > 0 || !isNumber(text)
    }

    /// Returns whether a cell begins with a tab that was written before its text.
    package static func isPresent(in cell: Span<UInt8>) -> Bool {
        cell.count > 1 && cell[0] == tab && applies(to: cell.extracting(1..<cell.count))
    }

    private static func beginsFormula(_ text: Span<UInt8>, at start: Int) -> Bool {
        guard start < text.count else { return false }
        switch text[start] {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x0D: return true
        // U+FF0B ＋, U+FF0D －, U+FF1D ＝, U+FF20 ＠
        case 0xEF where text.count > start + 2 && text[start + 1] == 0xBC:
            return [0x8B, 0x8D, 0x9D, 0xA0].contains(text[start + 2])
        default: return false
        }
    }

    /// Returns whether the text is a decimal number, with or without a sign: `-5`, `+0.25`.
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
