import ContentFeeding
import HTTPClient
import TestSupport
import Testing

@testable import EngineHTTP

/// The table of failures and the reactions to them: one test for each row.
struct FailureTableTests {
    @Test(arguments: FailureRows.all)
    func `Each failure is classified as in the table`(row: FailureRows.Row) {
        let batch = BatchFailure(row.failure)
        #expect(batch.kind == row.kind)
        #expect(batch.failure.disposition == row.disposition)
        let error = EngineError(row.failure)
        #expect(error.code == row.code)
        let sentence = error.message + "; " + (error.advice ?? "")
        // A batch reports the same information in one sentence.
        #expect(batch.failure.message == sentence)
        for words in row.words { #expect(sentence.contains(words)) }
        #expect(sentence.contains("https://es1:9200"))
        #expect(!sentence.contains { $0.isNewline })
    }

    @Test(arguments: [
        ("http", HTTPFailure.Delivery.maybeSent, nil as Int?, true), ("https", .maybeSent, nil, false),
        ("http", .notSent, nil, false), ("http", .maybeSent, 200, false),
    ])
    func `A server that closes the connection silently may require HTTPS`(
        scheme: String,
        delivery: HTTPFailure.Delivery,
        status: Int?,
        isSaid: Bool
    ) throws {
        let scheme = try #require(NodeAddress.Scheme(rawValue: scheme))
        let node = NodeAddress(scheme: scheme, host: "es1", port: 9200)
        let cause = HTTPFailure(.connectionLost, delivery, "Empty reply from server", status: status)
        let advice = try #require(EngineError(.noReply(NoReply(node: node, cause: cause))).advice)
        #expect(advice.contains("+https") == isSaid && advice.contains("log"))
    }

    @Test(arguments: ["/login?token=secret", "https://sso.example/login#token=secret", "?token=secret"])
    func `A possible token in a redirect is not shown`(location: String) {
        let failure = BatchFailure(FailureRows.refused(302, location: location))
        #expect(!failure.failure.message.contains("secret") && failure.kind == .stop(.missingTarget))
    }

    @Test(arguments: [
        (#"at [Source: (byte[])"{"a": secret}"; line: 1, column: 7]"#, "at [Source: …; line: 1, column: 7]"),
        (
            #"no [Source: (String)"{"a":"; line: 2, column: 1] secret"[truncated 9 bytes]; line: 1, column: 30]; so"#,
            "no [Source: …; line: 1, column: 30]; so"
        ),
        ("[Source: (byte[])secret; byte offset: #12]\nx", "[Source: …; byte offset: #12]\nx"),
        (#"at [Source: (byte[])"{"a":"; line: secret"#, "at [Source: …"),
        ("at [Source: …; line: 1, column: 7]", "at [Source: …; line: 1, column: 7]"), ("[Sources: a]", "[Sources: a]"),
    ])
    func `A reason keeps the place of an error, but not the excerpt of the document`(reason: String, shown: String) {
        #expect(ErrorReply(.malformed, type: "x", reason: "no", cause: reason).reason == "no: " + shown)
        #expect(ErrorReply.words(reason, cause: nil) == shown)
    }

    @Test(arguments: [401, 403, 404])
    func `Advice on missing rights names the rights`(status: Int) {
        let error = EngineError(FailureRows.refused(status, .other))
        let advised = error.needing("schema-read", "config-read")
        let words = "the user needs the rights 'schema-read' and 'config-read'; "
        #expect(advised.advice == (status == 404 ? "" : words) + (error.advice ?? ""))
        #expect(advised.message == error.message && advised.code == error.code)
    }

    @Test func `Every status and every error has a row in the table`() {
        let kinds: [ErrorReply.Kind?] = [
            nil, .throttled, .blocked, .missingCollection, .tooLarge, .malformed, .conflict, .forbidden, .other,
        ]
        for status in 200...599 {
            for kind in kinds {
                let failure = BatchFailure(FailureRows.refused(status, kind))
                // Only the engine's own message makes a collection count as missing.
                #expect(
                    (failure.kind == .stop(.missingCollection))
                        == (kind == .missingCollection && status != 401 && status != 407)
                )
                // A refusal because of missing rights counts as such, regardless of the rest of the reply.
                if status == 401 { #expect(failure.kind == .stop(.permission)) }
            }
        }
    }
}

struct ReplyExcerptTests {
    private func description(_ body: String, _ mediaType: String = "") -> String {
        let node = NodeAddress(scheme: .http, host: "es1", port: 9200)
        return ReplyExcerpt.description(
            of: EngineReply(status: 502, body: Array(body.utf8), from: node, mediaType: mediaType)
        )
    }

    @Test(arguments: [
        ("", "", "an empty reply"), (" \r\n", "", "an empty reply"),
        ("no\r\n\tserver", "text/plain", "a reply that is not in the engine's format: 'no server'"),
        ("<HTML><Title lang=x> 502\n Bad </TITLE>", "", "a web page with the title '502 Bad'"),
        ("<!DOCTYPE html><title></title><p>Sign <b>in</b>", "", "a web page: 'Sign in'"),
        ("<title>never ends", "text/html", "a web page: 'never ends'"),
        ("\u{1B}[31mred\u{07}", "", "a reply that is not in the engine's format: '[31mred'"),
    ])
    func `Only a few words of a response are quoted`(body: String, mediaType: String, words: String) {
        #expect(description(body, mediaType) == words)
    }

    @Test func `Messages are limited in length`() {
        let long = String(repeating: "x", count: 10_000)
        #expect(ReplyExcerpt.short(long) == String(repeating: "x", count: 120) + "…")
        #expect(description(long).count < 200 && description("<title>\(long)</title>").count < 200)
        #expect(description("<html>" + String(repeating: "<", count: 1_000_000)).count < 200)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `Any response body is handled without a crash`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let parts = ["<html>", "<title", ">", "</title", "<", "é", "\u{0}", "\u{FEFF}", "x", " ", "\u{202E}"]
        let body = (0..<40).compactMap { _ in parts.randomElement(using: &generator) }.joined()
        #expect(description(body).count < 200)
    }
}
