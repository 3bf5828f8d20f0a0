/// A message without what differs from event to event: numbers, GUIDs, and what stands in quotes.
enum MessageShape {
    /// Bytes of a message that are looked at.
    private static let maximum = 200

    /// `Failed to open '…' (# of #)`.
    static func shape(of message: Span<UInt8>) -> [UInt8] {
        var shape: [UInt8] = []
        var index = 0
        let end = min(message.count, maximum)
        while index < end {
            let byte = message[index]
            if byte == 0x0A || byte == 0x0D || isStack(message, at: index) { break }
            if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                let close = closing(byte, in: message, from: index + 1, to: end)
                shape += [byte] + Array("…".utf8) + [byte]
                index = close + 1
                continue
            }
            let number = numberEnd(message, from: index, to: end)
            if number > index {
                if shape.last != UInt8(ascii: "#") { shape.append(UInt8(ascii: "#")) }
                index = number
                continue
            }
            shape.append(byte)
            index += 1
        }
        while let last = shape.last, last == 0x20 { shape.removeLast() }
        // A character that was cut.
        while let last = shape.last, last & 0xC0 == 0x80 || last >= 0xC0, end == maximum { shape.removeLast() }
        return shape
    }

    private static func closing(_ quote: UInt8, in message: Span<UInt8>, from start: Int, to end: Int) -> Int {
        var index = start
        while index < end, message[index] != quote, message[index] != 0x0A { index += 1 }
        return index
    }

    /// Where a number or GUID ends that begins here: a run of hexadecimal digits and hyphens with a digit in it.
    private static func numberEnd(_ message: Span<UInt8>, from start: Int, to end: Int) -> Int {
        if start > 0, isWord(message[start - 1]) { return start }
        var index = start
        var hasDigit = false
        while index < end, isNumeral(message[index]) {
            if message[index] &- 0x30 < 10 { hasDigit = true }
            index += 1
        }
        guard hasDigit, index == end || !isWord(message[index]) else { return start }
        return index
    }

    private static func isNumeral(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 6 || byte == UInt8(ascii: "-") || byte | 0x20 == UInt8(ascii: "x")
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte >= 0x80
    }

    /// Whether a stack trace begins here: three blanks and `at`.
    private static func isStack(_ message: Span<UInt8>, at index: Int) -> Bool {
        guard index + 5 < message.count, message[index] == 0x20 else { return false }
        return message[index + 1] == 0x20 && message[index + 2] == 0x20 && message[index + 3] == UInt8(ascii: "a")
            && message[index + 4] == UInt8(ascii: "t") && message[index + 5] == 0x20
    }
}
