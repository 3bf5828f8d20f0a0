import Testing
import TextPatterns

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
    func expressionsAreOfBytes(expression: String, text: String, isMatch: Bool) throws {
        #expect(try isFound(expression, in: text) == isMatch)
    }

    @Test(arguments: [
        ("^a", "a", true), ("^a", "ba", false), ("^a", "b\na", true), ("^a", "b\ra", false), ("a$", "a", true),
        ("a$", "ab", false),
        ("a$", "a\nb", true), ("a$", "a\r\nb", false), ("a$", "a\n", true), ("^$", "a\n\nb", true),
        (#"\Aa"#, "b\na", false),
        (#"a\z"#, "a\nb", false), (#"a\z"#, "b\na", true),
    ])
    func anchorsStandForTheEndsOfLines(expression: String, text: String, isMatch: Bool) throws {
        #expect(try isFound(expression, in: text) == isMatch)
    }

    @Test(arguments: [
        (#"(a)\1"#, "Back-references are unsupported"),
        ("(?=a)b", "Zero-width assertions are not supported"),
        ("(?<!a)b", "Zero-width assertions are not supported"),
        ("(?>a)b", "Atomic groups are unsupported"),
        ("a++", "Possessive quantifiers are not supported"),
        ("a*", "it matches nothing at all, and so everything; make a part of it obligatory"),
        ("a$b", "'$' is only allowed at the end"),
        ("(a", "Missing close parenthesis for group started at index 0"),
        ("[a", "Unterminated character class starting at index 0"),
        ("(*UTF8)a", "it begins with '(*'; modes such as (*UTF8) are not allowed"),
        ("a\0b", "it holds a NUL; write \\x00"),
        ("", "it is empty, so it would match everything"),
        ("x{1,40000}", "with its repeats written out it has more than 2000 characters; repeat less often"),
        ("(a{1,300}b{1,300}){20}", "with its repeats written out it has more than 2000 characters; repeat less often"),
        (
            "((((a{99}){99}){99}){99}){99}",
            "with its repeats written out it has more than 2000 characters; repeat less often"
        ),
        ("a{99999999999999999999}", "with its repeats written out it has more than 2000 characters; repeat less often"),
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
    func anExpressionOfOrdinarySizeIsTaken(expression: String) throws {
        #expect(throws: Never.self) { try PatternSet([Pattern("x\(expression)", .regularExpression)]) }
    }
}
