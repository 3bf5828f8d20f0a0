import ContentFeeding
import EngineSQLite
import Foundation
import HTTPService
import JSONText
import TestSupport
import Testing
import TextKit

@testable import ContentDistributor
@testable import ServerSecurity

/// The server without a socket: sessions, batches, documents and permissions on a real embedded store.
struct DistributorTests {
    /// A server with its folder; a second server on the same folder simulates a restart.
    final class Place: Sendable {
        let folder: TemporaryFolder
        let settings: DistributorSettings

        init(rules: String = "application-key", limits: (inout DistributorLimits) -> Void = { _ in }) async throws {
            folder = try TemporaryFolder()
            var settings = DistributorSettings(state: folder.path("state"))
            settings.target = "sqlite:" + folder.path("store.sqlite")
            var all = CollectionRules()
            for verb in AccessVerb.allCases { all.rules[verb] = try AccessRule(rules) }
            settings.collections = ["Web": all]
            limits(&settings.limits)
            self.settings = settings
            try FileManager.default.createDirectory(atPath: settings.state, withIntermediateDirectories: true)
            let store = try await SQLiteEngine.create(path: folder.path("store.sqlite"))
            try await store.create(CollectionName(rawValue: "Web"), settings: [])
        }

        func server() async throws -> ContentDistributor { try await ContentDistributor(settings) { _ in } }

        func token(_ role: AccessToken.Role, _ claims: [String: String] = [:]) async throws -> String {
            let tokens = try AccessTokens(path: settings.state + "/access.sqlite")
            return try await tokens.create("test", role, claims: claims, at: .seconds(1)).secret
        }
    }

    struct Answer {
        let status: Int
        let headers: HeaderFields
        let text: String
        var json: JSONValue { (try? JSONValue(Array(text.utf8))) ?? .null }
    }

    func send(
        _ method: RequestMethod,
        _ target: String,
        _ body: String = "",
        token: String?,
        headers: [(String, String)] = [],
        to server: ContentDistributor
    ) async throws -> Answer {
        let parts = target.split(separator: "?", maxSplits: 1)
        var query: [(name: String, value: String)] = []
        for item in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let pair = item.split(separator: "=", maxSplits: 1)
            query.append((name: String(pair[0]), value: pair.count > 1 ? String(pair[1]) : ""))
        }
        var fields: HeaderFields = ["Content-Type": "application/x-ndjson"]
        if let token { fields.append("Authorization", "Bearer " + token) }
        for (name, value) in headers { fields.append(name, value) }
        let request = ServedRequest(
            method,
            String(parts[0]),
            query: query,
            headers: fields,
            body: .bytes(Array(body.utf8))
        )
        let response = await server.router.respond(to: request)
        let bytes = try await response.collectBody(upTo: 1 << 20)
        return Answer(
            status: response.status.code,
            headers: response.headers,
            text: String(decoding: bytes, as: UTF8.self)
        )
    }

    func session(_ token: String, on server: ContentDistributor) async throws -> String {
        let answer = try await send(.post, "/v1/collections/Web/sessions", token: token, to: server)
        try #require(answer.status == 201, "\(answer.text)")
        return try #require(answer.json["session"].text)
    }

    // MARK: Sessions

    @Test(arguments: ["$inc", #"\u0024inc"#])
    func `A batch with an operator that would be stored is refused by line, except in an envelope`(
        name: String
    ) async throws {
        let place = try await Place()
        let server = try await place.server()
        let token = try await place.token(.application)
        let path = "/v1/sessions/\(try await session(token, on: server))/batches/1"
        let stored = #"{"schema":"fastctl.document/1","id":"a","document":{"n":{"\#(name)":1}}}"#
        let bare = #"{"id":"b","n":{"\#(name)":1}}"#
        let refused = try await send(.put, path, "\(stored)\n\(bare)", token: token, to: server)
        #expect(refused.status == 422 && refused.text.contains("line 2: has $inc in 'n'"), "\(refused.text)")
        #expect(try await send(.put, path, stored, token: token, to: server).status == 202)
        await server.drain()
    }

    @Test func `Batches are fed in order, and outcomes are reported in FAST's terms`() async throws {
        let place = try await Place()
        let server = try await place.server()
        let token = try await place.token(.application)
        let id = try await session(token, on: server)
        let added = try await send(
            .put,
            "/v1/sessions/\(id)/batches/1",
            "{\"id\":\"ID1\"}\n{\"id\":\"ID2\"}\n{\"id\":\"ID4\"}\n",
            token: token,
            to: server
        )
        #expect(added.status == 202)
        #expect(added.json["firstOperation"].int == 1)
        let removed = try await send(
            .put,
            "/v1/sessions/\(id)/batches/2?operation=remove",
            "\"ID1\"\n\"ID2\"\n\"FAKEID\"\n\"ID4\"\n",
            token: token,
            to: server
        )
        #expect(removed.json["firstOperation"].int == 4)
        let state = try await send(.get, "/v1/sessions/\(id)?wait=live&timeout=20", token: token, to: server)
        #expect(state.json["reached"].text == "live")
        #expect(state.json["settledThrough"].int == 7)
        #expect(state.json["outcomes"]["removed"].int == 3)
        #expect(state.json["outcomes"]["missing"].int == 1)
        _ = try await send(.delete, "/v1/sessions/\(id)", token: token, to: server)
        let outcomes = try await send(.get, "/v1/sessions/\(id)/outcomes", token: token, to: server)
        let lines = outcomes.text.split(separator: "\n").map(String.init)
        let issue = try #require(try lines.first.map { try JSONValue(Array($0.utf8)) })
        #expect(issue["operationID"].int == 6)
        #expect(issue["documentID"].text == "FAKEID")
        #expect(issue["errorCode"].int == 3)
        #expect(issue["description"].text == "Document e14c677abdbd9678dbfe1e5580de9aef_Web does not exist")
        #expect(lines.last?.contains("\"hasEnded\":true") == true)
        // A client that has received the last error gets no more errors.
        let rest = try await send(.get, "/v1/sessions/\(id)/outcomes?after=1", token: token, to: server)
        #expect(!rest.text.contains("FAKEID"))
    }

    @Test func `A batch that is sent again is recognized, and a different batch with its number is refused`()
        async throws
    {
        let place = try await Place()
        let server = try await place.server()
        let token = try await place.token(.application)
        let id = try await session(token, on: server)
        let path = "/v1/sessions/\(id)/batches/1"
        #expect(try await send(.put, path, "{\"id\":\"a\"}", token: token, to: server).status == 202)
        let again = try await send(.put, path, "{\"id\":\"a\"}", token: token, to: server)
        #expect(again.status == 202 && again.json["isRepeated"].bool == true)
        #expect(try await send(.put, path, "{\"id\":\"b\"}", token: token, to: server).status == 409)
        let ahead = try await send(.put, "/v1/sessions/\(id)/batches/3", "{\"id\":\"c\"}", token: token, to: server)
        #expect(ahead.status == 409 && ahead.json["code"].text == "batchesMissing")
        let state = try await send(.get, "/v1/sessions/\(id)?wait=secured", token: token, to: server)
        #expect(state.json["outcomes"]["added"].int == 1)
    }

    @Test(arguments: [
        ("{\"id\":\"a\"}\n{\"x\":1}\n", "line 2"), ("{\"id\":\"a\"}\nnothing\n", "line 2"), ("", "no operations"),
        ("{\"id\":\"\"}\n", "line 1"),
    ])
    func `A batch with a line that is not an operation is rejected as a whole`(
        body: String,
        message: String
    ) async throws {
        let place = try await Place()
        let server = try await place.server()
        let token = try await place.token(.application)
        let id = try await session(token, on: server)
        let answer = try await send(.put, "/v1/sessions/\(id)/batches/1", body, token: token, to: server)
        #expect(answer.status == 422)
        #expect(answer.text.contains(message), "\(answer.text)")
        #expect(try await send(.get, "/v1/sessions/\(id)", token: token, to: server).json["operations"].int == 0)
    }

    @Test func `Accepted batches are fed by the next server, and no operation is fed twice`() async throws {
        let place = try await Place()
        let token = try await place.token(.application)
        var id = ""
        for round in 0..<4 {
            let server = try await place.server()
            if round == 0 { id = try await session(token, on: server) }
            for batch in (round * 5 + 1)...(round * 5 + 5) {
                let body = (0..<50).map { "{\"id\":\"\(batch)-\($0)\"}" }.joined(separator: "\n")
                let answer = try await send(.put, "/v1/sessions/\(id)/batches/\(batch)", body, token: token, to: server)
                #expect(answer.status == 202, "\(answer.text)")
            }
            await server.drain()
        }
        let last = try await place.server()
        let state = try await send(.get, "/v1/sessions/\(id)?wait=secured&timeout=30", token: token, to: last)
        #expect(state.json["settledThrough"].int == 1000)
        #expect(state.json["outcomes"]["added"].int == 1000, "\(state.text)")
        let admin = try await place.token(.admin)
        let page = try await send(.get, "/v1/collections/Web/documents?limit=1000", token: admin, to: last)
        #expect(page.json["documents"].elements.count == 1000)
        await last.drain()
    }

    @Test(
        arguments: [
            (1, [], [], 0), (1401, [], [], 1400), (1401, [1001, 1400], [], 1000), (11, [], [1, 3], 10),
            (11, [3], [1, 2], 2), (11, [13], [0, 1, 2], 12), (1, [], [0], 1), (5, [1, 2, 3, 4], [], 0),
        ] as [(UInt64, [UInt64], [Int], UInt64)]
    )
    func `An operation that the job keeps for a retry is not settled`(
        place: UInt64,
        open: [UInt64],
        bits: [Int],
        through: UInt64
    ) {
        var byte: UInt8 = 0
        for bit in bits { byte |= 1 << UInt8(bit) }
        let progress = FeedProgress(
            job: JobID(rawValue: "J"),
            lowestUnsettled: OperationID(rawValue: place),
            settled: byte == 0 ? [] : [byte]
        )
        var settled = SettledOperations(progress, open: open.map(OperationID.init(rawValue:)))
        #expect(settled.through == through)
        for operation in open { settled.insert(operation) }
        #expect(settled.through >= (place - 1))
    }

    @Test func `A session that ended keeps its final state on the next server`() async throws {
        let place = try await Place()
        let token = try await place.token(.application)
        let first = try await place.server()
        let id = try await session(token, on: first)
        _ = try await send(.put, "/v1/sessions/\(id)/batches/1", "{\"id\":\"a\"}", token: token, to: first)
        _ = try await send(.delete, "/v1/sessions/\(id)", token: token, to: first)
        let end = try await send(.get, "/v1/sessions/\(id)/outcomes", token: token, to: first)
        #expect(end.text.contains("\"hasEnded\":true"))
        await first.drain()
        let next = try await place.server()
        let state = try await send(.get, "/v1/sessions/\(id)?wait=live&timeout=20", token: token, to: next)
        #expect(state.json["hasEnded"].bool == true && state.json["reached"].text == "live", "\(state.text)")
        #expect(state.json["outcomes"]["added"].int == 1 && state.json["settledThrough"].int == 1)
        let late = try await send(.put, "/v1/sessions/\(id)/batches/2", "{\"id\":\"b\"}", token: token, to: next)
        #expect(late.status == 409)
        await next.drain()
    }

    @Test func `A session that was begun with outcomes reports the outcome of each operation of a batch`() async throws
    {
        let place = try await Place()
        let server = try await place.server()
        let token = try await place.token(.application)
        let sessions = "/v1/collections/Web/sessions"
        let begun = try await send(.post, sessions + "?outcomes=all&missing=ignore", token: token, to: server)
        let id = try #require(begun.json["session"].text)
        let path = "/v1/sessions/\(id)/batches/"
        let body = "{\"id\":\"a\"}\n{\"remove\":\"b\"}\n"
        #expect(try await send(.put, path + "1", body, token: token, to: server).status == 202)
        let first = try await send(.get, path + "1?timeout=20", token: token, to: server)
        #expect(first.json["outcomes"].elements.map(\.text) == ["added", "missing"], "\(first.text)")
        // A document with line breaks ends with NUL.
        let second = "{\"id\":\"a\",\n\"n\":1}\0{\"id\":\"c\"}\0"
        #expect(try await send(.put, path + "2", second, token: token, to: server).json["firstOperation"].int == 3)
        let outcomes = try await send(.get, path + "2?timeout=20", token: token, to: server)
        #expect(outcomes.json["outcomes"].elements.map(\.text) == ["updated", "added"], "\(outcomes.text)")
        #expect(try await send(.get, path + "3", token: token, to: server).json["code"].text == "noBatch")
        await server.drain()
        // The next server has a record that the operations are settled, but not of their outcomes.
        let next = try await place.server()
        let later = try await send(.get, path + "2?timeout=20", token: token, to: next)
        #expect(later.json["outcomes"].elements == [.null, .null], "\(later.text)")
        let other = try await session(token, on: next)
        #expect(try await send(.get, "/v1/sessions/\(other)/batches/1", token: token, to: next).status == 422)
        #expect(try await send(.post, sessions + "?outcomes=none", token: token, to: next).status == 422)
        await next.drain()
    }

    @Test func `A client's earlier session is fed before its later sessions`() async throws {
        let place = try await Place()
        let store = try BatchStore(path: place.settings.state + "/sessions.sqlite")
        let last = 4_999
        let many = (0...last).map { "{\"id\":\"d\($0)\",\"n\":1}" }.joined(separator: "\n")
        for (id, body, count) in [("EARLIER", many, last + 1), ("LATER", "{\"id\":\"d\(last)\",\"n\":2}", 1)] {
            let session = BatchStore.Session(
                id: id,
                collection: CollectionName("Web"),
                owner: "client",
                missing: .error,
                job: nil,
                lastBatch: 0,
                operations: 0,
                isClosed: false,
                keepsOutcomes: true
            )
            try await store.create(session)
            let batch = BatchStore.Batch(number: 1, kind: .add, first: 0, count: count, body: Array(body.utf8))
            _ = try await store.accept(batch, of: id, digest: [1])
        }
        let server = try await place.server()
        let admin = try await place.token(.admin)
        let state = try await send(.get, "/v1/sessions/LATER?wait=secured&timeout=60", token: admin, to: server)
        #expect(state.json["outcomes"]["updated"].int == 1, "\(state.text)")
        let document = try await send(.get, "/v1/collections/Web/documents/d\(last)", token: admin, to: server)
        #expect(document.json["n"].int == 2)
        await server.drain()
    }

    @Test func `A client looks up documents by their keys, and gets only the documents that it may read`() async throws
    {
        let place = try await Place(rules: "user.tenant == document.tenant")
        let server = try await place.server()
        let (admin, ann) = (try await place.token(.admin), try await place.token(.user, ["tenant": "a"]))
        for (id, tenant) in [("1", "a"), ("2", "b"), (".", "a")] {
            let path = "/v1/collections/Web/sessions"
            let begun = try await send(.post, path, token: admin, to: server)
            let session = try #require(begun.json["session"].text)
            let body = "{\"id\":\"\(id)\",\"tenant\":\"\(tenant)\"}"
            #expect(
                try await send(.put, "/v1/sessions/\(session)/batches/1", body, token: admin, to: server).status == 202
            )
            _ = try await send(.get, "/v1/sessions/\(session)?wait=live", token: admin, to: server)
        }
        let keys = "\"1\"\n{\"id\":\"2\"}\n\"none\"\n\".\"\n"
        let path = "/v1/collections/Web/lookups"
        let all = try await send(.post, path, keys, token: admin, to: server)
        #expect(all.json["answers"].elements.map(\.bool) == [true, true, false, true], "\(all.text)")
        let own = try await send(.post, path, keys, token: ann, to: server)
        #expect(own.json["answers"].elements.map(\.bool) == [true, false, false, true], "\(own.text)")
        #expect(own.json["documents"].elements.map { $0["id"].text } == ["1", "."])
        let presence = try await send(.post, path + "?documents=false", keys, token: ann, to: server)
        #expect(presence.json["answers"] == own.json["answers"])
        #expect(try await send(.post, path, keys, token: nil, to: server).status == 401)
        // A client that is not allowed to read all documents can't find out their number.
        let facts = try await send(.get, "/v1/collections/Web?count=true", token: ann, to: server)
        #expect(facts.status == 200 && facts.json["documents"] == .null)
        #expect(
            try await send(.get, "/v1/collections/Web?count=true", token: admin, to: server).json["documents"].int == 3
        )
        let list = try await send(.get, "/v1/collections", token: ann, to: server)
        #expect(list.json["collections"].elements.map(\.text) == ["Web"])
    }

    @Test func `A session can be used only by its owner`() async throws {
        let place = try await Place()
        let server = try await place.server()
        let (token, other) = (try await place.token(.application), try await place.token(.application))
        let id = try await session(token, on: server)
        #expect(try await send(.get, "/v1/sessions/\(id)", token: other, to: server).status == 404)
        #expect(try await send(.get, "/v1/sessions/\(id)", token: nil, to: server).status == 404)
        #expect(
            try await send(.get, "/v1/sessions/\(id)", token: try await place.token(.admin), to: server).status == 200
        )
    }

    @Test func `A server at its limit asks clients to wait`() async throws {
        let place = try await Place { limits in
            limits.sessions = 1
            limits.waitingBytes = 1
            limits.batchOperations = 2
        }
        let server = try await place.server()
        let token = try await place.token(.application)
        let id = try await session(token, on: server)
        let second = try await send(.post, "/v1/collections/Web/sessions", token: token, to: server)
        #expect(second.status == 429 && second.headers["Retry-After"] != nil)
        let three = "{\"id\":\"a\"}\n{\"id\":\"b\"}\n{\"id\":\"c\"}"
        #expect(try await send(.put, "/v1/sessions/\(id)/batches/1", three, token: token, to: server).status == 413)
        #expect(
            try await send(.put, "/v1/sessions/\(id)/batches/1", "{\"id\":\"a\"}", token: token, to: server).status
                == 202
        )
        #expect(
            try await send(.put, "/v1/sessions/\(id)/batches/2", "{\"id\":\"b\"}", token: token, to: server).status
                == 429
        )
    }

    // MARK: Documents

    @Test func `A document is written, read, changed and removed, each time on the version that was read`() async throws
    {
        let place = try await Place()
        let server = try await place.server()
        let token = try await place.token(.application)
        let path = "/v1/collections/Web/documents/a%2Fb"
        #expect(try await send(.put, path, "{\"id\":\"a/b\",\"n\":1}", token: token, to: server).status == 201)
        let read = try await send(.get, path, token: token, to: server)
        #expect(read.text == "{\"id\":\"a/b\",\"n\":1}")
        let tag = try #require(read.headers["ETag"])
        let unchanged = try await send(.get, path, token: token, headers: [("If-None-Match", tag)], to: server)
        #expect(unchanged.status == 304)
        let fresh = try await send(.put, path, "{}", token: token, headers: [("If-None-Match", "*")], to: server)
        #expect(fresh.status == 412)
        let patch = try await send(.patch, path, "{\"n\":2}", token: token, headers: [("If-Match", tag)], to: server)
        #expect(patch.status == 204)
        let late = try await send(.patch, path, "{\"n\":3}", token: token, headers: [("If-Match", tag)], to: server)
        #expect(late.status == 412)
        let now = try await send(.get, path, token: token, to: server)
        #expect(late.headers["ETag"] == now.headers["ETag"])
        #expect(now.json["n"].int == 2)
        #expect(try await send(.delete, path, token: token, to: server).status == 204)
        #expect(try await send(.delete, path, token: token, to: server).status == 404)
        #expect(try await send(.patch, path, "{}", token: token, to: server).status == 404)
    }

    @Test(arguments: [
        ("{\"a\":1,}", 400, "line 1, column 8"), ("{\n\"a\":x}", 400, "line 2, column 5"), ("[1]", 400, "column 1"),
        ("", 400, "column 1"),
    ])
    func `A body that is not a JSON object is refused with the position of the error`(
        body: String,
        status: Int,
        message: String
    ) async throws {
        let place = try await Place()
        let server = try await place.server()
        let token = try await place.token(.application)
        let answer = try await send(.put, "/v1/collections/Web/documents/a", body, token: token, to: server)
        #expect(answer.status == status)
        #expect(answer.text.contains(message), "\(answer.text)")
    }

    @Test func `A tenant sees and changes only its own documents, and no page is short`() async throws {
        let place = try await Place(rules: "user.tenant == document.tenant")
        let server = try await place.server()
        let admin = try await place.token(.admin)
        let tenants = ["a", "b", "c"]
        var tokens: [String: String] = [:]
        for tenant in tenants { tokens[tenant] = try await place.token(.user, ["tenant": tenant]) }
        var random = SplitMix64(seed: 20_261_128)
        var documents: [String: String] = [:]
        for number in 0..<600 {
            let tenant = tenants[Int.random(in: 0..<3, using: &random)]
            documents["d\(number)"] = tenant
            let body = "{\"id\":\"d\(number)\",\"tenant\":\"\(tenant)\",\"kind\":\"k\(number % 5)\"}"
            let token = try #require(tokens[tenant])
            let answer = try await send(
                .put,
                "/v1/collections/Web/documents/d\(number)",
                body,
                token: token,
                to: server
            )
            #expect(answer.status == 201)
        }
        for tenant in tenants {
            let token = try #require(tokens[tenant])
            for filter in ["", "&where=kind=k1", "&where=tenant=b"] {
                var (found, cursor, pages) = (Set<String>(), "", 0)
                repeat {
                    let tail = cursor.isEmpty ? "" : "&cursor=\(cursor)"
                    let page = try await send(
                        .get,
                        "/v1/collections/Web/documents?limit=7\(filter)\(tail)",
                        token: token,
                        to: server
                    )
                    try #require(page.status == 200, "\(page.text)")
                    let ids = page.json["documents"].elements.compactMap { $0["id"].text }
                    #expect(ids.count == 7 || page.json["next"].text == nil)
                    for id in ids { #expect(documents[id] == tenant && found.insert(id).inserted) }
                    cursor = page.json["next"].text ?? ""
                    pages += 1
                } while !cursor.isEmpty && pages < 200
                let expected = documents.filter { id, owner in
                    let number = Int(id.dropFirst()) ?? 0
                    return owner == tenant
                        && (filter.isEmpty || filter.hasSuffix("k1") && number % 5 == 1
                            || filter.hasSuffix("=b") && owner == "b")
                }
                #expect(found == Set(expected.keys))
            }
            // Other tenants' documents appear not to exist, and can't be taken over.
            for (id, owner) in documents.sorted(by: { $0.key < $1.key }).prefix(20) where owner != tenant {
                let path = "/v1/collections/Web/documents/\(id)"
                #expect(try await send(.get, path, token: token, to: server).status == 404)
                #expect(try await send(.patch, path, "{\"x\":1}", token: token, to: server).status == 404)
                #expect(try await send(.delete, path, token: token, to: server).status == 404)
                // It can't be distinguished from a document that does not exist.
                for condition in [[], [("If-Match", "\"1\"")], [("If-None-Match", "*")]] {
                    for method in [RequestMethod.get, .patch, .delete] {
                        let none = "/v1/collections/Web/documents/none-\(id)"
                        let other = try await send(method, path, "{}", token: token, headers: condition, to: server)
                        let absent = try await send(method, none, "{}", token: token, headers: condition, to: server)
                        #expect(other.status == absent.status && other.json["message"] == absent.json["message"])
                    }
                }
                let own = "{\"tenant\":\"\(tenant)\"}"
                #expect(try await send(.put, path, own, token: token, to: server).status == 403)
                #expect(try await send(.get, path, token: admin, to: server).json["tenant"].text == owner)
            }
        }
        // A tenant can't give a document away, or use another tenant's cursor.
        let token = try #require(tokens["a"])
        let mine = try #require(documents.first { $0.value == "a" }?.key)
        let gift = try await send(
            .patch,
            "/v1/collections/Web/documents/\(mine)",
            "{\"tenant\":\"b\"}",
            token: token,
            to: server
        )
        #expect(gift.status == 403)
        let page = try await send(.get, "/v1/collections/Web/documents?limit=7", token: tokens["b"], to: server)
        let cursor = try #require(page.json["next"].text)
        let stolen = try await send(
            .get,
            "/v1/collections/Web/documents?limit=7&cursor=\(cursor)",
            token: token,
            to: server
        )
        #expect(stolen.status == 422)
        // A batch without conditions can't be examined document by document, so it needs more rights.
        let batches = try await send(.post, "/v1/collections/Web/sessions", token: token, to: server)
        let id = try #require(batches.json["session"].text)
        let batch = try await send(
            .put,
            "/v1/sessions/\(id)/batches/1",
            "{\"id\":\"x\",\"tenant\":\"b\"}",
            token: token,
            to: server
        )
        #expect(batch.status == 403)
    }

    @Test func `A refused client learns only that the action is refused, and the log records the refusal`() async throws
    {
        let place = try await Place(rules: "admins")
        let server = try await place.server()
        let (user, admin) = (try await place.token(.user), try await place.token(.admin))
        let path = "/v1/collections/Web/documents/a"
        #expect(try await send(.put, path, "{}", token: admin, to: server).status == 201)
        for target in [path, "/v1/collections/Web/documents/none", "/v1/collections/None/documents/a"] {
            for method in [RequestMethod.get, .put, .patch, .delete] {
                #expect(try await send(method, target, "{}", token: user, to: server).status == 403)
                #expect(try await send(method, target, "{}", token: nil, to: server).status == 401)
                #expect(try await send(method, target, "{}", token: "fcd_x", to: server).status == 401)
            }
        }
        #expect(try await send(.get, "/metrics", token: user, to: server).status == 403)
        #expect(try await send(.get, "/v1/collections/None/documents/a", token: admin, to: server).status == 404)
        let log = try String(contentsOfFile: place.settings.state + "/audit.log", encoding: .utf8)
        #expect(log.split(separator: "\n").count { $0.contains("\"status\":403") } == 12)
        #expect(!log.contains("fcd_"))
        #expect(try AuditLog.verify(place.settings.state + "/audit.log").defect == nil)
    }

    @Test func `Only web pages of the named origins may use the server`() async throws {
        let place = try await Place()
        var settings = place.settings
        settings.origins = ["https://app.example"]
        let server = try await ContentDistributor(settings) { _ in }
        let path = "/v1/collections/Web/documents/a"
        let good = [("Origin", "https://app.example")]
        let preflight = try await send(.options, path, token: nil, headers: good, to: server)
        #expect(preflight.status == 204)
        #expect(preflight.headers["Access-Control-Allow-Origin"] == "https://app.example")
        #expect(preflight.headers["Access-Control-Allow-Methods"]?.contains("PUT") == true)
        #expect(preflight.headers["Access-Control-Allow-Headers"]?.contains("Authorization") == true)
        for origin in ["https://app.example.evil", "null", "http://app.example"] {
            let answer = try await send(.options, path, token: nil, headers: [("Origin", origin)], to: server)
            #expect(answer.headers["Access-Control-Allow-Origin"] == nil)
            #expect(answer.headers["Vary"] == "Origin")
        }
        let other = try await send(.options, path, token: nil, headers: good, to: try await place.server())
        #expect(other.headers["Access-Control-Allow-Origin"] == nil)
    }

    @Test func `A page of a named origin can also read errors, and its preflight requires no token`() async throws {
        let place = try await Place()
        var settings = place.settings
        settings.origins = ["https://app.example"]
        settings.limits.batchOperations = 1
        let server = try await ContentDistributor(settings) { _ in }
        let (token, user) = (try await place.token(.application), try await place.token(.user))
        let (good, bad) = (("Origin", "https://app.example"), ("Origin", "https://evil.example"))
        let path = "/v1/collections/Web/documents/a"
        let session = try await session(token, on: server)
        let twoLines = "{\"id\":\"a\"}\n{\"id\":\"b\"}"
        let cases: [(Int, RequestMethod, String, String, String?)] = [
            (401, .get, path, "", nil), (401, .get, path, "", "fcd_wrong"), (403, .get, path, "", user),
            (404, .get, path, "", token), (404, .get, "/nowhere", "", token), (405, .put, "/live", "", nil),
            (413, .put, "/v1/sessions/\(session)/batches/1", twoLines, token), (400, .put, path, "{", token),
        ]
        for (status, method, target, body, token) in cases {
            for origin in [good, bad] {
                let answer = try await send(method, target, body, token: token, headers: [origin], to: server)
                #expect(answer.status == status, "\(target): \(answer.text)")
                let shared = answer.headers["Access-Control-Allow-Origin"]
                #expect(shared == (origin.1 == good.1 ? good.1 : nil), "\(status)")
                #expect(answer.headers["Vary"] == "Origin", "\(status)")
                #expect(
                    answer.headers["Access-Control-Expose-Headers"]?.contains("Retry-After")
                        == (shared != nil ? true : nil)
                )
            }
        }
        await server.drain()
    }

    @Test func `A page can read the refusal of too many requests, and preflights are never limited`() async throws {
        let place = try await Place { $0.requestsPerSecond = 1 }
        var settings = place.settings
        settings.origins = ["https://app.example"]
        let server = try await ContentDistributor(settings) { _ in }
        let (path, good) = ("/v1/collections/Web/documents/a", ("Origin", "https://app.example"))
        var refused: Answer?
        for _ in 0..<40 where refused == nil {
            let answer = try await send(.get, path, token: nil, headers: [good], to: server)
            if answer.status == 429 { refused = answer }
        }
        #expect(refused?.headers["Access-Control-Allow-Origin"] == good.1)
        // If the preflight were refused, the reason would be hidden.
        let asked = [
            good, ("Access-Control-Request-Method", "PUT"), ("Access-Control-Request-Headers", "authorization"),
        ]
        for _ in 0..<40 {
            let preflight = try await send(.options, path, token: nil, headers: asked, to: server)
            #expect(preflight.status == 204 && preflight.headers["Access-Control-Max-Age"] == "600")
            #expect(preflight.headers["Access-Control-Allow-Methods"]?.contains("PUT") == true)
        }
        let others = [("Origin", "https://evil.example")]
        var statuses: Set<Int> = []
        for _ in 0..<40 {
            statuses.insert(try await send(.options, path, token: nil, headers: others, to: server).status)
        }
        #expect(statuses.contains(429))
    }

    // MARK: IDs of others

    @Test func `A tenant that chooses its own IDs learns nothing about other tenants' IDs`() async throws {
        let place = try await Place(rules: "user.tenant == document.tenant")
        var settings = place.settings
        settings.collections["Web"]?.ownIDs = "tenant"
        let server = try await ContentDistributor(settings) { _ in }
        let ann = try await place.token(.user, ["tenant": "a"])
        let bob = try await place.token(.user, ["tenant": "b"])
        let path = "/v1/collections/Web/documents/"
        let own = "{\"tenant\":\"b\"}"
        #expect(try await send(.put, path + "a:1", "{\"tenant\":\"a\"}", token: ann, to: server).status == 201)
        #expect(try await send(.put, path + "b:1", own, token: bob, to: server).status == 201)
        let session = try await session(bob, on: server)
        func answers(about id: String) async throws -> [String] {
            var answers: [String] = []
            for headers in [[], [("If-None-Match", "*")], [("If-Match", "\"1\"")]] {
                for method in [RequestMethod.put, .patch, .delete, .get] where method != .get || headers.isEmpty {
                    let answer = try await send(method, path + id, own, token: bob, headers: headers, to: server)
                    answers.append(
                        "\(answer.status) \(answer.json["code"].text ?? "") \(answer.json["message"].text ?? "")"
                    )
                    #expect(answer.headers["ETag"] == nil)
                }
            }
            let lines = [
                "add": "{\"id\":\"\(id)\",\"tenant\":\"b\",\"onVersion\":null}",
                "update": "{\"id\":\"\(id)\",\"tenant\":\"b\",\"onVersion\":\"1\"}",
                "remove": "{\"remove\":\"\(id)\",\"onVersion\":\"1\"}",
            ]
            for (kind, line) in lines.sorted(by: { $0.key < $1.key }) {
                let target = "/v1/sessions/\(session)/batches/1?operation=\(kind)"
                let answer = try await send(.put, target, line, token: bob, to: server)
                answers.append("\(answer.status) \(answer.json["code"].text ?? "")")
            }
            return answers
        }
        let taken = try await answers(about: "a:1")
        #expect(try await answers(about: "a:2") == taken)
        #expect(taken.count == 13 && taken.allSatisfy { $0.hasPrefix("403 ") || $0.hasPrefix("404 ") }, "\(taken)")
        #expect(try await send(.get, path + "a:1", token: ann, to: server).json["tenant"].text == "a")
        // Documents whose ID is chosen by the server get an ID under which they may be written.
        let posted = try await send(.post, String(path.dropLast()), own, token: bob, to: server)
        let location = try #require(posted.headers["Location"])
        #expect(location.hasPrefix(path + "b:"))
        #expect(try await send(.patch, location, "{\"n\":1}", token: bob, to: server).status == 204)
        // Neither a claim that could begin other tenants' IDs nor a missing claim grants a right.
        let odd = try await place.token(.user, ["tenant": "a:x"])
        #expect(try await send(.put, path + "a:x:1", "{\"tenant\":\"a:x\"}", token: odd, to: server).status == 403)
        let admin = try await place.token(.admin)
        #expect(try await send(.put, path + "anything", own, token: admin, to: server).status == 201)
        await server.drain()
    }

    @Test func `A client that sends too many requests has to wait, and does not delay other clients`() async throws {
        let place = try await Place { $0.requestsPerSecond = 1 }
        let server = try await place.server()
        let (greedy, modest) = (try await place.token(.application), try await place.token(.application))
        var refused = 0
        for _ in 0..<40 {
            let answer = try await send(.get, "/v1/collections/Web/documents/a", token: greedy, to: server)
            if answer.status == 429 { refused += 1 } else { #expect(answer.status == 404) }
        }
        // The number depends on the machine; the arithmetic has a separate test.
        #expect(refused > 0)
        #expect(try await send(.get, "/v1/collections/Web/documents/a", token: modest, to: server).status == 404)
    }

    @Test func `A client's allowance is replenished over time, up to two seconds' worth of requests`() {
        let (rates, start) = (ClientRates(perSecond: 10), ContinuousClock.now)
        let burst = (0..<100).count { _ in rates.admits("a", at: start) }
        #expect(burst == 20)
        #expect((0..<100).count { _ in rates.admits("a", at: start + .milliseconds(500)) } == 5)
        #expect((0..<100).count { _ in rates.admits("a", at: start + .seconds(60)) } == 20)
    }
}
