import Testing

@testable import ContentFeeding

/// The search for the number of batches in flight, against servers in simulated time.
///
/// Measured from a cold start, as a share of what the server can do, and requests for each batch taken, those included
/// that are in flight at the end:
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
/// Against the best fixed number, with batches of about 10 ms:
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
        /// Batches in a second.
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
    func `It finds what a server can do and refuses to be refused`(server: Server, seed: UInt64) {
        var simulation = ServerSimulation(server.server, batchCount: 1, seed: seed)
        simulation.run(for: .seconds(server.seconds))
        let share = Double(simulation.completed) / (server.best * Double(server.seconds))
        #expect(share >= server.share, "\(share)")
        #expect(simulation.requestsPerBatch <= 1.1, "\(simulation.requestsPerBatch)")
    }

    struct Curve: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Batches in a second with 1, 2, … in flight.
        let rates: [Double]
        /// The numbers that it may hold at the end.
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
    func `On a curve it holds the lowest number near the best`(curve: Curve, seed: UInt64) {
        let server = SimulatedServer.shared { curve.rates[min($0, curve.rates.count) - 1] }
        var simulation = ServerSimulation(server, ceiling: 16, batchCount: 1, seed: seed)
        simulation.run(for: .seconds(12))
        let share = Double(simulation.completed) / (100 * 12)
        #expect(share >= 0.9, "\(share)")
        let held = simulation.timeAtLimit.max { $0.value < $1.value }?.key ?? 0
        #expect(curve.levels.contains(held), "\(held)")
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `Times that vary by half cost little`(seed: UInt64) {
        var server = SimulatedServer.shared { $0 == 1 ? 60 : 100 }
        server.jitter = 0.5
        var simulation = ServerSimulation(server, ceiling: 16, batchCount: 1, seed: seed)
        simulation.run(for: .seconds(12))
        #expect(simulation.completed >= 1080)
    }

    @Test func `A fixed number is kept against every refusal`() {
        let server = SimulatedServer.workers(1, queue: 0, each: .milliseconds(20))
        var simulation = ServerSimulation(server, .fixed(3), batchCount: 1)
        simulation.run(for: .seconds(5))
        #expect(simulation.timeAtLimit.keys.sorted() == [3])
        #expect(simulation.refusals > 0)
    }
}
