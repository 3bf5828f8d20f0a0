/// Feeds a collection operation by operation: the push face of the feeder, after FAST's `IDocumentFeeder`.
///
/// ```swift
/// let feeder = DocumentFeeder(engine: collection)
/// try await feeder.removeDocument("FAKEID")
/// let status = try await feeder.waitForCompletion()
/// for error in await feeder.documentErrors() { print(error.operationID, error.documentID) }
/// await feeder.close()
/// ```
///
/// An actor, because callers on any task push into it while batches come back. It works from its creation until
/// ``close()``, which every user must call.
public actor DocumentFeeder {
    private var loop: FeedLoop
    private let post: AsyncStream<FeederCore.Event>.Continuation
    private let clock: FeedClock
    private var worker: Task<Void, Never>?

    private var pending: [ContentOperation] = []
    private var nextID: OperationID = .first
    private var isAskedForInput = false
    private var isClosed = false
    private var end: FeedEnd?
    private var lastReport: StatusReport
    /// Callers who wait for room.
    private var queue: [CheckedContinuation<Void, Never>] = []
    private var waiters: [BarrierID: CheckedContinuation<EngineError?, Never>] = [:]
    private var lastBarrier: UInt64 = 0

    /// Operations that wait here for the core to ask for them, at the most.
    private static let maximumPending = 1_000

    public init(engine: any ContentEngine, options: FeedOptions = FeedOptions()) {
        loop = FeedLoop(engine: engine, options: options, job: options.jobID)
        post = loop.post
        clock = options.clock
        lastReport = loop.report
    }

    /// Queues the removal of a document, and returns the operation's ID; suspends while the window is full.
    @discardableResult
    public func removeDocument(_ id: DocumentID) async throws(DocumentFeederError) -> OperationID {
        try await push(.remove(id))
    }

    /// Queues a document that replaces the one with its ID, or is new.
    @discardableResult
    public func addDocument(_ document: Document) async throws(DocumentFeederError) -> OperationID {
        try await push(.add(document))
    }

    /// Queues top-level keys that are merged into the document with their ID.
    @discardableResult
    public func updateDocument(_ document: Document) async throws(DocumentFeederError) -> OperationID {
        try await push(.update(document))
    }

    /// Waits until everything queued so far has come to `level`, or until `deadline` from now has passed.
    ///
    /// Returns the account either way; what is not done yet is in its `counts.open`.
    @discardableResult
    public func waitForCompletion(
        _ level: CompletionLevel = .secured,
        deadline: Duration? = nil
    ) async throws(DocumentFeederError) -> StatusReport {
        start()
        if end == nil, !isClosed {
            flushPending(evenUnasked: true)
            lastBarrier += 1
            let barrier = BarrierID(rawValue: lastBarrier)
            let alarm: Task<Void, Never>? = if let deadline { alarm(after: deadline, for: barrier) } else { nil }
            let error = await withCheckedContinuation { continuation in
                waiters[barrier] = continuation
                post.yield(.barrier(barrier, level))
            }
            alarm?.cancel()
            if let error { throw DocumentFeederError(.stopped, error.message) }
        }
        return statusReport()
    }

    /// The account so far; can be asked for at any time, and counts from the start each time.
    public func statusReport() -> StatusReport { lastReport }

    /// All document errors so far, in the order of settling.
    public func documentErrors() -> DocumentIssues { loop.ledger.errors }

    /// All document warnings so far, in the order of settling.
    public func documentWarnings() -> DocumentIssues { loop.ledger.warnings }

    /// Waits for everything queued, ends the work, and returns the last account; a second call returns it again.
    @discardableResult
    public func close() async -> StatusReport {
        start()
        if !isClosed {
            isClosed = true
            flushPending(evenUnasked: true)
            post.yield(.inputEnded)
        }
        await worker?.value
        return lastReport
    }

    private func push(_ operation: ContentOperation) async throws(DocumentFeederError) -> OperationID {
        start()
        while pending.count >= Self.maximumPending, !isAskedForInput, end == nil, !isClosed {
            await withCheckedContinuation { queue.append($0) }
        }
        guard !isClosed else { throw DocumentFeederError(.closed, "the feeder is closed") }
        if case .stopped(let reason) = end {
            throw DocumentFeederError(.stopped, "the feeder has stopped: \(reason.engineError.message)")
        }
        pending.append(operation)
        defer { nextID = nextID.next }
        flushPending()
        return nextID
    }

    /// Hands over what is pending, when it was asked for or someone waits for it.
    private func flushPending(evenUnasked: Bool = false) {
        guard !pending.isEmpty, isAskedForInput || evenUnasked else { return }
        isAskedForInput = false
        post.yield(.input(OperationChunk(operations: pending)))
        pending.removeAll(keepingCapacity: true)
    }

    private func start() {
        guard worker == nil else { return }
        worker = Task { await run() }
    }

    private func run() async {
        var running = loop
        let owner = FeedLoop.Owner(
            read: { self.read() },
            observe: { _, report in self.lastReport = report },
            reached: { barrier, error in self.waiters.removeValue(forKey: barrier)?.resume(returning: error) }
        )
        end = await running.run(owner)
        lastReport = running.report
        for waiter in queue { waiter.resume() }
        for waiter in waiters.values { waiter.resume(returning: nil) }
        (queue, waiters) = ([], [:])
    }

    private func read() {
        // The loop must run in this actor's isolation, or everything here would be raced for.
        preconditionIsolated()
        isAskedForInput = true
        flushPending()
        for waiter in queue { waiter.resume() }
        queue = []
    }

    private func alarm(after delay: Duration, for barrier: BarrierID) -> Task<Void, Never> {
        let at = clock.now() + delay
        return Task { [clock] in
            guard (try? await clock.sleep(at)) != nil else { return }
            waiters.removeValue(forKey: barrier)?.resume(returning: nil)
        }
    }
}

/// A feeder that takes nothing more.
public struct DocumentFeederError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: Hashable, Sendable {
        /// ``DocumentFeeder/close()`` was called before.
        case closed
        /// The engine, or a disk, made it stop.
        case stopped
    }

    public let code: Code
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
