import ContentFeeding
import Glibc
import SQLiteStore

/// A folder of journals: one file for each job, readable to its owner only.
public struct JobFolder: Sendable {
    /// The path of the folder.
    public let path: String

    /// The application ID in a journal's header: "fjnl".
    private static let applicationID: Int32 = 0x666A_6E6C

    private static let suffix = ".sqlite"

    /// Creates the folder if it does not exist, for its owner only, and refuses one whose disk keeps no promises.
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

    /// A folder that may not exist: then it has no jobs.
    public init(_ path: String) { self.path = path }

    private static let advice = "name a folder that you can write to with --journal DIR, or run with --no-journal"

    /// Refuses a network file system: SQLite's locks and syncs are only as good as the file system's, and these are known
    /// to break both.
    ///
    /// The system's call for this is hidden from Swift by the struct of the same name, so its table of mounts is read.
    private static func refuseNetwork(_ path: String) throws(JobError) {
        guard let name = MountTable.fileSystem(of: path), MountTable.networks.contains(name) else { return }
        throw JobError(
            .unsafeFolder,
            "'\(path)' is on a network file system (\(name)), which does not keep a journal's promises",
            advice: "name a folder on a local disk with --journal DIR"
        )
    }

    /// Creates the journal of a new job.
    func create(_ job: JobDescription, stage: JobRecord.Stage) async throws(JobError) -> JobLedger {
        let ledger = try open(file(of: job), create: true)
        try await ledger.create(job, stage: stage)
        return ledger
    }

    /// The folder's jobs, newest first, or those with one identity; what can't be read is named.
    func jobs(of identity: [UInt8]? = nil) async -> (records: [JobRecord], unreadable: [JobError]) {
        let mark = identity.map(Self.mark)
        var (records, unreadable) = await jobs(where: { mark == nil || $0.mark == mark })
        if let identity { records.removeAll { $0.job.identity != identity } }
        return (records, unreadable)
    }

    /// The unfinished jobs with one identity, newest first; journals that are known to have ended stay closed.
    func unfinishedJobs(of identity: [UInt8]) async -> (records: [JobRecord], unreadable: [JobError]) {
        let mark = Self.mark(identity)
        let (records, unreadable) = await jobs(where: { $0.mark == mark && !hasEnded($0.id) })
        return (records.filter { $0.job.identity == identity && $0.stage.isUnfinished }, unreadable)
    }

    /// The jobs whose files' names are wanted, newest first; only these are opened.
    func jobs(where isWanted: (Name) -> Bool) async -> (records: [JobRecord], unreadable: [JobError]) {
        var found: [JobRecord] = []
        var unreadable: [JobError] = []
        for name in names() where isWanted(name) {
            do throws(JobError) {
                // Closed again at once: there may be more journals than descriptors.
                let jobs = try await open(name.file, create: false).jobs()
                if !jobs.isEmpty, jobs.allSatisfy({ !$0.stage.isUnfinished }) { noteEnd(of: name.id) }
                found += jobs
            } catch {
                // One that has been removed meanwhile is no obstacle, nor one that nothing has come of.
                guard error.code != .blank else { continue }
                if access("\(path)/\(name.file)", F_OK) == 0 { unreadable.append(error) }
            }
        }
        return (found.sorted { $0.job.startedAt > $1.job.startedAt }, unreadable)
    }

    /// Jobs that are more than is kept, told by their files alone.
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

    func open(_ job: JobDescription) throws(JobError) -> JobLedger { try open(file(of: job), create: false) }

    /// Removes a journal with the files beside it.
    func remove(_ job: JobDescription) {
        for suffix in ["", "-wal", "-shm"] { unlink("\(path)/\(file(of: job))\(suffix)") }
        unlink(endMark(of: job.id))
    }

    /// The empty file that says of a journal that its job has ended, which is never taken back.
    private func endMark(of job: JobID) -> String { "\(path)/\(job).ended" }

    private func hasEnded(_ job: JobID) -> Bool { access(endMark(of: job), F_OK) == 0 }

    /// Notes that a job has ended, so that nobody opens its journal to learn that; without it, that only takes longer.
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
        identity.prefix(8).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    private func file(of job: JobDescription) -> String { "\(job.id).\(Self.mark(job.identity))\(Self.suffix)" }

    private func names() -> [Name] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [Name] = []
        while let entry = readdir(folder) {
            let file = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
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

    private func open(_ name: String, create: Bool) throws(JobError) -> JobLedger {
        let file = "\(path)/\(name)"
        var configuration = Configuration()
        configuration.access = create ? .create : .readWrite
        configuration.applicationID = Self.applicationID
        configuration.permissions = 0o600
        configuration.cacheSize = 4 << 20
        do {
            let database = try Database(path: file, configuration) { connection in
                try connection.migrate(JobTables.migrations + JobTables.laterMigrations)
            }
            return JobLedger(database, path: file)
        } catch {
            throw JobError(any: error, path: file)
        }
    }
}

/// The system's table of mounted file systems.
private enum MountTable {
    static let networks: Set<String> = [
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "lustre", "glusterfs", "fuse.sshfs",
        "fuse.glusterfs", "fuse.s3fs", "fuse.gcsfuse", "fuse.rclone", "beegfs",
    ]

    /// Returns the type of the file system that a folder is on; `nil` if the system does not say.
    static func fileSystem(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, let file = fopen("/proc/self/mountinfo", "re") else { return nil }
        defer { fclose(file) }
        let device = "\(major(status.st_dev)):\(minor(status.st_dev))"
        var line: UnsafeMutablePointer<CChar>?
        var size = 0
        defer { free(line) }
        while getline(&line, &size, file) > 0, let text = line.map({ String(cString: $0) }) {
            let fields = text.split(separator: " ")
            guard fields.count > 4, fields[2] == device, let separator = fields.firstIndex(of: "-") else { continue }
            return fields.dropFirst(separator + 1).first.map(String.init)
        }
        return nil
    }

    private static func major(_ device: dev_t) -> dev_t { (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF }

    private static func minor(_ device: dev_t) -> dev_t { device & 0xFF | (device >> 12) & ~0xFF }
}
