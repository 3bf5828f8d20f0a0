public import ContentFeeding
import Glibc

/// The place of the jobs of one target: the embedded store keeps its own, all others share a folder.
public enum JobShelf: Sendable {
    case folder(JobFolder)
    case store(JobLedger)

    /// Adds a new job; its spool, if it has one, is at ``spool(of:)``.
    @discardableResult
    public func create(_ job: JobDescription, stage: JobRecord.Stage = .open) async throws(JobError) -> KeptJob {
        switch self {
        case .folder(let folder): _ = try await folder.create(job, stage: stage)
        case .store(let ledger): try await ledger.create(job, stage: stage)
        }
        return KeptJob(record: JobRecord(new: job, stage), shelf: self)
    }

    /// All jobs, or those with one identity, newest first, and what could not be read.
    public func jobs(of identity: [UInt8]? = nil) async -> (jobs: [KeptJob], unreadable: [JobError]) {
        switch self {
        case .folder(let folder):
            let (records, unreadable) = await folder.jobs(of: identity)
            return (records.map { KeptJob(record: $0, shelf: self) }, unreadable)
        case .store(let ledger):
            do throws(JobError) {
                let records = try await ledger.jobs().filter { identity == nil || $0.job.identity == identity }
                return (records.map { KeptJob(record: $0, shelf: self) }, [])
            } catch {
                return ([], [error])
            }
        }
    }

    /// Removes a job with everything that is kept of it.
    public func remove(_ job: KeptJob) async throws(JobError) {
        job.removeSpool()
        unlink(failedOperations(of: job.id))
        switch self {
        case .folder(let folder): folder.remove(job.record.job)
        case .store(let ledger): try await ledger.remove(job.id)
        }
    }

    /// Moves a queued job to this shelf.
    public func adopt(_ job: KeptJob) async throws(JobError) -> KeptJob {
        let (record, progress) = (job.record, job.record.progress)
        let adopted = try await create(record.job, stage: .queued)
        try await adopted.ledger().queue(
            job.id,
            through: progress.offset,
            digest: progress.inputDigest,
            accepted: Int(clamping: record.acceptedThrough.rawValue),
            record.input
        )
        if case .folder(let folder) = job.shelf { folder.remove(record.job) }
        return KeptJob(record: record, shelf: self)
    }

    /// The most jobs that are kept once they have ended.
    private static let most = 100
    /// The time for which ended jobs are kept.
    private static let longest = Duration.seconds(30 * 86_400)

    /// Removes ended jobs that are old, or too many.
    public func prune(at now: Duration) async throws(JobError) {
        if case .folder(let folder) = self, folder.old(beyond: Self.most, age: Self.longest, at: now).isEmpty { return }
        let ended = await jobs().jobs.filter { !$0.record.stage.isUnfinished }
        for (place, job) in ended.enumerated() where place >= Self.most || now - job.record.changedAt > Self.longest {
            try await remove(job)
        }
    }

    /// The file that keeps what comes from standard input.
    public func spool(of job: JobID) -> String { base(of: job) + ".spool" }

    /// The file of a job's failed operations, as they are fed again.
    public func failedOperations(of job: JobID) -> String { base(of: job) + ".failed" }

    /// The path of the files that go with a job, without their endings.
    fileprivate func base(of job: JobID) -> String {
        switch self {
        case .folder(let folder): "\(folder.path)/\(job)"
        case .store(let ledger): "\(ledger.path)-\(job)"
        }
    }
}

/// A job, and where it is kept.
public struct KeptJob: Sendable {
    public let record: JobRecord
    public let shelf: JobShelf

    fileprivate init(record: JobRecord, shelf: JobShelf) {
        self.record = record
        self.shelf = shelf
    }

    public var id: JobID { record.job.id }

    /// Returns the job as it is now; `nil` if it is gone.
    public func current() async throws(JobError) -> KeptJob? {
        try await ledger().jobs().first { $0.job.id == id }.map { KeptJob(record: $0, shelf: shelf) }
    }

    /// The process that works on the job; `nil` if none does.
    public var holder: Int? { JobLock.holder(at: shelf.base(of: id) + ".lock") }

    /// Makes this process the only one that works on the job.
    public func lock() throws(JobError) -> JobLock { try JobLock(id, at: shelf.base(of: id) + ".lock") }

    /// Opens what is kept of the job.
    public func ledger() throws(JobError) -> JobLedger {
        switch shelf {
        case .folder(let folder): try folder.open(record.job)
        case .store(let ledger): ledger
        }
    }

    /// Removes what was kept of standard input.
    public func removeSpool() {
        if let spool = record.job.spool { unlink(spool) }
    }
}

/// A store that keeps the jobs of its collections.
public protocol JobKeepingStore: Sendable {
    var jobs: JobLedger { get }
}
