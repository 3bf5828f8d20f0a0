extension UInt8 {
    /// A capital of ASCII as its small letter.
    @inline(__always)
    var folded: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }
}

extension Span<UInt8> {
    /// Whether it is the same text, which is given in small letters.
    func isSame(asFolded text: [UInt8]) -> Bool { count == text.count && hasFolded(text, at: 0) }

    /// Whether it begins with a text in small letters.
    func begins(withFolded text: [UInt8]) -> Bool { count >= text.count && hasFolded(text, at: 0) }

    /// Whether it ends with a text in small letters.
    func ends(withFolded text: [UInt8]) -> Bool { count >= text.count && hasFolded(text, at: count - text.count) }

    /// Whether a text in small letters stands in it.
    func contains(folded text: [UInt8]) -> Bool {
        guard count >= text.count else { return false }
        for start in 0...(count - text.count) where hasFolded(text, at: start) { return true }
        return false
    }

    private func hasFolded(_ text: [UInt8], at start: Int) -> Bool {
        for index in text.indices where self[start + index].folded != text[index] { return false }
        return true
    }

    /// Whether it matches a pattern in small letters, in which `*` is any text and `?` any byte.
    ///
    /// It takes time in proportion to the product of the lengths at most.
    func matches(foldedGlob pattern: [UInt8]) -> Bool {
        var (at, here) = (0, 0)
        var star: (pattern: Int, text: Int)?
        while here < count {
            if at < pattern.count, pattern[at] == UInt8(ascii: "*") {
                star = (at, here)
                at += 1
            } else if at < pattern.count, pattern[at] == UInt8(ascii: "?") || pattern[at] == self[here].folded {
                at += 1
                here += 1
            } else if let last = star {
                star = (last.pattern, last.text + 1)
                (at, here) = (last.pattern + 1, last.text + 1)
            } else {
                return false
            }
        }
        return pattern[at...].allSatisfy { $0 == UInt8(ascii: "*") }
    }

    /// The text; bytes that are none become U+FFFD.
    var text: String { withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }

    /// A copy.
    var array: [UInt8] { withUnsafeBufferPointer { Array($0) } }
}
