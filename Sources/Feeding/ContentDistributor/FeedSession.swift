import ContentFeeding
import FeedFormats
import FeedJobs
import Files
import JobJournal
import Notifications
import Schedules
import Synchronization
import TextKit

/// A client's session: the batches that the client sent, the job that feeds them, and their outcomes.
///
/// The job is like the jobs of the command-line tool: its journal allows it to resume after a crash, and its engine
/// prevents an operation from being performed twice. A session is an actor, because batches arrive while outcomes
/// return.
actor FeedSession {
    nonisolated let id: String
    nonisolated let collection: CollectionName
    /// The name of the client that may use the session.
    nonisolated let owner: String
    /// The signal that is sent whenever the session's state has changed.
    nonisolated let changed = ChangeSignal()
    /// The events of the session in the form that its followers receive.
    nonisolated let events = FollowedEvents()

    private let store: BatchStore
    private let target: OpenableTarget
    /// The stores that all sessions share, because separate stores would use up the process's file descriptors.
    private let collections: OpenCollections
    private let fedStore: FedStore
    private let jobFolder: String
    private let missing: MissingPolicy
    private let stops: StopBroadcast
    private let totals: OperationTotals
    /// The form of a collection's documents, according to the current settings.
    private let keeping: @Sendable (CollectionName) -> DocumentKeeping
    /// The limits in the current settings.
    private let limits: @Sendable () -> DistributorLimits
    private let notifier: Notifier
    private let clock: any ScheduleClock
    private let arrived = ChangeSignal()
    private let log: @Sendable (String) -> Void
    /// Whether the client requests the outcome of each operation.
    nonisolated let keepsOutcomes: Bool
    /// Earlier sessions of the client, whose operations are fed before this session's.
    private var earlier: [FeedSession]
    private var outcomes = RecentOutcomes()
    private var lastRequest = ContinuousClock.now

    private var job: String?
    private var lastBatch: UInt64
    private var operations: UInt64
    private var isClosed: Bool
    private var settled = SettledOperations()
    private var counts = FeedCounts()
    private var errors = 0
    private var warnings = 0
    /// The engine of the last feed.
    ///
    /// The feed itself is not kept, because it holds the job's lock, which the next feed needs.
    private var engine: (any CollectionEngine)?
    private var failure: (code: EngineError.Code?, message: String)?
    /// The start of the period in which nothing has succeeded although there is something to do, and the reason.
    private var standstill: (since: Duration, message: String)?
    private var hasEnded = false
    private let began: Duration?
    private var ended: Duration?
    private var worker: Task<Void, Never>?
    /// Whether operations may be in flight.
    private var isSending = false

    init(
        _ session: BatchStore.Session,
        in store: BatchStore,
        at target: OpenableTarget,
        _ collections: OpenCollections,
        feeding fedStore: FedStore,
        jobFolder: String,
        after earlier: [FeedSession] = [],
        stops: StopBroadcast,
        totals: OperationTotals,
        keeping: @escaping @Sendable (CollectionName) -> DocumentKeeping,
        limits: @escaping @Sendable () -> DistributorLimits,
        notifier: Notifier,
        clock: any ScheduleClock,
        log: @escaping @Sendable (String) -> Void
    ) {
        (self.stops, self.totals, self.keeping, self.notifier) = (stops, totals, keeping, notifier)
        self.limits = limits
        (id, collection, owner, missing) = (session.id, session.collection, session.owner, session.missing)
        (keepsOutcomes, self.earlier) = (session.keepsOutcomes, earlier)
        (self.store, self.target, self.collections) = (store, target, collections)
        (self.fedStore, self.jobFolder, self.clock, self.log) = (fedStore, jobFolder, clock, log)
        (job, lastBatch, operations) = (session.job, session.lastBatch, session.operations)
        (isClosed, hasEnded) = (session.isClosed, session.hasEnded)
        (began, ended) = (session.began, session.ended)
    }

    /// Reads the progress made by an earlier server from the job, and continues to feed unless the session has ended.
    func resume() async throws {
        if let job { try await restore(from: JobID(rawValue: job)) }
        start()
    }

    private func restore(from job: JobID) async throws {
        guard let kept = try await keptJob(job) else { return }
        let record = kept.record
        let open = try await kept.ledger().openOperations(of: job)
        (settled, counts) = (SettledOperations(record.progress, open: open), record.counts)
        (errors, warnings) = (record.errors, record.warnings)
    }

    /// A session's state at one point in time.
    struct State: Sendable {
        /// The last batch that has been stored, and the number of operations up to it.
        let lastBatch: UInt64
        let operations: UInt64
        /// The last operation up to which all operations have an outcome.
        let settledThrough: UInt64
        let counts: FeedCounts
        let errors: Int
        let warnings: Int
        /// The job that feeds the batches; `nil` before the first batch.
        let job: String?
        /// The reason why the session is not making progress; `nil` if it is.
        let failure: String?
        let failureCode: EngineError.Code?
        /// The start of the period in which nothing has succeeded although there is something to do, and the reason;
        /// `nil` otherwise.
        let standstill: (since: Duration, message: String)?
        let isClosed: Bool
        /// Whether all operations of a closed session have an outcome.
        let hasEnded: Bool
        /// The times at which the session began and ended, if they are known.
        let began: Duration?
        let ended: Duration?
    }

    var state: State {
        State(
            lastBatch: lastBatch,
            operations: operations,
            settledThrough: settled.through,
            counts: counts,
            errors: errors,
            warnings: warnings,
            job: job,
            failure: failure?.message,
            failureCode: failure?.code,
            standstill: standstill,
            isClosed: isClosed,
            hasEnded: hasEnded,
            began: began,
            ended: ended
        )
    }

    // MARK: Batches

    /// Stores a batch, and accepts it once it has been written to the disk.
    func accept(_ batch: BatchStore.Batch, digest: [UInt8]) async throws -> BatchStore.Acceptance {
        let acceptance = try await store.accept(batch, of: id, digest: digest)
        if case .accepted(let first, let count, let isRepeated) = acceptance {
            if !isRepeated { totals.add(accepted: count) }
            lastBatch = max(lastBatch, batch.number)
            operations = max(operations, first + UInt64(count) - 1)
            arrived.notify()
            changed.notify()
            start()
        }
        return acceptance
    }

    /// Stops accepting batches; those already accepted are still fed.
    func close() async throws {
        guard !isClosed else { return }
        try await store.close(id)
        isClosed = true
        if operations == 0 { await end() }
        arrived.notify()
        changed.notify()
    }

    /// Begins to feed the accepted batches, unless feeding has already begun.
    func start() {
        guard worker == nil, operations > 0, !hasEnded else { return }
        worker = Task { await work() }
    }

    /// Waits until the session has stopped feeding in response to the broadcast; the next server process continues.
    func stopped() async {
        // A feed ends on its own after the replies to the batches in flight; any other wait is interrupted.
        if !isSending { worker?.cancel() }
        await worker?.value
    }

    // MARK: Outcomes

    /// Waits until all operations up to a given one have an outcome and their effects have reached a level.
    ///
    /// Returns `false` if `deadline` passes first.
    func wait(for operation: UInt64, to level: CompletionLevel, within deadline: Duration) async throws -> Bool {
        let end = ContinuousClock.now.advanced(by: deadline)
        while settled.through < operation, !hasEnded {
            let version = changed.version
            guard settled.through < operation else { break }
            guard await changed.change(after: version, until: end) else { return false }
        }
        guard level == .live else { return true }
        // A session that ended before this server started has no feed, but its documents may not yet be live.
        let engine: any CollectionEngine
        if let fed = self.engine {
            engine = fed
        } else {
            engine = try await collections.engine(named: collection)
        }
        try await engine.raise(to: .live)
        return true
    }

    /// Returns some of the session's errors and warnings after the first `done`, in the order in which they occurred.
    func issues(after done: Int) async throws -> [OperationOutcome] {
        guard done < errors + warnings, let job else { return [] }
        let id = JobID(rawValue: job)
        let opening = ledger ?? Task { try await keptJob(id)?.ledger() }
        ledger = opening
        do {
            let page = try await opening.value?.issues(of: id, after: done) ?? []
            // An ended session is rarely queried, so it does not keep the ledger open.
            if hasEnded, done + page.count >= errors + warnings { ledger = nil }
            return page
        } catch {
            ledger = nil
            throw error
        }
    }

    /// The ledger of the job, which is opened once for all its readers.
    private var ledger: Task<JobLedger?, any Error>?

    private func keptJob(_ job: JobID) async throws -> KeptJob? {
        let open = try await collections.collection(named: collection)
        return await (try JobShelf.existing(of: open.store, JobPolicy(folder: jobFolder))).jobs(named: job).first
    }

    /// Waits until all of the given operations have an outcome, and returns the outcomes.
    ///
    /// An outcome is `nil` if the operation was settled before this server started, or too long ago. The whole result
    /// is `nil` if `limit` passes first, or if the session can't currently be fed.
    func outcomes(of range: ClosedRange<UInt64>, within limit: Duration) async -> [RecentOutcomes.Entry?]? {
        let end = ContinuousClock.now.advanced(by: limit)
        while true {
            let version = changed.version
            if settled.contains(range) { return range.map { outcomes[$0] } }
            guard failure == nil, !hasEnded, await changed.change(after: version, until: end) else { return nil }
        }
    }

    /// Records that the client is still active.
    func noteRequest() { lastRequest = .now }

    /// Closes a session that keeps outcomes, and drops the outcomes, if no operation is open and its client has not
    /// sent a request for the given time.
    func close(ifSilentFor limit: Duration) async throws {
        guard keepsOutcomes, settled.through >= operations, .now - lastRequest > limit else { return }
        outcomes = RecentOutcomes()
        try await close()
    }

    /// Waits until all operations accepted so far have an outcome or can no longer get one.
    private func settle() async {
        let last = operations
        while !Task.isCancelled {
            let version = changed.version
            if settled.through >= last || hasEnded || isStuck { return }
            await changed.change(after: version)
        }
    }

    /// Whether the session can't be fed until an operator acts, for example because its collection was deleted.
    private var isStuck: Bool {
        guard let failure else { return false }
        let passing: [EngineError.Code] = [.unreachable, .locked, .exhausted, .diskFull, .inputOutput]
        return !(failure.code.map(passing.contains) ?? false)
    }

    // MARK: Feeding

    /// Feeds until the session has ended, no matter how often the target becomes unavailable.
    private func work() async {
        for session in earlier { await session.settle() }
        earlier = []
        var pause = Duration.seconds(1)
        while !hasEnded, !stops.isStopped {
            do {
                let end = try await feed()
                if end == .completed { return await self.end() }
                if case .stopped(let reason) = end {
                    guard !stops.isStopped else { return }
                    if case .engine(let code, let message) = reason {
                        failure = (code, message)
                    } else {
                        failure = (nil, reason.words)
                    }
                }
                pause = .seconds(1)
            } catch let error as JobError where error.code == .ended && isClosed {
                // The previous server was killed after the job's end, but before the session's end was recorded.
                return await end()
            } catch {
                guard !stops.isStopped else { return }
                failure = ((error as? EngineError)?.code, (error as? any AdvisedError)?.failure.message ?? "\(error)")
            }
            fedStore.forget()
            log("session \(id) is waiting: \(failure?.message ?? "")")
            let since = failingSince ?? clock.uptime
            failingSince = since
            standstill = (standstill?.since ?? ProcessFacts.now, failure?.message ?? "")
            await reportOutage(failure?.message ?? "", of: clock.uptime - since)
            changed.notify()
            try? await clock.sleep(for: pause)
            pause = min(pause * 2, .seconds(30))
        }
    }

    private func end() async {
        let now = ProcessFacts.now
        (hasEnded, ended, standstill) = (true, now, nil)
        if operations > 0 { await notifier.post(.end(of: state, session: id, in: collection.rawValue)) }
        do {
            try await store.end(id, at: now)
        } catch {
            // The next server process will find that the job has ended.
            log("the end of session \(id) could not be recorded: \(error)")
        }
        changed.notify()
    }

    /// Feeds the batches from the job's position to the end of the session.
    private func feed() async throws -> FeedEnd? {
        var plan = plan()
        plan.store = try await fedStore.store()
        let prepared = try await plan.prepare()
        engine = prepared.engine
        failure = nil
        if settled.through >= operations { standstill = nil }
        if let claim = prepared.job.claim {
            if job != claim.id.rawValue {
                try await store.note(job: claim.id.rawValue, of: id)
                (job, ledger) = (claim.id.rawValue, nil)
            }
            if claim.state != nil { try await restore(from: claim.id) }
        }
        // Followers share the bytes created for a state, and a new follower must not get the bytes of an old one.
        changed.notify()
        isSending = true
        defer { isSending = false }
        let sent = try await prepared.send(stops: stops.reasons()) { event, report in self.note(event, report) }
        await release()
        _ = try await sent.conclude()
        return sent.result.report.end
    }

    private func plan() -> FeedPlan {
        let batches = SessionBatches(session: id, store: store, arrived: arrived) { [weak self] number in
            await self?.isAtEnd(after: number) ?? true
        }
        var plan = FeedPlan(.add, PendingInput(batches), at: target, in: target.collection(collection.rawValue))
        plan.options.configuration.idleLinger = .milliseconds(5)
        plan.options.configuration.missing = missing
        plan.options.configuration.giveUpAfter = nil
        plan.options.configuration.reportsDuplicates = false
        plan.jobs = JobPolicy(folder: jobFolder)
        plan.wrapping = { [keeping, collection] engine in KeepingEngine(engine) { keeping(collection) } }
        plan.words = ["content-distributor", "session", id]
        if let job {
            plan.jobs.job = JobID(rawValue: job)
            plan.jobs.isResuming = true
        }
        return plan
    }

    private func isAtEnd(after number: UInt64) -> Bool { isClosed && number >= lastBatch }

    /// The time on the server's clock since which the session can't be fed; `nil` if it can be fed.
    private var failingSince: Duration?
    private static let longOutage = Duration.seconds(300)

    /// Notifies operators of a failure that only they can fix, or that has lasted for a long time.
    private func reportOutage(_ reason: String, of duration: Duration) async {
        guard isStuck || duration >= Self.longOutage else { return }
        let minutes = duration.components.seconds / 60
        let event = ServerEvent(
            isStuck ? .jobFailed : .engineUnavailable,
            at: ProcessFacts.now,
            collection: collection.rawValue,
            subject: isStuck ? "session \(id)" : "collection \(collection.rawValue)",
            message: isStuck
                ? "The session can't continue until an operator acts: \(reason)"
                : "The engine has accepted nothing for \(minutes) minutes: \(reason)",
            details: ["session": id, "reason": reason]
        )
        await notifier.post(event, atMostOncePer: isStuck ? .seconds(86_400) : .seconds(3_600))
    }

    private func note(_ event: FeedEvent, _ report: StatusReport) {
        counts = report.counts
        if case .flow(.standstill(let pause)) = event {
            let reason = pause.failure?.message ?? "it does not respond"
            standstill = (standstill?.since ?? ProcessFacts.now - pause.duration, reason)
            changed.notify()
            Task { await reportOutage(reason, of: pause.duration) }
        }
        if case .flow(.answering) = event { standstill = nil }
        guard case .settled(let outcomes) = event else { return }
        (failingSince, standstill) = (nil, nil)
        for outcome in outcomes {
            settled.insert(outcome.operationID.rawValue)
            if keepsOutcomes { self.outcomes.add(outcome) }
        }
        let issues = outcomes.compactMap(\.issue)
        let failed = issues.count(where: \.isError)
        errors += failed
        warnings += issues.count - failed
        totals.add(settled: outcomes.count, errors: failed)
        changed.notify()
        if settled.through >= releaseAt {
            releaseAt = settled.through + Self.releaseCount
            Task { await release() }
        }
    }

    /// The operation whose outcome triggers the next release of batches.
    private var releaseAt: UInt64 = 0
    private static let releaseCount: UInt64 = 10_000

    /// Drops the bodies of batches that the job will not read again.
    private func release() async {
        guard let job else { return }
        do {
            guard let kept = try await keptJob(JobID(rawValue: job)) else { return }
            let ledger = try kept.ledger()
            let progress = kept.record.progress
            let open = try await ledger.openOperations(of: JobID(rawValue: job))
            // The errors of settled operations are now in the ledger, and their documents are still in the batches.
            try await keepFailures(in: ledger, of: JobID(rawValue: job))
            let settled = SettledOperations(progress, open: open).through
            try await store.release(through: progress.offset.byte, settled: settled, of: id)
        } catch {
            log("the batches of session \(id) could not be released: \(error)")
        }
    }

    // MARK: Failed operations

    /// The number of errors and warnings that were already examined for documents to store.
    private var keptIssues = 0

    /// Stores the documents of failed operations, if their batches are still available.
    private func keepFailures(in ledger: JobLedger, of job: JobID) async throws {
        let limits = limits()
        let kept = try await store.keptCount(of: id)
        var (done, room) = (keptIssues, limits.failures - kept)
        var read: (batch: BatchStore.Batch, operations: [ContentOperation])?
        for try await page in ledger.issuePages(of: job, after: done) {
            var documents: [(operation: UInt64, json: [UInt8])] = []
            for outcome in page where outcome.issue?.isError == true && outcome.kind != .remove && room > 0 {
                let number = outcome.operationID.rawValue
                if read.map({ number < $0.batch.first || number >= $0.batch.first + UInt64($0.batch.count) }) ?? true {
                    let batch = try await store.batch(with: number, of: id)
                    read = batch.map { ($0, operations(in: $0)) }
                }
                guard let (batch, operations) = read, case let index = Int(number - batch.first),
                    index < operations.count
                else { continue }
                documents.append((number, operations[index].json))
                room -= 1
            }
            try await store.keep(documents, of: id, upTo: limits.failureBytes)
            done += page.count
        }
        keptIssues = max(keptIssues, done)
    }

    private func operations(in batch: BatchStore.Batch) -> [ContentOperation] {
        OperationText(batch.body.span, for: batch.kind, source: id, limits: InputLimits()).operations
    }

    /// An operation that failed permanently.
    struct Failed: Sendable {
        /// The number of the error among the session's errors and warnings.
        let number: Int
        let outcome: OperationOutcome
        /// The document, or the keys to merge; `nil` if it is not stored.
        let document: [UInt8]?
    }

    /// The maximum number of errors and warnings examined for one page.
    private static let examinedIssues = 20_000

    /// Returns the operations that failed permanently after the first `done` errors and warnings, and the number of
    /// errors and warnings up to that point (`nil` at the end).
    ///
    /// The page ends after `limit` operations, or when their documents have reached `bytes` bytes.
    func failures(after done: Int, limit: Int, bytes: Int) async throws -> (failures: [Failed], next: Int?) {
        guard let job, let kept = try await keptJob(JobID(rawValue: job)) else { return ([], nil) }
        let ledger = try kept.ledger()
        // This stores the documents of batches that have not been released yet.
        try await keepFailures(in: ledger, of: JobID(rawValue: job))
        var (failures, number, size) = ([Failed](), done, 0)
        for try await page in ledger.issuePages(of: JobID(rawValue: job), after: number) {
            for outcome in page {
                guard failures.count < limit, size < bytes, number - done < Self.examinedIssues else {
                    return (failures, number)
                }
                number += 1
                guard outcome.issue?.isError == true else { continue }
                let document =
                    outcome.kind == .remove
                    ? nil : try await store.failedDocument(of: outcome.operationID.rawValue, of: id)
                size += document?.count ?? 0
                failures.append(Failed(number: number, outcome: outcome, document: document))
            }
        }
        return (failures, nil)
    }
}

/// The batches of a session as the input of its job: first the existing ones, and then new ones as they arrive, until
/// the session is closed.
private struct SessionBatches: CollectionInput {
    let session: String
    let store: BatchStore
    let arrived: ChangeSignal
    let isAtEnd: @Sendable (_ after: UInt64) async -> Bool

    var identity: [String] { ["session", session] }
    var files: [String] { [] }
    var findsWhatIsLeft: Bool { false }

    func open(_ memory: InputMemory, keepsRouting: Bool, _ observer: any FeedObserver) async throws -> FeedInput {
        let place = Mutex(memory.offset.byte)
        return FeedInput.drawn { [self] in
            let number = place.withLock { $0 }
            while true {
                let version = arrived.version
                if let batch = try await store.batch(after: number, of: session) {
                    place.withLock { $0 = batch.number }
                    return chunk(batch)
                }
                if await isAtEnd(number) { return nil }
                await arrived.change(after: version)
                try Task.checkCancellation()
            }
        }
    }

    private func chunk(_ batch: BatchStore.Batch) -> OperationChunk {
        let text = OperationText(batch.body.span, for: batch.kind, source: session, limits: InputLimits())
        return OperationChunk(
            operations: text.operations,
            end: InputOffset(source: 0, byte: batch.number),
            input: InputTally(lines: batch.count, bytes: batch.body.count)
        )
    }
}

/// The outcomes of the operations that a session settled most recently, by their IDs.
struct RecentOutcomes: Sendable {
    /// An outcome, and the reason if it is an error or a warning.
    struct Entry: Sendable, Hashable {
        let outcome: Outcome
        let failure: DocumentFailure?
    }

    /// The maximum number of outcomes, which is more than a client leaves unread: a few batches of the maximum size.
    private static let maximumCount = 100_000
    private var all: [UInt64: Outcome] = [:]
    /// The reasons for errors and warnings; most outcomes have no reason.
    private var failures: [UInt64: DocumentFailure] = [:]
    private var lowest: UInt64 = 1

    /// Returns the outcome of an operation; `nil` if it is unknown.
    subscript(operation: UInt64) -> Entry? {
        all[operation].map { Entry(outcome: $0, failure: failures[operation]) }
    }

    /// Adds an outcome; if there are too many, the outcomes of the lowest operations are dropped.
    mutating func add(_ outcome: OperationOutcome) {
        let operation = outcome.operationID.rawValue
        lowest = all.isEmpty ? operation : min(lowest, operation)
        all[operation] = outcome.outcome
        failures[operation] = outcome.issue?.failure
        while all.count > Self.maximumCount {
            (all[lowest], failures[lowest]) = (nil, nil)
            lowest += 1
        }
    }
}

/// The operations that have an outcome: all operations up to a certain one, and individual ones after it.
struct SettledOperations: Sendable {
    /// The last operation up to and including which all operations have an outcome.
    private(set) var through: UInt64 = 0
    private var beyond: Set<UInt64> = []

    init() {}

    /// Creates the set of operations that a job has settled; the operations in `open` come before the job's position,
    /// but have no outcome yet.
    init(_ progress: FeedProgress, open: [OperationID]) {
        let place = progress.lowestUnsettled.rawValue
        let missing = Set(open.map(\.rawValue))
        through = min(place, missing.min() ?? place) - 1
        for operation in (through + 1)..<max(through + 1, place) where !missing.contains(operation) {
            insert(operation)
        }
        for (index, byte) in progress.settled.enumerated() {
            for bit in 0..<8 where byte & 1 << UInt8(bit) != 0 {
                let operation = place + UInt64(index * 8 + bit)
                if !missing.contains(operation) { insert(operation) }
            }
        }
    }

    /// Returns whether all of the given operations have an outcome.
    func contains(_ operations: ClosedRange<UInt64>) -> Bool {
        operations.upperBound <= through
            || operations.allSatisfy { $0 <= through || beyond.contains($0) }
    }

    /// Adds an operation.
    mutating func insert(_ operation: UInt64) {
        guard operation > through else { return }
        beyond.insert(operation)
        while beyond.remove(through + 1) != nil { through += 1 }
    }
}
