/// The signs that a paragraph without columns is of a log: a time or process ID of the service, an exception, a code, a frame
/// of a stack trace, or words of failure.
///
/// Without any, it may be a letter, a list, or the log of another program.
enum MessageSigns {
    /// Returns whether a paragraph has one of the signs.
    ///
    /// Words of paths, addresses and queries don't count: what is requested says nothing about what happened.
    static func occur(in paragraph: [UInt8]) -> Bool {
        guard !IISLog.begins(paragraph) else { return false }
        if beginsWithTime(paragraph) || HealthEvent.begins(paragraph) { return true }
        var start = 0
        /// How many words may still name what somebody does not have.
        var reach = 0
        var before: [UInt8] = []
        while start < paragraph.count {
            let isSeparator = { (byte: UInt8) in byte <= 0x20 }
            guard let first = paragraph[start...].firstIndex(where: { !isSeparator($0) }) else { return false }
            let end = paragraph[first...].firstIndex(where: isSeparator) ?? paragraph.count
            if isSign(paragraph[first..<end]) { return true }
            let word = paragraph[first..<min(end, first + longestWord)].map(\.lowercased).filter(\.isSmallLetter)
            if isPair(before, word) || isFrame(behind: before, paragraph[first..<end]) { return true }
            reach = before == not && have.contains(word) ? longestReach : max(0, reach - 1)
            if reach > 0, rights.contains(where: { word.starts(with: $0) }) { return true }
            if sentenceEnds.contains(paragraph[end - 1]) { reach = 0 }
            before = word
            // `Verbose<tab>Getting …`: a level and a message.
            if first == 0, end < paragraph.count, paragraph[end] == 0x09, isLevel(paragraph[..<end]) { return true }
            start = end
        }
        return false
    }

    /// Returns whether a paragraph begins with a date and a time as the service writes them: `09/26/2011 10:39`.
    private static func beginsWithTime(_ paragraph: [UInt8]) -> Bool {
        let parts = paragraph.prefix(32).split(whereSeparator: { $0 <= 0x20 }).prefix(2).map { Array($0) }
        guard parts.count == 2 else { return false }
        let date = parts[0].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard date.map(\.count) == [2, 2, 4] || date.map(\.count) == [1, 2, 4] || date.map(\.count) == [2, 1, 4] else {
            return false
        }
        return date.allSatisfy { $0.allSatisfy(\.isDigit) } && parts[1].prefix(1).allSatisfy(\.isDigit)
            && parts[1].prefix(3).contains(UInt8(ascii: ":"))
    }

    private static func isSign(_ token: ArraySlice<UInt8>) -> Bool {
        // The number of a process, `(0x1790)`.
        if token.count > 4, Array(token.prefix(3)) == Array("(0x".utf8), token.last == UInt8(ascii: ")"),
            token.dropFirst(3).dropLast().allSatisfy(\.isHexadecimal)
        {
            return true
        }
        // SharePoint's native code marks its numbers so.
        if token.firstRange(of: nativeMark) != nil { return true }
        guard !token.contains(where: { pathBytes.contains($0) }) else { return false }
        return token.split { !$0.isHexadecimal && !$0.lowercased.isSmallLetter && $0 != UInt8(ascii: "_") }
            .contains { word in
                let word = word.map(\.lowercased)
                return words.contains(word) || word.count > exception.count && word.suffix(exception.count) == exception
                    || isCode(word)
            }
    }

    /// Returns whether two words say that something went wrong: `could not`, `not found`, `doesn't exist`.
    private static func isPair(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        if second == not { return helpers.contains(first) }
        if contractions.contains(second) { return true }
        guard first == not || negated.contains(first) else { return false }
        return missing.contains { second.starts(with: $0) }
    }

    /// Returns whether `at Namespace.Type.Method(` stands here.
    private static func isFrame(behind word: [UInt8], _ token: ArraySlice<UInt8>) -> Bool {
        guard word == at, let open = token.firstIndex(of: UInt8(ascii: "(")) else { return false }
        let name = token[..<open]
        return name.count { $0 == UInt8(ascii: ".") } >= 2 && !name.contains { pathBytes.contains($0) }
    }

    private static func isLevel(_ word: ArraySlice<UInt8>) -> Bool {
        ULSLevel(String(decoding: word, as: UTF8.self)).isKnown
    }

    /// Returns whether a word is an HRESULT of a failure, such as `800703fa`, with or without `0x`.
    private static func isCode(_ word: [UInt8]) -> Bool {
        let digits = word.hasPrefix([0x30, UInt8(ascii: "x")]) ? word.dropFirst(2) : word[...]
        guard digits.count == 8, digits.allSatisfy(\.isHexadecimal) else { return false }
        return digits.count < word.count || digits.first == UInt8(ascii: "8")
    }

    /// The longest of the words that are looked for in pairs, and what may stand behind it.
    private static let longestWord = 16
    private static let at = Array("at".utf8)
    private static let not = Array("not".utf8)
    private static let helpers: Set<[UInt8]> = [Array("could".utf8), Array("can".utf8)]
    /// `couldn't` and `can't`, without the apostrophe.
    private static let contractions: Set<[UInt8]> = [Array("couldnt".utf8), Array("cant".utf8)]
    private static let negated = Set(
        ["doesnt", "dont", "didnt", "isnt", "wasnt", "arent", "werent", "hasnt", "havent"].map { Array($0.utf8) }
    )
    private static let missing = [
        "found", "exist", "consistent", "available", "operational", "responding", "installed", "configured", "started",
        "set", "allowed", "permitted", "authorized", "granted", "accessible", "reachable", "supported", "recognized",
        "registered", "valid",
    ].map { Array($0.utf8) }
    private static let have = Set(["have", "has"].map { Array($0.utf8) })
    private static let sentenceEnds = Set(".!?".utf8)
    private static let rights = ["permission", "privilege", "rights"].map { Array($0.utf8) }
    /// Words from `not have` to what is not had: `the required permission`, `sufficient rights`.
    private static let longestReach = 6
    private static let pathBytes: Set<UInt8> = Set("/\\=".utf8)
    private static let exception = Array("exception".utf8)[...]
    private static let nativeMark = Array("<nativehr>".utf8)
    private static let words: Set<[UInt8]> = Set(
        [
            "aborted", "blocked", "cannot", "conflict", "corrupt", "corrupted", "crashed", "critical", "deadlock",
            "denied", "error", "errors",
            "exception", "expired", "fail", "failed", "fails", "failure", "fatal", "forbidden", "inaccessible",
            "inconsistent", "insufficient", "invalid", "mismatch", "missing", "refused", "rejected",
            "timed", "timeout", "unable", "unauthorized", "unavailable", "unexpected", "unreachable",
        ].map { Array($0.utf8) }
    )
}

/// What a text that holds no event looks like, in words for people.
struct ForeignText {
    let description: String

    /// Judges a text by its beginning.
    init(startOf head: [UInt8]) {
        let lines = head.prefix(4096).split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).map { Array($0) }
            .filter { !$0.trimmed.isEmpty }
        let first = lines.first.map { $0[$0.trimmed].first } ?? nil
        description =
            if lines.contains(where: IISLog.begins) {
                "a log of IIS"
            } else if !lines.isEmpty, lines.prefix(5).allSatisfy(Self.isAddress) {
                "a list of addresses"
            } else if first == UInt8(ascii: "<") {
                "XML or HTML"
            } else if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
                "JSON"
            } else {
                "text of another kind"
            }
    }

    private static func isAddress(_ line: [UInt8]) -> Bool {
        let content = line[line.trimmed]
        guard let colon = content.firstIndex(of: UInt8(ascii: ":")), colon > content.startIndex else { return false }
        return content[..<colon].allSatisfy { $0.lowercased.isSmallLetter }
            && Array(content[colon...].prefix(3)) == Array("://".utf8)
    }
}

/// The directives at the beginning of an IIS log.
private enum IISLog {
    static func begins(_ text: [UInt8]) -> Bool { directives.contains { text.hasPrefix($0) } }

    private static let directives = ["#Software:", "#Fields:"].map { Array($0.utf8) }
}
