public import ContentFeeding
import Glibc

/// The right of one process on this machine to work on a job: a locked file, which the system releases with the process.
///
/// Processes on other machines that share a store are kept apart by the job's epoch alone.
public final class JobLock: Sendable {
    private let descriptor: Int32
    private let path: String

    /// Takes the lock, or throws an error that names who holds it.
    public init(_ job: JobID, at path: String) throws(JobError) {
        self.path = path
        descriptor = try JobLock.lock(path, of: job)
        let text = "\(getpid())\n"
        _ = ftruncate(descriptor, 0)
        _ = text.withCString { pwrite(descriptor, $0, text.utf8.count, 0) }
    }

    /// Opens and locks the file; one that its last holder has removed meanwhile locks nothing, so the next is tried.
    private static func lock(_ path: String, of job: JobID) throws(JobError) -> Int32 {
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else {
                throw JobError(
                    .notCreated,
                    "cannot create '\(path)': \(systemMessage())",
                    advice: "name a folder that you can write to with --journal DIR, or run with --no-journal"
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
        return JobError(.running, "the job \(job) is running\(name)", advice: "wait for it, or stop it")
    }

    private static func lockless(_ path: String, _ error: Int32) -> JobError {
        JobError(
            .unsafeFolder,
            "'\(path)' can't be locked: \(String(cString: strerror(error)))",
            advice: "name a folder on a local disk with --journal DIR"
        )
    }

    /// Removes the file with the lock.
    deinit {
        unlink(path)
        close(descriptor)
    }

    /// Returns the process that holds the lock; `nil` if nobody does.
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

func systemMessage() -> String { String(cString: strerror(errno)) }
