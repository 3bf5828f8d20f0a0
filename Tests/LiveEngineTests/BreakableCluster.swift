import CollectionSync
import ContentFeeding
import EngineHTTP
import EngineSQLite
import TestSupport
import Testing

/// A cluster of three nodes, which the tests of a suite break one after another.
///
/// It starts before the first of them, and stops after the last one. Two of three nodes can elect a leader, but one of
/// two can't always do so.
struct BreakableCluster: SuiteTrait, TestScoping {
    let product: LiveEngine.Product

    static let count = 3
    @TaskLocal private static var current: LiveEngine?

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let server = try await LiveEngine.start(product, nodes: Self.count)
        defer { server.stop() }
        try await Self.$current.withValue(server) { try await function() }
    }

    /// Returns the suite's cluster, after the nodes that the previous test has lost have joined it again.
    static func whole() async throws -> LiveEngine {
        let server = try #require(current)
        for number in 1...count { try await server.node(number, .start) }
        if server.product == .solr {
            try await awaitLiveNodes(of: server)
        } else {
            let health = EnginePath("_cluster", "health").with("wait_for_nodes", "\(count)").with("timeout", "50s")
            try await server.send(.get, health)
        }
        return server
    }

    private static func awaitLiveNodes(of server: LiveEngine) async throws {
        let connection = try await EngineConnection(to: server.solrNodes)
        let path = EnginePath("admin", "collections").with("action", "CLUSTERSTATUS").with("wt", "json")
        for _ in 0..<300 {
            let reply = try await connection.send(EngineRequest(.get, path))
            let text = String(decoding: reply.body, as: UTF8.self)
            let live = (text.split(separator: "\"live_nodes\"", maxSplits: 1).last ?? "").prefix { $0 != "]" }
            if server.solrNodes.allSatisfy({ live.contains("\($0.host):\($0.port)_solr") }) { return }
            try await Task.sleep(for: .milliseconds(200))
        }
        throw LiveEngine.Failure(description: "a node did not join the SolrCloud again")
    }
}

extension Trait where Self == BreakableCluster {
    static func breaks(_ product: LiveEngine.Product) -> Self { BreakableCluster(product: product) }
}

/// A collection with more shards than there are nodes and without replicas, and an offline copy of it: each node has a
/// shard that no other node has.
struct FragileCollection {
    let administration: any CollectionAdministration
    let engine: any CollectionEngine

    private let server: LiveEngine
    private let folder: TemporaryFolder
    private let copy: SyncedCollection
    private let documents: any CollectionEngine

    private static let name: CollectionName = "red"

    /// Creates the collection with 100 documents, and copies it.
    init(_ home: OfflineCopyTests.Home, on server: LiveEngine) async throws {
        let administration =
            home == .solrCloud
            ? try await SolrLive(kind: .cloud, engine: server).open() : try await server.openRelative()
        try await administration.create(Self.name, settings: home.fragileSettings)
        let engine = try await administration.collection(named: Self.name)
        let added = await engine.reply(to: try (0..<100).map { .add(try document("d\($0)", home.json($0))) })
        #expect(added == .results(Array(repeating: .done(.added), count: 100)))
        try await engine.raise(to: .live)
        #expect(try await engine.count() == 100)

        let folder = try TemporaryFolder()
        let store = try await SQLiteEngine.create(path: folder.path("store"))
        try await store.createCopy("copy", of: CopyOrigin(target: administration.target, collection: Self.name))
        let copy = SyncedCollection(try await store.copy(named: "copy")) {
            try await administration.collection(named: Self.name)
        }
        let documents = try await store.collection(named: "copy")
        try await copy.pull()
        #expect(try await documents.count() == 100)
        (self.server, self.administration, self.engine) = (server, administration, engine)
        (self.folder, self.copy, self.documents) = (folder, copy, documents)
    }

    /// Kills the last node.
    func loseShard() async throws {
        try await server.node(BreakableCluster.count, .kill)
        guard server.product != .solr else { return }
        let left = BreakableCluster.count - 1
        let health = EnginePath("_cluster", "health").with("wait_for_nodes", "\(left)").with("timeout", "60s")
        try await server.send(.get, health, amongFirst: left)
    }

    /// Expects that the copy can't be pulled, and keeps its documents.
    func expectCopyKept() async throws {
        let error = await #expect(throws: EngineError.self) { try await copy.pull() }
        #expect(error?.code == .unreachable)
        #expect(try await documents.count() == 100)
    }

    /// Expects that OpenSearch or Elasticsearch reports the shard that is missing, instead of partial results.
    func expectPartialAnswersRefused() async throws {
        let name = Self.name
        let failed: [EngineError?] = [
            await #expect(throws: EngineError.self) { _ = try await engine.find(SearchQuery(), after: nil) },
            await #expect(throws: EngineError.self) { _ = try await engine.count() },
            await #expect(throws: EngineError.self) { try await engine.raise(to: .live) },
            await #expect(throws: EngineError.self) { _ = try await administration.clear(name) },
            await #expect(throws: EngineError.self) { _ = try await administration.optimize(name) { _, _ in } },
        ]
        for error in failed {
            #expect(error?.code == .unreachable)
            let words = error?.message ?? ""
            #expect(words.contains("red[") || words.contains("[red]["), "\(words)")
        }
        let shown = try await administration.show(name)
        #expect(shown.documents == nil && shown.flaw?.contains("red[") == true)
        let listed = try #require(try await administration.list().first { $0.name == name })
        #expect(listed.documents == nil)
    }

    /// Deletes the collection, whose number of documents is unknown.
    func expectDeleted() async throws { #expect(try await administration.delete(Self.name) == nil) }
}
