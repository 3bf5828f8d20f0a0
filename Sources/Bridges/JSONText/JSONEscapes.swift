extension [UInt8] {
    /// Appends text in UTF-8 as a JSON string: quotes, backslashes and control characters escaped, nothing else.
    public mutating func append(jsonString text: Span<UInt8>) {
        append(UInt8(ascii: "\""))
        var start = 0
        while case let place = text.firstToEscape(from: start), place < text.count {
            append(copying: text.extracting(start..<place))
            append(escapeFor: text[place])
            start = place + 1
        }
        append(copying: text.extracting(start..<text.count))
        append(UInt8(ascii: "\""))
    }

    /// Appends what is JSON already, as it is.
    public mutating func append(json: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount))
    }

    mutating func append(copying bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
    }

    private mutating func append(escapeFor byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0C: append(UInt8(ascii: "f"))
        case 0x0D: append(UInt8(ascii: "r"))
        case 0x20...: append(byte)
        default:
            append(contentsOf: "u00".utf8)
            append(UInt8(ascii: "0") + byte >> 4)
            append(byte & 15 < 10 ? UInt8(ascii: "0") + byte & 15 : UInt8(ascii: "a") + byte & 15 - 10)
        }
    }
}

extension Span<UInt8> {
    /// Where the next byte stands that must be escaped; the end where there is none.
    ///
    /// Looks at eight bytes at a time: a byte of a word is below `n` where subtracting `n` borrows from its highest
    /// bit, and that bit was not set before.
    fileprivate func firstToEscape(from start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var place = start
        withUnsafeBytes { bytes in
            while place + 8 <= bytes.count {
                let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
                let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
                let control = (word &- ones &* 0x20) & ~word
                let found = control | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash
                // A borrow can reach into the next byte and make too much of it, never too little.
                if found & (ones &* 0x80) != 0 { break }
                place += 8
            }
        }
        while place < count, !Self.mustBeEscaped(self[place]) { place += 1 }
        return place
    }

    private static func mustBeEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }
}
