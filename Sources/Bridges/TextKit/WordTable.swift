/// A table of words that are searched for in one pass over a text, at the beginnings of words and ignoring case.
package struct WordTable: Sendable {
    private struct Word {
        var bytes: [UInt8]
        var text: String
        var entry: Int
        var isGeneric: Bool
    }

    private let words: [Word]
    /// The words grouped by their first bytes, up to four.
    private var byBeginning: [UInt32: [Int]] = [:]
    /// The lengths of these beginnings in bytes: four, or the length of a shorter word.
    private let beginnings: Set<Int>
    private static let longestBeginning = 4

    /// - Parameters:
    ///   - keys: The words, each with the number of its entry.
    ///   - generic: For each entry, whether it counts only if nothing else is known.
    package init(_ keys: [(prefix: String, entry: Int)], generic: [Bool]) {
        words = keys.map { word, entry in
            Word(bytes: Array(word.lowercased().utf8), text: word, entry: entry, isGeneric: generic[entry])
        }
        beginnings = Set(words.map { min($0.bytes.count, Self.longestBeginning) })
        for (index, word) in words.enumerated() {
            let beginning = word.bytes.prefix(Self.longestBeginning).reduce(0) { $0 << 8 | UInt32($1) }
            byBeginning[beginning, default: []].append(index)
        }
    }

    /// Returns the longest word in the text; if several are equally long, the first one.
    package func longest(in text: String, generic: Bool) -> (word: String, entry: Int)? {
        let bytes = Array(text.utf8)
        var best: Int?
        var isInWord = false
        for start in bytes.indices {
            let isOfWord = bytes[start].isOfWord
            defer { isInWord = isOfWord }
            if isInWord, isOfWord { continue }
            var beginning: UInt32 = 0
            for length in 1...min(Self.longestBeginning, bytes.count - start) {
                beginning = beginning << 8 | UInt32(bytes[start + length - 1].lowercased)
                guard beginnings.contains(length), let candidates = byBeginning[beginning] else { continue }
                for candidate in candidates where words[candidate].isGeneric == generic {
                    if let best, words[best].bytes.count >= words[candidate].bytes.count { continue }
                    if isThere(words[candidate].bytes, in: bytes, at: start) { best = candidate }
                }
            }
        }
        return best.map { (words[$0].text, words[$0].entry) }
    }

    private func isThere(_ word: [UInt8], in text: [UInt8], at start: Int) -> Bool {
        guard text.count - start >= word.count else { return false }
        // A short word is not the beginning of a longer one in camel case: "EWS" is not in `ewSPSite`.
        if word.count <= 4, start + word.count < text.count, text[start + word.count].isLetter,
            text[start + word.count - 2].isLowercase, text[start + word.count - 1].isUppercase
        {
            return false
        }
        return word.indices.allSatisfy { text[start + $0].lowercased == word[$0] }
    }
}

/// Returns the indices of a list of this length, sorted by their elements; equal elements keep their order.
///
/// Sorting indices instead of elements saves the compiler from specializing a sort for each element type.
@inline(never)
package func order(of count: Int, _ isBefore: (Int, Int) -> Bool) -> [Int] {
    (0..<count).sorted { isBefore($0, $1) || (!isBefore($1, $0) && $0 < $1) }
}
