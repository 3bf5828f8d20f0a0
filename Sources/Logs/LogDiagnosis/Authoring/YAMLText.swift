/// Writes texts so that YAML reads them as they are.
enum YAMLText {
    /// The text between quotes, on one line, whatever it holds.
    static func quoted(_ text: String) -> String {
        "\"" + text.unicodeScalars.map(escaped).joined() + "\""
    }

    /// The text, between quotes only if it is more than letters and digits.
    static func word(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return isPlain ? text : quoted(text)
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar.value {
        case 0x22: "\\\""
        case 0x5C: "\\\\"
        case 0x20...0x7E, 0xA1...0x2027, 0x202F...0x205F, 0x2070...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFEF: "\(scalar)"
        default:
            // Controls, blanks of odd widths and marks of direction are not seen in an editor.
            "\\U" + String(repeating: "0", count: 8 - String(scalar.value, radix: 16).count)
                + String(scalar.value, radix: 16)
        }
    }
}
