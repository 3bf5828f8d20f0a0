import BuiltInFiles
import TestSupport
import Testing

@testable import FailureExplanation

/// Sentences that indicate codes.
struct PhraseTableTests {
    /// The lines of the files, each with a code and a sentence.
    private static let lines: [(code: String, sentence: String)] = BuiltInFile.codes
        .filter { $0.name.hasPrefix("phrases") }
        .flatMap { $0.withoutComments.split(separator: "\n") }
        .map { line in
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count == 2 ? String(parts[1]) : "")
        }

    @Test func `There are at least 400 English phrases, and 50 each in German and French`() throws {
        let counts = BuiltInFile.codes.filter { $0.name.hasPrefix("phrases") }
            .map { ($0.name, $0.withoutComments.split(separator: "\n").count) }
        for (name, count) in counts { #expect(count >= (name == "phrases.tsv" ? 400 : 50), "\(name)") }
        #expect(counts.count == 3)
    }

    @Test func `Every line is a phrase for a code in the tables`() throws {
        #expect(PhraseTable.builtIn.phrases.count == Self.lines.count)
        for (code, sentence) in Self.lines {
            let key = try #require(CodeKey(ArraySlice(code.utf8)), "\(code) \(sentence)")
            let known = try #require(FailureCodes.code(key.number, in: key.space), "\(code) \(sentence)")
            #expect(known.name != nil, "\(code) \(sentence)")
        }
    }

    @Test func `Every phrase finds its own code, regardless of position and spacing`() throws {
        for (code, sentence) in Self.lines {
            let text = sentence.replacing(" * ", with: " 'some thing' ")
            // There is no capital of ß that Windows would print.
            let spaced = (text.contains("\u{DF}") ? text : text.uppercased()).replacing(" ", with: "  \n")
            for written in [text, "x: \(text).", "(\(spaced))"] {
                let found = FailureCodes.find(in: written)
                #expect(found.contains { $0.code.key == code && $0.evidence == .phrase }, "\(code) \(written)")
            }
        }
    }

    /// A phrase is distinctive if it has 28 fixed bytes, or a text that does not occur in phrases of other codes,
    /// except in one that begins with it, where the longer phrase takes precedence.
    @Test func `Every phrase is distinctive`() {
        let phrases = PhraseTable.builtIn.phrases
        let texts = phrases.map { $0.parts.map { String(decoding: $0, as: UTF8.self) } }
        for (phrase, text) in zip(phrases, texts) {
            #expect((phrase.parts.first?.count ?? 0) >= 8, "\(text)")
            guard phrase.weight < 28 else { continue }
            #expect(phrase.weight >= 12, "\(text)")
            for (other, otherText) in zip(phrases, texts) where other.code != phrase.code {
                let (text, other) = (text.joined(separator: " "), otherText.joined(separator: " "))
                #expect(!other.contains(text) || other.hasPrefix(text), "\(text) \(other)")
            }
        }
        #expect(Set(texts).count == texts.count)
    }

    @Test func `The longest matching phrase determines the code`() {
        let text = "The remote procedure call failed and did not execute."
        #expect(FailureCodes.find(in: text).map(\.code.number) == [1727])
    }

    @Test func `A longer phrase can identify a different failure`() {
        let text = { (reason: String) in "Login failed for user 'x'. Reason: \(reason)" }
        #expect(FailureCodes.find(in: text("The account is disabled.")).map(\.code.number) == [18470])
        #expect(FailureCodes.find(in: text("something else.")).map(\.code.number) == [18456])
    }

    @Test(arguments: [
        ("There was no endpoint listening at net.tcp://x", "no endpoint at the address"),
        ("The remote certificate is invalid according to the validation procedure.", "certificate"),
        ("Timeout expired. The timeout period elapsed prior to obtaining a connection from the pool.", "pool"),
        (
            "Cannot connect to SQL Server. SQLFARM not found. "
                + "Additional error information from SQL Server is included below.",
            "SQL Server not found"
        ),
    ])
    func `A sentence without a numeric code has a name but no number`(text: String, name: String) throws {
        let found = FailureCodes.find(in: text)
        #expect(found.map(\.code.space) == [.sentence])
        let code = try #require(found.first?.code)
        #expect(code.title == code.name && code.title.contains(name))
        #expect(code.meaning != nil)
    }

    @Test func `A gap in a phrase matches at most 160 bytes`() {
        let name = { (count: Int) in String(repeating: "n", count: count) }
        let text = { "Cannot open database \(name($0)) requested by the login" }
        #expect(FailureCodes.find(in: text(100)).map(\.code.number) == [4060])
        #expect(FailureCodes.find(in: text(200)).isEmpty)
    }

    @Test(arguments: ["Access is denie", "xAccess is denied", "Access is deniedness", "access was denied", "Access"])
    func `Part of a phrase is not found`(text: String) {
        #expect(FailureCodes.find(in: text).isEmpty)
    }

    @Test(arguments: ["Access is denied\u{2026}", "Access is denied\u{2026}(truncated)", "Access is denied..."])
    func `A phrase can be followed by a truncation mark`(text: String) {
        #expect(FailureCodes.find(in: text).map(\.code.number) == [5])
    }

    @Test func `A sentence never outranks a number`() {
        let text = "The system cannot find the file specified 0x80070005"
        #expect(FailureCodes.find(in: text).map(\.evidence) == [.phrase, .number])
        let covered = "(0x80090016): Keyset does not exist"
        #expect(FailureCodes.find(in: covered).map(\.evidence) == [.number])
    }

    @Test(arguments: [
        ("Zugriff verweigert", UInt64(5)), ("DER RPC-SERVER IST NICHT VERF\u{DC}GBAR", 1722),
        ("Acc\u{E8}s refus\u{E9}", 5), ("\u{C9}l\u{E9}ment introuvable", 1168),
        ("Le serveur n\u{2019}est pas op\u{E9}rationnel", 8250),
        ("Le nom r\u{E9}seau sp\u{E9}cifi\u{E9} n\u{2019}est plus\u{A0}disponible", 64),
    ])
    func `German and French phrases are found with any apostrophe, in any case`(text: String, number: UInt64) {
        #expect(FailureCodes.find(in: text).map(\.code.number) == [number])
    }

    @Test func `Any text that contains a phrase also contains one of the literals`() {
        let literals = FailureCodes.phrases
        #expect(literals.count == PhraseTable.builtIn.phrases.count)
        for (literal, phrase) in zip(literals, PhraseTable.builtIn.phrases) {
            #expect(phrase.parts.contains { String(decoding: $0, as: UTF8.self).contains(literal) })
            #expect(literal.utf8.count >= 8)
            let isPlain = literal.utf8.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "'") }
            #expect(isPlain || literal == "acc\u{E8}s refus\u{E9}", "\(literal)")
        }
    }
}

/// A log may contain anything.
struct FindCodesPropertyTests {
    private static let pieces = [
        "0x80070005", "-2147024891", "E_ACCESSDENIED", "error code 5", "Msg 4060, Level 11, State 1", "HTTP 401.2",
        "Keyset does not exist", "Cannot open database \"X\" requested by the login", "PartialChain, Revoked",
        "asking for 0x10000, have 0x2000000000", "data 52e", "80090308: LdapErr", "(503) Server Unavailable",
        "Acc\u{E8}s refus\u{E9}", "\u{2019}\u{A0}", "error 0", "Number:-2,State:0,Class:11", "0x", "-", "\u{FFFD}",
        "\0",
    ]

    @Test func `No text causes a crash, and all codes found are in order and within the text`() {
        var mutation = ByteMutation(seed: 19)
        let texts = Self.pieces.map { Array($0.utf8) }
        for _ in 0..<1500 {
            let text = String(decoding: mutation.mutated(texts, maximumBytes: 300), as: UTF8.self)
            check(text)
        }
        for text in HurtfulText.all { check(text) }
    }

    @Test func `In text truncated at any byte, no code extends beyond the end`() {
        let text = Array(Self.pieces.joined(separator: " | ").utf8)
        for end in 0...text.count {
            check(String(decoding: text[..<end], as: UTF8.self))
        }
    }

    @Test func `Looking up a number never crashes`() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            let number = UInt64.random(in: 0...UInt64.max, using: &random) >> UInt64.random(in: 0..<64, using: &random)
            for space in FailureCode.Space.allCases {
                guard let code = FailureCodes.code(number, in: space) else { continue }
                #expect(code.name != nil || code.meaning != nil)
                #expect(!code.spelled.isEmpty)
            }
            _ = FailureCodes.lookUp("0x" + String(number, radix: 16))
            _ = FailureCodes.lookUp(String(number))
        }
    }

    private func check(_ text: String) {
        let found = FailureCodes.find(in: text)
        var end = 0
        for code in found {
            #expect(code.range.lowerBound >= end && !code.range.isEmpty)
            end = code.range.upperBound
        }
        #expect(end <= text.utf8.count)
        #expect(found == FailureCodes.find(in: text))
    }
}

extension FailureCode {
    /// The code in the notation of the files.
    fileprivate var key: String {
        // The files contain SQL Server's -2 without a sign.
        space == .sql ? "sql:\(number)" : "\(space.rawValue):\(spelled)"
    }
}
