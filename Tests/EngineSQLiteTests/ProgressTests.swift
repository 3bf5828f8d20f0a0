import ContentFeeding
import EngineSQLite
import SQLiteStore
import TestSupport
import Testing

struct ProgressTests {
    @Test func `Progress is stored with the batch`() async throws {
        let store = try await TestStore()
        defer { store.remove() }
        let engine = try #require(store.collection as? any ProgressKeepingEngine)
        let job = JobID(rawValue: "J1")
        #expect(try await engine.progress(of: job) == nil)

        let progress = FeedProgress(
            job: job,
            offset: InputOffset(source: 2, byte: .max),
            firstOperation: OperationID(rawValue: 3),
            lowestUnsettled: OperationID(rawValue: 5),
            settled: [0b110]
        )
        _ = await engine.apply(ContentBatch(id: BatchID(rawValue: 1), items: [], progress: progress))
        #expect(try await engine.progress(of: job) == progress)
        #expect(try await engine.progress(of: JobID(rawValue: "J2")) == nil)

        let reopened = try await SQLiteEngine.open(path: store.path).collection(named: TestStore.name)
        #expect(try await (reopened as? any ProgressKeepingEngine)?.progress(of: job) == progress)
        try await engine.forget(job)
        #expect(try await engine.progress(of: job) == nil)
    }

    @Test func `Only the newest jobs are kept`() async throws {
        let store = try await TestStore()
        defer { store.remove() }
        let engine = try #require(store.collection as? any ProgressKeepingEngine)
        for number in 1...130 { try await engine.apply([.remove("x")], job: "J\(number)") }
        // One that goes on stays as old as it is.
        try await engine.apply([.remove("y")], job: "J31", from: 2)
        try await engine.apply([.remove("x")], job: "LAST")
        #expect(try await engine.progress(of: JobID(rawValue: "J31")) == nil)
        #expect(try await engine.progress(of: JobID(rawValue: "J32")) != nil)
        #expect(try await engine.progress(of: JobID(rawValue: "LAST")) != nil)
        #expect(try Connection(path: store.path).integer("SELECT count(*) FROM job") == 100)
    }

    @Test func `A batch that comes again has no effect`() async throws {
        let store = try await TestStore()
        defer { store.remove() }
        let collection = store.collection
        try await collection.apply([.add(document("a", "{}")), .add(document("b", "{}"))], job: "LOAD")
        #expect(try await collection.apply([.remove("a"), .remove("x")]) == [.done(.removed), .done(.missing)])
        // Someone else brings the document back; the late copy must not take it away.
        try await collection.apply([.add(document("a", #"{"new":1}"#))], job: "OTHER")
        #expect(try await collection.apply([.remove("a"), .remove("x")]) == [.done(.noop), .done(.noop)])
        #expect(try await collection.get(["a"]).map(\.json) == [Array(#"{"new":1}"#.utf8)])
        // Part of it is new.
        #expect(try await collection.apply([.remove("x"), .remove("b")], from: 2) == [.done(.noop), .done(.removed)])
    }

    @Test func `Progress never goes back`() async throws {
        let store = try await TestStore()
        defer { store.remove() }
        let engine = try #require(store.collection as? any ProgressKeepingEngine)
        let job = JobID(rawValue: "J")
        func send(lowest: UInt64, settled: [UInt8], byte: UInt64) async {
            let progress = FeedProgress(
                job: job,
                offset: InputOffset(source: 0, byte: byte),
                firstOperation: OperationID(rawValue: lowest),
                lowestUnsettled: OperationID(rawValue: lowest),
                settled: settled
            )
            _ = await engine.apply(ContentBatch(id: BatchID(rawValue: 1), items: [], progress: progress))
        }
        await send(lowest: 20, settled: [0b0000_1010], byte: 200)
        await send(lowest: 12, settled: [0, 0b0000_0101], byte: 120)
        let stored = try #require(try await engine.progress(of: job))
        // 20 comes from the late one (12 + 8), 21 and 23 from the first, 22 from the late one (12 + 10).
        #expect(stored.lowestUnsettled == OperationID(rawValue: 24))
        #expect(stored.settled.isEmpty)
        #expect(stored.offset.byte == 200 && stored.firstOperation == OperationID(rawValue: 20))
    }

    @Test func `Jobs outlive clear and end with the collection`() async throws {
        let store = try await TestStore()
        defer { store.remove() }
        let engine = try #require(store.collection as? any ProgressKeepingEngine)
        let job = JobID(rawValue: "TEST")
        try await engine.apply([.add(document("a", "{}"))])
        _ = try await store.engine.clear(TestStore.name)
        #expect(try await engine.progress(of: job) != nil)
        _ = try await store.engine.delete(TestStore.name)
        try await store.engine.create(TestStore.name, settings: [])
        #expect(try await engine.progress(of: job) == nil)
    }
}
