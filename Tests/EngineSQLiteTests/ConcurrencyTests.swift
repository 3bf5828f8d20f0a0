import ContentFeeding
import EngineSQLite
import Foundation
import JobJournal
import SQLiteStore
import TestSupport
import Testing

struct ConcurrencyTests {
    @Test func `Readers never wait, and writers wait for each other`() async throws {
        let store = try await TestStore()
        try await store.collection.apply([.add(document("a", "{}"))])
        var options = SQLiteEngine.Options()
        options.busyTimeout = .milliseconds(50)
        let other = try await SQLiteEngine.open(path: store.path, options: options)
        let collection = try await other.collection(named: TestStore.name)

        let writer = try Connection(path: store.path)
        try writer.execute("BEGIN IMMEDIATE; UPDATE collection SET documents = 7")
        #expect(try await collection.count() == 1)
        #expect(try await collection.exists(["a"]) == [true])
        let reply = await collection.reply(to: [.remove("a")], from: 10)
        let failure = try #require(reply.failure, "answered with \(reply)")
        #expect(failure.kind == .stop(.locked))
        #expect(failure.failure.message.contains("50 ms") && failure.failure.message.contains(store.path))
        let error = await #expect(throws: EngineError.self) { try await other.create("b", settings: []) }
        #expect(error?.code == .locked && error?.advice?.contains("--busy-timeout") == true)
        try writer.execute("ROLLBACK")
        #expect(await collection.reply(to: [.remove("a")], from: 10) == .results([.done(.removed)]))
    }

    @Test(arguments: ["deleted", "moved", "replaced"])
    func `A database file that no longer exists is neither written nor read`(what: String) async throws {
        let store = try await TestStore()
        try await store.collection.apply([.add(document("a", "{}"))])
        let claim = try await store.engine.claim()
        let files = FileManager.default
        switch what {
        case "deleted": try files.removeItem(atPath: store.path)
        case "moved": try files.moveItem(atPath: store.path, toPath: store.path + ".old")
        default:
            try files.copyItem(atPath: store.path, toPath: store.path + ".new")
            try #require(rename(store.path + ".new", store.path) == 0)
        }
        let reply = await store.collection.reply(to: [.add(document("b", "{}"))], claim, from: 10)
        let failure = try #require(reply.failure, "answered with \(reply)")
        #expect(failure.kind == .stop(.unusable))
        #expect(failure.failure.message.contains(store.path))
        #expect(failure.failure.message.contains("deleted, moved or replaced"))
        let unread = await #expect(throws: EngineError.self) { try await store.collection.exists(["a"]) }
        #expect(unread?.code == .unusable && unread?.message.contains(store.path) == true)
        let job = await #expect(throws: JobError.self) { try await store.engine.jobs.jobs() }
        #expect(job?.message.contains(store.path) == true)
    }

    @Test func `A database file that was moved away and back is recognized as the same file`() async throws {
        let store = try await TestStore()
        try FileManager.default.moveItem(atPath: store.path, toPath: store.path + ".old")
        try FileManager.default.moveItem(atPath: store.path + ".old", toPath: store.path)
        #expect(try await store.collection.apply([.add(document("a", "{}"))]) == [.done(.added)])
    }

    @Test func `Many connections can write at once`() async throws {
        let store = try await TestStore()
        let path = store.path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<6 {
                group.addTask {
                    let collection = try await SQLiteEngine.open(path: path).collection(named: TestStore.name)
                    for round in 0..<20 {
                        let ids = (0..<10).map { "\(writer)/\(round)/\($0)" }
                        try await collection.apply(
                            ids.map { .add(document($0, #"{"t":"x"}"#)) } + [.remove("common")],
                            from: UInt64(round * 100 + 1)
                        )
                        try await collection.apply(
                            [.remove(DocumentID(stringLiteral: ids[0])), .add(document("common", "{}"))],
                            from: UInt64(round * 100 + 50)
                        )
                    }
                }
            }
            try await group.waitForAll()
        }
        let shown = try await store.engine.show(TestStore.name)
        let counted = try store.counted()
        #expect(shown.documents == 6 * 20 * 9 + 1 && counted.documents == shown.documents)
        #expect(shown.waiting == counted.waiting)
        try store.expectSoundFile()
    }

    @Test func `Many processes can create the same store at once`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("deep/er/store.sqlite")
        let made = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let engine = try await SQLiteEngine.create(path: path)
                    do throws(EngineError) {
                        try await engine.create("web", settings: [])
                        return true
                    } catch {
                        guard error.code == .collectionExists else { throw error }
                        return false
                    }
                }
            }
            var made = 0
            for try await isMaker in group where isMaker { made += 1 }
            return made
        }
        #expect(made == 1)
    }

    @Test func `A killed process loses no change that it had reported`() async throws {
        let store = try await TestStore()
        let path = store.path
        // The child reports each batch in a separate file, and is killed while it feeds.
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let engine = try await SQLiteEngine.open(path: path)
            let collection = try await engine.collection(named: TestStore.name)
            let claim = try await engine.claim()
            for round in 0..<UInt64.max {
                try await collection.apply([.add(document("\(round)", "{}"))], claim, from: round + 1)
                try Data("\(round)".utf8).write(to: URL(filePath: path + ".reported"), options: .atomic)
                if round == 40 { startKiller() }
            }
        }
        let reported = try #require(Int(try String(contentsOfFile: path + ".reported", encoding: .utf8)))
        #expect(reported >= 40)
        let engine = try await SQLiteEngine.open(path: path)
        let collection = try await engine.collection(named: TestStore.name)
        let ids = (0...reported).map { DocumentID(stringLiteral: "\($0)") }
        #expect(try await collection.exists(ids) == Array(repeating: true, count: ids.count))
        let job = try #require(try await engine.jobs.jobs().first)
        let count = try await collection.count()
        #expect(count == Int(job.progress.lowestUnsettled.rawValue) - 1)
        #expect(job.counts[.added] == count)
        try store.expectSoundFile()
    }

    @Test func `A killed optimization is completed by the next optimization`() async throws {
        let store = try await TestStore()
        for start in stride(from: 0, to: 20_000, by: 1_000) {
            try await store.collection.apply(
                (start..<start + 1_000).map { .add(document("\($0)", #"{"t":"word\#($0) common"}"#)) },
                from: UInt64(start + 1)
            )
        }
        try await store.collection.apply((0..<19_000).map { .remove(DocumentID(stringLiteral: "\($0)")) })
        let path = store.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let engine = try await SQLiteEngine.open(path: path)
            _ = try await engine.optimize(TestStore.name) { done, _ in
                if done > 3_000 { kill(getpid(), SIGKILL) }
            }
        }
        let engine = try await SQLiteEngine.open(path: path)
        let shown = try await engine.show(TestStore.name)
        #expect(shown.documents == 1_000 && (1..<19_000).contains(shown.waiting))
        _ = try await engine.optimize(TestStore.name) { _, _ in }
        #expect(try store.counted() == (1_000, 0))
        let found = try await engine.collection(named: TestStore.name).find(SearchQuery(words: ["word3"]), after: nil)
        #expect(found.documents.isEmpty)
        try store.expectSoundFile()
    }
}

/// Kills this process from another thread, so the feed is interrupted at an arbitrary point.
private func startKiller() { Thread { kill(getpid(), SIGKILL) }.start() }
