/// The kind of a JSON value.
public enum JSONKind: String, Hashable, Sendable {
    case object
    case array
    case string
    case number
    case bool
    case null
}

/// A string that a scanner has read: its location, not its text.
public struct JSONStringToken: Hashable, Sendable {
    /// The bytes between the quotes.
    public let range: Range<Int>
    /// Whether it contains escapes, so that its bytes are not its text.
    public let hasEscapes: Bool
}

/// A number that a scanner has read.
struct JSONNumberToken: Hashable, Sendable {
    public let range: Range<Int>
    /// Whether it has neither a fraction nor an exponent.
    public let isInteger: Bool
}

/// A comparison of JSON by its tokens.
public enum JSONTokens {
    /// Returns whether both values contain the same tokens in the same order; both must have been checked.
    public static func areEqual(
        _ left: [UInt8],
        _ leftRange: Range<Int>,
        _ right: [UInt8],
        _ rightRange: Range<Int>
    ) -> Bool {
        if left[leftRange].elementsEqual(right[rightRange]) { return true }
        var leftPlace = leftRange.lowerBound
        var rightPlace = rightRange.lowerBound
        while true {
            let leftToken = token(in: left, from: &leftPlace, to: leftRange.upperBound)
            let rightToken = token(in: right, from: &rightPlace, to: rightRange.upperBound)
            guard let leftToken, let rightToken else { return leftToken == rightToken }
            guard isSame(left[leftToken], right[rightToken]) else { return false }
        }
    }

    private static func isSame(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
        if left.elementsEqual(right) { return true }
        guard left.first == UInt8(ascii: "\""), right.first == UInt8(ascii: "\"") else { return false }
        return unescaped(left) == unescaped(right)
    }

    private static func unescaped(_ string: ArraySlice<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.append(unescaping: string.span)
        return text
    }

    /// Returns the next bracket, comma, colon, string or word.
    private static func token(in json: [UInt8], from place: inout Int, to end: Int) -> Range<Int>? {
        while place < end, isBlank(json[place]) { place += 1 }
        guard place < end else { return nil }
        let start = place
        place += 1
        switch json[start] {
        case UInt8(ascii: "\""):
            while place < end, json[place] != UInt8(ascii: "\"") {
                place += json[place] == UInt8(ascii: "\\") ? 2 : 1
            }
            place += 1
        case let byte where !isPunctuation(byte):
            while place < end, !isBlank(json[place]), !isPunctuation(json[place]) { place += 1 }
        default: break
        }
        return start..<min(place, end)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    private static func isPunctuation(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","),
            UInt8(ascii: ":"):
            true
        default: false
        }
    }
}

/// The reason bytes are not JSON, or not the JSON expected.
public struct JSONError: Error, Hashable, Sendable {
    /// The offset where the error was found, in bytes from the start.
    public let offset: Int
    /// The problem at that offset.
    public let message: String

    public init(offset: Int, message: String) {
        self.offset = offset
        self.message = message
    }
}

extension JSONError: CustomStringConvertible {
    public var description: String { "\(message) at byte \(offset + 1)" }
}
