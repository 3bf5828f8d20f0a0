import Testing

@testable import ContentFeeding

struct ThrottleSimulationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let server: SimulatedServer
        let best: Double
        let seconds: Int
    }
    static let cases: [Case] = [
        Case(testDescription: "slow", server: .workers(1, queue: 0, each: .milliseconds(1300)), best: 1/1.3, seconds: 600),
        Case(testDescription: "tiny queue", server: .workers(4, queue: 2, each: .milliseconds(20)), best: 200, seconds: 60),
        Case(testDescription: "small queue", server: .workers(8, queue: 50, each: .milliseconds(20)), best: 400, seconds: 20),
        Case(testDescription: "normal", server: .workers(32, each: .milliseconds(10)), best: 3200, seconds: 20),
        Case(testDescription: "wide", server: .workers(256, each: .milliseconds(20)), best: 12800, seconds: 20),
    ]
    @Test(arguments: cases) func five(testCase: Case) {
        for seed in 1...3 {
        var s = ServerSimulation(testCase.server, batchCount: 10, seed: UInt64(seed))
        s.run(for: .seconds(testCase.seconds))
        let share = Double(s.completed) / (testCase.best * Double(testCase.seconds))
        print(testCase.testDescription, share, s.requestsPerBatch, s.refusals, s.core.inFlightLimit, s.timeAtLimit.mapValues { $0 / .seconds(1) }.sorted { $0.key < $1.key })
        }
    }
    static let flat: [(String, [Double], Double)] = [
       ("flat from 2", [60, 100, 100, 100, 100,100,99,98], 100),
       ("flat from 2 slow", [15, 25, 25, 25, 25,25,25,25], 25),
       ("flat from 1", [100, 100, 100, 100, 100,100,99,98], 100),
       ("flat from 4", [50, 80, 95, 100, 100,100,99,98], 100),
       ("rising to 8", [30, 50, 65, 78, 85, 92, 97, 100], 100),
       ("falling from 2", [70, 100, 95, 90, 85, 80, 75, 70], 100),
    ]
    @Test(arguments: flat.indices) func curves(i: Int) {
        let (name, curve, best) = Self.flat[i]
        for jitter in [0.1, 0.5] {
        for seed in 1...3 {
        var server = SimulatedServer.shared { curve[min($0, 8) - 1] }
        server.jitter = jitter
        var s = ServerSimulation(server, ceiling: 16, batchCount: 1000, seed: UInt64(seed))
        s.run(for: .seconds(12))
        var f = ServerSimulation(server, .fixed(curve.firstIndex(of: best)! + 1), ceiling: 16, batchCount: 1000, seed: UInt64(seed))
        f.run(for: .seconds(12))
        print(name, jitter, Double(s.completed) / Double(f.completed), s.core.inFlightLimit, s.timeAtLimit.mapValues { $0 / .seconds(1) }.sorted { $0.key < $1.key })
        }}
    }
}
