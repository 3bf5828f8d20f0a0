import Testing

@testable import ContentFeeding

/// The search for the best batch size, with servers in simulated time.
struct BatchSizeSearchTests {
    /// Batches of the first size have 1,000 operations.
    private func simulation(_ server: SimulatedServer, seed: UInt64 = 1, _ seconds: Int = 8) -> ServerSimulation {
        var simulation = ServerSimulation(server, ceiling: 64, batchCount: nil, seed: seed)
        simulation.run(for: .seconds(seconds))
        return simulation
    }

    private func fixed(
        _ server: SimulatedServer,
        _ count: Int,
        seed: UInt64 = 1,
        _ seconds: Int = 8
    ) -> ServerSimulation {
        var simulation = ServerSimulation(server, ceiling: 64, batchCount: count, seed: seed)
        simulation.run(for: .seconds(seconds))
        return simulation
    }

    @Test(arguments: 1...2 as ClosedRange<UInt64>)
    func `If requests are expensive, batches grow to eight times their size`(seed: UInt64) {
        let server = SimulatedServer.bulk(request: .milliseconds(3), operation: .microseconds(6))
        let found = simulation(server, seed: seed)
        #expect(found.core.maximumCount == 8000)
        // 3 + 6 ms for 1,000 operations, 3 + 48 ms for 8,000: at best 1.4 times as many in the same time.
        let gain = Double(found.completedOperations) / Double(fixed(server, 1000, seed: seed).completedOperations)
        #expect(gain > 1.2, "\(gain)")
    }

    @Test func `If the size makes no difference, fewer and larger requests are sent`() {
        let server = SimulatedServer.bulk(request: .zero, operation: .microseconds(8))
        let (found, small) = (simulation(server), fixed(server, 1000))
        #expect(found.core.maximumCount == 8000)
        #expect(found.completedOperations * 100 >= small.completedOperations * 95)
        #expect(found.requests * 3 <= small.requests)
    }

    @Test(arguments: 1...2 as ClosedRange<UInt64>)
    func `If larger batches are slower, batches stay small`(seed: UInt64) {
        let server = SimulatedServer.bulk(request: .zero, operation: .microseconds(8)) {
            Double($0) * max(1, Double($0) / 2000)
        }
        let found = simulation(server, seed: seed)
        #expect(found.core.maximumCount <= 2000)
        let share = Double(found.completedOperations) / Double(fixed(server, 1000, seed: seed).completedOperations)
        #expect(share > 0.9, "\(share)")
    }

    @Test func `A server that needs seconds for a batch does not get larger batches`() {
        let server = SimulatedServer.bulk(request: .zero, operation: .microseconds(650))
        #expect(simulation(server, 60).core.maximumCount == 1000)
    }

    @Test(arguments: 1...2 as ClosedRange<UInt64>)
    func `A server that refuses larger batches gets no more load than with small batches`(seed: UInt64) {
        var server = SimulatedServer.bulk(request: .milliseconds(3), operation: .microseconds(6), queue: 0)
        server.operationLimit = 6000
        let (found, small) = (simulation(server, seed: seed, 8), fixed(server, 1000, seed: seed, 8))
        #expect(found.core.maximumCount == 1000)
        #expect(found.refusals <= small.refusals + 20, "\(found.refusals), \(small.refusals)")
        #expect(found.requestsPerBatch <= 1.1)
    }

    @Test func `A batch that is too large ends the search, and restores the initial size`() {
        var size = BatchSizeSearch(count: 1000, window: 64_000)
        for rate in [100, 110] { size.measured(.of(rate), inFlight: 4) }
        #expect(size.factor == 4)
        size.refused()
        size.measured(.of(100), inFlight: 4)
        #expect(size.factor == 1)
    }

    @Test(arguments: [(1, 8), (4, 8), (5, 4), (8, 4), (16, 2), (32, 1), (64, 1)])
    func `The batches in flight fill at most half of the window`(inFlight: Int, factor: Int) {
        var size = BatchSizeSearch(count: 1000, window: 64_000)
        for _ in 0..<10 { size.measured(.of(100), inFlight: inFlight) }
        #expect(size.factor == factor)
    }

    @Test func `A step that lowers the throughput is reversed, and small losses don't add up`() {
        var size = BatchSizeSearch(count: 1000, window: 64_000)
        for rate in [100, 97, 94] { size.measured(.of(rate), inFlight: 4) }
        #expect(size.factor == 2)
        #expect(size.isOver)
    }

    @Test(arguments: [[16, 8], [8, 16], [20, 10, 15]])
    func `An engine whose speed alternates between half and double keeps larger batches`(rates: [Int]) {
        var size = BatchSizeSearch(count: 1000, window: 64_000)
        for turn in 0..<60 { size.measured(.of(rates[turn % rates.count], milliseconds: 150), inFlight: 4) }
        #expect(size.factor == 8)
    }

    @Test func `A size at which the engine almost stalls is abandoned immediately`() {
        var size = BatchSizeSearch(count: 1000, window: 64_000)
        for rate in [100, 100, 30] { size.measured(.of(rate, milliseconds: 400), inFlight: 4) }
        #expect(size.factor == 1)
        #expect(size.isOver)
    }

    @Test func `A batch size that is set explicitly is kept`() {
        let server = SimulatedServer.bulk(request: .milliseconds(3), operation: .microseconds(6))
        #expect(fixed(server, 500).core.maximumCount == 500)
    }
}

extension ThroughputWindow.Measurement {
    /// Returns a measurement of `rate` operations a millisecond.
    fileprivate static func of(_ rate: Int, milliseconds: Int = 1000) -> Self {
        Self(operations: rate * milliseconds, time: .milliseconds(milliseconds), roundTrip: .milliseconds(5))
    }
}
