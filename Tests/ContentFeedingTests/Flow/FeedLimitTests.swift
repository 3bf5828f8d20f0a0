import Testing

@testable import ContentFeeding

/// What ends a feed before its input does.
struct FeedLimitTests {
    private func sent(_ configuration: FeedConfiguration, count: Int) -> (CoreHarness, [ContentBatch]) {
        var configuration = configuration
        configuration.batchCount = 10
        configuration.batchesInFlight = .fixed(1)
        var harness = CoreHarness(configuration)
        let operations = (0..<count).map { ContentOperation.remove(DocumentID(stringLiteral: "\($0)")) }
        let batches = harness.handle(.input(OperationChunk(operations: operations))).sent
        return (harness, batches)
    }

    @Test func `At the deadline nothing more is sent, and what is in flight comes back`() {
        var configuration = FeedConfiguration()
        configuration.deadline = .seconds(60)
        var (harness, batches) = sent(configuration, count: 30)
        let late = harness.handle(.timer, after: .seconds(60))
        #expect(late.end == nil)
        let last = harness.reply(batches[0], .results(batches[0].items.map { _ in .done(.removed) }))
        #expect(last.sent.isEmpty)
        #expect(last.settled.count == 10)
        #expect(last.end == .stopped(.deadline(.seconds(60))))
        #expect(harness.core.counts.open == 20)
    }

    @Test func `The deadline wakes a feed that waits`() {
        var configuration = FeedConfiguration()
        configuration.deadline = .seconds(60)
        var harness = CoreHarness(configuration)
        #expect(harness.handle(.timer).wake?.sinceStart == .seconds(60))
        #expect(harness.handle(.timer, after: .seconds(60)).end == .stopped(.deadline(.seconds(60))))
    }

    @Test func `A feed that has nothing left to send keeps its end`() {
        var configuration = FeedConfiguration()
        configuration.deadline = .seconds(60)
        var (harness, batches) = sent(configuration, count: 10)
        _ = harness.handle(.inputEnded)
        let end = harness.handle(
            .reply(batches[0].id, .results(batches[0].items.map { _ in .done(.removed) })),
            after: .seconds(70)
        )
        #expect(end.end == .completed)
    }

    @Test func `A deadline beyond all clocks is none`() {
        var configuration = FeedConfiguration()
        configuration.deadline = .milliseconds(Int64.max)
        configuration.giveUpAfter = .milliseconds(Int64.max)
        var harness = CoreHarness(configuration)
        #expect(harness.handle(.timer).wake == nil)
    }

    @Test(arguments: [
        (HaltPolicy.errors(1), 0, 100, false), (.errors(1), 1, 1, true), (.errors(5), 4, 100, false),
        (.percent(5), 4, 4, false), (.percent(5), 99, 99, false), (.percent(5), 5, 100, true),
        (.percent(5), 4, 100, false), (.percent(0.001), 0, 100, false), (.percent(100), 100, 100, true),
    ])
    func `A policy says when there are too many errors`(policy: HaltPolicy, errors: Int, settled: Int, stops: Bool) {
        #expect(policy.applies(to: errors, of: settled) == stops)
    }

    @Test func `Errors beyond the limit stop the feed, and missing documents are errors where they count as such`() {
        var configuration = FeedConfiguration()
        configuration.halt = .errors(2)
        var (harness, batches) = sent(configuration, count: 30)
        var results = Array(repeating: OperationResult.done(.removed), count: 10)
        results[3] = .failed(.test)
        results[7] = .done(.missing)
        let commands = harness.reply(batches[0], .results(results))
        #expect(commands.sent.isEmpty)
        #expect(commands.end == .stopped(.halted(errors: 2, settled: 10)))
        #expect(harness.core.counts.open == 20)
    }

    @Test func `Missing documents that are ignored stop nothing`() {
        var configuration = FeedConfiguration()
        configuration.halt = .errors(2)
        configuration.missing = .ignore
        var (harness, batches) = sent(configuration, count: 30)
        let commands = harness.reply(batches[0], .results(Array(repeating: .done(.missing), count: 10)))
        #expect(commands.end == nil)
        #expect(commands.sent.count == 1)
    }
}
