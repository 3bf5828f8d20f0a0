import Testing
import YAML

@Suite(.timeLimit(.minutes(1)))
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
    func limitsHold(text: String, expected: String) {
        #expect(outcome(YAMLValue.self, text, limits: Self.small) == expected)
    }

    @Test func whatIsWithinTheLimitsIsRead() throws {
        #expect(throws: Never.self) { try YAMLDecoder(limits: Self.small).decode(YAMLValue.self, from: "[[[a]]]") }
        #expect(throws: Never.self) {
            try YAMLDecoder(limits: Self.small).decode(YAMLValue.self, from: "0123456789: [1, 2, 3]")
        }
    }

    @Test(arguments: [
        "[", "{", "{a: ", "- ", "? ", "a: ", ": ", "\"", "'", "|\n", "[]", "&a ", "*a ", "!a ", "---\n", "#", "\t", ">",
        "x", "x\n", "%", "- - - a\n", "\u{301}",
    ])
    func aMegabyteOfAnythingIsReadOrRefusedSoon(piece: String) {
        let text = String(repeating: piece, count: (1 << 20) / piece.utf8.count)
        _ = outcome(YAMLValue.self, text).count
        _ = outcome(Rule.self, text).count
    }

    @Test func manyKeysAreComparedSoon() {
        let text = (0..<40_000).map { "key\($0): 1\n" }.joined()
        #expect(outcome(Rule.self, text).hasPrefix("1:1: the key “id” is missing"))
    }
}
