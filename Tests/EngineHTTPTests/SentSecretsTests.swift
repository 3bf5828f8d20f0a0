import ContentFeeding
import Foundation
import HTTPClient
import TestSupport
import Testing
import TextKit

@testable import EngineHTTP

/// Secrets that the command itself has sent, in the messages of a server that quotes them.
struct SentSecretsTests {
    private static func secrets(_ change: (inout HTTPRequest) -> Void) -> SentSecrets {
        var request = HTTPRequest(.get, "http://127.0.0.1:9200/")
        change(&request)
        return SentSecrets(request)
    }

    private static func basic(_ user: String, _ password: String) -> SentSecrets {
        secrets { $0.credentials = .basic(user: user, password: password) }
    }

    @Test(arguments: [
        ("no such user: hunter2/x+y&z=", "no such user: …"),
        ("Authorization: Basic YWRtaW46aHVudGVyMi94K3kmej0=", "Authorization: Basic …"),
        ("hunter2\\/x+y&z=", "…"), ("hunter2/x+y&amp;z=", "…"), ("hunter2%2Fx%2By%26z%3D", "…"),
        ("hunter2%2fx%2by%26z%3d", "…"), ("hunter2/x\\u002by\\u0026z\\u003d", "…"),
        // The server truncates the secret, both in base64 and at the end of text.
        ("<Basic YWRtaW46aHVudGVyM> is wrong", "<Basic …> is wrong"), ("it was hunter…", "it was ……"),
        ("it was hunt", "it was …"),
        ("hunter2/x", "…"), ("admin has no rights, and a hunter is none", "admin has no rights, and a hunter is none"),
    ])
    func `A password is found in any quoted form`(words: String, expected: String) {
        #expect(Self.basic("admin", "hunter2/x+y&z=").cleaned(words) == expected)
    }

    @Test func `A short password is redacted only where it is a separate word`() {
        let secrets = Self.basic("u", "abc")
        #expect(secrets.cleaned("abc, (abc) and abcd, dabc, ab") == "…, (…) and abcd, dabc, ab")
        #expect(Self.basic("u", "\"<\u{e4}").cleaned("\"<\u{e4} \\\"<\u{e4} &quot;&lt;\u{e4}") == "… … …")
    }

    @Test func `Tokens, keys and signatures are found in the sent data`() {
        let key = Base64.text(Array("id7:zqSecretOfKey".utf8))
        let sent: [(SentSecrets, String)] = [
            (Self.secrets { $0.credentials = .bearer(token: "zqToken+/1") }, "zqToken+/1"),
            (Self.secrets { $0.credentials = .apiKey(key) }, key),
            (Self.secrets { $0.credentials = .apiKey(key) }, "zqSecretOfKey"),
            (
                Self.secrets {
                    let value =
                        "AWS4-HMAC-SHA256 Credential=AKIA/20240311/x, SignedHeaders=host, Signature=0a1b2c3d4e5f"
                    $0.headers.append(HTTPHeader("Authorization", value))
                }, "0a1b2c3d4e5f"
            ),
            (Self.secrets { $0.headers.append(HTTPHeader("X-Amz-Security-Token", "zqSession/7")) }, "zqSession/7"),
            (Self.secrets { $0.headers.append(HTTPHeader("Authorization", "SharedKey acc1:zqSig8=")) }, "zqSig8="),
            (Self.secrets { $0.url += "?sv=1&sig=hunter2%2Bx%3D&se=2" }, "hunter2+x="),
            (Self.secrets { $0.url += "?sv=1&sig=hunter2%2Bx%3D&se=2" }, "hunter2%2Bx%3D"),
            (Self.secrets { $0.proxy = .url("http://me:zq%2FProxy@proxy:3128") }, "zq/Proxy"),
            (Self.secrets { $0.proxy = .url("http://me:zqProxy@proxy:3128") }, "bWU6enFQcm94eQ=="),
        ]
        for (secrets, text) in sent { #expect(secrets.cleaned("[\(text)]") == "[…]") }
        #expect("\(sent[0].0)" == "(secrets)")
        #expect(!String(reflecting: sent[0].0).contains("zqToken"))
    }

    /// Returns a server that puts the request's head into its error, its page, or the target of a redirect.
    private static func echo(
        _ status: Int,
        _ form: @escaping @Sendable (String) -> (head: String, body: String)
    ) throws
        -> ScriptedServer
    {
        try ScriptedServer { client, _ in
            while let request = client.nextRequest() {
                let line = request.split(separator: "\r\n").first { $0.hasPrefix("Authorization") } ?? ""
                let (head, body) = form(String(line))
                client.send("HTTP/1.1 \(status) Said\r\n\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
        }
    }

    @Test(arguments: [200, 301, 400, 401, 403, 404, 407, 413, 429, 500, 503])
    func `No message contains the secret, whatever the server's status and text are`(status: Int) async throws {
        let forms: [@Sendable (String) -> (head: String, body: String)] = [
            { ("Location: http://elsewhere/\($0.replacing(" ", with: "/"))\r\n", "<html><title>\($0)</title>") },
            { ("", "<p>\($0)</p>") }, { ("", "\($0)\n") }, { _ in ("", #"{"error":"hunter2-hunter2"}"#) },
        ]
        for form in forms {
            let server = try Self.echo(status, form)
            let (folder, path) = try CredentialTests.file("admin:hunter2-hunter2", mode: 0o600)
            defer { folder.remove() }
            let connection = try await Connections.connection(to: [Connections.node(server.port)]) {
                $0.credentials = .file(path: path)
            }
            let reply = try await connection.send(Connections.batch)
            let quoted = ErrorReply(
                .other,
                type: "x",
                reason: "refused: " + String(decoding: reply.body, as: UTF8.self)
            )
            let failures: [RequestFailure] = [
                .refused(reply, nil), .refused(reply, quoted), .unreadable(reply, quoted.reason),
            ]
            for failure in failures {
                let error = EngineError(failure)
                let texts = [error.message, error.advice ?? "", "\(BatchFailure(failure))", failure.shownReason ?? ""]
                for text in texts { #expect(!text.contains("hunter") && !text.contains("YWRtaW46")) }
            }
            #expect(await connection.cleaned("hunter2-hunter2") == "…")
        }
    }
}
