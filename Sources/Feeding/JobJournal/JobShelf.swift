public import ContentFeeding
import Glibc
import SQLiteStore
import TextKit

/// The storage for the jobs of one target: an embedded store contains its own jobs, and all other targets share a
/// folder.
public enum JobShelf: Sendable {
    case folder(JobFolder)
    case store(JobLedger)

    /// Adds a new job; its spool, if it has one, is at ``spool(of:)``.
    @discardableResult
    public func create(_ job: JobDescription, stage: JobRecord.Stage = .open) async throws(JobError) -> KeptJob {
        switch self {
        case .folder(let folder): try folder.create(job, stage: stage)
        case .store(let ledger): try await ledger.create(job, stage: stage)
        }
        return KeptJob(record: JobRecord(new: job, stage), shelf: self)
    }

    /// Locks a job, even one that is not yet visible to other processes, so only this process can work on it.
    public func lock(_ job: JobID) throws(JobError) -> JobLock { try JobLock(job, at: base(of: job) + ".lock") }

    fileprivate func hasLockFile(of job: JobID) -> Bool { access(base(of: job) + ".lock", F_OK) == 0 }

    /// Returns all jobs, or those with the given identity, newest first, and the names of unreadable jobs.
    public func jobs(of identity: [UInt8]? = nil) async -> (jobs: [KeptJob], unreadable: [JobError]) {
        switch self {
        case .folder(let folder):
            let (records, unreadable) = await folder.jobs(of: identity)
            return (records.map { KeptJob(record: $0, shelf: self) }, unreadable)
        case .store(let ledger):
            do throws(JobError) {
                let records = if let identity { try await ledger.jobs(of: identity) } else { try await ledger.jobs() }
                return (records.map { KeptJob(record: $0, shelf: self) }, [])
            } catch {
                return ([], [error])
            }
        }
    }

    /// Returns the jobs with the given identity that the same command would resume, newest first, and the names of
    /// unreadable jobs.
    ///
    /// These are unfinished jobs, and jobs that ended just before their process was killed.
    ///
    /// Journals of ended jobs are not opened, because a command that ran a hundred times has a hundred journals.
    public func unfinishedJobs(of identity: [UInt8]) async -> (jobs: [KeptJob], unreadable: [JobError]) {
        switch self {
        case .folder(let folder):
            let (records, unreadable) = await folder.unfinishedJobs(of: identity)
            return (records.map { KeptJob(record: $0, shelf: self) }, unreadable)
        case .store:
            let (jobs, unreadable) = await jobs(of: identity)
            return (jobs.filter { $0.record.stage.isUnfinished || $0.wasCutOff }, unreadable)
        }
    }

    /// Returns the job with this name; an empty array if there is none, or if it can't be read.
    public func jobs(named id: JobID) async -> [KeptJob] {
        switch self {
        case .folder(let folder):
            return await folder.jobs(where: { $0.id == id }).records.map { KeptJob(record: $0, shelf: self) }
        case .store(let ledger):
            do throws(JobError) {
                return try await ledger.job(named: id).map { [KeptJob(record: $0, shelf: self)] } ?? []
            } catch {
                return []
            }
        }
    }

    /// Removes a job and all its data.
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

    /// The limits on the ended jobs to keep.
    public struct Retention: Sendable {
        /// The maximum number of jobs that are kept.
        public var jobs = 100
        /// The time for which a job is kept.
        public var age = Duration.seconds(30 * 86_400)
        /// The maximum total size of errors and spools, in bytes.
        public var bytes = 1 << 30

        /// Creates the default limits.
        public init() {}
    }

    /// Removes ended jobs that exceed the limits on age, number or total size; the newest job is kept regardless of its
    /// size.
    public func prune(at now: Duration, keeping limits: Retention = Retention()) async throws(JobError) {
        switch self {
        case .folder(let folder):
            // Journals are opened only if their files indicate that some can be removed.
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

    /// The number and total size of the jobs kept so far, starting with the newest.
    struct Kept {
        let limits: Retention
        let now: Duration
        private var jobs = 0
        private var bytes = 0

        init(limits: Retention, now: Duration) { (self.limits, self.now) = (limits, now) }

        /// Returns whether one more job is kept.
        mutating func add(bytes more: Int, changedAt: Duration) -> Bool {
            jobs += 1
            bytes += more
            return jobs == 1 || jobs <= limits.jobs && bytes <= limits.bytes && now - changedAt <= limits.age
        }
    }

    /// The file that stores the data from standard input.
    public func spool(of job: JobID) -> String { base(of: job) + ".spool" }

    /// The file with a job's failed operations, for feeding them again.
    public func failedOperations(of job: JobID) -> String { base(of: job) + ".failed" }

    /// The file to which a job backs up documents if the user names none; it is kept for as long as the job is.
    public func backup(of job: JobID) -> String { base(of: job) + ".backup.jsonl" }

    /// Records that a feed has begun or ended, so unfinished jobs of the same collection can detect that they were
    /// overtaken.
    ///
    /// `job` is the feed's job, or any name if it has none. If the record can't be written, that is not an error:
    /// whether a job was overtaken is then determined only by its age.
    public func noteFeed(of job: JobID, into collection: CollectionName, at target: String) async {
        switch self {
        case .store(let ledger): await ledger.noteFeed(of: job, into: collection)
        case .folder(let folder): folder.noteFeed(of: job, into: collection, at: target)
        }
    }

    /// Returns the time since 1970 at which a feed of another job into the collection last began or ended; `nil` if no
    /// such feed is recorded, or if the last feed was this job's own.
    public func lastFeed(butOf job: JobID, into collection: CollectionName, at target: String) async -> Duration? {
        switch self {
        case .store(let ledger): await ledger.lastFeed(butOf: job, into: collection)
        case .folder(let folder): folder.lastFeed(butOf: job, into: collection, at: target)
        }
    }

    /// Returns the path of the files that belong to a job, without their extensions.
    func base(of job: JobID) -> String {
        switch self {
        case .folder(let folder): "\(folder.path)/\(job)"
        case .store(let ledger): "\(ledger.path)-\(job)"
        }
    }
}

/// A job, and the shelf that stores it.
public struct KeptJob: Sendable {
    /// The job's record.
    public let record: JobRecord
    /// The shelf that stores the job.
    public let shelf: JobShelf

    fileprivate init(record: JobRecord, shelf: JobShelf) {
        self.record = record
        self.shelf = shelf
    }

    /// The job's name.
    public var id: JobID { record.job.id }

    /// The job's backups in files that the user did not name.
    fileprivate var ownBackups: [String] {
        record.backups.filter { $0.hasPrefix(shelf.backup(of: id)) }
    }

    /// Returns the current state of the job; `nil` if it no longer exists.
    public func current() async throws(JobError) -> KeptJob? {
        try await ledger().job(named: id).map { KeptJob(record: $0, shelf: shelf) }
    }

    /// The process that is working on the job; `nil` if there is none.
    public var holder: Int? { JobLock.holder(at: shelf.base(of: id) + ".lock") }

    /// Locks the job, so only this process can work on it.
    public func lock() throws(JobError) -> JobLock { try shelf.lock(id) }

    /// Whether the process was killed after the job had ended, so the user may not have seen the complete report.
    ///
    /// The last actions of a process are to release the job and remove its lock file.
    public var wasCutOff: Bool { record.stage == .finished && shelf.hasLockFile(of: id) && holder == nil }

    /// Opens the ledger of the job.
    public func ledger() throws(JobError) -> JobLedger {
        switch shelf {
        case .folder(let folder): try folder.open(record.job)
        case .store(let ledger): ledger
        }
    }

    /// Removes the stored data from standard input.
    public func removeSpool() {
        if let spool = record.job.spool { unlink(spool) }
    }
}

/// Returns the size of a file; 0 if there is none.
func fileSize(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
}

/// A store that contains the jobs of its collections.
public protocol JobKeepingStore: Sendable {
    var jobs: JobLedger { get }
}

extension CollectionAdministration {
    /// The jobs that the engine stores itself; `nil` if they must be stored elsewhere.
    public var ownJobs: JobLedger? { (self as? any JobKeepingStore)?.jobs }
}

/// A folder of journals: one file for each job, readable only by its owner.
public struct JobFolder: Sendable {
    /// The path of the folder.
    public let path: String

    /// The application ID in a journal's header: "fjnl".
    private static let applicationID: Int32 = 0x666A_6E6C

    private static let suffix = ".sqlite"
    static let draftSuffix = ".draft"

    /// Creates the folder if it does not exist, accessible only to its owner; refuses a folder on an unreliable file
    /// system.
    public init(creating path: String) throws(JobError) {
        self.path = path
        var end = path.startIndex
        while end < path.endIndex {
            end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
            guard mkdir(String(path[..<end]), 0o700) == 0 || errno == EEXIST || errno == EROFS || errno == EACCES else {
                throw JobError(
                    .notCreated,
                    "cannot create the folder '\(path[..<end])': \(systemMessage())",
                    advice: Self.advice
                )
            }
        }
        guard access(path, W_OK | X_OK) == 0 else {
            throw JobError(.notCreated, "cannot write to the folder '\(path)': \(systemMessage())", advice: Self.advice)
        }
        try Self.refuseNetwork(path)
    }

    /// Creates a folder that may not exist, in which case it has no jobs.
    public init(_ path: String) { self.path = path }

    private static let advice = "specify a writable folder with --journal DIR, or run with --no-journal"

    /// Refuses a network file system, because SQLite depends on the locks and syncs of the file system, and those of
    /// network file systems are known to be unreliable.
    ///
    /// In Swift, the system call for this purpose is hidden by the struct of the same name, so the mount table is read
    /// instead.
    private static func refuseNetwork(_ path: String) throws(JobError) {
        guard let name = MountTable.fileSystem(of: path), MountTable.networks.contains(name) else { return }
        throw JobError(
            .unsafeFolder,
            "'\(path)' is on a network file system (\(name)), which can't keep a journal safe",
            advice: "specify a folder on a local disk with --journal DIR"
        )
    }

    /// Creates the journal of a new job.
    ///
    /// The journal is a draft until its job has been written, so a journal without a job is damaged rather than still
    /// being created.
    func create(_ job: JobDescription, stage: JobRecord.Stage) throws(JobError) {
        let (file, draft) = ("\(path)/\(file(of: job))", "\(path)/\(draft(of: job.id))")
        do {
            try write(job, stage, to: draft)
            guard access(draft + "-wal", F_OK) != 0 else {
                throw JobError(
                    .inputOutput,
                    "\(file): the journal can't be completed: the disk is full, or can't be written",
                    advice: "free some space, and run the same command again"
                )
            }
            guard rename(draft, file) == 0 else {
                throw JobError(.notCreated, "cannot create '\(file)': \(systemMessage())", advice: Self.advice)
            }
        } catch {
            removeDraft(of: job.id)
            throw JobError(any: error, path: file)
        }
        let folder = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }

    /// Writes a complete journal; the connection is then closed, and no data remains in a write-ahead log.
    private func write(_ job: JobDescription, _ stage: JobRecord.Stage, to draft: String) throws {
        let connection = try Connection(path: draft, configuration(.create))
        try connection.migrate(JobTables.migrations + JobTables.laterMigrations)
        try connection.transaction { try JobLedger.insert(job, stage, into: connection) }
    }

    private func draft(of job: JobID) -> String { "\(job)\(Self.draftSuffix)" }

    func removeDraft(of job: JobID) {
        for suffix in ["", "-wal", "-shm"] { unlink("\(path)/\(draft(of: job))\(suffix)") }
    }

    /// Returns the folder's jobs, or those with the given identity, newest first, and the names of unreadable jobs.
    func jobs(of identity: [UInt8]? = nil) async -> (records: [JobRecord], unreadable: [JobError]) {
        let mark = identity.map(Self.mark)
        var (records, unreadable) = await jobs(where: { mark == nil || $0.mark == mark })
        if let identity { records.removeAll { $0.job.identity != identity } }
        return (records, unreadable)
    }

    /// Returns the unfinished jobs with the given identity, newest first, without opening the journals of ended jobs.
    func unfinishedJobs(of identity: [UInt8]) async -> (records: [JobRecord], unreadable: [JobError]) {
        let mark = Self.mark(identity)
        let shelf = JobShelf.folder(self)
        let (records, unreadable) = await jobs(where: {
            $0.mark == mark && (!hasEnded($0.id) || shelf.hasLockFile(of: $0.id))
        })
        let wanted = records.filter { record in
            record.job.identity == identity
                && (record.stage.isUnfinished || KeptJob(record: record, shelf: shelf).wasCutOff)
        }
        return (wanted, unreadable)
    }

    /// Returns the jobs whose file names satisfy the predicate, newest first; only these are opened.
    func jobs(where isWanted: (Name) -> Bool) async -> (records: [JobRecord], unreadable: [JobError]) {
        var found: [JobRecord] = []
        var unreadable: [JobError] = []
        for name in names() where isWanted(name) {
            do throws(JobError) {
                // Close it immediately: there may be more journals than descriptors.
                let jobs = try await open(name.file).jobs()
                if !jobs.isEmpty, jobs.allSatisfy({ !$0.stage.isUnfinished }) { noteEnd(of: name.id) }
                found += jobs
            } catch {
                // Ignore a job that was removed in the meantime.
                if access("\(path)/\(name.file)", F_OK) == 0 { unreadable.append(error) }
            }
        }
        return (found.sorted { $0.job.startedAt > $1.job.startedAt }, unreadable)
    }

    /// Returns the jobs that exceed the limits, as determined from their files alone.
    func old(beyond limits: JobShelf.Retention, at now: Duration) -> Set<JobID> {
        var kept = JobShelf.Kept(limits: limits, now: now)
        var old: Set<JobID> = []
        for name in names().sorted(by: { $0.changedAt > $1.changedAt }) {
            let bytes = ["\(name.file)", "\(name.id).spool", "\(name.id).backup.jsonl"].reduce(0) {
                $0 + fileSize("\(path)/\($1)")
            }
            if !kept.add(bytes: bytes, changedAt: name.changedAt) { old.insert(name.id) }
        }
        return old
    }

    func open(_ job: JobDescription) throws(JobError) -> JobLedger { try open(file(of: job)) }

    /// Removes a journal with the files next to it.
    func remove(_ job: JobDescription) {
        for suffix in ["", "-wal", "-shm"] { unlink("\(path)/\(file(of: job))\(suffix)") }
        unlink(endMark(of: job.id))
    }

    /// The empty file that marks the job of a journal as ended, which is final.
    private func endMark(of job: JobID) -> String { "\(path)/\(job).ended" }

    private func hasEnded(_ job: JobID) -> Bool { access(endMark(of: job), F_OK) == 0 }

    /// Marks a job as ended, so its journal need not be opened to determine this; without the mark, the check only
    /// takes longer.
    private func noteEnd(of job: JobID) {
        let file = Glibc.open(endMark(of: job), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if file >= 0 { close(file) }
    }

    /// A journal's file, named after the job and the beginning of its identity.
    struct Name {
        let id: JobID
        /// The beginning of the identity.
        let mark: String
        fileprivate let file: String
        fileprivate let changedAt: Duration
    }

    private static func mark(_ identity: [UInt8]) -> String {
        identity.prefix(8).hexadecimal
    }

    private func file(of job: JobDescription) -> String { "\(job.id).\(Self.mark(job.identity))\(Self.suffix)" }

    func names() -> [Name] {
        var names: [Name] = []
        for file in fileNames(in: path) {
            let parts = file.split(separator: ".", omittingEmptySubsequences: false)
            var status = stat()
            guard file.hasSuffix(Self.suffix), parts.count == 3, stat("\(path)/\(file)", &status) == 0 else { continue }
            let changed = Duration.seconds(status.st_mtim.tv_sec) + .nanoseconds(status.st_mtim.tv_nsec)
            names.append(
                Name(id: JobID(rawValue: String(parts[0])), mark: String(parts[1]), file: file, changedAt: changed)
            )
        }
        return names.sorted { $0.id.rawValue < $1.id.rawValue }
    }

    private func configuration(_ access: Configuration.Access) -> Configuration {
        var configuration = Configuration()
        configuration.access = access
        configuration.applicationID = Self.applicationID
        configuration.permissions = 0o600
        configuration.cacheSize = 4 << 20
        return configuration
    }

    private func open(_ name: String) throws(JobError) -> JobLedger {
        let file = "\(path)/\(name)"
        do {
            let database = try Database(path: file, configuration(.readWrite)) { connection in
                try connection.migrate(JobTables.migrations + JobTables.laterMigrations)
            }
            return JobLedger(database, path: file)
        } catch {
            throw JobError(any: error, path: file)
        }
    }
}

// MARK: - Notes of feeds

extension JobFolder {
    fileprivate func noteFeed(of job: JobID, into collection: CollectionName, at target: String) {
        let file = Glibc.open(note(collection, target), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        // The name is replaced in one step: if the file were emptied first, and the process killed then, the job would
        // find a note that is not its own, and repeat all its operations.
        let bytes = Array(job.rawValue.utf8)
        _ = bytes.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
        _ = ftruncate(file, off_t(bytes.count))
    }

    fileprivate func lastFeed(butOf job: JobID, into collection: CollectionName, at target: String) -> Duration? {
        let file = Glibc.open(note(collection, target), O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(file, &bytes, bytes.count)
        // The process that created an empty note was killed before it named its job, and thus before it sent anything.
        guard count > 0, fstat(file, &status) == 0, !bytes[..<count].elementsEqual(job.rawValue.utf8) else {
            return nil
        }
        return .seconds(status.st_mtim.tv_sec) + .nanoseconds(status.st_mtim.tv_nsec)
    }

    /// The path of a collection's record of its last feed; if two collections have the same hash, the only effect is
    /// that a job sends some operations again unnecessarily.
    private func note(_ collection: CollectionName, _ target: String) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in Array(target.utf8) + [0] + Array(collection.rawValue.utf8) {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return "\(path)/feed.\(String(hash, radix: 16))"
    }
}
