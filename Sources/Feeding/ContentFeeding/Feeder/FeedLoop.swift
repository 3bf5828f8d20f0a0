/// The one shell around a ``FeederCore``: runs its commands and brings it the events that follow from them.
///
/// It is a loop over an inbox. Reading, sending, recording and waiting are child tasks that put what came of them into
/// the inbox, so events are handled one at a time, in the isolation of whoever runs the loop.
struct FeedLoop {
    private(set) var core: FeederCore
    let ledger: StatusLedger
    private let engine: any ContentEngine
    private let journal: (any FeedJournal)?
    private let clock: FeedClock
    private let inbox: AsyncStream<FeederCore.Event>
    private var pendingWake: FeedInstant?
    /// The first outcome that could not be written down; from then on the feed only drains.
    private var storageFailure: StopReason?
    let post: AsyncStream<FeederCore.Event>.Continuation

    /// What the loop's owner does at the core's word.
    struct Owner {
        /// Brings one more chunk of input into the inbox.
        var read: () -> Void
        var observe: (FeedEvent, StatusReport) throws -> Void
        var reached: (BarrierID, EngineError?) -> Void = { _, _ in }
    }

    init(engine: any ContentEngine, options: FeedOptions, job: JobID) {
        core = FeederCore(
            configuration: options.configuration,
            capabilities: engine.capabilities,
            job: job,
            isJournaled: options.journal != nil,
            resuming: options.resuming,
            seed: options.seed
        )
        let directory = options.spillDirectory ?? engine.capabilities.spillDirectory ?? "."
        ledger = StatusLedger(
            job: job,
            collection: engine.collection,
            level: options.configuration.level,
            spill: SpillLocation(directory: directory, maximumBytes: options.maximumSpillBytes)
        )
        self.engine = engine
        journal = options.journal
        clock = options.clock
        (inbox, post) = AsyncStream.makeStream()
    }

    /// Runs until the core is finished.
    ///
    /// `start` adds the tasks that feed the inbox from outside.
    mutating func run(
        _ owner: Owner,
        isolation: isolated (any Actor)? = #isolation,
        start: (inout DiscardingTaskGroup) -> Void = { _ in }
    ) async -> FeedEnd {
        await withDiscardingTaskGroup(isolation: isolation) { group in
            // Only a closure that captures the isolation runs in it; without, the owner's state would be raced for.
            _ = isolation
            start(&group)
            execute(core.handle(.timer, at: clock.now()), in: &group, owner)
            while ledger.end == nil {
                // A local iterator each time: the loop must stay usable by its owner between two events.
                var iterator = inbox.makeAsyncIterator()
                guard let event = await iterator.next(isolation: isolation) else { break }
                if case .timer = event { pendingWake = nil }
                execute(core.handle(event, at: clock.now()), in: &group, owner)
            }
            group.cancelAll()
            post.finish()
        }
        return ledger.end ?? .stopped(.interrupted)
    }

    var report: StatusReport { ledger.report(of: core, seconds: clock.now().sinceStart) }

    /// What others wait for goes first, what is only told comes second.
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
        if ledger.end != nil { ledger.end = .stopped(failure) }
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
            group.addTask { [engine, post] in post.yield(.reply(batch.id, await engine.apply(batch))) }
        case .record(let transaction):
            group.addTask { [journal, post] in post.yield(await recorded(transaction, by: journal)) }
        case .raise(let level):
            group.addTask { [engine, post] in post.yield(.raised(await failure(raising: engine, to: level))) }
        case .wake(let instant): wake(at: instant, in: &group)
        case .accepted, .rejected, .settled, .retrying, .reached, .finish: break
        }
    }

    private mutating func tell(_ command: FeederCore.Command, _ owner: Owner) throws {
        switch command {
        case .finish(let end): ledger.end = storageFailure.map { .stopped($0) } ?? end
        case .reached(let barrier, let error): owner.reached(barrier, error)
        case .accepted(let first, let operations):
            try owner.observe(.accepted(first: first, operations: operations), report)
        case .rejected(let rejections):
            ledger.add(rejections)
            try owner.observe(.rejected(rejections), report)
        case .settled(let outcomes):
            try ledger.add(outcomes)
            try owner.observe(.settled(outcomes), report)
        case .retrying(let count, let failure, let pause):
            try owner.observe(.retrying(count: count, failure, after: pause), report)
        case .send(let batch): try owner.observe(.sent(batch.id, count: batch.items.count), report)
        case .read, .record, .raise, .wake: break
        }
    }

    /// A timer that is due earlier does as well: the core then says anew what it waits for.
    private mutating func wake(at instant: FeedInstant, in group: inout DiscardingTaskGroup) {
        if let pendingWake, pendingWake <= instant { return }
        pendingWake = instant
        group.addTask { [clock, post] in
            try? await clock.sleep(instant)
            post.yield(.timer)
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
        return .stop(.storage(message: error.description))
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
