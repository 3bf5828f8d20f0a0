import ContentFeeding
import FeedingTestKit
import TestSupport
import Testing

struct InMemoryEngineTests {
    @Test func `The engine fulfills the contract`() async throws {
        try await EngineContract(InMemoryEngine(), vocabulary: .accents).check()
    }

    @Test func `A feeder can feed the engine`() async throws {
        let engine = InMemoryEngine()
        try await engine.create("WebCollection", settings: [])
        let collection = try await engine.collection(named: "WebCollection")
        let feeder = DocumentFeeder(engine: collection)
        try await feeder.addDocument(Document(id: "ID1", ["title": "The first page"]))
        try await feeder.updateDocument(Document(id: "ID1", ["year": 2011]))
        try await feeder.removeDocument("FAKEID")
        let counts = await feeder.close().counts
        #expect(counts.added == 1 && counts.updated == 1 && counts.missing == 1)
        let document = try await collection.get(["ID1"]).first
        #expect(document.map { String(decoding: $0.json, as: UTF8.self) } == #"{"title":"The first page","year":2011}"#)
    }

    @Test func `The script determines the replies before anything is applied`() async throws {
        let failure = DocumentFailure(.rejectedByEngine, "no answer")
        let collection = InMemoryCollection(
            ["ID1"],
            script: [.failed(BatchFailure(.definite(isCharged: true), failure))]
        )
        let feeder = DocumentFeeder(engine: collection)
        try await feeder.removeDocument("ID1")
        #expect(await feeder.close().counts.removed == 1)
        #expect(collection.batches.count == 2 && collection.ids.isEmpty)
    }

    @Test func `Anything but a document or a cursor is refused`() async throws {
        let collection = InMemoryCollection()
        let items = [ContentBatch.Item(id: .first, operation: .add(Document(id: "a", json: Array("[]".utf8))))]
        guard case .results(let results) = await collection.apply(ContentBatch(id: BatchID(rawValue: 1), items: items)),
            case .failed(let failure) = results.first
        else {
            Issue.record("a list was taken for a document")
            return
        }
        #expect(failure.code == .rejectedByEngine && collection.ids.isEmpty)
        await #expect(throws: EngineError.self) {
            try await collection.find(SearchQuery(), after: SearchCursor(rawValue: ""))
        }
    }
}

/// The contract detects the defects of an engine, without a test framework.
struct EngineContractTests {
    @Test func `An engine that follows all rules has no violations`() async throws {
        #expect(try await EngineContract(InMemoryEngine(), vocabulary: .accents).violations().isEmpty)
    }

    @Test func `An engine that does not fold accents violates the contract`() async throws {
        let error = await #expect(throws: ContractBroken.self) { try await EngineContract(InMemoryEngine()).check() }
        #expect(error?.violations.map(\.law) == ["all conditions of a query hold for the found documents"])
        #expect(error?.description.contains(#"expected ["b"], found []"#) == true)
    }

    @Test func `All violated rules are listed for an engine that ignores removals`() async throws {
        let violations = try await EngineContract(ForgetfulEngine(), vocabulary: .accents).violations()
        let laws = Set(violations.map(\.law))
        #expect(laws.contains("the outcome of remove of 'a'"))
        #expect(laws.contains("a removed document can't be read"))
        #expect(laws.contains("results are in the order of the batch"))
        #expect(laws.contains { $0.hasPrefix("the removal of ") })
    }
}

/// An engine that reports removals that it did not carry out.
private struct ForgetfulEngine: CollectionAdministration {
    struct Collection: ForwardingEngine {
        let base: any CollectionEngine

        func apply(_ batch: ContentBatch) async -> BatchReply {
            let kept = batch.items.filter { $0.operation.kind != .remove }
            guard case .results(let results) = await base.apply(ContentBatch(id: batch.id, items: kept)) else {
                return await base.apply(batch)
            }
            var next = results.makeIterator()
            return .results(
                batch.items.map { item in
                    item.operation.kind == .remove ? .done(.removed) : next.next() ?? .done(.noop)
                }
            )
        }
    }

    let real = InMemoryEngine()

    var target: String { real.target }

    func list() async throws(EngineError) -> [CollectionDescription] { try await real.list() }
    func show(_ name: CollectionName) async throws(EngineError) -> CollectionDescription { try await real.show(name) }
    func clear(_ name: CollectionName) async throws(EngineError) -> Int { try await real.clear(name) }
    func delete(_ name: CollectionName) async throws(EngineError) -> Int? { try await real.delete(name) }

    func create(_ name: CollectionName, settings: [CollectionSetting]) async throws(EngineError) {
        try await real.create(name, settings: settings)
    }

    func optimize(
        _ name: CollectionName,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws(EngineError) -> OptimizationReport {
        try await real.optimize(name, progress: progress)
    }

    func collection(named name: CollectionName) async throws(EngineError) -> any CollectionEngine {
        Collection(base: try await real.collection(named: name))
    }
}
