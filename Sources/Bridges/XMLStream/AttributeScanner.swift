/// Finds the attributes of a tag, one at a time.
struct AttributeScanner {
    /// A name and a value, without the quotes.
    struct Found {
        var name: Range<Int>
        var value: Range<Int>
        var isDoubleQuoted: Bool
    }

    let units: CodeUnits
    private let end: Int
    /// The offset after the last item read and the space that follows it.
    private(set) var offset: Int

    init(_ units: CodeUnits, from start: Int, to end: Int) {
        self.units = units
        self.end = end
        offset = start
        skipSpace()
    }

    /// Returns the next attribute; returns `nil`, without moving, if something else follows.
    mutating func next() -> Found? {
        let start = offset
        guard let found = attribute() else {
            offset = start
            return nil
        }
        skipSpace()
        return found
    }

    private mutating func attribute() -> Found? {
        let nameStart = offset
        while offset < end, !XMLSyntax.endsName(units[offset]) { offset += units.step }
        let name = nameStart..<offset
        skipSpace()
        guard !name.isEmpty, offset < end, units[offset] == UInt8(ascii: "=") else { return nil }
        offset += units.step
        skipSpace()
        guard offset < end else { return nil }
        let quote = units[offset]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
        offset += units.step
        let start = offset
        while offset < end, units[offset] != quote { offset += units.step }
        guard offset < end else { return nil }
        let value = start..<offset
        offset += units.step
        return Found(name: name, value: value, isDoubleQuoted: quote == UInt8(ascii: "\""))
    }

    private mutating func skipSpace() {
        while offset < end, XMLSyntax.isSpace(units[offset]) { offset += units.step }
    }
}

/// Conversions between an attribute's value and its written form.
enum AttributeText {
    /// Returns the value of a written text; returns `nil` if it contains a reference that XML itself does not define.
    ///
    /// Line ends and tabs become spaces, unless they are written as references (XML 1.0, 2.11 and 3.3.3).
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

    /// Returns a text escaped for use between quotes.
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

    /// The longest reference to examine, in characters: leading zeros are allowed, but not without limit.
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
