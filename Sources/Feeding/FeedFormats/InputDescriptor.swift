import Glibc
import Synchronization

/// An open file, pipe or device, closed when the last reference goes away.
final class InputDescriptor: Sendable {
    let number: CInt
    /// True for a regular file, opened by a name of its own: it can be read again, from any place.
    let isRepeatable: Bool

    init(owning number: CInt, isRepeatable: Bool = false) {
        self.number = number
        self.isRepeatable = isRepeatable
    }

    deinit { close(number) }

    /// The bytes of a regular file after its current place; `nil` for anything else.
    var bytesLeft: UInt64? {
        var status = stat()
        guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return UInt64(max(0, status.st_size - max(0, lseek(number, 0, SEEK_CUR))))
    }

    /// Opens a file for reading without waiting for a pipe's other end.
    static func open(_ path: String) throws(InputError) -> InputDescriptor {
        // `/dev/fd/63` of a shell's `<(…)` is that very descriptor. Reopened, it would never end if its writer has
        // exited without writing a byte.
        let inherited = inheritedDescriptor(path)
        let number =
            if let inherited {
                fcntl(inherited, F_DUPFD_CLOEXEC, 3)
            } else {
                Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
            }
        guard number >= 0 else { throw InputError(errno: errno, source: path) }
        var status = stat()
        let isRegular = fstat(number, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        let descriptor = InputDescriptor(owning: number, isRepeatable: inherited == nil && isRegular)
        try descriptor.refuseDirectory(source: path)
        return descriptor
    }

    static func standardInput() throws(InputError) -> InputDescriptor {
        let number = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
        guard number >= 0 else { throw InputError(errno: errno, source: InputSource.standardInput.name) }
        let descriptor = InputDescriptor(owning: number)
        // A closed one was put aside as a descriptor that can only be written.
        guard fcntl(number, F_GETFL) & O_ACCMODE != O_WRONLY else {
            throw InputError(.cannotOpen, source: InputSource.standardInput.name, reason: "it is closed")
        }
        try descriptor.refuseDirectory(source: InputSource.standardInput.name)
        return descriptor
    }

    /// Opens a source that is not a list of arguments.
    static func open(_ source: InputSource) throws(InputError) -> InputDescriptor {
        if case .file(let path) = source { return try open(path) }
        return try standardInput()
    }

    /// Waits for input, then reads it into this part of the buffer; returns `nil` when cancelled.
    func read(
        into buffer: inout [UInt8],
        _ range: Range<Int>,
        canceller: ReadCanceller,
        source: String
    ) throws(InputError) -> Int? {
        while true {
            let ready = wait(with: canceller, milliseconds: -1)
            if canceller.isCancelled { return nil }
            let count =
                ready < 0
                ? -1
                : buffer.withUnsafeMutableBytes { bytes in
                    bytes.baseAddress.map { Glibc.read(number, $0 + range.lowerBound, range.count) } ?? 0
                }
            if count >= 0 { return count }
            guard errno == EINTR || errno == EAGAIN else {
                throw InputError(.cannotRead, source: source, reason: InputError.text(errno))
            }
        }
    }

    /// Returns whether a read would return at once.
    func isReady(canceller: ReadCanceller) -> Bool { wait(with: canceller, milliseconds: 0) > 0 }

    private func wait(with canceller: ReadCanceller, milliseconds: CInt) -> CInt {
        var waiting = [number, canceller.descriptor.number].map { number in
            pollfd(fd: number, events: CShort(POLLIN), revents: 0)
        }
        return poll(&waiting, nfds_t(waiting.count), milliseconds)
    }

    /// Reads a file's bytes from `offset` on into this part of the buffer; returns 0 at its end, -1 for an error.
    func read(at offset: UInt64, into buffer: inout [UInt8], _ range: Range<Int>) -> Int {
        while true {
            let count = buffer.withUnsafeMutableBytes { bytes in
                bytes.baseAddress.map { pread(number, $0 + range.lowerBound, range.count, off_t(offset)) } ?? 0
            }
            if count >= 0 || errno != EINTR { return count }
        }
    }

    private func refuseDirectory(source: String) throws(InputError) {
        var status = stat()
        if fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            throw InputError(errno: EISDIR, source: source)
        }
    }

    fileprivate static func inheritedDescriptor(_ path: String) -> CInt? {
        if path == "/dev/stdin" { return STDIN_FILENO }
        for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
            return CInt(path.dropFirst(folder.count))
        }
        return nil
    }
}

extension InputSource {
    /// Whether a later run can read the source again: arguments, and regular files by names of their own.
    ///
    /// It can't read standard input again, nor a pipe or device, nor an inherited descriptor such as `/dev/fd/63`; one
    /// such source can be kept by an ``InputSpool``.
    public var canBeReadAgain: Bool {
        switch self {
        case .arguments: return true
        case .standardInput: return false
        case .file(let path):
            var status = stat()
            guard InputDescriptor.inheritedDescriptor(path) == nil else { return false }
            // What is not there can't be opened either, and then that is said.
            return stat(path, &status) != 0 || [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
        }
    }
}

/// A canceller of reads, which wakes a thread waiting for input through a pipe of its own; it can't be undone.
final class ReadCanceller: Sendable {
    /// A descriptor that is readable once reads are cancelled.
    let descriptor: InputDescriptor
    private let writer: InputDescriptor
    private let wasCancelled = Atomic(false)

    init() {
        var ends: [CInt] = [-1, -1]
        if pipe(&ends) == 0 {
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        }
        // Without a pipe (no descriptors left), nothing else can be opened either, and that is reported.
        (descriptor, writer) = (InputDescriptor(owning: ends[0]), InputDescriptor(owning: ends[1]))
    }

    var isCancelled: Bool { wasCancelled.load(ordering: .acquiring) }

    func cancel() {
        guard !wasCancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var byte: UInt8 = 1
        _ = write(writer.number, &byte, 1)
    }
}
