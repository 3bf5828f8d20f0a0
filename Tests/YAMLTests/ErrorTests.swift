import Testing
import YAML

struct ErrorTests {
    @Test(arguments: [
        ("id: a\nlevle: error", "2:1: unknown key “levle”; did you mean “level”?"),
        ("id: a\nx: y", "2:1: unknown key “x”; known keys: enabled, id, level, limit, tags"),
        ("name: a", "1:1: the key “id” is missing"),
        ("ID: a", "1:1: the key “id” is missing; did you misspell it as “ID”?"),
        ("id: a\nid: b", "2:1: “id” was given already at 1:1"),
    ])
    func aWrongKeyHasAPlaceAndHelp(text: String, expected: String) {
        #expect(outcome(Rule.self, text) == expected)
    }

    @Test(arguments: [
        ("id: a\nlevel: eror", "2:8: level: “eror” is none of critical, error, warning, info; did you mean “error”?"),
        ("id: a\nlevel: x", "2:8: level: “x” is none of critical, error, warning, info"),
        ("id: a\nlevel: [x]", "2:8: level: expected a text, found a list"),
        ("id: a\nlimit: '10'", "2:8: limit: expected a whole number, found “10”"),
        ("id: a\nenabled: yes", "2:10: enabled: expected true or false, found “yes”"),
        ("id: a\ntags: [a, [b]]", "2:11: tags.[1]: expected a text, found a list"),
        ("id: a\ntags: {b: c}", "2:7: tags: expected a list, found a mapping"),
        ("id: a\ntags: b", "2:7: tags: expected a list, found “b”"),
        ("id:", "1:4: id: the value is missing; write \"\" for an empty text"),
        ("- id", "1:1: expected a mapping, found a list"),
        ("x", "1:1: expected a mapping, found “x”"),
        ("~", "1:1: expected a mapping, found nothing"),
    ])
    func aWrongValueHasAPlaceAndAPath(text: String, expected: String) {
        #expect(outcome(Rule.self, text) == expected)
    }

    @Test(arguments: [
        ("id: &a x", "1:5: anchors are not allowed (quote a text that starts with &)"),
        ("tags: &a [x]", "1:7: anchors are not allowed (quote a text that starts with &)"),
        ("&a id: x", "1:1: anchors are not allowed (quote a text that starts with &)"),
        ("id: *a", "1:5: aliases are not allowed; write the value out (or quote a text that starts with *)"),
        ("tags: [a, *b]", "1:11: aliases are not allowed; write the value out (or quote a text that starts with *)"),
        ("id: !!str a", "1:5: tags are not allowed (quote a text that starts with !)"),
        ("id: !x", "1:5: tags are not allowed (quote a text that starts with !)"),
        ("tags: !!set {a}", "1:7: tags are not allowed (quote a text that starts with !)"),
        ("<<: {id: a}", "1:1: merge keys are not allowed"),
        ("id: a\n---\nid: b", "2:1: a second document is not allowed"),
        ("id: a\n...\n---\n", "3:1: a second document is not allowed"),
        ("%YAML 1.1\n---\nid: a", "1:1: directives are not allowed"),
        ("%TAG ! x:\n---\nid: a", "1:1: directives are not allowed"),
        ("? [a]\n: b", "1:3: a key must be a text"),
        ("", "1:1: the document is empty"),
        ("# only a comment", "2:1: the document is empty"),
    ])
    func whatTheSubsetLacksIsNamed(text: String, expected: String) {
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
    func whatIsNoYAMLHasAPlace(text: String, expected: String) {
        #expect(outcome(Rule.self, text) == expected)
    }

    @Test(arguments: [
        ("id: \u{1}", "1:5"), ("id: a\ntags: [\u{1}]", "2:8"), ("id: é😀\u{7F}", "1:7"),
        ("id: a\r\nlimit: \u{0}", "2:8"),
        ("id: 'a\rb\u{85}c\u{2028}d\u{1B}'", "4:2"), ("\u{FEFF}\u{8}", "1:1"),
    ])
    func aControlCharacterHasAPlace(text: String, place: String) {
        #expect(outcome(Rule.self, text) == "\(place): control characters are not allowed")
    }

    @Test func anErrorOfTheTypeItselfHasAPlace() {
        struct Odd: Decodable {
            struct Even: Error, CustomStringConvertible { var description: String { "it is even" } }
            init(from decoder: any Decoder) throws {
                if try decoder.singleValueContainer().decode(Int.self) % 2 == 0 { throw Even() }
            }
        }
        #expect(outcome([Odd].self, "- 1\n- 2") == "2:3: [1]: it is even")
    }

    @Test func aLongTextIsCutInMessages() {
        let text = String(repeating: "x", count: 100_000)
        #expect(outcome(Int.self, text) == "1:1: expected a whole number, found “\(text.prefix(40))…”")
        #expect(outcome([Rule.Level].self, "- \(text)").count < 120)
        let marks = "a" + String(repeating: "\u{301}", count: 100_000)
        #expect(outcome(Int.self, marks).utf8.count < 200)
    }
}
