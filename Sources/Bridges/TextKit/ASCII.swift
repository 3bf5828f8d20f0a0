// MARK: Classes of bytes

extension UInt8 {
    /// Whether the byte is a digit from `0` to `9`.
    @inlinable package var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    /// Whether the byte is a letter from `a` to `z`.
    @inlinable package var isLowercase: Bool { self &- UInt8(ascii: "a") < 26 }

    /// Whether the byte is a letter from `A` to `Z`.
    @inlinable package var isUppercase: Bool { self &- UInt8(ascii: "A") < 26 }

    /// Whether the byte is an ASCII letter of either case.
    @inlinable package var isLetter: Bool { (self | 0x20).isLowercase }

    @inlinable package var isLetterOrDigit: Bool { isLetter || isDigit }

    /// Whether the byte is an ASCII letter, digit or underscore, or part of a non-ASCII character.
    @inlinable package var isOfWord: Bool { isLetterOrDigit || self == 0x5F || self >= 0x80 }

    /// Whether the byte is a space or one of the control characters from tab to carriage return.
    @inlinable package var isBlank: Bool { self == 0x20 || self &- 9 < 5 }

    /// Whether the byte is a hexadecimal digit, of either case.
    @inlinable package var isHexadecimal: Bool { isDigit || (self | 0x20) &- UInt8(ascii: "a") < 6 }

    /// Whether the byte needs no escaping in any part of a URL (RFC 3986, section 2.3).
    @inlinable package var isUnreserved: Bool {
        switch Unicode.Scalar(self) {
        case "-", ".", "_", "~": true
        default: isLetterOrDigit
        }
    }

    /// The byte, with a letter from `A` to `Z` converted to lowercase.
    @inlinable package var lowercased: UInt8 { isUppercase ? self | 0x20 : self }

    /// The value of a hexadecimal digit, of either case; `nil` for any other byte.
    @inlinable package var hexadecimalValue: UInt8? {
        if isDigit { return self &- UInt8(ascii: "0") }
        let letter = (self | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? letter + 10 : nil
    }
}

// MARK: Numbers with leading zeros

extension BinaryInteger {
    /// Returns the number padded to a width with leading zeros: `0042`, `000000FF`.
    package func padded(to width: Int, radix: Int = 10, uppercase: Bool = false) -> String {
        let digits = String(self, radix: radix, uppercase: uppercase)
        return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
    }
}

// MARK: Hexadecimal digits

extension UInt8 {
    /// Returns the hexadecimal digit for a value below 16.
    @inlinable package static func hexadecimalDigit(_ value: UInt8, uppercase: Bool = false) -> UInt8 {
        value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: uppercase ? "A" : "a") - 10)
    }
}

extension [UInt8] {
    /// Appends the two hexadecimal digits of a byte.
    @inlinable package mutating func append(hexadecimal byte: UInt8, uppercase: Bool = false) {
        append(.hexadecimalDigit(byte >> 4, uppercase: uppercase))
        append(.hexadecimalDigit(byte & 0xF, uppercase: uppercase))
    }

    /// Creates bytes from hexadecimal digits, two for each byte; `nil` if the text has other characters.
    package init?(hexadecimal text: some StringProtocol) {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        self = []
        for start in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(hexadecimal: digits[start], digits[start + 1]) else { return nil }
            append(byte)
        }
    }
}

extension UInt8 {
    /// Creates a byte from two hexadecimal digits; `nil` if they are invalid.
    package init?(hexadecimal high: UInt8, _ low: UInt8) {
        guard let upper = high.hexadecimalValue, let lower = low.hexadecimalValue else { return nil }
        self = upper << 4 | lower
    }
}

extension Sequence<UInt8> {
    /// The bytes as hexadecimal digits, two for each byte.
    package var hexadecimal: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * underestimatedCount)
        for byte in self { digits.append(hexadecimal: byte) }
        return String(decoding: digits, as: UTF8.self)
    }
}

// MARK: Percent encoding

/// `%XX` in addresses and forms (RFC 3986, section 2.1).
package enum Percent {
    /// Appends bytes, escaping those that cannot be kept as they are.
    @inlinable package static func append(
        _ bytes: some Sequence<UInt8>,
        to output: inout [UInt8],
        uppercase: Bool = true,
        keeping isKept: (UInt8) -> Bool = \.isUnreserved
    ) {
        for byte in bytes {
            if isKept(byte) { output.append(byte) } else { append(escaped: byte, to: &output, uppercase: uppercase) }
        }
    }

    /// Appends the escape sequence of a byte.
    @inlinable package static func append(escaped byte: UInt8, to output: inout [UInt8], uppercase: Bool = true) {
        output.append(UInt8(ascii: "%"))
        output.append(hexadecimal: byte, uppercase: uppercase)
    }

    /// Returns text, escaping the bytes that cannot be kept as they are.
    package static func encoded(
        _ bytes: some Sequence<UInt8>,
        uppercase: Bool = true,
        keeping isKept: (UInt8) -> Bool = \.isUnreserved
    ) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.underestimatedCount)
        append(bytes, to: &output, uppercase: uppercase, keeping: isKept)
        return String(decoding: output, as: UTF8.self)
    }

    /// Returns the decoded bytes of text; a `%` without two digits after it is kept.
    package static func decoded(_ text: some Sequence<UInt8>) -> [UInt8] {
        decoded(text, refusesOthers: false) ?? []
    }

    /// Returns the decoded bytes of text; `nil` if a `%` is not followed by two digits.
    package static func strictlyDecoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
        decoded(text, refusesOthers: true)
    }

    private static func decoded(_ text: some Sequence<UInt8>, refusesOthers: Bool) -> [UInt8]? {
        let text = Array(text)
        var output: [UInt8] = []
        var index = 0
        while index < text.count {
            let byte = text[index]
            index += 1
            guard byte == UInt8(ascii: "%") else {
                output.append(byte)
                continue
            }
            if index + 1 < text.count, let value = UInt8(hexadecimal: text[index], text[index + 1]) {
                output.append(value)
                index += 2
            } else if refusesOthers {
                return nil
            } else {
                output.append(byte)
            }
        }
        return output
    }
}

// MARK: Base64

/// Bytes in base64 (RFC 4648).
package enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Returns the bytes encoded as base64.
    package static func text(_ bytes: [UInt8]) -> String {
        let digits = digits
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(bytes.count - start, 3)
            var bits = Int(bytes[start]) << 16
            if count > 1 { bits |= Int(bytes[start + 1]) << 8 }
            if count > 2 { bits |= Int(bytes[start + 2]) }
            text.append(digits[bits >> 18])
            text.append(digits[bits >> 12 & 63])
            text.append(count > 1 ? digits[bits >> 6 & 63] : UInt8(ascii: "="))
            text.append(count > 2 ? digits[bits & 63] : UInt8(ascii: "="))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the decoded bytes; `nil` if the text is incomplete or has other characters.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 4) else { return nil }
        let padding = digits.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding <= 2 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3)
        var (bits, count) = (0, 0)
        for digit in digits.dropLast(padding) {
            guard let value = value(of: digit) else { return nil }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(bits >> count & 0xFF))
            }
        }
        return bytes
    }

    /// Returns the bytes encoded as URL-safe base64 (RFC 4648, section 5), without padding.
    package static func urlText(_ bytes: [UInt8]) -> String {
        String(text(bytes).prefix { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }

    /// Returns the decoded bytes of URL-safe base64; `nil` unless ``urlText(_:)`` returns the same text for them.
    package static func urlBytes(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        let padding = String(repeating: "=", count: (4 - digits.count % 4) % 4)
        guard let bytes = bytes(String(digits) + padding), urlText(bytes) == text else { return nil }
        return bytes
    }

    private static func value(of digit: UInt8) -> Int? {
        if digit.isUppercase { return Int(digit - UInt8(ascii: "A")) }
        if digit.isLowercase { return Int(digit - UInt8(ascii: "a")) + 26 }
        if digit.isDigit { return Int(digit - UInt8(ascii: "0")) + 52 }
        return digit == UInt8(ascii: "+") ? 62 : digit == UInt8(ascii: "/") ? 63 : nil
    }
}

// MARK: - Names of files

extension Substring {
    /// Returns whether the text ends with `suffix`, which must be ASCII; case is ignored.
    package func hasSuffix(ignoringCase suffix: String) -> Bool {
        utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) { $0.lowercased == $1.lowercased }
    }
}

/// The suffix that a compressor adds to a file's name.
package enum CompressionSuffix {
    package static let all = [".gz", ".zst", ".xz", ".bz2"]

    /// Returns the name without its suffix; `nil` if it has no such suffix.
    package static func removed(from name: Substring) -> Substring? {
        guard let suffix = all.first(where: { name.hasSuffix(ignoringCase: $0) }) else { return nil }
        return name.dropLast(suffix.count)
    }
}
