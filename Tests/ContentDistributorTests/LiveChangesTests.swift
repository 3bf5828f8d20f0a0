import ContentFeeding
import FeedingTestKit
import Foundation
import HTTPService
import JSONText
import Schedules
import Synchronization
import TestSupport
import Testing

@testable import ContentDistributor

/// Clients that follow a collection, on the server without a socket.
extension DistributorTests {
    private static let path = "/v1/collections/Web/changes"
    private static let documents = "/v1/collections/Web/documents"

    /// Returns a server whose followers see only the documents of their tenant.
    private func place(
        _ keeping: (inout CollectionRules) -> Void = { _ in },
        limits: (inout DistributorLimits) -> Void = { _ in },
        clock: any ScheduleClock = MachineClock()
    ) async throws -> (place: Place, server: ContentDistributor) {
        let place = try await Place(limits: limits)
        var settings = place.settings
        settings.collections["Web"]?.rules[.read] = try AccessRule("user.tenant == document.tenant")
        if var rules = settings.collections["Web"] {
            keeping(&rules)
            settings.collections["Web"] = rules
        }
        return (place, try await ContentDistributor(settings, clock: clock) { _ in })
    }

    private func write(
        _ method: RequestMethod,
        _ id: String,
        _ body: String,
        _ token: String,
        _ server: ContentDistributor
    ) async throws {
        let answer = try await send(method, "\(Self.documents)/\(id)", body, token: token, to: server)
        #expect([201, 204, 404].contains(answer.status), "\(answer.text)")
    }

    /// Returns the lines of a long poll; the last one is the position.
    private func poll(_ query: String, _ token: String, _ server: ContentDistributor) async throws -> [JSONValue] {
        let answer = try await send(.get, "\(Self.path)?\(query)", token: token, to: server)
        try #require(answer.status == 200, "\(answer.text)")
        return try Self.lines(of: answer.text)
    }

    private static func lines(of text: String) throws -> [JSONValue] {
        try text.split(separator: "\n").map { try JSONValue(Array($0.utf8)) }
    }

    private func begin(_ query: String = "", _ token: String, _ server: ContentDistributor) async throws -> String {
        let lines = try await poll("wait=30" + query, token, server)
        #expect(lines.map(\.["kind"].text) == ["place"])
        return try #require(lines.last?["event"].text)
    }

    private func words(_ lines: [JSONValue]) -> [String] {
        lines.map { line in
            [line["kind"].text, line["id"].text].compactMap(\.self).joined(separator: " ")
        }
    }

    // MARK: The model

    /// A client that maintains a list based only on the changes, and may lose its connection at any byte.
    private struct Follower {
        let token: String
        let query: String
        let sees: @Sendable (JSONValue) -> Bool
        var place = ""
        var list: [String: JSONValue] = [:]

        /// Applies the complete lines of a response.
        mutating func apply(_ text: some StringProtocol) throws {
            for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                let line = try JSONValue(Array(line.utf8))
                place = try #require(line["event"].text)
                let id = line["id"].text ?? ""
                switch line["kind"].text {
                case "added":
                    #expect(list[id] == nil, "\(id) was added twice")
                    list[id] = line["document"]
                case "updated":
                    #expect(list[id] != nil, "\(id) was changed before it was added")
                    list[id] = line["document"]
                case "removed":
                    #expect(list[id] != nil, "\(id) was removed, but never shown")
                    #expect(line["document"] == .null && line["version"] == .null)
                    list[id] = nil
                default: #expect(line["kind"].text == "place")
                }
                #expect(line["document"] == .null || sees(line["document"]))
                #expect(line["document"] == .null || line["version"].text != nil)
            }
        }
    }

    private static func json(of fields: [String: String]) -> String {
        "{" + fields.sorted { $0.key < $1.key }.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",") + "}"
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `Lists kept up to date by changes equal the collection, however often connections fail`(
        seed: UInt64
    ) async throws {
        let (place, server) = try await place()
        let (writer, admin) = (try await place.token(.application, ["tenant": "-"]), try await place.token(.admin))
        var followers: [Follower] = []
        for tenant in ["a", "b"] {
            let token = try await place.token(.user, ["tenant": tenant])
            followers.append(Follower(token: token, query: "") { $0["tenant"].text == tenant })
            followers.append(
                Follower(token: token, query: "&where=status=x") {
                    $0["tenant"].text == tenant && $0["status"].text == "x"
                }
            )
        }
        followers.append(Follower(token: admin, query: "") { _ in true })
        for index in followers.indices {
            followers[index].place = try await begin(followers[index].query, followers[index].token, server)
        }
        var random = SeededGenerator(seed: seed)
        var model: [String: [String: String]] = [:]
        let session = try await session(writer, on: server)
        var batches = 0

        func follow(_ index: Int, isCut: Bool) async throws {
            let target = "\(Self.path)?wait=0&after=\(followers[index].place)\(followers[index].query)"
            let text = try await send(.get, target, token: followers[index].token, to: server).text
            let end = isCut ? Int.random(in: 0...text.utf8.count, using: &random) : text.utf8.count
            try followers[index].apply(String(decoding: text.utf8.prefix(end), as: UTF8.self))
        }

        for step in 0..<120 {
            let id = "d\(Int.random(in: 0..<6, using: &random))"
            let fields = [
                "tenant": ["a", "b"].randomElement(using: &random) ?? "a",
                "status": ["x", "y"].randomElement(using: &random) ?? "x", "step": "\(step)",
            ]
            let json = Self.json(of: fields)
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                // The rule for writes does not examine documents.
                try await write(.put, id, json, admin, server)
                model[id] = fields
            case 2:
                try await write(.patch, id, "{\"tenant\":\"\(fields["tenant"] ?? "")\"}", admin, server)
                model[id]?["tenant"] = fields["tenant"]
            case 3:
                try await write(.delete, id, "", admin, server)
                model[id] = nil
            default:
                batches += 1
                let other = "e\(Int.random(in: 0..<6, using: &random))"
                let body = "{\"id\":\"\(id)\",\(json.dropFirst())\n{\"id\":\"\(other)\",\(json.dropFirst())\n"
                let target = "/v1/sessions/\(session)/batches/\(batches)"
                let accepted = try await send(.put, target, body, token: writer, to: server)
                #expect(accepted.status == 202, "\(accepted.text)")
                let wait = "/v1/sessions/\(session)?wait=secured"
                let state = try await send(.get, wait, token: writer, to: server)
                #expect(state.json["reached"].text == "secured")
                (model[id], model[other]) = (fields, fields)
            }
            if Bool.random(using: &random) {
                try await follow(Int.random(in: followers.indices, using: &random), isCut: true)
            }
        }
        for index in followers.indices {
            try await follow(index, isCut: false)
            let (list, sees) = (followers[index].list, followers[index].sees)
            let expected = try model.filter { sees(try JSONValue(Array(Self.json(of: $0.value).utf8))) }
            #expect(list.keys.sorted() == expected.keys.sorted())
            for (id, fields) in model where list[id] != nil {
                for (name, value) in fields { #expect(list[id]?[name].text == value) }
            }
        }
        #expect(followers.last?.list.isEmpty == false)
    }

    @Test func `A stream that is cut off at any byte continues without gaps or duplicates`() async throws {
        let (place, server) = try await place()
        let admin = try await place.token(.admin)
        let reader = try await place.token(.user, ["tenant": "a"])
        let start = try await begin("", reader, server)
        try await write(.put, "1", "{\"tenant\":\"a\",\n \"n\":\"ä\"}", admin, server)
        try await write(.put, "hidden", "{\"tenant\":\"b\"}", admin, server)
        try await write(.patch, "1", "{\"m\":1}", admin, server)
        try await write(.patch, "1", "{\"tenant\":\"b\"}", admin, server)
        try await write(.put, "2", "{\"tenant\":\"a\"}", admin, server)
        try await write(.delete, "2", "", admin, server)
        let whole = try await poll("wait=0&after=\(start)", reader, server).dropLast().map(\.self)
        #expect(words(whole) == ["added 1", "updated 1", "removed 1", "added 2", "removed 2"])
        #expect(whole[1]["document"]["m"].int == 1 && whole[1]["document"]["n"].text == "ä")

        for isEventStream in [true, false] {
            var length = 1
            while true {
                let request = ServedRequest(
                    .get,
                    Self.path,
                    query: [(name: "after", value: start)],
                    headers: [
                        "Authorization": "Bearer \(reader)", "Accept": isEventStream ? "text/event-stream" : "*/*",
                    ]
                )
                let response = await server.router.respond(to: request)
                let bytes = try await response.collectBody(upTo: length).prefix(length)
                let text = String(decoding: bytes, as: UTF8.self)
                var (events, place) = ([JSONValue](), start)
                if isEventStream {
                    // An event counts only if an empty line has ended it.
                    for block in text.components(separatedBy: "\n\n").dropLast() {
                        let lines = block.split(separator: "\n")
                        try #require(lines.count == 3, "\(block)")
                        place = String(lines[0].dropFirst("id: ".count))
                        events.append(try JSONValue(Array(lines[2].dropFirst("data: ".count).utf8)))
                        #expect(lines[1] == "event: \(events.last?["kind"].text ?? "")")
                    }
                } else {
                    for line in text.components(separatedBy: "\n").dropLast() {
                        events.append(try JSONValue(Array(line.utf8)))
                        place = try #require(events.last?["event"].text)
                    }
                }
                if let first = events.first {
                    #expect(first["kind"].text == "ready" && first["event"].text == start)
                    events.removeFirst()
                }
                if events.count == whole.count { break }
                events += try await poll("wait=0&after=\(place)", reader, server).dropLast()
                try #require(events == whole, "cut after \(length) bytes")
                length += 1
            }
            #expect(length > 300)
        }
    }

    // MARK: Gaps

    @Test func `A position that no longer exists, or is from another server, causes a reset`() async throws {
        let (place, server) = try await place(limits: { $0.changes = 3 })
        let admin = try await place.token(.admin)
        let start = try await begin("", admin, server)
        for number in 1...3 { try await write(.put, "\(number)", "{}", admin, server) }
        let kept = try await poll("wait=0&after=\(start)", admin, server)
        #expect(words(kept) == ["added 1", "added 2", "added 3", "place"])
        try await write(.put, "4", "{}", admin, server)
        let gone = try await poll("wait=0&after=\(start)", admin, server)
        #expect(words(gone) == ["reset", "place"])
        // After that position, every change arrives.
        try await write(.delete, "4", "", admin, server)
        let next = try await poll("wait=0&after=\(try #require(gone.last?["event"].text))", admin, server)
        #expect(words(next) == ["removed 4", "place"])

        let other = try await ContentDistributor(server.settings) { _ in }
        let restarted = try await poll("wait=0&after=\(start)", admin, other)
        #expect(words(restarted) == ["reset", "place"])
        for text in ["x", "17", "0123456789abcdef", "0123456789abcdef--1", start + "0000000000000000000"] {
            let answer = try await send(.get, "\(Self.path)?after=\(text)", token: admin, to: server)
            #expect(answer.status == 422 && answer.json["field"].text == "after", "\(text): \(answer.text)")
        }
    }

    @Test
    func `A write begun before the first follower is a gap, and a write after the last one invalidates all positions`()
        async throws
    {
        let clock = ServerClock()
        let changes = CollectionChanges(clock)
        let view = ChangeView(filter: DocumentFilter(), selection: try Self.selection(""), isEventStream: false)
        let (early, limits) = (changes.begin(), (count: 10, bytes: 1_000))
        #expect(!early.isKept)
        let first = changes.follow(from: nil, isFiltered: false, limits: limits).place
        changes.end(early, [])
        let page = changes.page(after: first, changes.shared(view))
        #expect(words(try Self.lines(of: String(decoding: page.bytes, as: UTF8.self))) == ["reset"])
        let place = try #require(page.place)
        changes.leave(isFiltered: false)
        // Within five minutes, the client can continue.
        clock.advance(by: .seconds(299))
        #expect(changes.begin().isKept)
        #expect(changes.follow(from: place, isFiltered: false, limits: limits).isContinued)
        changes.leave(isFiltered: false)
        clock.advance(by: .seconds(299))
        #expect(changes.begin().isKept)
        clock.advance(by: .seconds(1))
        let unseen = changes.begin()
        changes.end(unseen, [])
        #expect(!unseen.isKept)
        let late = changes.follow(from: place, isFiltered: false, limits: limits)
        #expect(!late.isContinued && late.place.epoch != place.epoch)
        #expect(changes.page(after: place, changes.shared(view)).place == nil)
    }

    private static func selection(_ fields: String) throws -> KeySelection {
        try KeySelection(ServedRequest(.get, "/", query: fields.isEmpty ? [] : [(name: "fields", value: fields)]))
    }

    @Test func `Writes with an unknown effect are reported as a gap, and refused writes are not reported`() async throws
    {
        let failure = DocumentFailure(.attemptsExhausted, "no answer")
        let script: [(BatchReply, String?)] = [
            (.failed(BatchFailure(.ambiguous, failure)), "reset"),
            (.failed(BatchFailure(.split(mayHaveApplied: true), failure)), "reset"),
            (.failed(BatchFailure(.definite(isCharged: true), failure)), nil),
            (.results([.unknown(failure)]), "reset"),
            (.results([.failed(failure)]), nil),
            (.results([.done(.noop)]), nil),
            (.results([]), "reset"),
        ]
        for (reply, expected) in script {
            let changes = CollectionChanges()
            let engine = ObservedEngine(base: InMemoryCollection(["1"], script: [reply]), changes: changes)
            let place = changes.follow(from: nil, isFiltered: false, limits: (10, 1_000)).place
            let item = ContentBatch.Item(id: .first, operation: .remove("1"))
            _ = await engine.apply(ContentBatch(id: BatchID(rawValue: 1), items: [item]))
            let view = ChangeView(filter: DocumentFilter(), selection: try Self.selection(""), isEventStream: false)
            let page = changes.page(after: place, changes.shared(view))
            let lines = try Self.lines(of: String(decoding: page.bytes, as: UTF8.self))
            #expect(words(lines) == [expected].compactMap(\.self), "\(reply)")
        }
    }

    @Test func `The state before a write determines which events a filtered follower gets`() {
        let (mine, other) = (Array("{\"t\":\"a\"}".utf8), Array("{\"t\":\"b\"}".utf8))
        let (all, some) = (DocumentFilter(), DocumentFilter(fields: [("t", "a")]))
        typealias Case = (
            before: DocumentChange.Before, after: [UInt8]?, all: DocumentChange.Kind?, some: DocumentChange.Kind?
        )
        let cases: [Case] = [
            (.absent, mine, .added, .added), (.absent, other, .added, nil), (.absent, nil, nil, nil),
            (.existing, mine, .updated, .updated), (.existing, other, .updated, .reset),
            (.existing, nil, .removed, .reset), (.document(mine), mine, .updated, .updated),
            (.document(mine), other, .updated, .removed), (.document(mine), nil, .removed, .removed),
            (.document(other), mine, .updated, .added), (.document(other), other, .updated, nil),
            (.document(other), nil, .removed, nil), (.unknown, mine, .updated, .updated),
            (.unknown, other, .updated, .reset), (.unknown, nil, .removed, .reset),
            (.document([0xFF]), mine, .updated, .added), (.document([0xFF]), nil, .removed, nil),
        ]
        for (before, after, whole, part) in cases {
            let change = DocumentChange(DocumentKey("1"), before: before, after: after, version: nil)
            #expect(change.kind(for: all) == whole && change.kind(for: some) == part, "\(before)")
        }
    }

    // MARK: Forms

    @Test func `Events contain the keys that clients rely on, and only the requested fields`() async throws {
        let (place, server) = try await place()
        let admin = try await place.token(.admin)
        let start = try await begin("", admin, server)
        try await write(.put, "a", "{\"title\":\"x\",\r\n\"body\":\"y\"}", admin, server)
        let query = "wait=0&fields=title&after=\(start)"
        let answer = try await send(.get, "\(Self.path)?\(query)", token: admin, to: server)
        let lines = answer.text.split(separator: "\n").map(String.init)
        let event = try #require(try Self.lines(of: answer.text).first)
        let (number, version) = (try #require(event["event"].text), try #require(event["version"].text))
        #expect(
            lines == [
                "{\"kind\":\"added\",\"event\":\"\(number)\",\"id\":\"a\",\"routing\":null,\"version\":\"\(version)\","
                    + "\"document\":{\"title\":\"x\"}}",
                "{\"kind\":\"place\",\"event\":\"\(try Self.lines(of: lines[1])[0]["event"].text ?? "")\"}",
            ]
        )
        let tag = try await send(.get, "\(Self.documents)/a", token: admin, to: server).headers["ETag"]
        #expect(tag == "\"\(version)\"")
        for query in ["wait=61", "wait=x", "words=a", "phrase=a", "query=a", "where=x", "fields=,"] {
            let answer = try await send(.get, "\(Self.path)?\(query)", token: admin, to: server)
            #expect(answer.status == 422, "\(query): \(answer.text)")
        }
    }

    @Test func `A soft-deleted document leaves the list, and returns with the next write`() async throws {
        let (place, server) = try await place({ $0.keeping.deleted = "deleted" })
        let (admin, reader) = (try await place.token(.admin), try await place.token(.user, ["tenant": "a"]))
        let start = try await begin("", reader, server)
        try await write(.put, "1", "{\"tenant\":\"a\"}", admin, server)
        try await write(.delete, "1", "", admin, server)
        try await write(.put, "1", "{\"tenant\":\"a\"}", admin, server)
        try await write(.delete, "1?erase=true", "", admin, server)
        let lines = try await poll("wait=0&after=\(start)", reader, server)
        #expect(words(lines) == ["added 1", "removed 1", "added 1", "removed 1", "place"])
        let all = try await poll("wait=0&deleted=include&after=\(start)", admin, server)
        #expect(words(all) == ["added 1", "updated 1", "updated 1", "removed 1", "place"])
    }

    @Test func `A long poll ends with the first change, or at its timeout`() async throws {
        let (place, server) = try await place()
        let admin = try await place.token(.admin)
        let start = try await begin("", admin, server)
        async let waiting = poll("wait=30&after=\(start)", admin, server)
        try await untilFollowed(server)
        try await write(.put, "1", "{}", admin, server)
        let lines = try await waiting
        #expect(words(lines) == ["added 1", "place"])
        let silent = try await poll("wait=1&after=\(try #require(lines.last?["event"].text))", admin, server)
        #expect(words(silent) == ["place"] && silent[0]["event"].text != lines[1]["event"].text)
    }

    // MARK: Permissions

    /// Returns once a client follows.
    private func untilFollowed(_ server: ContentDistributor) async throws {
        while server.live.changes(of: "Web").totals.followers == 0 { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test func `A stream ends when its token is revoked, before it sends another document`() async throws {
        let clock = ServerClock()
        let (place, server) = try await place(clock: clock)
        let admin = try await place.token(.admin)
        let (secret, token) = try await server.tokens.create("r", .user, claims: ["tenant": "a"], at: .seconds(1))
        async let followed = send(.get, Self.path, token: secret, to: server)
        try await untilFollowed(server)
        #expect(try await server.tokens.revoke(token.id))
        // A verified token is trusted for a second.
        clock.advance(by: .seconds(1))
        try await write(.put, "1", "{\"tenant\":\"a\"}", admin, server)
        let lines = try Self.lines(of: try await followed.text)
        #expect(words(lines) == ["ready", "end"])
        #expect(lines.last?["problem"]["status"].int == 401)
    }

    @Test func `Reloaded rules end a stream immediately, or make its client read the list again`() async throws {
        let (place, server) = try await place()
        let admin = try await place.token(.admin)
        let reader = try await place.token(.user, ["tenant": "a"])
        try await write(.put, "1", "{\"tenant\":\"b\",\"shared\":\"yes\"}", admin, server)
        let request = ServedRequest(.get, Self.path, headers: ["Authorization": "Bearer \(reader)"])
        // The limit is larger than the first two lines.
        async let cut = server.router.respond(to: request).collectBody(upTo: 150)
        try await untilFollowed(server)
        var settings = server.settings
        settings.collections["Web"]?.rules[.read] = try AccessRule("document.shared == 'yes'")
        try server.reload(settings, from: "d.yaml")
        try await write(.patch, "1", "{\"n\":1}", admin, server)
        let reset = try Self.lines(of: String(decoding: try await cut, as: UTF8.self))
        #expect(words(reset) == ["ready", "reset", "updated 1"])

        async let followed = send(.get, Self.path, token: reader, to: server)
        try await untilFollowed(server)
        settings.collections["Web"]?.rules[.read] = try AccessRule("admins")
        try server.reload(settings, from: "d.yaml")
        let lines = try Self.lines(of: try await followed.text)
        #expect(words(lines) == ["ready", "end"] && lines.last?["problem"]["status"].int == 403)
        #expect(try await send(.get, Self.path, token: reader, to: server).status == 403)
    }

    @Test func `Followers count toward the limit of streams, and their number is a metric`() async throws {
        let (place, server) = try await place(limits: { $0.streams = 1 })
        let admin = try await place.token(.admin)
        let start = try await begin("", admin, server)
        async let waiting = poll("wait=30&after=\(start)", admin, server)
        try await untilFollowed(server)
        #expect(try await send(.get, Self.path, token: admin, to: server).status == 429)
        let metrics = try await send(.get, "/metrics", token: admin, to: server).text
        #expect(metrics.contains("\ndistributor_followers 1\n"))
        try await write(.put, "1", "{}", admin, server)
        #expect(try await waiting.count == 2)
        #expect(words(try await poll("wait=0&after=\(start)", admin, server)) == ["added 1", "place"])
    }

    // MARK: Turns

    @Test func `Batches that share a document are applied in order, and other batches do not wait`() async throws {
        let turns = DocumentTurns()
        let ids = try (0..<4).map { try DocumentID("\($0)") }
        let running = RunningWrites()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 as Range<UInt64> {
                var random = SeededGenerator(seed: number)
                let own = Set(ids.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random)))
                group.addTask {
                    await turns.take(own)
                    #expect(running.begin(own))
                    await Task.yield()
                    running.end(own)
                    turns.giveBack(own)
                }
            }
        }
        await turns.take([ids[0]])
        await turns.take([ids[1], ids[2]])
        turns.giveBack([ids[0]])
        turns.giveBack([ids[1], ids[2]])
        await turns.take(Set(ids))
        turns.giveBack(Set(ids))
    }
}

/// The documents that are written at the moment.
private final class RunningWrites: Sendable {
    private let ids = Mutex<Set<DocumentID>>([])

    /// Begins a write, and returns whether no other write is using its documents.
    func begin(_ own: Set<DocumentID>) -> Bool {
        ids.withLock { ids in
            defer { ids.formUnion(own) }
            return ids.isDisjoint(with: own)
        }
    }

    func end(_ own: Set<DocumentID>) { ids.withLock { $0.subtract(own) } }
}
