import Digests
import Foundation
import SQLiteStore
import TestSupport
import Testing
import TextKit

@testable import ContentDistributor
@testable import ServerSecurity

/// Tokens that an application derives from its own token for its users.
struct DerivedTokenTests {
    private func application(
        _ place: UserPlace,
        collections: Set<String> = [],
        verbs: Set<AccessVerb> = [],
        claims: [String: String] = [:],
        expires: Duration? = nil,
        mayDerive: Bool = true
    ) async throws -> (secret: String, token: AccessToken) {
        try await place.tokens.create(
            "shop",
            .application,
            collections: collections,
            verbs: verbs,
            claims: claims,
            expiresAt: expires.map { .seconds(place.now) + $0 },
            mayDerive: mayDerive,
            at: .seconds(place.now)
        )
    }

    private func derived(_ secret: String, _ claims: String, id: String? = nil) -> String {
        Forgery(header: #"{"alg":"HS256","kid":"\#(id ?? DerivedToken.id(of: secret))"}"#, claims: claims)
            .signed(withSecret: DerivedToken.key(of: secret))
    }

    @Test func `A derived token has only those rights of its application that it names`() async throws {
        let place = try await UserPlace(read: "user.tenant == 'a'")
        let (secret, parent) = try await application(place, collections: ["Web"])
        var token = DerivedToken(expiresAt: .seconds(place.now + 60))
        token.claims = ["tenant": "a"]
        token.subject = "ann"
        #expect(try await place.read(token.signed(with: secret)).status == 200)
        #expect(try await place.read(token.signed(with: secret), collection: "Other").status == 403)
        token.verbs = [.insert]
        #expect(try await place.read(token.signed(with: secret)).status == 403)
        token.verbs = [.read, .insert]
        token.collections = ["Web", "Other"]
        #expect(try await place.read(token.signed(with: secret)).status == 200)
        #expect(try await place.read(token.signed(with: secret), collection: "Other").status == 403)
        token.claims = ["tenant": "b"]
        #expect(try await place.read(token.signed(with: secret)).status == 403)
        // An application is not a user with claims, and its own secret does not identify a tenant.
        #expect(try await place.read(secret).status == 403)
        token.claims = ["tenant": "a"]
        // A server with a separate clock, which has seen the token before it was revoked.
        let reader = try AccessTokens(path: place.settings.state + "/access.sqlite")
        let read = try JSONWebToken(token.signed(with: secret))
        #expect(try await reader.token(derived: read, at: .seconds(place.now)).role == .user)
        #expect(try await place.tokens.revoke(parent.id))
        await #expect(throws: TokenDefect.self) {
            try await reader.token(derived: read, at: .seconds(place.now + 2))
        }
        await place.remove()
    }

    @Test func `Tokens with the same user and rights count as one client, and other tokens do not`() async throws {
        let place = try await UserPlace()
        let (secret, parent) = try await application(place)
        func principal(_ change: (inout DerivedToken) -> Void) async throws -> String {
            var token = DerivedToken(expiresAt: .seconds(place.now + 60))
            token.claims = ["tenant": "a"]
            change(&token)
            let read = try JSONWebToken(token.signed(with: secret))
            let user = try await place.tokens.token(derived: read, at: .seconds(place.now))
            #expect(user.role == .user)
            return user.principal
        }
        let first = try await principal { _ in }
        #expect(first.hasPrefix("shop (\(parent.id)) derived"))
        #expect(try await principal { $0.expiresAt += .seconds(10) } == first)
        #expect(try await principal { $0.claims["tenant"] = "b" } != first)
        #expect(try await principal { $0.verbs = [.read] } != first)
        #expect(try await principal { $0.collections = ["Web"] } != first)
        #expect(try await principal { $0.subject = "ann" } != first)
        await place.remove()
    }

    @Test func `A derived token never has more rights than its application's token`() async throws {
        let place = try await UserPlace()
        let (secret, _) = try await application(
            place,
            collections: ["Web"],
            verbs: [.read],
            claims: ["tenant": "a"],
            expires: .seconds(60_000)
        )
        let end = "\"exp\":\(place.now + 6_000)"
        let good = derived(secret, "{\(end)}")
        #expect(try await place.read(good).status == 200)
        #expect(try await place.read(derived(secret, "{\(end),\"claims\":{\"tenant\":\"a\"}}")).status == 200)
        let refused: [(claims: String, reason: String)] = [
            ("{}", "it has no 'exp'"), ("{\"exp\":\(place.now - 90)}", "it has expired"),
            ("{\"exp\":\(place.now + 61_000)}", "it would expire after"),
            ("{\(end),\"nbf\":\(place.now + 5_000)}", "not valid yet"),
            ("{\(end),\"verbs\":[]}", "'verbs' leaves no rights"),
            ("{\(end),\"verbs\":[\"delete\"]}", "'verbs' leaves no"),
            ("{\(end),\"verbs\":\"read\"}", "'verbs' is not a list"),
            ("{\(end),\"verbs\":null}", "'verbs' is not a list"),
            ("{\(end),\"collections\":[]}", "'collections' leaves no rights"),
            ("{\(end),\"collections\":[\"Other\"]}", "'collections' leaves no rights"),
            ("{\(end),\"collections\":[1]}", "'collections' is not a list"),
            ("{\(end),\"claims\":{\"tenant\":\"b\"}}", "it changes a claim"),
            ("{\(end),\"claims\":{\"tenant\":[\"a\",\"b\"]}}", "it changes a claim"),
            ("{\(end),\"claims\":{\"a\":1}}", "a claim is neither"),
            ("{\(end),\"claims\":[]}", "'claims' is not an object"),
            ("{\(end),\"collection\":[\"Web\"]}", "'collection' is not a claim"),
            ("{\(end),\"role\":\"admin\"}", "'role' is not a claim"), ("{\(end),\"sub\":1}", "'sub' is not a string"),
        ]
        for (claims, reason) in refused {
            let answer = try await place.read(derived(secret, claims))
            #expect(answer.status == 401 && answer.message.contains(reason), "\(claims): \(answer)")
        }
        // An unknown verb is refused even from an unrestricted application.
        let (wide, _) = try await application(place)
        #expect(try await place.read(derived(wide, "{\(end),\"verbs\":[\"own\"]}")).message.contains("not a verb"))
        #expect(try await place.read(derived(wide, "{\(end),\"verbs\":[\"read\"]}")).status == 200)
        // Another application's key, a changed body, and a token that is not allowed to derive others.
        let wrong = "its signature was not made with the token that it names"
        #expect(
            try await place.read(derived(wide, "{\(end)}", id: DerivedToken.id(of: secret))).message.contains(wrong)
        )
        let parts = good.split(separator: ".")
        let body = Base64.urlText(Array("{\"exp\":\(place.now + 6_001)}".utf8))
        #expect(try await place.read("\(parts[0]).\(body).\(parts[2])").message.contains(wrong))
        let short = Base64.urlText([UInt8](repeating: 1, count: 31))
        #expect(try await place.read("\(parts[0]).\(parts[1]).\(short)").message.contains(wrong))
        let (closed, _) = try await application(place, mayDerive: false)
        #expect(try await place.read(closed).status == 200)
        #expect(
            try await place.read(derived(closed, "{\(end)}")).message.contains("it was not derived from a valid token")
        )
        await place.remove()
    }

    @Test func `The guide's recipe in Python derives a token`() async throws {
        let place = try await UserPlace(read: "user.tenant == 'a'")
        let (secret, _) = try await application(place)
        let guide = URL(filePath: #filePath).appending(path: "../../../Documentation/Guide/Distributor.md").standardized
        let page = try String(contentsOf: guide, encoding: .utf8)
        let program = try #require(page.split(separator: "```python\n").last?.split(separator: "```").first)
        let run = try ChildProgram.run("/usr/bin/env", ["python3", "-c", String(program)], input: secret + "\n")
        try #require(run.status == 0, "\(run.errors)")
        let token = run.output.trimmingCharacters(in: .newlines)
        let answer = try await place.read(token)
        #expect(answer.status == 200, "\(answer.message)")
        #expect(try await place.read(token + "A").status == 401)
        await place.remove()
    }

    @Test func `A token file without signing keys can be opened, and its tokens stay valid`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("access.sqlite")
        let old = "fcd_" + String(repeating: "0a", count: 32)
        do {
            var configuration = Configuration()
            configuration.access = .create
            let database = try Database(path: path, configuration) { connection in
                try connection.migrate([
                    """
                    CREATE TABLE token(
                        digest BLOB PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, role TEXT NOT NULL,
                        collections TEXT NOT NULL, verbs TEXT NOT NULL, claims TEXT NOT NULL, created INTEGER NOT NULL,
                        expires INTEGER, revoked INTEGER NOT NULL DEFAULT 0
                    ) STRICT, WITHOUT ROWID
                    """
                ])
            }
            var function = SHA256()
            let digest = function.digest(of: old.utf8).bytes
            _ = try await database.write { connection in
                try connection.prepare("INSERT INTO token VALUES (?, ?, 'old', 'application', '', '', '', 0, NULL, 0)")
                    .run(digest, DerivedToken.id(of: old))
            }
        }
        let tokens = try AccessTokens(path: path)
        let kept = try #require(try await tokens.token(of: old, at: .seconds(10)))
        #expect(kept.name == "old" && !kept.mayDerive)
        let (secret, new) = try await tokens.create("new", .application, mayDerive: true, at: .seconds(10))
        #expect(try await tokens.token(of: secret, at: .seconds(10)) == new)
        let again = try await AccessTokens(path: path).list()
        #expect(again.map(\.mayDerive) == [false, true])
        // The signing key is kept only for this token, and no token's secret is kept.
        let bytes =
            try Data(contentsOf: URL(filePath: path))
            + ((try? Data(contentsOf: URL(filePath: path + "-wal"))) ?? Data())
        #expect(bytes.range(of: Data(DerivedToken.key(of: secret))) != nil)
        #expect(bytes.range(of: Data(DerivedToken.key(of: old))) == nil)
        #expect(bytes.range(of: Data(secret.dropFirst(4).utf8)) == nil)
    }
}
