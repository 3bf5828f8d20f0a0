import ContentFeeding
import Foundation
import HTTPService
import JSONText
import TestSupport
import Testing

@testable import ContentDistributor

/// The fields that the server keeps in documents, soft deletions, keys, and the choice of fields.
extension DistributorTests {
    private static let path = "/v1/collections/Web/documents"

    /// A server whose collection is kept in another way; only the newest one of a place may write.
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

    // MARK: Kept fields

    @Test func `The server keeps the times of the first write and of the last, and counts the writes`() async throws {
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

        try await Task.sleep(for: .milliseconds(5))
        #expect(try await send(.put, path, "{\"n\":2}", token: token, to: server).status == 204)
        let second = try await send(.get, path, token: token, to: server)
        #expect(second.json["createdAt"].text == created && second.json["version"].int == 2)
        #expect(try #require(second.json["updatedAt"].text) > created)

        // A client may send back what it has read.
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
    func `A kept field with another value is refused by its name`(body: String, field: String) async throws {
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

    @Test func `Writes at the same time get numbers without a gap, and none is lost`() async throws {
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
            // With one number for two writes the last would be lower, with a gap higher.
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let document = try await send(.get, path, token: token, to: server).json
        #expect(document["version"].int == 1 + written.count)
        for key in written { #expect(document[key].int == 1) }
    }

    @Test func `Writes, deletions and returns at the same time are all counted`() async throws {
        let place = try await Place()
        let server = try await server(place) { rules in
            keepAll(&rules)
            rules.keeping.deleted = "deleted"
        }
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

    @Test func `A document that came without the server keeps no time of a first write`() async throws {
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

    @Test func `A batch that the server would have to look into is refused, and told why`() async throws {
        let place = try await Place()
        let token = try await place.token(.application)
        for isSoft in [false, true] {
            let server = try await server(place) { rules in
                if isSoft { rules.keeping.deleted = "deleted" } else { rules.keeping.updated = "updatedAt" }
            }
            let id = try await session(token, on: server)
            let bodies = ["add": "{\"id\":\"a\"}", "update": "{\"id\":\"a\"}", "remove": "\"a\""]
            for (operation, body) in bodies.sorted(by: { $0.key < $1.key }) {
                let target = "/v1/sessions/\(id)/batches/1?operation=\(operation)"
                let answer = try await send(.put, target, body, token: token, to: server)
                // Removals need no stored document, unless they are to keep it.
                let isTaken = operation == "remove" && !isSoft
                #expect(answer.status == (isTaken ? 202 : 422), "\(answer.text)")
                if !isTaken { #expect(answer.json["code"].text == "keptFields") }
            }
            await server.drain()
        }
    }

    // MARK: Conditions

    @Test func `A condition that fails shows the document, to a client that may read it`() async throws {
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

    @Test func `A deleted document is shown to administrators alone, comes back, and can be erased`() async throws {
        let place = try await Place()
        let server = try await server(place) { rules in
            keepAll(&rules)
            rules.keeping.deleted = "deleted"
        }
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

    @Test func `The ID of a deleted document of others can't be taken`() async throws {
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
    func `Random writes and deletions leave what a model has, and no page is short`(seed: UInt64) async throws {
        let place = try await Place()
        let server = try await server(place) { rules in
            keepAll(&rules)
            rules.keeping.deleted = "deleted"
        }
        let (token, admin) = (try await place.token(.application), try await place.token(.admin))
        var random = SplitMix64(seed: seed)
        // By ID: the number of writes, the kind, and whether the document is deleted.
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

    /// The versions of all documents that a search finds, in pages of five.
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

    @Test func `A key that the collection does not take is refused by its name, and in a batch by its line`()
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
        // The last key looks like the one that is listed, in other bytes.
        for (key, method, target) in [
            ("body", RequestMethod.put, path), ("body", .patch, path), ("body", .post, Self.path),
            ("cafe\u{301}", .patch, path),
        ] {
            let answer = try await send(method, target, "{\"title\":1,\"\(key)\":2}", token: token, to: server)
            #expect(answer.status == 422 && answer.json["field"].text == key, "\(answer.text)")
        }
        // A key from before can be taken away, but not written again.
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

    @Test func `A client gets the keys that it names, one document or a page`() async throws {
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
