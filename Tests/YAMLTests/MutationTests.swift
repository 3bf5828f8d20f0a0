import TestSupport
import Testing
import YAML

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
    func damagedTextIsReadOrRefusedInItsOwnLines(seed: UInt64) {
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
            // One more for the end of a text that ends with a line.
            #expect((1...text.unicodeScalars.count + 1).contains(error.place.line))
            #expect((1...text.unicodeScalars.count + 1).contains(error.place.column))
            #expect(!error.message.isEmpty)
        }
    }
}
