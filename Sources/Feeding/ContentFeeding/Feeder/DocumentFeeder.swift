import Synchronization

/// A feeder for single operations: the push interface, modeled on FAST's `IDocumentFeeder`.
///
/// ```swift
/// let feeder = DocumentFeeder(engine: collection)
/// try await feeder.removeDocument("FAKEID")
/// let status = try await feeder.waitForCompletion()
/// for try await error in await feeder.documentErrors() { print(error) }
/// await feeder.close()
/// ```
///
/// This is an actor, because callers in any task push operations while replies to batches arrive. It runs from the
/// first operation until ``close()``, which must always be called.
public actor DocumentFeeder {
    private let loop: FeedLoop
    private let clock: FeedClock
    private let audience = FeedAudience()
    private var worker: Task<Void, Never>?

    /// The operations that are queued but not yet requested by the core.
    private var pending = PendingOperations()
    private var nextID: OperationID = .first
    private var isAskedForInput = false
    private var isClosed = false
    private var end: FeedEnd?
    private var lastReport: StatusReport
    private var waiters = FeederWaiters()

    /// Creates a feeder for one collection.
    ///
    /// - Parameters:
    ///   - engine: The collection, as an engine's `collection(named:)` returns it.
    ///   - missing: The treatment of removals and updates of documents that do not exist; `nil` for the setting in
    ///     `options`, which reports an error by default.
    ///   - options: The settings, the clock and the journal; all options have defaults.
    public init(engine: any ContentEngine, missing: MissingPolicy? = nil, options: FeedOptions = FeedOptions()) {
        var options = options
        if let missing { options.configuration.missing = missing }
        loop = FeedLoop(engine: engine, options: options)
        clock = FeedClock(options.clock)
        pending.maximumBytes = options.configuration.usable.batchBytes ?? FeedConfiguration.firstBatchBytes
        lastReport = loop.report
    }

    /// Queues the removal of a document and returns the operation's ID, after waiting for room if the window is full.
    @discardableResult
    public func removeDocument(_ id: DocumentID) async throws(DocumentFeederError) -> OperationID {
        try await push(.remove(id))
    }

    /// Queues a document that replaces the one with the same ID, or is added.
    @discardableResult
    public func addDocument(_ document: Document) async throws(DocumentFeederError) -> OperationID {
        try await push(.add(document))
    }

    /// Queues top-level keys to be merged into the document with the same ID.
    @discardableResult
    public func updateDocument(_ document: Document) async throws(DocumentFeederError) -> OperationID {
        try await push(.update(document))
    }

    /// Waits until everything queued so far has reached `level`.
    ///
    /// Throws ``DocumentFeederError/Code/deadline`` if `deadline`, counted from now, passes first; ``statusReport()``
    /// then shows the open operations.
    @discardableResult
    public func waitForCompletion(
        _ level: CompletionLevel = .secured,
        deadline: Duration? = nil
    ) async throws(DocumentFeederError) -> StatusReport {
        start()
        if end == nil {
            let barrier = waiters.newBarrier()
            if !isClosed { pending.barriers.append((barrier, level)) }
            let alarm: Task<Void, Never>? = if let deadline { alarm(after: deadline, for: barrier) } else { nil }
            flush()
            let outcome = await withTaskCancellationHandler {
                await withCheckedContinuation { waiters.add($0, for: barrier, isCancelled: Task.isCancelled) }
            } onCancel: {
                Task { await give(up: barrier, .cancelled) }
            }
            alarm?.cancel()
            if let error = outcome { throw error }
        }
        if case .stopped(let reason) = end { throw DocumentFeederError(stopped: reason) }
        return statusReport()
    }

    /// Returns the report of the feed so far.
    ///
    /// It can be requested at any time, and its counts always include the whole feed.
    public func statusReport() -> StatusReport { lastReport }

    /// Returns all document errors so far, in the order in which they were settled.
    public func documentErrors() -> DocumentIssues<DocumentError> { loop.status.errors }

    /// Returns all document warnings so far, in the order in which they were settled.
    public func documentWarnings() -> DocumentIssues<DocumentWarning> { loop.status.warnings }

    /// The reports of the running feed, up to the final one; each step of an iteration returns the newest report.
    ///
    /// ```swift
    /// Task { for await status in feeder.progress { print(status.counts.settled) } }
    /// ```
    public nonisolated var progress: FeedReports { FeedReports(audience: audience) }

    /// The events of the feed, from the beginning of an iteration to the end of the feed.
    public nonisolated var events: FeedEvents { FeedEvents(audience: audience) }

    /// Waits for all queued operations, stops, and returns the final report; a second call returns the same report
    /// again.
    @discardableResult
    public func close() async -> StatusReport {
        start()
        isClosed = true
        flush()
        await worker?.value
        return lastReport
    }

    private func push(_ operation: ContentOperation) async throws(DocumentFeederError) -> OperationID {
        start()
        while pending.isFull, !isAskedForInput, end == nil, !isClosed {
            if Task.isCancelled { throw DocumentFeederError(.cancelled, "the task that was queueing was canceled") }
            let barrier = waiters.newBarrier()
            let outcome = await withTaskCancellationHandler {
                await withCheckedContinuation { waiters.addForRoom($0, as: barrier, isCancelled: Task.isCancelled) }
            } onCancel: {
                Task { await give(up: barrier, .cancelled) }
            }
            if let error = outcome { throw error }
        }
        if case .stopped(let reason) = end { throw DocumentFeederError(stopped: reason) }
        guard !isClosed else { throw DocumentFeederError(.closed, "the feeder is closed") }
        pending.append(operation)
        defer { nextID = nextID.next }
        flush()
        return nextID
    }

    /// Passes pending operations to the core if it requested them, then the barriers that follow them, and then the end
    /// if there are no more operations.
    private func flush() {
        if !pending.operations.isEmpty {
            guard isAskedForInput || end != nil else { return }
            isAskedForInput = false
            loop.inbox.post(.pushed(pending.takeOperations()))
        }
        for (barrier, level) in pending.takeBarriers() { loop.inbox.post(.barrier(barrier, level)) }
        if isClosed, !pending.isEndPosted {
            pending.isEndPosted = true
            loop.inbox.post(.inputEnded)
        }
    }

    private func start() {
        guard worker == nil else { return }
        worker = Task { await run() }
    }

    private func run() async {
        var running = loop
        let owner = FeedLoop.Owner(
            read: { self.read() },
            observe: { event, report in
                self.lastReport = report
                self.audience.tell(event, report)
            },
            reached: { barrier, error in
                self.waiters.resume(barrier, error.map { DocumentFeederError(.stopped, $0.message) })
            },
            ended: { end in
                // This order ensures that every operation with an ID is accounted for, and that no new IDs are
                // assigned.
                self.end = end
                self.flush()
            }
        )
        _ = await running.run(owner)
        lastReport = running.report
        let reason: StopReason? = if case .stopped(let reason) = end { reason } else { nil }
        waiters.resumeAll(reason.map(DocumentFeederError.init(stopped:)))
        audience.end(lastReport)
    }

    private func read() {
        // The loop must run in this actor's isolation, or the actor's state would be subject to data races.
        preconditionIsolated()
        isAskedForInput = true
        flush()
        waiters.resumeForRoom()
    }

    private func give(up barrier: BarrierID, _ code: DocumentFeederError.Code) {
        pending.barriers.removeAll { $0.0 == barrier }
        loop.inbox.post(.forget(barrier))
        waiters.resume(barrier, DocumentFeederError(code, code.explanation))
    }

    private func alarm(after delay: Duration, for barrier: BarrierID) -> Task<Void, Never> {
        let at = clock.now() + delay
        return Task { [clock] in
            guard (try? await clock.sleep(at)) != nil else { return }
            give(up: barrier, .deadline)
        }
    }
}

/// The operations that were pushed but not yet requested, and the barriers after them.
private struct PendingOperations {
    private(set) var operations: [ContentOperation] = []
    private var byteCount = 0
    var barriers: [(BarrierID, CompletionLevel)] = []
    var isEndPosted = false
    var maximumBytes = 1 << 20

    /// The maximum number of operations that can be pending.
    private static let maximumCount = 1_000

    var isFull: Bool { operations.count >= Self.maximumCount || byteCount >= maximumBytes }

    mutating func append(_ operation: ContentOperation) {
        operations.append(operation)
        byteCount += operation.byteCount
    }

    mutating func takeOperations() -> [ContentOperation] {
        defer {
            operations = []
            byteCount = 0
        }
        return operations
    }

    mutating func takeBarriers() -> [(BarrierID, CompletionLevel)] {
        defer { barriers = [] }
        return barriers
    }
}

/// The suspended callers of a feeder: each is resumed exactly once, with or without an error.
private struct FeederWaiters {
    typealias Caller = CheckedContinuation<DocumentFeederError?, Never>

    private var waiting: [BarrierID: Caller] = [:]
    /// The callers that wait for room, in order of arrival.
    private var forRoom: [BarrierID] = []
    private var last: UInt64 = 0

    mutating func newBarrier() -> BarrierID {
        last += 1
        return BarrierID(rawValue: last)
    }

    /// Adds a caller, or resumes it at once if its task was canceled before the caller began to wait and thus missed
    /// the notification.
    mutating func add(_ caller: Caller, for barrier: BarrierID, isCancelled: Bool) {
        guard !isCancelled else {
            return caller.resume(
                returning: DocumentFeederError(.cancelled, DocumentFeederError.Code.cancelled.explanation)
            )
        }
        waiting[barrier] = caller
    }

    mutating func addForRoom(_ caller: Caller, as barrier: BarrierID, isCancelled: Bool) {
        forRoom.append(barrier)
        add(caller, for: barrier, isCancelled: isCancelled)
    }

    mutating func resume(_ barrier: BarrierID, _ error: DocumentFeederError?) {
        waiting.removeValue(forKey: barrier)?.resume(returning: error)
    }

    mutating func resumeForRoom() {
        for barrier in forRoom { resume(barrier, nil) }
        forRoom = []
    }

    mutating func resumeAll(_ error: DocumentFeederError?) {
        for caller in waiting.values { caller.resume(returning: error) }
        (waiting, forRoom) = ([:], [])
    }
}

/// The reason why a feeder did not accept an operation or stopped waiting.
public struct DocumentFeederError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of refusal, for programs to act on.
    public enum Code: Hashable, Sendable {
        /// ``DocumentFeeder/close()`` has been called.
        case closed
        /// The engine or a disk stopped the feeder.
        case stopped
        /// The deadline of the call has passed.
        case deadline
        /// The calling task was canceled.
        case cancelled
    }

    /// The kind of refusal.
    public let code: Code
    /// A description of the failure, as a fragment that can follow `error: `.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    init(stopped reason: StopReason) {
        self.init(.stopped, reason.engineError.message)
    }
}

extension DocumentFeederError.Code {
    var explanation: String {
        switch self {
        case .closed: "the feeder is closed"
        case .stopped: "the feeder has stopped"
        case .deadline: "not all operations were done in time; the status report shows the open ones"
        case .cancelled: "the waiting task was canceled"
        }
    }
}

/// The reports of a running feeder; an iteration that is slower than the feed skips older reports, but always gets the
/// newest one.
///
/// An iteration ends with the final report, even if it began after the end of the feed.
public struct FeedReports: AsyncSequence, Sendable {
    fileprivate let audience: FeedAudience

    init(audience: FeedAudience) { self.audience = audience }

    /// An iterator over the reports.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var stream: AsyncStream<StatusReport>.Iterator

        /// Returns the newest report that this iteration has not returned yet; `nil` after the final one, or if the
        /// task is canceled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> StatusReport? {
            await stream.next(isolation: actor)
        }
    }

    /// Starts listening to the feed.
    public func makeAsyncIterator() -> Iterator { Iterator(stream: audience.reports().makeAsyncIterator()) }
}

/// The events of a feeder, from the beginning of an iteration to the end of the feed.
///
/// An iteration may be slower than the feed for a while: up to ``maximumWaitingEvents`` events wait for it. Beyond that
/// limit, it throws ``FeedEventsMissed``, so an incomplete sequence is never mistaken for a complete one.
public struct FeedEvents: AsyncSequence, Sendable {
    /// The maximum number of events that wait for a slow iteration; a single event may contain the outcomes of a whole
    /// batch.
    public static let maximumWaitingEvents = 1_000

    fileprivate let audience: FeedAudience

    init(audience: FeedAudience) { self.audience = audience }

    /// An iterator over the events.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var stream: AsyncThrowingStream<FeedEvent, any Error>.Iterator

        /// Returns the next event; `nil` at the end of the feed, or if the task is canceled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> FeedEvent? {
            try await stream.next(isolation: actor)
        }
    }

    /// Starts listening to the feed.
    public func makeAsyncIterator() -> Iterator { Iterator(stream: audience.events().makeAsyncIterator()) }
}

/// The error of an iteration over ``FeedEvents`` that was too slow to receive all events.
public struct FeedEventsMissed: Error, Hashable, Sendable, CustomStringConvertible {
    /// A description of the loss, and of the outputs that are still complete.
    public let description =
        "events came faster than they were read, and more than \(FeedEvents.maximumWaitingEvents) were waiting;"
        + " the status report and the document errors are complete"
}

/// The listeners of a feeder.
///
/// The lock is held only while adding to buffers, never across a wait.
final class FeedAudience: Sendable {
    private struct State {
        var reports: [Int: AsyncStream<StatusReport>.Continuation] = [:]
        var events: [Int: AsyncThrowingStream<FeedEvent, any Error>.Continuation] = [:]
        var next = 0
        var final: StatusReport?
    }

    private let state = Mutex(State())

    func tell(_ event: FeedEvent, _ report: StatusReport) {
        let overtaken = state.withLock { state -> [AsyncThrowingStream<FeedEvent, any Error>.Continuation] in
            for listener in state.reports.values { listener.yield(report) }
            var overtaken: [AsyncThrowingStream<FeedEvent, any Error>.Continuation] = []
            for (number, listener) in state.events {
                guard case .dropped = listener.yield(event) else { continue }
                state.events[number] = nil
                overtaken.append(listener)
            }
            return overtaken
        }
        for listener in overtaken { listener.finish(throwing: FeedEventsMissed()) }
    }

    /// Delivers the final report, and ends all current and future iterations.
    func end(_ report: StatusReport) {
        let listeners = state.withLock { state in
            defer { (state.reports, state.events, state.final) = ([:], [:], report) }
            return (state.reports.values, state.events.values)
        }
        for listener in listeners.0 {
            listener.yield(report)
            listener.finish()
        }
        for listener in listeners.1 { listener.finish() }
    }

    func reports() -> AsyncStream<StatusReport> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { listener in
            let (number, final) = state.withLock { state in
                defer { state.next += 1 }
                if state.final == nil { state.reports[state.next] = listener }
                return (state.next, state.final)
            }
            if let final {
                listener.yield(final)
                return listener.finish()
            }
            listener.onTermination = { [weak self] _ in self?.state.withLock { $0.reports[number] = nil } }
        }
    }

    func events() -> AsyncThrowingStream<FeedEvent, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingOldest(FeedEvents.maximumWaitingEvents)) { listener in
            let (number, isEnded) = state.withLock { state in
                defer { state.next += 1 }
                if state.final == nil { state.events[state.next] = listener }
                return (state.next, state.final != nil)
            }
            guard !isEnded else { return listener.finish() }
            listener.onTermination = { [weak self] _ in self?.state.withLock { $0.events[number] = nil } }
        }
    }
}
