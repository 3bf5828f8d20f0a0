/// Writes one JSON object, key by key, onto the end of a buffer.
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
    /// A JSON string, escaped by JSON's rules and no others.
    mutating func append(json text: String) {
        append(UInt8(ascii: "\""))
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
            append(contentsOf: text.utf8)
        } else {
            for byte in text.utf8 { append(jsonByte: byte) }
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func append(jsonByte byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append(text: "\\\"")
        case UInt8(ascii: "\\"): append(text: "\\\\")
        case 0x0A: append(text: "\\n")
        case 0x0D: append(text: "\\r")
        case 0x09: append(text: "\\t")
        case 0..<0x20:
            let digits = Array("0123456789abcdef".utf8)
            append(text: "\\u00")
            append(digits[Int(byte >> 4)])
            append(digits[Int(byte & 15)])
        default: append(byte)
        }
    }
}
