import ContentFeeding
import EngineSQLite
import TestSupport
import Testing

@testable import FeedJobs

/// The effects that a dry run finds.
struct DocumentComparisonTests {
    @Test func `A document with another routing value is not reported as missing`() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteEngine.create(path: folder.path("store.sqlite"))
        try await store.create("web", settings: [])
        let items = (["a", "b"] as [DocumentID]).enumerated().map { number, id in
            let document = Document(id: id, json: Array(#"{"n":1}"#.utf8))
            return ContentBatch.Item(id: OperationID(rawValue: UInt64(number + 1)), operation: .add(document))
        }
        let base = try await store.collection(named: "web")
        _ = await base.apply(ContentBatch(id: BatchID(rawValue: 1), items: items))

        let other = try #require(Routing("other"))
        var comparison = DocumentComparison(with: RoutedEngine(base: base))
        let effects = try await comparison.effects(of: [
            .remove(DocumentKey("a", routing: RoutedEngine.own)), .remove(DocumentKey("b", routing: other)),
            .remove(DocumentKey("c", routing: other)),
            .update(Document(id: "b2", json: Array(#"{"n":2}"#.utf8), routing: other)),
        ])
        #expect(
            effects.map { $0.obstacle(in: "web") } == [
                nil,
                "would be refused: no document with this ID has the routing value 'other', but there is one with the "
                    + "routing 'own'",
                "does not exist in web with the routing value 'other'",
                "does not exist in web with the routing value 'other'",
            ]
        )
    }
}

/// An engine in which each document has the routing value `own`.
private struct RoutedEngine: ForwardingEngine {
    static let own = Routing("own")

    let base: any CollectionEngine

    var capabilities: EngineCapabilities {
        var capabilities = base.capabilities
        capabilities.takesRouting = true
        return capabilities
    }

    private func isHere(_ key: DocumentKey) -> Bool { key.routing == nil || key.routing == Self.own }

    func exists(at keys: [DocumentKey]) async throws(EngineError) -> [Bool] {
        try await zip(keys, base.exists(keys.map(\.id))).map { isHere($0) && $1 }
    }

    func get(at keys: ArraySlice<DocumentKey>, maximumBytes: Int) async throws(EngineError) -> LookupPage {
        let here = keys.map { isHere($0) }
        let page = try await base.get(keys.map(\.id)[...], maximumBytes: .max)
        let documents = page.documents.map {
            StoredDocument(id: $0.id, version: nil, routing: Self.own, json: $0.json)
        }
        let found = Set(documents.map(\.id))
        let shown = Set(zip(keys, here).filter { $1 }.map(\.0.id))
        return LookupPage(
            documents: documents.filter { shown.contains($0.id) },
            answers: zip(keys, here).map { $1 && found.contains($0.id) }
        )
    }
}
