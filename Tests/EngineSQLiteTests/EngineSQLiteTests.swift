import ContentFeeding
import EngineCatalog
import TestSupport
import Testing

@Test func addsAndRemoves() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let address = try TargetAddress("sqlite:" + folder.path("new/store.sqlite"))
    let engine = try await EngineCatalog.create(address)
    try await engine.create("web", settings: [])
    let collection = try await engine.collection(named: "web")
    let json = Array(#"{"id":"a","title":"Hello wörld"}"#.utf8)
    let items = [
        ContentBatch.Item(id: .first, operation: .add(Document(id: "a", json: json))),
        ContentBatch.Item(id: .first.next, operation: .remove("b")),
    ]
    let progress = FeedProgress(job: JobID(rawValue: "job"), lowestUnsettled: OperationID(rawValue: 3))
    let reply = await collection.apply(ContentBatch(id: BatchID(rawValue: 1), items: items, progress: progress))
    #expect(reply == .results([.done(.added), .done(.missing)]))
    #expect(try await collection.get(["b", "a"]).map(\.json) == [json])
    #expect(try await collection.find(SearchQuery(words: ["WORLD"]), after: nil).documents.map(\.id) == ["a"])
    #expect(try await collection.count() == 1)
    #expect(try await engine.list().map(\.documents) == [1])
}
