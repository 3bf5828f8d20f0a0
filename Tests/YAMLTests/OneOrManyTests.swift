import Testing
import YAML

struct OneOrManyTests {
    @Test(arguments: [("a", ["a"]), ("[a, b]", ["a", "b"]), ("[]", []), ("- a", ["a"]), ("'[a]'", ["[a]"])])
    func aValueOrAListIsRead(text: String, expected: [String]) throws {
        #expect(try value(OneOrMany<String>.self, text).values == expected)
    }

    @Test func anErrorInEitherHelps() {
        let help = "“eror” is none of critical, error, warning, info; did you mean “error”?"
        #expect(outcome(OneOrMany<Rule.Level>.self, "eror") == "1:1: \(help)")
        #expect(outcome(OneOrMany<Rule.Level>.self, "[info, eror]") == "1:8: [1]: \(help)")
        #expect(outcome(OneOrMany<Rule>.self, "{id: a, x: b}").hasPrefix("1:9: unknown key “x”"))
    }
}
