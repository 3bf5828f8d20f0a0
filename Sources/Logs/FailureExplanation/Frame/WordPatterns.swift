import TextKit

/// A word of a text that is divided into clauses.
struct ClauseWord: Sendable {
    /// The text in lowercase.
    var text: String
    var clause: Int
    /// The position in the text, in UTF-8 bytes.
    var start: Int

    init(text: String, clause: Int, start: Int) {
        (self.text, self.clause, self.start) = (text, clause, start)
    }
}

/// Phrases that are matched loosely: without articles, with a few words in between, or with one wrong letter.
///
/// The words of `password & not & correct` may be in any order, at most ``longestSpan`` words apart, in one clause.
struct WordPatterns: Sendable {
    init() {}

    private var patterns: [(words: [String], entry: Int)] = []
    private var byFirst: [String: [Int]] = [:]
    /// The longer words by length, for correcting a wrong letter.
    private var long: [Int: [[UInt8]]] = [:]
    private var vocabulary: Set<String> = []

    /// The phrases in any order, by each of their words.
    private var unordered: [String: [Int]] = [:]

    /// The maximum number of other words between two words of a phrase.
    private static let longestGap = 3
    /// The maximum number of words from the first to the last word of a phrase in any order.
    private static let longestSpan = 14
    /// The maximum number of words of a text that are read.
    private static let maximumWords = 600
    private static let articles = "a an the of der die das den dem des ein eine le la les un une".wordSet

    struct Match {
        var entry: Int
        var phrase: [String]
        var clause: Int
        /// The first and the last word in the text.
        var words: ClosedRange<Int>
    }

    mutating func add(_ phrase: String, _ entry: Int) {
        let words = phrase.split(separator: " ").flatMap { Self.words(of: $0.lowercased()) }
            .filter { !Self.articles.contains($0) }
        let parts = words.filter { $0 != "&" }
        if parts.count < words.count {
            for word in parts { unordered[word, default: []].append(patterns.count) }
        }
        if !words.isEmpty { patterns.append((parts, entry)) }
    }

    /// Returns the words that a word stands for: "is not" for "isn't".
    static func words(of word: String) -> [String] {
        guard word.hasSuffix("n't") else { return [word] }
        let verb = String(word.dropLast(3))
        return [["ca": "can", "wo": "will"][verb] ?? verb, "not"]
    }

    /// Ends the additions; `corrects` allows one wrong letter, which does not suit nouns: "properly" is not "property".
    mutating func finish(corrects: Bool = true) {
        for (index, pattern) in patterns.enumerated() {
            if unordered[pattern.words[0]]?.contains(index) != true {
                byFirst[pattern.words[0], default: []].append(index)
            }
            vocabulary.formUnion(pattern.words)
        }
        for word in vocabulary where corrects && word.utf8.count >= 5 {
            long[word.utf8.count, default: []].append(Array(word.utf8))
        }
    }

    /// Returns all matches in the words of a text.
    func matches(in text: [ClauseWord]) -> [Match] {
        let words = text.prefix(Self.maximumWords)
        let folded = words.map { corrected($0.text) }
        var found: [Match] = []
        for start in words.indices {
            for number in byFirst[folded[start]] ?? [] {
                let pattern = patterns[number]
                guard let end = end(of: pattern.words, in: folded, words, from: start) else { continue }
                found.append(
                    Match(entry: pattern.entry, phrase: pattern.words, clause: words[start].clause, words: start...end)
                )
            }
            for number in unordered[folded[start]] ?? [] {
                let (phrase, clause) = (patterns[number].words, words[start].clause)
                let span = (start..<min(start + Self.longestSpan, words.count)).prefix { words[$0].clause == clause }
                let places = phrase.compactMap { word in span.first { folded[$0] == word } }
                guard places.count == phrase.count, let end = places.max(), places.contains(start) else { continue }
                found.append(Match(entry: patterns[number].entry, phrase: phrase, clause: clause, words: start...end))
            }
        }
        return found
    }

    private func end(
        of phrase: [String],
        in folded: [String],
        _ words: ArraySlice<ClauseWord>,
        from start: Int
    ) -> Int? {
        var place = start
        for word in phrase.dropFirst() {
            let isNext = (place + 1)..<min(place + 2 + Self.longestGap, words.count)
            guard
                let next = isNext.first(where: { folded[$0] == word && words[$0].clause == words[start].clause }),
                !Self.denials.contains(folded[place]) || Self.mayDeny(words[(place + 1)..<next])
            else { return nil }
            place = next
        }
        return place
    }

    /// Returns whether words may separate a denial from the denied word: adverbs, as in "not yet running", or a phrase
    /// with an article, as in "not a publishing site"; but not a verb, as in "not talk to the online service".
    private static func mayDeny(_ words: ArraySlice<ClauseWord>) -> Bool {
        words.first.map { articles.contains($0.text) } == true
            || words.allSatisfy { adverbs.contains($0.text) || $0.text.utf8.count > 4 && $0.text.hasSuffix("ly") }
    }

    private static let denials = "not no never cannot nicht pas".wordSet
    private static let adverbs = """
        yet currently been be being longer now still also any all have had has even so to very more in at correct proper
        mehr noch als korrekt richtig ordnungsgemäß encore été plus correctement
        """.wordSet

    /// Returns the word of a phrase that differs from a word in only one letter.
    private func corrected(_ word: String) -> String {
        let length = word.utf8.count
        guard length >= 5, !vocabulary.contains(word) else { return word }
        let bytes = Array(word.utf8)
        for near in (length - 1)...(length + 1) {
            for known in long[near] ?? [] where known[0] == bytes[0] && known.isOneSlip(from: bytes) {
                return String(decoding: known, as: UTF8.self)
            }
        }
        return word
    }
}
