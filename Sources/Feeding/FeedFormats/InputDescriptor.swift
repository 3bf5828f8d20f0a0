import Glibc
import Synchronization

/// An open file, pipe or device, closed when the last reference goes away.
final class InputDescriptor: Sendable {
    let number: CInt

    init(owning number: CInt) { self.number = number }

    deinit { close(number) }

    /// Opens a file for reading without waiting for a pipe's other end.
    static func open(_ path: String) throws(InputError) -> InputDescriptor {
        // `/dev/fd/63` of a shell's `<(…)` is that very descriptor. Reopened, it would never end if its writer has
        // exited without writing a byte.
        let number =
            if let inherited = inheritedDescriptor(path) {
                fcntl(inherited, F_DUPFD_CLOEXEC, 3)
            } else {
                Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
            }
        guard number >= 0 else { throw InputError(errno: errno, source: path) }
        let descriptor = InputDescriptor(owning: number)
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

    /// Waits for input, then reads it into the buffer from `start` on; returns `nil` when cancelled.
    func read(
        into buffer: inout [UInt8],
        from start: Int,
        canceller: ReadCanceller,
        source: String
    ) throws(InputError) -> Int? {
        while true {
            var waiting = [number, canceller.descriptor.number].map { number in
                pollfd(fd: number, events: CShort(POLLIN), revents: 0)
            }
            let ready = poll(&waiting, nfds_t(waiting.count), -1)
            if canceller.isCancelled { return nil }
            let count =
                ready < 0
                ? -1
                : buffer.withUnsafeMutableBytes { bytes in
                    bytes.baseAddress.map { Glibc.read(number, $0 + start, bytes.count - start) } ?? 0
                }
            if count >= 0 { return count }
            guard errno == EINTR || errno == EAGAIN else {
                throw InputError(.cannotRead, source: source, reason: InputError.text(errno))
            }
        }
    }

    private func refuseDirectory(source: String) throws(InputError) {
        var status = stat()
        if fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            throw InputError(errno: EISDIR, source: source)
        }
    }

    private static func inheritedDescriptor(_ path: String) -> CInt? {
        if path == "/dev/stdin" { return STDIN_FILENO }
        for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
            return CInt(path.dropFirst(folder.count))
        }
        return nil
    }
}

extension InputError {
    init(errno number: CInt, source: String) {
        let code: Code =
            switch number {
            case ENOENT, ENOTDIR: .missing
            case EACCES, EPERM: .permission
            case EISDIR: .directory
            case EMFILE, ENFILE, ENOMEM: .exhausted
            default: .cannotOpen
            }
        self.init(code, source: source, reason: Self.text(number))
    }

    /// Returns the system's error text as a fragment: `no such file or directory`.
    fileprivate static func text(_ number: CInt) -> String {
        let text = strerror(number).map { String(cString: $0) } ?? "error \(number)"
        return text.prefix(1).lowercased() + text.dropFirst()
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
