import TestSupport
import Testing

@testable import ReportKit

/// Any text in a page is only displayed.
struct HTMLTextTests {
    private func html(_ text: String, keepsLines: Bool = false) -> String {
        var bytes: [UInt8] = []
        bytes.append(html: text, keepsLines: keepsLines)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `Markup is escaped, even in attributes`() {
        #expect(html("<a href=\"x\" id='y'>&amp;") == "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;")
    }

    @Test func `An invisible character becomes a symbol`() {
        #expect(html("\u{0}\u{1B}[31m\u{7F}") == "␀␛[31m␡")
        #expect(html("a\u{202E}b\u{2066}c\u{200B}") == "a‹U+202E›b‹U+2066›c‹U+200B›")
        #expect(html("\u{85}\u{2028}\u{E0041}") == "‹U+0085›‹U+2028›‹U+E0041›")
    }

    @Test func `Line ends are kept in a block of text, and become arrows in a single line`() {
        #expect(html("a\r\nb\rc\nd\te") == "a ↵ b ↵ c ↵ d e")
        #expect(html("a\r\nb\rc\nd\te", keepsLines: true) == "a\nb\nc\nd e")
        #expect(html("\n\n", keepsLines: true) == "\n\n")
    }

    @Test func `Letters, combining marks and emoji are kept`() {
        for text in ["Zoë Müller", "e\u{301}", "日本語", "👩‍👩‍👧", "שלום"] { #expect(html(text) == text) }
    }

    @Test func `No text produces markup or a hidden character`() {
        for text in HostileMarkup.all {
            let written = html(text)
            #expect(!written.contains { "<>\"'".contains($0) }, "\(text.debugDescription)")
            #expect(!written.unicodeScalars.contains { $0.value < 0x20 || 0x7F..<0xA0 ~= $0.value })
            #expect(!written.unicodeScalars.contains { $0.properties.isBidiControl })
        }
    }

    @Test func `Long text is cut between characters, and the length of the omitted part is shown`() {
        let text = String(repeating: "ä", count: 3000)
        let excerpt = HTMLExcerpt("x" + text)
        #expect(excerpt.text.utf8.count == 2047)
        #expect(excerpt.missing == 1 + text.utf8.count - 2047)
        #expect(excerpt.text.allSatisfy { $0 == "x" || $0 == "ä" })
        #expect(HTMLExcerpt("short").missing == 0)
        #expect(HTMLExcerpt("short", maximum: 2).text == "sh")
        var page = HTMLWriter()
        page.text(untrusted: String(repeating: "x", count: 4048))
        #expect(
            String(decoding: page.bytes, as: UTF8.self).hasSuffix(
                "</bdi><span class=\"cut\">… and 2,000 more bytes</span>"
            )
        )
    }

    @Test func `The rest of a long message is collapsed, but complete`() throws {
        func message(_ text: String) -> String {
            var page = HTMLWriter()
            page.message(text)
            return String(decoding: page.bytes, as: UTF8.self)
        }
        #expect(message("short") == "<span class=\"message\"><bdi>short</bdi></span>")
        // A few words are not collapsed.
        #expect(!message(String(repeating: "x", count: 400)).contains("<details>"))
        let text = (0..<200).map { "\($0) ä" }.joined(separator: "\n")
        let page = message(text)
        let parts = page.matches(of: /<bdi>([^<]*)<\/bdi>/).map(\.1)
        try #require(parts.count == 2)
        #expect(parts.joined() == text)
        #expect(parts[0].utf8.count <= 320 && parts[0].hasSuffix("ä") && parts[1].hasPrefix("\n"))
        #expect(page.contains("<details><summary>\(parts[1].utf8.count) more bytes</summary>"))
    }
}
