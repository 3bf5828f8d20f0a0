import Synchronization

/// The only shell around a ``FeederCore``: executes its commands, and passes it the resulting events.
///
/// It is a loop over an inbox. Reading, sending, recording and waiting are child tasks that post their results to the
/// inbox, so events are handled one at a time, in the isolation of the loop's caller.
struct FeedLoop {
    private var core: FeederCore
    let status: StatusAccumulator
    private let engine: any ContentEngine
    private let journal: (any FeedJournal)?
    private let clock: FeedClock
    let inbox = FeedInbox()
    /// The ends of the sleeping timers, latest first: a timer is added only if it ends before all others.
    private var timers: [FeedInstant] = []
    /// The first failure to store an outcome; from then on the feed only drains.
    private var storageFailure: StopReason?

    /// The owner's part in executing the core's commands.
    struct Owner {
        /// Requests one more chunk of input for the inbox.
        var read: () -> Void
        var observe: (FeedEvent, StatusReport) throws -> Void
        var reached: (BarrierID, EngineError?) -> Void = { _, _ in }
        /// Called when nothing more will be sent; events posted before it returns are still accounted for.
        var ended: (FeedEnd) -> Void = { _ in }
    }

    init(
        engine: any ContentEngine,
        options: FeedOptions,
        job claim: JobClaim? = nil
    ) {
        self.engine = engine.versions.map { ComparingEngine($0, reading: $0) } ?? engine
        var system = SystemRandomNumberGenerator()
        let job = claim?.id ?? .random(using: &system)
        core = FeederCore(
            configuration: options.configuration,
            capabilities: self.engine.capabilities,
            job: job,
            epoch: claim?.epoch,
            isJournaled: options.journal != nil,
            resuming: claim?.state,
            seed: options.seed
        )
        let directory = options.spillDirectory ?? engine.capabilities.spillDirectory ?? "."
        status = StatusAccumulator(
            job: job,
            collection: engine.collection,
            level: options.configuration.level,
            spill: options.spill ?? SpillSpace(in: directory, maximumBytes: options.maximumSpillBytes)
        )
        journal = options.journal
        clock = FeedClock(options.clock)
    }

    /// Runs until the core is finished.
    ///
    /// `start` adds the tasks that post to the inbox from outside. Canceling the calling task stops the feed as Ctrl-C
    /// does.
    mutating func run(
        _ owner: Owner,
        isolation: isolated (any Actor)? = #isolation,
        start: (inout DiscardingTaskGroup) -> Void = { _ in }
    ) async -> FeedEnd {
        let inbox = inbox
        // Only a closure that captures the isolation runs in it; otherwise the owner's state would be subject to data
        // races.
        return await withTaskCancellationHandler(
            operation: {
                _ = isolation
                return await withDiscardingTaskGroup(isolation: isolation) { group in
                    _ = isolation
                    start(&group)
                    return await work(owner, in: &group, isolation: isolation)
                }
            },
            onCancel: { inbox.post(.stop(.interrupted)) },
            isolation: isolation
        )
    }

    private mutating func work(
        _ owner: Owner,
        in group: inout DiscardingTaskGroup,
        isolation: isolated (any Actor)?
    ) async -> FeedEnd {
        execute(core.handle(.timer, at: clock.now()), in: &group, owner)
        while true {
            if let end = status.end {
                group.cancelAll()
                owner.ended(end)
                while let late = inbox.takeWaiting() { _ = core.handle(late, at: clock.now()) }
                return end
            }
            let event = await inbox.next(isolation: isolation)
            if case .timer = event { timers.removeLast() }
            execute(core.handle(event, at: clock.now()), in: &group, owner)
        }
    }

    var report: StatusReport { status.report(of: core, seconds: clock.now().sinceStart) }

    /// Starts work before notifying the observer.
    private mutating func execute(
        _ commands: [FeederCore.Command],
        in group: inout DiscardingTaskGroup,
        _ owner: Owner
    ) {
        for command in commands { begin(command, in: &group, owner) }
        var failure: StopReason?
        for command in commands {
            do { try tell(command, owner) } catch { failure = failure ?? .storage(message: "\(error)") }
        }
        guard let failure, storageFailure == nil else { return }
        storageFailure = failure
        // The last batch may have been the one whose outcomes are lost.
        if status.end != nil { status.end = .stopped(failure) }
        execute(core.handle(.stop(failure), at: clock.now()), in: &group, owner)
    }

    private mutating func begin(
        _ command: FeederCore.Command,
        in group: inout DiscardingTaskGroup,
        _ owner: Owner
    ) {
        switch command {
        case .read: owner.read()
        case .send(let batch):
            group.addTask { [engine, inbox] in inbox.post(.reply(batch.id, await engine.apply(batch))) }
        case .record(let transaction):
            group.addTask { [journal, inbox] in inbox.post(await recorded(transaction, by: journal)) }
        case .raise(let level):
            group.addTask { [engine, inbox] in inbox.post(.raised(await failure(raising: engine, to: level))) }
        case .wake(let instant): wake(at: instant, in: &group)
        case .tell, .reached, .finish: break
        }
    }

    private mutating func tell(_ command: FeederCore.Command, _ owner: Owner) throws {
        switch command {
        case .finish(let end): status.end = storageFailure.map { .stopped($0) } ?? end
        case .reached(let barrier, let error): owner.reached(barrier, error)
        case .tell(let event):
            try status.add(event)
            try owner.observe(event, report)
        case .send(let batch): try owner.observe(.sent(batch.id, count: batch.items.count), report)
        case .read, .record, .raise, .wake: break
        }
    }

    /// Starts a timer unless one that ends no later is running: when that ends, the core states anew what it waits for.
    private mutating func wake(at instant: FeedInstant, in group: inout DiscardingTaskGroup) {
        if let earliest = timers.last, earliest <= instant { return }
        timers.append(instant)
        group.addTask { [clock, inbox] in
            // A canceled sleep ends too early, and nobody waits for it anymore.
            guard (try? await clock.sleep(instant)) != nil else { return }
            inbox.post(.timer)
        }
    }
}

/// Reads one chunk for each credit.
func read<Chunks: AsyncSequence>(
    _ chunks: Chunks,
    for credits: AsyncStream<Void>,
    into inbox: FeedInbox
) async where Chunks.Element == OperationChunk {
    var iterator = chunks.makeAsyncIterator()
    for await _ in credits {
        do {
            guard let chunk = try await iterator.next(isolation: #isolation) else {
                inbox.post(.inputEnded)
                return
            }
            inbox.post(.input(chunk))
        } catch let error as EngineError {
            let advice = error.advice.map { "; \($0)" } ?? ""
            inbox.post(.inputFailed(.source(error.code, message: error.message + advice)))
            return
        } catch {
            inbox.post(.inputFailed(.input(message: "\(error)")))
            return
        }
    }
}

private func recorded(
    _ transaction: JournalTransaction,
    by journal: (any FeedJournal)?
) async -> FeederCore.Event {
    do throws(JournalError) {
        try await journal?.record(transaction)
        return .recorded(transaction.id)
    } catch {
        return .recordFailed(transaction.id, error.description)
    }
}

private func failure(raising engine: any ContentEngine, to level: CompletionLevel) async -> EngineError? {
    do throws(EngineError) {
        try await engine.raise(to: level)
        return nil
    } catch {
        return error
    }
}

/// A queue of events for the loop that handles them.
///
/// Unlike `AsyncStream`, it keeps delivering when the waiting task is canceled: what comes back from the engine then
/// must still be accounted for. The lock is held for an append or a removal, never across a wait.
final class FeedInbox: Sendable {
    private struct State {
        var events: [FeederCore.Event] = []
        var head = 0
        var waiting: CheckedContinuation<FeederCore.Event, Never>?

        mutating func take() -> FeederCore.Event? {
            guard head < events.count else { return nil }
            defer {
                head += 1
                if head == events.count {
                    events.removeAll(keepingCapacity: true)
                    head = 0
                }
            }
            return events[head]
        }
    }

    private let state = Mutex(State())

    /// Adds an event behind those that wait.
    func post(_ event: FeederCore.Event) {
        let waiting = state.withLock { state -> CheckedContinuation<FeederCore.Event, Never>? in
            if let waiting = state.waiting {
                state.waiting = nil
                return waiting
            }
            state.events.append(event)
            return nil
        }
        waiting?.resume(returning: event)
    }

    /// Waits for the next event and returns it; there is only one reader.
    func next(isolation: isolated (any Actor)? = #isolation) async -> FeederCore.Event {
        if let event = takeWaiting() { return event }
        return await withCheckedContinuation(isolation: isolation) { continuation in
            let event = state.withLock { state -> FeederCore.Event? in
                if let event = state.take() { return event }
                state.waiting = continuation
                return nil
            }
            if let event { continuation.resume(returning: event) }
        }
    }

    /// Returns the next event if there already is one.
    fileprivate func takeWaiting() -> FeederCore.Event? { state.withLock { $0.take() } }
}

/// A feed's clock: any clock, counted from the moment of creation.
package struct FeedClock: Sendable {
    package let now: @Sendable () -> FeedInstant
    package let sleep: @Sendable (FeedInstant) async throws -> Void

    package init(_ clock: some Clock<Duration>) {
        let start = clock.now
        now = { FeedInstant(sinceStart: start.duration(to: clock.now)) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0.sinceStart), tolerance: nil) }
    }
}

/// A moment in a feed, counted from its start in whole nanoseconds.
///
/// The core has no clock; its driver passes the time in.
public struct FeedInstant: Hashable, Comparable, Sendable {
    private let nanoseconds: Int64

    private init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Drops fractions of a nanosecond; durations of more than 292 years become ``never``.
    public init(sinceStart: Duration) {
        let inRange = min(max(sinceStart, .nanoseconds(Int64.min)), .nanoseconds(Int64.max))
        let (seconds, attoseconds) = inRange.components
        // Seconds and the rest have the same sign, and their sum is in range.
        nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// The time since the start of the feed.
    public var sinceStart: Duration { .nanoseconds(nanoseconds) }

    /// The moment at which the feed began.
    public static let start = FeedInstant(nanoseconds: 0)
    /// The distant future: 292 years from the start.
    public static let never = FeedInstant(nanoseconds: .max)

    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
    public static func + (instant: Self, duration: Duration) -> Self {
        let (sum, isTooFar) = instant.nanoseconds.addingReportingOverflow(FeedInstant(sinceStart: duration).nanoseconds)
        guard isTooFar else { return FeedInstant(nanoseconds: sum) }
        return FeedInstant(nanoseconds: duration < .zero ? .min : .max)
    }
    public static func - (left: Self, right: Self) -> Duration { left.sinceStart - right.sinceStart }
}

/// A small random generator whose whole state is a seed, so that a run can be repeated exactly.
public struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    /// Creates a generator; the same seed gives the same numbers.
    public init(seed: UInt64) { state = seed }

    /// Returns the next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
