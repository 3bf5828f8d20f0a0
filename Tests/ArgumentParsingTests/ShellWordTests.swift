import Testing

@testable import ArgumentParsing

struct ShellWordTests {
    @Test(arguments: [
        ("plain", "plain"), (#"a\ b"#, "a b"), ("'a b'", "a b"), ("'a b", "a b"), (#""a b"#, "a b"),
        (#"a"b c"d"#, "ab cd"),
        (#"'a\b'"#, #"a\b"#), (#""a\b""#, #"a\b"#), (#""a\"b\$""#, #"a"b$"#), (#"a\\b"#, #"a\b"#), (#"it\'s"#, "it's"),
        (#""it's""#, "it's"), (#"a\"#, "a"), ("$(date)", "$(date)"), ("", ""),
    ])
    func quotesComeOffAndNothingIsExpanded(typed: String, value: String) {
        #expect(ShellWord(typed: typed).value == value)
    }
}
