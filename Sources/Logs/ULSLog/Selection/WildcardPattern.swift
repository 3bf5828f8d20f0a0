/// A pattern in which `*` stands for any text and `?` for any character; ASCII case does not matter.
struct WildcardPattern: Sendable {
    private let pattern: [UInt8]

    init(_ text: String) { pattern = text.utf8.map(\.asciiLowercase) }

    /// Whether the whole text fits.
    func matches(_ text: Span<UInt8>) -> Bool {
        var position = 0
        var index = 0
        /// Where to go on if the text behind the last `*` does not fit.
        var retry: (index: Int, position: Int)?
        while position < text.count {
            if index < pattern.count, pattern[index] == UInt8(ascii: "*") {
                retry = (index + 1, position)
                index += 1
            } else if index < pattern.count,
                pattern[index] == UInt8(ascii: "?") || pattern[index] == text[position].asciiLowercase
            {
                let isAnyCharacter = pattern[index] == UInt8(ascii: "?")
                index += 1
                position += 1
                while isAnyCharacter, position < text.count, text[position] & 0xC0 == 0x80 { position += 1 }
            } else if let last = retry {
                retry = (last.index, last.position + 1)
                index = last.index
                position = last.position + 1
            } else {
                return false
            }
        }
        while index < pattern.count, pattern[index] == UInt8(ascii: "*") { index += 1 }
        return index == pattern.count
    }
}

extension UInt8 {
    var asciiLowercase: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}

extension Span<UInt8> {
    /// Whether two texts are the same but for ASCII case; the other one is lower case.
    func equals(lowercase other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        for index in 0..<count where self[index].asciiLowercase != other[index] { return false }
        return true
    }
}
