import TestSupport
import Testing
import YAML

/// Damaged YAML is either read, or refused with a position in the text.
struct YAMLFuzzTests {
    private static let texts = [
        "listen: 127.0.0.1:13391\ntls: {certificate: c.pem, key: k.pem}\ncollections:\n  Web:\n    read: everyone\n",
        "id: FS0101\ntitle: \"a: b\"\nchecks:\n  - when: >\n      folded\n      text\n    all: [a, 'b', \"c\\x41\"]\n",
        "a: &x [1, 2]\nb: *x\n? complex\n: |2-\n   text\n--- \n...\n!!str x: ~\n# comment\n\t\n",
    ].map { Array($0.utf8) }

    @Test func `Damaged YAML is either read, or refused at a position within it`() {
        let problem = FuzzRun.problem("YAML", few: 1_000) { seed in
            var mutation = ByteMutation(seed: seed)
            return Self.problem(String(decoding: mutation.mutated(Self.texts, maximumBytes: 400), as: UTF8.self))
        }
        #expect(problem == nil)
    }

    private static func problem(_ text: String) -> String? {
        let size = text.unicodeScalars.count + 1
        do {
            let value = try YAMLDecoder().decode(YAMLValue.self, from: text)
            // The result must depend only on the text.
            return try YAMLDecoder().decode(YAMLValue.self, from: text) == value ? nil : "another value the second time"
        } catch {
            let isPlace = (1...size).contains(error.place.line) && (1...size).contains(error.place.column)
            return isPlace && !error.message.isEmpty ? nil : "refused with \(error)"
        }
    }
}
