import Synchronization

// MARK: The loop

/// The driver of a ``FeederCore``, which executes the core's commands and passes the resulting events to it.
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
    /// The end times of the sleeping timers, latest first, because a timer is added only if it ends before all others.
    private var timers: [FeedInstant] = []
    /// The first failure to store an outcome, after which the feed only waits for batches in flight.
    private var storageFailure: StopReason?

    /// The actions of the loop's owner that help to execute the core's commands.
    struct Owner {
        /// Requests one more chunk of input for the inbox.
        var read: () -> Void
        var observe: (FeedEvent, StatusReport) throws -> Void
        var reached: (BarrierID, EngineError?) -> Void = { _, _ in }
        /// Handles the end of sending; events posted before this function returns are still accounted for.
        var ended: (FeedEnd) -> Void = { _ in }
    }

    init(
        engine: any ContentEngine,
        options: FeedOptions,
        job claim: JobClaim? = nil
    ) {
        // The layers are, from the outermost inward: comparison with existing contents; notes and backups of batches
        // (FeedPlan.swift); and the engine itself. Batches without conditions on contents pass through the first layer
        // unchanged.
        self.engine = engine.versions.map { ComparingEngine(engine, reading: $0) } ?? engine
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

    /// Runs the loop until the core has finished.
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

    /// Executes the commands, starting all work before it notifies the observer.
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
        // The outcomes that could not be stored may be those of the very last batch.
        if status.end != nil { status.end = .stopped(failure) }
        execute(core.handle(.stop(failure), at: clock.now()), in: &group, owner)
    }

    private mutating func begin(_ command: FeederCore.Command, in group: inout DiscardingTaskGroup, _ owner: Owner) {
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

    /// Starts a timer, unless one that ends earlier is already running: when that one fires, the core requests the next
    /// one.
    private mutating func wake(at instant: FeedInstant, in group: inout DiscardingTaskGroup) {
        if let earliest = timers.last, earliest <= instant { return }
        timers.append(instant)
        group.addTask { [clock, inbox] in
            // A canceled sleep ends too early, and is no longer needed.
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

private func recorded(_ transaction: JournalTransaction, by journal: (any FeedJournal)?) async -> FeederCore.Event {
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
/// Unlike `AsyncStream`, it still delivers events after the waiting task is canceled, because replies that arrive from
/// the engine must be accounted for. The lock is held only to append or remove an event, never while waiting.
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

    /// Adds an event at the end of the queue.
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

    /// Waits for the next event and returns it; only one reader is allowed.
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

    /// Returns the next event, if there already is one.
    fileprivate func takeWaiting() -> FeederCore.Event? { state.withLock { $0.take() } }
}

/// A feed's clock, which measures time on any clock from the moment of its creation.
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
/// The core has no clock; its driver passes the current time to it.
public struct FeedInstant: Hashable, Comparable, Sendable {
    private let nanoseconds: Int64

    private init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Creates a moment, dropping fractions of a nanosecond; durations of more than 292 years become ``never``.
    public init(sinceStart: Duration) {
        let inRange = min(max(sinceStart, .nanoseconds(Int64.min)), .nanoseconds(Int64.max))
        let (seconds, attoseconds) = inRange.components
        // Seconds and attoseconds have the same sign, and their sum is in range.
        nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// The time since the start of the feed.
    public var sinceStart: Duration { .nanoseconds(nanoseconds) }

    /// The moment at which the feed began.
    public static let start = FeedInstant(nanoseconds: 0)
    /// A moment in the distant future: 292 years from the start.
    public static let never = FeedInstant(nanoseconds: .max)

    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
    public static func + (instant: Self, duration: Duration) -> Self {
        let (sum, isTooFar) = instant.nanoseconds.addingReportingOverflow(FeedInstant(sinceStart: duration).nanoseconds)
        guard isTooFar else { return FeedInstant(nanoseconds: sum) }
        return FeedInstant(nanoseconds: duration < .zero ? .min : .max)
    }
    public static func - (left: Self, right: Self) -> Duration { left.sinceStart - right.sinceStart }
}

/// A small random number generator whose entire state is its seed, so a run can be repeated exactly.
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

// MARK: Feeding a sequence of operations

/// A feed of a sequence of chunks into a collection: the pull interface of the feeder.
///
/// It requests a chunk only when there is room for it, so a slow engine slows the input down, and memory stays bounded.
///
/// ```swift
/// let feed = OperationFeed(engine: collection)
/// let report = await feed.run(chunks) { event, report in print(event) }
/// print(report.counts[.removed])
/// ```
public struct OperationFeed: Sendable {
    private let engine: any ContentEngine
    private let options: FeedOptions

    /// Creates a feed into a collection.
    public init(engine: any ContentEngine, options: FeedOptions = FeedOptions()) {
        self.engine = engine
        self.options = options
    }

    /// Feeds all `chunks`, and returns the result.
    ///
    /// A claimed job continues from its state; its chunks begin at the state's `progress.offset`. Without a claim, the
    /// job gets a random name and can't be resumed.
    ///
    /// A reason from `stops` ends the feed early: nothing more is sent, and the feed waits for the replies to batches
    /// in flight. In the caller's isolation, `observe` is called with every event and with the report so far; if it
    /// throws, the feed stops with a storage failure.
    public func run<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks,
        job: JobClaim? = nil,
        stops: AsyncStream<StopReason> = AsyncStream { $0.finish() },
        observe: @escaping (FeedEvent, StatusReport) throws -> Void = { _, _ in }
    ) async -> FeedResult where Chunks.Element == OperationChunk {
        var loop = FeedLoop(engine: engine, options: options, job: job)
        let (credits, credit) = AsyncStream<Void>.makeStream()
        let inbox = loop.inbox
        if let job { await loop.status.add(job.earlierIssues, orStop: inbox) }
        let owner = FeedLoop.Owner(read: { credit.yield() }, observe: observe)
        _ = await loop.run(owner) { group in
            group.addTask { await read(chunks, for: credits, into: inbox) }
            group.addTask { for await reason in stops { inbox.post(.stop(reason)) } }
        }
        return FeedResult(report: loop.report, errors: loop.status.errors, warnings: loop.status.warnings)
    }
}

/// The result of a feed that has ended.
public struct FeedResult: Sendable {
    /// The final report.
    public let report: StatusReport
    /// All document errors, in the order in which they were settled.
    public let errors: DocumentIssues<DocumentError>
    /// All document warnings, in the order in which they were settled.
    public let warnings: DocumentIssues<DocumentWarning>
}

/// A piece of input that has been read and checked: the amount that a feeder requests at once.
public struct OperationChunk: Sendable {
    /// The operations, in the order of the input.
    public var operations: [ContentOperation]
    /// The position at which the input continues after this chunk.
    public var end: InputOffset
    /// Counts of the lines and bytes read for the chunk, and of the records that are not operations.
    public var input: InputTally
    /// The records that are not operations, each with its position.
    public var rejections: [InputRejection]
    /// A digest of the input from all sources up to `end`; empty if it was not computed.
    public var digest: [UInt8]
    /// Whether an earlier run of the job has already read the chunk.
    ///
    /// Such a chunk is not fed, but its documents are remembered, so a document that is named again is not reported as
    /// missing.
    public var isEarlier = false
    /// Whether the next chunk is requested only when all operations have settled, because the input then looks for
    /// changes that were made in the meantime.
    public var precedesPause = false

    /// Creates a chunk.
    public init(
        operations: [ContentOperation] = [],
        end: InputOffset = .start,
        input: InputTally = InputTally(),
        rejections: [InputRejection] = [],
        digest: [UInt8] = []
    ) {
        self.operations = operations
        self.end = end
        self.input = input
        self.rejections = rejections
        self.digest = digest
    }
}

/// Counts of the input that was read.
public struct InputTally: Hashable, Sendable {
    /// The number of lines, or of records in a format without lines.
    public var lines = 0
    /// The number of blank lines.
    public var blank = 0
    /// The number of records that are not operations.
    public var rejected = 0
    /// The number of bytes that were read.
    public var bytes = 0
    /// The number of removals of documents already removed earlier in the input, and likewise of additions, detected
    /// among the last million distinct documents of the run.
    ///
    /// Updates are not counted, because each may merge different keys.
    public var duplicates = 0

    /// Creates counts of the input that was read.
    public init(lines: Int = 0, blank: Int = 0, rejected: Int = 0, bytes: Int = 0) {
        self.lines = lines
        self.blank = blank
        self.rejected = rejected
        self.bytes = bytes
    }

    public static func += (left: inout Self, right: Self) {
        left.lines += right.lines
        left.blank += right.blank
        left.rejected += right.rejected
        left.bytes += right.bytes
        left.duplicates += right.duplicates
    }
}

/// An input record that is not an operation: its position and its defect.
public struct InputRejection: Hashable, Sendable {
    /// A file's name, `standard input` or `argument`.
    public var source: String
    /// The line number, starting at 1; 0 if the source has no lines.
    public var line: Int
    /// The record's defect, as a sentence.
    public var reason: String

    /// Creates a rejection.
    public init(source: String, line: Int, reason: String) {
        self.source = source
        self.line = line
        self.reason = reason
    }
}

extension InputRejection: CustomStringConvertible {
    public var description: String { line > 0 ? "\(source):\(line): \(reason)" : "\(source): \(reason)" }
}

/// An event reported to the observer of a feed, in the order in which it happens.
///
/// Operations and outcomes share memory with others of the same chunk or batch: to keep them, use
/// ``ContentOperation/detached()`` and ``OperationOutcome/detached()``.
public enum FeedEvent: Sendable {
    /// Operations were accepted, with consecutive IDs starting at `first`.
    case accepted(first: OperationID, operations: ArraySlice<ContentOperation>)
    /// Input records were refused.
    case rejected([InputRejection])
    /// Operations were settled.
    case settled([OperationOutcome])
    /// Operations will be sent again after a pause.
    case retrying(count: Int, DocumentFailure, after: Duration)
    /// The way batches are sent has changed.
    case flow(FlowChange)
    /// A batch was sent to the engine.
    case sent(BatchID, count: Int)
}

/// The environment of a feed: its clock, its journal, and the folder for spilled data.
///
/// All options have defaults.
public struct FeedOptions: Sendable {
    /// The settings for batching, waiting and retrying.
    public var configuration = FeedConfiguration()
    /// The clock that the feed uses for waiting.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// The store for progress that must survive a crash, for an engine that does not keep it itself.
    public var journal: (any FeedJournal)?
    /// The seed that determines the length of pauses.
    public var seed: UInt64
    /// The folder for errors that should not be held in memory; `nil` for a folder on the engine's own disk or, if
    /// there is none, the current folder.
    public var spillDirectory: String?
    /// The maximum number of bytes that may be spilled, for errors and warnings together.
    public var maximumSpillBytes = 4 << 30
    /// A spill space shared with the feed's owner; `nil` for a separate space with the folder and limit above.
    public var spill: SpillSpace?

    /// Creates the default options, with a random seed.
    public init() {
        var system = SystemRandomNumberGenerator()
        seed = system.next()
    }
}
