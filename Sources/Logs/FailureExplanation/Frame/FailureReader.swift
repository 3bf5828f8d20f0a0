import TextKit

/// The reader of a failure: whether the text reports one, and its class.
extension FrameTables {
    // MARK: Success and phrases

    /// Returns whether the text reports a success without failures, or merely describes a setting.
    ///
    /// A preceding word such as "not" negates the success; a failure in another clause or the code of one outweighs it.
    func findsSuccess(in text: FrameText, beside codes: [FoundCode]) -> Bool {
        guard !text.counts.findsFailures else { return false }
        if ItemRows.reportSuccess(text.bytes) { return true }
        guard !codes.contains(where: \.isOfFailure) else { return false }
        if codes.isEmpty, text.exceptions.isEmpty, !intentionPatterns.matches(in: text.words).isEmpty { return true }
        let known = codes.filter {
            $0.evidence == .phrase && $0.code.space == .sentence && $0.code.kind != .normal
        }
        let clauses = successPatterns.matches(in: text.words)
            .filter { match in
                // "A connection was successfully established with the server, but then an error occurred"
                let isOfFailure = known.contains { $0.range.contains(text.words[match.words.lowerBound].start) }
                return !isOfFailure && !text.isOfCode(match.clause)
                    && text.words(before: match.words.lowerBound, clause: match.clause).prefix(3)
                        .allSatisfy { !Self.denials.contains($0.text) }
            }
            .map(\.clause)
        let isKnown = known.contains { text.clause(at: $0.range).map { !clauses.contains($0) } == true }
        guard !clauses.isEmpty, !isKnown else { return false }
        return !failurePatterns.matches(in: text.words).contains { match in
            match.phrase.count >= 2 && failures[match.entry].isClear && !clauses.contains(match.clause)
        }
    }

    private static let denials = """
        not no never without failed fails cannot unable unless until nicht pas error
        """.wordSet

    /// Returns the failure phrase of an exception's message, that which gives the reason in its clause, or else the
    /// longest one in the text; if several are equally long, the first in the order of the classes.
    func failure(in text: FrameText, from clause: Int = 0) -> WordPatterns.Match? {
        let matches = failurePatterns.matches(in: text.words).filter {
            $0.clause >= clause && (!failures[$0.entry].isOfEvents || text.reportsEvent($0.clause))
                && !isCondition($0, in: text)
                && !isMentioned($0, in: text)
        }
        let thrown = text.thrownClauses
        return matches.max { one, other in
            // "Failed" and "unexpected" carry the least information, regardless of the number of words.
            let (rank, otherRank) = (failures[one.entry].rank, failures[other.entry].rank)
            if rank != otherRank { return rank < otherRank }
            let (isThrown, isOtherThrown) = (thrown.contains(one.clause), thrown.contains(other.clause))
            if isThrown != isOtherThrown { return isOtherThrown }
            if one.clause == other.clause {
                let (isReason, isOtherReason) = (reason(one, in: text) != nil, reason(other, in: text) != nil)
                if isReason != isOtherReason { return isOtherReason }
            }
            return (one.phrase.count, other.entry) < (other.phrase.count, one.entry)
        }
    }

    /// Returns whether a word before a vague phrase makes it a condition, as in "if the job fails", or whether a clear
    /// one is the condition of something that has not happened, as in "requests will fail if it is not found".
    private func isCondition(_ match: WordPatterns.Match, in text: FrameText) -> Bool {
        let before = text.words(before: match.words.lowerBound, clause: match.clause).map(\.text)
        let near = before.prefix(4)
        if failures[match.entry].isVague, near.contains("if") || near.first == "that" || near.first == "which" {
            return true
        }
        guard let place = before.firstIndex(of: "if") else { return false }
        return before[(place + 1)...].contains { Self.future.contains($0) }
    }

    private static let future = "will would may might".wordSet

    /// Returns whether a phrase is only mentioned: as the name of a page or a rule, in a question within a sentence ("find
    /// out why access was denied"), or as a length of time ("older than seven years").
    private func isMentioned(_ match: WordPatterns.Match, in text: FrameText) -> Bool {
        let next = text.words[match.words.upperBound...].dropFirst().prefix { $0.clause == match.clause }.prefix(3)
        if let first = next.first, Self.named.contains(first.text) { return true }
        if text.words[match.words.upperBound].text == "than", next.contains(where: { Self.times.contains($0.text) }) {
            return true
        }
        return text.words(before: match.words.lowerBound, clause: match.clause).prefix(3).contains { $0.text == "why" }
    }

    private static let named = "page pages rule rules policy policies".wordSet
    private static let times = """
        second seconds minute minutes hour hours day days week weeks month months year years tage wochen monate jahre
        """.wordSet

    /// Returns the clauses with any words of a failure or a code.
    func failingClauses(in text: FrameText, beside codes: [FoundCode]) -> Set<Int> {
        Set(failurePatterns.matches(in: text.words).map(\.clause) + codes.compactMap { text.clause(at: $0.range) })
    }

    /// Returns the place of the word before a phrase that makes it a reason, as in "because it is missing".
    func reason(_ match: WordPatterns.Match, in text: FrameText) -> Int? {
        text.words[...match.words.lowerBound].lastIndex { $0.clause == match.clause && Self.reasons.contains($0.text) }
    }

    private static let reasons = "because due weil wegen car raison".wordSet

    /// A class with its evidence, the clause of the text that has it, and whether words report it rather than a number
    /// or the type of an exception, which have no subject.
    typealias FoundClass = (slot: FailureFrame.Slot<FailureFrame.Class>, clause: Int?, isSpoken: Bool)

    /// Chooses the class: a phrase of three or more words carries the most information, followed by an exception, a
    /// code, and a shorter phrase.
    func failure(
        in text: FrameText,
        _ words: WordPatterns.Match?,
        _ types: [String],
        _ codes: [FoundCode]
    ) -> FoundClass? {
        func found(
            _ entry: Int,
            _ evidence: String,
            _ clause: Int?,
            isSpoken: Bool,
            isSure: Bool = true
        ) -> FoundClass {
            let kind = failures[entry]
            let value = FailureFrame.Class(
                id: kind.id,
                clause: kind.name,
                isVague: kind.isVague,
                isQuoted: kind.isQuoted
            )
            return (.init(value: value, evidence: evidence, certainty: isSure ? .likely : .possible), clause, isSpoken)
        }
        func found(_ words: WordPatterns.Match) -> FoundClass {
            let evidence = text.words[words.words].map(\.text).joined(separator: " ")
            let isSure = words.phrase.count >= 2 || evidence == "failed" && text.endsSentence(words)
            return found(words.entry, evidence, words.clause, isSpoken: true, isSure: isSure)
        }
        let isClear = words.map { $0.phrase.count >= 3 && failures[$0.entry].isClear }
        if let words, isClear == true { return found(words) }
        func found(isVague: Bool) -> FoundClass? {
            for type in types {
                let name = StackFrame.lastName(of: type)
                let entry = failures.firstIndex { $0.exceptions.contains(name) && $0.isVague == isVague }
                guard let entry else { continue }
                // Words of the same class have a subject.
                if let words, words.entry == entry { return found(entry, type, words.clause, isSpoken: true) }
                return found(entry, type, text.clause(of: type), isSpoken: false)
            }
            return nil
        }
        if let exception = found(isVague: false) { return exception }
        // An unspecified failure carries the least information.
        for code in codes where code.code.kind?.tellsLittle != true {
            let key = CodeKey(code.code.space, code.code.plain)
            let inner = code.code.space == .hresult ? StructuredCode(code.code.number)?.inner : nil
            let entry = failures.firstIndex { kind in
                kind.codes.contains(key) || inner.map(kind.codes.contains) == true
                    || code.code.kind.map(kind.kinds.contains) == true
            }
            guard let entry else { continue }
            let clause = text.clause(at: code.range)
            return found(entry, code.code.title, clause, isSpoken: code.evidence == .phrase)
        }
        // Clear words are more specific than a category.
        if let name = text.category, words.map({ failures[$0.entry].isClear }) != true,
            let entry = failures.firstIndex(where: { $0.categories.contains(name) })
        {
            return found(entry, name, text.reported, isSpoken: true)
        }
        return words.map { found($0) } ?? found(isVague: true)
    }

    /// Returns the failure that a program printed as an error, although no word in it is known.
    func reported(in text: FrameText) -> FoundClass? {
        guard let clause = text.reported, !text.isQuestion,
            let kind = failures.first(where: { $0.id == "reported" })
        else { return nil }
        let value = FailureFrame.Class(id: kind.id, clause: kind.name, isVague: kind.isVague, isQuoted: true)
        return (.init(value: value, evidence: "an error that was printed", certainty: .likely), clause, true)
    }
}

extension FoundCode {
    /// True for an HTTP status from 400; other codes also occur in titles, addresses and IDs.
    fileprivate var isOfFailure: Bool {
        guard evidence == .number, code.kind != .normal, code.space == .http else { return false }
        // With a substatus, 500.19 is 500019.
        return 400...599 ~= (code.number < 1000 ? code.number : code.number / 1000)
    }
}
