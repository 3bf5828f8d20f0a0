/// The counts of failures and successes that a text states, in English, German and French: `Errors: 0`, `none failed`,
/// `3 jobs failed`, `0 succeeded`.
///
/// A word of failure reports none if a count of zero or a negation governs it, and a word of success likewise. Warnings
/// are not failures, so their number shows neither. A sentence about a repair and a title report no failure either.
package struct OutcomeCounts: Sendable, Equatable {
    /// The ranges, in bytes, of words and counts that report nothing.
    package private(set) var voided: [Range<Int>] = []
    /// Whether the text counts or denies failures, and finds none.
    package private(set) var findsNoFailure = false
    /// Whether the text counts failures, and finds some.
    package private(set) var findsFailures = false
    private var hasZero = false

    /// Whether a number of failures is given as zero and none as more.
    package var areSuccess: Bool { hasZero && !findsFailures }

    /// Reads the counts in a text.
    package init(_ text: some RandomAccessCollection<UInt8>) {
        let bytes = Array(text)
        voided = PastFailures.ranges(in: bytes)
        findsNoFailure = !voided.isEmpty
        let tokens = CountToken.all(in: bytes)
        for place in tokens.indices {
            guard let outcome = tokens[place].outcome, !areVoid(tokens[place].range) else { continue }
            if let first = Self.zero(before: place, tokens, outcome) {
                void(tokens[first...place], outcome)
            } else if let last = Self.zero(behind: place, tokens) {
                void(tokens[place...last], outcome)
            } else if outcome != .success, Self.isCounted(place, tokens) {
                findsFailures = true
            }
        }
    }

    /// Returns whether a zero that is not part of a larger number or a word occurs in a text, so that reading the
    /// counts is worthwhile.
    package static func mayBeZero(in text: Span<UInt8>) -> Bool {
        text.indices.contains { place in
            guard text[place] == UInt8(ascii: "0") else { return false }
            return (place == 0 || !text[place - 1].isOfWord)
                && (place + 1 == text.count || !text[place + 1].isOfWord)
        }
    }

    private mutating func void(_ tokens: ArraySlice<CountToken>, _ outcome: CountToken.Outcome) {
        guard let first = tokens.first, let last = tokens.last else { return }
        voided.append(first.range.lowerBound..<last.range.upperBound)
        guard outcome != .success, !tokens.contains(where: \.isCaution) else { return }
        findsNoFailure = true
        if first.isZero || last.isZero { hasZero = true }
    }

    /// Returns the text with blanks in place of the words that report nothing, so that all other positions stay the same.
    package func blanked(_ text: [UInt8]) -> [UInt8] {
        var text = text
        for range in voided { text.replaceSubrange(range, with: repeatElement(0x20, count: range.count)) }
        return text
    }

    /// Returns whether a range touches words that report nothing.
    package func areVoid(_ range: Range<Int>) -> Bool { voided.contains { $0.overlaps(range) } }

    // MARK: Counts before a word

    /// Returns the zero or negation before a word that governs it: `0 errors`, `without any errors`, `no jobs failed`.
    private static func zero(before place: Int, _ tokens: [CountToken], _ outcome: CountToken.Outcome) -> Int? {
        let word = tokens[place]
        var place = place
        // `did not fail over`
        if tokens.indices.contains(place + 1), tokens[place + 1].text == "over" { return nil }
        var between: [CountToken] = []
        while place > tokens.startIndex, between.count <= longestGap {
            place -= 1
            let token = tokens[place]
            if token.isMark { return nil }
            let isDenied = place > tokens.startIndex && tokens[place - 1].isNegation
            if token.isZero {
                return !isDenied && joins(between, word, token) ? place : nil
            } else if token.isQuantifier {
                let isSubject = place == tokens.startIndex || !introducing.contains(tokens[place - 1].text)
                let isJoined = joins(between, word, token) && (isSubject || between.allSatisfy(\.isModifier))
                return !isDenied && isJoined ? place : nil
            } else if token.isExclusion {
                return !isDenied && between.allSatisfy(\.isModifier) ? place : nil
            } else if token.isNegation {
                return outcome != .success && between.allSatisfy(\.isModifier) ? place : nil
            }
            between.append(token)
        }
        return nil
    }

    /// Returns whether the words between a zero and a word of outcome connect them: any noun before `failed`, but only
    /// an adjective before `error`, and two words before the plural, as in `0 allocation errors`.
    private static func joins(_ between: [CountToken], _ word: CountToken, _ zero: CountToken) -> Bool {
        if between.allSatisfy(\.isModifier) { return true }
        let outcome = word.outcome
        if outcome == .noun, zero.isZero, word.isPlural, between.count <= 2 {
            return between.allSatisfy { !dividing.contains($0.text) && !$0.isNegation && $0.number == nil }
        }
        // `0 of 12 jobs failed`, `none of the jobs failed`.
        let isPart = ["of", "out", "von", "sur", "des", "der"].contains(between.last?.text ?? "")
        guard outcome != .noun, between.count <= (isPart ? longestGap : 3) else { return false }
        return between.allSatisfy { !dividing.contains($0.text) && !$0.isNegation && ($0.number == nil || isPart) }
    }

    // MARK: Counts after a word

    /// Returns the zero after a word that governs it: `Errors: 0`, `Failed timer jobs = 0`, `Error count: none`.
    private static func zero(behind place: Int, _ tokens: [CountToken]) -> Int? {
        guard let value = value(behind: place, tokens) else { return nil }
        guard tokens[value].isZero || tokens[value].isNothing, ends(value, tokens) else { return nil }
        // `(provider: TCP Provider, error: 0 - The wait operation timed out.)` gives a number and its meaning.
        let meaning = tokens[(value + 1)...].prefix(longestGap + 2)
        let isNumber =
            (!tokens[place].isPlural || tokens[place].text == "fehler") && meaning.first?.text == "-"
            && meaning.allSatisfy { $0.outcome == nil }
            && tokens[..<place].suffix(longestGap + 2).contains { providers.contains($0.text) }
        return isNumber ? nil : value
    }

    /// Returns the count after a word: behind a colon, an equals sign or a bracket, or directly behind a plural.
    private static func value(behind place: Int, _ tokens: [CountToken]) -> Int? {
        var next = place + 1
        while next < tokens.endIndex, !tokens[next].isMark, tokens[next].number == nil {
            guard next - place <= 3, !dividing.contains(tokens[next].text), !tokens[next].isNegation else { return nil }
            if verbs.contains(tokens[next].text) { break }
            next += 1
        }
        guard next < tokens.endIndex else { return nil }
        let isMarked = tokens[next].isSign || verbs.contains(tokens[next].text)
        guard isMarked || tokens[next].number != nil && (tokens[place].isPlural || next > place + 1) else { return nil }
        while next < tokens.endIndex, tokens[next].isSign || verbs.contains(tokens[next].text) { next += 1 }
        return next < tokens.endIndex && !tokens[next].isMark ? next : nil
    }

    /// Returns whether a statement ends with a count; in `Error: 0 bytes were read`, it does not.
    private static func ends(_ value: Int, _ tokens: [CountToken]) -> Bool {
        guard value + 1 < tokens.endIndex else { return true }
        let next = tokens[value + 1]
        if next.isMark { return true }
        // `Error: None of the servers answered`
        guard tokens[value].number != nil else { return false }
        if next.number != nil || continuing.contains(next.text) { return true }
        // `Failed: 0 Skipped: 1`
        return value + 2 < tokens.endIndex && tokens[value + 2].isSign
    }

    /// Returns whether a count other than zero governs a word of failure: `2 failed`, `3 jobs failed`, `Errors: 2`.
    private static func isCounted(_ place: Int, _ tokens: [CountToken]) -> Bool {
        let outcome = tokens[place].outcome
        if tokens[place].isCaution { return false }
        for number in (place - 2)..<place where tokens.indices.contains(number) && tokens[number].number == .some {
            let isNext = number == place - 1
            // `Attempt 1 failed` numbers an attempt.
            let isFirst = number == 0 || tokens[number - 1].isMark || counting.contains(tokens[number - 1].text)
            if isFirst, isNext ? tokens[place].isPlural : outcome == .participle && !tokens[place - 1].isMark {
                return true
            }
        }
        guard tokens[place].isPlural, let value = value(behind: place, tokens) else { return false }
        // `Errors occurred processing 3 message(s)`
        if outcome == .noun, tokens[value].number == .some, tokens[place + 1].text == "occurred" { return true }
        return tokens[value].number == .some && tokens[value - 1].isSign && ends(value, tokens)
    }

    private static let longestGap = 5
    /// Words of another clause, or of another quantity.
    private static let dividing = """
        and but then because which that could can cannot to with after at on code codes hr reason status attempt
        attempts line times time ms s seconds minutes bytes retries tries left remaining than und aber weil nach mit et mais avec
        """.wordSet
    /// Words before `no` that make it part of another statement: `with no rights failed`.
    private static let introducing = "with has have had is was are were because mit hat ist avec a est".wordSet
    /// The words before the name of the part of a program that reports a number.
    private static let providers = "provider anbieter fournisseur".wordSet
    private static let verbs = "is was are were remains".wordSet
    private static let continuing = "of out items item files jobs total and but in und et von sur".wordSet
    private static let counting = "and with but were had has of und mit et avec aber mais".wordSet
}

/// A word, a number or a mark of a text that may contain counts.
private struct CountToken {
    enum Outcome { case noun, participle, success }
    enum Number { case zero, some }

    var text: String
    var range: Range<Int>
    var number: Number?
    var outcome: Outcome?
    var isMark = false

    var isZero: Bool { number == .zero || text == "zero" }
    var isSign: Bool { isMark && [":", "=", "(", "|", "["].contains(text) }
    var isPlural: Bool { outcome == .participle || Self.plurals.contains(text) || text.hasSuffix(")") }
    /// Whether the word counts nothing, before a noun.
    var isQuantifier: Bool { Self.quantifiers.contains(text) }
    /// Whether the word counts nothing, in place of a number.
    var isNothing: Bool { Self.nothing.contains(text) }
    /// Whether the word is one for warnings, which are not failures.
    var isCaution: Bool { text.hasPrefix("warn") || text.hasPrefix("avert") }
    var isExclusion: Bool { ["without", "ohne", "sans"].contains(text) }
    var isNegation: Bool { Self.negations.contains(text) || text.hasSuffix("n't") }
    var isModifier: Bool { !isMark && number == nil && Self.modifiers.contains(text) }

    /// Divides a text into tokens.
    static func all(in text: [UInt8]) -> [CountToken] {
        var tokens: [CountToken] = []
        var start = 0
        while start < text.count {
            let byte = text[start]
            if byte <= 0x20 {
                // Each line is a statement of its own.
                if byte == 0x0A { tokens.append(CountToken(text: "\n", range: start..<start + 1, isMark: true)) }
                start += 1
            } else if byte.isOfWord {
                let end = end(of: start, in: text)
                tokens.append(CountToken(word: start..<end, in: text))
                start = end
            } else {
                let mark = String(decoding: [byte], as: UTF8.self)
                tokens.append(CountToken(text: mark, range: start..<start + 1, isMark: true))
                start += 1
            }
        }
        return tokens
    }

    /// Returns the end of a word, with an apostrophe and `(s)`, or of a number with its separators.
    private static func end(of start: Int, in text: [UInt8]) -> Int {
        var end = start
        let isNumber = text[start].isDigit
        while end < text.count {
            let isJoint = isNumber ? ".,:".utf8.contains(text[end]) : text[end] == 0x27
            let goesOn = end + 1 < text.count && (isNumber ? text[end + 1].isDigit : text[end + 1].isLetter)
            guard text[end].isOfWord || isJoint && goesOn else { break }
            end += 1
        }
        for plural in ["(s)", "(n)", "(en)", "(es)"] where text[end...].starts(with: plural.utf8) {
            return end + plural.utf8.count
        }
        return end
    }

    private init(text: String, range: Range<Int>, isMark: Bool) {
        (self.text, self.range, self.isMark) = (text, range, isMark)
    }

    private init(word range: Range<Int>, in bytes: [UInt8]) {
        text = String(decoding: bytes[range], as: UTF8.self).lowercased().replacing("’", with: "'")
        for elision in ["d'", "l'", "n'"] where text.hasPrefix(elision) { text.removeFirst(2) }
        self.range = range
        if bytes[range.lowerBound].isDigit {
            guard bytes[range].allSatisfy({ $0.isDigit || ".,".utf8.contains($0) }) else { return }
            let isWhole = bytes[range].allSatisfy(\.isDigit)
            let isZero = bytes[range].allSatisfy { !$0.isDigit || $0 == UInt8(ascii: "0") }
            number = isZero ? isWhole ? .zero : nil : .some
            return
        }
        guard !isInName(bytes) else { return }
        let stem = text.prefix { $0 != "(" }
        outcome =
            Self.nouns.contains(String(stem)) || Self.plurals.contains(String(stem))
            ? .noun : Self.participles.contains(String(stem)) ? .participle : nil
        if outcome == nil, Self.successes.contains(String(stem)) { outcome = .success }
    }

    /// Returns whether the word is part of a path, an address or a name with dots.
    private func isInName(_ bytes: [UInt8]) -> Bool {
        let signs = "/\\._-@".utf8
        if range.lowerBound > 0, signs.contains(bytes[range.lowerBound - 1]) { return true }
        guard range.upperBound < bytes.count, signs.contains(bytes[range.upperBound]) else { return false }
        return range.upperBound + 1 < bytes.count && bytes[range.upperBound + 1].isOfWord
    }

    private static let nouns = """
        error failure exception fault problem warning crash timeout conflict fehler warnung ausnahme erreur échec
        avertissement problème
        """.wordSet
    private static let plurals = """
        errors failures exceptions faults problems warnings crashes timeouts conflicts rejections fehler fehlern
        warnungen ausnahmen probleme erreurs échecs avertissements problèmes
        """.wordSet
    private static let participles = """
        fail fails failed failing aborted rejected denied missing corrupt corrupted fehlgeschlagen fehlgeschlagene
        fehlgeschlagenen abgebrochen abgelehnt échoué échoués échouée échouées rejeté rejetés
        """.wordSet
    private static let successes = """
        succeeded success successes successful successfully passed erfolgreich erfolgreiche réussi réussis réussie
        réussies
        """.wordSet
    private static let quantifiers = """
        no none nothing nil kein keine keinen keiner keines nichts aucun aucune rien
        """.wordSet
    private static let nothing = "none zero nil keine keiner aucun aucune".wordSet
    private static let negations = "not never cannot nicht nie niemals pas jamais".wordSet
    private static let modifiers = """
        any a an the single one more further new other fatal critical serious unexpected unhandled been be have has
        had yet find found see show report reported ein eine einen einem weiteren weitere schwerwiegenden kritischen un
        une de autre nouvelle nouveau
        """.wordSet
}

extension String {
    /// The words of a text, as a set.
    package var wordSet: Set<String> { Set(split(whereSeparator: \.isWhitespace).map { String($0) }) }
}
