import TextKit

/// The feeder's decisions, without threads, clocks, sockets or files: events in, commands out.
///
/// All decisions that could be affected by race conditions are made in this type, so a seed and a list of events
/// reproduce any run exactly. The driver executes the commands in order and reports back with events.
///
/// It guarantees that each accepted operation either is settled exactly once or is still open; that the operations on a
/// document take effect in order, even if a copy of an earlier one may still be in transit; and that its memory is
/// bounded.
public struct FeederCore: Sendable {
    let configuration: FeedConfiguration
    let capabilities: EngineCapabilities
    let limits: OperationLimits
    let job: JobID
    /// The epoch of the claim; `nil` for an unclaimed job, whose progress is not stored.
    let epoch: Int?
    /// Whether leases and outcomes are committed to a journal before the core acts on them.
    let isJournaled: Bool
    let laneHash: LaneHash
    var random: SplitMix64

    /// Counts of all accepted operations: the open ones, and the settled ones by outcome.
    public internal(set) var counts = FeedCounts()
    /// Counts of the input read so far.
    public internal(set) var input = InputTally()
    /// The number of batches that were sent again, in whole or in part.
    public internal(set) var resentBatches = 0
    /// The number of batches sent so far.
    public internal(set) var sentBatches = 0

    var window: OperationWindow
    var lanes = Lanes()
    var ready = ReadyQueue()
    var timers = TimerQueue()
    var flow: FlowControl
    var splitter = BatchSplitter()
    var inFlight: [BatchID: SentBatch] = [:]

    var reading = Reading()
    /// The next operation whose deadline is checked.
    var deadlineCursor: OperationID
    private var barriers: [Barrier] = []
    /// The highest level that all settled operations have reached.
    public internal(set) var reachedLevel: CompletionLevel
    private var raising: Raising?
    var journal = JournalBuffer()
    var carried = CarriedOutcomes()
    var stopReason: StopReason?
    private var isFinished = false
    private var lastWake: FeedInstant?
    /// The time until which operations are held back, as announced last.
    private var heldUntil = FeedInstant.start

    /// The state of reading.
    struct Reading {
        var isRequested = false
        var hasEnded = false
        /// Whether the rest of the input is requested only when all operations have settled.
        var isPaused = false
        var failure: StopReason?
        /// The position at which the input continues.
        var offset = InputOffset.start
        /// The digest of the input before ``offset``.
        var digest: [UInt8] = []
        /// The chunks that still have open operations, oldest first.
        var chunks: [Chunk] = []
        /// The state left by an earlier run of the job.
        var resumed: ResumedRun?
        /// The documents removed most recently.
        var removed = RecentDocuments()
        /// The documents added most recently.
        var added = RecentDocuments()

        struct Chunk {
            let first: OperationID
            let offset: InputOffset
            let digest: [UInt8]
            let inputBefore: InputTally
        }
    }

    /// The state left by an earlier run of the job: the input is read again, and most of the operations are skipped.
    struct ResumedRun {
        let progress: FeedProgress
        let acceptedThrough: OperationID
        /// The last operation that may have been sent.
        let leasedThrough: OperationID
        let repeated: RepeatedRun?
    }

    private struct Barrier {
        let id: BarrierID
        let level: CompletionLevel
        let through: OperationID
    }

    /// A level requested from the engine, and the operations settled at that time; later operations are not included.
    private struct Raising {
        let level: CompletionLevel
        let through: OperationID
        let settled: Int
    }

    /// Starts a new job, or resumes one from the state of its journal.
    ///
    /// The seed determines the length of pauses. The input of a resumed job begins at the state's `progress.offset`.
    public init(
        configuration: FeedConfiguration = FeedConfiguration(),
        capabilities: EngineCapabilities = EngineCapabilities(),
        job: JobID,
        epoch: Int? = nil,
        isJournaled: Bool = false,
        resuming state: JournalState? = nil,
        seed: UInt64
    ) {
        self.configuration = configuration.usable
        self.capabilities = capabilities
        limits = OperationLimits(of: capabilities)
        self.job = job
        self.epoch = epoch
        self.isJournaled = isJournaled
        var random = SplitMix64(seed: seed)
        laneHash = LaneHash(seed: random.next(), mask: configuration.laneMask)
        self.random = random
        flow = FlowControl(configuration.usable, capabilities)
        let first = state?.progress.firstOperation ?? .first
        window = OperationWindow(next: first)
        deadlineCursor = first
        reachedLevel = capabilities.appliedLevel
        if let state { restore(state) }
    }

    /// The number of operations accepted but not settled.
    public var openCount: Int { window.count }

    /// The number of operations in batches whose reply has not arrived.
    public var operationsInFlight: Int { inFlight.values.reduce(0) { $0 + $1.ids.count } }

    /// The number of batches whose reply has not arrived.
    public var batchesInFlight: Int { inFlight.count }

    /// The maximum number of batches that may be in flight now.
    public var inFlightLimit: Int { flow.limit }

    /// The time until which nothing is sent, because the engine requested a pause or is not making progress.
    public var pausedUntil: FeedInstant? { flow.pausedUntil }

    /// Returns the current standstill; `nil` while the feed makes progress.
    public func standstill(at now: FeedInstant) -> Standstill? { flow.lastingStandstill(at: now, workAtHand) }

    /// Handles one event and returns the resulting commands, in order.
    public mutating func handle(_ event: Event, at now: FeedInstant) -> [Command] {
        var commands: [Command] = []
        guard !isFinished else {
            // An operation that already has an ID must be accounted for, however late it arrives.
            if case .pushed(let operations) = event { accept(operations, at: now, &commands) }
            counts.open = window.count
            return []
        }
        switch event {
        case .input(let chunk): accept(chunk, at: now, &commands)
        case .pushed(let operations): accept(operations, at: now, &commands)
        case .inputEnded: reading.hasEnded = true
        case .inputFailed(let reason):
            reading.hasEnded = true
            reading.failure = reason
        case .reply(let batch, let reply): take(reply, of: batch, at: now, &commands)
        case .recorded(let id): recorded(id, at: now, &commands)
        case .recordFailed(let id, let message): recordFailed(id, message, at: now, &commands)
        case .raised(let error): raised(error, &commands)
        case .barrier(let id, let level):
            barriers.append(Barrier(id: id, level: level, through: OperationID(rawValue: window.next.rawValue - 1)))
        case .forget(let id): barriers.removeAll { $0.id == id }
        case .timer: lastWake = nil
        case .stop(let reason): stopReason = stopReason ?? reason
        }
        advance(at: now, &commands)
        counts.open = window.count
        return commands
    }

    /// Carries out every step that has become possible.
    private mutating func advance(at now: FeedInstant, _ commands: inout [Command]) {
        fireTimers(at: now, &commands)
        expireOverdue(at: now, &commands)
        stopIfDue(at: now)
        if stopReason == nil { sendReady(at: now, &commands) }
        for change in flow.takeChanges(at: now, workAtHand) { commands.append(.tell(.flow(change))) }
        announceHold(at: now, &commands)
        if isRecording { flushJournal(&commands) }
        read(&commands)
        raiseForBarriers(&commands)
        finishIfDone(&commands)
        if !isFinished { setWake(at: now, &commands) }
    }

    /// The time for which operations are held back without an announcement.
    private static let shortHold = Duration.seconds(2)

    /// Announces that nothing is sent because all open operations are held back; short waits are not announced.
    private mutating func announceHold(at now: FeedInstant, _ commands: inout [Command]) {
        guard now >= heldUntil, stopReason == nil, window.count > 0, inFlight.isEmpty, ready.first == nil,
            let next = timers.earliest, next >= now + Self.shortHold, let ends = lanes.quarantineEnds(after: now),
            next >= ends.first
        else { return }
        heldUntil = ends.last
        commands.append(.tell(.flow(.held(open: window.count, for: ends.last - now))))
    }

    private mutating func fireTimers(at now: FeedInstant, _ commands: inout [Command]) {
        var settled: [OperationOutcome] = []
        while let target = timers.popDue(at: now) {
            switch target {
            case .operation(let id):
                if let entry = window[id], entry.state == .paused, entry.pausedUntil <= now {
                    makeReady(id, at: now)
                }
            case .lane(let lane): release(lane, at: now, &settled)
            }
        }
        announce(settled, &commands)
        flow.endPause(at: now)
    }

    private mutating func release(_ lane: LaneKey, at now: FeedInstant, _ settled: inout [OperationOutcome]) {
        if let until = lanes[lane]?.quarantinedUntil, until > now {
            return timers.insert(.lane(lane), at: until)
        }
        if let id = lanes.release(lane, at: now), window[id]?.state == .behind { begin(id, at: now, &settled) }
    }

    mutating func makeReady(_ id: OperationID, at now: FeedInstant) {
        var byteCount: Int?
        window.update(id) { entry in
            entry.state = .ready
            byteCount = entry.byteCount
        }
        if let byteCount { ready.append(id, byteCount: byteCount, at: now) }
    }

    /// Settles operations whose deadline has passed; an operation in flight is settled when its reply arrives.
    private mutating func expireOverdue(at now: FeedInstant, _ commands: inout [Command]) {
        // Operations not sent before a stop stay open: deadlines do not apply to them until a later run.
        guard configuration.operationTimeout != nil, stopReason == nil else { return }
        var settled: [OperationOutcome] = []
        while deadlineCursor < window.next {
            if let entry = window[deadlineCursor] {
                guard entry.deadline <= now else { break }
                if entry.state == .inFlight {
                    window.update(deadlineCursor) { $0.isOverdue = true }
                } else if lanes[entry.lane]?.head == deadlineCursor {
                    expire(deadlineCursor, nil, at: now, &settled)
                } else {
                    // The operation could not be sent, because an earlier one on the same document is still in flight.
                    window.update(deadlineCursor) { $0.isOverdue = true }
                }
            }
            deadlineCursor = deadlineCursor.next
        }
        announce(settled, &commands)
        if !settled.isEmpty { forgetSettledChunks() }
    }

    private mutating func stopIfDue(at now: FeedInstant) {
        // If nothing is left to send, there is nothing to stop.
        guard stopReason == nil, !reading.hasEnded || window.count > 0 else { return }
        stopReason = flow.stop(at: now, workAtHand)
    }
}

extension FeederCore {
    /// Requests the next level that a caller is waiting for, once all operations concerned are settled.
    private mutating func raiseForBarriers(_ commands: inout [Command]) {
        guard stopReason == nil else { return answerBarriersAfterStop(&commands) }
        guard raising == nil, !barriers.isEmpty || isDrained else { return }
        // An outcome that is not durable yet counts as open.
        let lowest = min(window.lowest, journal.lowestPending ?? window.lowest)
        var level = isDrained && reading.hasEnded ? configuration.level : .submitted
        for barrier in barriers where barrier.through < lowest { level = max(level, barrier.level) }
        if level > reachedLevel {
            raising = Raising(level: level, through: lowest, settled: counts.settled)
            commands.append(.raise(level))
        } else {
            answerBarriers(below: lowest, reached: reachedLevel, &commands)
        }
    }

    private mutating func answerBarriersAfterStop(_ commands: inout [Command]) {
        guard let stopReason, inFlight.isEmpty else { return }
        for barrier in barriers { commands.append(.reached(barrier.id, stopReason.engineError)) }
        barriers = []
    }

    private mutating func raised(_ error: EngineError?, _ commands: inout [Command]) {
        guard let raising else { return }
        self.raising = nil
        if let error {
            stopReason = stopReason ?? .engine(error.code, message: error.message)
        } else {
            if counts.settled == raising.settled { reachedLevel = raising.level }
            answerBarriers(below: raising.through, reached: raising.level, &commands)
        }
    }

    private mutating func answerBarriers(
        below lowest: OperationID,
        reached: CompletionLevel,
        _ commands: inout [Command]
    ) {
        barriers.removeAll { barrier in
            guard barrier.through < lowest, barrier.level <= reached else { return false }
            commands.append(.reached(barrier.id, nil))
            return true
        }
    }

    /// Whether a caller is waiting for the operations accepted so far.
    var hasBarriers: Bool { !barriers.isEmpty }

    /// Ends the feed when no work is left, or when no more work is allowed.
    private mutating func finishIfDone(_ commands: inout [Command]) {
        guard raising == nil else { return }
        if let stopReason {
            guard inFlight.isEmpty, isJournalSettled else { return }
            isFinished = true
            commands.append(.finish(.stopped(stopReason)))
        } else if reading.hasEnded, isDrained, configuration.level <= reachedLevel, barriers.isEmpty {
            isFinished = true
            commands.append(.finish(reading.failure.map { .stopped($0) } ?? .completed))
        }
    }

    /// Whether no operation is open and no transaction is in progress.
    private var isDrained: Bool { window.count == 0 && isJournalSettled }

    /// Whether leases and outcomes are written to the journal before the core acts on them.
    var isRecording: Bool { isJournaled && !journal.isBroken }

    private var isJournalSettled: Bool { !isRecording || journal.isIdle }

    private mutating func setWake(at now: FeedInstant, _ commands: inout [Command]) {
        let isStopped = stopReason != nil
        var wishes = [timers.earliest, flow.wake(after: now, isStopped: isStopped, workAtHand)]
        if !isStopped { wishes += [lingerEnd, nextDeadline] }
        guard let earliest = wishes.compactMap({ $0 }).filter({ $0 > now }).min(),
            earliest != lastWake, earliest != .never
        else { return }
        lastWake = earliest
        commands.append(.wake(at: earliest))
    }

    private var workAtHand: WorkAtHand { WorkAtHand(open: window.count, batchesInFlight: inFlight.count) }

    private var nextDeadline: FeedInstant? {
        guard configuration.operationTimeout != nil else { return nil }
        return window[deadlineCursor]?.deadline
    }
}

extension FeederCore {
    /// An event in a feed: the only input of the core.
    public enum Event: Sendable {
        /// A piece of the input, requested by ``Command/read``.
        case input(OperationChunk)
        /// Operations that already have their IDs: the next ones, in this order.
        case pushed([ContentOperation])
        case inputEnded
        /// The input can't be read any further; operations already read are still carried out.
        case inputFailed(StopReason)
        /// The reply to a batch, or its failure.
        case reply(BatchID, BatchReply)
        /// A journal transaction is durable.
        case recorded(JournalTransaction.ID)
        /// A journal transaction could not be made durable.
        case recordFailed(JournalTransaction.ID, String)
        /// The level requested by ``Command/raise(_:)`` was reached, or can't be reached.
        case raised(EngineError?)
        /// A caller is waiting until all operations accepted so far have reached the level.
        case barrier(BarrierID, CompletionLevel)
        /// No caller is waiting for the barrier anymore.
        case forget(BarrierID)
        /// The moment requested by ``Command/wake(at:)`` has arrived.
        case timer
        /// A request to stop reading and sending, and to end once the replies to all batches in flight have arrived.
        case stop(StopReason)
    }

    /// An action requested by the core.
    public enum Command: Sendable {
        /// Read one more chunk of input.
        case read
        /// Send this batch to the engine.
        case send(ContentBatch)
        /// Make this transaction durable, then report ``Event/recorded(_:)``.
        case record(JournalTransaction)
        /// Send this event to the observer.
        case tell(FeedEvent)
        /// Raise all applied operations to this level, then report ``Event/raised(_:)``.
        case raise(CompletionLevel)
        /// A barrier's condition is met, or can no longer be met.
        case reached(BarrierID, EngineError?)
        /// Send ``Event/timer`` at this moment, and discard any earlier request.
        case wake(at: FeedInstant)
        /// The feed has ended; no more commands follow.
        case finish(FeedEnd)
    }
}

extension StopReason {
    /// The reason as part of a sentence.
    package var words: String {
        switch self {
        case .interrupted, .terminated: "interrupted"
        case .engine(_, let message), .source(_, let message), .input(let message), .storage(let message): message
        case .gaveUp(let time, let last): "no progress for \(time): \(last)"
        case .deadline(let time): "its time limit of \(time) has passed"
        case .halted(let errors, let settled): "\(errors) of \(settled) operations failed"
        }
    }
}

extension StopReason {
    /// The error that a waiting caller gets for this reason.
    var engineError: EngineError {
        switch self {
        case .engine(let code, let message), .source(let code, let message): EngineError(code, message)
        case .input(let message), .storage(let message): EngineError(.inputOutput, message)
        case .gaveUp(_, let last): EngineError(.unreachable, "nothing has succeeded for too long; last error: \(last)")
        case .deadline: EngineError(.rejected, "the feed exceeded its time limit")
        case .halted(let errors, _):
            EngineError(.rejected, "\(Quantity(errors, "document has an error", "documents have errors"))")
        case .interrupted, .terminated: EngineError(.rejected, "the feed was stopped")
        }
    }
}

// MARK: Configuration

/// The settings of a feeder, which control batching, waiting and retries.
///
/// FAST's names for these settings: `maxDocsInBatch` is ``batchCount``, `batchSizeKB` is ``batchBytes``,
/// `activeDocumentsLimitMB` is ``windowBytes``, `documentTimeoutMin` is ``operationTimeout``.
public struct FeedConfiguration: Hashable, Sendable {
    /// The maximum number of operations in a batch; `nil` for a number that suits the engine, determined while feeding.
    public var batchCount: Int?
    /// The maximum number of bytes of IDs and documents in a batch; `nil` to start with 1 MiB and increase it while
    /// larger batches are faster.
    ///
    /// A document that is larger is sent alone.
    public var batchBytes: Int?
    /// The time an operation waits for others before a partial batch is sent.
    public var linger = Duration.milliseconds(100)
    /// The same wait while nothing is in flight, for feeds whose callers wait for each batch; `nil` to use ``linger``.
    ///
    /// While a batch is in flight, other callers fill the next one.
    package var idleLinger: Duration?
    /// The maximum number of operations that may be open at once.
    public var windowCount = 64_000
    /// The maximum number of bytes of operations that may be open at once.
    public var windowBytes = 64 << 20
    /// How many batches may be in flight.
    public var batchesInFlight = BatchesInFlight.adaptive
    /// The maximum number of operations sent in a span of time; `nil` for no limit.
    public var rate: OperationRate?
    /// The treatment of removals and updates of documents that do not exist.
    public var missing = MissingPolicy.error
    /// Whether only new documents are added: a document that already exists is reported as an error and not changed.
    ///
    /// This requires an engine that honors conditions, as all engines of this package do.
    public var addsOnlyNew = false
    /// Whether an update adds a document that does not exist.
    public var addsMissing = false
    /// Whether an ID that occurs again is reported as a duplicate.
    ///
    /// This is unsuitable for operations from several clients, or for a feeder that runs for a long time.
    package var reportsDuplicates = true
    /// The level an operation must reach to count as done.
    public var level = CompletionLevel.secured
    /// How often and how soon operations are retried.
    public var retry = RetryPolicy()
    /// The time an operation may take after it was accepted; `nil` for no limit.
    public var operationTimeout: Duration?
    /// The time for which an abandoned request may still take effect; `nil` for the engine's own value.
    public var quarantine: Duration?
    /// The time for which the feed continues without any success while there are failures; `nil` for no limit.
    public var giveUpAfter: Duration? = .seconds(15 * 60)
    /// The time the whole feed may take; `nil` for no limit.
    public var deadline: Duration?
    /// The limit on document errors at which the feed stops; `nil` for no limit.
    public var halt: HaltPolicy?
    /// The bits of a lane's key that count: tests use fewer of them, so documents share lanes.
    var laneMask = UInt32.max

    /// Creates the default settings.
    public init() {}
}

extension FeedConfiguration {
    /// A copy in which every limit is at least one, because a feed with a limit of zero would never make progress.
    var usable: FeedConfiguration {
        var usable = self
        usable.batchCount = batchCount.map { max(1, $0) }
        usable.batchBytes = batchBytes.map { max(1, $0) }
        usable.windowCount = min(max(1, windowCount), Self.maximumWindowCount)
        usable.windowBytes = max(1, windowBytes)
        usable.retry.attempts = max(1, retry.attempts)
        usable.giveUpAfter = Self.bounded(giveUpAfter)
        usable.deadline = Self.bounded(deadline)
        return usable
    }

    /// The upper limit on open operations, more than any engine can use; their IDs may span a range eight times as
    /// large.
    private static let maximumWindowCount = 1 << 24

    /// The maximum number of bytes in a batch before a better value is known.
    static let firstBatchBytes = 1 << 20

    /// Whether the best batch size is determined while feeding.
    var sizesBatches: Bool { batchCount == nil && batchBytes == nil }

    /// The longest wait, ten years: anything longer counts as unlimited, so the clock can't overflow.
    private static let longestWait = Duration.seconds(10 * 365 * 86_400)

    private static func bounded(_ wait: Duration?) -> Duration? {
        guard let wait, wait < longestWait else { return nil }
        return max(.zero, wait)
    }
}

/// The treatment of removals and updates of documents that do not exist.
public enum MissingPolicy: String, Hashable, Sendable, CaseIterable {
    case error
    case warn
    case ignore
}

/// The limits on how often and how soon an operation is retried.
public struct RetryPolicy: Hashable, Sendable {
    /// The total number of attempts; attempts that the engine postponed because of its load do not count.
    public var attempts = 10
    /// The longest pause after the first failure; it doubles with each further failure.
    public var base = Duration.milliseconds(100)
    /// The longest pause between two attempts.
    public var maximum = Duration.seconds(30)
    /// The longest pause that an engine can request.
    public var maximumSlowDown = Duration.seconds(300)

    /// Creates the default limits.
    public init() {}

    /// Returns a random pause before attempt `attempt + 1`: full jitter, so the requests of many clients spread out.
    package func pause(after attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let doublings = min(max(attempt - 1, 0), 20)
        let ceiling = min(maximum, base * (1 << doublings))
        return ceiling * Double.random(in: 0...1, using: &generator)
    }
}

/// The number of batches that may be in flight at the same time; the engine's own limit applies as well.
public enum BatchesInFlight: Hashable, Sendable {
    /// The smallest number with the highest throughput, determined while feeding.
    case adaptive
    /// Always up to this many batches.
    case fixed(Int)
}

/// The limit on document errors beyond which the feed does not continue.
public enum HaltPolicy: Hashable, Sendable {
    /// This many documents.
    case errors(Int)
    /// This share of the settled documents, in percent, once there are ``leastSettled`` of them.
    case percent(Double)

    /// The minimum number of settled documents for a share to be meaningful.
    public static let leastSettled = 100

    /// Returns whether a feed with these counts should stop.
    func applies(to errors: Int, of settled: Int) -> Bool {
        guard errors > 0 else { return false }
        return switch self {
        case .errors(let limit): errors >= limit
        case .percent(let share): settled >= Self.leastSettled && Double(errors) * 100 >= share * Double(settled)
        }
    }
}

/// A number of operations in a span of time: `500/s`, `90/m`.
public struct OperationRate: Hashable, Sendable {
    /// The operations in a period.
    public let count: Int
    /// The span of time in which they may be sent.
    public let period: Duration

    /// The maximum number of operations, more than any engine accepts.
    public static let maximumCount = 1_000_000_000

    /// Creates a rate of at least one and at most ``maximumCount`` operations in a second or longer.
    public init(_ count: Int, per period: Duration = .seconds(1)) {
        self.count = min(max(count, 1), Self.maximumCount)
        self.period = max(period, .seconds(1))
    }
}

/// A token bucket for operations: one second's worth may be sent at once, and after that no more than the rate allows.
///
/// Its state is the time at which the bucket will be full again, to the attosecond, so rounding errors don't
/// accumulate: in any span of time, no more operations are sent than the rate allows, plus one second's worth.
struct RateLimit: Hashable, Sendable {
    /// The time that one operation uses up.
    private let interval: Duration
    /// The maximum number of operations sent at once.
    let burst: Int
    /// The maximum number of operations in a batch: a quarter of a burst, so the engine's work is spread out.
    let maximumCount: Int
    /// The moment at which the bucket is full again, since the start of the feed.
    private var fullAt = Duration.zero

    init(_ rate: OperationRate) {
        interval = rate.period / rate.count
        burst = max(1, Int(Duration.seconds(1) / interval))
        maximumCount = max(1, burst / 4)
    }

    /// Returns the time, now or later, at which `count` operations may be sent.
    ///
    /// When the bucket is full, more than a burst may be sent; the operations after that wait longer.
    func start(of count: Int, at now: FeedInstant) -> FeedInstant {
        let missing = interval * min(count, burst) - interval * burst
        return max(now, FeedInstant(sinceStart: max(fullAt, now.sinceStart) + missing))
    }

    mutating func take(_ count: Int, at now: FeedInstant) {
        fullAt = max(fullAt, now.sinceStart) + interval * count
    }
}
