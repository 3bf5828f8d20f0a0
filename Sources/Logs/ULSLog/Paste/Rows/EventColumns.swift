/// The event id and the level behind it: the pair that every row has, and no prose.
struct EventColumns: Equatable {
    var eventID: Range<Int>
    var level: Range<Int>
    /// Whether the blanks between them are wide.
    var isWide: Bool

    /// The first pair at or behind `start`.
    init?(in text: [UInt8], from start: Int, to end: Int) {
        var index = text.blanks(from: start, to: end).end
        while index < end {
            let wordEnd = text.endOfWord(from: index, to: end)
            let blanks = text.blanks(from: wordEnd, to: end)
            if Self.isEventID(text[index..<wordEnd]) {
                let levelEnd = text.endOfWord(from: blanks.end, to: end)
                if Self.levels.contains(Array(text[blanks.end..<levelEnd])) {
                    eventID = index..<wordEnd
                    level = blanks.end..<levelEnd
                    isWide = blanks.isWide
                    return
                }
            } else if let cut = Self.gluedLevel(text, index..<wordEnd) {
                eventID = index..<cut
                level = cut..<wordEnd
                isWide = false
                return
            }
            index = blanks.end
        }
        return nil
    }

    /// 4 or 5 characters of `a`–`z` and `0`–`9`, or up to 5 digits.
    private static func isEventID(_ word: ArraySlice<UInt8>) -> Bool {
        guard (1...5).contains(word.count) else { return false }
        if word.allSatisfy(\.isDigit) { return true }
        return word.count > 3 && word.allSatisfy { $0.isDigit || $0.isSmallLetter }
    }

    /// Where the level begins in a word that is both columns, `8xqzMedium`.
    private static func gluedLevel(_ text: [UInt8], _ word: Range<Int>) -> Int? {
        let beginning = text[word.lowerBound..<min(word.upperBound, word.lowerBound + 6)]
        guard let cut = beginning.firstIndex(where: \.isCapital) else { return nil }
        let eventID = text[word.lowerBound..<cut]
        guard isEventID(eventID), eventID.contains(where: \.isDigit) else { return nil }
        return levels.contains(Array(text[cut..<word.upperBound])) ? cut : nil
    }

    private static let levels = Set(ULSLevel.knownWords.map { Array($0.utf8) })
}
