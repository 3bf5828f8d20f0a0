import TextKit

/// A text divided into clauses, words, names in quotes, and identifiers, for the readers of ``FailureFrame``.
///
/// Words inside of names, paths and addresses prove nothing about a failure and are not among the words.
struct FrameText {
    typealias Word = ClauseWord

    /// A name of an object: in quotes, or recognized by its form.
    struct Name {
        enum Form: String { case quoted, path, address, account, guid }

        var text: String
        var form: Form
        var range: Range<Int>
        var clause: Int
        /// The number of words before it.
        var place: Int
    }

    private(set) var words: [Word] = []
    private(set) var names: [Name] = []
    /// Names of types, methods, cmdlets and resources, in the order of the text, each with the words before it.
    private(set) var identifiers: [(text: String, place: Int)] = []
    /// The texts around the message; only their identifiers are read.
    private(set) var envelopes: [TextEnvelopes.Place] = []

    /// The maximum number of bytes that are read.
    static let maximum = 8192
    let bytes: ArraySlice<UInt8>
    /// The text with its counts of zero; sentences are quoted from it.
    private let plain: ArraySlice<UInt8>
    /// The counts of failures; words that are counted as zero are not among the words.
    let counts: OutcomeCounts
    /// For each clause, the mark before it and its place in the text.
    private var clauses: [(mark: UInt8, start: Int, end: Int)] = [(0, 0, FrameText.maximum)]
    private var clause: Int { clauses.count - 1 }
    /// The position of the next envelope, beyond which no name or word continues.
    private var limit = 0
    /// The clause of a message that a program printed as an error; see ``reportedClause()``.
    private(set) var reported: Int?
    /// The end of the row of a report of failures in which quotes contain cells rather than names.
    var rowEnd = 0

    init(_ text: String) {
        plain = Array(text.utf8.prefix(Self.maximum)).withPlainMarks[...]
        counts = OutcomeCounts(plain)
        bytes = counts.blanked(Array(plain))[...]
        envelopes = FrameTables.builtIn.envelopes.places(in: bytes)
        var rest = envelopes[...]
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            limit = rest.first?.range.lowerBound ?? bytes.count
            if position >= limit, let envelope = rest.popFirst() {
                identifiers += envelope.names.map { ($0, words.count) }
                position = messageStart(after: max(position, envelope.range.upperBound))
                divide(by: 0, at: envelope.range.lowerBound, next: position)
            } else if byte <= 0x20 {
                if byte == 0x0A, !isWrapped(at: position) { divide(by: byte, at: position, next: position + 1) }
                position += 1
            } else if let end = addArgument(at: position) {
                position = end
            } else if byte == UInt8(ascii: "<"), let end = bytes.tagEnd(at: position) {
                divide(by: 0, at: position, next: end)
                position = end
            } else if byte == 0x22, isCell(at: position) {
                divide(by: 0, at: position, next: position + 1)
                position += 1
            } else if isEmptyQuote(at: position) {
                words.append(Word(text: "empty", clause: clause, start: position))
                position += 2
            } else if let quote = quote(at: position), let end = nameEnd(from: position + quote.open, quote.close) {
                let range = (position + quote.open)..<end
                addQuoted(range)
                position = end + quote.close.count
            } else if let quote = quote(at: position), opensSentence(position + quote.open) {
                divide(by: 0x22, at: position, next: position + quote.open)
                position += quote.open
            } else if byte == 0xE2, bytes[position...].starts(with: [0xE2, 0x80, 0x99]) {
                position += 3
            } else if byte.isOfWord || byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "/") {
                let end = chunkEnd(from: position)
                addChunk(position..<end)
                position = max(end, position + 1)
            } else {
                if ".;!?:".utf8.contains(byte),
                    position + 1 == bytes.count || bytes[position + 1] <= 0x20 || isQuote(position + 1)
                {
                    divide(by: byte, at: position, next: position + 1)
                }
                // A brace that stands alone, as around a message.
                if "{}".utf8.contains(byte), position == 0 || bytes[position - 1] <= 0x20,
                    position + 1 == bytes.count || bytes[position + 1] <= 0x20
                {
                    divide(by: 0, at: position, next: position + 1)
                }
                if byte == UInt8(ascii: "-"), bytes[position...].starts(with: "--->".utf8) {
                    divide(by: byte, at: position, next: position + 4)
                }
                position += 1
            }
        }
        reported = reportedClause()
    }

    /// Ends a clause at a mark and begins the next one.
    private mutating func divide(by mark: UInt8, at end: Int, next: Int) {
        clauses[clauses.count - 1].end = end
        clauses.append((mark, next, Self.maximum))
    }

    /// The labels that .NET puts before the name of an argument, at the end of a message.
    ///
    /// A no-break space has become two blanks.
    private static let labels = [
        "Parameter name: ", "Parametername: ", "Nom du paramètre : ", "Nom du paramètre  : ", "(Parameter '",
    ].map { Array($0.utf8) }
    /// The last words of messages about the value of an argument rather than the argument.
    private static let ofRange = "values range collection".wordSet

    /// Adds the name of an argument to the sentence before its label, and returns its end.
    private mutating func addArgument(at position: Int) -> Int? {
        guard "PN(".utf8.contains(bytes[position]), let last = words.last,
            let label = Self.labels.first(where: { bytes[position...].starts(with: $0) })
        else { return nil }
        let start = position + label.count
        let end = bytes[start...].firstIndex { !$0.isOfWord } ?? bytes.count
        guard end > start, !Self.ofRange.contains(last.text) else { return nil }
        // It belongs to a method, which may be deep within a cmdlet.
        words.append(Word(text: "argument", clause: last.clause, start: position))
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        names.append(Name(text: text, form: .quoted, range: start..<end, clause: last.clause, place: words.count))
        return end
    }

    // MARK: Line ends and quotes

    /// Returns the start of a message, without the mark that opens a quote around it.
    private func messageStart(after envelope: Int) -> Int {
        let start = bytes[envelope...].firstIndex { $0 > 0x20 } ?? bytes.count
        guard start < bytes.count, !isEmptyQuote(at: start) else { return start }
        return start + (quote(at: start)?.open ?? 0)
    }

    /// Returns whether a line end is inside a sentence, because the next word had no room on the line; it begins with
    /// neither a capital nor a mark other than a quotation mark.
    private func isWrapped(at end: Int) -> Bool {
        let next = bytes[(end + 1)...]
        guard let first = next.first, first.isLowercase || first.isDigit || isQuote(end + 1) || first == 0x27,
            !next.starts(with: "at ".utf8)
        else { return false }
        let start = bytes[..<end].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return end - start + next.prefix(80).prefix { $0 > 0x20 }.count >= 72
    }

    /// Returns whether two quotation marks without a text between them stand alone.
    private func isEmptyQuote(at position: Int) -> Bool {
        guard bytes[position] == 0x22 || bytes[position] == 0x27, position > 0, bytes[position - 1] == 0x20,
            position + 1 < bytes.count, bytes[position + 1] == bytes[position]
        else { return false }
        return position + 2 == bytes.count || !bytes[position + 2].isOfWord && bytes[position + 2] != bytes[position]
    }

    private func isQuote(_ position: Int) -> Bool { bytes[position] == 0x22 || bytes[position] == 0xE2 }

    /// Returns the length of the opening quotation mark at a position, and the mark that closes the quote.
    private func quote(at position: Int) -> (open: Int, close: [UInt8])? {
        let isAfterWord = position > 0 && (bytes[position - 1].isLetterOrDigit || bytes[position - 1] >= 0x80)
        let isBeforeBlank = position + 1 < bytes.count && bytes[position + 1] <= 0x20
        if isAfterWord || isBeforeBlank { return nil }
        switch bytes[position] {
        case 0x22: return (1, [0x22])
        case 0x27: return (1, [0x27])
        case 0xE2 where bytes[position...].starts(with: [0xE2, 0x80, 0x98]): return (3, [0xE2, 0x80, 0x99])
        case 0xE2 where bytes[position...].starts(with: [0xE2, 0x80, 0x9C]): return (3, [0xE2, 0x80, 0x9D])
        case 0xE2 where bytes[position...].starts(with: [0xE2, 0x80, 0x9E]): return (3, [0xE2, 0x80, 0x9C])
        default: return nil
        }
    }

    /// Returns the end of a quoted name; `nil` for a sentence in quotes, which is read like other text.
    private func nameEnd(from start: Int, _ close: [UInt8]) -> Int? {
        var end = start
        while end < limit, end - start <= 200 {
            if bytes[end...].starts(with: close) {
                // A quote within a quote: the outer one is a sentence.
                if end > start, bytes[end - 1] == 0x20, quote(at: end) != nil { return nil }
                let next = end + close.count
                // An apostrophe within a word.
                if next >= bytes.count || !bytes[next].isLetterOrDigit { break }
            }
            if bytes[end] == 0x0A { return nil }
            end += 1
        }
        guard end > start, end - start <= 200, end < limit else { return nil }
        let blanks = bytes[start..<end].count { $0 == 0x20 }
        let isSentence =
            blanks >= 2 && (".!?".utf8.contains(bytes[end - 1]) || isMessage(before: start))
            || blanks >= 3 && isLine(from: start, to: end + close.count) || blanks >= 4 && hasStop(in: start..<end)
        return isSentence ? nil : end
    }

    /// Returns whether a quote is a line of its own, as an error that was copied together with its quotation marks.
    private func isLine(from start: Int, to end: Int) -> Bool {
        let open = start > 0 && bytes[start - 1] < 0x80 ? start - 1 : max(0, start - 3)
        let before = bytes[..<open].reversed().prefix { $0 != 0x0A }
        return before.allSatisfy { $0 <= 0x20 }
            && bytes[end...].prefix { $0 != 0x0A }.allSatisfy { $0 <= 0x20 || $0 == UInt8(ascii: ".") }
    }

    /// Returns whether a sentence ends within a range: a quotation mark without its counterpart begins no name.
    private func hasStop(in range: Range<Int>) -> Bool {
        range.dropFirst().dropLast(2).contains {
            bytes[$0] == UInt8(ascii: ".") && bytes[$0 - 1].isLowercase && bytes[$0 + 1] == 0x20
                && bytes[$0 + 2].isUppercase
        }
    }

    /// Returns whether a quote is the message of an object in JSON, `"reason":"…"`, or follows a word that quotes one.
    private func isMessage(before start: Int) -> Bool {
        if let last = words.last, last.clause == clause, Self.quoting.contains(last.text) { return true }
        let before = bytes[max(0, start - 24)..<start].filter { $0 != 0x20 }
        return Self.messages.contains { before.suffix($0.count).elementsEqual($0) }
    }

    private static let quoting: Set = [
        "shows", "showing", "says", "saying", "states", "error", "message", "exception", "reports", "fails",
    ]
    private static let messages =
        ["message", "reason", "msg", "error", "error_description", "detail", "value"].map { Array("\"\($0)\":\"".utf8) }
        + ["Text", "Message", "Description"].map { Array("\($0)=\"".utf8) }
        + ["INFO", "WARNING", "ERROR"].map { Array("(\($0)):'".utf8) }

    /// Returns whether a quoted sentence begins at a position, after words that only introduce it.
    private func opensSentence(_ start: Int) -> Bool {
        start < limit && bytes[start].isUppercase && words.last?.clause == clause
    }

    private mutating func addQuoted(_ range: Range<Int>) {
        // A number in an attribute, as in Line="12", names nothing.
        let isAttribute = range.lowerBound >= 2 && bytes[range.lowerBound - 2] == UInt8(ascii: "=")
        if isAttribute, bytes[range].allSatisfy({ $0.isDigit || $0 == UInt8(ascii: "-") }) { return }
        let text = String(decoding: bytes[range], as: UTF8.self)
        if Self.isIdentifier(bytes[range]) { identifiers.append((text, words.count)) }
        let isAccount =
            text.hasPrefix("i:0")
            || bytes[range].count { $0 == UInt8(ascii: "\\") } == 1
                && !bytes[range].contains { $0 == 0x20 || $0 == UInt8(ascii: "/") }
        let form: Name.Form =
            isAddress(at: range.lowerBound)
            ? .address : isPath(at: range.lowerBound) ? .path : isAccount ? .account : .quoted
        names.append(Name(text: text, form: form, range: range, clause: clause, place: words.count))
    }

    // MARK: Words

    private func chunkEnd(from start: Int) -> Int {
        var end = start
        // A path or an address contains characters that are separators elsewhere.
        let isPath = isPath(at: start)
        let isAddress = isAddress(at: start)
        while end < max(limit, start + 1), bytes[end] > 0x20 || isPath && goesOn(after: end), end - start < 2048 {
            let byte = bytes[end]
            // The apostrophe of "won't" does not end a word.
            let isDenial = byte == 0x27 && bytes[..<end].last == 0x6E && bytes[(end + 1)...].starts(with: "t ".utf8)
            if !isDenial && "\"'()[]{}<>,;|".utf8.contains(byte) || (byte == UInt8(ascii: "=") && !isAddress) { break }
            if byte == 0xE2, bytes[end...].starts(with: [0xE2, 0x80]) { break }
            if byte == UInt8(ascii: ":"), !isAddress, !(isPath && end <= start + 5) {
                if end + 1 >= bytes.count || bytes[end + 1] != UInt8(ascii: "/") { break }
            }
            end += 1
        }
        while end > start + 1, ".:!?".utf8.contains(bytes[end - 1]) { end -= 1 }
        return max(end, start + 1)
    }

    /// Returns whether a path continues after a space, as in `C:\Program Files\A`.
    private func goesOn(after blank: Int) -> Bool {
        guard bytes[blank] == 0x20 else { return false }
        for place in (blank + 1)..<max(blank + 1, min(blank + 40, bytes.count)) {
            switch bytes[place] {
            case UInt8(ascii: "\\"): return place > blank + 1 && bytes[place - 1] != UInt8(ascii: ":")
            case 0x20 where bytes[place - 1] == 0x20: return false
            case let byte where byte.isLetterOrDigit || " .()-_".utf8.contains(byte): continue
            default: return false
            }
        }
        return false
    }

    /// Returns whether a path begins at a drive or a share.
    static func isRooted(_ path: String) -> Bool { isPath(at: 0, in: Array(path.utf8)[...]) }

    private func isPath(at start: Int) -> Bool { Self.isPath(at: start, in: bytes) }

    private static func isPath(at start: Int, in bytes: ArraySlice<UInt8>) -> Bool {
        let rest = bytes[start...].prefix(3)
        if rest.starts(with: #"\\"#.utf8) { return true }
        return rest.count == 3 && rest[start].isLetter && rest[start + 1] == UInt8(ascii: ":")
            && (rest[start + 2] == UInt8(ascii: "\\") || rest[start + 2] == UInt8(ascii: "/"))
    }

    private func isAddress(at start: Int) -> Bool {
        let scheme = bytes[start...].prefix(12).prefix { $0.isLetterOrDigit }
        let rest = bytes[scheme.endIndex...]
        // Without a host, it is only the beginning of an address.
        return scheme.count >= 2 && rest.starts(with: "://".utf8) && (rest.dropFirst(3).first ?? 0) > 0x20
    }

    private mutating func addChunk(_ range: Range<Int>) {
        let chunk = bytes[range]
        func add(_ form: Name.Form) {
            let text = String(decoding: chunk, as: UTF8.self)
            names.append(Name(text: text, form: form, range: range, clause: clause, place: words.count))
        }
        if isAddress(at: range.lowerBound) { return add(.address) }
        if isPath(at: range.lowerBound) { return add(.path) }
        if isGUID(chunk) { return add(.guid) }
        let backslashes = chunk.count { $0 == UInt8(ascii: "\\") }
        if backslashes == 1, chunk.first != UInt8(ascii: "\\"), chunk.last != UInt8(ascii: "\\"),
            !chunk.contains(UInt8(ascii: "/"))
        {
            return add(.account)
        }
        if Self.isIdentifier(chunk) { identifiers.append((String(decoding: chunk, as: UTF8.self), words.count)) }
        // The parts of a name with dots or slashes do not count as words of a sentence.
        if chunk.contains(UInt8(ascii: "/")) || chunk.contains(UInt8(ascii: "\\")) { return }
        if chunk.count > 40, chunk.allSatisfy({ $0 < 0x80 }) { return }
        var start = range.lowerBound
        for part in chunk.split(whereSeparator: { !($0.isOfWord || $0 == 0x27) }) {
            start = part.startIndex
            let isASCII = part.allSatisfy { $0 < 0x80 }
            let text =
                isASCII
                ? String(decoding: part.map(\.lowercased), as: UTF8.self)
                : String(decoding: part, as: UTF8.self).lowercased()
            // "isn’t" has become two words, because its apostrophe is not a plain one.
            if text == "t", let last = words.last, last.start + last.text.utf8.count + 3 == start {
                words.removeLast()
                appendWords(of: last.text + "'t", at: last.start)
            } else {
                appendWords(of: text, at: start)
            }
        }
    }

    private mutating func appendWords(of text: String, at start: Int) {
        for word in WordPatterns.words(of: text) { words.append(Word(text: word, clause: clause, start: start)) }
    }

    private func isGUID(_ chunk: ArraySlice<UInt8>) -> Bool {
        chunk.count == 36 && chunk.count { $0 == UInt8(ascii: "-") } == 4
            && chunk.allSatisfy { $0 == UInt8(ascii: "-") || $0.isDigit || (0x61...0x66).contains($0 | 0x20) }
    }

    /// Returns true for a name with dots, with an underscore or hyphen between words, or with internal capitals.
    static func isIdentifier(_ chunk: ArraySlice<UInt8>) -> Bool {
        guard chunk.count >= 5, chunk.first?.isLetter == true,
            chunk.allSatisfy({ $0.isOfWord || ".-+`".utf8.contains($0) })
        else { return false }
        let inner = chunk.dropFirst().contains { (0x41...0x5A).contains($0) }
        return inner && chunk.contains { (0x61...0x7A).contains($0) }
    }

    // MARK: Places

    /// The types of exceptions that the envelopes name.
    var exceptions: [String] { envelopes.flatMap(\.names).filter { $0.hasSuffix("Exception") } }

    /// The clauses that begin the messages of exceptions.
    var thrownClauses: Set<Int> {
        let types = identifiers.filter { $0.text.hasSuffix("Exception") && $0.place < words.count }
        return Set(
            types.map { words[$0.place].clause + ($0.text.lowercased().hasPrefix(words[$0.place].text) ? 1 : 0) }
        )
    }

    /// The correlation ID that the text names, even among the lines that only surround a message.
    var correlation: String? {
        guard let (_, after) = String(decoding: plain, as: UTF8.self)[...].parts(around: "orrelation") else {
            return nil
        }
        let run = after.prefix(50).split { !$0.isHexDigit && $0 != "-" }.first { $0.count == 36 }
        return run.map { String($0) }
    }

    /// The category of an error of PowerShell.
    var category: String? { envelopes.lazy.compactMap(\.category).first }

    /// The clauses of a message with an exception that only an envelope names.
    var messageClauses: Range<Int> { exceptions.isEmpty ? 0..<0 : clauses.indices }

    /// True if a name may be in the text: one that was read, or a mark or a digit within a word, as in `sql01`.
    var mayName: Bool {
        !names.isEmpty || !identifiers.isEmpty
            || zip(bytes, bytes.dropFirst()).contains { byte, next in
                ".@_/\\".utf8.contains(byte) && next.isLetterOrDigit || byte.isLetter && next.isDigit
            }
    }

    /// Returns the sentence that begins at a position, on one line, without the quotation mark or bracket after it.
    func sentence(from start: Int) -> String {
        var end = start
        while end < bytes.count, bytes[end] != 0x0A {
            end += 1
            guard bytes[end - 1] == UInt8(ascii: ".") else { continue }
            let next = end < bytes.count ? bytes[end] : 0
            let isShort = bytes[..<end].suffix(4).elementsEqual("e.g.".utf8)
            if !isShort, next <= 0x20 || isQuote(end) || next == 0x27 || next == UInt8(ascii: ")") { break }
        }
        return String(decoding: plain[start..<end].split { $0 == 0x0D }.joined(), as: UTF8.self)
    }

    /// Common words without which a clause counts as one in another language.
    private static let english = """
        the is are has not cannot this that were failed for to could unable must only does
        fails failing keeps won't can't already exist exists faulting
        """.wordSet

    /// Returns a clause in its own words; `nil` for one with too few words, or that is long or not English.
    func statement(of clause: Int, minimum: Int = 4, isEnglish: Bool = true) -> String? {
        let words = words.filter { $0.clause == clause }
        guard minimum...32 ~= words.count, !isEnglish || words.contains(where: { Self.english.contains($0.text) })
        else { return nil }
        let start = clauses[clause].start
        var end = min(clauses[clause].end, bytes.count)
        // A few words after a colon, such as an ID, belong to the clause.
        if let next = clauses.dropFirst(clause + 1).first, next.mark == UInt8(ascii: ":") {
            let rest = min(next.end, bytes.count)
            if rest - start <= 160 { end = rest }
        }
        guard start < end, end - start <= 240 else { return nil }
        var text = plain[start..<end]
        let isBracketed = "[]".utf8.allSatisfy(text.contains)
        let isOutside = { (byte: UInt8) in
            byte <= 0x20 || "-,(`".utf8.contains(byte) || !isBracketed && "[].".utf8.contains(byte)
        }
        text = text.drop(while: isOutside)
        while let last = text.last, isOutside(last) { text.removeLast() }
        // The quotation mark before or after a sentence that is quoted as a whole.
        if !text.count(where: { $0 == 0x22 }).isMultiple(of: 2) {
            text = text.first == 0x22 ? text.dropFirst() : text.last == 0x22 ? text.dropLast() : []
        }
        text = text.prefix(upTo: text.openBracket ?? text.endIndex)
        guard text.count >= 16 else { return nil }
        return text.split { $0 <= 0x20 }.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }

    /// Returns the text from one word to another, in its own case and on one line.
    func original(_ first: Word, through last: Word) -> String {
        let end = bytes[last.start...].firstIndex { !($0.isOfWord || $0 == 0x27) } ?? bytes.count
        return plain[first.start..<end].split { $0 <= 0x20 }.map { String(decoding: $0, as: UTF8.self) }
            .joined(separator: " ")
    }

    /// Returns the clause of the first word in a range.
    func clause(at range: Range<Int>) -> Int? { words.first { range.contains($0.start) }?.clause }

    /// Returns the clause of the first identifier that is a type.
    func clause(of type: String) -> Int? {
        identifiers.first { $0.text == type }.flatMap { $0.place < words.count ? words[$0.place].clause : nil }
    }

    /// Returns whether a comma, a bracket or an equal sign outside of names divides a word from the previous one.
    func isDivided(before word: Int) -> Bool {
        let start = words[word - 1].start
        return bytes[start..<max(start, words[word].start)].indices.contains { place in
            ",;=([".utf8.contains(bytes[place]) && !names.contains { $0.range.contains(place) }
        }
    }

    /// Returns whether a name is between the words of a sentence after a clause and its neighbors, or begins one, as in
    /// `Get-SPSite explained`.
    func isInSentence(_ name: (text: String, place: Int), after clause: Int) -> Bool {
        guard words.indices.contains(name.place - 1), name.place < words.count else { return false }
        let (own, start) = (words[name.place].clause, words[name.place].start)
        guard own > clause, !isJoined(own, clause) else { return false }
        if words[name.place - 1].clause == own { return statement(of: own) != nil }
        let next = bytes[start...].dropFirst(name.text.utf8.count).prefix(2)
        return bytes[start...].starts(with: name.text.utf8) && next.first == 0x20 && next.last?.isLowercase == true
    }

    /// True if the text consists of several lines without a mark at their ends, as a list of titles does.
    var isList: Bool {
        let lines = plain.split(separator: 0x0A).map { $0.filter { $0 > 0x20 } }.filter { !$0.isEmpty }
        return lines.count >= 4
            && lines.allSatisfy { line in
                line.first.map { $0.isUppercase || $0 == 0x22 } == true && !".:;,!?".utf8.contains(line.last ?? 0)
            }
    }

    /// Returns whether an equal sign makes a word, with the next one, the label of a value, as in `Column="10"`, or a
    /// hyphen the parameter of a command.
    func isLabel(_ word: Int) -> Bool {
        bytes[words[word].start...].prefix(32).first { !($0.isLetter || $0 == 0x20) } == UInt8(ascii: "=")
            || bytes[..<words[word].start].suffix(2).elementsEqual(" -".utf8)
    }

    /// Returns whether a full stop ends a clause.
    func isBeforeStop(_ clause: Int) -> Bool { clauses.dropFirst(clause + 1).first?.mark == UInt8(ascii: ".") }

    /// Returns whether the lines after a clause belong to it, because a colon ends it and its line.
    func introducesLines(_ clause: Int) -> Bool {
        guard let next = clauses.dropFirst(clause + 1).first, next.mark == UInt8(ascii: ":") else { return false }
        return bytes[min(next.start, bytes.endIndex)...].first { $0 != 0x20 && $0 != 0x0D } == 0x0A
    }

    /// Returns whether the word before a number makes it an ID or a version, not a code.
    func isNumbering(_ range: Range<Int>) -> Bool {
        guard
            let word = words.last(where: {
                $0.start < range.lowerBound && $0.start + $0.text.utf8.count <= range.lowerBound
            })
        else { return false }
        let isNext = range.lowerBound - (word.start + word.text.utf8.count) <= 2
        return isNext && (word.text == "version" || word.text == "build" || word.text.hasSuffix("id"))
    }

    /// Returns whether a position is inside a name: in quotes with other words, in a path or in an address.
    func isInName(_ range: Range<Int>) -> Bool {
        names.contains { name in
            guard name.range.lowerBound <= range.lowerBound, range.upperBound <= name.range.upperBound else {
                return false
            }
            // A code or a sentence that stands alone in quotes is not part of a name.
            if name.form == .address {
                return !bytes[name.range.lowerBound..<range.lowerBound].contains(UInt8(ascii: "?"))
            }
            return name.form != .quoted || range.count * 3 < name.range.count * 2
        }
    }

    private static let asking = "how why warum wieso weshalb wie pourquoi".wordSet

    /// True if the text is a single sentence that ends with a question mark, or begins as only questions do.
    var isQuestion: Bool {
        guard let first = words.first,
            clauses.dropFirst().allSatisfy({ ":?\"".utf8.contains($0.mark) || isEnd($0.start) })
        else { return false }
        if let end = bytes.lastIndex(where: { $0 > 0x20 }), bytes[end] == UInt8(ascii: "?") {
            // Neither an address with an empty query nor letters that were lost.
            let isAddress = names.contains { $0.form == .address && $0.range.upperBound >= end }
            return !isAddress && end > 0 && bytes[end - 1] != bytes[end]
        }
        return Self.asking.contains(first.text)
            && clauses.dropFirst().allSatisfy { $0.mark != UInt8(ascii: ":") && isEnd($0.start) }
    }

    /// Returns whether nothing follows a position.
    private func isEnd(_ start: Int) -> Bool { bytes[min(start, bytes.count)...].allSatisfy { $0 <= 0x20 } }

    private static let guesses = ["may be a problem with", "might be a problem with", "could be a problem with"]

    /// Returns the sentence directly before a word, if it only supposes a cause ("may be a problem with").
    func guess(before place: Int) -> String? {
        guard let clause = words[..<place].last?.clause,
            let first = words.first(where: { $0.clause == clause })
        else { return nil }
        let sentence = sentence(from: first.start)
        return Self.guesses.contains { sentence.contains($0) } ? sentence : nil
    }

    /// Returns whether two clauses are the same, or only a colon or a quotation mark separates them, as in `the list
    /// 'A': access denied`.
    func isJoined(_ one: Int, _ other: Int) -> Bool {
        one == other || abs(one - other) == 1 && ":\"".utf8.contains(clauses[max(one, other)].mark)
    }

    /// Returns whether a clause is only the text of the code before it: "Error 0x0: The operation completed
    /// successfully" is written where a function failed without giving a code.
    func isOfCode(_ clause: Int) -> Bool {
        guard clause > 0, clauses[clause].mark == UInt8(ascii: ":") else { return false }
        let before = words.filter { $0.clause == clause - 1 }.suffix(3).map(\.text)
        let number = plain[clauses[clause - 1].start..<clauses[clause].start].suffix(14)
        return before.contains { Self.codeLabels.contains($0) } && number.contains(where: \.isDigit)
    }

    private static let codeLabels = "error code hresult fehler fehlercode erreur".wordSet

    /// Returns the clauses that contain a text, in any case.
    func clauses(with part: String) -> [Int] {
        let part = part.lowercased()
        return clauses.indices.filter { clause in
            let (start, end) = (clauses[clause].start, min(clauses[clause].end, bytes.count))
            return start < end && String(decoding: plain[start..<end], as: UTF8.self).lowercased().contains(part)
        }
    }

    /// The property that could not be set or read, with the text of the reason, if an envelope names one.
    var property: (name: String, reason: String)? {
        guard let place = envelopes.first(where: { $0.property != nil }), let name = place.property else { return nil }
        let rest = plain[min(messageStart(after: place.range.upperBound), plain.endIndex)...].prefix(240)
        let line = String(decoding: rest.prefix { $0 != 0x0A && $0 != 0x22 }, as: UTF8.self).trimmed
        return (name, line.hasSuffix(".") ? String(line.dropLast()) : line)
    }

    /// Returns the words of a clause before a position, nearest first.
    func words(before place: Int, clause: Int) -> some Sequence<Word> {
        words[..<place].reversed().prefix { $0.clause == clause }
    }
}
