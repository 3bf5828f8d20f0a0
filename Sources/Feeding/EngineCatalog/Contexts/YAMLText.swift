/// Text as YAML reads it back.
enum YAMLText {
    /// A scalar on one line: plain where that is safe, else in double quotes.
    static func scalar(_ text: String) -> String { isPlain(text) ? text : quoted(text) }

    /// What YAML also takes for nothing, or for a truth value.
    private static let reserved: Set<String> = ["null", "true", "false", "yes", "no", "on", "off"]

    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.utf8.first, let last = text.utf8.last, last != UInt8(ascii: ":") else { return false }
        return (isWord(first) || first == UInt8(ascii: "/")) && !reserved.contains(text.lowercased())
            && text.utf8.allSatisfy { isWord($0) || "/:+.-_@,=".utf8.contains($0) }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }

    private static func quoted(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar -> String in
            switch scalar {
            case "\"": return "\\\""
            case "\\": return "\\\\"
            case "\n": return "\\n"
            case "\t": return "\\t"
            default:
                guard scalar.needsEscape else { return String(scalar) }
                let digits = String(scalar.value, radix: 16, uppercase: true)
                return "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            }
        }
        return "\"" + scalars.joined() + "\""
    }
}

extension Unicode.Scalar {
    /// What may not stand in YAML as it is, or would end the line.
    fileprivate var needsEscape: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse, .surrogate: true
        default: value == 0xFEFF
        }
    }
}
