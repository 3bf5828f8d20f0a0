/// A message without what differs from event to event: numbers, GUIDs, and what stands in quotes.
enum MessageShape {
    /// Bytes of a message that are looked at.
    private static let maximum = 120

    /// The most bytes of a shape: what stands in quotes takes three where it was empty.
    static let maximumBytes = 4 * maximum

    /// Writes the shape of a message, as `Failed to open '…' (# of #)`, and returns its length.
    ///
    /// - Parameters:
    ///   - message: the text.
    ///   - shape: room for ``maximumBytes``.
    /// - Returns: How many bytes were written.
    static func write(_ message: Span<UInt8>, to shape: UnsafeMutableBufferPointer<UInt8>) -> Int {
        precondition(shape.count >= maximumBytes)
        let end = min(message.count, maximum)
        var count = 0
        let kinds = Self.kinds
        var index = 0
        // Whether the byte before belongs to a word: a number begins at the beginning of one.
        var isInWord = false
        while index < end {
            let byte = message[index]
            let kind = kinds[Int(byte)]
            if kind == .lineEnd || kind == .blank && isStack(message, at: index) { break }
            if kind == .quote {
                // The character … between quotes.
                (shape[count], shape[count + 1], shape[count + 2]) = (byte, 0xE2, 0x80)
                (shape[count + 3], shape[count + 4]) = (0xA6, byte)
                count += 5
                index += 1
                while index < end, message[index] != byte, message[index] != 0x0A { index += 1 }
                index += 1
                isInWord = false
                continue
            }
            if !isInWord, kind == .digit || kind == .numeral {
                let number = numberEnd(message, from: index, to: end, kinds)
                if number > index {
                    if count == 0 || shape[count - 1] != UInt8(ascii: "#") {
                        shape[count] = UInt8(ascii: "#")
                        count += 1
                    }
                    index = number
                    continue
                }
            }
            isInWord = kind == .word || kind == .digit || kind == .numeral && byte != UInt8(ascii: "-")
            shape[count] = byte
            count += 1
            index += 1
        }
        while count > 0, shape[count - 1] == 0x20 { count -= 1 }
        // A character that was cut.
        while count > 0, end == maximum, shape[count - 1] >= 0x80 { count -= 1 }
        return count
    }

    private enum Kind { case other, blank, lineEnd, quote, digit, numeral, word }

    private static let kinds: [Kind] = (UInt8.min...UInt8.max).map { byte in
        switch byte {
        case 0x20: .blank
        case 0x0A, 0x0D: .lineEnd
        case UInt8(ascii: "'"), UInt8(ascii: "\""): .quote
        case UInt8(ascii: "0")...UInt8(ascii: "9"): .digit
        // What else a GUID or a hexadecimal number is made of.
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "x"),
            UInt8(ascii: "X"), UInt8(ascii: "-"):
            .numeral
        case UInt8(ascii: "g")...UInt8(ascii: "z"), UInt8(ascii: "G")...UInt8(ascii: "Z"), 0x80...: .word
        default: .other
        }
    }

    /// Where a number or GUID ends that begins here, a run of numerals with a digit in it; `start` if there is none.
    private static func numberEnd(_ message: Span<UInt8>, from start: Int, to end: Int, _ kinds: [Kind]) -> Int {
        var index = start
        var hasDigit = false
        while index < end {
            let kind = kinds[Int(message[index])]
            guard kind == .digit || kind == .numeral else { return kind == .word || !hasDigit ? start : index }
            if kind == .digit { hasDigit = true }
            index += 1
        }
        return hasDigit ? index : start
    }

    /// Whether a stack trace begins here: three blanks and `at`.
    private static func isStack(_ message: Span<UInt8>, at index: Int) -> Bool {
        guard index + 5 < message.count else { return false }
        return message[index + 1] == 0x20 && message[index + 2] == 0x20 && message[index + 3] == UInt8(ascii: "a")
            && message[index + 4] == UInt8(ascii: "t") && message[index + 5] == 0x20
    }
}
