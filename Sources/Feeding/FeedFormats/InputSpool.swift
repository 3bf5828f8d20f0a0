import Glibc
import Threads

/// A file that stores the input from a pipe, byte for byte.
///
/// Until the pipe has ended, the file is writable by its owner (mode 0600); then it is read-only (0400). If a run is
/// killed, the file contains the part read so far.
public struct InputSpool: Sendable {
    /// The source of the bytes that are not in the spool yet.
    enum Pipe: Sendable {
        /// The pipe no longer exists: only the spool is read.
        case none
        /// The input's source, which is opened with the input.
        case unopened
        case opened(InputDescriptor)
    }

    /// The path of the file.
    public let path: String
    /// The spool, open for reading, and also for writing if it is new.
    let file: InputDescriptor
    let pipe: Pipe
    let maximumBytes: Int
    let isNew: Bool

    init(_ path: String, file: InputDescriptor, pipe: Pipe, maximumBytes: Int, isNew: Bool) {
        self.path = path
        self.file = file
        self.pipe = pipe
        self.maximumBytes = maximumBytes
        self.isNew = isNew
    }

    /// Creates the file (mode 0600), which must not exist; standard input is read through it.
    ///
    /// - Parameters:
    ///   - path: The path of the file to create.
    ///   - maximumBytes: The maximum number of bytes in the file; longer input fails with
    ///     ``InputError/Code/spoolFull``.
    /// - Returns: The empty spool.
    /// - Throws: An ``InputError`` about the file.
    public static func create(_ path: String, maximumBytes: Int) throws(InputError) -> InputSpool {
        try create(path, maximumBytes: maximumBytes, pipe: .unopened)
    }

    static func create(_ path: String, maximumBytes: Int, pipe: Pipe) throws(InputError) -> InputSpool {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW
        let number = Glibc.open(path, flags, 0o600)
        guard number >= 0 else { throw InputError(spool: path, errno: errno) }
        let file = InputDescriptor(owning: number, isRepeatable: true)
        // Regardless of the process's umask.
        fchmod(number, 0o600)
        // Like the file's contents, its name must survive a power failure.
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let folder = parts.isEmpty ? "." : parts.joined(separator: "/") + "/"
        let directory = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if directory >= 0 {
            fsync(directory)
            close(directory)
        }
        return InputSpool(path, file: file, pipe: pipe, maximumBytes: maximumBytes, isNew: true)
    }

    /// Opens the spool of an earlier run for reading without the pipe: the end of the spool is the end of the input.
    ///
    /// If the spool is incomplete, a note is reported at the end of the input, and an unfinished record there is
    /// skipped, because it might be a truncated ID.
    public static func open(_ path: String) throws(InputError) -> InputSpool {
        try open(path, pipe: .none, maximumBytes: .max)
    }

    static func open(_ path: String, pipe: Pipe, maximumBytes: Int) throws(InputError) -> InputSpool {
        let number = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard number >= 0 else { throw InputError(spool: path, errno: errno) }
        let file = InputDescriptor(owning: number, isRepeatable: true)
        guard file.status.st_mode & S_IFMT == S_IFREG else {
            throw InputError(.spoolFailed, spool: path, reason: "it is not a regular file")
        }
        return InputSpool(path, file: file, pipe: pipe, maximumBytes: maximumBytes, isNew: false)
    }

    /// Whether the pipe had reached its end, so the spool contains all of its data.
    public var isComplete: Bool { file.status.st_mode & S_IWUSR == 0 }

    /// The number of bytes in the spool.
    public var byteCount: UInt64 { UInt64(file.status.st_size) }
}

extension InputDescriptor {
    fileprivate var status: stat {
        var status = stat()
        fstat(number, &status)
        return status
    }
}

extension InputError {
    /// Creates an error about a spool from the system's error number.
    init(spool path: String, source: String = InputSource.standardInput.name, errno number: CInt) {
        let code: Code =
            switch number {
            case ENOSPC, EDQUOT, EFBIG: .spoolFull
            case EMFILE, ENFILE, ENOMEM: .exhausted
            default: .spoolFailed
            }
        self.init(code, spool: path, source: source, reason: Self.text(number))
    }

    init(_ code: Code, spool path: String, source: String = InputSource.standardInput.name, reason: String) {
        self.init(code, source: source, reason: "its data cannot be kept in '\(path)': \(reason)")
    }
}

extension InputSpool {
    /// The result of comparing a pipe with the spool of an earlier run.
    public enum Comparison: Sendable {
        /// Standard input begins with the entire contents of the spool and may contain more, so the pipe continues to
        /// fill the spool.
        case same(InputSpool)
        /// Standard input differs at this line (counted from 1), so a new spool begins with the part read so far, and
        /// the pipe continues to fill the new spool.
        case different(line: Int, InputSpool)
    }

    /// Opens the spool of an earlier run, and reads standard input for as long as it matches the spool.
    ///
    /// Reading ends at the first byte that differs, or at the end of the spool: the bytes after that stay in the pipe.
    /// Input that is shorter than the spool counts as different at the line where it ends. A canceled task stops
    /// waiting immediately.
    ///
    /// - Parameters:
    ///   - path: The spool of the earlier run, which does not change.
    ///   - source: The source to compare, which can't be read again.
    ///   - maximumBytes: The maximum number of bytes in either spool.
    ///   - other: The path of the new spool, which must not exist; it is created only if the input differs.
    /// - Returns: The spool with which to continue, and the line at which standard input differs from the old spool, if
    ///   any.
    /// - Throws: An ``InputError``, or a `CancellationError`.
    public static func compare(
        _ path: String,
        with source: InputSource = .standardInput,
        maximumBytes: Int,
        orElse other: String
    ) async throws -> Comparison {
        let canceller = ReadCanceller()
        let result = await withTaskCancellationHandler {
            await onOwnThread { () -> Result<Comparison?, InputError> in
                do throws(InputError) {
                    let pipe = try InputDescriptor.open(source)
                    let spool = try open(path, pipe: .opened(pipe), maximumBytes: maximumBytes)
                    var comparison = SpoolComparison(of: spool, with: pipe, named: source.name, canceller)
                    return .success(try comparison.run(orElse: other))
                } catch {
                    return .failure(error)
                }
            }
        } onCancel: {
            canceller.cancel()
        }
        guard let comparison = try result.get() else { throw CancellationError() }
        return comparison
    }
}

/// A comparison of a pipe with a spool, one piece after another.
private struct SpoolComparison {
    private static let pieceBytes = 256 << 10

    private let spool: InputSpool
    private let pipe: InputDescriptor
    private let name: String
    private let canceller: ReadCanceller
    /// The number of bytes that match; the next property is the number of line feeds up to the difference.
    private var agreed: UInt64 = 0
    private var lineFeeds = 0
    private var brought = [UInt8](repeating: 0, count: pieceBytes)
    private var kept = [UInt8](repeating: 0, count: pieceBytes)

    init(of spool: InputSpool, with pipe: InputDescriptor, named name: String, _ canceller: ReadCanceller) {
        self.spool = spool
        self.pipe = pipe
        self.name = name
        self.canceller = canceller
    }

    /// Compares the pipe with the spool; returns `nil` when canceled.
    mutating func run(orElse other: String) throws(InputError) -> InputSpool.Comparison? {
        let size = spool.byteCount
        while agreed < size {
            // Never read more than the length of the spool: the rest is for the resumed run.
            let wanted = 0..<Int(min(UInt64(Self.pieceBytes), size - agreed))
            guard let count = try pipe.read(into: &brought, wanted, canceller: canceller, source: name) else {
                return nil
            }
            let difference = try firstDifference(among: count)
            let same = difference ?? count
            lineFeeds += brought.span.extracting(0..<same).count(of: UInt8(ascii: "\n"))
            if count == 0 || difference != nil { return try begin(other, with: count) }
            agreed += UInt64(count)
        }
        return .same(spool)
    }

    /// Returns the first position at which the bytes just read differ from those in the spool.
    private mutating func firstDifference(among count: Int) throws(InputError) -> Int? {
        try readSpool(at: agreed, count)
        return brought.withUnsafeBytes { brought in
            kept.withUnsafeBytes { kept in
                guard let one = brought.baseAddress, let other = kept.baseAddress, memcmp(one, other, count) != 0 else {
                    return nil
                }
                return (0..<count).first { brought[$0] != kept[$0] }
            }
        }
    }

    /// Begins a new spool with the matching bytes and the last `count` bytes.
    private mutating func begin(_ path: String, with count: Int) throws(InputError) -> InputSpool.Comparison? {
        let new = try InputSpool.create(path, maximumBytes: spool.maximumBytes, pipe: .opened(pipe))
        var isDone = false
        defer { if !isDone { unlink(path) } }
        var copied: UInt64 = 0
        while copied < agreed {
            guard !canceller.isCancelled else { return nil }
            let piece = Int(min(UInt64(Self.pieceBytes), agreed - copied))
            try readSpool(at: copied, piece)
            try write(kept, piece, to: new)
            copied += UInt64(piece)
        }
        try write(brought, count, to: new)
        guard fdatasync(new.file.number) == 0 else { throw InputError(spool: path, source: name, errno: errno) }
        isDone = true
        return .different(line: lineFeeds + 1, new)
    }

    private func write(_ bytes: [UInt8], _ count: Int, to new: InputSpool) throws(InputError) {
        guard new.file.write(bytes, count) else { throw InputError(spool: new.path, source: name, errno: errno) }
    }

    /// Reads exactly `count` bytes of the spool.
    private mutating func readSpool(at offset: UInt64, _ count: Int) throws(InputError) {
        var done = 0
        while done < count {
            let more = spool.file.read(at: offset + UInt64(done), into: &kept, done..<count)
            guard more >= 0 else { throw InputError(spool: spool.path, source: name, errno: errno) }
            guard more > 0 else {
                throw InputError(.spoolFailed, spool: spool.path, source: name, reason: "the file has been truncated")
            }
            done += more
        }
    }
}
