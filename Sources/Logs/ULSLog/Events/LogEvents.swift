import Synchronization
import Threads

extension LogReader {
    /// The wanted events as an asynchronous sequence, read on threads of their own.
    ///
    /// ```swift
    /// let events = LogReader(inputs: ["/logs"]).events()
    /// for try await event in events { print(event.text(.message)) }
    /// print(events.report?.quality.notUnderstood ?? 0)
    /// ```
    ///
    /// Reading waits for the loop, so memory stays bounded. It ends when the loop ends, or when its task is canceled;
    /// the loop then throws a `CancellationError`.
    public func events(in order: Order = .time) -> LogEvents { LogEvents(self, order) }
}

/// The events of logs, one after the other; each iteration reads the logs anew.
public struct LogEvents: AsyncSequence, Sendable {
    private let reader: LogReader
    private let order: LogReader.Order
    private let latest = LatestReport()

    /// How far reading is: the reader's own counter, if it has one.
    public let progress: ReadProgress

    /// What was read, once an iteration has come to its end; `nil` before.
    public var report: ReadReport? { latest.report.withLock { $0 } }

    init(_ reader: LogReader, _ order: LogReader.Order) {
        progress = reader.progress ?? ReadProgress()
        var reader = reader
        reader.progress = progress
        (self.reader, self.order) = (reader, order)
    }

    /// Reads logs event by event.
    public struct Iterator: AsyncIteratorProtocol {
        private let reading: LogReading
        private var ready: [ULSEvent] = []
        private var index = 0

        fileprivate init(_ reading: LogReading) { self.reading = reading }

        /// Returns the next event; throws what ``LogReader/forEachEvent(in:_:)`` throws, and `CancellationError`.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ULSEvent? {
            if index == ready.count {
                (ready, index) = (try await reading.take(isolation: actor), 0)
                guard !ready.isEmpty else { return nil }
            }
            defer { index += 1 }
            return ready[index]
        }
    }

    /// Prepares to read; reading begins when the first event is asked for.
    public func makeAsyncIterator() -> Iterator { Iterator(LogReading(reader, order, latest)) }
}

/// Where an iteration leaves its report.
private final class LatestReport: Sendable {
    let report = Mutex<ReadReport?>(nil)
}

/// One reading of logs by an iterator: it ends with its last user.
private final class LogReading: Sendable {
    private let relay = EventRelay()
    private let start: @Sendable (EventRelay) -> Void
    private let isStarted = Atomic(false)

    init(_ reader: LogReader, _ order: LogReader.Order, _ latest: LatestReport) {
        start = { relay in
            startThread {
                do {
                    let report = try reader.relay(order, to: relay)
                    latest.report.withLock { $0 = report }
                    relay.end(nil)
                } catch {
                    relay.end(error)
                }
            }
        }
    }

    deinit { relay.cancel() }

    /// Returns the next events; none at the end.
    func take(isolation: isolated (any Actor)?) async throws -> [ULSEvent] {
        if !isStarted.exchange(true, ordering: .relaxed) { start(relay) }
        try Task.checkCancellation()
        let relay = relay
        return try await withTaskCancellationHandler(
            operation: {
                await withCheckedContinuation(isolation: isolation) { relay.wait($0) }
                return try relay.take()
            },
            onCancel: { relay.cancel() },
            isolation: isolation
        )
    }
}

/// Events on their way from the thread that reads to the task that wants them.
private final class EventRelay: Sendable {
    private struct State {
        var events: [ULSEvent] = []
        var bytes = 0
        /// The task that waits for the next events; there is one reader.
        var waiting: CheckedContinuation<Void, Never>?
        var isEnded = false
        var failure: (any Error)?
        var isCancelled = false

        var isReady: Bool { !events.isEmpty || isEnded || isCancelled }

        /// Returns the waiting task if there is something for it, to be resumed once.
        mutating func takeWaiting() -> CheckedContinuation<Void, Never>? {
            guard isReady else { return nil }
            defer { waiting = nil }
            return waiting
        }
    }

    /// The most events, and bytes of their messages, that wait.
    private static let maximumCount = 1_024
    private static let maximumBytes = 4 << 20

    private let state = Monitor(State())

    /// Adds an event; waits while there are too many.
    func put(_ event: borrowing ULSEvent) throws {
        let waiting = try state.wait { state -> CheckedContinuation<Void, Never>?? in
            guard !state.isCancelled else { throw CancellationError() }
            guard state.events.count < Self.maximumCount, state.bytes < Self.maximumBytes else { return nil }
            state.events.append(copy event)
            state.bytes += event[.message].count
            return .some(state.takeWaiting())
        }
        waiting?.resume()
    }

    /// Throws if nobody wants events anymore.
    func check() throws {
        if state.change({ $0.isCancelled }) { throw CancellationError() }
    }

    func end(_ failure: (any Error)?) {
        let waiting = state.change { state in
            (state.isEnded, state.failure) = (true, failure)
            return state.takeWaiting()
        }
        waiting?.resume()
    }

    func cancel() {
        let waiting = state.change { state in
            state.isCancelled = true
            return state.takeWaiting()
        }
        waiting?.resume()
    }

    /// Resumes the task when there is something to take.
    func wait(_ task: CheckedContinuation<Void, Never>) {
        let ready = state.change { state in
            state.waiting = task
            return state.takeWaiting()
        }
        ready?.resume()
    }

    func take() throws -> [ULSEvent] {
        try state.change { state in
            if state.isCancelled { throw CancellationError() }
            defer { (state.events, state.bytes) = ([], 0) }
            if state.events.isEmpty, let failure = state.failure { throw failure }
            return state.events
        }
    }
}

extension LogReader {
    /// Reads all wanted events into a relay.
    fileprivate func relay(_ order: Order, to relay: EventRelay) throws -> ReadReport {
        // A search that finds nothing for long must end too.
        let observers = EventObservers(checkpoint: { try relay.check() })
        // A pipe that idles holds nothing back.
        return try forEachEvent(in: order, of: selection, isLive: true, observers) { try relay.put($0) }
    }
}
