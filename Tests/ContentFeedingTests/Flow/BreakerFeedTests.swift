import Testing

@testable import ContentFeeding

/// A feed whose engine is gone, and comes back or does not.
struct BreakerFeedTests {
    private static var configuration: FeedConfiguration {
        var configuration = FeedConfiguration()
        configuration.batchCount = 10
        configuration.quarantine = .zero
        return configuration
    }

    private static let gone = BatchReply.failed(BatchFailure(.definite(isCharged: false), .test))

    /// Lets everything fail that is sent, until `end` or the end of the feed; says what was sent when, and what is open.
    private func fail(
        _ harness: inout CoreHarness,
        _ commands: [FeederCore.Command],
        with reply: BatchReply = gone,
        until end: Duration
    ) -> (sent: [(at: Duration, count: Int)], open: [ContentBatch], commands: [FeederCore.Command]) {
        var sent: [(at: Duration, count: Int)] = []
        var all = commands
        var waiting = commands.sent
        var wake = commands.wake
        var isOver = false
        while harness.now.sinceStart < end, !isOver {
            let next: [FeederCore.Command]
            if !waiting.isEmpty {
                let batch = waiting.removeFirst()
                sent.append((harness.now.sinceStart, batch.items.count))
                next = harness.reply(batch, reply)
            } else if let instant = wake {
                wake = nil
                next = harness.handle(.timer, after: max(.zero, instant - harness.now))
            } else {
                break
            }
            waiting += next.sent
            wake = next.wake ?? wake
            all += next
            isOver = next.end != nil
        }
        return (sent, waiting, all)
    }

    private func started(_ configuration: FeedConfiguration = configuration) -> (CoreHarness, [FeederCore.Command]) {
        var harness = CoreHarness(configuration)
        let operations = (0..<100).map { ContentOperation.remove(DocumentID(stringLiteral: "\($0)")) }
        var commands = harness.handle(.input(OperationChunk(operations: operations)))
        commands += harness.handle(.inputEnded)
        return (harness, commands)
    }

    @Test func `After ten seconds of failures one operation at a time asks whether the engine is back`() {
        var (harness, commands) = started()
        let (sent, _, all) = fail(&harness, commands, until: .seconds(120))
        let probes = sent.filter { $0.at >= .seconds(10) }
        #expect(probes.allSatisfy { $0.count == 1 })
        #expect(probes.count < 12)
        #expect(all.end == nil)
        #expect(all.contains { if case .flow(.waiting) = $0 { true } else { false } })
    }

    @Test func `A success opens the way again, slowly`() throws {
        var (harness, commands) = started()
        let (_, open, all) = fail(&harness, commands, until: .seconds(60))
        let wake = try #require(all.wake)
        let late = open.isEmpty ? harness.handle(.timer, after: max(.zero, wake - harness.now)).sent : open
        let probe = try #require(late.first)
        let next = harness.reply(probe, .results([.done(.removed)]))
        #expect(next.contains { if case .flow(.answering) = $0 { true } else { false } })
        #expect(next.sent.count == 1)
        #expect(harness.core.inFlightLimit == 1)
    }

    @Test(arguments: [
        BatchReply.failed(BatchFailure(.definite(isCharged: false), .test)),
        .failed(BatchFailure(.slowDown(.seconds(1)), .test)),
    ])
    func `Without a success the feed gives up in the end and can be taken up again`(reply: BatchReply) {
        var (harness, commands) = started()
        let (_, _, all) = fail(&harness, commands, with: reply, until: .seconds(5000))
        #expect(all.end == .stopped(.gaveUp(after: .seconds(900), last: "simulated")))
        #expect(harness.now.sinceStart == .seconds(900))
        #expect(harness.core.counts.open == 100)
        #expect(harness.core.counts.isBalanced)
    }

    @Test func `It never gives up when it is told so`() {
        var configuration = Self.configuration
        configuration.giveUpAfter = nil
        var (harness, commands) = started(configuration)
        #expect(fail(&harness, commands, until: .seconds(20_000)).commands.end == nil)
    }

    @Test func `Operations whose attempts are used up are no success`() {
        var configuration = Self.configuration
        configuration.retry.attempts = 1
        var (harness, commands) = started(configuration)
        let (sent, _, _) = fail(&harness, commands, with: .failed(BatchFailure(.ambiguous, .test)), until: .seconds(1))
        #expect(!sent.isEmpty)
        #expect(harness.core.breaker.lastFailure == .test)
    }
}
