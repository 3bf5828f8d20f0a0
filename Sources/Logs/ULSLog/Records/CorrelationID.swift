/// The GUID that the rows of one request share, over processes and servers.
public struct CorrelationID: Hashable, Sendable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// No correlation: all zeros.
    public static let none = CorrelationID(high: 0, low: 0)
}

extension CorrelationID {
    /// Reads a GUID as events have it, 36 characters; `nil` if it is none.
    init?(_ text: Span<UInt8>) {
        guard text.count == 36 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        for index in 0..<36 {
            let byte = text[index]
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            let letter = (byte | 0x20) &- UInt8(ascii: "a")
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 || letter < 6 else { return nil }
            words = (words.0 << 4 | words.1 >> 60, words.1 << 4 | UInt64(digit < 10 ? digit : letter &+ 10))
        }
        self.init(high: words.0, low: words.1)
    }
}

extension CorrelationID: CustomStringConvertible {
    /// As the service writes it: 36 characters, lower case.
    public var description: String {
        var digits: [UInt8] = []
        for position in 0..<32 {
            if [8, 12, 16, 20].contains(position) { digits.append(UInt8(ascii: "-")) }
            let word = position < 16 ? high : low
            let nibble = UInt8(truncatingIfNeeded: word >> UInt64(60 - position % 16 * 4)) & 0xF
            digits.append(nibble < 10 ? nibble + UInt8(ascii: "0") : nibble + UInt8(ascii: "a") - 10)
        }
        return String(decoding: digits, as: UTF8.self)
    }
}

extension CorrelationID: Comparable {
    public static func < (one: Self, other: Self) -> Bool { (one.high, one.low) < (other.high, other.low) }
}

/// A correlation as a person gives it: whole, or its first digits.
///
/// Capitals, braces and missing hyphens do not matter; people copy it from an error page, or read it from a picture.
public struct CorrelationPattern: Hashable, Sendable {
    /// The digits, aligned to the left, zeros behind them.
    public let id: CorrelationID
    /// How many hexadecimal digits were given: 8 to 32.
    public let digitCount: Int

    /// `nil` unless there are 8 to 32 hexadecimal digits, with nothing but hyphens between and braces around.
    public init?(_ text: String) {
        var high: UInt64 = 0
        var low: UInt64 = 0
        var count = 0
        var digits = Substring(text)
        if digits.hasPrefix("{") { digits = digits.dropFirst() }
        if digits.hasSuffix("}") { digits = digits.dropLast() }
        for character in digits.utf8 where character != UInt8(ascii: "-") {
            guard let digit = Character(Unicode.Scalar(character)).hexDigitValue, count < 32 else { return nil }
            if count < 16 {
                high |= UInt64(digit) << UInt64(60 - count * 4)
            } else {
                low |= UInt64(digit) << UInt64(60 - (count - 16) * 4)
            }
            count += 1
        }
        guard count >= Self.minimumDigits else { return nil }
        id = CorrelationID(high: high, low: low)
        digitCount = count
    }

    public init(_ id: CorrelationID) {
        self.id = id
        digitCount = 32
    }

    /// Fewer would name half a farm's requests.
    public static let minimumDigits = 8

    /// Whether a correlation begins with these digits.
    public func matches(_ other: CorrelationID) -> Bool {
        let highBits = UInt64(min(digitCount, 16) * 4)
        let lowBits = UInt64(max(digitCount - 16, 0) * 4)
        let highMask = highBits == 64 ? UInt64.max : ~(UInt64.max >> highBits)
        let lowMask = lowBits == 64 ? UInt64.max : ~(UInt64.max >> lowBits)
        return (other.high ^ id.high) & highMask == 0 && (other.low ^ id.low) & lowMask == 0
    }
}

extension CorrelationPattern: CustomStringConvertible {
    public var description: String {
        let whole = id.description
        guard digitCount < 32 else { return whole }
        var rest = digitCount
        let shown = whole.prefix { character in
            if character == "-" { return rest > 0 }
            rest -= 1
            return rest >= 0
        }
        return String(shown) + "…"
    }
}
