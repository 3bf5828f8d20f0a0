/// A text to look for without regard to ASCII case.
struct FoldedLiteral: Hashable, Sendable {
    /// In lower case.
    private let bytes: [UInt8]
    /// For each length of a match that fails: how much of it is the start of another (Knuth, Morris and Pratt).
    ///
    /// So the search is linear, whatever the text and the literal.
    private let fallback: [Int]

    init(_ bytes: [UInt8]) {
        let folded = bytes.map(\.lowercased)
        var fallback = [0]
        for index in folded.indices.dropFirst() {
            var length = fallback[index - 1]
            while length > 0, folded[index] != folded[length] { length = fallback[length - 1] }
            fallback.append(folded[index] == folded[length] ? length + 1 : 0)
        }
        self.bytes = folded
        self.fallback = fallback
    }

    var count: Int { bytes.count }

    /// Returns the offset behind the first occurrence in `range`.
    func firstEnd(in text: Span<UInt8>, range: Range<Int>) -> Int? {
        guard !bytes.isEmpty else { return range.lowerBound }
        var matched = 0
        for offset in range {
            let byte = text[offset].lowercased
            while matched > 0, byte != bytes[matched] { matched = fallback[matched - 1] }
            if byte == bytes[matched] { matched += 1 }
            if matched == bytes.count { return offset + 1 }
        }
        return nil
    }
}

extension UInt8 {
    fileprivate var lowercased: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}
