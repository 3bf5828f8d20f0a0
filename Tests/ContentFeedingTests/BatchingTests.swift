import ContentFeeding
import Testing

struct BatchingTests {
    private var small: FeedConfiguration {
        var configuration = FeedConfiguration()
        configuration.batchCount = 3
        return configuration
    }

    @Test func aFullBatchLeavesAtOnce() {
        var harness = CoreHarness(small)
        let commands = harness.remove("a", "b", "c", "d")
        #expect(commands.sent.map(\.documentIDs) == [["a", "b", "c"]])
        #expect(commands.sent.first?.items.map(\.id.rawValue) == [1, 2, 3])
    }

    @Test func aBatchThatIsNotFullLeavesAfterTheLinger() throws {
        var harness = CoreHarness(small)
        let commands = harness.remove("a")
        #expect(commands.sent.isEmpty)
        let wake = try #require(commands.wake)
        #expect(wake.sinceStart == .milliseconds(100))
        #expect(harness.handle(.timer, after: .milliseconds(100)).sent.map(\.documentIDs) == [["a"]])
    }

    @Test func theEndOfTheInputSendsWhatIsThere() {
        var harness = CoreHarness(small)
        _ = harness.remove("a")
        #expect(harness.handle(.inputEnded).sent.map(\.documentIDs) == [["a"]])
    }

    @Test func aBatchIsClosedByItsBytes() {
        var configuration = FeedConfiguration()
        configuration.batchBytes = 10
        var harness = CoreHarness(configuration)
        let commands = harness.remove("aaaaa", "bbbbb", "ccccc")
        #expect(commands.sent.map(\.documentIDs) == [["aaaaa", "bbbbb"]])
    }

    @Test func aDocumentLargerThanABatchTravelsAlone() {
        var configuration = FeedConfiguration()
        configuration.batchBytes = 4
        var harness = CoreHarness(configuration)
        let commands = harness.remove("long identifier", "b")
        #expect(commands.sent.map(\.documentIDs).first == ["long identifier"])
    }

    @Test func operationsOnOneDocumentNeverShareABatch() {
        var harness = CoreHarness(small)
        let first = harness.remove("a", "a", "b", "c")
        #expect(first.sent.map(\.documentIDs) == [["a", "b", "c"]])
        let second = harness.reply(first.sent[0], .results([.done(.removed), .done(.removed), .done(.removed)]))
        #expect(second.settled.map(\.operationID.rawValue) == [1, 3, 4])
        #expect(harness.handle(.inputEnded).sent.map(\.documentIDs) == [["a"]])
    }

    @Test func readingStopsWhenTheWindowIsFull() {
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

    @Test func noMoreBatchesAreInFlightThanTheEngineTakes() {
        var capabilities = EngineCapabilities()
        capabilities.maximumBatchesInFlight = 2
        var configuration = small
        configuration.batchCount = 1
        var harness = CoreHarness(configuration, capabilities: capabilities)
        #expect(harness.remove("a", "b", "c").sent.count == 2)
    }

    @Test func anIDThatTheEngineCannotTakeFailsAtOnce() throws {
        var capabilities = EngineCapabilities()
        capabilities.maximumIDBytes = 3
        var harness = CoreHarness(small, capabilities: capabilities)
        let commands = harness.remove("abc", "abcd")
        let failed = try #require(commands.settled.first)
        #expect(failed.documentID == "abcd")
        #expect(failed.outcome == .failed)
        #expect(failed.issue?.failure.code == .idTooLong)
    }

    @Test func anEngineThatKeepsNoProgressGetsNone() {
        var harness = CoreHarness(small)
        #expect(harness.remove("a", "b", "c").sent.first?.progress == nil)
    }

    @Test func eachBatchCarriesTheProgressThatHoldsOnceItIsSettled() throws {
        var capabilities = EngineCapabilities()
        capabilities.keepsProgress = true
        var harness = CoreHarness(small, capabilities: capabilities)
        let chunk = OperationChunk(
            operations: ["a", "b", "a", "c"].map { .remove($0) },
            end: InputOffset(source: 0, byte: 80)
        )
        let batch = harness.handle(.input(chunk)).sent[0]
        #expect(batch.documentIDs == ["a", "b", "c"])
        let progress = try #require(batch.progress)
        #expect(progress.lowestUnsettled.rawValue == 3)
        #expect(progress.isSettled(OperationID(rawValue: 4)))
        #expect(!progress.isSettled(OperationID(rawValue: 3)))
        #expect(progress.offset == .start)
        #expect(progress.firstOperation == .first)
        let last = harness.reply(batch, .results(Array(repeating: .done(.removed), count: 3)))
        let rest = (last + harness.handle(.inputEnded)).sent[0]
        let end = try #require(rest.progress)
        #expect(end.offset == InputOffset(source: 0, byte: 80))
        #expect(end.firstOperation.rawValue == 5)
        #expect(end.settledCount == 4)
    }
}
