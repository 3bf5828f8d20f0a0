public import ContentFeeding
import EngineCatalog
package import FeedFormats
import Files
import Glibc
import JobJournal
public import TextKit

/// A feed that has not begun, with its input, target and guards.
///
/// ```swift
/// let target = try OpenableTarget("sqlite:/var/lib/search.db")
/// var plan = FeedPlan(.remove, PendingInput(ids: ["a", "b"]), at: target, in: target.collection("web"))
/// plan.backup = "removed.jsonl"
/// let sent = try await plan.prepare().send()
/// _ = try await sent.conclude { _ in print(sent.result.report.counts[.removed]) }
/// ```
public struct FeedPlan: Sendable {
    /// The kind of the operations.
    public let kind: ContentOperation.Kind
    /// The target that is fed.
    public var target: OpenableTarget
    /// The target's store, if it is already open and shared with other feeds; `nil` to open it for this feed alone.
    package var store: (any CollectionAdministration)?
    /// The collection that is fed.
    public var collection: CollectionChoice
    /// The input.
    public var input: PendingInput
    /// The options of the feeder.
    public var options = FeedOptions()
    /// The rules for storing the job.
    public var jobs = JobPolicy()
    /// The maximum number of removals; a feed with more removals is refused.
    public var limit: RemovalLimit?
    /// The file to which documents are written before they change; a resumed job that has a backup keeps it even if
    /// this is `nil`.
    public var backup: String?
    /// Whether documents are backed up even if no file is named; the backup is then stored next to the job.
    public var isAlwaysBackedUp = false
    /// The file for the input's records that fail.
    public var failedRecords: String?
    /// Whether the whole input is determined before anything is sent; after an interruption, the next run determines
    /// the rest again, so no job is stored, except to record a backup.
    public var findsFirst = false
    /// The documents to read again at the end: removed documents must be absent, updated documents must exist, and
    /// added documents must match the documents that were sent.
    public var verification: VerificationScope?
    /// The command line that began the feed, starting with the program's name; it is stored with the job.
    public var words: [String] = []
    /// Normalizes a command line (without the program's name) for comparisons.
    package var comparable: @Sendable ([String]) -> [String] = { $0 }
    /// The folder in which the feed began; `nil` for the current folder.
    public var directory: String?
    /// A precondition, checked before the first batch; its argument is true if an earlier run of the job has sent
    /// anything.
    public var requirement: (@Sendable (any CollectionEngine, _ isResumed: Bool) async throws -> Void)?
    /// A function that erases removed documents, called after a feed has completed.
    public var purge: (@Sendable (any CollectionAdministration, CollectionName) async throws -> Void)?

    /// A function that wraps the engine in another engine, which receives the operations.
    package var wrapping: (@Sendable (any ContentEngine) -> any ContentEngine)?

    /// Creates a plan without guards.
    public init(
        _ kind: ContentOperation.Kind,
        _ input: PendingInput,
        at target: OpenableTarget,
        in collection: CollectionChoice
    ) {
        (self.kind, self.input, self.target, self.collection) = (kind, input, target, collection)
    }

    var observer: any FeedObserver { target.observer }

    /// Returns the facts about this feed that an engine checks before anything is sent.
    fileprivate func intent(isBackedUp: Bool) -> FeedIntent {
        FeedIntent(kind, isBackedUp: isBackedUp, addsMissing: options.configuration.addsMissing)
    }

    /// The command line that resumes the work; it names another backup, because a backup is never overwritten.
    package var resumingWords: CommandLineWords {
        let words = CommandLineWords(words)
        guard let backup else { return words }
        return words.setting("--backup", to: BackupFile.nextPath(after: backup))
    }

    /// Returns an unused name for a backup next to one that an earlier run has written.
    package static func backup(after path: String) -> String { BackupFile.nextPath(after: path) }

    /// Checks the target and the collection, claims the job, opens the input, and buffers it if there is a limit.
    ///
    /// Throws ``FeedJobError``, `EngineError`, `InputError` or `JobError`. In either case, nothing was sent.
    public func prepare() async throws -> PreparedFeed {
        // Before anything is read, refuse a file that could not be written at the end.
        if let failedRecords { _ = try FailedRecords(failedRecords) }
        if jobs.retried != nil, findsFirst {
            throw FeedJobError(
                .usage,
                "the documents of this job were found by a search, which is not kept",
                advice: "run its command again: it finds the remaining documents"
            )
        }
        guard let retried = jobs.retried else { return try await PreparedFeed(self) }
        var again = self
        again.input = try await FailedOperations(of: retried, self).input()
        return try await PreparedFeed(again)
    }

    /// Reads the whole input and stores it with a separate journal; it is sent when the job is resumed.
    public func queue() async throws -> QueuedFeed {
        let shelf = JobShelf.folder(try JobFolder(creating: jobs.directory))
        return try await JobRequest(self).queue(on: shelf)
    }

    /// Returns the plan that undoes a job with a backup, document by document.
    ///
    /// A document that was changed after the job is left unchanged. Throws an error if a part of the backup is missing,
    /// was changed or can't be read, unless `isPartial` is true.
    public static func undoing(
        _ job: JobID,
        at target: OpenableTarget,
        in collection: CollectionChoice,
        jobs: JobPolicy = JobPolicy(),
        isPartial: Bool = false
    ) async throws -> FeedPlan {
        let open = try await target.open(collection)
        guard let kept = await (try JobShelf.existing(of: open.store, jobs)).jobs(named: job).first else {
            throw JobError(.missing, "this target has no job \(job)", advice: "see 'fastctl jobs list'")
        }
        let failed = try await kept.failedOutcomes().map { DocumentKey($0.documentID, routing: $0.routing) }
        let states = try await SavedStates(of: kept.record, failed: failed, in: open.engine)
        if !isPartial { try states.refuseFlaws(target.observer) }
        var plan = FeedPlan(.add, PendingInput(states), at: target, in: collection)
        plan.options.configuration.missing = .ignore
        plan.jobs = jobs
        plan.isAlwaysBackedUp = true
        return plan
    }
}

/// A feed whose target, job and input are open, but which has not sent anything yet.
public struct PreparedFeed: Sendable {
    /// The plan that was prepared.
    public let plan: FeedPlan
    /// The store of the collection.
    public let store: any CollectionAdministration
    /// The engine of the collection.
    public let engine: any CollectionEngine
    package let job: FeedJob
    /// The whole input, if its size had to be determined first.
    package let buffered: BufferedOperations?
    /// The file for the previous versions of documents; `nil` for none.
    public let backup: String?
    /// The store for operations that should not be held in memory.
    private let spill: BufferedOperations.Store

    fileprivate init(_ plan: FeedPlan) async throws {
        self.plan = plan
        try await FeedJob.refuseOtherTarget(of: JobRequest(plan))
        let open =
            if let store = plan.store {
                try await plan.target.open(plan.collection, in: store)
            } else {
                try await plan.target.open(plan.collection)
            }
        (store, engine) = (open.store, open.engine)
        try Self.refuseExternalVersions(of: plan, engine)
        let intent = plan.intent(isBackedUp: plan.backup != nil || plan.isAlwaysBackedUp)
        try await engine.check(intent)
        if let unseen = engine.unseen(by: intent) { plan.observer.remark(unseen) }
        let directory = plan.options.spillDirectory ?? engine.capabilities.spillDirectory ?? "."
        spill = BufferedOperations.Store(
            space: SpillSpace(in: directory, maximumBytes: plan.options.maximumSpillBytes)
        )
        let limit = try await Self.limit(of: plan, engine)
        let request = JobRequest(plan, engine)
        job =
            if plan.jobs.isOff || plan.findsFirst {
                // Without a place for jobs, a run of this kind is still possible; only its backup is not recorded.
                if !plan.jobs.isOff, plan.backup != nil, let shelf = try? JobShelf.of(store, plan.jobs) {
                    try await FeedJob(recording: request, on: shelf)
                } else {
                    try await FeedJob(unkept: request)
                }
            } else {
                try await FeedJob(request, on: try JobShelf.of(store, plan.jobs))
            }
        backup = job.backup(named: plan.backup, isAlways: plan.isAlwaysBackedUp)
        if !plan.isAlwaysBackedUp, let backup, backup != plan.backup {
            plan.observer.remark("the job's backup continues in '\(backup)'")
        }
        buffered = try await job.abandoning { [plan, engine, job, spill, backup] in
            if backup != nil, !intent.isBackedUp { try await engine.check(plan.intent(isBackedUp: true)) }
            try await plan.requirement?(engine, job.hasSent)
            if plan.kind == .remove, plan.input.readsLines, !job.hasSent, let first = try await job.input.first() {
                try await FoundText.refuse(first, in: engine)
                if let remark = FoundText.remark(on: first, of: plan.input) { plan.observer.remark(remark) }
            }
            guard let limit else { return nil }
            let before = job.claim?.state?.progress.firstOperation.rawValue ?? 1
            return try await BufferedOperations.collect(
                job.input,
                limit: limit,
                counting: Int(clamping: before - 1),
                in: spill
            )
        }
    }

    private static func refuseExternalVersions(of plan: FeedPlan, _ engine: any CollectionEngine) throws(FeedJobError) {
        guard plan.input.dialect.version?.kind == .external, !engine.capabilities.takesExternalVersions else { return }
        throw FeedJobError(
            .configuration,
            "'\(engine.collection)' does not support external versions; nothing was sent",
            advice: plan.input.collection == nil
                ? "use --version-type unchanged, with the versions that 'fastctl get -o ndjson' shows"
                : "copy without --version-type: each document replaces the existing one"
        )
    }

    /// The maximum number of removals to buffer before the first one is sent; `nil` if nothing is buffered.
    private static func limit(of plan: FeedPlan, _ engine: any CollectionEngine) async throws -> Int? {
        let limit = try await plan.limit?.operations(of: engine.count()) ?? (plan.findsFirst ? Int.max : nil)
        if let reservation = await engine.countReservation() {
            plan.observer.remark("'\(engine.collection)' was counted \(reservation)")
        }
        guard let limit, plan.kind != .remove else { return limit }
        // Documents are not buffered: the input is read to its end, and then read again.
        try await refuseRemovals(in: plan, beyond: limit)
        return nil
    }

    /// Refuses input that contains more removals than are allowed.
    private static func refuseRemovals(in plan: FeedPlan, beyond limit: Int) async throws {
        guard !plan.input.comesOnce else {
            throw FeedJobError(.usage, "--max-remove reads documents twice, which a pipe does not allow: use a file")
        }
        var removals = 0
        for try await chunk in try await plan.input.open(for: plan.kind, plan.observer) {
            removals += chunk.operations.count { $0.kind == .remove }
            guard removals <= limit else { throw BufferedOperations.refusal(limit) }
        }
    }

    /// The progress of reading, and the number of operations if it is known.
    package var extent: (input: InputProgress?, operations: Int?) {
        (job.input.progress, buffered?.count ?? plan.input.collection?.operationCount)
    }

    /// Sends the input, and returns when all operations have settled or the feed has stopped.
    ///
    /// `observe` is called with every event and the report so far, in the caller's isolation. Throws an error if the
    /// backup can't be created; in this case, nothing was sent.
    public func send(
        stops: AsyncStream<StopReason> = AsyncStream { $0.finish() },
        observe: @escaping (FeedEvent, StatusReport) -> Void = { _, _ in }
    ) async throws -> SentFeed {
        // Added documents are complete, so they can be compared afterward; an update sends only some of their keys.
        let comparesUpdates = plan.verification == .content
        let isCompared = plan.verification != nil && (plan.kind == .add || plan.kind == .update && comparesUpdates)
        let sent =
            isCompared ? SentContents(for: self.engine.capabilities, includingUpdates: comparesUpdates) : nil
        let (failed, engine) = try await job.abandoning { [self] in
            let failed = try plan.failedRecords.map { try FailedRecords($0) }
            let engine = try wrappedEngine(notingIn: sent)
            if let backup { try await job.note(backup: backup) }
            return (failed, engine)
        }
        await noteFeed()
        let lookUp = PatientLookUp(plan.options.configuration, plan.observer)
        let verification = plan.verification.map {
            Verification($0, of: plan.kind, in: spill, lookUp, comparingWith: sent)
        }
        let observe = { (event: FeedEvent, report: StatusReport) in
            observe(event, report)
            verification?.note(event)
            if case .settled(let outcomes) = event { failed?.note(outcomes) }
        }
        var options = plan.options
        options.spill = spill.space
        options.journal = job.journal(for: self.engine)
        let feed = OperationFeed(engine: engine, options: options)
        let result =
            if let buffered {
                await feed.run(buffered, job: job.claim, stops: stops, observe: observe)
            } else {
                await feed.run(job.input, job: job.claim, stops: stops, observe: observe)
            }
        await noteFeed()
        return SentFeed(self, result, verification, failed)
    }

    /// Records, next to the jobs, that this feed changes the collection.
    private func noteFeed() async {
        guard let shelf = try? JobShelf.existing(of: store, plan.jobs) else { return }
        let none = JobID(rawValue: "-")
        await shelf.noteFeed(of: job.claim?.id ?? none, into: engine.collection, at: "\(plan.target.resolved.address)")
    }

    /// The engine with the wrappers of a feed, from the inside out: a backup of the documents that a batch changes, and
    /// a record of the input, stored with the job.
    private func wrappedEngine(notingIn sent: SentContents?) throws -> any ContentEngine {
        var wrapped: any ContentEngine = engine
        if let backup { wrapped = try BackupEngine(engine, for: plan.kind, writingTo: backup) }
        if let wrapping = plan.wrapping { wrapped = wrapping(wrapped) }
        if engine.capabilities.keepsProgress {
            wrapped = BatchPreparingEngine(wrapped) { [input = job.input] batch in
                let job = batch.job.map { $0.replacing(input.noted(in: $0.progress)) }
                return batch.replacing(job: job)
            }
        }
        if let sent { wrapped = BatchPreparingEngine(wrapped) { sent.noting($0) } }
        return wrapped
    }

    /// Returns a failure if written documents are no longer in the target, otherwise `nil`.
    func lossOfTarget() async -> Failure? {
        guard engine.capabilities.keepsProgress else { return nil }
        do throws(EngineError) {
            try await engine.raise(to: .live)
            return nil
        } catch {
            return Failure(ExitStatus(error.code), error.message, advice: nil)
        }
    }
}

/// A feed that has ended and must be concluded.
///
/// This type is not `Sendable`: the feed must be concluded in the isolation in which it was sent.
public struct SentFeed {
    /// The prepared feed.
    public let feed: PreparedFeed
    /// The feeder's result.
    public let result: FeedResult
    private let verification: Verification?
    private let failed: FailedRecords?

    fileprivate init(
        _ feed: PreparedFeed,
        _ result: FeedResult,
        _ verification: Verification?,
        _ failed: FailedRecords?
    ) {
        (self.feed, self.result, self.verification, self.failed) = (feed, result, verification, failed)
    }

    private var plan: FeedPlan { feed.plan }

    /// Purges, verifies, seals the backup, writes the failed records, passes the results to `report`, and finally ends
    /// the job; if the process is killed before that, the next run of the same plan reports the results.
    ///
    /// `stop` is polled while documents are verified.
    public func conclude(
        report: (FeedAftermath) async throws -> Void = { _ in },
        stop: () -> StopReason? = { nil }
    ) async throws -> FeedAftermath {
        let isComplete = result.report.end == .completed
        var aftermath = FeedAftermath(backup: feed.backup, recordedJob: feed.job.recordedID)
        if isComplete, let purge = plan.purge {
            do {
                try await purge(feed.store, feed.engine.collection)
            } catch {
                aftermath.purgeFailure = Failure(error)
            }
        }
        aftermath.verification = await verification?.account(after: result.report.end, feed.engine, stop: stop)
        if let settled = feed.job.claim?.state?.counts.settled, case .done(var tally)? = aftermath.verification {
            let earlier = "excluding \(Quantity(settled, "operation", "operations")) from earlier runs"
            tally.reservation = tally.reservation.map { "\($0), and \(earlier)" } ?? earlier
            aftermath.verification = .done(tally)
        }
        await sealBackup()
        if isComplete { aftermath.lossOfTarget = await feed.lossOfTarget() }
        if verification == nil { await remarkWhereItLooked() }
        aftermath.failedRecordsFailure = await writeFailedRecords()
        try await report(aftermath)
        do {
            try await feed.job.end(result.report)
        } catch {
            aftermath.endFailure = Failure(error)
            aftermath.lossAtEnd = await feed.lossOfTarget()
        }
        return aftermath
    }

    /// Records the contents of the backup at the end of the run; without this record, the backup can later be compared
    /// only with the counts.
    private func sealBackup() async {
        guard let path = feed.backup else { return }
        do {
            try await feed.job.seal(backup: path)
        } catch {
            plan.observer.remark(
                "the contents of the backup '\(path)' could not be recorded: \(Failure(error).message)"
            )
        }
    }

    /// Prints a remark about the places in which documents were searched for, if some were omitted and the counts
    /// depend on this.
    private func remarkWhereItLooked() async {
        let depends = plan.kind == .add || result.report.counts[.missing] > 0
        guard depends, let reservation = await feed.engine.lookupReservation() else { return }
        let subject = plan.kind == .add ? "documents were written" : "missing documents were looked up"
        plan.observer.remark("\(subject) \(reservation)")
    }

    /// Writes the failed records, including those of earlier runs of the job; returns the reason for a failure.
    private func writeFailedRecords() async -> String? {
        guard let failed else { return nil }
        do {
            failed.note(try await feed.job.earlierIssues())
            let memory = try feed.job.memoryToReadAgain()
            let input = memory == nil ? plan.input : plan.input.kept
            if let sentence = try await failed.write(from: input, memory, for: plan.kind) {
                plan.observer.remark(sentence)
            }
            return nil
        } catch {
            let old = plan.failedRecords.flatMap { NewFile.exists($0) ? "; '\($0)' is from an earlier run" : nil } ?? ""
            return "the failed records were not written to a file: \(Failure(error).message)\(old)"
        }
    }
}

/// Facts about a feed that are determined after its end and are not in its report.
public struct FeedAftermath: Sendable {
    /// The file with the previous versions of documents; `nil` if there is none.
    public let backup: String?
    /// The job that records the backup of a run that can't be resumed, but can be undone; `nil` for any other run.
    public let recordedJob: JobID?
    /// The result of reading the documents again; `nil` if not requested.
    package internal(set) var verification: VerificationAccount?
    /// The number of documents that were looked up and are not proven to be as the feed left them; `nil` if unknown.
    public var unverifiedDocuments: Int? {
        if case .done(let tally)? = verification { tally.unproven } else { nil }
    }
    /// The reason why removed documents were not erased.
    package internal(set) var purgeFailure: Failure?
    /// The reason why documents that were written are no longer in the target.
    package internal(set) var lossOfTarget: Failure?
    /// The reason why failed records were not written to a file, as a sentence.
    public internal(set) var failedRecordsFailure: String?
    /// The reason why the end of the job could not be recorded; the only effect is that the next run of the same plan
    /// reads the input again.
    package internal(set) var endFailure: Failure?
    /// The reason why the target was no longer available when the job was about to end.
    package internal(set) var lossAtEnd: Failure?
}

/// A feed that was read, checked and stored for later; its target may be unreachable.
public struct QueuedFeed: Sendable {
    /// The job that stores the input.
    public let job: JobID
    /// The number of operations that were accepted.
    public let operations: Int
    /// The number of rejected records, which are not valid operations.
    public let rejected: Int
}

/// An engine that prepares each batch before it passes it to the wrapped engine.
struct BatchPreparingEngine: WrappingEngine {
    let base: any ContentEngine
    private let prepared: @Sendable (ContentBatch) -> ContentBatch

    init(_ base: any ContentEngine, _ prepared: @escaping @Sendable (ContentBatch) -> ContentBatch) {
        (self.base, self.prepared) = (base, prepared)
    }

    func apply(_ batch: ContentBatch) async -> BatchReply { await base.apply(prepared(batch)) }
}

// MARK: Policies and failures

/// A receiver of the remarks for users that a feed produces before, between and after its events.
public protocol FeedObserver: Sendable {
    /// Receives a remark, which is a line for users, such as `resuming job 01J…: 2 operations were settled`.
    func remark(_ line: String)
}

/// An observer that ignores all remarks.
public struct SilentObserver: FeedObserver {
    /// Creates an observer that ignores all remarks.
    public init() {}

    /// Ignores a remark.
    public func remark(_ line: String) {}
}

/// An observer that calls a function for each remark.
public struct RemarkPrinter: FeedObserver {
    private let print: @Sendable (String) -> Void

    /// Creates an observer that calls a function for each remark.
    public init(_ print: @escaping @Sendable (String) -> Void) { self.print = print }

    /// Calls the function.
    public func remark(_ line: String) { print(line) }
}

/// The rules for storing a job, so the same plan resumes it after an interruption.
public struct JobPolicy: Sendable {
    /// The folder that contains the jobs of remote targets; `nil` if there is none.
    ///
    /// An embedded store contains its own jobs.
    public var folder: String?
    /// Whether the run keeps no journal, and thus can't be resumed.
    public var isOff = false
    /// Whether input that differs from the unfinished job's is refused instead of starting a new job.
    public var isResuming = false
    /// Whether unfinished jobs of the same plan are canceled.
    public var isRestarting = false
    /// The maximum number of bytes on disk for input from a pipe.
    public var maximumSpoolBytes = 8 << 30
    /// The job to resume, with its stored input.
    public var job: JobID?
    /// The job whose failed operations are the input.
    public var retried: JobID?

    /// Creates the default rules.
    public init(folder: String? = nil) { self.folder = folder }

    /// The folder of the jobs of remote targets.
    package var directory: String {
        get throws(FeedJobError) {
            if let folder { return folder }
            throw FeedJobError(
                .configuration,
                "no folder for the journal: neither XDG_STATE_HOME nor HOME is set",
                advice: "specify one with --journal DIR, or run with --no-journal"
            )
        }
    }
}

/// The maximum number of documents to remove: `500`, or `10%` of the documents in the collection.
public enum RemovalLimit: Hashable, Sendable {
    case count(Int)
    case percent(Double)

    /// Reads `500`, or `10%`; `nil` for anything else.
    package init?(text: String) {
        if text.hasSuffix("%"), let value = Double(text.dropLast()), value >= 0, value <= 100 {
            self = .percent(value)
        } else if let value = Int(text), value >= 0 {
            self = .count(value)
        } else {
            return nil
        }
    }

    /// The limit as text.
    package var text: String {
        switch self {
        case .count(let count): "\(count)"
        case .percent(let share): "\(share)%"
        }
    }

    /// Returns the limit in operations, for a collection of this many documents.
    public func operations(of documents: Int) -> Int {
        switch self {
        case .count(let count): count
        case .percent(let share):
            // The largest counts, rounded to a `Double`, exceed `Int`.
            min(documents, Int(exactly: (Double(documents) * share / 100).rounded(.down)) ?? documents)
        }
    }
}

/// The documents read again at the end, and the depth of the comparison.
public enum VerificationScope: Hashable, Sendable {
    /// All documents; contents are compared if whole documents were added and the engine returns them.
    case all
    /// A random sample of this size, compared as with ``all``.
    case sample(Int)
    /// All documents; updated ones are compared by the keys that were sent, and contents that can't be compared are an
    /// error.
    case content
}

/// The failure of a feed before anything is sent, or after everything has been sent.
public struct FeedJobError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Hashable, Sendable {
        /// The plan contains contradictory options.
        case usage
        /// The target does not match the job or the plan.
        case configuration
        /// The input differs from the one with which the job began, or is damaged.
        case inputRejected
        /// An input or backup can't be opened.
        case inputNotOpened
        /// A guard refuses the feed.
        case refused
        /// A file can't be created.
        case outputNotCreated
        /// A file can't be written.
        case inputOutput
        /// Memory or disk space is exhausted.
        case exhausted
    }

    /// The kind of failure, for programs to act on.
    public let code: Code
    /// A description of the failure, as a fragment that can follow `error: `.
    public let message: String
    /// Advice on how to proceed; `nil` if there is none.
    public let advice: String?

    /// Creates an error.
    public init(_ code: Code, _ message: String, advice: String? = nil) {
        self.code = code
        self.message = message
        self.advice = advice
    }

    public var description: String { advice.map { "\(message); \($0)" } ?? message }
}

extension FeedJobError: AdvisedError {
    /// The error as shown to users, with its exit status.
    public var failure: Failure { Failure(status, message, advice: advice) }

    private var status: ExitStatus {
        switch code {
        case .usage: .usage
        case .configuration: .configuration
        case .inputRejected: .inputRejected
        case .inputNotOpened: .inputNotOpened
        case .refused: .refused
        case .outputNotCreated: .outputNotCreated
        case .inputOutput: .inputOutput
        case .exhausted: .exhausted
        }
    }
}
