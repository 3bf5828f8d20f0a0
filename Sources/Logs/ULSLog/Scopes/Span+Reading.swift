extension Span<UInt8> {
    /// Whether `words`, which are in small letters, stand at `offset`; the case of ASCII letters does not count.
    func reads(_ words: String, at offset: Int) -> Bool {
        let utf8 = words.utf8
        let expected = utf8.span
        guard offset >= 0, expected.count <= count - offset else { return false }
        for index in expected.indices {
            let byte = self[offset + index]
            guard (byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte) == expected[index] else { return false }
        }
        return true
    }

    /// The first offset from `start` on that holds neither a space nor a tab.
    func skippingBlanks(from start: Int) -> Int {
        var offset = start
        while offset < count, self[offset] == 0x20 || self[offset] == 0x09 { offset += 1 }
        return offset
    }

    /// The end of `start...` without the spaces and tabs behind it.
    func endWithoutBlanks(from start: Int) -> Int {
        var end = count
        while end > start, self[end - 1] == 0x20 || self[end - 1] == 0x09 { end -= 1 }
        return end
    }
}

extension UInt8 {
    /// An ASCII digit.
    var isScopeDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    /// An ASCII letter.
    var isScopeLetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

    /// A digit of a hexadecimal number.
    var isScopeHexadecimal: Bool { isScopeDigit || (self | 0x20) &- UInt8(ascii: "a") < 6 }
}
