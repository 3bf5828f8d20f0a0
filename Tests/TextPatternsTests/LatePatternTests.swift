import TestSupport
import Testing
import TextPatterns

/// Sets whose expressions are compiled when a text first contains their required literals.
@Suite struct LatePatternTests {
    @Test(arguments: [
        ("Number: 9002 State: [0-9]+ Class:", "Number: 9002 State: "), ("rror:? [89cC][0-9]{7}", "rror"),
        ("ab+cde", "cde"), ("(?:a|b)Exception(?:[ :'\"\\]),;]|$)", "Exception"), ("/x\\.aspx\\?a=", "/x.aspx?a="),
        ("[]abc]defg[^]hijkl]", "defg"), ("abcd{2,3}ef", "abc"), ("\\.\\s+\\S+\\s+Office\\.", "Office."),
        ("[(]abc[)]", "abc"), ("(a(b[)]c)d)efg", "efg"), ("abcé?", "abc\u{C3}"),
    ])
    func `The longest literal in an expression is required in each match`(expression: String, literal: String) {
        let bytes = expression == "abcé?" ? Array("abc".utf8) + [0xC3] : Array(literal.utf8)
        #expect(Pattern(expression, .regularExpression).requiredLiteral == bytes)
    }

    @Test(arguments: [
        "abc|def", "ab", "(?i)abcdef", "\\Qabc|def\\E", "\\x41bcdef", "[[:alpha:]]bcdef", "abc{x|y}def", "a?b?c?",
        "(abcdef)",
        "abc(?#comment)def", "a.b.c.d",
    ])
    func `An expression with other syntax, or with too little literal text, has no required literal`(expression: String)
    {
        #expect(Pattern(expression, .regularExpression).requiredLiteral == nil)
    }

    @Test func `A pattern compiled on first use has the same matches as one compiled in advance`() throws {
        var random = SeededGenerator(seed: 11)
        let pieces = [
            "abc", "abd", "Error", "error code", "0x8", "12", "77", " ", "State: ", "\n", "é", "x", "'", "[", "Class",
        ]
        let parts = [
            "abc", "[a-c]+", "Error ", "(?:code|Class)", "x?", "\\d{2}", "0x8[0-9]*", "State: ", "\\s+", ".", "é", "$",
            "(?:^|[^0-9])", "\\[", "'[^']*'", "b+", "Class|abd",
        ]
        var found = 0
        for _ in 0..<120 {
            let expressions = (0..<6).compactMap { _ -> Pattern? in
                let count = Int.random(in: 1...4, using: &random)
                let text = (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
                let pattern = Pattern(text, .regularExpression, isCaseSensitive: Bool.random(using: &random))
                return (try? PatternSet([pattern])) == nil ? nil : pattern
            }
            let patterns = (expressions + [Pattern("error"), Pattern("Class ")]).shuffled(using: &random)
            var atOnce = PatternScanner(try PatternSet(patterns))
            // Some scanners compile immediately, some later, and some not at all.
            let bytes = [0, 400, 1 << 20].randomElement(using: &random) ?? 0
            var late = PatternScanner(PatternSet(compilingWhenNeeded: patterns), compilingAfter: bytes)
            for _ in 0..<60 {
                let count = Int.random(in: 0...8, using: &random)
                let text = Array((0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined().utf8)
                let expected = atOnce.matches(in: text.span)
                let matches = late.matches(in: text.span)
                #expect(
                    Set(matches) == Set(expected),
                    "\(patterns.map(\.text)) in \(String(decoding: text, as: UTF8.self))"
                )
                #expect(matches.map(\.end) == matches.map(\.end).sorted())
                found += matches.count
            }
        }
        #expect(found > 5_000)
    }

    @Test func `Many scanners can share expressions that are not compiled yet`() async {
        let set = PatternSet(compilingWhenNeeded: (0..<50).map { Pattern("word\($0)[a-f]+;", .regularExpression) })
        let counts = await withTaskGroup(of: Int.self, returning: [Int].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var scanner = PatternScanner(set)
                    return (0..<50).reduce(0) { $0 + scanner.matches(in: Array("a word\($1)abc; b".utf8).span).count }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == Array(repeating: 50, count: 8))
    }
}
