/// What people put in the place of a time: `<Date> <Time>`, `<Date and Time>`, `DateTime`, `Date Time`.
enum PlaceholderTime {
    /// Where the placeholder at `start` ends; nil if there is none.
    static func end(in text: [UInt8], from start: Int, to end: Int) -> Int? {
        if let first = bracketed(text, start, end) {
            let second = text.blanks(from: first, to: end).end
            return bracketed(text, second, end) ?? first
        }
        let wordEnd = text.endOfWord(from: start, to: end)
        let word = text[start..<wordEnd].prefix(12).map(\.lowercased)
        if words.contains(word) { return wordEnd }
        guard word == Array("date".utf8) else { return nil }
        let second = text.blanks(from: wordEnd, to: end).end
        let secondEnd = text.endOfWord(from: second, to: end)
        return text[second..<secondEnd].prefix(12).map(\.lowercased) == Array("time".utf8) ? secondEnd : nil
    }

    /// Behind `<…>`, `[…]` or `{…}` that speaks of a date or a time.
    private static func bracketed(_ text: [UInt8], _ start: Int, _ end: Int) -> Int? {
        guard start < end, let close = brackets[text[start]] else { return nil }
        let window = (start + 1)..<min(end, start + 26)
        guard let closing = text[window].firstIndex(of: close) else { return nil }
        let inside = (start + 1)..<closing
        guard ["date", "time"].contains(where: { text.contains(Array($0.utf8), in: inside) }) else { return nil }
        return closing + 1
    }

    private static let words = ["datetime", "date/time", "timestamp"].map { Array($0.utf8) }
    private static let brackets: [UInt8: UInt8] = [
        UInt8(ascii: "<"): UInt8(ascii: ">"), UInt8(ascii: "["): UInt8(ascii: "]"),
        UInt8(ascii: "{"): UInt8(ascii: "}"),
    ]
}
