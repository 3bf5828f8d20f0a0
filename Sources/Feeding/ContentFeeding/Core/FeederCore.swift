/// The feeder's decisions, without threads, clocks, sockets or files: events in, commands out.
///
/// Everything that can race is decided here, so a seed and a list of events repeat any run exactly. Whoever drives it
/// executes the commands in their order and reports back by events.
///
/// It promises that each accepted operation is settled exactly once or still open; that the operations on one document
/// happen in order, also when a copy of an earlier one may still be under way; and that what it holds is bounded.
public struct FeederCore: Sendable {
    let configuration: FeedConfiguration
    let capabilities: EngineCapabilities
    let job: JobID
    /// Commits leases and outcomes to a journal before it acts on them.
    let isJournaled: Bool
    let laneHash: LaneHash
    var random: SplitMix64

    /// Where all accepted operations are.
    public internal(set) var counts = FeedCounts()
    /// What was read so far.
    public internal(set) var input = InputTally()
    /// Batches that were sent again, whole or in part.
    public internal(set) var resentBatches = 0
    public internal(set) var sentBatches = 0

    var window: OperationWindow
    var lanes = Lanes()
    var ready = ReadyQueue()
    var timers = TimerQueue()
    /// Parts of batches that were refused whole.
    var groups: [SendGroup] = []
    var splits = SplitTallies()
    var inFlight: [BatchID: SentBatch] = [:]
    var lastBatch: UInt64 = 0

    var reading = Reading()
    var throttle: Throttle
    var breaker = CircuitBreaker()
    var rate: RateLimit?
    /// When the rate allows what is ready to leave.
    var rateWake: FeedInstant?
    /// The most bytes in a batch, learned from one that was too large.
    var learnedBytes: Int?
    /// The largest operation that the engine took, in bytes.
    var largestTaken = 0
    /// Settled in this run, and those of them with an error.
    var settledHere = 0
    var errorsHere = 0
    var told = ToldFlow()
    /// The next operation whose deadline is looked at.
    var deadlineCursor: OperationID
    var barriers: [Barrier] = []
    /// The highest level that everything settled has come to.
    public internal(set) var reachedLevel: CompletionLevel
    var raising: Raising?
    var journal = JournalBuffer()
    var stopReason: StopReason?
    var isFinished = false
    var lastWake: FeedInstant?

    /// Where reading stands.
    struct Reading {
        var isRequested = false
        var hasEnded = false
        var failure: String?
        /// Where the input goes on, and what was read before that.
        var offset = InputOffset.start
        /// Chunks that still have open operations, oldest first.
        var chunks: [Chunk] = []
        /// What an earlier run of the job left.
        var earlier: EarlierRun?

        struct Chunk {
            let first: OperationID
            let offset: InputOffset
            let inputBefore: InputTally
        }
    }

    /// What an earlier run of the job left: its input is read again, and most of its operations are passed over.
    struct EarlierRun {
        let progress: FeedProgress
        let acceptedThrough: OperationID
        /// Operations up to here may have been sent.
        let leasedThrough: OperationID
    }

    struct Barrier {
        let id: BarrierID
        let level: CompletionLevel
        let through: OperationID
    }

    /// A level that the engine was asked for, and how much was settled then: what came later is not part of it.
    struct Raising {
        let level: CompletionLevel
        let through: OperationID
        let settled: Int
    }

    /// Starts a new job, or goes on with one from what its journal holds.
    ///
    /// The seed decides the length of pauses. The input of a resumed job begins at the state's `progress.offset`.
    public init(
        configuration: FeedConfiguration = FeedConfiguration(),
        capabilities: EngineCapabilities = EngineCapabilities(),
        job: JobID,
        isJournaled: Bool = false,
        resuming state: JournalState? = nil,
        seed: UInt64
    ) {
        self.configuration = configuration.usable
        self.capabilities = capabilities
        self.job = job
        self.isJournaled = isJournaled
        var random = SplitMix64(seed: seed)
        laneHash = LaneHash(seed: random.next(), mask: configuration.laneMask)
        self.random = random
        throttle = Throttle(configuration.batchesInFlight, ceiling: capabilities.maximumBatchesInFlight)
        rate = configuration.rate.map(RateLimit.init)
        told.limit = throttle.limit
        let first = state?.progress.firstOperation ?? .first
        window = OperationWindow(next: first)
        deadlineCursor = first
        reachedLevel = capabilities.appliedLevel
        if let state { restore(state) }
    }

    /// Takes in one event and says what is to be done, in order.
    public mutating func handle(_ event: Event, at now: FeedInstant) -> [Command] {
        var commands: [Command] = []
        guard !isFinished else {
            // An operation that has its ID is accounted for, however late it comes.
            if case .pushed(let operations) = event { accept(operations, at: now, &commands) }
            counts.open = window.count
            return []
        }
        switch event {
        case .input(let chunk): accept(chunk, at: now, &commands)
        case .pushed(let operations): accept(operations, at: now, &commands)
        case .inputEnded: reading.hasEnded = true
        case .inputFailed(let message):
            reading.hasEnded = true
            reading.failure = message
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

    /// Operations that are accepted and not settled.
    public var openCount: Int { window.count }

    /// Operations in batches that have not come back.
    public var operationsInFlight: Int { inFlight.values.reduce(0) { $0 + $1.ids.count } }

    public var batchesInFlight: Int { inFlight.count }

    /// Does all that has become possible.
    private mutating func advance(at now: FeedInstant, _ commands: inout [Command]) {
        fireTimers(at: now, &commands)
        expireOverdue(at: now, &commands)
        stopIfDue(at: now)
        if stopReason == nil { sendReady(at: now, &commands) }
        tellFlow(at: now, &commands)
        flushJournal(&commands)
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
        throttle.endPause(at: now)
    }

    private mutating func release(
        _ lane: LaneKey,
        at now: FeedInstant,
        _ settled: inout [OperationOutcome]
    ) {
        if let until = lanes[lane]?.heldUntil, until > now {
            return timers.insert(.lane(lane), at: until)
        }
        if let row = lanes[lane]?.row { journal.settledRows.append(row) }
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

    private mutating func setWake(at now: FeedInstant, _ commands: inout [Command]) {
        var wishes = [timers.earliest, throttle.pausedUntil]
        if stopReason == nil { wishes += [lingerEnd, nextDeadline, rateWake] + flowWishes }
        guard let earliest = wishes.compactMap({ $0 }).filter({ $0 > now }).min(),
            earliest != lastWake, earliest != .never
        else { return }
        lastWake = earliest
        commands.append(.wake(at: earliest))
    }
}
