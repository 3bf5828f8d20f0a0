/// The text of an attribute's value, and how it is written.
enum AttributeText {
    /// Returns what a written value stands for; `nil` if it holds a reference that XML itself does not know.
    ///
    /// Line ends and tabs are spaces, unless they are written as references (XML 1.0, 2.11 and 3.3.3).
    static func resolved(_ raw: String) -> String? {
        guard raw.utf8.contains(where: { $0 == UInt8(ascii: "&") || $0 < 0x20 }) else { return raw }
        var result = String.UnicodeScalarView()
        var rest = raw.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "&":
                guard let end = rest.prefix(maximumReference).firstIndex(of: ";"),
                    let character = character(String(rest[..<end]))
                else { return nil }
                result.append(character)
                rest = rest[rest.index(after: end)...]
            case "\r":
                if rest.first == "\n" { rest.removeFirst() }
                result.append(" ")
            case "\n", "\t": result.append(" ")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// Returns a text as it must be written between quotes.
    static func escaped(_ text: String, inDoubleQuotes: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case "\"" where inDoubleQuotes: result += "&quot;"
            case "'" where !inDoubleQuotes: result += "&apos;"
            case "\t", "\n", "\r": result += "&#\(scalar.value);"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The longest reference that is looked at, in characters: leading zeros are allowed, but not for ever.
    private static let maximumReference = 64

    private static func character(_ reference: String) -> Unicode.Scalar? {
        switch reference {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard reference.hasPrefix("#") else { return nil }
            let digits = reference.dropFirst()
            let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            return number.flatMap(Unicode.Scalar.init)
        }
    }
}
