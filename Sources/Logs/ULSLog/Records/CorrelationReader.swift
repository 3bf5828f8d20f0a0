/// Reads the last column: a GUID, or one of the three forms of having none.
struct CorrelationReader {
    /// The last GUID as text: rows of one request follow each other.
    ///
    /// At first it is the one that means none, as text too.
    private var text: (UInt64, UInt64, UInt64, UInt64, UInt32) = (
        0x3030_3030_3030_3030, 0x3030_2D30_3030_302D, 0x2D30_3030_302D_3030, 0x3030_3030_3030_3030, 0x3030_3030
    )
    private var last = CorrelationID.none

    /// Finds where the message ends and what the correlation is; `fields` are complete up to the level.
    @inline(__always)
    mutating func read(_ window: borrowing ByteWindow, into fields: inout RowFields) {
        let start = fields.end &- 36
        if start > fields.levelEnd &+ 1, window[start &- 1] == 0x09, let id = guid(window, at: start) {
            fields.correlation = id
            fields.messageEnd = start &- 1
        } else {
            readAnyForm(window, into: &fields)
        }
    }

    /// With blanks or braces around it; or a blank, nothing, or no column at all.
    ///
    /// The last tab ends the message only if nothing but a GUID or blanks are behind it: a message may hold tabs.
    @inline(never)
    private mutating func readAnyForm(_ window: borrowing ByteWindow, into fields: inout RowFields) {
        fields.correlation = .none
        fields.messageEnd = fields.end
        guard let tab = window.lastTab(from: fields.levelEnd + 1, to: fields.end) else { return }
        var rest = window.trimmed(tab + 1..<fields.end)
        if rest.count == 38, window[rest.lowerBound] == 0x7B, window[rest.upperBound - 1] == 0x7D {
            rest = rest.lowerBound + 1..<rest.upperBound - 1
        }
        if rest.isEmpty {
            fields.messageEnd = tab
        } else if rest.count == 36, let id = guid(window, at: rest.lowerBound) {
            fields.messageEnd = tab
            fields.correlation = id
        }
    }

    @inline(__always)
    private mutating func guid(_ window: borrowing ByteWindow, at start: Int) -> CorrelationID? {
        let one = window.word(start)
        let two = window.word(start &+ 8)
        let three = window.word(start &+ 16)
        let four = window.word(start &+ 24)
        let five = window.halfWord(start &+ 32)
        if (one ^ text.0) | (two ^ text.1) | (three ^ text.2) | (four ^ text.3) | UInt64(five ^ text.4) == 0 {
            return last
        }
        guard window[start &+ 8] == 0x2D, window[start &+ 13] == 0x2D, window[start &+ 18] == 0x2D,
            window[start &+ 23] == 0x2D
        else { return nil }
        var invalid: UInt64 = 0
        let second = UInt64(window.halfWord(start &+ 9)) | UInt64(window.halfWord(start &+ 14)) &<< 32
        let third = UInt64(window.halfWord(start &+ 19)) | UInt64(window.halfWord(start &+ 24)) &<< 32
        let high = Self.value(one, &invalid) &<< 32 | Self.value(second, &invalid)
        let low = Self.value(third, &invalid) &<< 32 | Self.value(window.word(start &+ 28), &invalid)
        guard invalid == 0 else { return nil }
        text = (one, two, three, four, five)
        last = CorrelationID(high: high, low: low)
        return last
    }

    /// The value of eight hexadecimal digits at once; sets bits of `invalid` where there is another character.
    @inline(__always)
    private static func value(_ digits: UInt64, _ invalid: inout UInt64) -> UInt64 {
        let letters = (digits &>> 6) & 0x0101_0101_0101_0101
        let isLetter = letters &* 0xFF
        let low = digits & 0x0F0F_0F0F_0F0F_0F0F
        let high = digits & 0xF0F0_F0F0_F0F0_F0F0
        let wrongLetter = ((high | 0x2020_2020_2020_2020) & isLetter) ^ (0x6060_6060_6060_6060 & isLetter)
        let wrongDigit = (high & ~isLetter) ^ (0x3030_3030_3030_3030 & ~isLetter)
        let beyond =
            ((low &+ 0x7676_7676_7676_7676) & ~isLetter) | ((low &+ 0x7979_7979_7979_7979) & isLetter)
        let isZero = (low &+ 0x7F7F_7F7F_7F7F_7F7F) ^ 0x8080_8080_8080_8080
        invalid |=
            wrongLetter | wrongDigit | (beyond & 0x8080_8080_8080_8080) | (isZero & isLetter & 0x8080_8080_8080_8080)
        var nibbles = (low &+ letters &* 9).byteSwapped
        nibbles = (nibbles | nibbles &>> 4) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles | nibbles &>> 8) & 0x0000_FFFF_0000_FFFF
        return (nibbles | nibbles &>> 16) & 0xFFFF_FFFF
    }
}
