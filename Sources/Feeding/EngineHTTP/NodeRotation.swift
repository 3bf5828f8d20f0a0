/// Whose turn it is among the nodes, and who rests after a failure.
struct NodeRotation {
    typealias Instant = ContinuousClock.Instant

    /// How long a node rests after its first failure; twice as long after each further one in a row.
    static let firstRest = Duration.seconds(1)
    static let longestRest = Duration.seconds(30)

    private struct Rest {
        var failures = 0
        var end: Instant?
    }

    private var rests: [Rest]
    private var next = 0

    init(count: Int) { rests = Array(repeating: Rest(), count: count) }

    /// Whom to ask, in this order: those in health, each beginning once; when all rest, who has rested longest.
    mutating func order(at now: Instant) -> [Int] {
        let inTurn = rests.indices.map { ($0 + next) % rests.count }
        next = (next + 1) % max(1, rests.count)
        let healthy = inTurn.filter { (rests[$0].end ?? now) <= now }
        guard healthy.isEmpty else { return healthy }
        return inTurn.sorted { (rests[$0].end ?? now) < (rests[$1].end ?? now) }
    }

    mutating func succeeded(_ node: Int) { rests[node] = Rest() }

    /// Several requests that fail together are one failure.
    mutating func failed(_ node: Int, at now: Instant) {
        if let end = rests[node].end, end > now { return }
        let doublings = min(rests[node].failures, 5)
        rests[node].failures += 1
        rests[node].end = now + min(Self.firstRest * (1 << doublings), Self.longestRest)
    }
}
