import CollectionSync
import ContentFeeding
import DocumentSources
import EngineSQLite
import TestSupport
import Testing

struct CollectionSourceTests {
    private let folder: TemporaryFolder
    private let store: SQLiteEngine
    private static let count = 1_300

    init() async throws {
        folder = try TemporaryFolder()
        store = try await SQLiteEngine.create(path: folder.path("s.sqlite"))
        try await store.create("web", settings: [])
        try await add(0..<Self.count)
    }

    private func add(_ numbers: Range<Int>) async throws {
        let documents = try numbers.map { number in
            Document(id: try DocumentID("n\(number)"), json: Array(#"{"n":\#(number),"etag":"e\#(number)"}"#.utf8))
        }
        let chunks = AsyncStream { stream in
            stream.yield(OperationChunk(operations: documents.map { .add($0) }))
            stream.finish()
        }
        let result = await OperationFeed(engine: try await store.collection(named: "web")).run(chunks)
        #expect(result.report.counts.settled == documents.count && !result.report.hasDocumentErrors)
    }

    private func source(versionKey: String? = nil) async throws -> CollectionSource {
        let engine = try #require(try await store.collection(named: "web") as? any VersionedEngine)
        return CollectionSource(
            engine,
            CopyOrigin(target: store.target, collection: "web", idKey: ""),
            versionKey: versionKey,
            named: "web"
        )
    }

    @Test func `Contents are compared by meaning if either side keeps only the meaning`() {
        let stored = #"{"id":"a","n":1.0,"tags":["x"],"_version_":7}"#
        let fed = #"{"id":"a","n":1,"tags":"x"}"#
        func digest(_ json: String, _ content: ContentFingerprint) -> UInt64 {
            content.digest(of: json.utf8.span, id: "a".utf8.span)
        }
        var solr = EngineCapabilities()
        (solr.keepsDocumentBytes, solr.keptKeys) = (false, ["_version_"])
        var fromSolr = SourceTraits()
        (fromSolr.keepsDocumentBytes, fromSolr.ownKeys) = (false, ["_version_"])
        let intoSolr = SourceTraits().comparison(with: solr, idKeys: ["id"])
        let outOfSolr = fromSolr.comparison(with: EngineCapabilities(), idKeys: ["id"])
        for content in [intoSolr, outOfSolr] { #expect(digest(stored, content) == digest(fed, content)) }
        let exact = SourceTraits().comparison(with: EngineCapabilities(), idKeys: ["id"])
        #expect(digest(stored, exact) != digest(fed, exact))
    }

    @Test func `Documents have the version from the engine or from a key`() async throws {
        let own = try await SourceReading(try await source())
        #expect(own.entries.count == Self.count && own.rejections.isEmpty)
        #expect(own.texts[0] == #"{"n":0,"etag":"e0"}"# && own.entries.allSatisfy { $0.version != nil })
        let keyed = try await source(versionKey: "etag")
        #expect(keyed.traits.versionKey == "etag")
        let versions = try await SourceReading(keyed, .versions)
        #expect(versions.entries[7].version == "e7" && versions.entries.allSatisfy { $0.json == nil })
    }

    @Test func `Reading can resume at any page`() async throws {
        let source = try await source()
        let whole = try await SourceReading(source)
        #expect(whole.places.count > 1)
        for place in whole.places { #expect(try await SourceReading.resumed(source, at: place) == whole.entries) }
        try await add(5..<6)
        let error = await #expect(throws: SourceError.self) { try await SourceReading(source, from: whole.places[0]) }
        #expect(error?.code == .changed)
    }

    @Test func `If a collection changes, reading documents continues, and reading versions fails`()
        async throws
    {
        let documents = try await source().reader(of: .documents, from: .beginning)
        let versions = try await source().reader(of: .versions, from: .beginning)
        var entries = try await documents.next()?.entries ?? []
        _ = try await versions.next()
        try await add(Self.count..<Self.count + 1)
        try await add(0..<1)
        while let page = try await documents.next() { entries += page.entries }
        #expect(Set(entries.map(\.id.text)).count == Self.count + 1)
        let error = await #expect(throws: SourceError.self) {
            while try await versions.next() != nil {}
        }
        #expect(error?.code == .changed)
    }
}
