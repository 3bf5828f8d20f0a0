import TextKit

/// The feeder's decisions, without threads, clocks, sockets or files: events in, commands out.
///
/// Everything that can race is decided here, so a seed and a list of events reproduce any run exactly. The driver
/// executes the commands in order and reports back with events.
///
/// It guarantees that each accepted operation is settled exactly once or still open; that the operations on one
/// document happen in order, even if a copy of an earlier one may still be under way; and that what it holds is
/// bounded.
public struct FeederCore: Sendable {
    let configuration: FeedConfiguration
    let capabilities: EngineCapabilities
    let limits: OperationLimits
    let job: JobID
    /// The epoch of the claim; `nil` if nobody claimed the job, so that nothing of it is stored.
    let epoch: Int?
    /// Whether leases and outcomes are committed to a journal before the core acts on them.
    let isJournaled: Bool
    let laneHash: LaneHash
    var random: SplitMix64

    /// Counts of all accepted operations: open, and settled by outcome.
    public internal(set) var counts = FeedCounts()
    /// Counts of the input read so far.
    public internal(set) var input = InputTally()
    /// Batches that were sent again, whole or in part.
    public internal(set) var resentBatches = 0
    /// Batches sent so far.
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
    /// The highest level that everything settled has reached.
    public internal(set) var reachedLevel: CompletionLevel
    private var raising: Raising?
    var journal = JournalBuffer()
    var carried = CarriedOutcomes()
    var stopReason: StopReason?
    private var isFinished = false
    private var lastWake: FeedInstant?

    /// The state of reading.
    struct Reading {
        var isRequested = false
        var hasEnded = false
        var failure: StopReason?
        /// The place where the input continues.
        var offset = InputOffset.start
        /// The digest of the input before ``offset``.
        var digest: [UInt8] = []
        /// Chunks that still have open operations, oldest first.
        var chunks: [Chunk] = []
        /// The state left by an earlier run of the job.
        var resumed: ResumedRun?
        /// The documents of the last removals.
        var removed = RecentDocuments()
        /// The documents that were added last.
        var added = RecentDocuments()

        struct Chunk {
            let first: OperationID
            let offset: InputOffset
            let digest: [UInt8]
            let inputBefore: InputTally
        }
    }

    /// The state left by an earlier run of the job: its input is read again, and most of its operations are skipped.
    struct ResumedRun {
        let progress: FeedProgress
        let acceptedThrough: OperationID
        /// The last operation that may have been sent.
        let leasedThrough: OperationID
    }

    private struct Barrier {
        let id: BarrierID
        let level: CompletionLevel
        let through: OperationID
    }

    /// A level requested of the engine, and how much was settled then: later operations are not part of it.
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

    /// The number of operations in batches that have not come back.
    public var operationsInFlight: Int { inFlight.values.reduce(0) { $0 + $1.ids.count } }

    /// Batches sent but not yet answered.
    public var batchesInFlight: Int { inFlight.count }

    /// The most batches that may be in flight now.
    public var inFlightLimit: Int { flow.limit }

    /// The time until which nothing is sent, because the engine asked for a pause or makes no progress.
    public var pausedUntil: FeedInstant? { flow.pausedUntil }

    /// Returns the standstill that lasts now; `nil` while the feed moves.
    public func standstill(at now: FeedInstant) -> Standstill? { flow.lastingStandstill(at: now, workAtHand) }

    /// Handles one event and returns the resulting commands, in order.
    public mutating func handle(_ event: Event, at now: FeedInstant) -> [Command] {
        var commands: [Command] = []
        guard !isFinished else {
            // An operation that has its ID is accounted for, however late it arrives.
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

    /// Does everything that has become possible.
    private mutating func advance(at now: FeedInstant, _ commands: inout [Command]) {
        fireTimers(at: now, &commands)
        expireOverdue(at: now, &commands)
        stopIfDue(at: now)
        if stopReason == nil { sendReady(at: now, &commands) }
        for change in flow.takeChanges(at: now, workAtHand) { commands.append(.tell(.flow(change))) }
        if isRecording { flushJournal(&commands) }
        read(&commands)
        raiseForBarriers(&commands)
        finishIfDone(&commands)
        if !isFinished { setWake(at: now, &commands) }
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

    private mutating func release(
        _ lane: LaneKey,
        at now: FeedInstant,
        _ settled: inout [OperationOutcome]
    ) {
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

    /// Settles operations whose deadline has passed; those in flight are settled when they come back.
    private mutating func expireOverdue(at now: FeedInstant, _ commands: inout [Command]) {
        // Operations not sent before a stop stay open: a later run has all the time in the world for them.
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
                    // Its turn never came: an earlier operation on the document is still in flight.
                    window.update(deadlineCursor) { $0.isOverdue = true }
                }
            }
            deadlineCursor = deadlineCursor.next
        }
        announce(settled, &commands)
        if !settled.isEmpty { forgetSettledChunks() }
    }

    private mutating func stopIfDue(at now: FeedInstant) {
        // With nothing left to send there is nothing to stop.
        guard stopReason == nil, !reading.hasEnded || window.count > 0 else { return }
        stopReason = flow.stop(at: now, workAtHand)
    }
}

extension FeederCore {
    /// Asks the engine for the next level that someone waits for, once everything they wait for is settled.
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

    /// Whether someone waits for what was accepted so far.
    var hasBarriers: Bool { !barriers.isEmpty }

    /// Ends the feed when there is nothing left to do, or nothing more may be done.
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

    /// Whether nothing is open and nothing is on its way to the journal.
    private var isDrained: Bool { window.count == 0 && isJournalSettled }

    /// Whether leases and outcomes go to the journal before the core acts on them.
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
        /// A batch came back.
        case reply(BatchID, BatchReply)
        /// A journal transaction is durable.
        case recorded(JournalTransaction.ID)
        /// A journal transaction could not be made durable.
        case recordFailed(JournalTransaction.ID, String)
        /// The level requested by ``Command/raise(_:)`` is reached, or can't be.
        case raised(EngineError?)
        /// A caller waits until everything accepted so far has reached the level.
        case barrier(BarrierID, CompletionLevel)
        /// Nobody waits for the barrier anymore.
        case forget(BarrierID)
        /// The moment requested by ``Command/wake(at:)`` has come.
        case timer
        /// A request to read and send nothing more, and to end once everything in flight has come back.
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
        /// Tell the observer of this event.
        case tell(FeedEvent)
        /// Raise everything applied to this level, then report ``Event/raised(_:)``.
        case raise(CompletionLevel)
        /// A barrier's condition holds, or can't be met anymore.
        case reached(BarrierID, EngineError?)
        /// Send ``Event/timer`` at this moment, and forget any earlier request.
        case wake(at: FeedInstant)
        /// The feed has ended; no more commands follow.
        case finish(FeedEnd)
    }
}

extension StopReason {
    /// The error that a waiting caller gets for this reason.
    var engineError: EngineError {
        switch self {
        case .engine(let code, let message), .source(let code, let message): EngineError(code, message)
        case .input(let message), .storage(let message): EngineError(.inputOutput, message)
        case .gaveUp(_, let last): EngineError(.unreachable, "nothing has succeeded for too long; last: \(last)")
        case .deadline: EngineError(.rejected, "the feed ran out of time")
        case .halted(let errors, _):
            EngineError(.rejected, "\(Quantity(errors, "document has an error", "documents have errors"))")
        case .interrupted, .terminated: EngineError(.rejected, "the feed was stopped")
        }
    }
}
