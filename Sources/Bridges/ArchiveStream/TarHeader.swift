/// The first block of a tar file; its only sure sign is its checksum (POSIX.1-1988, `ustar`).
enum TarHeader {
    private static let length = 512
    /// Text, mostly up to a NUL.
    private static let name = 0..<100
    /// Mode, owner, group, size and time, in octal digits or, with a high bit, in binary.
    private static let numbers = 100..<148
    private static let checksum = 148..<156

    static func evidence(in bytes: Span<UInt8>) -> Evidence {
        guard mayBegin(bytes) else { return .none }
        guard bytes.count >= length else { return .partial }
        guard let claimed = number(in: bytes.extracting(checksum)) else { return .none }
        // The checksum's own field counts as blanks. Old programs took the bytes for signed.
        var unsigned = 0
        var signed = 0
        for index in 0..<length {
            let byte = checksum.contains(index) ? UInt8(ascii: " ") : bytes[index]
            unsigned += Int(byte)
            signed += Int(Int8(bitPattern: byte))
        }
        return claimed == unsigned || claimed == signed ? .found : .none
    }

    /// Whether no byte so far speaks against a header: no line end in the name, no words among the numbers.
    private static func mayBegin(_ bytes: Span<UInt8>) -> Bool {
        for index in 0..<min(bytes.count, checksum.upperBound) {
            let byte = bytes[index]
            if name.contains(index) {
                // A header begins with a name, and zeros are an empty tar, or no tar at all.
                if byte == UInt8(ascii: "\n") || (index == 0 && byte == 0) { return false }
            } else if !isDigit(byte), byte != 0, byte != UInt8(ascii: " ") {
                guard numbers.contains(index), (bytes[fieldStart(of: index)] & 0x80) != 0 else { return false }
            }
        }
        return true
    }

    private static func fieldStart(of index: Int) -> Int {
        [136, 124, 116, 108, 100].first { $0 <= index } ?? index
    }

    private static func number(in field: Span<UInt8>) -> Int? {
        var value = 0
        var hasDigits = false
        for index in field.indices {
            if isDigit(field[index]) {
                value = value * 8 + Int(field[index] - UInt8(ascii: "0"))
                hasDigits = true
            } else if hasDigits {
                break
            }
        }
        return hasDigits ? value : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "7") ~= byte }
}
