extension JSONScanner {
    /// What a string says.
    public func text(of token: JSONStringToken) -> String {
        if token.hasEscapes {
            var text: [UInt8] = []
            append(token, to: &text)
            return String(decoding: text, as: UTF8.self)
        }
        return bytes.extracting(token.range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    /// Appends what a string says, in UTF-8.
    public func append(_ token: JSONStringToken, to output: inout [UInt8]) {
        if token.hasEscapes {
            output.append(unescaping: bytes.extracting(token.range))
        } else {
            output.append(copying: bytes.extracting(token.range))
        }
    }

    /// True when the string says exactly this, compared by bytes: é in one code point is not é in two.
    public func isEqual(_ token: JSONStringToken, _ text: String) -> Bool { isEqual(token, utf8: text.utf8.span) }

    /// True when the string says exactly this.
    public func isEqual(_ token: JSONStringToken, utf8 text: Span<UInt8>) -> Bool {
        if token.hasEscapes {
            var said: [UInt8] = []
            append(token, to: &said)
            return said.count == text.count && text.indices.allSatisfy { said[$0] == text[$0] }
        }
        guard token.range.count == text.count else { return false }
        return text.indices.allSatisfy { bytes[token.range.lowerBound + $0] == text[$0] }
    }

    /// The text that comes next.
    public mutating func stringText() throws(JSONError) -> String {
        let token = try string()
        return text(of: token)
    }

    /// The whole number that comes next.
    public mutating func int() throws(JSONError) -> Int {
        let token = try number()
        guard token.isInteger else { throw error("expected a whole number", at: token.range.lowerBound) }
        guard let value = Int(rawText(token.range)) else {
            throw error("a number out of range", at: token.range.lowerBound)
        }
        return value
    }

    /// The number that comes next.
    public mutating func double() throws(JSONError) -> Double {
        let token = try number()
        guard let value = Double(rawText(token.range)), value.isFinite else {
            throw error("a number out of range", at: token.range.lowerBound)
        }
        return value
    }

    /// The bytes at a place, as text.
    public func rawText(_ range: Range<Int>) -> String {
        bytes.extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}

extension [UInt8] {
    /// Appends what a checked string says.
    mutating func append(unescaping string: Span<UInt8>) {
        var index = 0
        while index < string.count {
            let byte = string[index]
            guard byte == UInt8(ascii: "\\"), index + 1 < string.count else {
                append(byte)
                index += 1
                continue
            }
            index += 2
            switch string[index - 1] {
            case UInt8(ascii: "b"): append(0x08)
            case UInt8(ascii: "f"): append(0x0C)
            case UInt8(ascii: "n"): append(0x0A)
            case UInt8(ascii: "r"): append(0x0D)
            case UInt8(ascii: "t"): append(0x09)
            case UInt8(ascii: "u"):
                var value = string.hexadecimal(at: index) ?? 0xFFFD
                index += 4
                if value & 0xFC00 == 0xD800, let low = string.hexadecimal(at: index + 2) {
                    value = 0x10000 + (value & 0x3FF) << 10 + low & 0x3FF
                    index += 6
                }
                append(contentsOf: String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8)
            case let literal: append(literal)
            }
        }
    }
}

extension Span<UInt8> {
    /// Four hexadecimal digits as a number.
    func hexadecimal(at offset: Int) -> UInt32? {
        guard offset >= 0, count - offset >= 4 else { return nil }
        var value: UInt32 = 0
        for index in offset..<offset + 4 {
            let byte = self[index]
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt32(byte - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | UInt32(byte - UInt8(ascii: "A") + 10)
            default: return nil
            }
        }
        return value
    }
}
