import TestSupport
import Testing

@testable import ContentFeeding

struct OperationFeedTests {
    private let ids = (1...2500).map { DocumentID(stringLiteral: "id\($0)") }

    @Test func `All documents are removed, and the counts add up`() async {
        let engine = InMemoryCollection(Set(ids))
        let report = await OperationFeed(engine: engine).run(ChunkList(removing: ids)).report
        #expect(report.end == .completed)
        #expect(report.counts[.removed] == 2500)
        #expect(report.counts.accepted == 2500)
        #expect(report.counts.isBalanced)
        #expect(report.input.lines == 2500)
        #expect(engine.ids.isEmpty)
        #expect(engine.batches.allSatisfy { $0.items.count <= 1000 })
    }

    @Test(arguments: [(nil, 2000), (700, 700), (5000, 2500)] as [(Int?, Int)])
    func `The batch size depends on the engine unless a size is requested`(asked: Int?, expected: Int) async {
        var capabilities = EngineCapabilities()
        capabilities.suitableBatchCount = 2000
        let engine = InMemoryCollection(Set(ids), capabilities: capabilities)
        var options = FeedOptions()
        options.configuration.batchCount = asked
        _ = await OperationFeed(engine: engine, options: options).run(ChunkList(removing: ids, perChunk: 2500))
        #expect(engine.batches.first?.items.count == expected)
    }

    @Test func `The observer sees that each operation is accepted before it is settled`() async {
        var accepted: Set<OperationID> = []
        var settled = 0
        var isEarly = false
        _ = await OperationFeed(engine: InMemoryCollection()).run(ChunkList(removing: ids)) { event, _ in
            switch event {
            case .accepted(let first, let operations):
                for offset in 0..<operations.count {
                    accepted.insert(OperationID(rawValue: first.rawValue + UInt64(offset)))
                }
            case .settled(let outcomes):
                settled += outcomes.count
                isEarly = isEarly || outcomes.contains { !accepted.contains($0.operationID) }
            default: break
            }
        }
        #expect(settled == 2500)
        #expect(!isEarly)
    }

    @Test func `All errors are listed, even those that exceed the memory limit`() async throws {
        let folder = try TemporaryFolder()
        var options = FeedOptions()
        options.spillDirectory = folder.path("")
        let missing = (1...25_000).map { DocumentID(stringLiteral: "missing \($0)") }
        let feed = OperationFeed(engine: InMemoryCollection(), options: options)
        let result = await feed.run(ChunkList(removing: missing))
        #expect(result.report.errorCount == 25_000)
        var told: Set<DocumentID> = []
        for try await error in result.errors {
            told.insert(error.documentID)
            #expect(error.code == .documentMissing)
        }
        #expect(told == Set(missing))
    }

    @Test func `If the spill space is full, the feed stops, and the counts still balance`() async throws {
        let folder = try TemporaryFolder()
        var options = FeedOptions()
        options.spillDirectory = folder.path("")
        options.maximumSpillBytes = 1000
        let missing = (1...200_000).map { DocumentID(stringLiteral: "missing \($0)") }
        let report = await OperationFeed(engine: InMemoryCollection(), options: options)
            .run(ChunkList(removing: missing, perChunk: 1000)).report
        guard case .stopped(.storage(let message)) = report.end else {
            Issue.record("ended with \(String(describing: report.end))")
            return
        }
        #expect(message.contains("--max-spill"))
        #expect(report.counts.isBalanced)
    }

    /// This is true even if there is only one batch, whose outcomes arrive together with the end.
    @Test(arguments: [2500, 7])
    func `An observer that throws stops the feed`(count: Int) async {
        struct Full: Error, CustomStringConvertible { let description = "no room for the backup" }
        let chunks = ChunkList(removing: Array(ids.prefix(count)))
        let report = await OperationFeed(engine: InMemoryCollection()).run(chunks) { event, _ in
            if case .settled = event { throw Full() }
        }.report
        #expect(report.end == .stopped(.storage(message: "no room for the backup")))
        #expect(report.counts.isBalanced)
    }

    @Test func `A feed with endless input can be stopped`() async {
        let (input, _) = AsyncStream<OperationChunk>.makeStream()
        let (stops, stop) = AsyncStream<StopReason>.makeStream()
        stop.yield(.terminated)
        let report = await OperationFeed(engine: InMemoryCollection()).run(input, stops: stops).report
        #expect(report.end == .stopped(.terminated))
    }

    @Test func `A journal is written during the feed`() async throws {
        let journal = MemoryJournal()
        var options = FeedOptions()
        options.journal = journal
        let report = await OperationFeed(engine: InMemoryCollection(Set(ids)), options: options)
            .run(ChunkList(removing: ids)).report
        #expect(report.counts[.removed] == 2500)
        let state = try #require(await journal.state())
        #expect(state.counts[.removed] == 2500)
        #expect(state.progress.lowestUnsettled.rawValue == 2501)
        #expect(state.rows.isEmpty)
    }

    @Test func `A batch that fails temporarily is sent again`() async {
        let failure = DocumentFailure(.rejectedByEngine, "busy", disposition: .retryable)
        let engine = InMemoryCollection(
            Set(ids),
            script: [
                .failed(BatchFailure(.definite(isCharged: true), failure)), nil,
                .failed(BatchFailure(.slowDown(.zero), failure)),
            ]
        )
        let report = await OperationFeed(engine: engine).run(ChunkList(removing: ids)).report
        #expect(report.counts[.removed] == 2500)
        #expect(report.resentBatches >= 2)
    }

    @Test func `An engine that does not support routing values receives none`() async throws {
        let engine = InMemoryCollection(["a", "b"])
        let operations: [ContentOperation] = [
            .remove(DocumentKey("a", routing: Routing("u1"))), .remove("b"),
            .add(Document(id: "c", json: Array("{}".utf8), routing: Routing("u1"))),
        ]
        let result = await OperationFeed(engine: engine).run(ChunkList([OperationChunk(operations: operations)]))
        #expect(result.report.counts[.failed] == 2)
        #expect(result.report.counts[.removed] == 1)
        #expect(engine.ids == ["a"])
    }

    @Test func `A canceled feed drains and reports the cancellation`() async {
        let (input, more) = AsyncStream<OperationChunk>.makeStream()
        more.yield(OperationChunk(operations: [.remove("id1")]))
        let feed = OperationFeed(engine: InMemoryCollection(Set(ids)))
        let (seen, see) = AsyncStream<Void>.makeStream()
        let running = Task {
            await feed.run(input) { event, _ in
                if case .settled = event { see.yield() }
            }.report
        }
        for await _ in seen { break }
        running.cancel()
        let report = await running.value
        #expect(report.end == .stopped(.interrupted))
        #expect(report.counts[.removed] == 1)
        #expect(report.counts.open == 0)
    }
}

/// IDs that are kept for a long time do not retain the memory that they shared.
struct RetainedOperationTests {
    private func operations(_ count: Int) throws -> [ContentOperation] {
        let pages = DocumentIDPages()
        return try (0..<count).map { .remove(try pages.id(utf8: Array("ID \($0)".utf8).span)) }
    }

    @Test func `An operation that is set aside does not share memory with its batch`() throws {
        var window = OperationWindow(next: .first)
        for operation in try operations(10) {
            window.append(operation, OperationWindow.Entry(operation, in: LaneKey(number: 1)))
        }
        let id = OperationID(rawValue: 4)
        #expect(window.operation(id)?.documentID.isAlone == false)
        window.setAside(id)
        #expect(window.operation(id)?.documentID.isAlone == true)
        #expect(window.remove(id)?.documentID.text == "ID 3")
        #expect(window[id] == nil)
        #expect(window.count == 9)
    }

    @Test func `A settled row of the journal does not share memory with its batch`() throws {
        var capabilities = EngineCapabilities()
        capabilities.quarantine = .seconds(60)
        var configuration = FeedConfiguration()
        configuration.retry.attempts = 1
        var harness = CoreHarness(configuration, capabilities: capabilities, isJournaled: true)
        var rows: [JournalRow] = []
        func drive(_ event: FeederCore.Event) -> [ContentBatch] {
            var commands = harness.handle(event)
            var sent = commands.sent
            while let transaction = commands.recorded {
                rows += transaction.rows
                commands = harness.handle(.recorded(transaction.id))
                sent += commands.sent
            }
            return sent
        }
        _ = drive(.input(OperationChunk(operations: try operations(3))))
        let batch = try #require(drive(.inputEnded).first)
        _ = drive(.reply(batch.id, .failed(BatchFailure(.ambiguous, .test))))
        #expect(rows.count == 3 && rows.allSatisfy(\.isSettled))
        #expect(rows.allSatisfy { $0.operation.documentID.isAlone })
    }
}
