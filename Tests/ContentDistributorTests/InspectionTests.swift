import ContentFeeding
import Foundation
import HTTPService
import Hooks
import JSONText
import TestSupport
import Testing
import TextKit

@testable import ContentDistributor
@testable import ServerSecurity

/// Requests that clients and administrators use to inspect their rights, their sessions and the server.
extension DistributorTests {
    private func tokens(of place: Place) throws -> AccessTokens {
        try AccessTokens(path: place.settings.state + "/access.sqlite")
    }

    /// Returns an administrator's token for only one collection.
    private func narrowAdministrator(of place: Place) async throws -> String {
        try await tokens(of: place).create("narrow", .admin, collections: ["Web"], at: .seconds(1)).secret
    }

    // MARK: The client

    @Test func `A client learns its own rights on each collection`() async throws {
        let place = try await Place(rules: "user.tenant == document.tenant")
        let server = try await place.server()
        let (admin, ann) = (try await place.token(.admin), try await place.token(.user, ["tenant": "a"]))
        let all = try await send(.get, "/v1/me", token: admin, to: server)
        #expect(all.json["role"].text == "admin" && all.json["isWritable"].bool == true && all.json["expires"] == .null)
        #expect(
            all.json["collections"]["Web"].members.map(\.value.text) == ["all", "all", "all", "all"],
            "\(all.text)"
        )
        let some = try await send(.get, "/v1/me", token: ann, to: server)
        #expect(some.json["collections"]["Web"]["update"].text == "some", "\(some.text)")
        #expect(some.json["claims"]["tenant"].text == "a" && some.json["name"].text?.hasPrefix("test (") == true)
        let reader = try await tokens(of: place)
            .create("reader", .user, verbs: [.read], claims: ["tenant": "a"], expiresAt: .seconds(4e9), at: .seconds(1))
        let reading = try await send(.get, "/v1/me", token: reader.secret, to: server)
        #expect(reading.json["collections"]["Web"].members.map(\.value.text) == ["some", "none", "none", "none"])
        #expect(reading.json["isWritable"].bool == false)
        #expect(reading.json["expires"].text == "2096-10-02T07:06:40.000Z")
        // The names of collections without rights for the client are not revealed.
        let none = try await send(.get, "/v1/me", token: nil, to: server)
        #expect(none.json["role"].text == "none" && none.json["collections"].members.isEmpty, "\(none.text)")
        #expect(try await send(.get, "/v1/me", token: "fcd_wrong", to: server).status == 401)
        await server.drain()
    }

    // MARK: Sessions

    @Test func `A client sees its own sessions, and administrators see all sessions`() async throws {
        let place = try await Place()
        let server = try await place.server()
        let (one, other) = (try await place.token(.application), try await place.token(.application))
        let admin = try await place.token(.admin)
        var ids: [String] = []
        for token in [one, other, one] { ids.append(try await session(token, on: server)) }
        let own = try await send(.get, "/v1/sessions", token: one, to: server)
        #expect(own.json["sessions"].elements.map { $0["session"].text } == [ids[2], ids[0]], "\(own.text)")
        #expect(own.json["next"] == .null)
        let newest = own.json["sessions"].elements[0]
        #expect(newest["began"].text != nil && newest["ended"] == .null && newest["standstill"] == .null)
        #expect(Set(own.json["sessions"].elements.map { $0["owner"].text }).count == 1)
        var (found, next) = ([String?](), String?.none)
        repeat {
            let cursor = next.map { "&cursor=\($0)" } ?? ""
            let page = try await send(.get, "/v1/sessions?limit=2\(cursor)", token: admin, to: server)
            found += page.json["sessions"].elements.map { $0["session"].text }
            next = page.json["next"].text
        } while next != nil && found.count < 10
        #expect(found == ids.reversed())
        #expect(try await send(.get, "/v1/sessions", token: nil, to: server).status == 401)
        for query in ["limit=0", "limit=1001", "limit=x", "cursor=-1", "cursor=99999999999999999999", "cursor="] {
            #expect(try await send(.get, "/v1/sessions?\(query)", token: one, to: server).status == 422, "\(query)")
        }
        await server.drain()
    }

    // MARK: Failures

    /// Sends a batch with a document that fails for each of the texts, after one that succeeds.
    private func fail(_ texts: [String], on server: ContentDistributor, _ token: String) async throws -> String {
        let id = try await session(token, on: server)
        let lines = texts.enumerated().map { index, text in
            "{\"schema\":\"fastctl.document/1\",\"id\":\"f\(index)\",\"onVersion\":\"77\",\"document\":{\"t\":\"\(text)\"}}"
        }
        let body = (["{\"id\":\"good\",\"t\":\"x\"}"] + lines + ["{\"remove\":\"none\"}"]).joined(separator: "\n")
        #expect(try await send(.put, "/v1/sessions/\(id)/batches/1", body, token: token, to: server).status == 202)
        let state = try await send(.get, "/v1/sessions/\(id)?wait=secured&timeout=30", token: token, to: server)
        #expect(state.json["errors"].int == texts.count + 1, "\(state.text)")
        return id
    }

    @Test func `Failed operations can be read with their documents, even after a restart`() async throws {
        let place = try await Place()
        let server = try await place.server()
        let (token, other) = (try await place.token(.application), try await place.token(.application))
        let id = try await fail(["one", "two"], on: server, token)
        let path = "/v1/sessions/\(id)/failures"
        let page = try await send(.get, path, token: token, to: server)
        let failures = page.json["failures"].elements
        #expect(Set(failures.map { $0["id"].text }) == ["f0", "f1", "none"], "\(page.text)")
        let first = try #require(failures.first { $0["id"].text == "f0" })
        #expect(first["operation"].int == 2 && first["verb"].text == "add")
        #expect(first["code"].text == "version-conflict" && first["documentState"].text == "kept")
        #expect(first["document"]["t"].text == "one")
        let removal = try #require(failures.first { $0["id"].text == "none" })
        #expect(removal["verb"].text == "remove" && removal["documentState"].text == "none")
        #expect(removal["document"] == .null)
        // Page by page, the result is the same, and each operation appears once.
        var (paged, next) = ([JSONValue](), String?.some("0"))
        while let cursor = next, paged.count < 10 {
            let part = try await send(.get, path + "?limit=1&cursor=\(cursor)", token: token, to: server)
            paged += part.json["failures"].elements
            next = part.json["next"].text
        }
        #expect(paged == failures)
        // Only the owner and administrators may read the failures.
        #expect(try await send(.get, path, token: other, to: server).status == 404)
        #expect(try await send(.get, path, token: nil, to: server).status == 404)
        let admin = try await place.token(.admin)
        #expect(try await send(.get, path, token: admin, to: server).json == page.json)
        #expect(try await send(.get, path + "?cursor=x", token: token, to: server).status == 422)
        _ = try await send(.delete, "/v1/sessions/\(id)", token: token, to: server)
        _ = try await send(.get, "/v1/sessions/\(id)/outcomes", token: token, to: server)
        await server.drain()
        let later = try await place.server()
        let again = try await send(.get, path, token: token, to: later)
        #expect(again.json == page.json, "\(again.text)")
        await later.drain()
    }

    @Test func `For documents beyond the limits, only the errors are kept`() async throws {
        let place = try await Place { ($0.failures, $0.failureBytes) = (2, 3_000) }
        let server = try await place.server()
        let token = try await place.token(.application)
        let text = String(repeating: "x", count: 1_000)
        func states(_ id: String) async throws -> [String?] {
            let page = try await send(.get, "/v1/sessions/\(id)/failures", token: token, to: server)
            return page.json["failures"].elements.filter { $0["verb"].text == "add" }.map { $0["documentState"].text }
        }
        // Two documents of each session are kept; the oldest make room for others.
        let first = try await fail([text, text, text], on: server, token)
        #expect(try await states(first).count(where: { $0 == "kept" }) == 2)
        let second = try await fail([text, text], on: server, token)
        #expect(try await states(second) == ["kept", "kept"])
        #expect(try await states(first).count(where: { $0 == "kept" }) == 0)
        #expect(try await states(first).count == 3)
        await server.drain()
    }

    @Test func `Data that a hook may have added to a failed operation is shown only to administrators`() async throws {
        let place = try await Place()
        var settings = place.settings
        settings.collections["Web"]?.hooks = DocumentHooks([
            DocumentHook(on: [.insert, .update], .set([.init("secret", try HookOperand("hidden"))]))
        ])
        let server = try await ContentDistributor(settings) { _ in }
        let (token, admin) = (try await place.token(.application), try await place.token(.admin))
        let id = try await fail(["one"], on: server, token)
        let own = try await send(.get, "/v1/sessions/\(id)/failures", token: token, to: server)
        let all = try await send(.get, "/v1/sessions/\(id)/failures", token: admin, to: server)
        #expect(own.json["failures"].elements.contains { $0["documentState"].text == "hidden" }, "\(own.text)")
        #expect(!own.text.contains("\"one\"") && all.text.contains("\"one\""), "\(all.text)")
        await server.drain()
    }

    // MARK: Hooks

    @Test func `Administrators see programs and hooks, but neither their arguments nor their values`() async throws {
        let place = try await Place()
        var settings = place.settings
        settings.collections["Web"]?.hooks = DocumentHooks([
            DocumentHook(
                on: [.insert, .update],
                .set([.init("owner", try HookOperand("a secret value"))]),
                if: try HookCondition("user.role != 'admin'")
            ), DocumentHook(on: [.delete], .program("check")),
        ])
        settings.programs["check"] = HookProgramSettings(["sh", "-c", "cat # secret"], in: "/")
        let server = try await ContentDistributor(settings) { _ in }
        let admin = try await place.token(.admin)
        let answer = try await send(.get, "/v1/hooks", token: admin, to: server)
        let hooks = answer.json["collections"]["Web"].elements
        #expect(hooks.count == 2 && hooks[0]["set"].elements.map(\.text) == ["owner"], "\(answer.text)")
        #expect(hooks[0]["on"].elements.map(\.text) == ["insert", "update"])
        #expect(hooks[0]["if"].text == "user.role != 'admin'" && hooks[1]["program"].text == "check")
        let program = try #require(answer.json["programs"].elements.first)
        #expect(program["name"].text == "check" && program["file"].text == "sh" && program["calls"].int == 0)
        #expect(!answer.text.contains("secret"))
        for token in [try await place.token(.application), try await narrowAdministrator(of: place), nil] {
            #expect(try await send(.get, "/v1/hooks", token: token, to: server).status == 403)
        }
        await server.drain()
    }

    // MARK: The audit log

    @Test func `The audit log is read newest first, page by page, and can be searched`() async throws {
        let place = try await Place()
        let server = try await place.server()
        let (admin, user) = (try await place.token(.admin), try await place.token(.user))
        for name in ["Ann", "bob", "carl"] {
            let path = "/v1/collections/Web/documents/\(name)"
            #expect(try await send(.put, path, "{\"x\":1}", token: admin, to: server).status == 201)
        }
        // Refusals are also in the log, including the refusal of a token that is valid for only some collections.
        #expect(try await send(.get, "/v1/audit", token: user, to: server).status == 403)
        let narrow = try await narrowAdministrator(of: place)
        #expect(try await send(.get, "/v1/audit", token: narrow, to: server).status == 403)
        #expect(try await send(.get, "/v1/audit", token: nil, to: server).status == 403)
        let all = try await send(.get, "/v1/audit", token: admin, to: server)
        #expect(all.json["lines"].elements.map { $0["line"].int } == [5, 4, 3, 2, 1], "\(all.text)")
        #expect(all.json["lines"].elements.map { $0["status"].int } == [403, 403, 201, 201, 201])
        #expect(all.json["next"] == .null)
        let page = try await send(.get, "/v1/audit?limit=2&before=4", token: admin, to: server)
        #expect(
            page.json["lines"].elements.map { $0["subject"].text } == ["carl", "bob"] && page.json["next"].int == 2
        )
        let found = try await send(.get, "/v1/audit?text=aNN", token: admin, to: server)
        #expect(found.json["lines"].elements.map { $0["subject"].text } == ["Ann"], "\(found.text)")
        // The names of the members are not searched.
        let none = try await send(.get, "/v1/audit?text=principal", token: admin, to: server)
        #expect(none.json["lines"].elements.isEmpty)
        for query in ["before=-1", "before=x", "limit=0"] {
            #expect(try await send(.get, "/v1/audit?\(query)", token: admin, to: server).status == 422)
        }
        await server.drain()
    }

    @Test func `Every line of a long audit log can be found by its number`() async throws {
        let folder = try TemporaryFolder()
        let log = try AuditLog(path: folder.path("audit.log"))
        let count = 2_000
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...count {
                group.addTask {
                    let entry = AuditLog.Entry(
                        principal: "p",
                        action: "a",
                        collection: "Web",
                        subject: String(repeating: "s", count: number % 700),
                        status: 200,
                        request: "r",
                        address: ""
                    )
                    try await log.append(entry, at: .seconds(1))
                }
            }
            try await group.waitForAll()
        }
        for number in [0, 1, 2, 3, 127, 500, 999, 1_337, count - 1, count, count + 1, count + 50, .max] {
            let page = try await log.page(before: number, limit: 3) { _ in true }
            let last = min(number - 1, count)
            #expect(page.lines.map(\.number) == (max(1, last - 2)..<max(1, last + 1)).reversed(), "\(number)")
        }
        let all = try await log.page(before: nil, limit: count + 1) { _ in true }
        #expect(all.lines.map(\.number) == (1...count).reversed() && all.next == nil)
        // A line that was changed is an error, and not the end of the log.
        let handle = try FileHandle(forWritingTo: URL(filePath: folder.path("audit.log")))
        try handle.seek(toOffset: 60)
        try handle.write(contentsOf: Data("XXXXXXXXXXXXXXXX".utf8))
        await #expect(throws: AuditError.self) { try await log.page(before: 3, limit: 10) { _ in true } }
    }

    // MARK: Tokens

    private func create(_ body: String, _ token: String?, on server: ContentDistributor) async throws -> Answer {
        let request = ServedRequest(
            .post,
            "/v1/tokens",
            query: [],
            headers: token.map { ["Content-Type": "application/json", "Authorization": "Bearer \($0)"] }
                ?? ["Content-Type": "application/json"],
            body: .bytes(Array(body.utf8))
        )
        let response = await server.router.respond(to: request)
        let text = String(decoding: try await response.collectBody(upTo: 1 << 20), as: UTF8.self)
        return Answer(status: response.status.code, headers: response.headers, text: text)
    }

    @Test func `A token is created with its rights, listed without its secret, and revoked`() async throws {
        let place = try await Place(rules: "user.tenant == document.tenant")
        let server = try await place.server()
        let admin = try await place.token(.admin)
        let body = """
            {"name":"ann","role":"user","claims":{"tenant":"a"},"verbs":["read"],"collections":["Web"],"expiresIn":"1h"}
            """
        let created = try await create(body, admin, on: server)
        let (secret, id) = (try #require(created.json["secret"].text), try #require(created.json["id"].text))
        #expect(created.status == 201 && created.headers["Location"] == "/v1/tokens/\(id)", "\(created.text)")
        #expect(created.headers["Cache-Control"] == "no-store")
        let me = try await send(.get, "/v1/me", token: secret, to: server)
        #expect(me.json["collections"]["Web"].members.map(\.value.text) == ["some", "none", "none", "none"])
        #expect(me.json["expires"] == created.json["expires"] && me.json["expires"] != .null)
        let list = try await send(.get, "/v1/tokens", token: admin, to: server)
        #expect(list.json["tokens"].elements.contains { $0["id"].text == id && $0["isRevoked"].bool == false })
        #expect(!list.text.contains("fcd_") && !list.text.contains("secret"))
        #expect(try await send(.delete, "/v1/tokens/\(id)", token: admin, to: server).status == 204)
        #expect(try await send(.delete, "/v1/tokens/\(id)", token: admin, to: server).status == 404)
        #expect(try await send(.get, "/v1/me", token: secret, to: server).status == 401)
        let log = try String(contentsOfFile: place.settings.state + "/audit.log", encoding: .utf8)
        #expect(log.contains("\"create token\"") && log.contains("\"revoke token\"") && !log.contains(secret))
        await server.drain()
    }

    @Test func `Only unrestricted administrators manage tokens, so clients can't gain rights`() async throws {
        let place = try await Place()
        let server = try await place.server()
        let narrow = try await narrowAdministrator(of: place)
        let readOnly = try await tokens(of: place).create("reader", .admin, verbs: [.read], at: .seconds(1)).secret
        for token in [narrow, readOnly, try await place.token(.application), try await place.token(.user), nil] {
            #expect(try await create("{\"name\":\"x\",\"role\":\"admin\"}", token, on: server).status == 403)
            #expect(try await send(.get, "/v1/tokens", token: token, to: server).status == 403)
            #expect(try await send(.delete, "/v1/tokens/abc", token: token, to: server).status == 403)
        }
        await server.drain()
    }

    @Test(arguments: [
        "", "[]", "{}", "{\"name\":\"x\"}", "{\"role\":\"user\"}", "{\"name\":\"x\",\"role\":\"root\"}",
        "{\"name\":\"\",\"role\":\"user\"}", "{\"name\":\"a\\nb\",\"role\":\"user\"}", "{\"name\":1,\"role\":\"user\"}",
        "{\"name\":\"x\",\"role\":\"user\",\"verbs\":[]}", "{\"name\":\"x\",\"role\":\"user\",\"verbs\":[\"write\"]}",
        "{\"name\":\"x\",\"role\":\"user\",\"collections\":[]}",
        "{\"name\":\"x\",\"role\":\"user\",\"collections\":\"Web\"}",
        "{\"name\":\"x\",\"role\":\"user\",\"collections\":[1]}",
        "{\"name\":\"x\",\"role\":\"user\",\"claims\":{\"a\":1}}",
        "{\"name\":\"x\",\"role\":\"user\",\"claims\":{\"a\":\"b\\u001fc\"}}",
        "{\"name\":\"x\",\"role\":\"user\",\"claims\":{\"a\":\"b\",\"a\":\"c\"}}",
        "{\"name\":\"x\",\"role\":\"user\",\"expiresIn\":\"0\"}",
        "{\"name\":\"x\",\"role\":\"user\",\"expiresIn\":3600}",
        "{\"name\":\"x\",\"role\":\"user\",\"expiresIn\":\"99999999d\"}",
        "{\"name\":\"x\",\"role\":\"user\",\"mayDerive\":true}", "{\"name\":\"x\",\"role\":\"user\",\"admin\":true}",
        "{\"name\":\"x\",\"role\":\"user\",\"role\":\"admin\"}",
    ])
    func `A nonsensical request for a token is refused`(body: String) async throws {
        let place = try await Place()
        let server = try await place.server()
        let admin = try await place.token(.admin)
        let answer = try await create(body, admin, on: server)
        #expect(answer.status == 422, "\(answer.text)")
        #expect(try await tokens(of: place).list().count == 1)
        await server.drain()
    }
}
