import ContentFeeding
import EngineSQLite
import JobJournal
import SQLiteStore
import TestSupport
import Testing

/// A batch's contribution to its job is stored in the batch's own transaction.
struct ProgressTests {
    @Test func `Progress and counts are stored with the batch`() async throws {
        let store = try await TestStore()
        let claim = try await store.engine.claim()
        let progress = FeedProgress(
            job: claim.id,
            offset: InputOffset(source: 2, byte: .max),
            inputDigest: [1, 2, 3],
            sentThrough: InputMark(InputOffset(source: 3, byte: .max - 1), digest: [4, 5]),
            firstOperation: OperationID(rawValue: 3),
            lowestUnsettled: OperationID(rawValue: 5),
            settled: [0b110]
        )
        let before = OperationOutcome(
            operationID: OperationID(rawValue: 4),
            kind: .remove,
            documentID: "refused",
            outcome: .failed,
            issue: .error(DocumentFailure(.idTooLong, "too long"))
        )
        let items = [
            ContentBatch.Item(id: OperationID(rawValue: 6), operation: .add(document("a", "{}"))),
            ContentBatch.Item(id: OperationID(rawValue: 7), operation: .remove("b")),
        ]
        let update = JobUpdate(
            progress,
            epoch: claim.epoch,
            inputBeforeOffset: InputTally(lines: 2, bytes: 20),
            settledWithoutEngine: [before]
        )
        _ = await store.collection.apply(ContentBatch(id: BatchID(rawValue: 1), items: items, job: update))

        let reopened = try await SQLiteEngine.open(path: store.path)
        let job = try #require(try await reopened.record(of: claim))
        #expect(job.progress == progress)
        #expect(job.input == InputTally(lines: 2, bytes: 20))
        #expect(job.counts[.added] == 1 && job.counts[.missing] == 1 && job.counts[.failed] == 1)
        let issues = try await reopened.jobs.issues(of: claim.id, after: 0)
        #expect(issues.map(\.documentID) == ["refused", "b"])
        #expect(issues.map(\.issue) == [before.issue, .error(.missing)])
        #expect(try await reopened.jobs.issues(of: claim.id, after: 1).map(\.documentID) == ["b"])
    }

    /// Each batch costs a sync and a row of errors, so there must be few of them, but their reports must be complete.
    @Test func `Thousands of missing documents take few transactions, and each document is named`() async throws {
        let store = try await TestStore()
        let claim = try await store.engine.claim()
        let ids = (1...8001).map { DocumentID(stringLiteral: "id\($0)") }
        let feed = OperationFeed(engine: store.collection)
        let report = await feed.run(ChunkList(removing: ids, perChunk: ids.count), job: claim).report
        #expect(report.sentBatches == 3)
        var named: [DocumentID] = []
        while case let page = try await store.engine.jobs.issues(of: claim.id, after: named.count), !page.isEmpty {
            named += page.map(\.documentID)
        }
        // Batches are stored as they end, and a small one may end after a later one.
        #expect(named.count == ids.count && Set(named) == Set(ids))
    }

    @Test func `A repeated batch has no effect and is not counted`() async throws {
        let store = try await TestStore()
        let collection = store.collection
        let claim = try await store.engine.claim()
        try await collection.apply([.add(document("a", "{}")), .add(document("b", "{}"))])
        #expect(try await collection.apply([.remove("a"), .remove("x")], claim) == [.done(.removed), .done(.missing)])
        // Another client restores the document; the late copy must not remove it.
        try await collection.apply([.add(document("a", #"{"new":1}"#))])
        #expect(try await collection.apply([.remove("a"), .remove("x")], claim) == [.done(.noop), .done(.noop)])
        #expect(try await collection.get(["a"]).map(\.json) == [Array(#"{"new":1}"#.utf8)])
        // Part of the batch is new.
        let results = try await collection.apply([.remove("x"), .remove("b")], claim, from: 2)
        #expect(results == [.done(.noop), .done(.removed)])
        let job = try #require(try await store.engine.record(of: claim))
        #expect(job.counts[.removed] == 2 && job.counts[.missing] == 1 && job.counts.settled == 3)
        #expect(try await store.engine.jobs.issues(of: claim.id, after: 0).count == 1)
    }

    @Test func `A process that lost the job makes no changes`() async throws {
        let store = try await TestStore()
        let old = try await store.engine.claim()
        try await store.collection.apply([.add(document("a", "{}")), .add(document("b", "{}"))])
        try await store.collection.apply([.remove("a")], old)
        let new = try await store.engine.jobs.claim(old.id)
        #expect(new.epoch == old.epoch + 1)
        #expect(new.state?.counts[.removed] == 1)

        let failure = try #require(await store.collection.reply(to: [.remove("b")], old, from: 2).failure)
        #expect(failure.kind == .stop(.locked), "\(failure)")
        #expect(try await store.collection.exists(["b"]) == [true])
        #expect(try await store.collection.apply([.remove("b")], new, from: 2) == [.done(.removed)])
    }

    @Test func `Progress never decreases`() async throws {
        let store = try await TestStore()
        let claim = try await store.engine.claim()
        func send(lowest: UInt64, settled: [UInt8], byte: UInt64) async {
            let progress = FeedProgress(
                job: claim.id,
                offset: InputOffset(source: 0, byte: byte),
                firstOperation: OperationID(rawValue: lowest),
                lowestUnsettled: OperationID(rawValue: lowest),
                settled: settled
            )
            let update = JobUpdate(
                progress,
                epoch: claim.epoch,
                inputBeforeOffset: InputTally(lines: Int(lowest) - 1)
            )
            _ = await store.collection.apply(ContentBatch(id: BatchID(rawValue: 1), items: [], job: update))
        }
        await send(lowest: 20, settled: [0b0000_1010], byte: 200)
        await send(lowest: 12, settled: [0, 0b0000_0101], byte: 120)
        let job = try #require(try await store.engine.record(of: claim))
        // 20 comes from the late batch (12 + 8), 21 and 23 from the first, 22 from the late one (12 + 10).
        #expect(job.progress.lowestUnsettled == OperationID(rawValue: 24))
        #expect(job.progress.settled.isEmpty)
        #expect(job.progress.offset.byte == 200 && job.progress.firstOperation == OperationID(rawValue: 20))
        #expect(job.input.lines == 19)
    }

    @Test func `The records of jobs survive clear, and are deleted with the collection`() async throws {
        let store = try await TestStore()
        let claim = try await store.engine.claim()
        try await store.collection.apply([.add(document("a", "{}"))], claim)
        _ = try await store.engine.clear(TestStore.name)
        #expect(try await store.engine.record(of: claim) != nil)
        _ = try await store.engine.delete(TestStore.name)
        #expect(try await store.engine.record(of: claim) == nil)
    }
}
