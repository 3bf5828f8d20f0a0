extension [UInt8] {
    /// Appends text as an element's content or in an attribute's double quotes.
    ///
    /// What XML 1.0 cannot hold, not even as a reference, becomes U+FFFD; every `>` is escaped, hence `]]>` too; line
    /// ends and tabs survive in attributes.
    mutating func append(xml text: String, inAttribute: Bool = false) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": append(text: "&amp;" as StaticString)
            case "<": append(text: "&lt;" as StaticString)
            case ">": append(text: "&gt;" as StaticString)
            case "\"" where inAttribute: append(text: "&quot;" as StaticString)
            case "\t" where inAttribute: append(text: "&#9;" as StaticString)
            case "\n" where inAttribute: append(text: "&#10;" as StaticString)
            case "\r": append(text: "&#13;" as StaticString)
            default: append(contentsOf: UTF8.encode(Self.isXML(scalar) ? scalar : "\u{FFFD}") ?? .init())
            }
        }
    }

    /// Source: XML 1.0, production 2, `Char`.
    private static func isXML(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
