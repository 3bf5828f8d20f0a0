/// Words to be found in a text in one pass, without case, where a word begins.
struct WordTable: Sendable {
    private struct Word {
        var bytes: [UInt8]
        var text: String
        var entry: Int
        var isGeneric: Bool
    }

    private let words: [Word]
    /// The words that begin with the same bytes, up to four of them.
    private var byBeginning: [UInt32: [Int]] = [:]
    /// How many bytes are in a beginning: four, or all of a shorter word.
    private let beginnings: Set<Int>
    private static let longestBeginning = 4

    /// - Parameters:
    ///   - keys: The words, each with the number of its entry.
    ///   - generic: For each entry, true if it counts only where nothing else is known.
    init(_ keys: [(prefix: String, entry: Int)], generic: [Bool]) {
        words = keys.map { word, entry in
            Word(bytes: Array(word.lowercased().utf8), text: word, entry: entry, isGeneric: generic[entry])
        }
        beginnings = Set(words.map { min($0.bytes.count, Self.longestBeginning) })
        for (index, word) in words.enumerated() {
            let beginning = word.bytes.prefix(Self.longestBeginning).reduce(0) { $0 << 8 | UInt32($1) }
            byBeginning[beginning, default: []].append(index)
        }
    }

    /// Returns the longest word in the text; of those that are equally long, the first in the text.
    func longest(in text: String, generic: Bool) -> (word: String, entry: Int)? {
        var text = text
        return text.withUTF8 { bytes in
            var best: Int?
            var isInWord = false
            for start in bytes.indices {
                let isOfWord = bytes[start].isOfWord
                defer { isInWord = isOfWord }
                if isInWord, isOfWord { continue }
                var beginning: UInt32 = 0
                for length in 1...min(Self.longestBeginning, bytes.count - start) {
                    beginning = beginning << 8 | UInt32(bytes[start + length - 1].lowercasedASCII)
                    guard beginnings.contains(length), let candidates = byBeginning[beginning] else { continue }
                    for candidate in candidates where words[candidate].isGeneric == generic {
                        if let best, words[best].bytes.count >= words[candidate].bytes.count { continue }
                        if isThere(words[candidate].bytes, in: bytes, at: start) { best = candidate }
                    }
                }
            }
            return best.map { (words[$0].text, words[$0].entry) }
        }
    }

    private func isThere(_ word: [UInt8], in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
        guard text.count - start >= word.count else { return false }
        return word.indices.allSatisfy { text[start + $0].lowercasedASCII == word[$0] }
    }
}
