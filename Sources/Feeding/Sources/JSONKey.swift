import JSONText

/// A top-level key of documents, whose value stands for something as text: a version, an ID.
struct JSONKey: Hashable, Sendable {
    private let name: String

    init(_ name: String) { self.name = name }

    /// Returns a string's text, or anything else as it is written; `nil` if the key is missing or null.
    func text(in json: [UInt8]) -> String? { try? value(in: json) }

    private func value(in json: [UInt8]) throws(JSONError) -> String? {
        var scanner = JSONScanner(json.span)
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            guard scanner.isEqual(key, name) else {
                _ = try scanner.skipValue()
                continue
            }
            switch try scanner.kind() {
            case .string: return try scanner.stringText()
            case .null: return nil
            default: return scanner.rawText(try scanner.skipValue())
            }
        }
        return nil
    }
}

extension [UInt8] {
    /// The bytes in hexadecimal digits.
    var hexadecimal: String {
        var text = ""
        for byte in self { text += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
        return text
    }

    /// Reads hexadecimal digits; `nil` if they are none.
    init?(hexadecimal text: some StringProtocol) {
        let digits = [UInt8](text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        self = []
        for start in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[start..<start + 2], as: UTF8.self), radix: 16) else {
                return nil
            }
            append(byte)
        }
    }
}
