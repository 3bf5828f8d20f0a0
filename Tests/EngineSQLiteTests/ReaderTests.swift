import ContentFeeding
import EngineSQLite
import Foundation
import SQLiteStore
import Testing

/// Others read while a store is to forget.
struct ReaderTests {
    private func holds(_ text: String, _ store: TestStore) -> Bool {
        ["", "-wal"].contains {
            FileManager.default.contents(atPath: store.path + $0)?.range(of: Data(text.utf8)) != nil
        }
    }

    /// Opens the store anew, so that it waits for a moment only.
    private func impatient(_ store: TestStore) async throws -> SQLiteEngine {
        var options = SQLiteEngine.Options()
        options.busyTimeout = .milliseconds(50)
        return try await SQLiteEngine.open(path: store.path, options: options)
    }

    @Test(arguments: [1, 2]) func whatAReaderStillSeesIsNotSaidToBeErased(documents: Int) async throws {
        let store = try await TestStore()
        defer { store.remove() }
        let texts = ["zecretzecret", "open"].prefix(documents)
        try await store.collection.apply(texts.map { .add(document($0, #"{"t":"\#($0)"}"#)) })
        _ = try await store.engine.optimize(TestStore.name) { _, _ in }
        let engine = try await impatient(store)
        do {
            let reader = try Connection(path: store.path)
            try reader.execute("BEGIN")
            #expect(try reader.integer("SELECT count(*) FROM collection") == 1)
            try await store.collection.apply([.remove("zecretzecret")], job: "REMOVE")
            for _ in 1...2 {
                let error = await #expect(throws: EngineError.self) {
                    _ = try await engine.optimize(TestStore.name) { _, _ in }
                }
                #expect(error?.code == .locked && error?.advice?.contains("again") == true)
                #expect(error?.message.contains("may still be in the") == true)
                #expect(error?.message.contains(store.path) == true)
            }
            #expect(holds("zecretzecret", store))
            try reader.execute("ROLLBACK")
        }
        let report = try await engine.optimize(TestStore.name) { _, _ in }
        #expect(!holds("zecretzecret", store))
        #expect(try FileManager.default.attributesOfItem(atPath: store.path)[.size] as? Int == report.bytesAfter)
        try store.expectSoundFile()
    }

    @Test func clearSaysSoToo() async throws {
        let store = try await TestStore()
        defer { store.remove() }
        try await store.collection.apply([.add(document("a", #"{"t":"zecretzecret"}"#))])
        let engine = try await impatient(store)
        do {
            let reader = try Connection(path: store.path)
            try reader.execute("BEGIN")
            #expect(try reader.integer("SELECT count(*) FROM collection") == 1)
            let error = await #expect(throws: EngineError.self) { _ = try await engine.clear(TestStore.name) }
            #expect(error?.code == .locked && error?.message.contains("is empty, but") == true)
            try reader.execute("ROLLBACK")
        }
        _ = try await engine.optimize(TestStore.name) { _, _ in }
        #expect(!holds("zecretzecret", store))
    }
}
