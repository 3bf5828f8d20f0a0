import ReportKit
import TestSupport
import Testing

struct SafeTextTests {
    @Test(arguments: [
        "plain ASCII ~ \\ \"quoted\" 'x'", "naïve Größe", "e\u{301}", "日本語 한국어 العربية עברית", "👩‍🚀 👨‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇩🇰 1️⃣ ❤️",
        "A\u{A0}B", "C:\\temp\\new",
        "สวัสดี नमस्ते",
    ])
    func `Ordinary text is unchanged`(text: String) {
        #expect(SafeText.escaping(text).utf8.elementsEqual(text.utf8))
    }

    @Test(arguments: [
        ("a\nb", "a\\u{A}b"), ("\t\r\0", "\\u{9}\\u{D}\\u{0}"), ("\u{1B}[31mred", "\\u{1B}[31mred"),
        ("\u{1B}]8;;http://x\u{7}", "\\u{1B}]8;;http://x\\u{7}"), ("\u{7F}\u{85}\u{9B}0m", "\\u{7F}\\u{85}\\u{9B}0m"),
        ("a\u{202E}b\u{202C}", "a\\u{202E}b\\u{202C}"),
        ("\u{2066}\u{2069}\u{200E}\u{200F}\u{61C}", "\\u{2066}\\u{2069}\\u{200E}\\u{200F}\\u{61C}"),
        ("a\u{2028}b\u{2029}", "a\\u{2028}b\\u{2029}"), ("a\u{200B}b\u{FEFF}\u{AD}", "a\\u{200B}b\\u{FEFF}\\u{AD}"),
        ("a\u{200D}b", "a\\u{200D}b"), ("👩\u{200D}", "👩\\u{200D}"), ("\u{E0041}\u{E007F}", "\\u{E0041}\\u{E007F}"),
        ("\u{E000}\u{FFFF}\u{378}", "\\u{E000}\\u{FFFF}\\u{378}"), ("\u{3164}\u{2800}", "\\u{3164}\\u{2800}"),
        ("a\u{FE0F}\u{FE01}", "a\\u{FE0F}\\u{FE01}"), ("\u{301}a", "\\u{301}a"), ("\n\u{301}", "\\u{A}\\u{301}"),
    ])
    func `Invisible characters, and characters that a terminal interprets, are made visible`(text: String, safe: String)
    {
        #expect(SafeText.escaping(text) == safe)
    }

    @Test func `The number of combining marks is limited`() {
        let stack = String(repeating: "\u{301}", count: 1000)
        let safe = SafeText.escaping("a" + stack + "b")
        #expect(safe.unicodeScalars.count { $0 == "\u{301}" } == SafeText.maximumMarks)
        #expect(safe.hasSuffix("\\u{301}b"))
    }

    @Test(
        arguments: [
            ([0x61, 0xFF, 0x62], "a\\x{FF}b"), ([0xC3], "\\x{C3}"), ([0xED, 0xA0, 0x80], "\\x{ED}\\x{A0}\\x{80}"),
            ([0xC0, 0x80], "\\x{C0}\\x{80}"), ([0xF4, 0x90, 0x80, 0x80], "\\x{F4}\\x{90}\\x{80}\\x{80}"),
        ] as [([UInt8], String)]
    )
    func `Invalid bytes are shown`(bytes: [UInt8], safe: String) {
        var output: [UInt8] = []
        SafeText.append(bytes.span, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == safe)
    }

    @Test(arguments: [
        ("hello", 5, "hello"), ("hello", 4, "hel…"), ("hello", 1, "…"), ("hello", 0, ""), ("", 0, ""),
        ("a\u{1B}bc", 8, "a\\u{1B}…"), ("a\u{1B}b", 8, "a\\u{1B}b"), ("a\u{1B}b", 7, "a…"),
        ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
        ("👩‍🚀👩‍🚀", 2, "👩…"), ("👩‍🚀", 2, "👩‍🚀"),
    ])
    func `Text beyond a limit is cut between characters`(text: String, maximum: Int, safe: String) {
        #expect(SafeText.escaping(text, maximum: maximum) == safe)
    }

    @Test(arguments: 0..<200)
    func `Escaping safe text again does not change it`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let text = String(String.UnicodeScalarView((0..<40).map { _ in Self.scalar(using: &generator) }))
        let safe = SafeText.escaping(text)
        #expect(SafeText.escaping(safe) == safe)
        for scalar in safe.unicodeScalars { #expect(scalar.properties.generalCategory != .control) }
        let short = SafeText.escaping(text, maximum: 20)
        #expect(SafeText.escaping(short, maximum: 20) == short)
        #expect(SafeText.escaping(short) == short)
    }

    @Test(arguments: 0..<100)
    func `Any sequence of bytes becomes valid text`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let bytes = (0..<60).map { _ in UInt8.random(in: 0...255, using: &generator) }
        var output: [UInt8] = []
        SafeText.append(bytes.span, to: &output)
        let text = String(validating: output, as: UTF8.self)
        #expect(text.map { SafeText.escaping($0) } == text)
        #expect(!output.contains { $0 < 0x20 || $0 == 0x7F })
    }

    @Test(arguments: [("abc", 3), ("日本", 4), ("é", 1), ("e\u{301}", 1), ("👩‍🚀", 2), ("", 0), ("ß", 1)])
    func `The width of text is measured in terminal columns`(text: String, width: Int) {
        #expect(SafeText.width(text) == width)
    }

    private static func scalar(using generator: inout SeededGenerator) -> Unicode.Scalar {
        let odd: [Unicode.Scalar] = [
            "\u{301}", "\u{200D}", "\u{FE0F}", "👩", "🚀", "\u{1B}", "\n", "\\", "}", "1", "\u{20E3}", "\u{202E}", "a",
            "é", "\u{1F3FD}",
        ]
        if Bool.random(using: &generator), let scalar = odd.randomElement(using: &generator) { return scalar }
        return Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &generator)) ?? "x"
    }
}
