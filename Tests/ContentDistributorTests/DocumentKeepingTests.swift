import ContentFeeding
import EngineSQLite
import FeedingTestKit
import Files
import Foundation
import HTTPService
import JSONText
import Synchronization
import TestSupport
import Testing
import TextKit

@testable import ContentDistributor

/// The fields that the server keeps in documents, soft deletions, keys, and the choice of fields.
extension DistributorTests {
    private static let path = "/v1/collections/Web/documents"

    /// Returns a server with different settings for its collection; only the newest server on a folder may write.
    private func server(
        _ place: Place,
        _ change: (inout CollectionRules) -> Void
    ) async throws -> ContentDistributor {
        var settings = place.settings
        var rules = try #require(settings.collections["Web"])
        change(&rules)
        settings.collections["Web"] = rules
        return try await ContentDistributor(settings) { _ in }
    }

    private func keepAll(_ rules: inout CollectionRules) {
        (rules.keeping.created, rules.keeping.updated, rules.keeping.version) = ("createdAt", "updatedAt", "version")
    }

    private func keepAllSoftly(_ rules: inout CollectionRules) {
        keepAll(&rules)
        rules.keeping.deleted = "deleted"
    }

    // MARK: Kept fields

    @Test func `The server maintains the times of the first and last write, and the number of writes`() async throws {
        let place = try await Place()
        let server = try await server(place, keepAll)
        let token = try await place.token(.application)
        let path = Self.path + "/a"
        let start = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
        #expect(try await send(.put, path, "{\"n\":1}", token: token, to: server).status == 201)
        let first = try await send(.get, path, token: token, to: server).json
        let created = try #require(first["createdAt"].text)
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        #expect(try format.parse(created) >= start)
        #expect(created.utf8.count == "2026-11-28T08:00:00.000Z".utf8.count && created.hasSuffix("Z"))
        #expect(first["updatedAt"].text == created && first["version"].int == 1)

        while UTCTimestamp(since1970: ProcessFacts.now).description <= created { await Task.yield() }
        #expect(try await send(.put, path, "{\"n\":2}", token: token, to: server).status == 204)
        let second = try await send(.get, path, token: token, to: server)
        #expect(second.json["createdAt"].text == created && second.json["version"].int == 2)
        #expect(try #require(second.json["updatedAt"].text) > created)

        // A client may send back the values that it has read.
        #expect(try await send(.put, path, second.text, token: token, to: server).status == 204)
        #expect(try await send(.patch, path, "{\"m\":1,\"version\":3}", token: token, to: server).status == 204)
        let last = try await send(.get, path, token: token, to: server).json
        #expect(last["version"].int == 4 && last["createdAt"].text == created)
        #expect(last["n"].int == 2 && last["m"].int == 1)

        let posted = try await send(.post, Self.path, "{}", token: token, to: server)
        let location = try #require(posted.headers["Location"])
        #expect(try await send(.get, location, token: token, to: server).json["version"].int == 1)
    }

    @Test(arguments: [
        ("{\"version\":7}", "version"), ("{\"version\":\"1\"}", "version"), ("{\"version\":null}", "version"),
        ("{\"version\":7,\"version\":1}", "version"), ("{\"version\":1,\"version\":7}", "version"),
        ("{\"createdAt\":\"2020-01-01T00:00:00.000Z\"}", "createdAt"), ("{\"\\u0075pdatedAt\":1}", "updatedAt"),
    ])
    func `A server-maintained field with a different value is refused by name`(body: String, field: String) async throws
    {
        let place = try await Place()
        let server = try await server(place, keepAll)
        let token = try await place.token(.application)
        let path = Self.path + "/a"
        _ = try await send(.put, path, "{}", token: token, to: server)
        let before = try await send(.get, path, token: token, to: server)
        for (method, target) in [(RequestMethod.put, path), (.patch, path), (.post, Self.path)] {
            let answer = try await send(method, target, body, token: token, to: server)
            #expect(answer.status == 422 && answer.json["field"].text == field, "\(answer.text)")
        }
        #expect(try await send(.get, path, token: token, to: server).text == before.text)
    }

    @Test func `A patch can count and change lists, but its operators can't change server-maintained fields`()
        async throws
    {
        let place = try await Place()
        let server = try await server(place, keepAll)
        let token = try await place.token(.application)
        let path = Self.path + "/a"
        _ = try await send(.put, path, #"{"n":1,"p":{"m":1},"t":["x"]}"#, token: token, to: server)
        let patch = #"{"n":{"$inc":2},"p.m":{"$inc":4},"t":{"$add":["y"]}}"#
        #expect(try await send(.patch, path, patch, token: token, to: server).status == 204)
        let before = try await send(.get, path, token: token, to: server)
        #expect(before.json["n"].int == 3 && before.json["p"]["m"].int == 5 && before.json["version"].int == 2)
        #expect(before.json["t"].elements.compactMap(\.text) == ["x", "y"])
        for body in [#"{"version":{"$inc":5}}"#, #"{"createdAt.x":{"$set":1}}"#, #"{"n":{"$push":1}}"#] {
            let answer = try await send(.patch, path, body, token: token, to: server)
            #expect(answer.status == 422, "\(answer.text)")
        }
        #expect(try await send(.get, path, token: token, to: server).text == before.text)
    }

    @Test(arguments: [(RequestMethod.put, #"{"n":{"$inc":1}}"#), (.patch, #"{"p":{"n":{"$inc":1}}}"#)])
    func `An operator that would be stored is refused, also if its dollar sign is escaped`(
        method: RequestMethod,
        body: String
    ) async throws {
        let place = try await Place()
        let server = try await server(place, keepAll)
        let token = try await place.token(.application)
        for body in [body, body.replacing("$", with: #"\u0024"#)] {
            let answer = try await send(method, Self.path + "/a", body, token: token, to: server)
            #expect(answer.status == 400 && answer.text.contains("misplacedOperator"), "\(answer.text)")
        }
        #expect(try await send(.get, Self.path + "/a", token: token, to: server).status == 404)
    }

    @Test func `The refusal of values that look like operators shows the JSON that stores them`() async throws {
        let place = try await Place()
        let server = try await place.server()
        let token = try await place.token(.application)
        let path = Self.path + "/a"
        /// Returns the JSON in the advice of the refusal.
        func advised(_ method: RequestMethod, _ body: String) async throws -> String {
            let refused = try await send(method, path, body, token: token, to: server)
            #expect(refused.status == 400 && refused.json["code"].text == "misplacedOperator", "\(refused.text)")
            return String(try #require(refused.json["advice"].text).drop { $0 != "{" })
        }
        let document = #"{"n":{"$set":1},"t":[{"$inc":2}]}"#
        let line = try await advised(.put, document).replacing(#""ID""#, with: #""a""#)
            .replacing("{…}", with: document)
        let state = try await feed([("add", line)], token, to: server)
        #expect(state["outcomes"]["added"].int == 1, "\(line)")
        let stored = try await send(.get, path, token: token, to: server).json
        let sent = try JSONValue(Array(document.utf8))
        #expect(stored == sent)
        let value = #"{"n":{"$inc":1}}"#
        let patch = try await advised(.patch, #"{"p":\#(value)}"#).replacing("KEY", with: "p")
            .replacing("VALUE", with: value)
        #expect(try await send(.patch, path, patch, token: token, to: server).status == 204, "\(patch)")
        let patched = try await send(.get, path, token: token, to: server).json
        let data = try JSONValue(Array(value.utf8))
        #expect(patched["p"] == data && patched["n"] == stored["n"])
        await server.drain()
    }

    @Test func `A path can't create a key that the collection does not accept`() throws {
        var keeping = DocumentKeeping()
        keeping.restrict(to: ["a.b", "c"])
        func unknown(_ patch: String) -> String? {
            keeping.unknownKey(in: .update(Document(id: "x", json: Array(patch.utf8))))
        }
        #expect(unknown(#"{"a.b":1,"c":{"$inc":1}}"#) == nil)
        #expect(unknown(#"{"a.b":{"$inc":1}}"#) == "a.b")
        #expect(unknown(#"{"c.d":{"$inc":1}}"#) == "c.d")
    }

    @Test func `Simultaneous writes get consecutive numbers, and no write is lost`() async throws {
        let place = try await Place()
        let server = try await server(place, keepAll)
        let token = try await place.token(.application)
        let path = Self.path + "/a"
        #expect(try await send(.put, path, "{}", token: token, to: server).status == 201)
        let (clients, writes) = (4, 8)
        let written = try await withThrowingTaskGroup(of: [String].self) { group in
            for client in 0..<clients {
                group.addTask {
                    var written: [String] = []
                    for number in 0..<writes {
                        let key = "k\(client)-\(number)"
                        let answer = try await send(.patch, path, "{\"\(key)\":1}", token: token, to: server)
                        #expect(answer.status == 204, "\(answer.text)")
                        if answer.status == 204 { written.append(key) }
                    }
                    return written
                }
            }
            // If two writes had the same number, the last number would be lower; if there were a gap, it would be
            // higher.
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let document = try await send(.get, path, token: token, to: server).json
        #expect(document["version"].int == 1 + written.count)
        for key in written { #expect(document[key].int == 1) }
    }

    @Test func `Simultaneous writes, deletions and restorations are all counted`() async throws {
        let place = try await Place()
        let server = try await server(place, keepAllSoftly)
        let (token, admin) = (try await place.token(.application), try await place.token(.admin))
        let path = Self.path + "/a"
        let done = try await withThrowingTaskGroup(of: Int.self) { group in
            for client in 1...4 as ClosedRange<UInt64> {
                group.addTask {
                    var (random, done) = (SplitMix64(seed: client), 0)
                    for _ in 0..<10 {
                        let methods = [RequestMethod.put, .put, .patch, .delete]
                        let method = methods[Int.random(in: 0..<4, using: &random)]
                        let answer = try await send(method, path, "{\"n\":\(client)}", token: token, to: server)
                        #expect([201, 204, 404].contains(answer.status), "\(answer.text)")
                        #expect(answer.status != 404 || method != .put)
                        if answer.status != 404 { done += 1 }
                    }
                    return done
                }
            }
            return try await group.reduce(0, +)
        }
        let document = try await send(.get, path + "?deleted=include", token: admin, to: server).json
        #expect(done > 0 && document["version"].int == done)
    }

    @Test func `A document that was not written through the server has no time of its first write`() async throws {
        let place = try await Place()
        let plain = try await place.server()
        let token = try await place.token(.application)
        let (old, odd) = (Self.path + "/old", Self.path + "/odd")
        _ = try await send(.put, old, "{\"n\":1}", token: token, to: plain)
        _ = try await send(.put, odd, "{\"version\":\"x\"}", token: token, to: plain)
        let server = try await server(place, keepAll)
        #expect(try await send(.put, old, "{\"n\":2}", token: token, to: server).status == 204)
        let document = try await send(.get, old, token: token, to: server).json
        #expect(document["createdAt"] == .null && document["version"].int == 1)
        let refused = try await send(.put, odd, "{}", token: token, to: server)
        #expect(refused.status == 422 && refused.json["field"].text == "version")
    }

    // MARK: Batches

    /// Sends batches in a new session, and returns the session's state once all of them have outcomes.
    private func feed(
        _ batches: [(operation: String, lines: String)],
        _ token: String,
        to server: ContentDistributor
    ) async throws -> JSONValue {
        let path = "/v1/sessions/\(try await session(token, on: server))"
        for (number, batch) in batches.enumerated() {
            let target = "\(path)/batches/\(number + 1)?operation=\(batch.operation)"
            let answer = try await send(.put, target, batch.lines, token: token, to: server)
            try #require(answer.status == 202, "\(answer.text)")
        }
        let state = try await send(.get, path + "?wait=secured&timeout=60", token: token, to: server)
        try #require(state.json["reached"].text == "secured", "\(state.text)")
        return state.json
    }

    @Test func `A batch maintains fields as single writes do, whatever values its lines contain for them`() async throws
    {
        let place = try await Place()
        let server = try await server(place, keepAll)
        let token = try await place.token(.application)
        let path = Self.path + "/a"
        #expect(try await send(.put, path, "{\"n\":1}", token: token, to: server).status == 201)
        let first = try await send(.get, path, token: token, to: server).json
        let other = "{\"id\":\"b\",\"version\":7,\"createdAt\":\"2020-01-01T00:00:00.000Z\"}"
        let state = try await feed(
            [
                ("add", "{\"id\":\"a\",\"n\":2,\"updatedAt\":1}\n\(other)\n{\"id\":\"c\"}\n"),
                ("update", "{\"id\":\"a\",\"m\":3,\"createdAt\":null}\n{\"id\":\"none\",\"m\":3}\n"),
                ("remove", "\"c\"\n\"none\"\n"),
            ],
            token,
            to: server
        )
        for (outcome, count) in [("added", 2), ("updated", 2), ("removed", 1), ("missing", 2)] {
            #expect(state["outcomes"][outcome].int == count, "\(state)")
        }
        let last = try await send(.get, path, token: token, to: server).json
        #expect(last["n"].int == 2 && last["m"].int == 3 && last["version"].int == 3)
        #expect(last["createdAt"].text == first["createdAt"].text)
        #expect(try #require(last["updatedAt"].text) >= (try #require(first["updatedAt"].text)))
        let new = try await send(.get, Self.path + "/b", token: token, to: server).json
        #expect(new["version"].int == 1 && new["createdAt"].text == new["updatedAt"].text)
        #expect(try await send(.get, Self.path + "/c", token: token, to: server).status == 404)
        await server.drain()
    }

    @Test func `Removals in a batch mark documents as deleted, and their outcomes survive a restart`() async throws {
        let place = try await Place()
        let soft: @Sendable (inout CollectionRules) -> Void = { $0.keeping.deleted = "deleted" }
        let server = try await server(place, soft)
        let (token, admin) = (try await place.token(.application), try await place.token(.admin))
        let path = "/v1/sessions/\(try await session(token, on: server))"
        let added = "{\"id\":\"a\",\"n\":1}\n{\"id\":\"b\",\"n\":1}\n"
        let new = Self.newDocument("{\"id\":\"a\",\"n\":2}", "a") + Self.newDocument("{\"id\":\"c\"}", "c")
        let batches = [
            ("add", added), ("remove", "\"a\"\n\"b\"\n"), ("remove", "\"b\"\n"), ("update", "{\"id\":\"b\",\"n\":3}"),
            ("add", new), ("add", new),
        ]
        for (number, batch) in batches.enumerated() {
            let target = "\(path)/batches/\(number + 1)?operation=\(batch.0)"
            #expect(try await send(.put, target, batch.1, token: token, to: server).status == 202)
        }
        let state = try await send(.get, path + "?wait=secured&timeout=60", token: token, to: server).json
        // The last batch finds both IDs taken.
        let expected = ["added": 4, "removed": 2, "missing": 2, "failed": 2]
        for (outcome, count) in expected { #expect(state["outcomes"][outcome].int == count, "\(state)") }
        let kept = try await send(.get, Self.path + "/b?deleted=include", token: admin, to: server).json
        #expect(kept["deleted"].bool == true && kept["n"].int == 1)
        let back = try await send(.get, Self.path + "/a", token: token, to: server).json
        #expect(back["deleted"].bool == false && back["n"].int == 2)
        #expect(try await send(.get, Self.path + "/b", token: token, to: server).status == 404)
        await server.drain()
        let next = try await self.server(place, soft)
        let again = try await send(.get, path, token: token, to: next).json
        for (outcome, count) in expected { #expect(again["outcomes"][outcome].int == count, "\(again)") }
        await next.drain()
    }

    @Test func `Simultaneous batches and single writes are all counted`() async throws {
        let place = try await Place()
        let server = try await server(place, keepAll)
        let token = try await place.token(.application)
        let path = Self.path + "/a"
        #expect(try await send(.put, path, "{}", token: token, to: server).status == 201)
        let counted = try await withThrowingTaskGroup(of: Int.self) { group in
            for client in 0..<2 {
                group.addTask {
                    let updates = (0..<8).map { ("update", "{\"id\":\"a\",\"b\(client)-\($0)\":1}") }
                    return try await feed(updates, token, to: server)["outcomes"]["updated"].int ?? 0
                }
                group.addTask {
                    var done = 0
                    for number in 0..<8 {
                        let answer = try await send(
                            .patch,
                            path,
                            "{\"s\(client)-\(number)\":1}",
                            token: token,
                            to: server
                        )
                        if answer.status == 204 { done += 1 }
                    }
                    return done
                }
            }
            return try await group.reduce(0, +)
        }
        let document = try await send(.get, path, token: token, to: server).json
        #expect(counted > 0 && document["version"].int == 1 + counted)
        await server.drain()
    }

    @Test func `The ID of another client's deleted document can't be taken in a batch`() async throws {
        let place = try await Place(rules: "user.tenant == document.tenant")
        let server = try await server(place) { $0.keeping.deleted = "deleted" }
        let ann = try await place.token(.user, ["tenant": "a"])
        let bob = try await place.token(.user, ["tenant": "b"])
        let path = Self.path + "/x"
        #expect(try await send(.put, path, "{\"tenant\":\"a\"}", token: ann, to: server).status == 201)
        #expect(try await send(.delete, path, token: ann, to: server).status == 204)
        func line(_ tenant: String, _ id: String) -> String {
            Self.newDocument("{\"id\":\"\(id)\",\"tenant\":\"\(tenant)\"}", id)
        }
        let taken = try await feed([("add", line("b", "x") + line("b", "y"))], bob, to: server)
        #expect(taken["outcomes"]["failed"].int == 1 && taken["outcomes"]["added"].int == 1, "\(taken)")
        let back = try await feed([("add", line("a", "x"))], ann, to: server)
        #expect(back["outcomes"]["added"].int == 1, "\(back)")
        #expect(try await send(.get, path, token: ann, to: server).status == 200)
        await server.drain()
    }

    /// Returns a line with a document that must not exist yet.
    private static func newDocument(_ json: String, _ id: String) -> String {
        "{\"schema\":\"fastctl.document/1\",\"id\":\"\(id)\",\"onVersion\":null,\"document\":\(json)}\n"
    }

    private static func add(_ id: DocumentID, _ json: String = "{}") -> ContentOperation {
        .add(Document(id: id, json: Array(json.utf8)))
    }

    private static func batch(_ operations: ContentOperation..., mayHaveApplied: Bool = false) -> ContentBatch {
        let items = zip(1..., operations).map { number, operation in
            ContentBatch.Item(id: OperationID(rawValue: number), operation: operation, mayHaveApplied: mayHaveApplied)
        }
        return ContentBatch(id: BatchID(rawValue: 1), items: items)
    }

    private final class LossCount: Sendable {
        private let count = Atomic(0)

        func isFirst() -> Bool { count.add(1, ordering: .relaxed).newValue == 1 }
    }

    /// An engine whose first response is lost, with or without the batch taking effect.
    private struct LosingEngine: ForwardingVersionedEngine {
        let engine: any VersionedEngine
        let hasEffect: Bool
        let losses = LossCount()

        func apply(_ batch: ContentBatch) async -> BatchReply {
            let isLost = losses.isFirst()
            let reply = isLost && !hasEffect ? nil : await engine.apply(batch)
            guard !isLost, let reply else {
                return .failed(BatchFailure(.ambiguous, DocumentFailure(.attemptsExhausted, "no answer")))
            }
            return reply
        }
    }

    @Test(arguments: [true, false])
    func `A write whose response was lost is counted once`(hasEffect: Bool) async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteEngine.create(path: folder.path("store.sqlite"))
        try await store.create("Web", settings: [])
        let collection = try await store.collection(named: "Web")
        let versions = try #require(collection.versions)
        var keeping = DocumentKeeping()
        (keeping.version, keeping.deleted) = ("version", "deleted")
        let kept = keeping
        let first = KeepingEngine(collection) { kept }
        #expect(await first.apply(Self.batch(Self.add("b"))) == .results([.done(.added)]))
        let engine = KeepingEngine(LosingEngine(engine: versions, hasEffect: hasEffect)) { kept }
        let operations = [Self.add("a", "{\"n\":1}"), .remove("b")]
        guard case .failed = await engine.apply(Self.batch(operations[0], operations[1])) else {
            Issue.record("the answer was not lost")
            return
        }
        let reply = await engine.apply(Self.batch(operations[0], operations[1], mayHaveApplied: true))
        #expect(reply == .results([.done(.added), .done(.removed)]))
        let texts = try await versions.versions(at: [DocumentKey("a"), DocumentKey("b")]).map {
            $0.document.map { String(decoding: $0.json, as: UTF8.self) }
        }
        #expect(texts == [#"{"n":1,"version":1,"deleted":false}"#, #"{"version":2,"deleted":true}"#])
    }

    @Test func `An engine without versions is not fed if documents would have to be read first`() async throws {
        var keeping = DocumentKeeping()
        keeping.updated = "updatedAt"
        let kept = keeping
        let collection = InMemoryCollection()
        let engine = KeepingEngine(collection) { kept }
        let reply = await engine.apply(Self.batch(Self.add("a")))
        let failure = try #require(reply.failure, "answered with \(reply)")
        #expect(failure.kind == .stop(.unsupported) && failure.failure.message.contains("WebCollection"))
        #expect(collection.ids.isEmpty)
        #expect(await engine.apply(Self.batch(.remove("a"))) == .results([.done(.missing)]))
    }

    // MARK: Conditions

    @Test func `A failed condition returns the document to a client that may read it`() async throws {
        let place = try await Place()
        let token = try await place.token(.application)
        let path = Self.path + "/a"
        let stale = [("If-Match", "\"0\"")]
        let open = try await place.server()
        _ = try await send(.put, path, "{\"secret\":1}", token: token, to: open)
        let shown = try await send(.put, path, "{}", token: token, headers: stale, to: open)
        #expect(shown.status == 412 && shown.json["current"]["secret"].int == 1)
        #expect(shown.headers["ETag"] != nil)
        let none = try await send(.put, Self.path + "/none", "{}", token: token, headers: stale, to: open)
        #expect(none.status == 412 && none.json["current"] == .null)
        let blind = try await server(place) { $0.rules[.read] = .locked }
        let hidden = try await send(.put, path, "{}", token: token, headers: stale, to: blind)
        #expect(hidden.status == 412 && hidden.json["current"] == .null && !hidden.text.contains("secret"))
        let admin = try await place.token(.admin)
        let seen = try await send(.put, path, "{}", token: admin, headers: stale, to: blind)
        #expect(seen.json["current"]["secret"].int == 1)
    }

    // MARK: Soft deletions

    @Test func `A deleted document is shown only to administrators, and can be restored or erased`() async throws {
        let place = try await Place()
        let server = try await server(place, keepAllSoftly)
        let (token, admin) = (try await place.token(.application), try await place.token(.admin))
        let path = Self.path + "/a"
        #expect(try await send(.put, path, "{\"n\":1}", token: token, to: server).status == 201)
        let read = try await send(.get, path, token: token, to: server)
        #expect(read.json["deleted"].bool == false)
        let tag = try #require(read.headers["ETag"])
        #expect(try await send(.delete, path, token: token, to: server).status == 204)
        #expect(try await send(.get, path, token: token, to: server).status == 404)
        #expect(try await send(.get, path, token: admin, to: server).status == 404)
        #expect(try await send(.patch, path, "{\"n\":2}", token: token, to: server).status == 404)
        #expect(try await send(.delete, path, token: token, to: server).status == 404)
        let match = try await send(.put, path, "{}", token: token, headers: [("If-Match", tag)], to: server)
        #expect(match.status == 412 && match.json["current"] == .null)
        for target in [path + "?deleted=include", Self.path + "?deleted=include"] {
            #expect(try await send(.get, target, token: token, to: server).status == 403)
        }
        #expect(try await send(.get, path + "?deleted=all", token: admin, to: server).status == 422)
        let kept = try await send(.get, path + "?deleted=include", token: admin, to: server).json
        #expect(kept["deleted"].bool == true && kept["n"].int == 1 && kept["version"].int == 2)

        let new = [("If-None-Match", "*")]
        #expect(try await send(.put, path, "{\"n\":3}", token: token, headers: new, to: server).status == 201)
        let back = try await send(.get, path, token: token, to: server).json
        #expect(back["n"].int == 3 && back["version"].int == 3 && back["deleted"].bool == false)
        #expect(try await send(.patch, path, "{\"deleted\":true}", token: token, to: server).status == 422)
        #expect(try await send(.patch, path, "{\"deleted\":false}", token: token, to: server).status == 204)

        #expect(try await send(.delete, path + "?erase=true", token: token, to: server).status == 403)
        #expect(try await send(.get, path, token: token, to: server).status == 200)
        _ = try await send(.delete, path, token: token, to: server)
        #expect(try await send(.delete, path + "?erase=true", token: admin, to: server).status == 204)
        #expect(try await send(.get, path + "?deleted=include", token: admin, to: server).status == 404)
        #expect(try await send(.delete, path + "?erase=true", token: admin, to: server).status == 404)
        let log = try String(contentsOfFile: place.settings.state + "/audit.log", encoding: .utf8)
        #expect(log.contains("\"action\":\"erase\""))
    }

    @Test func `The ID of another client's deleted document can't be taken`() async throws {
        let place = try await Place(rules: "user.tenant == document.tenant")
        let server = try await server(place) { $0.keeping.deleted = "deleted" }
        let ann = try await place.token(.user, ["tenant": "a"])
        let bob = try await place.token(.user, ["tenant": "b"])
        let path = Self.path + "/x"
        #expect(try await send(.put, path, "{\"tenant\":\"a\"}", token: ann, to: server).status == 201)
        #expect(try await send(.delete, path, token: bob, to: server).status == 404)
        #expect(try await send(.delete, path, token: ann, to: server).status == 204)
        #expect(try await send(.put, path, "{\"tenant\":\"b\"}", token: bob, to: server).status == 403)
        #expect(try await send(.put, path, "{\"tenant\":\"a\"}", token: ann, to: server).status == 201)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `Random writes and deletions leave the documents that a model predicts, and no page is short`(
        seed: UInt64
    ) async throws {
        let place = try await Place()
        let server = try await server(place, keepAllSoftly)
        let (token, admin) = (try await place.token(.application), try await place.token(.admin))
        var random = SplitMix64(seed: seed)
        // The number of writes, the kind, and whether the document is deleted, by ID.
        var model: [String: (version: Int, kind: Int, isDeleted: Bool)] = [:]
        for _ in 0..<400 {
            let id = "d\(Int.random(in: 0..<90, using: &random))"
            let kind = Int.random(in: 0..<3, using: &random)
            let (path, body) = ("\(Self.path)/\(id)", "{\"kind\":\"k\(kind)\"}")
            let old = model[id]
            let isThere = old.map { !$0.isDeleted } ?? false
            switch Int.random(in: 0..<9, using: &random) {
            case 0..<4:
                let answer = try await send(.put, path, body, token: token, to: server)
                #expect(answer.status == (isThere ? 204 : 201))
                model[id] = ((old?.version ?? 0) + 1, kind, false)
            case 4..<6:
                let answer = try await send(.patch, path, body, token: token, to: server)
                #expect(answer.status == (isThere ? 204 : 404))
                if let old, isThere { model[id] = (old.version + 1, kind, false) }
            case 6..<8:
                #expect(try await send(.delete, path, token: token, to: server).status == (isThere ? 204 : 404))
                if let old, isThere { model[id] = (old.version + 1, old.kind, true) }
            default:
                let answer = try await send(.delete, path + "?erase=true", token: admin, to: server)
                #expect(answer.status == (old == nil ? 404 : 204))
                model[id] = nil
            }
        }
        for (token, isAll) in [(token, false), (admin, true)] {
            for kind in [nil, 0, 1, 2] {
                let tail = (isAll ? "&deleted=include" : "") + (kind.map { "&where=kind=k\($0)" } ?? "")
                let found = try await pages(of: tail, token, server)
                let expected = model.filter { (isAll || !$0.value.isDeleted) && (kind == nil || $0.value.kind == kind) }
                #expect(found == expected.mapValues(\.version))
            }
        }
    }

    /// Returns the versions of all documents that a search finds, in pages of five.
    private func pages(of tail: String, _ token: String, _ server: ContentDistributor) async throws -> [String: Int] {
        var (found, cursor): ([String: Int], String) = ([:], "")
        repeat {
            let place = cursor.isEmpty ? "" : "&cursor=\(cursor)"
            let page = try await send(.get, "\(Self.path)?limit=5\(tail)\(place)", token: token, to: server)
            try #require(page.status == 200, "\(page.text)")
            let documents = page.json["documents"].elements
            cursor = page.json["next"].text ?? ""
            #expect(documents.count == 5 || cursor.isEmpty)
            for document in documents {
                let id = try #require(document["id"].text)
                #expect(found.updateValue(document["document"]["version"].int ?? 0, forKey: id) == nil)
            }
        } while !cursor.isEmpty
        return found
    }

    // MARK: Keys

    @Test func `A key that the collection does not accept is refused by name, and in a batch by line number`()
        async throws
    {
        let place = try await Place()
        let token = try await place.token(.application)
        let path = Self.path + "/a"
        let before = try await place.server()
        _ = try await send(.put, path, "{\"body\":1}", token: token, to: before)
        let server = try await server(place) { $0.keeping.restrict(to: ["title", "caf\u{E9}"]) }
        let good = "{\"id\":\"b\",\"title\":{\"x\":1},\"caf\u{E9}\":2}"
        #expect(try await send(.put, Self.path + "/b", good, token: token, to: server).status == 201)
        // The last key looks like the listed key, but has different bytes.
        for (key, method, target) in [
            ("body", RequestMethod.put, path), ("body", .patch, path), ("body", .post, Self.path),
            ("cafe\u{301}", .patch, path),
        ] {
            let answer = try await send(method, target, "{\"title\":1,\"\(key)\":2}", token: token, to: server)
            #expect(answer.status == 422 && answer.json["field"].text == key, "\(answer.text)")
        }
        // A key of an older document can be removed, but not written again.
        #expect(try await send(.put, path, "{\"body\":null}", token: token, to: server).status == 422)
        #expect(try await send(.patch, path, "{\"body\":null}", token: token, to: server).status == 204)
        #expect(try await send(.get, path, token: token, to: server).json["body"] == .null)

        let id = try await session(token, on: server)
        let batch = "{\"id\":\"b\",\"title\":1}\n\n{\"id\":\"c\",\"body\":1}\n{\"remove\":\"d\"}\n"
        for operation in ["add", "update"] {
            let target = "/v1/sessions/\(id)/batches/1?operation=\(operation)"
            let answer = try await send(.put, target, batch, token: token, to: server)
            #expect(answer.status == 422)
            #expect(answer.json["message"].text == "line 3: the collection does not accept the key 'body'")
        }
        #expect(try await send(.get, "/v1/sessions/\(id)", token: token, to: server).json["operations"].int == 0)
        let lines = "{\"id\":\"b\",\"title\":1,\"routing\":null}\n{\"remove\":\"d\"}\n"
        let taken = try await send(.put, "/v1/sessions/\(id)/batches/1", lines, token: token, to: server)
        #expect(taken.status == 202, "\(taken.text)")
        await server.drain()
    }

    // MARK: The choice of fields

    @Test func `A client gets only the keys that it requests, in one document or on a page`() async throws {
        let place = try await Place()
        let server = try await place.server()
        let token = try await place.token(.application)
        let path = Self.path + "/a"
        _ = try await send(.put, path, "{\"a\": 1, \"b\": {\"c\": 2}, \"d\": [3]}", token: token, to: server)
        let whole = try await send(.get, path, token: token, to: server)
        let answer = try await send(.get, path + "?fields=d,b,none", token: token, to: server)
        #expect(answer.text == "{\"b\":{\"c\": 2},\"d\":[3]}")
        #expect(answer.headers["ETag"] == whole.headers["ETag"])
        let page = try await send(.get, Self.path + "?fields=a&where=a=1", token: token, to: server)
        #expect(page.text.contains("\"document\":{\"a\":1}"), "\(page.text)")
        #expect(try await send(.get, path + "?fields=none", token: token, to: server).text == "{}")
        let empty = try await send(.get, path + "?fields=", token: token, to: server)
        #expect(empty.status == 422 && empty.json["field"].text == "fields")
    }
}
