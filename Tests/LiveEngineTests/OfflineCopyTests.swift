import CollectionSync
import ContentFeeding
import EngineHTTP
import EngineSQLite
import TestSupport
import Testing

/// Offline copies of collections of real engines.
@Suite(.needsEngines, .timeLimit(.minutes(10)))
struct OfflineCopyTests {
    /// The locations of the origins of copies.
    enum Home: String, CaseIterable, Sendable {
        case openSearch, elasticsearch, solr, solrCloud

        private var product: LiveEngine.Product {
            switch self {
            case .openSearch: .openSearch
            case .elasticsearch: .elasticsearch
            case .solr, .solrCloud: .solr
            }
        }

        func administration() async throws -> any CollectionAdministration {
            switch self {
            case .openSearch, .elasticsearch: try await LiveEngine.shared(product).openRelative()
            case .solr: try await SolrLive.shared(.standalone).open()
            case .solrCloud: try await SolrLive.shared(.cloud).open()
            }
        }

        var settings: [CollectionSetting] {
            switch self {
            case .openSearch, .elasticsearch: [CollectionSetting(name: "number_of_shards", value: "3")]
            case .solr: SolrLive.Kind.standalone.settings
            case .solrCloud: SolrLive.Kind.cloud.settings
            }
        }

        /// The settings of a collection that loses a part of its data if a node is lost.
        var fragileSettings: [CollectionSetting] {
            let settings =
                product == .solr
                ? [("configSet", "webcollection"), ("numShards", "4"), ("replicationFactor", "1")]
                : [("number_of_shards", "4"), ("number_of_replicas", "0")]
            return settings.map { CollectionSetting(name: $0, value: $1) }
        }

        /// Solr's schema determines a field's type by its name.
        func json(_ number: Int) -> String { product == .solr ? #"{"n_i":\#(number)}"# : #"{"n":\#(number)}"# }

        var keyword: String { product == .solr ? "k_s" : "k" }

        /// A document as it is returned: Solr includes the ID.
        func returned(_ id: String, _ number: Int) -> String {
            product == .solr ? #"{"id":"\#(id)","n_i":\#(number)}"# : json(number)
        }
    }

    /// Returns a copy of `name` in a separate store.
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

    @Test(arguments: Home.allCases)
    func `A copy is pulled, changed, pushed, and pulled into another copy`(home: Home) async throws {
        let folder = try TemporaryFolder()
        let administration = try await home.administration()
        try await administration.withCollection("copy-story", settings: home.settings) { origin in
            let documents = try (0..<2_500).map { ContentOperation.add(try document("d\($0)", home.json($0))) }
            for start in stride(from: 0, to: documents.count, by: 500) {
                _ = await origin.reply(to: Array(documents[start..<start + 500]))
            }
            let (one, local) = try await copy("copy-story", of: administration, in: folder, as: "one")
            #expect(try await one.pull().changes.added == 2_500)
            #expect(try await one.pull().isUnchanged)
            #expect(try await ids(local).count == 2_500)

            // Offline: an edit, a removal, an addition, and edits of two documents that another client also edits.
            _ = await local.reply(to: [
                .update(try document("d1", home.json(-1))), .remove("d2"), .add(try document("new", home.json(9))),
                .update(try document("d3", home.json(-3))), .remove("d4"),
            ])
            _ = await origin.reply(to: [
                .update(try document("d3", home.json(33))), .update(try document("d4", home.json(44))), .remove("d5"),
            ])
            let cancelled = try await one.push(conflicts: ConflictPolicy.cancel)
            #expect(cancelled.pushed == 3 && cancelled.conflicts == 1 && cancelled.left == 2)
            let pushed = try await one.push(conflicts: ConflictPolicy.client)
            #expect(pushed.conflicts == 2 && pushed.left == 0)
            #expect(try await json(origin, "d1") == home.returned("d1", -1))
            #expect(try await json(origin, "d3") == home.returned("d3", -3))
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

    @Test(arguments: Home.allCases)
    func `A copy of a query follows the matching documents`(home: Home) async throws {
        let folder = try TemporaryFolder()
        let administration = try await home.administration()
        try await administration.withCollection("copy-query", settings: home.settings) { origin in
            _ = await origin.reply(to: [
                .add(try document("a", #"{"\#(home.keyword)":"x"}"#)),
                .add(try document("b", #"{"\#(home.keyword)":"y"}"#)),
            ])
            let query = SearchQuery(fields: [.init(name: home.keyword, value: "x")])
            let (one, local) = try await copy("copy-query", of: administration, in: folder, as: "one", query: query)
            try await one.pull()
            #expect(try await ids(local) == ["a"])
            _ = await origin.reply(to: [
                .update(try document("a", #"{"\#(home.keyword)":"y"}"#)),
                .update(try document("b", #"{"\#(home.keyword)":"x"}"#)),
            ])
            try await one.pull()
            #expect(try await ids(local) == ["b"])
        }
    }

    @Test(arguments: [Home.openSearch, .elasticsearch, .solrCloud])
    func `A re-created collection is detected`(home: Home) async throws {
        let folder = try TemporaryFolder()
        let administration = try await home.administration()
        try await administration.withCollection("copy-anew", settings: home.settings) { origin in
            _ = await origin.reply(to: [.add(try document("a", "{}"))])
            let (one, local) = try await copy("copy-anew", of: administration, in: folder, as: "one")
            try await one.pull()
            _ = try await administration.delete("copy-anew")
            try await administration.create("copy-anew", settings: home.settings)
            let pulled = await #expect(throws: SyncError.self) { try await one.pull() }
            #expect(pulled?.code == .otherOrigin)
            _ = await local.reply(to: [.remove("a")])
            let pushed = await #expect(throws: SyncError.self) { try await one.push() }
            #expect(pushed?.code == .otherOrigin)
        }
    }

    /// A Solr core has no identity.
    @Test func `A core that has become empty may have been replaced`() async throws {
        let folder = try TemporaryFolder()
        let administration = try await Home.solr.administration()
        try await administration.withCollection("copy-empty", settings: Home.solr.settings) { origin in
            _ = await origin.reply(to: [.add(try document("a", "{}"))])
            let (one, local) = try await copy("copy-empty", of: administration, in: folder, as: "one")
            try await one.pull()
            _ = await origin.reply(to: [.remove("a")])
            let pulled = await #expect(throws: SyncError.self) { try await one.pull() }
            #expect(pulled?.code == .otherOrigin)
            #expect(try await local.count() == 1)
            try await one.adoptOrigin()
            #expect(try await one.pull().changes.removed == 1)
            #expect(try await one.pull().isUnchanged)
        }
    }

    @Test func `A core with nested documents is not copied`() async throws {
        let folder = try TemporaryFolder()
        let administration = try await Home.solr.administration()
        try await administration.withCollection("copy-blocks", settings: Home.solr.settings) { origin in
            let block = #"[{"id":"root","_childDocuments_":[{"id":"child"}]}]"#
            try await SolrLive.shared(.standalone).post(block, to: origin.collection)
            let (one, local) = try await copy("copy-blocks", of: administration, in: folder, as: "one")
            let error = await #expect(throws: EngineError.self) { try await one.pull() }
            #expect(error?.code == .unsupported)
            #expect(try await local.count() == 0)
        }
    }
}
