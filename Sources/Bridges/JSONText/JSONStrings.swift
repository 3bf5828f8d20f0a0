/// The string values in a JSON text, for searching; keys are not included.
public enum JSONStrings {
    /// Calls `body` with each string value, in order; the whole text is checked.
    public static func visit(_ json: Span<UInt8>, _ body: (String) -> Void) throws(JSONError) {
        var scanner = JSONScanner(json)
        try scanner.visitStrings { scanner, token in body(scanner.text(of: token)) }
        try scanner.end()
    }

    /// Appends each string value in UTF-8, followed by `separator`; the whole text is checked.
    public static func append(_ json: Span<UInt8>, separator: UInt8, to output: inout [UInt8]) throws(JSONError) {
        var scanner = JSONScanner(json)
        try scanner.visitStrings { scanner, token in
            scanner.append(token, to: &output)
            output.append(separator)
        }
        try scanner.end()
    }

    /// The values that equal a text.
    public enum Equality: Sendable {
        /// The same string, or a number or Boolean that is written so.
        case written
        /// The same string, or a list with that string.
        case listed
    }

    /// Returns whether the object has this field at its top level, with a value that equals `text`.
    public static func field(
        _ name: String,
        of json: Span<UInt8>,
        equals text: String,
        by equality: Equality = .written
    ) throws(JSONError) -> Bool {
        var scanner = JSONScanner(json)
        var isEqual = false
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            guard scanner.isEqual(key, name) else {
                try scanner.skipValue()
                continue
            }
            isEqual = false
            switch (try scanner.kind(), equality) {
            case (.string, _): isEqual = try scanner.nextString(is: text)
            case (.number, .written), (.bool, .written):
                let value = try scanner.skipValue()
                isEqual = scanner.rawText(value).utf8.elementsEqual(text.utf8)
            case (.array, .listed):
                try scanner.enterArray()
                while try scanner.nextElement() {
                    if try scanner.kind() != .string {
                        try scanner.skipValue()
                    } else if try scanner.nextString(is: text) {
                        isEqual = true
                    }
                }
            default: try scanner.skipValue()
            }
        }
        try scanner.end()
        return isEqual
    }
}

extension JSONScanner {
    fileprivate mutating func nextString(is text: String) throws(JSONError) -> Bool {
        let token = try string()
        return isEqual(token, text)
    }

    fileprivate mutating func visitStrings(
        _ visit: (borrowing JSONScanner, JSONStringToken) -> Void
    ) throws(JSONError) {
        switch try kind() {
        case .object:
            try enterObject()
            while try nextKey() != nil { try visitStrings(visit) }
        case .array:
            try enterArray()
            while try nextElement() { try visitStrings(visit) }
        case .string:
            let token = try string()
            visit(self, token)
        case .number, .bool, .null: try skipValue()
        }
    }
}
