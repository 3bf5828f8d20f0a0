import ContentFeeding
import DocumentSources
import EngineHTTP
import Files
import Foundation
import Reconciliation
import TestSupport
import Testing

/// Documents whose routing places them on different shards than their IDs would; the index has five shards.
@Suite(
    .enabled(
        if: LiveEngine.hasRelatives,
        "neither FASTCTL_ENGINES nor the addresses of OpenSearch and Elasticsearch are set"
    ),
    .timeLimit(.minutes(5)),
    .serialized
)
struct RoutingTests {
    private static let products = [LiveEngine.Product.openSearch, .elasticsearch]
    private static let ids = (1...8).map { DocumentID(stringLiteral: "d\($0)") }

    /// Calls `body` with an index that has `d1` at the routing value `u1`, and so on, and `plain` without a routing
    /// value.
    private func withRouted(
        _ name: CollectionName,
        on product: LiveEngine.Product,
        shards: Int = 5,
        refreshes: Bool = true,
        _ body: (any CollectionEngine, LiveEngine) async throws -> Void
    ) async throws {
        let server = try await LiveEngine.shared(product)
        let settings = [
            CollectionSetting(name: "number_of_shards", value: "\(shards)"),
            CollectionSetting(name: "number_of_replicas", value: "0"),
            CollectionSetting(name: "refresh_interval", value: "-1"),
        ]
        try await server.openRelative().withCollection(name, settings: settings) { engine in
            for id in Self.ids {
                let path = EnginePath(name.rawValue, "_doc", id.text).with("routing", "u\(id.text.dropFirst())")
                try await server.send(.put, path, #"{"n":1}"#)
            }
            try await server.send(.put, EnginePath(name.rawValue, "_doc", "plain"), #"{"n":1}"#)
            if refreshes { try await engine.raise(to: .live) }
            try await body(engine, server)
        }
    }

    private func counts(_ engine: any CollectionEngine, _ operations: [ContentOperation]) async -> FeedCounts {
        await OperationFeed(engine: engine).run(ChunkList([OperationChunk(operations: operations)])).report.counts
    }

    private func found(in engine: any CollectionEngine) async throws -> [StoredDocument] {
        try await engine.raise(to: .live)
        return try await engine.find(SearchQuery(), after: nil).documents.sorted { $0.id < $1.id }
    }

    private func isWhole(_ documents: [StoredDocument]) -> Bool {
        documents.map(\.id) == Self.ids + ["plain"]
            && documents.dropLast().allSatisfy { $0.routing?.text == "u\($0.id.text.dropFirst())" }
            && documents.last?.routing == nil
    }

    @Test(arguments: products, [true, false])
    func `Documents found by a search are removed`(product: LiveEngine.Product, refreshes: Bool) async throws {
        try await withRouted("routed-removed", on: product, refreshes: refreshes) { engine, _ in
            // Only by ID, as with a list of IDs.
            let counts = await counts(engine, (Self.ids + ["none"]).map { ContentOperation.remove($0) })
            #expect(counts[.removed] == 8 && counts[.missing] == 1)
            let answers = try await engine.exists(Self.ids)
            #expect(answers == Array(repeating: false, count: 8))
            #expect(try await found(in: engine).map(\.id) == ["plain"])
        }
    }

    @Test(arguments: products)
    func `Every document is found by its ID`(product: LiveEngine.Product) async throws {
        try await withRouted("routed-there", on: product, refreshes: false) { engine, _ in
            let answers = try await engine.exists(Self.ids + ["none"])
            #expect(answers == Array(repeating: true, count: 8) + [false])
            #expect(isWhole(try await engine.get(Self.ids + ["plain"])))
        }
    }

    @Test(arguments: products, [1, 5])
    func `An update keeps the routing value`(product: LiveEngine.Product, shards: Int) async throws {
        try await withRouted("routed-updated", on: product, shards: shards) { engine, _ in
            let patch = Array(#"{"k":2}"#.utf8)
            let counts = await counts(engine, Self.ids.map { .update(Document(id: $0, json: patch)) })
            #expect(counts[.updated] == 8)
            let documents = try await found(in: engine)
            #expect(isWhole(documents))
            #expect(documents.count { String(decoding: $0.json, as: UTF8.self).contains(#""k":2"#) } == 8)
        }
    }

    @Test(arguments: products, [1, 5])
    func `A document that is added again is not duplicated`(product: LiveEngine.Product, shards: Int) async throws {
        try await withRouted("routed-added", on: product, shards: shards) { engine, _ in
            let documents = try await found(in: engine)
            let again = documents.map {
                ContentOperation.add(Document(id: $0.id, json: $0.json, routing: $0.routing))
            }
            #expect(await counts(engine, again)[.updated] == 9)
            #expect(isWhole(try await found(in: engine)))
            let bare = documents.map { ContentOperation.add(Document(id: $0.id, json: $0.json)) }
            #expect(await counts(engine, bare)[.updated] == 9)
            #expect(isWhole(try await found(in: engine)))
            // A removed document returns to its previous place.
            #expect(await counts(engine, documents.map { .remove($0.id) })[.removed] == 9)
            #expect(await counts(engine, again)[.added] == 9)
            #expect(isWhole(try await found(in: engine)))
        }
    }

    @Test(arguments: products)
    func `Among several documents with one ID, the specified one is removed`(
        product: LiveEngine.Product
    ) async throws {
        try await withRouted("routed-twice", on: product) { engine, _ in
            let twins = ["t1", "t2", "t3", "t4"].compactMap { Routing($0) }
            let json = Array("{}".utf8)
            let added = await counts(engine, twins.map { .add(Document(id: "twin", json: json, routing: $0)) })
            // Some of them may share a shard, on which they are then one document.
            let there = added[.added]
            try #require(there > 1)
            let all = try await found(in: engine).filter { $0.id == "twin" }
            #expect(all.count == there)
            #expect(await counts(engine, [.remove("twin")])[.failed] == 1)
            #expect(try await engine.get(["twin"]).count == there)
            let removed = await counts(engine, [.remove(DocumentKey("twin", routing: all[0].routing))])
            #expect(removed[.removed] == 1)
            let left = try await found(in: engine)
            #expect(left.filter { $0.id == "twin" } == Array(all.dropFirst()))
            #expect(left.count == 9 + there - 1)
        }
    }

    /// Only on OpenSearch: the Elasticsearch of the tests has no joins.
    @Test func `Child documents are removed in the same way as their parents`() async throws {
        let server = try await LiveEngine.shared(.openSearch)
        let settings = [CollectionSetting(name: "number_of_shards", value: "3")]
        try await server.openRelative().withCollection("routed-children", settings: settings) { engine in
            let mapping = #"{"properties":{"r":{"type":"join","relations":{"page":"part"}}}}"#
            try await server.send(.put, EnginePath("routed-children", "_mapping"), mapping)
            let parent = Document(id: "p1", json: Array(#"{"r":"page"}"#.utf8))
            let part = Array(#"{"r":{"name":"part","parent":"p1"}}"#.utf8)
            let children = (1...4).map { DocumentID(stringLiteral: "c\($0)") }
            var adds = [ContentOperation.add(parent)]
            for id in children { adds.append(.add(Document(id: id, json: part, routing: Routing("p1")))) }
            #expect(await counts(engine, adds)[.added] == 5)
            // A child without its parent's routing value can't be placed.
            #expect(await counts(engine, [.add(Document(id: "c9", json: part))])[.failed] == 1)
            #expect(try await engine.exists(children + ["c9"]) == [true, true, true, true, false])
            #expect(await counts(engine, children.map { .remove($0) })[.removed] == 4)
            #expect(try await engine.exists(children) == [false, false, false, false])
            #expect(try await found(in: engine).map(\.id) == ["p1"])
        }
    }

    @Test(arguments: products, [1, 5])
    func `If routing values are required, documents are read, updated and removed by ID`(
        product: LiveEngine.Product,
        shards: Int
    ) async throws {
        let server = try await LiveEngine.shared(product)
        let settings = [CollectionSetting(name: "number_of_shards", value: "\(shards)")]
        try await server.openRelative().withCollection("routed-required", settings: settings) { engine in
            let mapping = #"{"_routing":{"required":true}}"#
            try await server.send(.put, EnginePath("routed-required", "_mapping"), mapping)
            for id in ["a", "b"] {
                let path = EnginePath("routed-required", "_doc", id).with("routing", "u1")
                try await server.send(.put, path, #"{"n":1}"#)
            }
            #expect(try await engine.get(["a", "none", "b"]).map(\.routing) == [Routing("u1"), Routing("u1")])
            #expect(try await engine.exists(["a", "none"]) == [true, false])
            let patch = Document(id: "a", json: Array(#"{"n":2}"#.utf8))
            #expect(await counts(engine, [.update(patch)])[.updated] == 1)
            let removed = await counts(engine, [.remove("a"), .remove("b"), .remove("none")])
            #expect(removed[.removed] == 2 && removed[.missing] == 1)
            #expect(try await engine.exists(["a", "b"]) == [false, false])
        }
    }

    @Test(arguments: products)
    func `Feeding an alias with a routing value affects only the documents that the alias selects`(
        product: LiveEngine.Product
    ) async throws {
        try await withRouted("routed-aliased", on: product) { index, server in
            let path = EnginePath("routed-aliased", "_alias", "routed-alias")
            try await server.send(.put, path, #"{"index_routing":"u1","search_routing":"u1,u2"}"#)
            let engine = try await server.openRelative().collection(named: "routed-alias")
            let seen = try await engine.find(SearchQuery(), after: nil).documents
            let own = seen.filter { ["u1", "u2"].contains($0.routing?.text) }
            #expect(own.map(\.id).sorted() == ["d1", "d2"])
            let new = Document(id: "new", json: Array("{}".utf8))
            let fed = await counts(engine, seen.map { ContentOperation.remove($0.id) } + [ContentOperation.add(new)])
            #expect(fed[.removed] == seen.count && fed[.added] == 1)
            #expect(try await engine.exists(["d1", "d2", "new"]) == [false, false, true])
            let left = try await found(in: index)
            #expect(left.count == 9 - seen.count + 1)
            #expect(left.first { $0.id == "new" }?.routing == Routing("u1"))
        }
    }

    private func versions(_ engine: any CollectionEngine) throws -> any VersionedEngine {
        try #require(engine as? any VersionedEngine)
    }

    /// Removes a document at one routing value, and adds it at another one, as other clients would.
    private func move(
        _ id: DocumentID,
        in name: String,
        from routing: String?,
        to other: String,
        on server: LiveEngine
    ) async throws {
        var path = EnginePath(name, "_doc", id.text)
        if let routing { path = path.with("routing", routing) }
        try await server.send(.delete, path)
        try await server.send(.put, EnginePath(name, "_doc", id.text).with("routing", other), #"{"n":1}"#)
    }

    @Test(arguments: products, [true, false])
    func `Every document's version is found by its ID`(product: LiveEngine.Product, refreshes: Bool) async throws {
        try await withRouted("routed-versions", on: product, refreshes: refreshes) { engine, server in
            let reader = try versions(engine)
            let named = try await reader.versions(
                at: Self.ids.map { id in
                    DocumentKey(id, routing: Routing("u\(id.text.dropFirst())"))
                }
            )
            let found = try await reader.versions(at: (Self.ids + ["none"]).map { DocumentKey($0) })
            #expect(found == named + [.absent])
            #expect(named.allSatisfy { $0.document?.routing != nil })
            try await move("d1", in: "routed-versions", from: "u1", to: "u9", on: server)
            #expect(try await reader.versions(at: [DocumentKey("d1")]).first?.document?.routing == Routing("u9"))
        }
    }

    @Test(arguments: products)
    func `Documents that other clients have moved are not restored`(product: LiveEngine.Product) async throws {
        try await withRouted("routed-undone", on: product) { engine, server in
            let reader = try versions(engine)
            #expect(await counts(engine, [.add(Document(id: "d9", json: Array(#"{"n":1}"#.utf8)))])[.added] == 1)
            try await move("d9", in: "routed-undone", from: nil, to: "u9", on: server)
            try await move("d1", in: "routed-undone", from: "u1", to: "u7", on: server)
            let content = try #require(ContentDigest(of: Array(#"{"n":1}"#.utf8), "d1", in: engine.capabilities))
            let keys = [DocumentKey("d9"), DocumentKey("d1", routing: Routing("u1")), DocumentKey("plain")]
            let reply = await ComparingEngine(reader, reading: reader)
                .reply(to: keys.map { .remove($0).only(.contents([content])) })
            let moved = OperationResult.failed(.changedSince(isGone: false))
            #expect(reply == .results([moved, moved, .done(.removed)]))
            #expect(try await engine.exists(["d9", "d1", "plain"]) == [true, true, false])
        }
    }

    @Test(arguments: products)
    func `Changes to orphaned and stale documents are planned with their routing values`(
        product: LiveEngine.Product
    ) async throws {
        let folder = try TemporaryFolder()
        let lines = (1...6).map { #"{"id":"d\#($0)","n":\#($0 == 6 ? 2 : 1)}"# } + [#"{"id":"new","n":1}"#]
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: folder.path("source")))
        try await withRouted("routed-planned", on: product) { engine, server in
            let reader = try versions(engine)
            let source = try FileSource(folder.path("source"), .jsonLines)
            let basis = VersionBasis.content(ContentFingerprint(idKeys: ["id"]))
            let space = SpillSpace(in: folder.path("."), maximumBytes: 1 << 30)
            let reconciler = Reconciler(source, reader, by: basis, in: space)
            let kinds = Set(Difference.Kind.allCases)
            // While others write, each difference is checked once more.
            let moving = try await reconciler.read { question in
                let late = EnginePath("routed-planned", "_doc", "late").with("routing", "u5")
                try await server.send(.put, late, #"{"n":1}"#)
                return try await question()
            }
            let seen = try await moving.forEach(of: kinds) { _ in }
            #expect(moving.isMoved && seen.settled == 0)
            #expect(seen.orphaned == 3 && seen.stale == 1 && seen.missing == 1)
            let drift = try await reconciler.read()
            #expect(!drift.isMoved)
            let state = try await reader.state()
            let writer = try PlanWriter(folder.path("plan"))
            try writer.begin(
                PlanHeader(
                    command: "reconcile",
                    createdAt: "2026-01-01T00:00:00Z",
                    context: nil,
                    target: "opensearch+http://localhost:9200",
                    collection: engine.collection,
                    state: state
                )
            )
            _ = try await Planner(source, reader, by: basis, drift.sides).write(kinds, to: writer)
            try writer.finish()
            #expect(writer.tally.additions == 2 && writer.tally.removals == 4)
            let plan = try PlanFile(folder.path("plan"), allowsEdits: false)
            let operations = try #require(try plan.next(from: 0, limit: 10, maximumBytes: 1 << 20)).operations
            let routings = Dictionary(uniqueKeysWithValues: operations.map { ($0.documentID, $0.routing?.text) })
            #expect(routings == ["d6": "u6", "new": nil, "d7": "u7", "d8": "u8", "late": "u5", "plain": nil])
            let counts = await counts(engine, operations)
            #expect(counts[.updated] == 1 && counts[.added] == 1 && counts[.removed] == 4)
            let after = try await reconciler.read().forEach(of: kinds) { _ in }
            #expect(after.same == 7 && after.source == 7 && after.collection == 7)
        }
    }
}
