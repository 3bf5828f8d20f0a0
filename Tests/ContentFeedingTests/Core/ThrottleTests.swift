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
    func `The limit begins at four or the user's number, and never exceeds the engine's limit`(
        setting: BatchesInFlight,
        ceiling: Int,
        limit: Int
    ) {
        #expect(Throttle(setting, ceiling: ceiling).limit == limit)
    }

    @Test(arguments: [BatchesInFlight.fixed(4), .adaptive])
    func `A concurrency limit that is fixed, or too small to search, never changes`(setting: BatchesInFlight) {
        var throttle = Throttle(setting, ceiling: setting == .adaptive ? 2 : 64)
        let limit = throttle.limit
        for second in 0..<100 { throttle.completed(1000, at: FeedInstant(sinceStart: .seconds(second))) }
        refuse(&throttle, 1, newest: 4)
        throttle.ramp()
        #expect(throttle.limit == limit)
    }

    @Test func `The limit is lowered once per round trip, to less than the refused number`() {
        var throttle = Throttle(.adaptive, ceiling: 64)
        refuse(&throttle, 2, newest: 4)
        #expect(throttle.limit == 3)
        refuse(&throttle, 3, newest: 4)
        #expect(throttle.limit == 2)
        refuse(&throttle, 4, newest: 4)
        #expect(throttle.limit == 1)
    }

    @Test func `Postponed parts lower the limit once per round trip, and cause no pause`() {
        var throttle = Throttle(.adaptive, ceiling: 64)
        for batch in 1...4 as ClosedRange<UInt64> { refuse(&throttle, batch, newest: 4, pause: nil) }
        #expect(throttle.limit == 3)
        #expect(throttle.pausedUntil == nil)
        refuse(&throttle, 5, newest: 7, pause: nil)
        #expect(throttle.limit == 2)
    }

    @Test func `The concurrency limit never falls below one`() {
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
    func `The pause is as long as the server requests, but at least a random time and at most five minutes`(
        asked: Duration,
        least: Duration,
        most: Duration
    ) throws {
        var throttle = Throttle(.adaptive, ceiling: 64)
        refuse(&throttle, 1, newest: 4, pause: asked)
        let pause = try #require(throttle.pausedUntil).sinceStart
        #expect(pause >= least && pause <= most)
    }

    @Test func `The pause grows with each refused round`() throws {
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

    @Test func `After an outage, the limit restarts at a quarter`() {
        var search = ThroughputSearch(ceiling: 64)
        for rate in [100.0, 200, 400, 800] { search.measured(rate) { _ in true } }
        #expect(search.limit == 64)
        search.ramp()
        #expect(search.limit == 16)
    }

    @Test func `The concurrency levels rise and fall by the same steps`() {
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

/// The search for the best number of batches in flight, with servers in simulated time.
///
/// Measured from a cold start, as a share of the server's maximum, and requests for each accepted batch, including
/// those in flight at the end:
///
/// | server | time | share | requests |
/// |---|---|---|---|
/// | slow: 1 at a time, none waits, 1.3 s | 600 s | 1.00 | 1.015 |
/// | tiny queue: 4 at a time, 2 wait, 20 ms | 20 s | 0.99 | 1.002 |
/// | small queue: 8 at a time, 50 wait, 20 ms | 10 s | 0.97 | 1.002 |
/// | normal: 32 at a time, 50 ms | 20 s | 0.96 | 1.003 |
/// | wide: 256 at a time, 200 ms | 30 s | 0.88 | 1.008 |
/// | wide: 256 at a time, 20 ms (not run each time) | 20 s | 0.94 | 1.001 |
///
/// Compared to the best fixed number, with batches of about 10 ms:
///
/// | curve | share after 12 s | in flight then |
/// |---|---|---|
/// | flat from 1 | 1.00 | 1 |
/// | flat from 2 | 0.96 | 2 |
/// | flat from 4, 95 % at 3 | 0.97–0.99 | 4 |
/// | rising to 8 | 0.99 | 8–12 |
/// | falling from 2 | 0.95 | 2 |
struct ThrottleSimulationTests {
    struct Server: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let server: SimulatedServer
        /// The number of batches per second.
        let best: Double
        let seconds: Int
        let share: Double
    }

    static let servers = [
        Server(
            testDescription: "slow",
            server: .workers(1, queue: 0, each: .milliseconds(1300)),
            best: 1 / 1.3,
            seconds: 600,
            share: 0.97
        ),
        Server(
            testDescription: "tiny queue",
            server: .workers(4, queue: 2, each: .milliseconds(20)),
            best: 200,
            seconds: 20,
            share: 0.9
        ),
        Server(
            testDescription: "small queue",
            server: .workers(8, queue: 50, each: .milliseconds(20)),
            best: 400,
            seconds: 10,
            share: 0.9
        ),
        Server(
            testDescription: "normal",
            server: .workers(32, each: .milliseconds(50)),
            best: 640,
            seconds: 20,
            share: 0.9
        ),
        Server(
            testDescription: "wide",
            server: .workers(256, each: .milliseconds(200)),
            best: 1280,
            seconds: 30,
            share: 0.8
        ),
    ]

    @Test(arguments: servers, 1...2 as ClosedRange<UInt64>)
    func `The search finds the server's capacity and avoids refusals`(server: Server, seed: UInt64) {
        var simulation = ServerSimulation(server.server, batchCount: 1, seed: seed)
        simulation.run(for: .seconds(server.seconds))
        let share = Double(simulation.completed) / (server.best * Double(server.seconds))
        #expect(share >= server.share, "\(share)")
        #expect(simulation.requestsPerBatch <= 1.1, "\(simulation.requestsPerBatch)")
    }

    struct Curve: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The numbers of batches per second with 1, 2, … in flight.
        let rates: [Double]
        /// The allowed numbers at the end.
        let levels: ClosedRange<Int>
    }

    static let curves = [
        Curve(testDescription: "flat from 1", rates: [100], levels: 1...2),
        Curve(testDescription: "flat from 2", rates: [60, 100], levels: 2...3),
        Curve(testDescription: "flat from 4", rates: [50, 80, 95, 100], levels: 3...6),
        Curve(testDescription: "rising to 8", rates: [30, 50, 65, 78, 85, 92, 97, 100], levels: 6...12),
        Curve(testDescription: "falling from 2", rates: [70, 100, 95, 90, 85, 80, 75, 70], levels: 2...2),
    ]

    @Test(arguments: curves, 1...3 as ClosedRange<UInt64>)
    func `If throughput varies smoothly, the search keeps the lowest number near the best`(curve: Curve, seed: UInt64) {
        let server = SimulatedServer.shared { curve.rates[min($0, curve.rates.count) - 1] }
        var simulation = ServerSimulation(server, ceiling: 16, batchCount: 1, seed: seed)
        simulation.run(for: .seconds(12))
        let share = Double(simulation.completed) / (100 * 12)
        #expect(share >= 0.9, "\(share)")
        let held = simulation.timeAtLimit.max { $0.value < $1.value }?.key ?? 0
        #expect(curve.levels.contains(held), "\(held)")
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `Response times that vary by half have little effect`(seed: UInt64) {
        var server = SimulatedServer.shared { $0 == 1 ? 60 : 100 }
        server.jitter = 0.5
        var simulation = ServerSimulation(server, ceiling: 16, batchCount: 1, seed: seed)
        simulation.run(for: .seconds(12))
        #expect(simulation.completed >= 1080)
    }

    @Test func `Refusals do not change a fixed number`() {
        let server = SimulatedServer.workers(1, queue: 0, each: .milliseconds(20))
        var simulation = ServerSimulation(server, .fixed(3), batchCount: 1)
        simulation.run(for: .seconds(5))
        #expect(simulation.timeAtLimit.keys.sorted() == [3])
        #expect(simulation.refusals > 0)
    }
}
