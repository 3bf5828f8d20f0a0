extension JSONScanner {
    /// Reads on from behind the opening quote.
    mutating func stringContent() throws(JSONError) -> JSONStringToken {
        let start = offset
        var hasEscapes = false
        var isASCII = true
        while offset < bytes.count {
            let byte = bytes[offset]
            switch byte {
            case UInt8(ascii: "\""):
                let range = start..<offset
                if !isASCII { try checkUTF8(range) }
                offset += 1
                return JSONStringToken(range: range, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try skipEscape()
            case 0..<0x20: throw error("a control character in a string must be escaped")
            default:
                if byte >= 0x80 { isASCII = false }
                offset += 1
            }
        }
        throw error("a string has no closing quote")
    }

    mutating func numberContent() throws(JSONError) -> JSONNumberToken {
        let start = offset
        if byte == UInt8(ascii: "-") { offset += 1 }
        if byte == UInt8(ascii: "0") {
            offset += 1
            guard !isDigit(byte) else { throw error("a number has a zero too many at its start") }
        } else {
            try digits()
        }
        var isInteger = true
        if byte == UInt8(ascii: ".") {
            isInteger = false
            offset += 1
            try digits()
        }
        if byte | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            offset += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { offset += 1 }
            try digits()
        }
        return JSONNumberToken(range: start..<offset, isInteger: isInteger)
    }

    private mutating func digits() throws(JSONError) {
        guard isDigit(byte) else { throw unexpected("a digit") }
        while isDigit(byte) { offset += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    private mutating func skipEscape() throws(JSONError) {
        let start = offset
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            offset += 1
        case UInt8(ascii: "u"):
            offset += 1
            let unit = try hexadecimal()
            guard unit & 0xF800 == 0xD800 else { return }
            guard unit < 0xDC00, byte == UInt8(ascii: "\\"), offset + 1 < bytes.count,
                bytes[offset + 1] == UInt8(ascii: "u")
            else { throw error("half a surrogate pair", at: start) }
            offset += 2
            guard try hexadecimal() & 0xFC00 == 0xDC00 else { throw error("half a surrogate pair", at: start) }
        default: throw error("an unknown escape in a string", at: start)
        }
    }

    private mutating func hexadecimal() throws(JSONError) -> UInt32 {
        guard let value = bytes.hexadecimal(at: offset) else { throw unexpected("four hexadecimal digits") }
        offset += 4
        return value
    }

    private func checkUTF8(_ range: Range<Int>) throws(JSONError) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.extracting(range))
        } catch {
            throw JSONError(offset: range.lowerBound + error.byteOffsets.lowerBound, message: "not UTF-8")
        }
    }
}
