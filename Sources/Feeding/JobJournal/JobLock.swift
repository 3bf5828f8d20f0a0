public import ContentFeeding
import Glibc
import Synchronization
import TextKit

/// The exclusive right of a process on this machine to work on a job, represented by a locked file, which the system
/// releases when the process ends.
///
/// If a store is shared by several machines, only the job's epoch protects against processes on other machines.
public final class JobLock: Sendable {
    private let descriptor: Int32
    private let files: LockFiles

    /// Takes the lock, or throws an error that names its holder.
    public convenience init(_ job: JobID, at path: String) throws(JobError) {
        try self.init(job, at: path, files: .ofProcess)
    }

    package init(_ job: JobID, at path: String, files: LockFiles) throws(JobError) {
        descriptor = try JobLock.lock(path, of: job)
        self.files = files
        files.hold(path, descriptor: descriptor)
        let text = "\(getpid())\n"
        _ = ftruncate(descriptor, 0)
        _ = text.withCString { pwrite(descriptor, $0, text.utf8.count, 0) }
    }

    /// Opens and locks the file; if its last holder has removed it in the meantime, the lock has no effect, so a new
    /// file is tried.
    private static func lock(_ path: String, of job: JobID) throws(JobError) -> Int32 {
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else {
                throw JobError(
                    .notCreated,
                    "cannot create '\(path)': \(systemMessage())",
                    advice: "specify a writable folder with --journal DIR, or run with --no-journal"
                )
            }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let error = errno
                let holder = holder(descriptor)
                close(descriptor)
                throw error == EWOULDBLOCK ? running(job, as: holder) : lockless(path, error)
            }
            var (locked, named) = (stat(), stat())
            if fstat(descriptor, &locked) == 0, stat(path, &named) == 0, locked.st_ino == named.st_ino {
                return descriptor
            }
            close(descriptor)
        }
    }

    private static func running(_ job: JobID, as process: Int?) -> JobError {
        let name = process.map { " as process \($0)" } ?? ""
        return JobError(.running, "job \(job) is running\(name)", advice: "wait for it, or stop it")
    }

    private static func lockless(_ path: String, _ error: Int32) -> JobError {
        JobError(
            .unsafeFolder,
            "'\(path)' can't be locked: \(String(cString: strerror(error)))",
            advice: "specify a folder on a local disk with --journal DIR"
        )
    }

    /// Releases the lock and removes its file, either immediately or at the end of the process.
    deinit {
        files.release(descriptor)
        close(descriptor)
    }

    /// Schedules the job's stored input for removal along with the lock's file, because no later run of the command
    /// needs it.
    package func removeAtEnd(spool path: String?) { files.add(spool: path, to: descriptor) }

    /// Returns the process that holds the lock; `nil` if it is not locked.
    public static func holder(at path: String) -> Int? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return nil }
        return holder(descriptor) ?? 0
    }

    private static func holder(_ descriptor: Int32) -> Int? {
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return Int(String(decoding: bytes[..<count].prefix { $0 != 0x0A }, as: UTF8.self))
    }
}

// MARK: - Files

/// The files that the locks of a process need, which are removed either with each lock or at the end of the process.
package final class LockFiles: Sendable {
    package static let ofProcess = LockFiles()

    /// The files of a lock.
    private struct Files {
        let lock: String
        /// The stored input of the ended job, which is removed with the lock's file.
        var spool: String?

        /// Removes the files; the input is last, because the job can be continued with it while the lock's file exists.
        ///
        /// If an input is left without a lock file, a later run removes it.
        func remove() {
            unlink(lock)
            if let spool { unlink(spool) }
        }
    }

    private struct State {
        /// The files of the locks that are held, by the locks' descriptors.
        var held: [Int32: Files] = [:]
        /// The files of released locks, to be removed at the end of the process; `nil` if they are removed immediately.
        var released: [Files]?
    }

    private let state = Mutex(State())

    package init() {}

    fileprivate func hold(_ path: String, descriptor: Int32) {
        state.withLock { $0.held[descriptor] = Files(lock: path) }
    }

    fileprivate func add(spool path: String?, to descriptor: Int32) {
        state.withLock { $0.held[descriptor]?.spool = path }
    }

    /// Removes the files of a lock whose descriptor is about to be closed, or keeps them until the end of the process.
    fileprivate func release(_ descriptor: Int32) {
        let removed = state.withLock { state -> Files? in
            guard let files = state.held.removeValue(forKey: descriptor) else { return nil }
            guard state.released != nil else { return files }
            state.released?.append(files)
            return nil
        }
        removed?.remove()
    }

    /// Keeps the files of released locks until ``removeAll()`` is called: if the process is killed before then, the
    /// files remain, and its jobs count as cut off, however far they had progressed.
    package func keep() { state.withLock { $0.released = $0.released ?? [] } }

    /// Removes the files of all locks at the end of the process, except for released locks that another process has
    /// taken in the meantime.
    ///
    /// A task that was canceled may still hold a lock, although its job has reported its end.
    package func removeAll() {
        let (held, released) = state.withLock { state in
            defer { state.held = [:] }
            return (state.held.values, state.released ?? [])
        }
        for files in held { files.remove() }
        for files in released {
            let descriptor = open(files.lock, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { files.remove() }
            close(descriptor)
        }
    }
}

// MARK: - Leftovers

extension JobShelf {
    /// Removes the files that killed processes have left behind for jobs that are over: lock files, drafts of journals,
    /// and spools.
    ///
    /// A job is over if it has been removed or canceled, or if a later run of its command has finished; the lock file
    /// of the last finished run is kept, because it may show that the process was killed. Each file is removed only by
    /// the holder of its lock.
    public func removeLeftovers() async {
        let left = leftovers
        guard !left.isEmpty else { return }
        let (jobs, unreadable) = await jobs()
        // An unreadable store may contain any job.
        if case .store = self, !unreadable.isEmpty { return }
        for id in left where isOver(id, among: jobs) {
            guard let lock = try? lock(id) else { continue }
            // From this point on, no other process can begin or continue the job.
            guard isOver(id, among: await self.jobs(named: id) + jobs.filter { $0.id != id }) else { continue }
            if case .folder(let folder) = self { folder.removeDraft(of: id) }
            unlink(spool(of: id))
            withExtendedLifetime(lock) {}
        }
    }

    private func isOver(_ id: JobID, among jobs: [KeptJob]) -> Bool {
        guard let record = jobs.first(where: { $0.id == id })?.record else { return !hasJournal(of: id) }
        guard record.stage == .finished else { return record.stage == .cancelled }
        return jobs.contains {
            $0.record.job.identity == record.job.identity && $0.record.stage == .finished
                && $0.record.job.startedAt > record.job.startedAt
        }
    }

    /// Whether a journal with this name exists, even if it is unreadable.
    private func hasJournal(of id: JobID) -> Bool {
        guard case .folder(let folder) = self else { return false }
        return folder.names().contains { $0.id == id }
    }

    /// The jobs with a lock file or a draft.
    private var leftovers: Set<JobID> {
        let (folder, start): (String, String)
        switch self {
        case .folder(let jobs): (folder, start) = (jobs.path, "")
        case .store(let ledger):
            let slash = ledger.path.utf8.lastIndex(of: UInt8(ascii: "/"))
            folder = slash.map { String(ledger.path[...$0]) } ?? "."
            start = (slash.map { String(ledger.path[ledger.path.index(after: $0)...]) } ?? ledger.path) + "-"
        }
        var jobs: Set<JobID> = []
        for name in fileNames(in: folder) where name.hasPrefix(start) {
            guard let end = [".lock", JobFolder.draftSuffix].first(where: name.hasSuffix) else { continue }
            let id = name.dropFirst(start.count).dropLast(end.count)
            guard id.utf8.count == JobID.length, id.utf8.allSatisfy({ $0.isUppercase || $0.isDigit }) else { continue }
            jobs.insert(JobID(rawValue: String(id)))
        }
        return jobs
    }
}

// MARK: - The file system

/// The system's table of mounted file systems.
enum MountTable {
    static let networks: Set<String> = [
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "lustre", "glusterfs", "fuse.sshfs",
        "fuse.glusterfs", "fuse.s3fs", "fuse.gcsfuse", "fuse.rclone", "beegfs",
    ]

    /// Returns the type of the file system that contains a folder; `nil` if the system does not report it.
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

/// Returns the names of the files in a folder; empty if it can't be read.
func fileNames(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
        names.append(
            withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
        )
    }
    return names
}

func systemMessage() -> String { String(cString: strerror(errno)) }
