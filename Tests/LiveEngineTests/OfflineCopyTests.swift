import CollectionSync
import ContentFeeding
import EngineHTTP
import EngineSQLite
import TestSupport
import Testing

/// Offline copies of collections of real engines.
@Suite(
    .enabled(if: LiveEngine.isAvailable, "FASTCTL_ENGINES does not name the folder of engines"),
    .timeLimit(.minutes(10))
)
struct OfflineCopyTests {
    private static let products = [LiveEngine.Product.openSearch, .elasticsearch]
    private static let settings = [CollectionSetting(name: "number_of_shards", value: "3")]

    /// A copy of `name` in a store of its own.
    private func copy(
        _ name: CollectionName,
        of administration: any CollectionAdministration,
        in folder: TemporaryFolder,
        as client: String,
        query: SearchQuery = SearchQuery()
    ) async throws -> (synced: SyncedCollection, documents: any CollectionEngine) {
        let store = try await SQLiteEngine.create(path: folder.path(client))
        let origin = CopyOrigin(target: administration.target, collection: name, query: query)
        try await store.createCopy("copy", of: origin)
        let synced = SyncedCollection(try await store.copy(named: "copy")) {
            try await administration.collection(named: name)
        }
        return (synced, try await store.collection(named: "copy"))
    }

    private func ids(_ collection: any CollectionEngine) async throws -> [String] {
        var ids: [String] = []
        var cursor: SearchCursor?
        repeat {
            let page = try await collection.find(SearchQuery(), after: cursor)
            ids += page.documents.map(\.id.text)
            cursor = page.next
        } while cursor != nil
        return ids.sorted()
    }

    private func json(_ collection: any CollectionEngine, _ id: DocumentID) async throws -> String? {
        try await collection.get([id]).first.map { String(decoding: $0.json, as: UTF8.self) }
    }

    @Test(arguments: products)
    func `A copy is pulled, changed, pushed, and pulled elsewhere`(product: LiveEngine.Product) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let administration = try await LiveEngine.shared(product).openRelative()
        try await administration.withCollection("copy-story", settings: Self.settings) { origin in
            let documents = try (0..<2_500).map { ContentOperation.add(try document("d\($0)", #"{"n":\#($0)}"#)) }
            for start in stride(from: 0, to: documents.count, by: 500) {
                _ = await origin.reply(to: Array(documents[start..<start + 500]))
            }
            let (one, local) = try await copy("copy-story", of: administration, in: folder, as: "one")
            #expect(try await one.pull().changes.added == 2_500)
            #expect(try await one.pull().isUnchanged)
            #expect(try await ids(local).count == 2_500)

            // Offline: an edit, a removal, an addition; and two edits that somebody else makes as well.
            _ = await local.reply(to: [
                .update(try document("d1", #"{"n":-1}"#)), .remove("d2"), .add(try document("new", #"{"n":9}"#)),
                .update(try document("d3", #"{"n":-3}"#)), .remove("d4"),
            ])
            _ = await origin.reply(to: [
                .update(try document("d3", #"{"n":33}"#)), .update(try document("d4", #"{"n":44}"#)), .remove("d5"),
            ])
            let cancelled = try await one.push(conflicts: ConflictPolicy.cancel)
            #expect(cancelled.pushed == 3 && cancelled.conflicts == 1 && cancelled.left == 2)
            let pushed = try await one.push(conflicts: ConflictPolicy.client)
            #expect(pushed.conflicts == 2 && pushed.left == 0)
            #expect(try await json(origin, "d1") == #"{"n":-1}"#)
            #expect(try await json(origin, "d3") == #"{"n":-3}"#)
            #expect(try await origin.exists(["d2", "d4", "new"]) == [false, false, true])

            let (two, other) = try await copy("copy-story", of: administration, in: folder, as: "two")
            try await two.pull()
            _ = await other.reply(to: [.remove("d6")])
            #expect(try await two.push().pushed == 1)
            let report = try await one.pull()
            #expect(report.changes.removed == 2 && report.comparedAll)
            #expect(try await ids(local) == ids(other))
            #expect(try await one.pull().isUnchanged)
        }
    }

    @Test(arguments: products)
    func `A copy of a query follows what matches`(product: LiveEngine.Product) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let administration = try await LiveEngine.shared(product).openRelative()
        try await administration.withCollection("copy-query", settings: Self.settings) { origin in
            _ = await origin.reply(to: [
                .add(try document("a", #"{"k":"x"}"#)), .add(try document("b", #"{"k":"y"}"#)),
            ])
            let query = SearchQuery(fields: [.init(name: "k", value: "x")])
            let (one, local) = try await copy("copy-query", of: administration, in: folder, as: "one", query: query)
            try await one.pull()
            #expect(try await ids(local) == ["a"])
            _ = await origin.reply(to: [
                .update(try document("a", #"{"k":"y"}"#)), .update(try document("b", #"{"k":"x"}"#)),
            ])
            try await one.pull()
            #expect(try await ids(local) == ["b"])
        }
    }

    @Test(arguments: products)
    func `An index that was created anew is recognised`(product: LiveEngine.Product) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let administration = try await LiveEngine.shared(product).openRelative()
        try await administration.withCollection("copy-anew", settings: Self.settings) { origin in
            _ = await origin.reply(to: [.add(try document("a", "{}"))])
            let (one, local) = try await copy("copy-anew", of: administration, in: folder, as: "one")
            try await one.pull()
            _ = try await administration.delete("copy-anew")
            try await administration.create("copy-anew", settings: Self.settings)
            let pulled = await #expect(throws: SyncError.self) { try await one.pull() }
            #expect(pulled?.code == .otherOrigin)
            _ = await local.reply(to: [.remove("a")])
            let pushed = await #expect(throws: SyncError.self) { try await one.push() }
            #expect(pushed?.code == .otherOrigin)
        }
    }

    @Test(arguments: products)
    func `A shard that is lost removes nothing`(product: LiveEngine.Product) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let count = 3
        let server = try await LiveEngine.start(product, nodes: count)
        let administration = try await server.openRelative()
        let settings = [("number_of_shards", "4"), ("number_of_replicas", "0")].map {
            CollectionSetting(name: $0, value: $1)
        }
        try await administration.create("red", settings: settings)
        let origin = try await administration.collection(named: "red")
        _ = await origin.reply(to: try (0..<100).map { .add(try document("d\($0)", #"{"n":\#($0)}"#)) })
        let (one, local) = try await copy("red", of: administration, in: folder, as: "one")
        try await one.pull()
        #expect(try await local.count() == 100)

        try await server.node(count, .kill)
        let health = EnginePath("_cluster", "health").with("wait_for_nodes", "\(count - 1)").with("timeout", "60s")
        try await server.send(.get, health, amongFirst: count - 1)
        let error = await #expect(throws: EngineError.self) { try await one.pull() }
        #expect(error?.code == .unreachable)
        #expect(try await local.count() == 100)
    }
}
