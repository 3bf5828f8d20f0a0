import TestSupport
import Testing
import YAML

struct ErrorTests {
    @Test(arguments: [
        ("id: a\nlevle: error", "2:1: unknown key “levle”; did you mean “level”?"),
        ("id: a\nx: y", "2:1: unknown key “x”; known keys: enabled, id, level, limit, tags"),
        ("name: a", "1:1: the key “id” is missing"),
        ("ID: a", "1:1: the key “id” is missing; did you misspell it as “ID”?"),
        ("id: a\nid: b", "2:1: “id” was already given at 1:1"),
    ])
    func `A wrong key is reported with its position and a suggestion`(text: String, expected: String) {
        #expect(outcome(Rule.self, text) == expected)
    }

    @Test(arguments: [
        (
            "id: a\nlevel: eror",
            "2:8: level: “eror” is not one of critical, error, warning, info; did you mean “error”?"
        ),
        ("id: a\nlevel: x", "2:8: level: “x” is not one of critical, error, warning, info"),
        ("id: a\nlevel: [x]", "2:8: level: expected text, found a list"),
        ("id: a\nlimit: '10'", "2:8: limit: expected a whole number, found “10”"),
        ("id: a\nenabled: yes", "2:10: enabled: expected true or false, found “yes”"),
        ("id: a\ntags: [a, [b]]", "2:11: tags.[1]: expected text, found a list"),
        ("id: a\ntags: {b: c}", "2:7: tags: expected a list, found a mapping"),
        ("id: a\ntags: b", "2:7: tags: expected a list, found “b”"),
        ("id:", "1:4: id: the value is missing; write \"\" for empty text"),
        ("- id", "1:1: expected a mapping, found a list"),
        ("x", "1:1: expected a mapping, found “x”"),
        ("~", "1:1: expected a mapping, found nothing"),
    ])
    func `A wrong value is reported with its position and path`(text: String, expected: String) {
        #expect(outcome(Rule.self, text) == expected)
    }

    @Test(arguments: [
        ("id: &a x", "1:5: anchors are not allowed (quote text that starts with &)"),
        ("tags: &a [x]", "1:7: anchors are not allowed (quote text that starts with &)"),
        ("&a id: x", "1:1: anchors are not allowed (quote text that starts with &)"),
        ("id: *a", "1:5: aliases are not allowed; write the value out (or quote text that starts with *)"),
        ("tags: [a, *b]", "1:11: aliases are not allowed; write the value out (or quote text that starts with *)"),
        ("id: !!str a", "1:5: tags are not allowed (quote text that starts with !)"),
        ("id: !x", "1:5: tags are not allowed (quote text that starts with !)"),
        ("tags: !!set {a}", "1:7: tags are not allowed (quote text that starts with !)"),
        ("<<: {id: a}", "1:1: merge keys are not allowed"),
        ("id: a\n---\nid: b", "2:1: a second document is not allowed"),
        ("id: a\n...\n---\n", "3:1: a second document is not allowed"),
        ("%YAML 1.1\n---\nid: a", "1:1: directives are not allowed"),
        ("%TAG ! x:\n---\nid: a", "1:1: directives are not allowed"),
        ("? [a]\n: b", "1:3: a key must be text"),
        ("", "1:1: the document is empty"),
        ("# only a comment", "2:1: the document is empty"),
    ])
    func `Unsupported features are named`(text: String, expected: String) {
        #expect(outcome(Rule.self, text) == expected)
    }

    @Test(arguments: [
        ("id: [a", "2:1: while parsing a flow sequence: did not find expected ',' or ']'"),
        ("id: a\n b: c", "2:3: mapping values are not allowed in this context"),
        ("id: 'a", "1:7: while scanning a quoted scalar: found unexpected end of stream"),
        ("id: @a", "1:5: while scanning for the next token: found character that cannot start any token"),
        ("id: a\n\tlimit: 1", "2:1: while scanning a plain scalar: found a tab character that violates indentation"),
        ("%FOO bar\n---\nid: a", "1:5: while scanning a directive: found unknown directive name"),
    ])
    func `Invalid YAML is reported with its position`(text: String, expected: String) {
        #expect(outcome(Rule.self, text) == expected)
    }

    @Test(arguments: [
        ("id: \u{1}", "1:5"), ("id: a\ntags: [\u{1}]", "2:8"), ("id: é😀\u{7F}", "1:7"),
        ("id: a\r\nlimit: \u{0}", "2:8"),
        ("id: 'a\rb\u{85}c\u{2028}d\u{1B}'", "4:2"), ("\u{FEFF}\u{8}", "1:1"),
    ])
    func `A control character is reported with its position`(text: String, place: String) {
        #expect(outcome(Rule.self, text) == "\(place): control characters are not allowed")
    }

    @Test func `An error thrown by a type's own initializer is reported with its position`() {
        struct Odd: Decodable {
            struct Even: Error, CustomStringConvertible { var description: String { "it is even" } }
            init(from decoder: any Decoder) throws {
                if try decoder.singleValueContainer().decode(Int.self) % 2 == 0 { throw Even() }
            }
        }
        #expect(outcome([Odd].self, "- 1\n- 2") == "2:3: [1]: it is even")
    }

    @Test func `Long text is truncated in messages`() {
        let text = String(repeating: "x", count: 100_000)
        #expect(outcome(Int.self, text) == "1:1: expected a whole number, found “\(text.prefix(40))…”")
        #expect(outcome([Rule.Level].self, "- \(text)").count < 120)
        let marks = "a" + String(repeating: "\u{301}", count: 100_000)
        #expect(outcome(Int.self, marks).utf8.count < 200)
    }
}

struct ErrorCodeTests {
    @Test(arguments: [
        ("id: [", YAMLError.Code.malformed), ("", .malformed), ("id: \u{1}", .malformed),
        ("id: *a", .unsupported), ("<<: a", .unsupported), ("--- a\n--- b", .unsupported), ("? [a]\n: b", .unsupported),
        (String(repeating: "[", count: 40), .tooLarge), (String(repeating: " ", count: 1 << 20) + "a", .tooLarge),
        ("id: a\nid: b", .wrongKey), ("idd: a", .wrongKey), ("id: a\nx: b", .wrongKey),
        ("id: []", .wrongValue), ("a", .wrongValue), ("id: a\nlevel: b", .wrongValue),
    ])
    func `Each kind of error has its code`(text: String, code: YAMLError.Code) {
        let error = #expect(throws: YAMLError.self) { try value(Rule.self, text) }
        #expect(error?.code == code)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct LimitTests {
    private static let small = {
        var limits = YAMLLimits()
        (limits.bytes, limits.depth, limits.nodes, limits.keyBytes) = (100, 3, 5, 10)
        return limits
    }()

    @Test(arguments: [
        (String(repeating: "a", count: 101), "1:1: longer than 100 bytes"),
        ("[[[[a]]]]", "1:5: nested deeper than 3"),
        ("a:\n b:\n  c:\n   d: e", "4:7: nested deeper than 3"),
        ("[1, 2, 3, 4, 5]", "1:14: more than 5 values"),
        ("{a: b, 01234567890: c}", "1:8: a key of more than 10 bytes"),
    ])
    func `Limits are enforced`(text: String, expected: String) {
        #expect(outcome(YAMLValue.self, text, limits: Self.small) == expected)
    }

    @Test func `Text within the limits is read`() throws {
        #expect(throws: Never.self) { try YAMLDecoder(limits: Self.small).decode(YAMLValue.self, from: "[[[a]]]") }
        #expect(throws: Never.self) {
            try YAMLDecoder(limits: Self.small).decode(YAMLValue.self, from: "0123456789: [1, 2, 3]")
        }
    }

    @Test(arguments: [
        "[", "{", "{a: ", "- ", "? ", "a: ", ": ", "\"", "'", "|\n", "[]", "&a ", "*a ", "!a ", "---\n", "#", "\t", ">",
        "x", "x\n", "%", "- - - a\n", "\u{301}",
    ])
    func `A megabyte of any repeated text is read or refused quickly`(piece: String) {
        let text = String(repeating: piece, count: (1 << 20) / piece.utf8.count)
        _ = outcome(YAMLValue.self, text).count
        _ = outcome(Rule.self, text).count
    }

    @Test func `Many keys are compared quickly`() {
        let text = (0..<40_000).map { "key\($0): 1\n" }.joined()
        #expect(outcome(Rule.self, text).hasPrefix("1:1: the key “id” is missing"))
    }
}

struct PlaceTests {
    @Test func `A located value includes its position`() throws {
        let values = try value([String: Located<String>].self, "a: x\né:   y")
        #expect(values["a"] == Located("x", at: Place(line: 1, column: 4)))
        #expect(values["é"] == Located("y", at: Place(line: 2, column: 6)))
    }

    @Test func `Columns are counted in characters`() throws {
        #expect(try value([Located<String>].self, "[é😀, x]").map(\.place.column) == [2, 6])
    }

    @Test func `Every kind of value has its own position`() throws {
        #expect(
            try value([Located<[Int]>].self, "- [1]\n-  - 2\n").map(\.place) == [
                Place(line: 1, column: 3), Place(line: 2, column: 4),
            ]
        )
        #expect(try value([Located<Rule>].self, "-\n  id: a").map(\.place) == [Place(line: 2, column: 3)])
    }

    @Test func `An error in a located value includes a suggestion as well`() {
        #expect(
            outcome([Located<Rule.Level>].self, "- eror")
                == "1:3: [0]: “eror” is not one of critical, error, warning, info; did you mean “error”?"
        )
    }

    @Test func `A located mapping refuses unknown keys`() {
        #expect(outcome(Located<Rule>.self, "id: a\ntgas: []") == "2:1: unknown key “tgas”; did you mean “tags”?")
    }
}

struct MutationTests {
    private static let document = """
        # a rule
        id: FS-1
        level: error
        tags: [a, 'b c', "d\\u00e9"]
        limit: 10
        enabled: true
        other: {x: [1, 2], y: ~}
        text: |
          one
            two
        folded: >-
          é 😀
        ? explicit
        : - 1
          - {a: b}
        """

    private static let pieces = [
        "&a ", "*a", "!!str ", "<<: ", "---\n", "%YAML 1.2\n", ": ", "- ", "? ", "[", "]", "{", "}", "\t", "\"", "'",
        "|", ">", "#", "\u{FEFF}", "\u{85}", "\u{2028}", "\r",
    ]

    @Test(arguments: 1...100)
    func `Damaged text is either read, or refused with the number of one of its lines`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var mutation = ByteMutation(seed: seed)
        for _ in 0..<20 {
            var text = Array(Self.document.utf8)
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let piece = Self.pieces.randomElement(using: &random) ?? ""
                text.insert(contentsOf: Array(piece.utf8), at: .random(in: 0...text.count, using: &random))
            }
            for bytes in [text, mutation.mutated([text])] {
                check(String(decoding: bytes, as: UTF8.self))
            }
        }
    }

    private func check(_ text: String) {
        do {
            _ = try YAMLDecoder().decode(YAMLValue.self, from: text)
            _ = try YAMLDecoder().decode(Rule.self, from: text)
        } catch {
            // One more, for the end of text that ends with a line end.
            #expect((1...text.unicodeScalars.count + 1).contains(error.place.line))
            #expect((1...text.unicodeScalars.count + 1).contains(error.place.column))
            #expect(!error.message.isEmpty)
        }
    }
}

/// A type similar to a rule.
struct Rule: Decodable, Equatable {
    enum Level: String, CaseIterable, Decodable { case critical, error, warning, info }
    var id: String
    var level: Level?
    var tags: [String]?
    var limit: Int?
    var enabled: Bool?
}

/// Decodes a type, and returns the value or the error as text.
func outcome<Value: Decodable>(_ type: Value.Type, _ text: String, limits: YAMLLimits = YAMLLimits()) -> String {
    do {
        return "\(try YAMLDecoder(limits: limits).decode(type, from: text))"
    } catch {
        return "\(error)"
    }
}

func value<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
    try YAMLDecoder().decode(type, from: text)
}
