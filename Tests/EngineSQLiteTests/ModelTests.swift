import ContentFeeding
import EngineSQLite
import TestSupport
import Testing

/// Random batches against a dictionary.
struct ModelTests {
    @Test(arguments: 1...4)
    func behavesLikeADictionary(seed: UInt64) async throws {
        let store = try await TestStore()
        defer { store.remove() }
        var generator = SeededGenerator(seed: seed)
        var model: [DocumentID: Int] = [:]
        var next: UInt64 = 1
        for round in 0..<60 {
            let ids = (0..<80).map { DocumentID(stringLiteral: "doc/\($0)") }.shuffled(using: &generator)
            var operations: [ContentOperation] = []
            var expected: [Outcome] = []
            for id in ids.prefix(Int.random(in: 0...30, using: &generator)) {
                let value = Int.random(in: 0..<3, using: &generator)
                let document = Document(id: id, json: Array(#"{"word":"value\#(value)"}"#.utf8))
                switch Int.random(in: 0..<3, using: &generator) {
                case 0:
                    operations.append(.add(document))
                    expected.append(model[id] == nil ? .added : .updated)
                    model[id] = value
                case 1:
                    operations.append(.update(document))
                    expected.append(model[id] == nil ? .missing : model[id] == value ? .noop : .updated)
                    if model[id] != nil { model[id] = value }
                default:
                    operations.append(.remove(id))
                    expected.append(model.removeValue(forKey: id) == nil ? .missing : .removed)
                }
            }
            let results = try await store.collection.apply(operations, from: next)
            #expect(results == expected.map { .done($0) })
            next += UInt64(operations.count)
            if round % 7 == 6 { _ = try await store.engine.optimize(TestStore.name) { _, _ in } }
            try await expect(store, model)
        }
        try store.expectSoundFile()
    }

    private func expect(_ store: TestStore, _ model: [DocumentID: Int]) async throws {
        let shown = try await store.engine.show(TestStore.name)
        let counted = try store.counted()
        #expect(shown.documents == model.count && counted.documents == model.count)
        #expect(shown.waiting == counted.waiting)
        for value in 0..<3 {
            let found = try await store.collection.find(SearchQuery(words: ["value\(value)"]), after: nil)
            #expect(Set(found.documents.map(\.id)) == Set(model.filter { $0.value == value }.keys))
        }
    }
}
