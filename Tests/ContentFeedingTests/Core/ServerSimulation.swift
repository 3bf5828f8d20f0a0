@testable import ContentFeeding

/// Drives a ``FeederCore`` against a ``SimulatedServer`` in simulated time, with input that never ends.
struct ServerSimulation {
    private(set) var core: FeederCore
    private let server: SimulatedServer
    private var random: SplitMix64
    private var agenda: [Appointment] = []
    private(set) var now = FeedInstant.start
    private var waiting: [ContentBatch] = []
    private var working = 0
    private var operationsInWork = 0
    private var nextWake: FeedInstant?
    private var order = 0
    private var read = 0
    private(set) var requests = 0
    private(set) var refusals = 0
    private(set) var completed = 0
    private(set) var completedOperations = 0
    /// The number of batches accepted in each second.
    private(set) var perSecond: [Int] = []
    /// The time during which each number of batches was allowed.
    private(set) var timeAtLimit: [Int: Duration] = [:]

    private struct Appointment {
        let at: FeedInstant
        let order: Int
        let batch: ContentBatch
        let isRefused: Bool

        var rank: (Duration, Int) { (at.sinceStart, order) }
    }

    init(
        _ server: SimulatedServer,
        _ setting: BatchesInFlight = .adaptive,
        ceiling: Int = 1024,
        batchCount: Int? = 10,
        seed: UInt64 = 1
    ) {
        self.server = server
        random = SplitMix64(seed: seed)
        var configuration = FeedConfiguration()
        configuration.batchCount = batchCount
        configuration.batchesInFlight = setting
        var capabilities = EngineCapabilities()
        capabilities.maximumBatchesInFlight = ceiling
        capabilities.hasFence = true
        core = FeederCore(
            configuration: configuration,
            capabilities: capabilities,
            job: JobID(rawValue: "TEST"),
            seed: seed
        )
    }

    /// The number of requests for each accepted batch.
    var requestsPerBatch: Double { Double(requests) / Double(max(completed, 1)) }

    mutating func run(for time: Duration) {
        deliver(.timer)
        let end = now + time
        while now < end {
            let next = agenda.last
            if let wake = nextWake, next.map({ wake < $0.at }) ?? true {
                advance(to: wake)
                nextWake = nil
                deliver(.timer)
            } else if let next {
                agenda.removeLast()
                advance(to: next.at)
                happen(next)
            } else {
                return
            }
        }
    }

    private mutating func advance(to instant: FeedInstant) {
        timeAtLimit[core.inFlightLimit, default: .zero] += max(.zero, instant - now)
        now = max(now, instant)
    }

    private mutating func happen(_ appointment: Appointment) {
        let batch = appointment.batch
        guard !appointment.isRefused else {
            refusals += 1
            return deliver(.reply(batch.id, .failed(BatchFailure(.slowDown(.zero), .test))))
        }
        working -= 1
        operationsInWork -= batch.items.count
        completed += 1
        completedOperations += batch.items.count
        let second = Int(now.sinceStart / .seconds(1))
        while perSecond.count <= second { perSecond.append(0) }
        perSecond[second] += 1
        if !waiting.isEmpty { work(on: waiting.removeFirst()) }
        deliver(.reply(batch.id, .results(batch.items.map { _ in .done(.removed) })))
    }

    private mutating func deliver(_ event: FeederCore.Event) {
        for command in core.handle(event, at: now) {
            switch command {
            case .read: deliver(.input(chunk()))
            case .send(let batch): take(batch)
            case .wake(let instant): nextWake = instant
            default: break
            }
        }
    }

    private mutating func chunk() -> OperationChunk {
        defer { read += 1000 }
        return OperationChunk(operations: (read..<read + 1000).map { .remove(DocumentID(stringLiteral: "\($0)")) })
    }

    private mutating func take(_ batch: ContentBatch) {
        requests += 1
        if working < server.capacity, operationsInWork + batch.items.count <= server.operationLimit {
            work(on: batch)
        } else if waiting.count < server.queue {
            waiting.append(batch)
        } else {
            schedule(batch, after: server.refusalTime, isRefused: true)
        }
    }

    private mutating func work(on batch: ContentBatch) {
        working += 1
        operationsInWork += batch.items.count
        let factor = 1 + server.jitter * Double.random(in: -1...1, using: &random)
        schedule(batch, after: server.serviceTime(working, batch.items.count) * factor, isRefused: false)
    }

    private mutating func schedule(_ batch: ContentBatch, after time: Duration, isRefused: Bool) {
        order += 1
        let appointment = Appointment(at: now + time, order: order, batch: batch, isRefused: isRefused)
        // The latest event comes first; most added events are later than nearly all others.
        let index = agenda.firstIndex { $0.rank < appointment.rank } ?? agenda.endIndex
        agenda.insert(appointment, at: index)
    }
}

/// A simulated server with given limits and speed: the number of requests processed simultaneously, the number queued,
/// and the time for each.
struct SimulatedServer: Sendable {
    /// The time for a request with this many operations while this many requests are being processed.
    var serviceTime: @Sendable (_ working: Int, _ operations: Int) -> Duration
    /// The number of requests that are processed at the same time.
    var capacity: Int
    /// The number of operations that are processed at the same time.
    var operationLimit = Int.max
    /// The number of additional requests that may wait; the next one is refused.
    var queue = Int.max
    /// The variation of the time, as a fraction.
    var jitter = 0.1
    /// The time until a refusal arrives.
    var refusalTime = Duration.milliseconds(1)

    static func workers(_ capacity: Int, queue: Int = .max, each time: Duration) -> SimulatedServer {
        SimulatedServer(serviceTime: { _, _ in time }, capacity: capacity, queue: queue)
    }

    /// Returns a server that shares its processors: `throughput` is the number of requests per second with this many in
    /// progress.
    static func shared(_ throughput: @escaping @Sendable (Int) -> Double) -> SimulatedServer {
        SimulatedServer(
            serviceTime: { working, _ in .seconds(Double(working) / throughput(working)) },
            capacity: .max
        )
    }

    /// Returns a server with a cost for each request and for each operation, on two processors.
    static func bulk(
        request: Duration,
        operation: Duration,
        queue: Int = .max,
        _ growth: @escaping @Sendable (_ operations: Int) -> Double = { Double($0) }
    ) -> SimulatedServer {
        SimulatedServer(
            serviceTime: { (request + operation * growth($1)) * max(1, Double($0) / 2) },
            capacity: .max,
            queue: queue
        )
    }
}
