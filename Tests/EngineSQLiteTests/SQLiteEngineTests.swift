import ContentFeeding
import EngineSQLite
import Foundation
import SQLiteStore
import TestSupport
import Testing

struct OpeningTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func expect(
        _ code: EngineError.Code,
        saying words: String,
        opening path: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let error = await #expect(throws: EngineError.self, sourceLocation: sourceLocation) {
            _ = try await SQLiteEngine.open(path: path)
        }
        #expect(error?.code == code, "\(String(describing: error))", sourceLocation: sourceLocation)
        #expect(error?.message.contains(words) == true, "\(String(describing: error))", sourceLocation: sourceLocation)
        #expect(error?.message.contains(path) == true, "\(String(describing: error))", sourceLocation: sourceLocation)
        #expect(error?.advice != nil, sourceLocation: sourceLocation)
    }

    @Test func `Opening a store never creates a file`() async throws {
        let path = folder.path("a/b/store.sqlite")
        await expect(.missingTarget, saying: "no store", opening: path)
        #expect(!FileManager.default.fileExists(atPath: folder.path("a")))
        try FileManager.default.createDirectory(atPath: folder.path("a/b"), withIntermediateDirectories: true)
        await expect(.missingTarget, saying: "no store", opening: path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("a/b")).isEmpty)
    }

    @Test func `A new store is accessible only to its owner`() async throws {
        let path = folder.path("a/b/store.sqlite")
        let engine = try await SQLiteEngine.create(path: path)
        try await engine.create("web", settings: [])
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(folder.path("a")) == 0o700 && mode(folder.path("a/b")) == 0o700)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path("a/b")) {
            #expect(try mode(folder.path("a/b/" + name)) == 0o600, "\(name)")
        }
        // A second creation finds the existing store.
        #expect(try await SQLiteEngine.create(path: path).list().map(\.name) == ["web"])
    }

    @Test func `A file that is not a store is refused and left unchanged`() async throws {
        let text = folder.path("notes.txt")
        try Data("Dear diary, today I read about page sizes and went to bed early.\n".utf8).write(
            to: URL(filePath: text)
        )
        await expect(.unusable, saying: "not a fastctl store", opening: text)
        #expect(try String(contentsOfFile: text, encoding: .utf8).hasPrefix("Dear diary"))

        await expect(.unusable, saying: "directory", opening: folder.path(""))
        await expect(.unusable, saying: "not a regular file", opening: "/dev/null")
        _ = FileManager.default.createFile(atPath: folder.path("empty"), contents: nil)
        await expect(.unusable, saying: "empty", opening: folder.path("empty"))
    }

    @Test func `A database of another program is refused and left unchanged`() async throws {
        for (name, setup) in [("plain", ""), ("owned", "PRAGMA application_id = 77;")] {
            let path = folder.path(name)
            var configuration = Configuration()
            configuration.access = .create
            do {
                let other = try Connection(path: path, configuration)
                try other.execute("PRAGMA journal_mode = DELETE; \(setup) CREATE TABLE mine(x)")
            }
            let before = try Data(contentsOf: URL(filePath: path))
            await expect(.unusable, saying: "another program", opening: path)
            let creation = await #expect(throws: EngineError.self) { _ = try await SQLiteEngine.create(path: path) }
            #expect(creation?.code == .unusable)
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
        }
    }

    @Test func `A store from a newer version is refused`() async throws {
        let store = try await TestStore()
        try Connection(path: store.path).execute("PRAGMA user_version = 99")
        await expect(.unusable, saying: "newer version", opening: store.path)
    }

    @Test func `A link to the file is refused, but a link to the folder is accepted`() async throws {
        let store = try await TestStore()
        let manager = FileManager.default
        try manager.createSymbolicLink(atPath: store.path + ".link", withDestinationPath: store.path)
        await expect(.unusable, saying: "symbolic link", opening: store.path + ".link")
        try manager.createDirectory(atPath: store.folder.path("real"), withIntermediateDirectories: false)
        try manager.createSymbolicLink(
            atPath: store.folder.path("linked"),
            withDestinationPath: store.folder.path("real")
        )
        let engine = try await SQLiteEngine.create(path: store.folder.path("linked/store.sqlite"))
        #expect(try await engine.list().isEmpty)
    }

    @Test func `A damaged store causes an error, not a crash`() async throws {
        let store = try await TestStore()
        try await store.collection.apply((0..<2_000).map { .add(document("\($0)", #"{"t":"word \#($0)"}"#)) })
        _ = try await store.engine.optimize(TestStore.name) { _, _ in }
        let bytes = try Data(contentsOf: URL(filePath: store.path))
        var generator = SeededGenerator(seed: 9)
        for round in 0..<40 {
            let path = store.folder.path("damaged-\(round)")
            var damaged = bytes
            for _ in 0..<40 {
                let start = Int.random(in: (round % 4 == 0 ? 0 : 4_096)..<bytes.count - 64, using: &generator)
                for index in start..<start + 64 { damaged[index] = UInt8.random(in: 0...255, using: &generator) }
            }
            if round % 5 == 0 { damaged.removeLast(bytes.count / 2) }
            try damaged.write(to: URL(filePath: path))
            // Whether the damage is detected depends on its place; the test checks that nothing traps.
            do throws(EngineError) {
                let engine = try await SQLiteEngine.open(path: path)
                let collection = try await engine.collection(named: TestStore.name)
                _ = await collection.reply(to: (0..<500).map { .remove(DocumentID(stringLiteral: "\($0)")) })
                _ = await collection.reply(to: [.add(document("n", #"{"t":"new"}"#))], from: 600)
                _ = try await collection.find(SearchQuery(words: ["word"]), after: nil)
                _ = try await engine.optimize(TestStore.name) { _, _ in }
            } catch {
                #expect(error.code == .unusable, "\(error)")
            }
        }
    }
}

struct CollectionNameTests {
    @Test(arguments: [
        "", " ", " a", "a ", "a/b", "a\nb", "a\0b", "\u{7F}", "a\u{85}b", "a\u{2028}b",
        String(repeating: "x", count: 129),
        String(repeating: "é", count: 65),
    ])
    func `Invalid names are refused`(name: String) async throws {
        let store = try await TestStore()
        let error = await #expect(throws: EngineError.self) {
            try await store.engine.create(CollectionName(name), settings: [])
        }
        #expect(error?.code == .invalidName && error?.advice != nil)
    }

    @Test(arguments: [
        "WebCollection", "a", "é", "e\u{301}", "x'; DROP TABLE job; --", "\"q\"", "-n", "..", "a b", "日本語", "1", "%",
        String(repeating: "x", count: 128),
    ])
    func `Other names are accepted unchanged`(name: String) async throws {
        let store = try await TestStore()
        try await store.engine.create(CollectionName(name), settings: [])
        let listed = try await store.engine.list().map { Array($0.name.rawValue.utf8) }
        #expect(listed.contains(Array(name.utf8)) && listed.count == 2)
        try await store.engine.collection(named: CollectionName(name)).apply([.add(document("a", "{}"))])
        #expect(try await store.engine.delete(CollectionName(name)) == 1)
    }

    @Test func `The error for a missing collection includes advice`() async throws {
        let store = try await TestStore()
        try await store.engine.create("WebCollection", settings: [])
        for (name, advice) in [
            ("WebColection", "did you mean 'WebCollection'?"),
            ("books", "create it with: fastctl collections create books"),
            ("it's", #"create it with: fastctl collections create 'it'\''s'"#),
        ] {
            let error = await #expect(throws: EngineError.self) {
                _ = try await store.engine.collection(named: CollectionName(name))
            }
            #expect(error?.code == .missingCollection && error?.advice == advice)
            #expect(error?.message.contains("'\(name)'") == true)
        }
    }

    @Test func `Settings that the engine does not support are refused`() async throws {
        let store = try await TestStore()
        let error = await #expect(throws: EngineError.self) {
            try await store.engine.create("x", settings: [CollectionSetting(name: "shards", value: "3")])
        }
        #expect(error?.code == .rejected && error?.message.contains("shards") == true)
    }
}
