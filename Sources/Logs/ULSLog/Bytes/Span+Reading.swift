extension Span<UInt8> {
    /// Returns whether `words`, given in lowercase, are at `offset`, ignoring ASCII case.
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

    /// Returns whether exactly these bytes are at `offset`.
    @inline(__always)
    func hasBytes(_ text: StaticString, at offset: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard offset >= 0, length <= count - offset else { return false }
        return text.withUTF8Buffer { bytes in
            for index in 0..<length where unsafe self[offset + index] != bytes[index] { return false }
            return true
        }
    }

    /// Returns whether the text begins with these sixteen lowercase letters and blanks, then `d scope` or `ed scope`.
    @inline(__always)
    func beginsScope(_ first: UInt64, _ second: UInt64) -> Bool {
        guard count >= 24 else { return false }
        let blanks: UInt64 = 0x2020_2020_2020_2020
        // Bit 5 distinguishes lowercase letters from capitals; a space has it set.
        return word(at: 0) | blanks == first && word(at: 8) | blanks == second
            && (word(at: 16) | blanks) & 0x00FF_FFFF_FFFF_FFFF == 0x0065_706F_6373_2064
            || word(at: 0) | blanks == first && word(at: 8) | blanks == second
                && word(at: 16) | blanks == 0x6570_6F63_7320_6465
    }

    /// Returns the start of the digits and periods at the end, above `start`.
    @inline(__always)
    func numberStart(above start: Int) -> Int {
        var offset = count
        while offset - 8 > start {
            let others = word(at: offset - 8).notOfNumber
            if others != 0 { return offset - others.leadingZeroBitCount / 8 }
            offset -= 8
        }
        while offset - 1 > start, self[offset - 1].isScopeDigit || self[offset - 1] == UInt8(ascii: ".") { offset -= 1 }
        return offset
    }

    /// Returns the first offset at or after `start` that holds this byte.
    @inline(__always)
    func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        let pattern = UInt64(byte) &* 0x0101_0101_0101_0101
        var offset = start
        while offset + 8 <= count {
            let other = word(at: offset) ^ pattern
            let hits = (other &- 0x0101_0101_0101_0101) & ~other & 0x8080_8080_8080_8080
            if hits != 0 { return offset + hits.trailingZeroBitCount / 8 }
            offset += 8
        }
        while offset < count {
            if self[offset] == byte { return offset }
            offset += 1
        }
        return nil
    }

    /// Returns the first offset at or after `start` that holds neither a space nor a tab.
    func skippingBlanks(from start: Int) -> Int {
        var offset = start
        while offset < count, self[offset] == 0x20 || self[offset] == 0x09 { offset += 1 }
        return offset
    }

    /// Returns the end of `start...` without trailing spaces and tabs.
    func endWithoutBlanks(from start: Int) -> Int {
        var end = count
        while end > start, self[end - 1] == 0x20 || self[end - 1] == 0x09 { end -= 1 }
        return end
    }
}

extension UInt64 {
    /// 0x80 in every byte that is neither a digit nor a period.
    fileprivate var notOfNumber: UInt64 {
        let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
        let digit = self ^ 0x3030_3030_3030_3030
        let stop = self ^ 0x2E2E_2E2E_2E2E_2E2E
        let noDigit = (digit & low) &+ 0x7676_7676_7676_7676 | digit
        let noStop = (stop & low) &+ low | stop
        return noDigit & noStop & 0x8080_8080_8080_8080
    }
}

extension UInt8 {
    /// Whether the byte is an ASCII digit.
    var isScopeDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    /// Whether the byte is an ASCII letter.
    var isScopeLetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

    /// Whether the byte is a hexadecimal digit.
    var isScopeHexadecimal: Bool { isScopeDigit || (self | 0x20) &- UInt8(ascii: "a") < 6 }
}
