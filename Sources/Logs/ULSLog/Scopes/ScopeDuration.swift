/// How long a scope took, as its row says it.
enum ScopeDuration {
    /// The greatest duration, in microseconds, a year: more is counted as this much.
    static let longest: Int64 = 366 * 86_400_000_000

    /// The number behind the first `=` from `start` on, as microseconds, rounded.
    ///
    /// The row says milliseconds, with a point or a comma as its server's language has it, and as many digits as a
    /// double gives (`206.33069286739`, `8.5E-05`). A number with two marks (`1.234,5`) could mean two things, so it
    /// means nothing.
    static func parse(_ message: Span<UInt8>, from start: Int) -> Int64? {
        var offset = start
        while offset < message.count, message[offset] != UInt8(ascii: "=") { offset += 1 }
        offset = message.skippingBlanks(from: offset + 1)
        guard offset < message.count, message[offset].isScopeDigit else { return nil }

        var microseconds = Self.number(message, &offset).multipliedCapped(by: 1000)
        if isMark(message, at: offset) {
            offset += 1
            var weight: Int64 = 100
            while weight > 0, offset < message.count, message[offset].isScopeDigit {
                microseconds += Int64(message[offset] - UInt8(ascii: "0")) * weight
                weight /= 10
                offset += 1
            }
            if weight == 0, offset < message.count, message[offset].isScopeDigit {
                microseconds += message[offset] >= UInt8(ascii: "5") ? 1 : 0
            }
            while offset < message.count, message[offset].isScopeDigit { offset += 1 }
            guard !isMark(message, at: offset) else { return nil }
        }
        return scaled(microseconds, message, offset)
    }

    /// A decimal point or comma with a digit behind it.
    private static func isMark(_ message: Span<UInt8>, at offset: Int) -> Bool {
        guard offset + 1 < message.count, message[offset + 1].isScopeDigit else { return false }
        return message[offset] == UInt8(ascii: ".") || message[offset] == UInt8(ascii: ",")
    }

    /// Takes `E-05` into account.
    private static func scaled(_ microseconds: Int64, _ message: Span<UInt8>, _ start: Int) -> Int64? {
        guard start + 2 < message.count, message[start] | 0x20 == UInt8(ascii: "e"), message[start + 2].isScopeDigit,
            message[start + 1] == UInt8(ascii: "-") || message[start + 1] == UInt8(ascii: "+")
        else { return min(microseconds, longest) }
        var offset = start + 2
        let isNegative = message[start + 1] == UInt8(ascii: "-")
        var result = microseconds
        for _ in 0..<min(number(message, &offset), 18) {
            result = isNegative ? result / 10 : result.multipliedCapped(by: 10)
        }
        return min(result, longest)
    }

    /// A whole number, at most ``longest``.
    private static func number(_ message: Span<UInt8>, _ offset: inout Int) -> Int64 {
        var value: Int64 = 0
        while offset < message.count, message[offset].isScopeDigit {
            value = min(value * 10 + Int64(message[offset] - UInt8(ascii: "0")), longest)
            offset += 1
        }
        return value
    }
}

extension Int64 {
    fileprivate func multipliedCapped(by factor: Int64) -> Int64 { Swift.min(self, ScopeDuration.longest) * factor }
}
