import ContentFeeding
import Synchronization
import TestSupport
import Testing

@testable import EngineOpenSearch

/// Documents whose routing places them on different shards than their IDs would.
struct RoutingTests {
    private static let withRouting = #"{"_shards":{"total":2,"successful":2},"hits":{"total":{"value":1}}}"#
    private static let refreshed = (#"{"_shards":{"total":2,"successful":2,"failed":0}}"#, 200)

    /// An engine whose documents are `hits`, by ID and routing, and which responds to bulk requests with the elements
    /// of `bulk` in turn.
    private func engine(
        probe: (String, Int) = (Self.withRouting, 200),
        hits: [(id: String, routing: String?)],
        bulk: [String],
        get: String = #"{"docs":[]}"#
    ) async throws -> ScriptedEngine {
        let bulk = Mutex(bulk[...])
        let page = Self.page(hits)
        return try await ScriptedEngine { line in
            if line.contains("_search?size=0") { return probe }
            if line.contains("_search?size=") { return (page, 200) }
            if line.contains("_refresh") { return Self.refreshed }
            if line.contains("_mget") { return (get, 200) }
            guard line.contains("_bulk") else { return nil }
            return bulk.withLock { $0.popFirst() }.map { (#"{"errors":false,"items":[\#($0)]}"#, 200) }
        }
    }

    private static func page(_ hits: [(id: String, routing: String?)]) -> String {
        let hits = hits.map { id, routing in
            #"{"_id":"\#(id)"\#(routing.map { #","_routing":"\#($0)""# } ?? "")}"#
        }
        return #"{"_shards":{"total":2,"successful":2},"hits":{"hits":[\#(hits.joined(separator: ","))]}}"#
    }

    private static func deleted(_ id: String) -> String {
        #"{"delete":{"_id":"\#(id)","_version":2,"result":"deleted","status":200}}"#
    }

    private static func notFound(_ id: String) -> String {
        #"{"delete":{"_id":"\#(id)","_version":1,"result":"not_found","status":404}}"#
    }

    private static func demanded(_ id: String) -> String {
        let error = #"{"type":"routing_missing_exception","reason":"routing is required"}"#
        return #"{"delete":{"_id":"\#(id)","status":400,"error":\#(error)}}"#
    }

    private func reply(
        of collection: any ContentEngine,
        to operations: [ContentOperation]
    ) async -> [OperationResult] {
        let items = operations.enumerated().map {
            ContentBatch.Item(id: OperationID(rawValue: UInt64($0 + 1)), operation: $1)
        }
        guard case .results(let results) = await collection.apply(ContentBatch(id: BatchID(rawValue: 1), items: items))
        else { return [] }
        return results
    }

    private func isFailed(_ result: OperationResult?, _ words: String...) -> Bool {
        guard case .failed(let failure)? = result else { return false }
        return words.allSatisfy(failure.message.contains)
    }

    @Test func `Actions include their routing values`() {
        let body = BulkBody([
            .delete("a", routing: Routing("u\"1")), .delete("b"),
            .index("c", json: Array("{}".utf8), since: nil, routing: Routing("2")),
        ])
        let lines = String(decoding: body.bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines[0] == #"{"delete":{"_id":"a","routing":"u\"1"}}"#)
        #expect(lines[1] == #"{"delete":{"_id":"b"}}"#)
        #expect(lines[2] == #"{"index":{"_id":"c","routing":"2"}}"#)
    }

    @Test func `A document's routing value is found, never guessed`() async throws {
        let bulk = [Self.deleted("a"), Self.notFound("b")].joined(separator: ",")
        let engine = try await engine(hits: [("a", "u1")], bulk: [bulk])
        let results = await reply(of: try await engine.collection(), to: [.remove("a"), .remove("b")])
        #expect(results == [.done(.removed), .done(.missing)])
        let request = try #require(engine.requests("_bulk").first)
        #expect(request.contains(#"{"delete":{"_id":"a","routing":"u1"}}"#))
        #expect(request.contains(#"{"delete":{"_id":"b"}}"#))
        // The search comes after a refresh, so it sees earlier writes.
        let order = engine.requests("").map { $0.prefix { $0 != "\r\n" } }
        let refresh = try #require(order.firstIndex { $0.contains("_refresh") })
        #expect(refresh < (try #require(order.firstIndex { $0.contains("_search?size=1") })))
    }

    @Test func `Several documents with one ID are reported by name and left unchanged`() async throws {
        let engine = try await engine(hits: [("a", "u1"), ("a", "u2"), ("b", nil)], bulk: [Self.deleted("b")])
        let results = await reply(of: try await engine.collection(), to: [.remove("a"), .remove("b")])
        #expect(isFailed(results.first, "2 documents have this ID", "'u1' and 'u2'"))
        #expect(results.last == .done(.removed))
        #expect(engine.requests("_bulk").allSatisfy { !$0.contains(#""_id":"a""#) })
    }

    @Test func `An index without routing values costs one more request per run`() async throws {
        let engine = try await ScriptedEngine { line in
            line.contains("_bulk") ? (#"{"errors":false,"items":[\#(Self.deleted("a"))]}"#, 200) : nil
        }
        let collection = try await engine.collection()
        let before = engine.requests("").count
        for _ in 0..<3 { #expect(await reply(of: collection, to: [.remove("a")]) == [.done(.removed)]) }
        #expect(engine.requests("").count - before == 4)
        #expect(engine.requests("_search").count == 1)
        #expect(await collection.lookupReservation() == nil)
    }

    @Test func `A document not found by its ID is searched for again after a refresh, once per run`() async throws {
        let engine = try await ScriptedEngine { line in
            if line.contains("_refresh") { return Self.refreshed }
            return line.contains("_bulk") ? (#"{"errors":false,"items":[\#(Self.notFound("a"))]}"#, 200) : nil
        }
        let collection = try await engine.collection()
        for _ in 0..<3 { #expect(await reply(of: collection, to: [.remove("a")]) == [.done(.missing)]) }
        #expect(engine.requests("_refresh").count == 1)
        #expect(engine.requests("_search").count == 2)
    }

    @Test func `Without permission to search, removals continue, and a lookup reports its limits`() async throws {
        let error = #"{"error":{"type":"security_exception","reason":"no permissions"},"status":403}"#
        let engine = try await engine(probe: (error, 403), hits: [], bulk: [Self.deleted("a"), Self.notFound("b")])
        let collection = try await engine.collection()
        #expect(await reply(of: collection, to: [.remove("a")]) == [.done(.removed)])
        #expect(await reply(of: collection, to: [.remove("b")]) == [.done(.missing)])
        let reservation = try #require(await collection.lookupReservation())
        #expect(reservation.contains("routing") && reservation.contains("may not search"))
    }

    @Test func `Without permission to refresh, the result states that documents may have been overlooked`() async throws
    {
        let refusal = ScriptedOpenSearch.forbidden("indices:admin/refresh")
        let missing = #"{"errors":false,"items":[\#(Self.notFound("b"))]}"#
        let engine = try await ScriptedEngine { line in
            if line.contains("_refresh") { return refusal }
            if line.contains("_count") { return (#"{"count":7}"#, 200) }
            if line.contains("_search?size=0") { return (ScriptedEngine.withoutRouting, 200) }
            return line.contains("_bulk") ? (missing, 200) : nil
        }
        let collection = try await engine.collection()
        #expect(await collection.countReservation() == nil)
        #expect(try await collection.count() == 7)
        #expect(await collection.countReservation()?.contains("refused to refresh 'web'") == true)
        #expect(await collection.lookupReservation() == nil)
        #expect(await reply(of: collection, to: [.remove("b")]) == [.done(.missing)])
        let reservation = try #require(await collection.lookupReservation())
        #expect(reservation.contains("with its own routing may have been overlooked"))
    }

    @Test func `If a shard does not respond, no document is reported as missing`() async throws {
        let partial = #"{"_shards":{"total":2,"successful":1},"hits":{"total":{"value":0}}}"#
        let bulk = [Self.deleted("a"), Self.notFound("b")].joined(separator: ",")
        let engine = try await engine(probe: (partial, 200), hits: [], bulk: [bulk])
        let results = await reply(of: try await engine.collection(), to: [.remove("a"), .remove("b")])
        #expect(results.first == .done(.removed))
        guard case .notNow(let failure)? = results.last else {
            Issue.record("'b' was denied: \(results)")
            return
        }
        #expect(failure.message.contains("1 shard did not answer"))
    }

    @Test func `A routing value that the index requires is looked up by a search`() async throws {
        let second = [Self.deleted("a"), Self.demanded("b")].joined(separator: ",")
        let engine = try await engine(
            probe: (ScriptedEngine.withoutRouting, 200),
            hits: [("a", "u1")],
            bulk: [[Self.demanded("a"), Self.demanded("b")].joined(separator: ","), second]
        )
        let results = await reply(of: try await engine.collection(), to: [.remove("a"), .remove("b")])
        #expect(results == [.done(.removed), .done(.missing)])
        #expect(engine.requests("_bulk").last?.contains(#"{"delete":{"_id":"a","routing":"u1"}}"#) == true)
    }

    @Test func `An addition without a required routing value fails immediately`() async throws {
        let item = Self.demanded("a").replacing("delete", with: "index")
        let engine = try await engine(hits: [], bulk: [item, item])
        let add = ContentOperation.add(Document(id: "a", json: Array("{}".utf8)))
        let results = await reply(of: try await engine.collection(), to: [add])
        #expect(isFailed(results.first, "routing is required", "--routing-field"))
    }

    @Test func `A document with a different routing from the input's is not missing`() async throws {
        let engine = try await engine(
            hits: [("a", "u1")],
            bulk: [Self.notFound("a")],
            get: #"{"docs":[{"_id":"a","found":true}]}"#
        )
        let remove = ContentOperation.remove(DocumentKey("a", routing: Routing("u9")))
        let results = await reply(of: try await engine.collection(), to: [remove])
        #expect(isFailed(results.first, "'u9'", "'u1'"))
    }

    @Test func `An added document is stored with the routing of the existing document`() async throws {
        let item = #"{"index":{"_id":"a","_version":2,"result":"updated","status":200}}"#
        let engine = try await engine(hits: [("a", "u1")], bulk: [item])
        let add = ContentOperation.add(Document(id: "a", json: Array("{}".utf8)))
        #expect(await reply(of: try await engine.collection(), to: [add]) == [.done(.updated)])
        #expect(engine.requests("_bulk").last?.contains(#"{"index":{"_id":"a","routing":"u1"}}"#) == true)
    }

    @Test func `An update keeps the routing value`() async throws {
        let engine = try await ScriptedEngine { line in
            if line.contains("_mget") {
                let document =
                    #""_id":"a","_routing":"u1","_seq_no":4,"_primary_term":1,"found":true,"_source":{"n":0}"#
                return (#"{"docs":[{\#(document)}]}"#, 200)
            }
            let item = #"{"index":{"_id":"a","_version":2,"result":"updated","status":200}}"#
            return line.contains("_bulk") ? (#"{"errors":false,"items":[\#(item)]}"#, 200) : nil
        }
        #expect(try await engine.update(["a"]) == .results([.done(.updated)]))
        #expect(engine.requests("_bulk").last?.contains(#""_id":"a","routing":"u1","if_seq_no":4"#) == true)
    }

    @Test func `A lookup by ID finds a document with its routing value, or all documents with that ID`() async throws {
        let documents = ["u1", "u2"].map {
            #"{"_id":"a","_routing":"\#($0)","_version":1,"found":true,"_source":{}}"#
        }
        let engine = try await engine(
            hits: [("a", "u1"), ("a", "u2")],
            bulk: [],
            get: #"{"docs":[\#(documents.joined(separator: ","))]}"#
        )
        let page = try await engine.collection().get(at: [DocumentKey("a")], maximumBytes: .max)
        #expect(page.answers == [true])
        #expect(page.documents.map(\.routing) == [Routing("u1"), Routing("u2")])
        let request = try #require(engine.requests("_mget").last)
        #expect(request.contains(#"{"docs":[{"_id":"a","routing":"u1"},{"_id":"a","routing":"u2"}]}"#))
    }

    @Test func `A hit includes its routing value`() throws {
        let body = #"{"hits":{"hits":[{"_id":"a","_routing":"u1","_source":{}},{"_id":"b"}]}}"#
        #expect(try SearchReply(Array(body.utf8)).hits.map(\.document.routing) == [Routing("u1"), nil])
    }

    @Test func `An alias with a routing value is searched, and its index is fed`() async throws {
        let engine = try await ScriptedEngine { line in
            if line.contains("/alias/_settings") { return (#"{"web":{"settings":{}}}"#, 200) }
            if line.contains("/_alias/alias") {
                return (#"{"web":{"aliases":{"alias":{"index_routing":"1","search_routing":"1,2"}}}}"#, 200)
            }
            if line.contains("_refresh") { return Self.refreshed }
            if line.hasPrefix("POST /alias/_search?size=") { return (Self.page([("a", "2")]), 200) }
            let items = [Self.deleted("a"), Self.notFound("b")].joined(separator: ",")
            return line.hasPrefix("POST /web/_bulk") ? (#"{"errors":false,"items":[\#(items)]}"#, 200) : nil
        }
        let collection = try await engine.engine.collection(named: "alias")
        #expect(await reply(of: collection, to: [.remove("a"), .remove("b")]) == [.done(.removed), .done(.missing)])
        let request = try #require(engine.requests("_bulk").first)
        #expect(request.contains(#"{"delete":{"_id":"a","routing":"2"}}"#))
        #expect(request.contains(#"{"delete":{"_id":"b","routing":"1"}}"#))
    }

    // MARK: Versions

    private static func document(_ id: String, _ routing: String? = nil) -> String {
        let routing = routing.map { #""_routing":"\#($0)","# } ?? ""
        return #"{"_id":"\#(id)",\#(routing)"_seq_no":4,"_primary_term":1,"found":true,"_source":{"n":1}}"#
    }

    private static func absent(_ id: String) -> String { #"{"_id":"\#(id)","found":false}"# }

    private func versioned(_ engine: ScriptedEngine) async throws -> any VersionedEngine {
        try #require(try await engine.collection() as? any VersionedEngine)
    }

    @Test func `The version of a document is searched for on all shards`() async throws {
        let docs = #"{"docs":[\#(Self.document("a", "u1")),\#(Self.absent("b"))]}"#
        let engine = try await engine(hits: [("a", "u1")], bulk: [], get: docs)
        let found = try await versioned(engine).versions(at: [DocumentKey("a"), DocumentKey("b")])
        #expect(found.map { $0.document?.version.rawValue } == ["4:1", nil])
        #expect(found.first?.document?.routing == Routing("u1"))
        let request = try #require(engine.requests("_mget").last)
        #expect(request.contains(#"{"docs":[{"_id":"a","routing":"u1"},{"_id":"b"}]}"#))
        #expect(engine.requests("_search?size=1").allSatisfy { $0.contains("allow_partial_search_results=false") })
    }

    @Test func `If several documents share an ID, the version is that of the document stored where the ID determines`()
        async throws
    {
        let docs = #"{"docs":[\#(Self.document("a", "u1")),\#(Self.document("a"))]}"#
        let engine = try await engine(hits: [("a", "u1"), ("a", nil)], bulk: [], get: docs)
        let found = try await versioned(engine).versions(at: [DocumentKey("a")])
        #expect(found.count == 1 && found[0].document != nil && found[0].document?.routing == nil)
    }

    @Test func `A document that was moved after a search is searched for again`() async throws {
        let pages = Mutex([Self.page([("a", "u1")]), Self.page([("a", "u9")])][...])
        let docs = Mutex([Self.absent("a"), Self.document("a", "u9")][...])
        let engine = try await ScriptedEngine { line in
            if line.contains("_search?size=0") { return (Self.withRouting, 200) }
            if line.contains("_search?size=") { return pages.withLock { $0.popFirst() }.map { ($0, 200) } }
            if line.contains("_refresh") { return Self.refreshed }
            return line.contains("_mget") ? docs.withLock { $0.popFirst() }.map { (#"{"docs":[\#($0)]}"#, 200) } : nil
        }
        #expect(try await versioned(engine).versions(at: [DocumentKey("a")]).first?.document?.routing == Routing("u9"))
    }

    @Test func `Reading versions in an index without routing values costs one more request per run`() async throws {
        let engine = try await ScriptedEngine { line in
            line.contains("_mget") ? (#"{"docs":[\#(Self.document("a"))]}"#, 200) : nil
        }
        let collection = try await versioned(engine)
        let before = engine.requests("").count
        for _ in 0..<3 {
            let found = try await collection.versions(at: [DocumentKey("a")])
            #expect(found.first?.document != nil && found.first?.document?.routing == nil)
        }
        #expect(engine.requests("").count - before == 4)
    }

    @Test func `If a shard does not respond, no document is reported as absent`() async throws {
        let partial = #"{"_shards":{"total":2,"successful":1},"hits":{"total":{"value":0}}}"#
        let docs = #"{"docs":[\#(Self.absent("a"))]}"#
        let engine = try await engine(probe: (partial, 200), hits: [], bulk: [], get: docs)
        let collection = try await versioned(engine)
        let error = await #expect(throws: EngineError.self) {
            _ = try await collection.versions(at: [DocumentKey("a")])
        }
        #expect(error?.message.contains("1 shard did not answer") == true)
    }

    @Test(arguments: [nil, Routing("u1")])
    func `A document with a different routing value from the job's is not undone`(routing: Routing?) async throws {
        let docs = Mutex((routing == nil ? [] : [Self.absent("a")]) + [Self.document("a", "u9")])
        let page = Self.page([("a", "u9")])
        let engine = try await ScriptedEngine { line in
            if line.contains("_search?size=0") { return (Self.withRouting, 200) }
            if line.contains("_search?size=") { return (page, 200) }
            if line.contains("_refresh") { return Self.refreshed }
            return line.contains("_mget") ? (#"{"docs":[\#(docs.withLock { $0.removeFirst() })]}"#, 200) : nil
        }
        let collection = try await versioned(engine)
        let content = try #require(ContentDigest(of: Array(#"{"n":1}"#.utf8), "a", in: collection.capabilities))
        let remove = ContentOperation.remove(DocumentKey("a", routing: routing)).only(.contents([content]))
        let results = await reply(of: ComparingEngine(collection, reading: collection), to: [remove])
        guard case .failed(let failure)? = results.first else {
            Issue.record("answered \(results)")
            return
        }
        #expect(failure.code == .changedSince && engine.requests("_bulk").isEmpty)
    }
}
