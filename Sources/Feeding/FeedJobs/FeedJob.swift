public import ContentFeeding
package import FeedFormats
import Files
import Glibc
public import JobJournal
import TextKit

/// The job of a run, either new or left unfinished by an earlier run, with its input.
///
/// Two commands have the same job if their operation, target, collection and input are the same. A file counts as the
/// same if it begins with the part that was sent; input from a pipe is compared with the stored part.
package struct FeedJob: Sendable {
    package let input: FeedInput
    /// Whether the input is only the part read from a pipe before the run was interrupted.
    package let isPartial: Bool
    /// The claimed job; `nil` if no job is stored.
    private let own: ClaimedJob?
    /// The record of a run that can't be resumed, but can be undone; `nil` for any other run.
    private var record: Record?

    /// The record of a run that stores no input; it is listed with the run's backup, as a job that has ended.
    private struct Record: Sendable {
        let shelf: JobShelf
        let description: JobDescription
    }

    /// A job that this process works on.
    private struct ClaimedJob: Sendable {
        let kept: KeptJob
        let ledger: JobLedger
        let claim: JobClaim
        /// The lock is held for as long as this value exists.
        let lock: JobLock

        var shelf: JobShelf { kept.shelf }
    }

    /// This process's claim; `nil` if no job is stored.
    package var claim: JobClaim? { own?.claim }

    /// Opens the input for a run that stores no job.
    init(unkept request: JobRequest) async throws {
        input = try await request.open()
        (own, isPartial) = (nil, false)
    }

    /// Opens the input for a run that can't be resumed, but whose backup is recorded on a shelf, so the run can be
    /// found and undone.
    init(recording request: JobRequest, on shelf: JobShelf) async throws {
        try await self.init(unkept: request)
        record = Record(shelf: shelf, description: request.description(spool: nil))
    }

    /// The job that records this run's backup, although the run can't be resumed; `nil` for any other run.
    var recordedID: JobID? { record?.description.id }

    /// Claims the job, whose input was opened at `offset`.
    private init(
        _ input: FeedInput,
        from offset: InputOffset,
        isPartial: Bool = false,
        _ kept: KeptJob,
        _ lock: JobLock
    ) async throws {
        let ledger = try kept.ledger()
        let claim = try await ledger.claim(kept.id)
        // Operations are identified by their position in the input: from any other offset, they would be confused with
        // others.
        guard claim.state?.progress.offset ?? .start == offset else {
            throw JobError(.superseded, "another process has worked on job \(kept.id)", advice: "run it again")
        }
        (self.input, self.isPartial) = (input, isPartial)
        own = ClaimedJob(kept: kept, ledger: ledger, claim: claim, lock: lock)
    }

    /// Performs the steps that precede the first batch; if they fail, a job without sent operations is removed.
    func abandoning<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch {
            if let own, own.claim.state == nil { await own.kept.discard() }
            throw error
        }
    }

    /// Whether an earlier run of the job may have sent operations.
    var hasSent: Bool {
        guard let state = claim?.state else { return false }
        return state.acceptedThrough.rawValue > 0 || state.counts.settled > 0 || state.repeated != nil
    }

    /// The journal for an engine that does not store the job itself.
    func journal(for engine: any ContentEngine) -> (any FeedJournal)? {
        guard let own, !engine.capabilities.keepsProgress else { return nil }
        return JobJournal(own.claim, in: own.ledger) { [input] in input.noted(in: $0) }
    }

    /// Returns the file for this run's backup; `nil` if it has none.
    ///
    /// `path` is the file that the user named. A job that has a backup keeps it, even if the run that resumes it does
    /// not name one: otherwise, the documents that this run changes could not be restored. A file that an earlier run
    /// wrote is never overwritten, so the backup continues in another file next to it; nor is the name of such a file
    /// used again if it is gone, because an undo would take the new file for the old one, and not miss it. With
    /// `isAlways`, a job without a backup is given one next to its own files.
    func backup(named path: String?, isAlways: Bool) -> String? {
        guard let own else { return path }
        let earlier = own.kept.record.backups
        if let path {
            let isEarlier = earlier.contains(ProcessFacts.absolutePath(of: path))
            return isEarlier ? BackupFile.nextPath(after: path, besides: earlier) : path
        }
        if let first = earlier.first { return BackupFile.nextPath(after: first, besides: earlier) }
        guard isAlways else { return nil }
        let path = own.shelf.backup(of: own.claim.id)
        return NewFile.exists(path) ? BackupFile.nextPath(after: path) : path
    }

    /// Records the file of this run's backup, so the job can be undone.
    ///
    /// Backups of earlier runs are sealed if those runs could not do so themselves, because this run may save the same
    /// documents again, after which the number of lines would have no meaning.
    func note(backup path: String) async throws {
        if let record {
            // Until its end is recorded, the job counts as canceled, so a killed run is not mistaken for a run that can
            // be resumed.
            let kept = try await record.shelf.create(record.description, stage: .cancelled)
            try await kept.ledger().note(backup: ProcessFacts.absolutePath(of: path), of: kept.id)
        }
        guard let own else { return }
        let record = own.kept.record
        for earlier in record.backups where record.seals[earlier] == nil { try await seal(backup: earlier) }
        try await own.ledger.note(backup: ProcessFacts.absolutePath(of: path), of: own.claim.id)
    }

    /// Records the contents of a backup that is complete; does nothing if the file does not exist.
    func seal(backup path: String) async throws {
        let path = ProcessFacts.absolutePath(of: path)
        guard NewFile.exists(path) else { return }
        if let kept = try await recordedJob() {
            try await kept.ledger().seal(backup: path, as: BackupSeal(of: path), of: kept.id)
        }
        guard let own else { return }
        try await own.ledger.seal(backup: path, as: BackupSeal(of: path), of: own.claim.id)
    }

    /// The outcomes, from earlier runs, that have an error.
    func earlierIssues() async throws -> [OperationOutcome] {
        guard let own, own.claim.state != nil else { return [] }
        return try await own.kept.issues()
    }

    /// Returns the record with which the input is read again from its beginning; `nil` without a journal.
    func memoryToReadAgain() throws -> InputMemory? {
        guard let own else { return nil }
        return InputMemory(spool: try own.kept.record.job.spool.map { try InputSpool.open($0) })
    }

    private func recordedJob() async throws -> KeptJob? {
        guard let record else { return nil }
        return await record.shelf.jobs(named: record.description.id).first
    }

    /// Records that the run has ended: a finished job is never resumed, but a stopped job can be.
    func end(_ report: StatusReport) async throws {
        if let record, let kept = try await recordedJob(), report.counts.accepted == 0 {
            try await record.shelf.remove(kept)
        } else if let record, let kept = try await recordedJob() {
            let isFinished = report.end == .completed && report.counts.open == 0
            try await kept.ledger().end(
                kept.id,
                epoch: kept.record.epoch,
                as: isFinished ? .finished : .cancelled,
                counts: report.counts,
                input: report.input
            )
            try await record.shelf.prune(at: ProcessFacts.now)
        }
        guard let own else { return }
        let (id, epoch) = (own.claim.id, own.claim.epoch)
        guard report.end == .completed, report.counts.open == 0, !isPartial else {
            try await own.ledger.suspend(id, epoch: epoch, accepted: report.counts.accepted)
            return
        }
        try await own.ledger.end(id, epoch: epoch, as: .finished, counts: report.counts, input: report.input)
        // Failed documents can be fed again only from the original input; IDs are in the journal itself.
        if own.kept.record.job.kind == .remove || report.errorCount == 0 {
            own.lock.removeAtEnd(spool: own.kept.record.job.spool)
        }
        try await own.shelf.prune(at: ProcessFacts.now)
    }
}

extension FeedJob {
    /// Returns the unfinished job with sent operations that this command would resume, as far as this can be determined
    /// without the job's input.
    package static func resumed(by request: JobRequest, on shelf: JobShelf) async throws -> KeptJob? {
        if request.policy.isOff || request.policy.isRestarting { return nil }
        let known = await shelf.jobs(of: request.identity).jobs
        guard let job = known.first(where: { $0.record.stage == .open }), job.hasSent else { return nil }
        return request.isForAnotherIncarnation(job.record.job) ? nil : job
    }

    /// Finds the unfinished job that this command resumes, or begins a new job.
    init(_ request: JobRequest, on shelf: JobShelf) async throws {
        if let id = request.named {
            self = try await Self.resume(id, request, on: shelf)
            return
        }
        let known = try await Self.known(to: request, on: shelf)
        var obstacle: JobObstacle?
        var spool: InputSpool?
        search: for seen in known where request.mayContinue(seen) {
            let lock = try seen.lock()
            // From this point on, no other process can change the job.
            guard let job = try await seen.current(), job.record.stage == seen.record.stage else { continue }
            switch try await Self.choice(about: job, request, among: known, on: shelf) {
            case .resume(let input, let reason):
                if job.hasEnded { try await job.ledger().reopen(job.id) }
                if reason != nil { try await job.ledger().repeatOperations(of: job.id) }
                let isAtStart = reason != nil || job.record.epoch == 0
                self = try await FeedJob(input, from: isAtStart ? .start : job.record.progress.offset, job, lock)
                announce(job, request, repeatedBecause: reason)
                return
            case .begin(let reason, let other):
                (obstacle, spool) = (reason, other)
                break search
            case .cancel:
                try await job.ledger().cancel(job.id)
                job.removeSpool()
            case .pass: break
            }
            withExtendedLifetime(lock) {}
        }
        if let obstacle {
            guard !request.policy.isResuming else { throw obstacle.refusal }
            request.plan.observer.remark(obstacle.warning)
        } else if request.policy.isResuming {
            throw FeedJobError(
                .inputRejected,
                "this command has no unfinished job",
                advice: "see 'fastctl jobs list', or run it without --resume"
            )
        }
        self = try await Self.begin(request, spool: spool, on: shelf)
    }

    /// Returns the command's earlier jobs, newest first; none if all of them have ended.
    private static func known(to request: JobRequest, on shelf: JobShelf) async throws -> [KeptJob] {
        let identity = request.identity
        let (unfinished, unreadable) = await shelf.unfinishedJobs(of: identity)
        // One of the unreadable jobs may be the job to resume; in that case, a new job would report the documents that
        // were already removed as missing.
        if let error = unreadable.first, !request.policy.isRestarting { throw error }
        for error in unreadable { request.plan.observer.remark("\(error)") }
        return unfinished.isEmpty ? [] : await shelf.jobs(of: identity).jobs
    }

    /// The decision about an earlier job of the same command.
    private enum Choice {
        /// The job continues with its input; with a reason, all of its operations are sent again.
        case resume(FeedInput, repeatedBecause: String?)
        /// A new job begins. The obstacle is the reason why the earlier job stays unfinished; the spool holds the part
        /// of the pipe that was read to compare it with that job's input.
        case begin(insteadOf: JobObstacle?, InputSpool? = nil)
        /// The user asked for a new job, so the earlier one is canceled.
        case cancel
        /// The job has ended for this command; an older one may continue.
        case pass

        /// Returns the decision about a job that the command can't resume.
        ///
        /// If its process was killed just before the job ended, it continues only for the same input and collection.
        static func refuse(_ job: KeptJob, because obstacle: JobObstacle) -> Choice {
            job.hasEnded ? .pass : .begin(insteadOf: obstacle)
        }
    }

    /// Decides about an earlier job of the same command, which no other process can change meanwhile.
    private static func choice(
        about job: KeptJob,
        _ request: JobRequest,
        among known: [KeptJob],
        on shelf: JobShelf
    ) async throws -> Choice {
        if request.policy.isRestarting { return job.hasEnded ? .pass : .cancel }
        if request.isForAnotherIncarnation(job.record.job) {
            return .refuse(job, because: .renewed(job, request.plan.collection.engineName))
        }
        let reason = await job.reasonToRepeat(request, among: known)
        return try await resumption(of: job, request, on: shelf, repeatedBecause: reason)
    }

    /// Reports the resumed job, its last change, and whether its settled operations are sent again.
    private func announce(_ job: KeptJob, _ request: JobRequest, repeatedBecause reason: String?) {
        guard claim?.state != nil else { return }
        let settled = job.record.counts.settled
        let accepted = max(job.record.accepted, settled)
        let least = job.record.isAcceptedAtLeast ? "at least " : ""
        let all = accepted > settled ? " of \(least)\(accepted)" : ""
        let word = (accepted > settled ? accepted : settled) == 1 ? "operation was" : "operations were"
        let stopped = job.hasSent ? ", the last on \(UTCTimestamp(since1970: job.record.changedAt))" : ""
        request.plan.observer.remark("resuming job \(job.id): \(settled)\(all) \(word) settled\(stopped)")
        if let reason {
            request.plan.observer.remark(
                "all of them are sent again, because \(reason); --resume skips the settled ones"
            )
        }
        let began = job.record.job.words
        var now = CommandLineWords(request.description(spool: nil).words)
        // The last line of an interrupted run names the next backup.
        if let first = CommandLineWords(began).value(of: "--backup"), let next = now.value(of: "--backup"),
            next.hasPrefix(first + ".")
        {
            now = now.setting("--backup", to: first)
        }
        let words = [CommandLineWords(began), now].map { request.plan.comparable($0.removing("--restart").words) }
        guard request.named == nil, words[0] != words[1] else { return }
        // The guards and policies of the earlier run no longer apply; the guards and policies of this run apply to the
        // rest.
        request.plan.observer.remark("it was started with different options: fastctl \(CommandLineWords(began))")
    }

    /// Opens the input at the position where the job stopped, or at its start if it is to be sent again.
    private static func resumption(
        of job: KeptJob,
        _ request: JobRequest,
        on shelf: JobShelf,
        repeatedBecause reason: String?
    ) async throws -> Choice {
        var memory = job.record.epoch > 0 ? InputMemory(of: job.record.progress) : InputMemory()
        if let path = job.record.job.spool {
            guard access(path, F_OK) == 0 else {
                return .refuse(job, because: .changedInput(job, "its piped input is gone"))
            }
            let other = shelf.spool(of: request.newID)
            let pipe = request.plan.input.sources.first { !$0.canBeReadAgain } ?? .standardInput
            switch try await InputSpool.compare(
                path,
                with: pipe,
                maximumBytes: request.policy.maximumSpoolBytes,
                orElse: other
            ) {
            case .same(let spool): memory.spool = spool
            case .different(let line, let spool):
                let place = "\(pipe.name) differs from the job's at line \(line)"
                // The part read from the pipe is compared only with the newest job.
                return .begin(insteadOf: job.hasEnded ? nil : .otherInput(job, at: place), spool)
            }
        }
        do {
            if reason != nil, let spool = memory.spool {
                return .resume(try await request.open(InputMemory(spool: spool)), repeatedBecause: reason)
            }
            let input = try await request.open(memory)
            return .resume(reason == nil ? input : try await request.open(InputMemory()), repeatedBecause: reason)
        } catch let error as InputError where error.code == .changed {
            return .refuse(job, because: .changedInput(job, error.description))
        }
    }

    /// Resumes a job by its name, with its stored input.
    private static func resume(_ id: JobID, _ request: JobRequest, on shelf: JobShelf) async throws -> FeedJob {
        let seen = try await Self.job(id, request, on: shelf)
        let lock = try seen.lock()
        guard let job = try await seen.current() else { throw JobError(.missing, "job \(id) no longer exists") }
        try request.refuseOther(job.record.job)
        let known = await shelf.jobs(of: job.record.job.identity).jobs
        let reason = job.record.stage == .open ? await job.reasonToRepeat(request, among: known) : nil
        let spool = try job.record.job.spool.map { try InputSpool.open($0) }
        var memory = InputMemory(of: job.record.progress, spool: spool)
        if job.record.stage == .queued {
            // Only accepted input may be sent: the whole input is checked before it is read again.
            let rest = try await keptInput(of: job, request, memory)
            memory = InputMemory(spool: spool)
            if request.plan.input.collection == nil {
                if try await rest.hasRecords { throw JobObstacle.grown(job) }
                // Anything appended from now on is not part of the accepted input either.
                memory.end = job.record.progress.offset
            }
        }
        if reason != nil {
            _ = try await keptInput(of: job, request, memory)
            memory = InputMemory(spool: spool)
            try await job.ledger().repeatOperations(of: job.id)
        }
        let resumed = try await FeedJob(
            keptInput(of: job, request, memory),
            from: memory.offset,
            isPartial: spool?.isComplete == false,
            job,
            lock
        )
        resumed.announce(job, request, repeatedBecause: reason)
        return resumed
    }

    /// Refuses to send a queued job to a target other than its own, before looking up the job's collection in that
    /// target.
    static func refuseOtherTarget(of request: JobRequest) async throws {
        guard let id = request.named else { return }
        let queue = JobShelf.folder(JobFolder(try request.policy.directory))
        if let job = await queue.jobs(named: id).first { try request.refuseOther(job.record.job) }
    }

    /// Opens the input with which a job was begun.
    private static func keptInput(
        of job: KeptJob,
        _ request: JobRequest,
        _ memory: InputMemory
    ) async throws -> FeedInput {
        do {
            return try await request.open(memory, isKept: true)
        } catch let error as InputError where error.code == .changed {
            throw JobObstacle.changedInput(job, "\(error)").refusal
        }
    }

    /// Returns the job with this name; a job that was queued for the embedded store is moved into that store.
    private static func job(_ id: JobID, _ request: JobRequest, on shelf: JobShelf) async throws -> KeptJob {
        if let job = await shelf.jobs(named: id).first { return job }
        let queue = JobShelf.folder(JobFolder(try request.policy.directory))
        guard case .store = shelf, let job = await queue.jobs(named: id).first else {
            throw JobError(.missing, "this target has no job \(id)", advice: "see 'fastctl jobs list'")
        }
        // A refused job is left unchanged.
        try request.refuseOther(job.record.job)
        return try await shelf.adopt(job)
    }

    /// Begins a new job; `spool` holds the part already read from its pipe.
    private static func begin(_ request: JobRequest, spool: InputSpool?, on shelf: JobShelf) async throws -> FeedJob {
        do {
            return try await started(request, spool: spool, on: shelf)
        } catch {
            unlink(shelf.spool(of: request.newID))
            throw error
        }
    }

    /// Opens the input, and creates and claims the job.
    ///
    /// This is a separate function, because the Swift 6.3.1 optimizer crashes if it is merged into its caller.
    @inline(never)
    private static func started(_ request: JobRequest, spool: InputSpool?, on shelf: JobShelf) async throws -> FeedJob {
        let id = request.newID
        var memory = InputMemory(spool: spool)
        if request.plan.input.comesOnce, spool == nil {
            memory.spool = try InputSpool.create(shelf.spool(of: id), maximumBytes: request.policy.maximumSpoolBytes)
        }
        let input = try await request.open(memory)
        // Lock the job before other processes see it: otherwise, they would consider it unfinished and resume it.
        let lock = try shelf.lock(id)
        let kept = try await shelf.create(request.description(spool: memory.spool?.path))
        return try await claimed(input, kept, lock)
    }

    /// Claims a new job, or removes it again.
    @inline(never)
    private static func claimed(_ input: FeedInput, _ kept: KeptJob, _ lock: JobLock) async throws -> FeedJob {
        do {
            return try await FeedJob(input, from: .start, kept, lock)
        } catch {
            await kept.discard()
            throw error
        }
    }
}

extension KeptJob {
    /// Removes a job without sent operations; if it can't be removed, it is resumed or pruned later.
    fileprivate func discard() async {
        do throws(JobError) { try await shelf.remove(self) } catch {}
    }
}

extension JobShelf {
    /// Returns the place of a target's jobs: the embedded store itself, or else the user's folder.
    package static func of(_ store: any CollectionAdministration, _ policy: JobPolicy) throws -> JobShelf {
        if let jobs = store.ownJobs { return .store(jobs) }
        return .folder(try JobFolder(creating: policy.directory))
    }

    /// Returns the place of a target's jobs without creating it: for an embedded store, the store itself; for any other
    /// target, the folder of `policy`.
    ///
    /// Throws a ``FeedJobError`` of code `configuration` if there is no folder.
    public static func existing(
        of store: any CollectionAdministration,
        _ policy: JobPolicy = JobPolicy()
    ) throws(FeedJobError) -> JobShelf {
        if let jobs = store.ownJobs { return .store(jobs) }
        return .folder(JobFolder(try policy.directory))
    }
}

extension FeedInput {
    /// Whether the input contains an operation or a rejected record; reads only as far as the first of these.
    fileprivate var hasRecords: Bool {
        get async throws {
            for try await chunk in self where !chunk.isEarlier {
                if !chunk.operations.isEmpty || chunk.input.rejected > 0 { return true }
            }
            return false
        }
    }
}

extension KeptJob {
    /// The age from which a job's documents are no longer assumed to be in the state in which the job left them.
    private static let repeatingAge: Duration = .seconds(3600)

    /// Returns the reason why the job's results may be outdated, as a clause; `nil` if nothing suggests that they are,
    /// or if the user wants settled operations skipped anyway.
    fileprivate func reasonToRepeat(_ request: JobRequest, among known: [KeptJob]) async -> String? {
        guard hasSent, !request.policy.isResuming, !request.isConditional else { return nil }
        if let later = successor(among: known) {
            return "job \(later.id), a later run of the same command, has sent operations since"
        }
        let job = record.job
        if let fed = await shelf.lastFeed(butOf: id, into: job.collection, at: job.target), fed > record.changedAt {
            return "another job fed '\(job.collection)' later, at \(UTCTimestamp(since1970: fed))"
        }
        let age = ProcessFacts.now - record.changedAt
        return age > Self.repeatingAge ? "that was more than an hour ago" : nil
    }

    /// Returns the latest job of the same command that began after this job, if both have sent operations.
    ///
    /// Jobs that read a pipe are distinguished by their input, and each continues separately.
    func successor(among jobs: [KeptJob]) -> KeptJob? {
        guard record.job.spool == nil, hasSent else { return nil }
        return jobs.first { $0.record.job.startedAt > record.job.startedAt && $0.hasSent }
    }

    /// Whether the job has ended; it is considered only if its process was killed just before its own end.
    fileprivate var hasEnded: Bool { record.stage == .finished }

    /// Whether a run of the job may have sent operations.
    var hasSent: Bool {
        record.epoch > 0
            && (record.acceptedThrough.rawValue > 0 || record.counts.settled > 0 || record.repeated != nil)
    }
}
