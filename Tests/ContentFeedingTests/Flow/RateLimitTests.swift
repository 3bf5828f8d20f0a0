import Testing

@testable import ContentFeeding

struct RateLimitTests {
    @Test(arguments: [
        (OperationRate(1000), 1000, 250), (OperationRate(1), 1, 1), (OperationRate(3), 3, 1),
        (OperationRate(90, per: .seconds(60)), 1, 1), (OperationRate(.max), OperationRate.maximumCount, 250_000_000),
        (OperationRate(-5, per: .zero), 1, 1),
    ])
    func `A burst is a second's worth, and a batch a quarter of that`(rate: OperationRate, burst: Int, batch: Int) {
        let limit = RateLimit(rate)
        #expect(limit.burst == burst)
        #expect(limit.maximumCount == batch)
    }

    @Test(arguments: [1, 3, 7, 333, 1000, 12_345], [1, 60])
    func `Over any time exactly the burst and the rate leave`(count: Int, seconds: Int) {
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
