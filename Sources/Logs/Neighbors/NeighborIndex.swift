package import FailureExplanation
package import LogDiagnosis
import TextKit
import YAML

/// A known failure that shares informative words with a text for which no cause is known; it is only possible.
package struct Neighbor: Sendable, Hashable {
    /// The ID of the rule; `nil` for a known sentence.
    package var rule: String?
    /// The title of the rule, or the sentence.
    package var title: String
    /// The cause of the known failure, in one sentence.
    package var cause: String
    /// The shared words in lowercase, the rarest ones first.
    package var shared: [String]

    /// The known failure, the shared words and the cause, in one line.
    package var sentence: String {
        let name = rule.map { "\($0) \(title)" } ?? "\"\(title)\""
        return "\(name); shares \(shared.map { "'\($0)'" }.joined(separator: ", ")). \(cause)"
    }
}

/// An index of the texts of all rules and known sentences, which finds the texts that are most similar to another one.
///
/// The information of a word is the logarithm of its rarity among the known texts, and half as much again if it is an
/// identifier. All weights are integers, so that the order of words has no effect.
package struct NeighborIndex: Sendable {
    /// The rules and sentences that come with the program; they are read when they are first needed.
    package static let builtIn = NeighborIndex(
        // The program's tests prove that its rules can be read.
        rules: (try? RuleLibrary.builtIn().rules) ?? [],
        sentences: FailureCodes.sentences
    )
    /// The maximum number of neighbors of a text.
    package static let maximumNeighbors = 3
    /// The minimum share of the information that must be common, in percent.
    private static let minimumShare = 60
    /// The minimum information in common, in hundredths.
    private static let minimumWeight = 1400
    /// The minimum information of an informative word, in hundredths, and the minimum number of such words in common.
    private static let (informative, minimumWords) = (400, 2)
    /// The maximum number of shared words that are listed.
    private static let maximumShared = 4

    private enum Source {
        case rule(Rule)
        case sentence(KnownSentence)
    }

    /// A document that contains a word, and the place of the next one.
    private struct Posting {
        var document: Int32
        var next: Int32
    }

    private var sources: [Source] = []
    private var weights: [Int] = []
    private var postings: [Posting] = []
    /// The last posting of each word, and the number of its documents.
    private var words: [String: (last: Int32, count: Int)] = [:]
    /// The longer words by first byte and length, for correcting a wrong letter.
    private var long: [Int: [[UInt8]]] = [:]

    package init(rules: [Rule], sentences: [KnownSentence]) {
        var texts: [NeighborWords] = []
        // Noise is not a failure, so it explains none.
        for rule in rules where rule.kind != .noise {
            sources.append(.rule(rule))
            texts.append(NeighborWords(rule.searchText))
        }
        for sentence in sentences {
            sources.append(.sentence(sentence))
            texts.append(NeighborWords(sentence.text))
        }
        for (document, text) in texts.enumerated() {
            for word in text.words {
                let known = words[word.text]
                words[word.text] = (Int32(postings.count), (known?.count ?? 0) + 1)
                postings.append(Posting(document: Int32(document), next: known?.last ?? -1))
                let length = word.text.utf8.count
                guard known == nil, length >= 5, let first = word.text.utf8.first else { continue }
                long[Int(first) << 16 | length, default: []].append(Array(word.text.utf8))
            }
        }
        weights = texts.map { $0.words.reduce(0) { $0 + weight($1) } }
    }

    /// Returns the known failures that are most similar to a text, the most similar one first.
    package func neighbors(of text: String) -> [Neighbor] {
        let words = NeighborWords(text)
        // A text about success shares words with the failure that is its opposite.
        guard words.mentionFailure else { return [] }
        let asked = words.words.map { NeighborWords.Word(corrected($0.text), $0.isIdentifier) }
        let total = asked.reduce(0) { $0 + weight($1) }
        var seen: Set<String> = []
        let distinct = asked.filter { seen.insert($0.text).inserted }
        // Common words have many documents, so they are only counted.
        var common = sources.map { _ in (weight: 0, informative: 0) }
        for word in distinct {
            let (weight, informative) = (self.weight(word), isInformative(word) ? 1 : 0)
            forEachDocument(of: word) { document in
                common[document].weight += weight
                common[document].informative += informative
            }
        }
        var found: [(document: Int, share: Int)] = []
        for (document, (weight, informative)) in common.enumerated() where informative >= Self.minimumWords {
            // A rule has many texts, and a row only one of them; a sentence is one text.
            let share =
                switch sources[document] {
                case .rule: 100 * weight / total
                case .sentence: 200 * weight / (total + weights[document])
                }
            if weight >= Self.minimumWeight, share >= Self.minimumShare { found.append((document, share)) }
        }
        found.sort { ($1.share, $0.document) < ($0.share, $1.document) }
        var shared: [Int: [NeighborWords.Word]] = [:]
        for (document, _) in found { shared[document] = [] }
        for word in found.isEmpty ? [] : distinct where isInformative(word) {
            forEachDocument(of: word) { shared[$0]?.append(word) }
        }
        var neighbors: [Neighbor] = []
        for (document, _) in found where neighbors.count < Self.maximumNeighbors {
            let words = (shared[document] ?? []).sorted { (weight($1), $0.text) < (weight($0), $1.text) }
            guard let neighbor = neighbor(sources[document], words.prefix(Self.maximumShared).map(\.text)),
                !neighbors.contains(where: { $0.cause == neighbor.cause })
            else { continue }
            neighbors.append(neighbor)
        }
        return neighbors
    }

    private func forEachDocument(of word: NeighborWords.Word, _ body: (Int) -> Void) {
        var place = words[word.text]?.last ?? -1
        while place >= 0 {
            body(Int(postings[Int(place)].document))
            place = postings[Int(place)].next
        }
    }

    /// Returns the neighbor; `nil` for a sentence without a known cause.
    private func neighbor(_ source: Source, _ shared: [String]) -> Neighbor? {
        switch source {
        case .rule(let rule):
            Neighbor(rule: rule.id.text, title: rule.title, cause: rule.explanation.why.firstSentence, shared: shared)
        case .sentence(let sentence):
            sentence.code?.causes.first.map { Neighbor(title: sentence.text, cause: $0, shared: shared) }
        }
    }

    private func rarity(_ word: String) -> Int {
        let documents = words[word]?.count ?? 0
        // The logarithm in hundredths, without a function of the platform's library: bits and their fraction.
        let ratio = Double(sources.count + 1) / Double(documents + 1)
        return Int((Double(ratio.exponent) + ratio.significand - 1) * 69.3)
    }

    private func weight(_ word: NeighborWords.Word) -> Int { rarity(word.text) * (word.isIdentifier ? 3 : 2) / 2 }

    private func isInformative(_ word: NeighborWords.Word) -> Bool { rarity(word.text) >= Self.informative }

    /// Returns the known word that differs from a word in only one letter.
    private func corrected(_ word: String) -> String {
        guard words[word] == nil, word.utf8.count >= 5, let first = word.utf8.first else { return word }
        let bytes = Array(word.utf8)
        for length in (bytes.count - 1)...(bytes.count + 1) {
            for known in long[Int(first) << 16 | length] ?? [] where known.isOneSlip(from: bytes) {
                return String(decoding: known, as: UTF8.self)
            }
        }
        return word
    }
}

/// The distinct words of a text, in lowercase; paths, addresses, accounts, GUIDs and numbers are left out, because they
/// differ between farms.
package struct NeighborWords {
    package struct Word {
        package var text: String
        /// Whether the word names a type, a method, a cmdlet or a code.
        package var isIdentifier: Bool

        init(_ text: String, _ isIdentifier: Bool) { (self.text, self.isIdentifier) = (text, isIdentifier) }
    }

    /// The maximum number of characters that are read.
    package static let maximum = 2000
    package private(set) var words: [Word] = []

    /// Beginnings of words that occur in reports of failures, and negations.
    private static let beginnings = [
        "abort", "absen", "already", "can't", "cannot", "conflict", "corrupt", "could", "denied", "deny",
        "disabled", "doesn't", "erreur", "error", "exceed", "expire", "fail", "fehl", "impossible",
        "incorrect", "invalid", "kein", "lost", "miss", "nicht", "not", "refus", "reject", "stopped", "timed",
        "timeout", "unable", "unauthor", "unavailable", "unexpected", "unhandled", "unknown", "unreach",
        "unsupported", "without", "wrong", "échec",
    ]

    /// Whether a word reports a failure, or denies something.
    package var mentionFailure: Bool {
        words.contains { word in
            word.text.hasSuffix("exception") || Self.beginnings.contains { word.text.hasPrefix($0) }
        }
    }

    package init(_ text: String) {
        var seen: Set<String> = []
        // In an array, because each scalar is looked at several times.
        let scalars = Array(text.unicodeScalars.prefix(Self.maximum))
        for chunk in scalars.split(whereSeparator: Self.isSeparator) {
            guard let word = Self.word(chunk), seen.insert(word.text).inserted else { continue }
            words.append(word)
        }
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\0"..." ", "\u{A0}", "\u{2010}"..."\u{2027}": true
        case "\"", "'", "<", ">", "|", "=", ",", ";", "(", ")", "{", "}", "[", "]", ":", "!", "?", "*": true
        default: false
        }
    }

    private static func word(_ chunk: ArraySlice<Unicode.Scalar>) -> Word? {
        guard !chunk.contains(where: { $0 == "/" || $0 == "\\" || $0 == "@" }) else { return nil }
        // Of a qualified name, only the last part counts.
        var chunk = chunk
        while let last = chunk.last, last == "." || last == "-" || last == "_" { chunk.removeLast() }
        while let first = chunk.first, first == "-" || first == "_" { chunk.removeFirst() }
        let name = chunk.lastIndex(of: ".").map { chunk[($0 + 1)...] } ?? chunk
        guard 3...64 ~= name.count else { return nil }
        var (digits, hyphens, hasLetter, hasLower, hasUpperInside, hasMark) = (0, 0, false, false, false, false)
        for (place, scalar) in name.enumerated() {
            switch scalar {
            case "0"..."9": digits += 1
            case "a"..."z": (hasLetter, hasLower) = (true, true)
            case "A"..."Z": (hasLetter, hasUpperInside) = (true, hasUpperInside || place > 0)
            case "-": (hyphens, hasMark) = (hyphens + 1, true)
            case "_": hasMark = true
            default: hasLetter = hasLetter || scalar.value > 0x7F && scalar.properties.isAlphabetic
            }
        }
        guard hasLetter, hyphens < 4 else { return nil }
        let text =
            name.allSatisfy(\.isASCII)
            ? String(decoding: name.map { UInt8(ascii: $0).lowercased }, as: UTF8.self)
            : String(String.UnicodeScalarView(name)).lowercased()
        guard digits * 2 <= name.count || text.hasPrefix("0x") else { return nil }
        return Word(text, hasUpperInside && hasLower || digits > 0 || hasMark)
    }
}

extension Rule {
    /// The title, the texts in messages that the rule looks for, and its description of the failure.
    fileprivate var searchText: String {
        let conditions = selectors.entries.flatMap { $0.value.cases.flatMap(\.conditions) }
        let texts = conditions.flatMap { condition -> [String] in
            switch condition.comparison {
            case .equals, .contains, .startsWith, .endsWith, .glob:
                condition.field == .message && condition.quantifier != .none ? condition.values : []
            case .expression, .atLeast, .atMost, .exists: []
            }
        }
        return ([title] + texts + [explanation.what]).joined(separator: "\n")
    }
}

extension String {
    /// The text through its first period that is followed by a space.
    fileprivate var firstSentence: String {
        let line = split(whereSeparator: \.isNewline).joined(separator: " ")
        return line.firstRange(of: ". ").map { line[..<$0.lowerBound] + "." } ?? line
    }
}
