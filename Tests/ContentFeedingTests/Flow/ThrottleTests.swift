import Testing

@testable import ContentFeeding

struct ThrottleTests {
    private func refuse(
        _ throttle: inout Throttle,
        _ batch: UInt64,
        newest: UInt64,
        pause: Duration? = .zero,
        at now: FeedInstant = .start
    ) {
        var random = SplitMix64(seed: 1)
        throttle.refused(
            BatchID(rawValue: batch),
            newest: BatchID(rawValue: newest),
            pause: pause,
            policy: RetryPolicy(),
            at: now,
            using: &random
        )
    }

    @Test(arguments: [
        (BatchesInFlight.adaptive, 64, 4), (.adaptive, 4, 4), (.adaptive, 3, 3), (.adaptive, 2, 2), (.adaptive, 1, 1),
        (.adaptive, 0, 1), (.fixed(8), 64, 8), (.fixed(8), 2, 2), (.fixed(-3), 64, 1), (.fixed(.max), 64, 64),
        (.adaptive, .max, 4),
    ])
    func `It begins with four, or what the user and the engine allow`(
        setting: BatchesInFlight,
        ceiling: Int,
        limit: Int
    ) {
        #expect(Throttle(setting, ceiling: ceiling).limit == limit)
    }

    @Test(arguments: [BatchesInFlight.fixed(4), .adaptive])
    func `A number that is fixed, or too small to search, never changes`(setting: BatchesInFlight) {
        var throttle = Throttle(setting, ceiling: setting == .adaptive ? 2 : 64)
        let limit = throttle.limit
        for second in 0..<100 { throttle.completed(1000, at: FeedInstant(sinceStart: .seconds(second))) }
        refuse(&throttle, 1, newest: 4)
        throttle.ramp()
        #expect(throttle.limit == limit)
    }

    @Test func `A round trip is cut once, and what it was refused is no longer sent`() {
        var throttle = Throttle(.adaptive, ceiling: 64)
        refuse(&throttle, 2, newest: 4)
        #expect(throttle.limit == 3)
        refuse(&throttle, 3, newest: 4)
        #expect(throttle.limit == 2)
        refuse(&throttle, 4, newest: 4)
        #expect(throttle.limit == 1)
    }

    @Test func `Parts that are put off cut once for each round trip, and pause nothing`() {
        var throttle = Throttle(.adaptive, ceiling: 64)
        for batch in 1...4 as ClosedRange<UInt64> { refuse(&throttle, batch, newest: 4, pause: nil) }
        #expect(throttle.limit == 3)
        #expect(throttle.pausedUntil == nil)
        refuse(&throttle, 5, newest: 7, pause: nil)
        #expect(throttle.limit == 2)
    }

    @Test func `It never falls below one`() {
        var throttle = Throttle(.adaptive, ceiling: 64)
        for batch in 1...50 as ClosedRange<UInt64> { refuse(&throttle, batch, newest: batch) }
        #expect(throttle.limit == 1)
        throttle.ramp()
        #expect(throttle.limit == 1)
    }

    @Test(arguments: [
        (Duration.zero, Duration.milliseconds(1), Duration.milliseconds(100)),
        (.seconds(7), .seconds(7), .seconds(7)),
        (.seconds(100_000), .seconds(300), .seconds(300)),
        (.seconds(-5), .milliseconds(1), .milliseconds(100)),
    ])
    func `The pause is what the server asks for, at least a random one, at most five minutes`(
        asked: Duration,
        least: Duration,
        most: Duration
    ) throws {
        var throttle = Throttle(.adaptive, ceiling: 64)
        refuse(&throttle, 1, newest: 4, pause: asked)
        let pause = try #require(throttle.pausedUntil).sinceStart
        #expect(pause >= least && pause <= most)
    }

    @Test func `The pause grows with each round that is refused`() throws {
        var random = SplitMix64(seed: 3)
        var longest = Duration.zero
        for _ in 0..<50 {
            var throttle = Throttle(.fixed(1), ceiling: 64)
            for batch in 1...9 as ClosedRange<UInt64> {
                let id = BatchID(rawValue: batch)
                let policy = RetryPolicy()
                throttle.refused(id, newest: id, pause: .zero, policy: policy, at: .start, using: &random)
            }
            longest = max(longest, try #require(throttle.pausedUntil).sinceStart)
        }
        #expect(longest > .seconds(15))
        #expect(longest <= .seconds(30))
    }

    @Test func `After an outage it begins with a quarter`() {
        var search = ThroughputSearch(ceiling: 64)
        for rate in [100.0, 200, 400, 800] { search.measured(rate) { _ in true } }
        #expect(search.limit == 64)
        search.ramp()
        #expect(search.limit == 16)
    }

    @Test func `The levels go up and down by the same steps`() {
        var levels = [1]
        while let last = levels.last, last < 100 { levels.append(ThroughputSearch.above(last)) }
        #expect(levels == [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128])
        for (lower, higher) in zip(levels, levels.dropFirst()) { #expect(ThroughputSearch.below(higher) == lower) }
        for level in 1...200 {
            #expect(ThroughputSearch.above(level) > level)
            #expect(ThroughputSearch.below(level) < max(level, 2))
        }
    }
}
