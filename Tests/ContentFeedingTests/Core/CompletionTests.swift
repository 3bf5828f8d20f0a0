import Testing

@testable import ContentFeeding

struct CompletionTests {
    @Test func `A feed ends when its input has ended and every operation is settled`() {
        var harness = CoreHarness()
        _ = harness.remove("a")
        let batch = harness.handle(.inputEnded).sent[0]
        #expect(harness.reply(batch, .results([.done(.removed)])).end == .completed)
    }

    @Test func `Empty input ends immediately`() {
        var harness = CoreHarness()
        #expect(harness.handle(.inputEnded).end == .completed)
    }

    @Test func `A higher completion level is requested once, at the end`() {
        var configuration = FeedConfiguration()
        configuration.level = .live
        var harness = CoreHarness(configuration)
        _ = harness.remove("a")
        let batch = harness.handle(.inputEnded).sent[0]
        let settled = harness.reply(batch, .results([.done(.removed)]))
        #expect(settled.raises == .live)
        #expect(settled.end == nil)
        #expect(harness.handle(.raised(nil)).end == .completed)
    }

    @Test func `A completion level that can't be reached stops the feed`() {
        var configuration = FeedConfiguration()
        configuration.level = .live
        var harness = CoreHarness(configuration)
        #expect(harness.handle(.inputEnded).raises == .live)
        let end = harness.handle(.raised(EngineError(.unreachable, "gone"))).end
        #expect(end == .stopped(.engine(.unreachable, message: "gone")))
    }

    @Test func `A stop waits for batches in flight, and no more batches are sent`() {
        var configuration = FeedConfiguration()
        configuration.batchCount = 1
        configuration.batchesInFlight = .fixed(1)
        var harness = CoreHarness(configuration)
        let batch = harness.remove("a", "b").sent[0]
        #expect(harness.handle(.stop(.interrupted)).end == nil)
        let commands = harness.reply(batch, .results([.done(.removed)]))
        #expect(commands.sent.isEmpty)
        #expect(commands.end == .stopped(.interrupted))
        #expect(harness.core.counts.open == 1)
    }

    @Test func `Input that arrives after the stop is not accepted`() {
        var configuration = FeedConfiguration()
        configuration.batchCount = 1
        var harness = CoreHarness(configuration)
        let batch = harness.remove("a").sent[0]
        _ = harness.handle(.stop(.interrupted))
        _ = harness.remove("b")
        #expect(harness.core.counts.accepted == 1)
        #expect(harness.reply(batch, .results([.done(.removed)])).end == .stopped(.interrupted))
    }

    @Test func `Operations read before a read error are still carried out`() {
        var harness = CoreHarness()
        _ = harness.remove("a")
        let batch = harness.handle(.inputFailed(.input(message: "the disk is gone"))).sent[0]
        let end = harness.reply(batch, .results([.done(.removed)])).end
        #expect(end == .stopped(.input(message: "the disk is gone")))
        #expect(harness.core.counts[.removed] == 1)
    }

    @Test func `With a journal, a batch is sent after its lease is recorded`() throws {
        var harness = CoreHarness(isJournaled: true)
        _ = harness.remove("a")
        let ended = harness.handle(.inputEnded)
        #expect(ended.sent.isEmpty)
        let lease = try #require(ended.recorded)
        #expect(lease.leasedThrough.rawValue == 1)
        let batch = harness.handle(.recorded(lease.id)).sent[0]
        let replied = harness.reply(batch, .results([.done(.missing)]))
        #expect(replied.settled.isEmpty)
        let settling = try #require(replied.recorded)
        #expect(settling.issues.map(\.documentID) == ["a"])
        #expect(settling.counts[.missing] == 1)
        let last = harness.handle(.recorded(settling.id))
        #expect(last.settled.map(\.outcome) == [.missing])
        #expect(last.end == .completed)
    }

    @Test func `A resumed feed continues the retries of the earlier run`() throws {
        var harness = CoreHarness(isJournaled: true)
        let ids: [DocumentID] = ["a", "b", "c"]
        _ = harness.handle(.input(OperationChunk(operations: ids.map { .remove($0) })))
        let lease = try #require(harness.handle(.inputEnded).recorded)
        let batch = harness.handle(.recorded(lease.id)).sent[0]
        let settling = try #require(
            harness.reply(batch, .results([.done(.removed), .unknown(.test), .done(.removed)])).recorded
        )
        var resumed = FeederCore(
            job: JobID(rawValue: "TEST"),
            isJournaled: true,
            resuming: JournalState(settling),
            seed: 1
        )
        // Everything is settled or has a row, so the input continues after it.
        #expect(settling.progress.firstOperation.rawValue == 4)
        let commands = resumed.handle(.inputEnded, at: .start)
        let again = try #require(commands.recorded)
        let sent = resumed.handle(.recorded(again.id), at: .start).sent
        #expect(sent.map(\.documentIDs) == [["b"]])
        #expect(resumed.counts.accepted == 3)
        #expect(resumed.counts[.removed] == 2)
    }

    @Test func `A document that an earlier run removed is not reported as missing when the input names it again`()
        throws
    {
        var harness = CoreHarness(isJournaled: true)
        _ = harness.remove("a", "b")
        let lease = try #require(harness.handle(.inputEnded).recorded)
        let batch = harness.handle(.recorded(lease.id)).sent[0]
        let settling = try #require(harness.reply(batch, .results([.done(.removed), .done(.removed)])).recorded)
        var resumed = FeederCore(
            job: JobID(rawValue: "TEST"),
            isJournaled: true,
            resuming: JournalState(settling),
            seed: 1
        )
        var earlier = OperationChunk(operations: [.remove("a"), .remove("b")])
        earlier.isEarlier = true
        _ = resumed.handle(.input(earlier), at: .start)
        #expect(resumed.counts.accepted == 2)
        _ = resumed.handle(.input(OperationChunk(operations: [.remove("a"), .remove("c")])), at: .start)
        let again = try #require(resumed.handle(.inputEnded, at: .start).recorded)
        let sent = try #require(resumed.handle(.recorded(again.id), at: .start).sent.first)
        #expect(sent.documentIDs == ["a", "c"])
        let reply = FeederCore.Event.reply(sent.id, .results([.done(.missing), .done(.missing)]))
        let last = try #require(resumed.handle(reply, at: .start).recorded)
        let settled = resumed.handle(.recorded(last.id), at: .start).settled
        #expect(settled.map(\.issue?.failure.code) == [.duplicateInInput, .documentMissing])
    }

    @Test(arguments: [false, true])
    func `If the journal fails, the feed ends and every operation is accounted for`(failsAtFirst: Bool) throws {
        var harness = CoreHarness(isJournaled: true)
        _ = harness.remove("a")
        var transaction = try #require(harness.handle(.inputEnded).recorded)
        if !failsAtFirst {
            let batch = harness.handle(.recorded(transaction.id)).sent[0]
            transaction = try #require(harness.reply(batch, .results([.done(.removed)])).recorded)
        }
        let commands = harness.handle(.recordFailed(transaction.id, "the disk is full"))
        #expect(commands.sent.isEmpty)
        #expect(commands.end == .stopped(.storage(message: "the disk is full")))
        #expect(commands.settled.map(\.outcome) == (failsAtFirst ? [] : [.removed]))
        #expect(harness.core.counts.open == (failsAtFirst ? 1 : 0))
        #expect(harness.core.counts.isBalanced)
    }

    @Test func `A barrier is reached even if the journal is always busy`() throws {
        var harness = CoreHarness(isJournaled: true)
        _ = harness.handle(.pushed([.remove("first")]))
        var commands = harness.handle(.barrier(BarrierID(rawValue: 1), .secured))
        var rounds = 0
        while !commands.reached.contains(BarrierID(rawValue: 1)), rounds < 20 {
            rounds += 1
            let transaction = try #require(commands.recorded)
            commands = harness.handle(.pushed([.remove(DocumentID(stringLiteral: "\(rounds)"))]))
            commands += harness.handle(.recorded(transaction.id))
            for batch in commands.sent {
                commands += harness.reply(batch, .results(batch.items.map { _ in .done(.removed) }))
            }
        }
        #expect(rounds < 5)
    }

    @Test func `Operations that were pushed are counted even after the stop`() {
        var harness = CoreHarness()
        _ = harness.handle(.pushed([.remove("a")]))
        #expect(harness.handle(.stop(.interrupted)).end == .stopped(.interrupted))
        _ = harness.handle(.pushed([.remove("b")]))
        #expect(harness.core.counts.accepted == 2)
        #expect(harness.core.counts.open == 2)
        #expect(harness.core.counts.isBalanced)
    }

    @Test func `A limit of zero is treated as one`() {
        var configuration = FeedConfiguration()
        (configuration.batchCount, configuration.windowCount, configuration.batchesInFlight) = (0, 0, .fixed(-1))
        var harness = CoreHarness(configuration)
        #expect(harness.handle(.timer).asksForInput)
        #expect(harness.remove("a").sent.map(\.documentIDs) == [["a"]])
    }
}

struct BatchingTests {
    private var small: FeedConfiguration {
        var configuration = FeedConfiguration()
        configuration.batchCount = 3
        return configuration
    }

    @Test func `A full batch is sent immediately`() {
        var harness = CoreHarness(small)
        let commands = harness.remove("a", "b", "c", "d")
        #expect(commands.sent.map(\.documentIDs) == [["a", "b", "c"]])
        #expect(commands.sent.first?.items.map(\.id.rawValue) == [1, 2, 3])
    }

    @Test func `A batch that is not full is sent after the linger time`() throws {
        var harness = CoreHarness(small)
        let commands = harness.remove("a")
        #expect(commands.sent.isEmpty)
        let wake = try #require(commands.wake)
        #expect(wake.sinceStart == .milliseconds(100))
        #expect(harness.handle(.timer, after: .milliseconds(100)).sent.map(\.documentIDs) == [["a"]])
    }

    @Test func `At the end of the input, the remaining operations are sent`() {
        var harness = CoreHarness(small)
        _ = harness.remove("a")
        #expect(harness.handle(.inputEnded).sent.map(\.documentIDs) == [["a"]])
    }

    @Test func `A batch is limited in bytes`() {
        var configuration = FeedConfiguration()
        configuration.batchBytes = 10
        var harness = CoreHarness(configuration)
        let commands = harness.remove("aaaaa", "bbbbb", "ccccc")
        #expect(commands.sent.map(\.documentIDs) == [["aaaaa", "bbbbb"]])
    }

    @Test func `A document larger than a batch is sent alone`() {
        var configuration = FeedConfiguration()
        configuration.batchBytes = 4
        var harness = CoreHarness(configuration)
        let commands = harness.remove("long identifier", "b")
        #expect(commands.sent.map(\.documentIDs).first == ["long identifier"])
    }

    @Test func `Operations on the same document never share a batch`() {
        var harness = CoreHarness(small)
        let first = harness.remove("a", "a", "b", "c")
        #expect(first.sent.map(\.documentIDs) == [["a", "b", "c"]])
        let second = harness.reply(first.sent[0], .results([.done(.removed), .done(.removed), .done(.removed)]))
        #expect(second.settled.map(\.operationID.rawValue) == [1, 3, 4])
        #expect(harness.handle(.inputEnded).sent.map(\.documentIDs) == [["a"]])
    }

    @Test func `Reading stops when the window is full`() {
        var configuration = small
        configuration.windowCount = 4
        configuration.batchesInFlight = .fixed(1)
        var harness = CoreHarness(configuration)
        #expect(harness.handle(.timer).asksForInput)
        let full = harness.remove("a", "b", "c", "d")
        #expect(!full.asksForInput)
        let reply = harness.reply(full.sent[0], .results([.done(.removed), .done(.removed), .done(.removed)]))
        #expect(reply.asksForInput)
    }

    @Test func `No more batches are in flight than the engine accepts`() {
        var capabilities = EngineCapabilities()
        capabilities.maximumBatchesInFlight = 2
        var configuration = small
        configuration.batchCount = 1
        var harness = CoreHarness(configuration, capabilities: capabilities)
        #expect(harness.remove("a", "b", "c").sent.count == 2)
    }

    @Test func `An ID that the engine does not support fails immediately`() throws {
        var capabilities = EngineCapabilities()
        capabilities.maximumIDBytes = 3
        var harness = CoreHarness(small, capabilities: capabilities)
        let commands = harness.remove("abc", "abcd")
        let failed = try #require(commands.settled.first)
        #expect(failed.documentID == "abcd")
        #expect(failed.outcome == .failed)
        #expect(failed.issue?.failure.code == .idTooLong)
    }

    @Test func `An engine that does not store progress receives none`() {
        var harness = CoreHarness(small)
        #expect(harness.remove("a", "b", "c").sent.first?.job == nil)
    }

    @Test func `Each batch contains the progress that is valid once it is settled`() throws {
        var capabilities = EngineCapabilities()
        capabilities.keepsProgress = true
        var harness = CoreHarness(small, capabilities: capabilities)
        let chunk = OperationChunk(
            operations: ["a", "b", "a", "c"].map { .remove($0) },
            end: InputOffset(source: 0, byte: 80)
        )
        let batch = harness.handle(.input(chunk)).sent[0]
        #expect(batch.documentIDs == ["a", "b", "c"])
        let progress = try #require(batch.job?.progress)
        #expect(progress.lowestUnsettled.rawValue == 3)
        #expect(progress.isSettled(OperationID(rawValue: 4)))
        #expect(!progress.isSettled(OperationID(rawValue: 3)))
        #expect(progress.offset == .start)
        #expect(progress.firstOperation == .first)
        let last = harness.reply(batch, .results(Array(repeating: .done(.removed), count: 3)))
        let rest = (last + harness.handle(.inputEnded)).sent[0]
        let end = try #require(rest.job?.progress)
        #expect(end.offset == InputOffset(source: 0, byte: 80))
        #expect(end.firstOperation.rawValue == 5)
        #expect(end.settledCount == 4)
    }

    @Test func `A batch's progress names the end of the chunk with the last operation that it settles`() throws {
        var capabilities = EngineCapabilities()
        capabilities.keepsProgress = true
        var configuration = small
        configuration.windowCount = 100
        configuration.batchesInFlight = .fixed(1)
        var harness = CoreHarness(configuration, capabilities: capabilities)
        var sent: [ContentBatch] = []
        for number in UInt8(1)...4 {
            let chunk = OperationChunk(
                operations: ["a", "b"].map { .remove(DocumentID(stringLiteral: "\($0)\(number)")) },
                end: InputOffset(source: 0, byte: 10 * UInt64(number)),
                digest: [number]
            )
            sent += harness.handle(.input(chunk)).sent
        }
        // Three of them form a batch: they come from two chunks, and operations read after them are not sent.
        let first = try #require(sent.first?.job?.progress)
        #expect(sent.count == 1 && first.offset.byte == 10 && first.inputDigest == [1])
        #expect(first.sentThrough == InputMark(InputOffset(source: 0, byte: 20), digest: [2]))
        let reply = harness.reply(sent[0], .results(sent[0].items.map { _ in .done(.removed) }))
        let second = try #require(reply.sent.first)
        let progress = try #require(second.job?.progress)
        #expect(progress.offset.byte == 30 && progress.sentThrough == nil)
    }

    @Test func `Operations settled without the engine are recorded in every batch until a reply arrives`() throws {
        var capabilities = EngineCapabilities()
        capabilities.keepsProgress = true
        capabilities.maximumIDBytes = 3
        var harness = CoreHarness(small, capabilities: capabilities)
        let first = harness.remove("a", "toolong", "b", "c").sent[0]
        #expect(first.job?.settledWithoutEngine.map(\.documentID) == ["toolong"])
        let failed = harness.reply(first, .failed(BatchFailure(.definite(isCharged: false), .test)))
        #expect(failed.sent.isEmpty)
        let second = try #require(harness.handle(.timer, after: .seconds(1)).sent.first)
        #expect(second.job?.settledWithoutEngine.map(\.documentID) == ["toolong"])
        _ = harness.reply(second, .results(second.items.map { _ in .done(.removed) }))
        let third = try #require(harness.remove("d", "e", "f").sent.first)
        #expect(third.job?.settledWithoutEngine.isEmpty == true)
    }

    @Test(arguments: Outcome.allCases)
    func `An engine that keeps the job stores the outcomes that the feeder reports`(outcome: Outcome) throws {
        var capabilities = EngineCapabilities()
        capabilities.keepsProgress = true
        var harness = CoreHarness(small, capabilities: capabilities)
        // The second time, each ID is a repeated one.
        for _ in 1...2 {
            let batch = try #require(harness.remove("a", "b", "c").sent.first)
            let update = try #require(batch.job)
            let stored = batch.items.compactMap { update.outcome(of: $0, .done(outcome)) }
            let reported = harness.reply(batch, .results(batch.items.map { _ in .done(outcome) })).settled
            #expect(stored.map(\.outcome) == reported.map(\.outcome))
            #expect(stored.map(\.issue) == reported.map(\.issue))
        }
    }
}

/// A core and its clock, for tests that send single events.
struct CoreHarness {
    var core: FeederCore
    var now = FeedInstant.start

    init(
        _ configuration: FeedConfiguration = FeedConfiguration(),
        capabilities: EngineCapabilities = EngineCapabilities(),
        isJournaled: Bool = false
    ) {
        core = FeederCore(
            configuration: configuration,
            capabilities: capabilities,
            job: JobID(rawValue: "TEST"),
            epoch: 1,
            isJournaled: isJournaled,
            seed: 1
        )
    }

    mutating func handle(_ event: FeederCore.Event, after pause: Duration = .zero) -> [FeederCore.Command] {
        now = now + pause
        return core.handle(event, at: now)
    }

    mutating func remove(_ ids: DocumentID...) -> [FeederCore.Command] {
        handle(.input(OperationChunk(operations: ids.map { .remove($0) })))
    }

    mutating func reply(_ batch: ContentBatch, _ reply: BatchReply) -> [FeederCore.Command] {
        handle(.reply(batch.id, reply))
    }
}

extension [FeederCore.Command] {
    var sent: [ContentBatch] { compactMap { if case .send(let batch) = $0 { batch } else { nil } } }
    var settled: [OperationOutcome] {
        flatMap { if case .tell(.settled(let outcomes)) = $0 { outcomes } else { [] as [OperationOutcome] } }
    }
    var wake: FeedInstant? { compactMap { if case .wake(let instant) = $0 { instant } else { nil } }.last }
    var asksForInput: Bool { contains { if case .read = $0 { true } else { false } } }
    var end: FeedEnd? { compactMap { if case .finish(let end) = $0 { end } else { nil } }.last }
    var raises: CompletionLevel? { compactMap { if case .raise(let level) = $0 { level } else { nil } }.last }
    var reached: [BarrierID] { compactMap { if case .reached(let barrier, _) = $0 { barrier } else { nil } } }
    var recorded: JournalTransaction? {
        compactMap { if case .record(let transaction) = $0 { transaction } else { nil } }.last
    }
}

extension ContentBatch {
    var documentIDs: [String] { items.map(\.operation.documentID.text) }
}

extension DocumentFailure {
    static let test = DocumentFailure(.rejectedByEngine, "simulated", disposition: .retryable)
}
