@testable import ContentFeeding

/// A server of which only the speed is known: how many requests it works on, how many it lets wait, how long each takes.
struct SimulatedServer: Sendable {
    /// How long a request takes when so many are being worked on.
    var serviceTime: @Sendable (_ working: Int) -> Duration
    /// Requests that are worked on at the same time.
    var capacity: Int
    /// Requests that wait beyond that; the next one is refused.
    var queue = Int.max
    /// How much the time varies, as a share of it.
    var jitter = 0.1
    /// How long a refusal takes to arrive.
    var refusalTime = Duration.milliseconds(1)

    static func workers(_ capacity: Int, queue: Int = .max, each time: Duration) -> SimulatedServer {
        SimulatedServer(serviceTime: { _ in time }, capacity: capacity, queue: queue)
    }

    /// A server that shares its processors: `throughput` is requests in a second with so many in work.
    static func shared(_ throughput: @escaping @Sendable (Int) -> Double) -> SimulatedServer {
        SimulatedServer(
            serviceTime: { .seconds(Double($0) / throughput($0)) },
            capacity: .max
        )
    }
}
