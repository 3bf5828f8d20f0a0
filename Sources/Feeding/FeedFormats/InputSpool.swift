import Glibc

/// A file that keeps what came through a pipe, byte for byte.
///
/// While the pipe may still bring something, its owner may write to the file (mode 0600); once the pipe has ended, nobody
/// may (0400). A run that was killed leaves what it had read by then.
public struct InputSpool: Sendable {
    /// The source of what a spool does not have yet.
    enum Pipe: Sendable {
        /// There is no more: the spool is read alone.
        case none
        /// The input's source, which is opened with the input.
        case unopened
        case opened(InputDescriptor)
    }

    /// The path of the file.
    public let path: String
    /// The spool, open for reading; for writing too if it is new.
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
    ///   - path: Where the file is to be.
    ///   - maximumBytes: The most bytes it may keep. One more ends the input with ``InputError/Code/spoolFull``.
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
        // Whatever the process keeps from new files.
        fchmod(number, 0o600)
        // The name must survive a power cut, as the bytes do.
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let folder = parts.isEmpty ? "." : parts.joined(separator: "/") + "/"
        let directory = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if directory >= 0 {
            fsync(directory)
            close(directory)
        }
        return InputSpool(path, file: file, pipe: pipe, maximumBytes: maximumBytes, isNew: true)
    }

    /// Opens the spool of an earlier run to be read alone, without the pipe: its end is the input's end.
    ///
    /// If it is not complete, the input has a note at its end, and an unfinished record there is left out: it might be
    /// half an ID.
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

    /// Whether the pipe had come to its end, so that the spool has all of it.
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
    /// Creates an error with a spool from the system's number.
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
        self.init(code, source: source, reason: "what it brings cannot be kept in '\(path)': \(reason)")
    }
}
