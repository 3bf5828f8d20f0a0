import ContentFeeding
import EngineSQLite
import TestSupport
import Testing

struct CollectionNameTests {
    @Test(arguments: [
        "", " ", " a", "a ", "a/b", "a\nb", "a\0b", "\u{7F}", "a\u{85}b", "a\u{2028}b",
        String(repeating: "x", count: 129),
        String(repeating: "é", count: 65),
    ])
    func badNamesAreRefused(name: String) async throws {
        let store = try await TestStore()
        defer { store.remove() }
        let error = await #expect(throws: EngineError.self) {
            try await store.engine.create(CollectionName(name), settings: [])
        }
        #expect(error?.code == .invalidName && error?.advice != nil)
    }

    @Test(arguments: [
        "WebCollection", "a", "é", "e\u{301}", "x'; DROP TABLE job; --", "\"q\"", "-n", "..", "a b", "日本語", "1", "%",
        String(repeating: "x", count: 128),
    ])
    func otherNamesAreTakenAsTheyAre(name: String) async throws {
        let store = try await TestStore()
        defer { store.remove() }
        try await store.engine.create(CollectionName(name), settings: [])
        let listed = try await store.engine.list().map { Array($0.name.rawValue.utf8) }
        #expect(listed.contains(Array(name.utf8)) && listed.count == 2)
        try await store.engine.collection(named: CollectionName(name)).apply([.add(document("a", "{}"))])
        #expect(try await store.engine.delete(CollectionName(name)) == 1)
    }

    @Test func aMissingCollectionComesWithAdvice() async throws {
        let store = try await TestStore()
        defer { store.remove() }
        try await store.engine.create("WebCollection", settings: [])
        for (name, advice) in [
            ("WebColection", "did you mean 'WebCollection'?"), ("books", "fastctl collections create books"),
            ("it's", #"fastctl collections create 'it'\''s'"#),
        ] {
            let error = await #expect(throws: EngineError.self) {
                _ = try await store.engine.collection(named: CollectionName(name))
            }
            #expect(error?.code == .missingCollection && error?.advice == advice)
            #expect(error?.message.contains("'\(name)'") == true)
        }
    }

    @Test func settingsAreRefused() async throws {
        let store = try await TestStore()
        defer { store.remove() }
        let error = await #expect(throws: EngineError.self) {
            try await store.engine.create("x", settings: [CollectionSetting(name: "shards", value: "3")])
        }
        #expect(error?.code == .rejected && error?.message.contains("shards") == true)
    }
}
