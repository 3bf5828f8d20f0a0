/// Where a place of a text, read as UTF-8, is in its source of UTF-16.
struct UTF16Position {
    /// The code units of the text that has been counted.
    private var units: UInt64 = 0

    /// The place in the source, with its mark, behind the text that has been counted.
    var position: UInt64 { 2 + 2 * units }

    /// Counts the next part of the text.
    mutating func count(_ text: Span<UInt8>) {
        for index in text.indices {
            let byte = text[index]
            if byte & 0xC0 != 0x80 { units += byte >= 0xF0 ? 2 : 1 }
        }
    }
}
