import Testing

@testable import ContentFeeding

/// The reasons a feed ends before its input does.
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

    @Test func `After the deadline, no more batches are sent, and replies to batches in flight are awaited`() {
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

    @Test func `The deadline wakes a waiting feed`() {
        var configuration = FeedConfiguration()
        configuration.deadline = .seconds(60)
        var harness = CoreHarness(configuration)
        #expect(harness.handle(.timer).wake?.sinceStart == .seconds(60))
        #expect(harness.handle(.timer, after: .seconds(60)).end == .stopped(.deadline(.seconds(60))))
    }

    @Test func `A deadline does not affect a feed that has already sent all operations`() {
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

    @Test func `A deadline beyond the range of the clock is treated as no deadline`() {
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
    func `The policy determines how many errors stop the feed`(
        policy: HaltPolicy,
        errors: Int,
        settled: Int,
        stops: Bool
    ) {
        #expect(policy.applies(to: errors, of: settled) == stops)
    }

    @Test func `Too many errors stop the feed, including missing documents if they count as errors`() {
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

    @Test func `Ignored missing documents do not stop the feed`() {
        var configuration = FeedConfiguration()
        configuration.halt = .errors(2)
        configuration.missing = .ignore
        var (harness, batches) = sent(configuration, count: 30)
        let commands = harness.reply(batches[0], .results(Array(repeating: .done(.missing), count: 10)))
        #expect(commands.end == nil)
        #expect(commands.sent.count == 1)
    }
}

/// Reports of a feed that makes no progress.
struct StandstillTests {
    private func standstills(_ commands: [FeederCore.Command]) -> [Standstill] {
        commands.compactMap { if case .tell(.flow(.standstill(let standstill))) = $0 { standstill } else { nil } }
    }

    /// Follows every wake until `end`, refusing all batches; returns the reports with their times in seconds.
    private func words(until end: Duration, _ reply: BatchReply?) -> [(at: Double, word: Standstill)] {
        var configuration = FeedConfiguration()
        configuration.giveUpAfter = .seconds(900)
        var harness = CoreHarness(configuration)
        var commands = harness.remove("a", "b")
        var words: [(at: Double, word: Standstill)] = []
        while harness.now.sinceStart < end {
            words += standstills(commands).map { (harness.now.sinceStart / .seconds(1), $0) }
            if let reply, let batch = commands.sent.first {
                commands = harness.reply(batch, reply)
            } else {
                commands = harness.handle(.timer, after: .milliseconds(100))
            }
        }
        return words
    }

    @Test(arguments: [
        BatchFailure.Kind.definite(isCharged: false), .slowDown(.seconds(1)), .slowDown(.milliseconds(1)),
    ])
    func `A failing engine is reported after two seconds, and then every thirty seconds`(kind: BatchFailure.Kind) throws
    {
        let words = words(until: .seconds(95), .failed(BatchFailure(kind, .test)))
        #expect(words.map { $0.at.rounded(.down) } == [2, 32, 62, 92])
        let first = try #require(words.first?.word)
        #expect(first.failure == .test)
        #expect(first.open == 2)
        #expect(first.givesUpAfter.map { ($0 / .seconds(1)).rounded() } == 898)
    }

    @Test func `An engine that does not reply is reported every thirty seconds`() {
        let words = words(until: .seconds(95), nil)
        #expect(words.map { $0.at.rounded(.down) } == [30, 60, 90])
        #expect(words.allSatisfy { $0.word.failure == nil && $0.word.givesUpAfter == nil })
    }

    @Test func `A feed that makes progress or is idle is not reported as stalled`() {
        var harness = CoreHarness()
        let idle = harness.handle(.timer, after: .seconds(120))
        #expect(standstills(idle).isEmpty)
        for _ in 0..<50 {
            let refused = harness.remove("a").sent.first.map {
                harness.reply($0, .failed(BatchFailure(.slowDown(.milliseconds(500)), .test)))
            }
            #expect(standstills(refused ?? []).isEmpty)
            for _ in 0..<12 {
                let commands = harness.handle(.timer, after: .milliseconds(100))
                #expect(standstills(commands).isEmpty)
                guard let batch = commands.sent.first else { continue }
                let results = batch.items.map { _ in OperationResult.done(.removed) }
                let settled = harness.reply(batch, .results(results))
                #expect(standstills(settled).isEmpty)
            }
        }
        #expect(harness.core.openCount == 0)
    }

    @Test func `A waiting feed wakes in time for its report`() {
        var harness = CoreHarness()
        _ = harness.remove("a")
        let commands = harness.handle(.timer, after: .milliseconds(100))
        #expect(commands.sent.count == 1)
        #expect(commands.wake == harness.now + .seconds(30))
        let later = harness.handle(.timer, after: .seconds(30))
        #expect(standstills(later).count == 1)
    }
}

/// A feed whose engine becomes unavailable, and may recover.
struct BreakerFeedTests {
    private static var configuration: FeedConfiguration {
        var configuration = FeedConfiguration()
        configuration.batchCount = 10
        configuration.quarantine = .zero
        return configuration
    }

    private static let gone = BatchReply.failed(BatchFailure(.definite(isCharged: false), .test))

    /// Makes every batch fail until `end` or the end of the feed; returns the times and sizes of the sent batches, and
    /// the batches that are still open.
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

    @Test func `After ten seconds of failures, single operations probe whether the engine is available`() {
        var (harness, commands) = started()
        let (sent, _, all) = fail(&harness, commands, until: .seconds(120))
        let probes = sent.filter { $0.at >= .seconds(10) }
        #expect(probes.allSatisfy { $0.count == 1 })
        #expect(probes.count < 12)
        #expect(all.end == nil)
        #expect(all.contains { if case .tell(.flow(.waiting)) = $0 { true } else { false } })
    }

    @Test func `After a success, sending resumes gradually`() throws {
        var (harness, commands) = started()
        let (_, open, all) = fail(&harness, commands, until: .seconds(60))
        let wake = try #require(all.wake)
        let late = open.isEmpty ? harness.handle(.timer, after: max(.zero, wake - harness.now)).sent : open
        let probe = try #require(late.first)
        let next = harness.reply(probe, .results([.done(.removed)]))
        #expect(next.contains { if case .tell(.flow(.answering)) = $0 { true } else { false } })
        #expect(next.sent.count == 1)
        #expect(harness.core.inFlightLimit == 1)
    }

    @Test(arguments: [
        BatchReply.failed(BatchFailure(.definite(isCharged: false), .test)),
        .failed(BatchFailure(.slowDown(.seconds(1)), .test)),
    ])
    func `Without a success, the feed eventually gives up and can be resumed`(reply: BatchReply) {
        var (harness, commands) = started()
        let (_, _, all) = fail(&harness, commands, with: reply, until: .seconds(5000))
        #expect(all.end == .stopped(.gaveUp(after: .seconds(900), last: "simulated")))
        #expect(harness.now.sinceStart == .seconds(900))
        #expect(harness.core.counts.open == 100)
        #expect(harness.core.counts.isBalanced)
    }

    @Test func `Without a time limit, a feed never gives up`() {
        var configuration = Self.configuration
        configuration.giveUpAfter = nil
        var (harness, commands) = started(configuration)
        #expect(fail(&harness, commands, until: .seconds(20_000)).commands.end == nil)
    }

    @Test func `Operations that have used up their attempts do not count as successes`() {
        var configuration = Self.configuration
        configuration.retry.attempts = 1
        var (harness, commands) = started(configuration)
        let (sent, _, _) = fail(&harness, commands, with: .failed(BatchFailure(.ambiguous, .test)), until: .seconds(1))
        #expect(!sent.isEmpty)
        #expect(harness.core.flow.lastFailure == .test)
    }
}

struct RateLimitTests {
    @Test(arguments: [
        (OperationRate(1000), 1000, 250), (OperationRate(1), 1, 1), (OperationRate(3), 3, 1),
        (OperationRate(90, per: .seconds(60)), 1, 1), (OperationRate(.max), OperationRate.maximumCount, 250_000_000),
        (OperationRate(-5, per: .zero), 1, 1),
    ])
    func `A burst is one second's worth of operations, and a batch a quarter of that`(
        rate: OperationRate,
        burst: Int,
        batch: Int
    ) {
        let limit = RateLimit(rate)
        #expect(limit.burst == burst)
        #expect(limit.maximumCount == batch)
    }

    @Test(arguments: [1, 3, 7, 333, 1000, 12_345], [1, 60])
    func `Over any period, exactly the burst plus the rate is sent`(count: Int, seconds: Int) {
        var limit = RateLimit(OperationRate(count, per: .seconds(seconds)))
        var now = FeedInstant.start
        var sent = 0
        var generator = SplitMix64(seed: 7)
        while now.sinceStart < .seconds(100) {
            let wanted = Int.random(in: 1...limit.maximumCount, using: &generator)
            let start = limit.start(of: wanted, at: now)
            guard start <= now else {
                now = start
                continue
            }
            limit.take(wanted, at: now)
            sent += wanted
            let allowed = Double(limit.burst) + now.sinceStart / .seconds(seconds) * Double(count)
            #expect(Double(sent) <= allowed + 0.001)
        }
        let all = 100.0 / Double(seconds) * Double(count)
        #expect(Double(sent) >= all - Double(limit.maximumCount))
    }

    @Test func `A feed sends no faster than its rate`() throws {
        var configuration = FeedConfiguration()
        configuration.rate = OperationRate(100)
        configuration.windowCount = 100_000
        var harness = CoreHarness(configuration)
        let operations = (0..<1000).map { ContentOperation.remove(DocumentID(stringLiteral: "\($0)")) }
        var waiting = harness.handle(.input(OperationChunk(operations: operations)))
        waiting += harness.handle(.inputEnded)
        var sent: [(at: Duration, count: Int)] = []
        var wake: FeedInstant?
        while waiting.end == nil, sent.count < 1000 {
            let batches = waiting.sent
            wake = waiting.wake ?? wake
            waiting = []
            for batch in batches {
                sent.append((harness.now.sinceStart, batch.items.count))
                waiting += harness.reply(batch, .results(batch.items.map { _ in .done(.removed) }))
            }
            guard batches.isEmpty else { continue }
            waiting += harness.handle(.timer, after: max(.milliseconds(1), try #require(wake) - harness.now))
        }
        var total = 0
        for (at, count) in sent {
            total += count
            #expect(Double(total) <= 100 + at / .milliseconds(10))
        }
        #expect(total == 1000)
        #expect(harness.now.sinceStart >= .seconds(9) && harness.now.sinceStart < .milliseconds(9300))
    }
}
