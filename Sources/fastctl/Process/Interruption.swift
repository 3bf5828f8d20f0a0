import ContentFeeding
import FeedReports
import Glibc
import ReportKit
import Spelling
import Synchronization
import Threads

/// The handling of Ctrl-C and similar signals: the first asks for a clean end, the second exits at once.
///
/// Each stream belongs to one phase of a command, and ends that phase when the signal comes or has already come.
final class Interruption: Sendable {
    private let whilePreparing: AsyncStream<StopReason>
    let whileFeeding: AsyncStream<StopReason>
    private let posts: [AsyncStream<StopReason>.Continuation]
    private let operationsInFlight = Atomic(0)
    private let eventCount = Atomic(0)
    private let isPreparing = Atomic(false)
    private let isInAfterCare = Atomic(false)
    private let stopped = Mutex<StopReason?>(nil)
    private let waiting: String?
    private let resumption: Mutex<String>

    /// Starts a thread that waits for the signals; `resumption` is the line printed when a second signal ends the
    /// process, or the clean end takes too long.
    ///
    /// `waiting` says what the first signal waits for, if that is not operations in flight; `replyLimit` is the time
    /// in which something in flight is answered or fails.
    init(resumption: String, waiting: String? = nil, replyLimit: Duration = .zero) {
        self.waiting = waiting
        self.resumption = Mutex(resumption)
        let (preparing, feeding) = (AsyncStream<StopReason>.makeStream(), AsyncStream<StopReason>.makeStream())
        (whilePreparing, whileFeeding) = (preparing.stream, feeding.stream)
        posts = [preparing.continuation, feeding.continuation]
        guard let signals = SignalQueue(catching: [SIGINT, SIGTERM, SIGHUP]) else { return }
        startThread { [self] in
            guard let first = signals.next() else { return }
            stop(StopReason(signal: first))
            var watch = DrainWatch(replyLimit: replyLimit, at: .now)
            while true {
                if let second = signals.next(within: DrainWatch.interval) { leave(second, "stopped at once") }
                let isOver = watch.isOver(
                    inFlight: operationsInFlight.load(ordering: .relaxed),
                    events: eventCount.load(ordering: .relaxed),
                    isPreparing: isPreparing.load(ordering: .relaxed),
                    at: .now
                )
                if isOver {
                    leave(first, "stopped, because the clean end took too long")
                }
            }
        }
    }

    private func leave(_ signal: Int32, _ manner: String) -> Never {
        if isPreparing.load(ordering: .relaxed) {
            let failure = CommandFailure.interrupted(StopReason(signal: signal))
            StandardError.sayInPassing(failure.message)
            if let advice = failure.advice { StandardError.sayInPassing(advice) }
        } else if isInAfterCare.load(ordering: .relaxed) {
            StandardError.sayInPassing("\(manner); all operations are done, but their results were not reported")
        } else {
            StandardError.sayInPassing("\(manner); what was in flight may still take effect")
            StandardError.sayInPassing(resumption.withLock { $0 })
        }
        _exit(ExitStatus(StopReason(signal: signal)).rawValue)
    }

    /// Makes the first signal print a message and end the process, for work that can be interrupted anywhere.
    static func leaveAtOnce(saying message: String) {
        guard let signals = SignalQueue(catching: [SIGINT, SIGTERM, SIGHUP]) else { return }
        startThread {
            guard let signal = signals.next() else { return }
            StandardError.sayInPassing(message)
            _exit(ExitStatus(StopReason(signal: signal)).rawValue)
        }
    }

    /// Makes the first signal call `body`, for work that ends by itself soon after, and the second end the process.
    static func ask(_ body: @escaping @Sendable () -> Void) {
        guard let signals = SignalQueue(catching: [SIGINT, SIGTERM, SIGHUP]) else { return }
        startThread {
            guard signals.next() != nil else { return }
            body()
            guard let second = signals.next() else { return }
            StandardError.sayInPassing("interrupted")
            _exit(ExitStatus(StopReason(signal: second)).rawValue)
        }
    }

    /// Records the count that the first signal reports to the user.
    func note(inFlight count: Int) {
        operationsInFlight.store(count, ordering: .relaxed)
        eventCount.wrappingAdd(1, ordering: .relaxed)
    }

    /// Replaces the line that a second signal prints.
    func note(resumption line: String) { resumption.withLock { $0 = line } }

    /// Notes that all operations are done: what follows may be interrupted without harm.
    func enterAfterCare() { isInAfterCare.store(true, ordering: .relaxed) }

    /// The reason the user or the system wants to stop; `nil` if neither does.
    var reason: StopReason? { stopped.withLock { $0 } }

    private func stop(_ reason: StopReason) {
        stopped.withLock { $0 = reason }
        let count = operationsInFlight.load(ordering: .relaxed)
        let state =
            if let waiting { waiting } else if count == 0 { "nothing is in flight" } else {
                "waiting for \(Quantity(count, "operation", "operations")) in flight"
            }
        StandardError.sayInPassing("stopping, \(state); press Ctrl-C again to stop at once")
        for post in posts { post.yield(reason) }
    }

    /// Runs what precedes any sending; a signal cancels it, and does not wait for what can't be cancelled.
    func preparing<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        isPreparing.store(true, ordering: .relaxed)
        defer { isPreparing.store(false, ordering: .relaxed) }
        return try await cancelling(body, as: CommandFailure.interrupted)
    }

    /// Runs engine work that can't be undone; a signal asks it to stop, and now and then a line says that it goes on.
    static func stopping<Value: Sendable>(
        _ work: String,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let again = "run it again: \(CommandLineWords.ofProcess)"
        let interruption = Interruption(resumption: again, waiting: "waiting for the engine")
        let words = Task { try await sayThatItWaits() }
        defer { words.cancel() }
        return try await interruption.cancelling(body) { reason in
            CommandFailure(
                ExitStatus(reason),
                "interrupted; \(work), and what the engine has done stays done",
                advice: again
            )
        }
    }

    /// Says after five seconds, and then every thirty, that the engine is still at work, until it is cancelled.
    static func sayThatItWaits() async throws {
        let start = ContinuousClock.now
        for seconds in sequence(first: 5, next: { $0 + 30 }) {
            try await Task.sleep(until: start + .seconds(seconds), clock: .continuous)
            StandardError.say("waiting for the engine, for \(ShortDuration(.seconds(seconds))) now; Ctrl-C stops")
        }
    }

    private func cancelling<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value,
        as failure: @escaping @Sendable (StopReason) -> CommandFailure
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { [whilePreparing] group in
            group.addTask { try await body() }
            group.addTask {
                for await reason in whilePreparing { throw failure(reason) }
                return nil
            }
            defer { group.cancelAll() }
            while let value = try await group.next() {
                if let value { return value }
            }
            throw CancellationError()
        }
    }
}

extension StopReason {
    fileprivate init(signal: Int32) { self = signal == SIGINT ? .interrupted : .terminated }
}

/// The limit of a clean end: each of its waits has a limit of its own, but something may hold up all of them, such as a
/// reader of our output who reads no more.
struct DrainWatch {
    /// How often to look.
    static let interval = Duration.seconds(1)
    /// The time for all that follows the last operation in flight.
    static let idleLimit = Duration.seconds(10)
    /// The time for a command that has sent nothing yet: nothing needs to be waited for.
    static let preparationLimit = Duration.seconds(1)

    private let replyLimit: Duration
    private var lastCount = 0
    private var lastChange: ContinuousClock.Instant

    init(replyLimit: Duration, at now: ContinuousClock.Instant) {
        self.replyLimit = replyLimit
        lastChange = now
    }

    /// Returns whether nothing has happened for too long; `events` counts what has happened so far.
    mutating func isOver(
        inFlight: Int,
        events: Int,
        isPreparing: Bool = false,
        at now: ContinuousClock.Instant
    ) -> Bool {
        if events != lastCount { (lastCount, lastChange) = (events, now) }
        if isPreparing { return now - lastChange >= Self.preparationLimit }
        return now - lastChange >= Self.idleLimit + (inFlight > 0 ? replyLimit : .zero)
    }
}
