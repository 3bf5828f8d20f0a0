import CollectionSync
import ContentFeeding
import EngineHTTP
import EngineSQLite
import TestSupport
import Testing

/// Documents of a Solr whose schema fills stored fields from others.
@Suite(.needsEngines, .timeLimit(.minutes(5)))
struct SolrCopyFieldTests {
    /// The schema of both collections, which have the same config set.
    private static let schema = #"""
        {"add-field":[{"name":"all","type":"string","stored":true,"multiValued":true},
        {"name":"label","type":"string","stored":true}],
        "add-copy-field":[{"source":"name_s","dest":["all","label"]},{"source":"*_i","dest":"*_s"}]}
        """#

    @Test func `Fields that Solr fills from other fields are neither fed to a copy nor pushed back`() async throws {
        let folder = try TemporaryFolder()
        let solr = try await SolrLive.local()
        let settings = try solr.copyConfigSet(as: "solr-copyfields")
        try await solr.withCollection("solr-copyfields-a", settings: settings) { first in
            try await solr.post(Self.schema, to: first.collection, at: "schema")
            try await solr.withCollection("solr-copyfields-b", settings: settings) { second in
                let origin = try await solr.open().collection(named: first.collection)
                let target = try await solr.open().collection(named: second.collection)
                try await solr.post(#"[{"id":"A","name_s":"one","n_i":7}]"#, to: first.collection)
                #expect(try await stored("A", in: first, of: solr) == #"["one"]"#)

                let fed = #"{"id":"A","name_s":"one","n_i":7}"#
                let found = try await origin.find(SearchQuery(), after: nil).documents
                #expect(found.map { String(decoding: $0.json, as: UTF8.self) } == [fed])
                let versions = try #require(origin.versions)
                let reader = try #require(
                    try await CollectionReader.open(
                        versions,
                        of: CopyOrigin(target: "somewhere", collection: origin.collection, idKey: ""),
                        keepsRouting: false
                    )
                )
                // Before it looks for changes again, the reader returns a chunk without operations.
                while let chunk = try await reader.next() {
                    if chunk.operations.isEmpty { continue }
                    #expect(await target.reply(to: chunk.operations) == .results([.done(.added)]))
                }
                try await target.raise(to: .live)
                #expect(try await stored("A", in: target, of: solr) == #"["one"]"#)

                // A change made in an offline copy.
                let store = try await SQLiteEngine.create(path: folder.path("store"))
                try await store.createCopy("copy", of: CopyOrigin(target: "somewhere", collection: origin.collection))
                let synced = SyncedCollection(try await store.copy(named: "copy")) { origin }
                #expect(try await synced.pull().changes.added == 1)
                let patch = Document(id: "A", json: Array(#"{"name_s":"eins"}"#.utf8))
                _ = await (try await store.collection(named: "copy")).reply(to: [.update(patch)])
                #expect(try await synced.push().pushed == 1)
                try await origin.raise(to: .live)
                #expect(try await stored("A", in: origin, of: solr) == #"["eins"]"#)
            }
        }
    }

    /// Returns the contents of the field `all` in the results of Solr's own search.
    private func stored(_ id: String, in collection: any CollectionEngine, of solr: SolrLive) async throws -> String {
        let path = EnginePath(collection.collection.rawValue, "select").with("q", "id:\(id)").with("wt", "csv")
            .with("fl", "all").with("csv.header", "false").with("csv.mv.separator", "|")
        let reply = try await EngineConnection(to: solr.engine.solrNodes).send(EngineRequest(.get, path))
        try #require(reply.isSuccess)
        let values = String(decoding: reply.body, as: UTF8.self).split(whereSeparator: { $0 == "|" || $0.isNewline })
        return "[\(values.map { "\"\($0)\"" }.joined(separator: ","))]"
    }
}
