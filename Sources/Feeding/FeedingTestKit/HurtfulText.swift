/// Text that has hurt programs before: IDs and queries for tests of engines.
public enum HurtfulText {
    /// All different, byte by byte; none is empty or holds a NUL.
    public static let all: [String] =
        queries + [
            String(repeating: "0123456789abcdef", count: 256),
            "caf\u{E9}", "cafe\u{301}", "CAF\u{C9}",
            "a", "A", " a", "a ", " ", "\t", "\n", "a\nb", "\r\n", "\u{1}", "\u{7F}", "\u{85}", "\u{2028}",
            "\u{202E}gnp.exe", "\u{200B}", "\u{FEFF}bom", "\u{FFFD}", "\u{10FFFF}", "\u{F000}",
            "../../etc/passwd", "/", ".", "..", "-n", "--", "-rf", "%00", "%2e%2e", "a%20b", "_id", "_doc", "?q=1", "#",
            "http://host/a b?c=d&e=f#g", "C:\\temp\\x", "\\", "\\u0000", "NULL", "null", "0", "1e3", "true",
        ]

    /// The part of it that some query language takes for its own.
    public static let queries = [
        "'", "''", "\"", "\"\"", "`", ";", "'; DROP TABLE document_1; --", "x' OR '1'='1", "%", "_", "?", "?1", ":a",
        "@a",
        "*", "***", "a*", "^a", "a^2", "NEAR", "NEAR(a b)", "NEAR/2", "AND", "OR", "NOT", "a AND", "a NOT b", "a - b",
        "-a", "+a", "(", ")", "((a)", "{a b}:c", "text:a", "text : a", "rowid", "[a TO b]", "a~", "a\\", "/a/", "&&",
        "||",
        "!", "😀", "👩‍👩‍👧", "\u{301}", "日本語", "ﬁ", "ß", "İ",
    ]
}
