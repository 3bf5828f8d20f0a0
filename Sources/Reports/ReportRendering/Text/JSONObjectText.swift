import JSONText

/// Writes one JSON object, key by key, onto the end of a buffer that is drained while a long report grows.
struct JSONObjectText {
    private var isEmpty = true

    /// Opens the object with the name of its schema.
    static func begin(_ schema: StaticString, in bytes: inout [UInt8]) -> JSONObjectText {
        var object = JSONObjectText(openingIn: &bytes)
        object.key("schema", in: &bytes)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(text: schema)
        bytes.append(UInt8(ascii: "\""))
        return object
    }

    init(openingIn bytes: inout [UInt8]) { bytes.append(UInt8(ascii: "{")) }

    mutating func key(_ name: StaticString, in bytes: inout [UInt8]) {
        if !isEmpty { bytes.append(UInt8(ascii: ",")) }
        isEmpty = false
        bytes.append(UInt8(ascii: "\""))
        bytes.append(text: name)
        bytes.append(text: "\":")
    }

    /// A key that is data.
    mutating func key(_ name: String, in bytes: inout [UInt8]) {
        if !isEmpty { bytes.append(UInt8(ascii: ",")) }
        isEmpty = false
        bytes.append(json: name)
        bytes.append(UInt8(ascii: ":"))
    }

    mutating func member(_ name: StaticString, _ text: String?, in bytes: inout [UInt8]) {
        key(name, in: &bytes)
        if let text { bytes.append(json: text) } else { bytes.append(text: "null") }
    }

    mutating func member(_ name: StaticString, _ number: (some BinaryInteger)?, in bytes: inout [UInt8]) {
        key(name, in: &bytes)
        if let number { bytes.append(number: number) } else { bytes.append(text: "null") }
    }

    func end(in bytes: inout [UInt8]) { bytes.append(UInt8(ascii: "}")) }
}

extension [UInt8] {
    /// Appends a JSON string; what needs no escape, which is nearly all, is copied as it is.
    mutating func append(json text: String) {
        append(UInt8(ascii: "\""))
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
            append(contentsOf: text.utf8)
        } else {
            var writer = JSONWriter()
            writer.value(text)
            append(contentsOf: writer.bytes.dropFirst().dropLast())
        }
        append(UInt8(ascii: "\""))
    }
}
