import TestSupport
import Testing

@testable import EngineHTTP

struct ReplyExcerptTests {
    private func description(_ body: String, _ mediaType: String = "") -> String {
        let node = NodeAddress(scheme: .http, host: "es1", port: 9200)
        return ReplyExcerpt.description(
            of: EngineReply(status: 502, body: Array(body.utf8), from: node, mediaType: mediaType)
        )
    }

    @Test(arguments: [
        ("", "", "an empty answer"), (" \r\n", "", "an empty answer"),
        ("no\r\n\tserver", "text/plain", "an answer that is not the engine's own: 'no server'"),
        ("<HTML><Title lang=x> 502\n Bad </TITLE>", "", "a web page with the title '502 Bad'"),
        ("<!DOCTYPE html><title></title><p>Sign <b>in</b>", "", "a web page: 'Sign in'"),
        ("<title>never ends", "text/html", "a web page: 'never ends'"),
        ("\u{1B}[31mred\u{07}", "", "an answer that is not the engine's own: '[31mred'"),
    ])
    func aFewWordsAreQuoted(body: String, mediaType: String, words: String) {
        #expect(description(body, mediaType) == words)
    }

    @Test func wordsAreBounded() {
        let long = String(repeating: "x", count: 10_000)
        #expect(ReplyExcerpt.short(long) == String(repeating: "x", count: 120) + "…")
        #expect(description(long).count < 200 && description("<title>\(long)</title>").count < 200)
        #expect(description("<html>" + String(repeating: "<", count: 1_000_000)).count < 200)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func noBodyIsTooStrange(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let parts = ["<html>", "<title", ">", "</title", "<", "é", "\u{0}", "\u{FEFF}", "x", " ", "\u{202E}"]
        let body = (0..<40).compactMap { _ in parts.randomElement(using: &generator) }.joined()
        #expect(description(body).count < 200)
    }
}
