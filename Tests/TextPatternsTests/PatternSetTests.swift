import TestSupport
import Testing
import TextPatterns

@Suite(.timeLimit(.minutes(10)))
struct PatternSetTests {
    @Test func `A set without patterns finds nothing`() throws {
        #expect(try matches([], "abc") == [])
        #expect(try matches([], "") == [])
    }

    @Test func `Empty text has no matches`() throws {
        #expect(try matches([Pattern("a"), Pattern("^$", .regularExpression)], "") == [])
    }

    @Test func `An empty literal is refused`() {
        let error = #expect(throws: PatternError.self) { try PatternSet([Pattern("")]) }
        #expect(error?.description == "pattern 0: it is empty, so it would match everything")
    }

    @Test func `The same pattern can occur twice in a set`() throws {
        #expect(try matches([Pattern("a"), Pattern("a"), Pattern("A")], "xax") == [0, 1, 2])
    }

    @Test func `Bytes that are not UTF-8 are searched like any others`() throws {
        let text: [UInt8] = [0xFF, 0xC3, 0x61, 0x00, 0x80, 0x62, 0xED, 0xA0, 0x80]
        #expect(
            try matches([Pattern("a\0"), Pattern("b"), Pattern("é"), Pattern("a..b", .regularExpression)], text) == [
                0, 1, 3,
            ]
        )
    }

    @Test func `A match reports the earliest position at which it ends`() throws {
        var scanner = PatternScanner(try PatternSet([Pattern("b"), Pattern("ab"), Pattern("abc")]))
        let found = scanner.matches(in: Array("xabcabc".utf8).span)
        #expect(Set(found) == [.init(pattern: 0, end: 3), .init(pattern: 1, end: 3), .init(pattern: 2, end: 4)])
        #expect(found.last?.pattern == 2)
    }

    @Test func `A scanner keeps no state from the previous text`() throws {
        var scanner = PatternScanner(try PatternSet([Pattern("ab")]))
        let first = scanner.matches(in: Array("ab".utf8).span)
        #expect(scanner.matches(in: Array("a".utf8).span).isEmpty)
        #expect(scanner.matches(in: Array("b".utf8).span).isEmpty)
        #expect(first.count == 1)
    }

    /// The reason a log is scanned message by message.
    @Test func `Scanning two messages as one text can produce false matches`() throws {
        let patterns = [Pattern("ID '[^']+' found", .regularExpression), Pattern("page")]
        #expect(try matches(patterns, "page: ID 'a") == [1])
        #expect(try matches(patterns, "page: b' found") == [1])
        #expect(try matches(patterns, "page: ID 'a\npage: b' found") == [0, 1])
    }

    @Test func `Many scanners can share one set`() async throws {
        let set = try PatternSet((0..<100).map { Pattern("word\($0) ") })
        let counts = await withTaskGroup(of: Int.self, returning: [Int].self) { group in
            for task in 0..<8 {
                group.addTask {
                    var scanner = PatternScanner(set)
                    return (0..<200).count { scanner.matches(in: Array("word\($0) \(task)".utf8).span).count == 1 }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == [Int](repeating: 100, count: 8))
    }

    @Test(
        arguments: [
            ("a", 31), ("a{1,50}", 233), ("(ab){3}", 30 + 7 + 4 * 4), ("[a-z]{0,100}", 30 + 12 + 4 * 99),
            ("a{1,50}|a{1,50}", 30 + 15 + 8 * 49), ("\\x{41}{2}", 30 + 9 + 4),
        ]
    )
    func `An expression's size includes four times what its repetitions add`(expression: String, size: Int) {
        #expect(Pattern(expression, .regularExpression).size == size)
    }

    @Test func `A literal pattern has almost no size`() {
        #expect(Pattern(String(repeating: "a", count: 100)).size == 7)
    }

    @Test func `Patterns that are too large together are refused before they are compiled`() throws {
        let one = Pattern("a.{0,1000}b", .regularExpression)
        let fits = PatternSet.maximumSize / one.size
        let patterns = Array(repeating: one, count: fits + 1)
        let error = #expect(throws: PatternError.self) { try PatternSet(patterns) }
        #expect(error?.code == .tooLarge && error?.pattern == fits)
    }

    @Test func `Too many patterns are refused`() {
        let patterns = [Pattern](repeating: Pattern("a"), count: PatternSet.maximumPatterns + 1)
        let error = #expect(throws: PatternError.self) { try PatternSet(patterns) }
        #expect(error?.code == .tooMany)
        let long = [Pattern](repeating: Pattern(String(repeating: "a", count: 4096)), count: 1025)
        #expect(throws: PatternError(code: .tooMany, message: "more than 4194304 bytes of patterns")) {
            try PatternSet(long)
        }
    }

    @Test(arguments: [("(a+)+$", "a"), ("(a|aa)*b", "a"), ("(.*,){11}p", ","), ("a.{500}b", "a"), ("([a-z]+)*=", "x")])
    func `Hostile text is scanned in linear time`(expression: String, character: Character) throws {
        let text = String(repeating: character, count: 1 << 20) + "!"
        #expect(try matches([Pattern(expression, .regularExpression)], text) == [])
    }
}

struct ExpressionTests {
    private func isFound(_ expression: String, in text: String) throws -> Bool {
        try matches([Pattern(expression, .regularExpression)], text) == [0]
    }

    @Test(arguments: [
        ("[0-9]{3}", "ab 123", true), ("[0-9]{3}", "ab 12", false), ("a|b", "xB", true), ("a.c", "a\nc", false),
        ("a.c", "a\rc", true),
        ("(?s)a.c", "a\nc", true), ("a[^x]c", "a\nc", true), (#"\bfoo\b"#, "a foo.", true),
        (#"\bfoo\b"#, "afoo", false),
        ("é+x", "éx", true), ("^.$", "é", false), (#"\x41"#, "a", true), (#"\Qa.b\E"#, "a.b", true),
    ])
    func `Expressions are matched against bytes`(expression: String, text: String, isMatch: Bool) throws {
        #expect(try isFound(expression, in: text) == isMatch)
    }

    @Test(arguments: [
        ("^a", "a", true), ("^a", "ba", false), ("^a", "b\na", true), ("^a", "b\ra", false), ("a$", "a", true),
        ("a$", "ab", false),
        ("a$", "a\nb", true), ("a$", "a\r\nb", true), ("a$", "a\n", true), ("^$", "a\n\nb", true),
        (#"\Aa"#, "b\na", false),
        (#"a\z"#, "a\nb", false), (#"a\z"#, "b\na", true),
    ])
    func `Anchors match at line ends`(expression: String, text: String, isMatch: Bool) throws {
        #expect(try isFound(expression, in: text) == isMatch)
    }

    @Test(arguments: [
        (#"(a)\1"#, "Back-references are unsupported"),
        ("(?=a)b", "Zero-width assertions are not supported"),
        ("(?<!a)b", "Zero-width assertions are not supported"),
        ("(?>a)b", "Atomic groups are unsupported"),
        ("a++", "Possessive quantifiers are not supported"),
        ("a*", "it matches empty text, so it would match everything; make part of it mandatory"),
        ("a$b", "'$' is only allowed at the end"),
        ("(a", "Missing close parenthesis for group started at index 0"),
        ("[a", "Unterminated character class starting at index 0"),
        ("(*UTF8)a", "it begins with '(*'; modes such as (*UTF8) are not allowed"),
        ("a\0b", "it contains a NUL byte; write \\x00"),
        ("", "it is empty, so it would match everything"),
        ("x{1,40000}", "with its repetitions expanded, it has more than 2000 characters; use fewer repetitions"),
        (
            "(a{1,300}b{1,300}){20}",
            "with its repetitions expanded, it has more than 2000 characters; use fewer repetitions"
        ),
        (
            "((((a{99}){99}){99}){99}){99}",
            "with its repetitions expanded, it has more than 2000 characters; use fewer repetitions"
        ),
        (
            "a{99999999999999999999}",
            "with its repetitions expanded, it has more than 2000 characters; use fewer repetitions"
        ),
        (String(repeating: "a", count: 4097), "it is longer than 4096 bytes"),
    ])
    func aPatternThatCannotBeUsedIsNamed(expression: String, message: String) {
        let error = #expect(throws: PatternError.self) {
            try PatternSet([Pattern("a"), Pattern(expression, .regularExpression), Pattern("b")])
        }
        #expect(error == PatternError(code: .refused, pattern: 1, message: message))
    }

    @Test(arguments: [
        "a{500}", "a.{500}b.{500}c", "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", #"\x{41}{3}"#, "[]{9000}]{3}",
        "[^]]{3}",
        "[[:alpha:]{9000}]{3}", "{y9999}", "a{,5}", "a{x}", "(?:ab){2,}", #"\{9999}"#, "[\\]{9000}]",
    ])
    func `An expression of normal size is accepted`(expression: String) throws {
        #expect(throws: Never.self) { try PatternSet([Pattern("x\(expression)", .regularExpression)]) }
    }
}

struct LiteralTests {
    @Test(arguments: UInt8(0)...127)
    func `Every ASCII character in a literal matches itself`(byte: UInt8) throws {
        let character = String(Unicode.Scalar(byte))
        let patterns = [Pattern("a\(character)b", isCaseSensitive: true), Pattern("a\(character)b")]
        #expect(try matches(patterns, "x a\(character)b y") == [0, 1])
        #expect(try matches(patterns, "axxb ab") == [])
    }

    @Test func `Non-ASCII characters match byte by byte`() throws {
        for value in UInt32(0x80)...0x7FF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            #expect(try matches([Pattern("\(scalar)")], "x\(scalar)x") == [0])
        }
        #expect(try matches([Pattern("日本"), Pattern("😀")], "日本 😀") == [0, 1])
    }

    @Test func `Case is ignored only for ASCII letters`() throws {
        #expect(try matches([Pattern("tRaCe")], "TrAcE") == [0])
        #expect(try matches([Pattern("tRaCe", isCaseSensitive: true)], "TrAcE") == [])
        #expect(try matches([Pattern("Übung"), Pattern("übung")], "ÜBUNG") == [0])
        #expect(try matches([Pattern("k"), Pattern("s")], "\u{212A} \u{17F}") == [])
        #expect(try matches([Pattern("[]^_`{|}~@")], "{}^_`[|]~`") == [])
    }

    @Test(arguments: 1...200)
    func `A search has the same matches as a naive search`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let alphabet = ["aAbB", "a.*{}", "ab\u{0}\n", "éÉaÃ", "\\x41^$"][Int(seed % 5)]
        let patterns = (0..<20).map { _ in
            Pattern(random.text(alphabet, 1...5), isCaseSensitive: .random(using: &random))
        }
        var scanner = PatternScanner(try PatternSet(patterns))
        for _ in 0..<20 {
            let text = Array(random.text(alphabet, 0...40).utf8)
            let found = scanner.matches(in: text.span)
            let expected = patterns.enumerated().compactMap { index, pattern in
                naiveEnd(of: Array(pattern.text.utf8), in: text, isCaseSensitive: pattern.isCaseSensitive)
                    .map { PatternScanner.Match(pattern: index, end: $0) }
            }
            #expect(found.sorted { $0.pattern < $1.pattern } == expected)
            #expect(found.map(\.end) == found.map(\.end).sorted())
        }
    }
}

/// Returns the patterns that a text matches.
func matches(_ patterns: [Pattern], _ text: String) throws -> [Int] { try matches(patterns, Array(text.utf8)) }

func matches(_ patterns: [Pattern], _ text: [UInt8]) throws -> [Int] {
    var scanner = PatternScanner(try PatternSet(patterns))
    return scanner.matches(in: text.span).map(\.pattern).sorted()
}

/// Returns the first end of a literal, found byte by byte.
func naiveEnd(of literal: [UInt8], in text: [UInt8], isCaseSensitive: Bool) -> Int? {
    let fold = { (byte: UInt8) in isCaseSensitive || !(0x41...0x5A).contains(byte) ? byte : byte | 0x20 }
    let (text, literal) = (text.map(fold), literal.map(fold))
    guard literal.count <= text.count else { return nil }
    return (0...text.count - literal.count).first { text[$0...].starts(with: literal) }.map { $0 + literal.count }
}

extension SeededGenerator {
    /// Text with few different characters, so that much of it is repeated.
    mutating func text(_ alphabet: String, _ lengths: ClosedRange<Int>) -> String {
        let scalars = Array(alphabet.unicodeScalars)
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: lengths, using: &self) {
            text.append(scalars[Int.random(in: 0..<scalars.count, using: &self)])
        }
        return String(text)
    }
}
