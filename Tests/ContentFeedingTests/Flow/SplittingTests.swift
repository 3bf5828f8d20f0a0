import Testing

@testable import ContentFeeding

struct SplittingTests {
    /// Removals whose IDs weigh `size` bytes each.
    private func removals(_ count: Int, size: Int = 8) -> [ContentOperation] {
        (0..<count).map { number in
            let digits = String(number)
            return .remove(DocumentID(stringLiteral: String(repeating: "0", count: size - digits.count) + digits))
        }
    }

    /// Feeds everything to `server`, and returns the batches in the order in which they were sent.
    private func feed(
        _ operations: [ContentOperation],
        _ configuration: FeedConfiguration = FeedConfiguration(),
        server: (ContentBatch) -> BatchReply
    ) -> (batches: [ContentBatch], outcomes: [OperationOutcome], core: FeederCore) {
        var configuration = configuration
        configuration.windowCount = 100_000
        configuration.batchesInFlight = .fixed(1)
        var harness = CoreHarness(configuration)
        var waiting = harness.handle(.input(OperationChunk(operations: operations))).sent
        waiting += harness.handle(.inputEnded).sent
        var batches: [ContentBatch] = []
        var outcomes: [OperationOutcome] = []
        while !waiting.isEmpty {
            let batch = waiting.removeFirst()
            batches.append(batch)
            let commands = harness.reply(batch, server(batch))
            waiting += commands.sent
            outcomes += commands.settled
        }
        return (batches, outcomes, harness.core)
    }

    private func done(_ batch: ContentBatch) -> BatchReply { .results(batch.items.map { _ in .done(.removed) }) }

    /// A server that refuses a batch with a bad operation in it.
    private func refusing(_ isBad: @escaping (Int) -> Bool) -> (ContentBatch) -> BatchReply {
        { batch in
            let isSpoiled = batch.items.contains { isBad(Int($0.operation.documentID.text) ?? 0) }
            return isSpoiled ? .failed(BatchFailure(.split(mayHaveApplied: false), .test)) : self.done(batch)
        }
    }

    /// Requests for 1,000 operations, measured: 1 bad 22, 10 bad 169, 100 bad 1,025, 1,000 bad 1,023.
    @Test(arguments: [(1, 1000, 30), (10, 100, 200), (100, 10, 1100), (1000, 1, 1200)])
    func `The bad ones of a batch are found, and few requests are needed for few of them`(
        bad: Int,
        step: Int,
        most: Int
    ) {
        let (batches, outcomes, core) = feed(removals(1000), server: refusing { $0 % step == step / 2 })
        #expect(outcomes.count { $0.outcome == .failed } == bad)
        #expect(outcomes.count { $0.outcome == .removed } == 1000 - bad)
        #expect(batches.count <= most)
        #expect(core.splits.isEmpty)
    }

    @Test func `A batch of eight is sent one by one`() {
        let (batches, _, _) = feed(removals(8), server: refusing { $0 == 3 })
        #expect(batches.map(\.items.count) == [8] + Array(repeating: 1, count: 8))
    }

    /// A server that takes so many bytes at a time.
    private func taking(_ bytes: Int) -> (ContentBatch) -> BatchReply {
        { $0.byteCount > bytes ? .failed(BatchFailure(.tooLarge, .test)) : self.done($0) }
    }

    @Test func `The size that a server takes is learned once`() {
        var configuration = FeedConfiguration()
        configuration.batchCount = 100
        let (batches, outcomes, _) = feed(removals(1000, size: 10), configuration, server: taking(600))
        #expect(outcomes.count { $0.outcome == .removed } == 1000)
        #expect(batches.map(\.byteCount).count { $0 > 600 } == 1)
        #expect(batches[3...].allSatisfy { $0.byteCount == 500 })
    }

    @Test func `Halves have about as many bytes, not as many operations`() {
        let large: [ContentOperation] = ["a1", "a2"].map { (id: DocumentID) in
            .add(Document(id: id, json: Array(repeating: 0x20, count: 498)))
        }
        let (batches, _, _) = feed(large + removals(100, size: 10), server: taking(1500))
        #expect(batches.map(\.byteCount) == [2000, 1000, 1000])
    }

    @Test func `A single document that is too large fails by that name and costs the others nothing`() throws {
        let large = ContentOperation.add(Document(id: "large", json: Array(repeating: 0x20, count: 5000)))
        let (_, outcomes, core) = feed(removals(20) + [large] + removals(20), server: taking(1000))
        let failed = outcomes.filter { $0.outcome == .failed }
        #expect(failed.map(\.documentID) == ["large"])
        #expect(failed.first?.issue?.failure.code == .documentTooLarge)
        #expect(outcomes.count == 41)
        #expect(core.splits.isEmpty)
    }

    @Test func `What is learned is never less than the largest document that went`() {
        let documents = (0..<8).map {
            ContentOperation.add(
                Document(id: DocumentID(stringLiteral: "d\($0)"), json: Array(repeating: 0x20, count: 98))
            )
        }
        var refusals = 0
        let (batches, _, core) = feed(documents + removals(100, size: 10)) { batch in
            // Refuses everything with more than one operation, whatever its size.
            guard batch.items.count > 1, refusals < 12 else { return self.done(batch) }
            refusals += 1
            return .failed(BatchFailure(.tooLarge, .test))
        }
        #expect(batches.count > 12)
        #expect((core.learnedBytes ?? 0) >= 100)
    }
}
