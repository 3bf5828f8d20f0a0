import Glibc
import ReportKit
import Synchronization
package import TextKit
import Threads

/// The handling of Ctrl-C and similar signals: the first asks for a clean end, the second exits at once.
///
/// Each stream belongs to one phase of a command, and ends that phase when the signal comes or has already come.
package final class Interruption: Sendable {
    /// The first signal, and those to call when it comes.
    private struct State {
        var signal: StopSignal?
        var listeners: [@Sendable (StopSignal) -> Void] = []
    }

    private let operationsInFlight = Atomic(0)
    private let eventCount = Atomic(0)
    private let isPreparing = Atomic(false)
    private let isInAfterCare = Atomic(false)
    private let state = Mutex(State())
    private let waiting: String?
    private let resumption: Mutex<String>

    /// Starts a thread that waits for the signals; `resumption` is the line printed when a second signal ends the
    /// process, or the clean end takes too long.
    ///
    /// `waiting` says what the first signal waits for, if that is not operations in flight; `replyLimit` is the time
    /// in which something in flight is answered or fails.
    package init(resumption: String, waiting: String? = nil, replyLimit: Duration = .zero) {
        self.waiting = waiting
        self.resumption = Mutex(resumption)
        guard let signals = SignalQueue(catching: [SIGINT, SIGTERM, SIGHUP]) else { return }
        startThread { [self] in
            guard let first = signals.next() else { return }
            stop(StopSignal(first))
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
            let failure = Failure.interrupted(StopSignal(signal))
            StandardError.sayInPassing(failure.message)
            if let advice = failure.advice { StandardError.sayInPassing(advice) }
        } else if isInAfterCare.load(ordering: .relaxed) {
            StandardError.sayInPassing("\(manner); all operations are done, but their results were not reported")
        } else {
            StandardError.sayInPassing("\(manner); what was in flight may still take effect")
            StandardError.sayInPassing(resumption.withLock { $0 })
        }
        _exit(StopSignal(signal).status.rawValue)
    }

    /// Makes the first signal print a message and end the process, for work that can be interrupted anywhere.
    package static func leaveAtOnce(saying message: String) {
        guard let signals = SignalQueue(catching: [SIGINT, SIGTERM, SIGHUP]) else { return }
        startThread {
            guard let signal = signals.next() else { return }
            StandardError.sayInPassing(message)
            _exit(StopSignal(signal).status.rawValue)
        }
    }

    /// Makes the first signal call `body`, for work that ends by itself soon after, and the second end the process.
    package static func ask(_ body: @escaping @Sendable () -> Void) {
        guard let signals = SignalQueue(catching: [SIGINT, SIGTERM, SIGHUP]) else { return }
        startThread {
            guard signals.next() != nil else { return }
            body()
            guard let second = signals.next() else { return }
            StandardError.sayInPassing("interrupted")
            _exit(StopSignal(second).status.rawValue)
        }
    }

    /// Records the count that the first signal reports to the user.
    package func note(inFlight count: Int) {
        operationsInFlight.store(count, ordering: .relaxed)
        eventCount.wrappingAdd(1, ordering: .relaxed)
    }

    /// Replaces the line that a second signal prints.
    package func note(resumption line: String) { resumption.withLock { $0 = line } }

    /// Notes that all operations are done: what follows may be interrupted without harm.
    package func enterAfterCare() { isInAfterCare.store(true, ordering: .relaxed) }

    /// The signal that asks for an end; `nil` if none has come.
    package var signal: StopSignal? { state.withLock { $0.signal } }

    /// Returns a stream of the first signal, which comes or has already come: each phase of a command has its own.
    package func stream<Reason: Sendable>(of reason: @escaping @Sendable (StopSignal) -> Reason) -> AsyncStream<Reason>
    {
        let (stream, continuation) = AsyncStream<Reason>.makeStream()
        let earlier = state.withLock { state in
            if state.signal == nil { state.listeners.append { continuation.yield(reason($0)) } }
            return state.signal
        }
        if let earlier { continuation.yield(reason(earlier)) }
        return stream
    }

    private func stop(_ signal: StopSignal) {
        let count = operationsInFlight.load(ordering: .relaxed)
        let stage =
            if let waiting { waiting } else if count == 0 { "nothing is in flight" } else {
                "waiting for \(Quantity(count, "operation", "operations")) in flight"
            }
        let listeners = state.withLock { state in
            state.signal = signal
            return state.listeners
        }
        StandardError.sayInPassing("stopping, \(stage); press Ctrl-C again to stop at once")
        for listener in listeners { listener(signal) }
    }

    /// Runs what precedes any sending; a signal cancels it, and does not wait for what can't be cancelled.
    package func preparing<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value
    {
        isPreparing.store(true, ordering: .relaxed)
        defer { isPreparing.store(false, ordering: .relaxed) }
        return try await cancelling(body, as: Failure.interrupted)
    }

    /// Runs engine work that can't be undone; a signal asks it to stop, and now and then a line says that it goes on.
    package static func stopping<Value: Sendable>(
        _ work: String,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let again = "run it again: \(CommandLineWords.ofProcess)"
        let interruption = Interruption(resumption: again, waiting: "waiting for the engine")
        let words = Task { try await sayThatItWaits() }
        defer { words.cancel() }
        return try await interruption.cancelling(body) { signal in
            Failure(
                signal.status,
                "interrupted; \(work), and what the engine has done stays done",
                advice: again
            )
        }
    }

    /// Says after five seconds, and then every thirty, that the engine is still at work, until it is cancelled.
    package static func sayThatItWaits() async throws {
        let start = ContinuousClock.now
        for seconds in sequence(first: 5, next: { $0 + 30 }) {
            try await Task.sleep(until: start + .seconds(seconds), clock: .continuous)
            StandardError.say("waiting for the engine, for \(ShortDuration(.seconds(seconds))) now; Ctrl-C stops")
        }
    }

    private func cancelling<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value,
        as failure: @escaping @Sendable (StopSignal) -> Failure
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { [signals = stream { $0 }] group in
            group.addTask { try await body() }
            group.addTask {
                for await signal in signals { throw failure(signal) }
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

/// A signal that asks for an end.
package enum StopSignal: Hashable, Sendable {
    /// Ctrl-C.
    case interrupted
    /// SIGTERM or SIGHUP.
    case terminated

    fileprivate init(_ signal: Int32) { self = signal == SIGINT ? .interrupted : .terminated }

    package var status: ExitStatus { self == .interrupted ? .interrupted : .terminated }
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
