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

    /// Makes this process the only one that works on a job, also before there is a job that others can see.
    public func lock(_ job: JobID) throws(JobError) -> JobLock { try JobLock(job, at: base(of: job) + ".lock") }

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

    /// The unfinished jobs with one identity, newest first, and what could not be read.
    ///
    /// A command that ran a hundred times has a hundred journals: those that have ended are not opened.
    public func unfinishedJobs(of identity: [UInt8]) async -> (jobs: [KeptJob], unreadable: [JobError]) {
        switch self {
        case .folder(let folder):
            let (records, unreadable) = await folder.unfinishedJobs(of: identity)
            return (records.map { KeptJob(record: $0, shelf: self) }, unreadable)
        case .store:
            let (jobs, unreadable) = await jobs(of: identity)
            return (jobs.filter(\.record.stage.isUnfinished), unreadable)
        }
    }

    /// Returns the job of a name; none if there is none, or if it can't be read.
    public func jobs(named id: JobID) async -> [KeptJob] {
        switch self {
        case .folder(let folder):
            await folder.jobs(where: { $0.id == id }).records.map { KeptJob(record: $0, shelf: self) }
        case .store: await jobs().jobs.filter { $0.id == id }
        }
    }

    /// Removes a job with everything that is kept of it.
    public func remove(_ job: KeptJob) async throws(JobError) {
        job.removeSpool()
        unlink(failedOperations(of: job.id))
        for path in job.ownBackups { unlink(path) }
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

    /// How much is kept of jobs that have ended.
    public struct Retention: Sendable {
        /// The most jobs that are kept.
        public var jobs = 100
        /// How long a job is kept.
        public var age = Duration.seconds(30 * 86_400)
        /// Bytes of errors and spools together.
        public var bytes = 1 << 30

        /// Creates the usual limits.
        public init() {}
    }

    /// Removes ended jobs that are old, too many or too large together; the newest stays whatever its size.
    public func prune(at now: Duration, keeping limits: Retention = Retention()) async throws(JobError) {
        switch self {
        case .folder(let folder):
            // Journals are opened only if their files tell that some may go.
            let old = folder.old(beyond: limits, at: now)
            guard !old.isEmpty else { return }
            let jobs = await folder.jobs(where: { old.contains($0.id) }).records
            for job in jobs where !job.stage.isUnfinished { try await remove(KeptJob(record: job, shelf: self)) }
        case .store(let ledger):
            var kept = Kept(limits: limits, now: now)
            for job in await jobs().jobs where !job.record.stage.isUnfinished {
                let backups = job.ownBackups.reduce(0) { $0 + fileSize($1) }
                let bytes = try await ledger.issueBytes(of: job.id) + fileSize(spool(of: job.id)) + backups
                if !kept.add(bytes: bytes, changedAt: job.record.changedAt) { try await remove(job) }
            }
        }
    }

    /// What has been kept so far of jobs that are looked at from the newest on.
    struct Kept {
        let limits: Retention
        let now: Duration
        private var jobs = 0
        private var bytes = 0

        init(limits: Retention, now: Duration) { (self.limits, self.now) = (limits, now) }

        /// Returns whether another job is kept.
        mutating func add(bytes more: Int, changedAt: Duration) -> Bool {
            jobs += 1
            bytes += more
            return jobs == 1 || jobs <= limits.jobs && bytes <= limits.bytes && now - changedAt <= limits.age
        }
    }

    /// The file that keeps what comes from standard input.
    public func spool(of job: JobID) -> String { base(of: job) + ".spool" }

    /// The file of a job's failed operations, as they are fed again.
    public func failedOperations(of job: JobID) -> String { base(of: job) + ".failed" }

    /// The file in which a job saves what it changes, if the user names none; it is kept as long as the job.
    public func backup(of job: JobID) -> String { base(of: job) + ".backup.jsonl" }

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
    /// What is known of the job.
    public let record: JobRecord
    /// The shelf that keeps it.
    public let shelf: JobShelf

    fileprivate init(record: JobRecord, shelf: JobShelf) {
        self.record = record
        self.shelf = shelf
    }

    /// The job's name.
    public var id: JobID { record.job.id }

    /// The job's backups whose places the user did not name.
    fileprivate var ownBackups: [String] {
        record.backups.filter { $0.hasPrefix(shelf.backup(of: id)) }
    }

    /// Returns the job as it is now; `nil` if it is gone.
    public func current() async throws(JobError) -> KeptJob? {
        try await ledger().jobs().first { $0.job.id == id }.map { KeptJob(record: $0, shelf: shelf) }
    }

    /// The process that works on the job; `nil` if none does.
    public var holder: Int? { JobLock.holder(at: shelf.base(of: id) + ".lock") }

    /// Makes this process the only one that works on the job.
    public func lock() throws(JobError) -> JobLock { try shelf.lock(id) }

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

/// Returns the size of a file; 0 if there is none.
func fileSize(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
}

/// A store that keeps the jobs of its collections.
public protocol JobKeepingStore: Sendable {
    var jobs: JobLedger { get }
}
