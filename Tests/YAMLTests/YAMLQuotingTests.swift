import TestSupport
import Testing
import YAML

struct YAMLQuotingTests {
    @Test(arguments: [
        ("", #""""#), ("a b", #""a b""#), (#"say "no" \ yes"#, #""say \"no\" \\ yes""#), ("a\n\tb", #""a\n\tb""#),
        ("\u{7}", #""\U00000007""#), ("\u{A0}\u{3000}", #""\U000000A0\U00003000""#), ("Größe 🚀", #""Größe 🚀""#),
        ("\u{202E}\u{200B}\u{FEFF}\u{85}\u{2028}", #""\U0000202E\U0000200B\U0000FEFF\U00000085\U00002028""#),
        ("\u{E000}\u{FE0F}\u{E0100}", #""\U0000E000\U0000FE0F\U000E0100""#),
    ])
    func `Quoting makes invisible characters visible, and the text is read back unchanged`(
        text: String,
        quoted: String
    ) throws {
        #expect(text.yamlQuoted == quoted)
        #expect(try YAMLDecoder().decode([String].self, from: "[\(quoted)]") == [text])
    }

    @Test func `Every character, once quoted, is read back unchanged`() throws {
        for plane in stride(from: UInt32(0), to: 0x11_0000, by: 0x1000) {
            var text = ""
            for value in plane..<plane + 0x1000 {
                if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
            }
            let read = try YAMLDecoder().decode([String].self, from: "[\(text.yamlQuoted)]")
            #expect(read.first.map { Array($0.utf8) } == Array(text.utf8))
        }
    }
}
