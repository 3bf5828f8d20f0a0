import Files
import Glibc
import Threads
import UnicodeText

/// A file of plain text that is read at any offset, by several threads if wanted.
final class PlainFile: Sendable {
    private let file: OpenFile
    /// The size when the file was opened: a reader stops here, whatever the writer adds.
    let sizeAtOpening: Int64
    /// The offset of the text: after the UTF-8 byte-order mark, if there is one.
    let textStart: Int64
    private let identity: FileIdentity

    /// The path, as given.
    private var path: String { file.name }

    /// Opens the file at `path`.
    ///
    /// - Throws: A ``LogSourceError``, also if a folder or a device is found there.
    convenience init(path: String) throws(LogSourceError) { try self.init(OpenFile.open(path)) }

    /// Takes an open file.
    init(_ file: OpenFile) throws(LogSourceError) {
        let status = try file.status()
        guard status.kind == .file else {
            throw LogSourceError(.special, source: file.name, reason: "it is no longer a regular file")
        }
        var head = [UInt8](repeating: 0, count: ByteOrderMark.maximumLength)
        let count = try file.read(into: &head, from: 0, at: 0)
        textStart = ByteOrderMark(startOf: head.span.extracting(first: count)) == .utf8 ? 3 : 0
        sizeAtOpening = status.size
        identity = status.identity
        self.file = file
    }

    /// Reads from `place` in the file into `buffer`, from `start` on, until the buffer or the file ends.
    ///
    /// - Returns: The number of bytes; less than there is room for only if the file ends.
    func read(into buffer: inout [UInt8], from start: Int = 0, at place: Int64) throws(LogSourceError) -> Int {
        try file.read(into: &buffer, from: start, at: place)
    }

    /// Returns the current size, in bytes.
    func size() throws(LogSourceError) -> Int64 { try file.status().size }

    /// Returns the change to the file since it was opened, or since it had `size` bytes; `nil` if there is none.
    func change(since size: Int64? = nil) throws(LogSourceError) -> FileChange? {
        let size = size ?? sizeAtOpening
        let now = try file.status()
        if now.size < size { return .shrank(from: size, to: now.size) }
        // A descriptor inherited at process start has no path of its own.
        if !now.hasName { return .removed }
        if InheritedDescriptor(path) == nil {
            guard let there = FileStatus(path: path) else { return .removed }
            if there.identity != identity { return .replaced }
        }
        return now.size > size ? .grew(from: size, to: now.size) : nil
    }
}

/// An open file, pipe or device, closed when the last reference goes.
///
/// Several threads may read it at once by offset, but only one as a stream.
final class OpenFile: Sendable {
    let number: CInt
    /// The name in messages.
    let name: String

    private init(number: CInt, name: String) {
        self.number = number
        self.name = name
    }

    deinit { close(number) }

    /// Opens a file for reading, without waiting for a pipe's other end.
    static func open(_ path: String) throws(LogSourceError) -> OpenFile {
        // `/dev/fd/63` of a shell's `<(…)` is that very descriptor: opened anew, it would lose what was written so far
        // if its writer has gone.
        if let inherited = InheritedDescriptor(path) {
            return try duplicate(inherited.number, name: path)
        }
        let number = unsafe Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard number >= 0 else { throw LogSourceError(errno: errno, source: path) }
        return OpenFile(number: number, name: path)
    }

    static func standardInput() throws(LogSourceError) -> OpenFile {
        try duplicate(STDIN_FILENO, name: LogSource.standardInputName)
    }

    private static func duplicate(_ number: CInt, name: String) throws(LogSourceError) -> OpenFile {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else {
            guard errno != EBADF else { throw LogSourceError(.missing, source: name, reason: "it is closed") }
            throw LogSourceError(errno: errno, source: name)
        }
        return OpenFile(number: copy, name: name)
    }

    func status() throws(LogSourceError) -> FileStatus {
        guard let status = FileStatus(descriptor: number) else { throw LogSourceError(errno: errno, source: name) }
        return status
    }

    /// The stream's position; `nil` for a pipe or anything else without positions.
    var place: Int64? {
        let place = lseek(number, 0, SEEK_CUR)
        return place < 0 ? nil : Int64(place)
    }

    /// Reads from an offset until the buffer or the file ends, and returns the number of bytes.
    func read(into buffer: inout [UInt8], from start: Int, at place: Int64) throws(LogSourceError) -> Int {
        try unsafe fill(&buffer, from: start, isOneReadEnough: false) { target, room, done in
            unsafe pread(number, target, room, off_t(place &+ Int64(done)))
        }
    }

    /// Waits for something to read, or the end; returns false if neither comes within a time.
    func isReady(within limit: Duration) -> Bool {
        var waiting = pollfd(fd: number, events: CShort(POLLIN), revents: 0)
        return unsafe poll(&waiting, 1, CInt(limit / .milliseconds(1))) != 0
    }

    /// Waits until there is something to read, and returns the number of bytes read; 0 at the end.
    func read(into buffer: inout [UInt8], from start: Int) throws(LogSourceError) -> Int {
        try unsafe fill(&buffer, from: start, isOneReadEnough: true) { target, room, _ in
            // A named pipe that no writer has opened yet reads as ended: wait for the first byte instead.
            var waiting = pollfd(fd: number, events: CShort(POLLIN), revents: 0)
            return unsafe poll(&waiting, 1, -1) < 0 ? -1 : Glibc.read(number, target, room)
        }
    }

    private func fill(
        _ buffer: inout [UInt8],
        from start: Int,
        isOneReadEnough: Bool,
        read: (UnsafeMutableRawPointer, _ room: Int, _ done: Int) -> Int
    ) throws(LogSourceError) -> Int {
        guard start < buffer.count else { return 0 }
        var done = 0
        let failure: CInt? = unsafe buffer.withUnsafeMutableBytes { bytes -> CInt? in
            guard let base = bytes.baseAddress else { return nil }
            while start + done < bytes.count {
                let count = unsafe read(base + start + done, bytes.count - start - done, done)
                if count < 0 {
                    if errno == EINTR || errno == EAGAIN { continue }
                    return errno
                }
                done += count
                if count == 0 || isOneReadEnough { return nil }
            }
            return nil
        }
        if let failure { throw LogSourceError(errno: failure, source: name) }
        return done
    }
}

/// The type, size and identity of a file, as the system reports them.
struct FileStatus: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case file
        case folder
        case pipe
        /// A device or a socket.
        case special
    }

    let kind: Kind
    /// The size in bytes.
    let size: Int64
    /// When it was last written, counted as the system does.
    let written: Duration
    let identity: FileIdentity
    /// Whether it still has a name.
    fileprivate let hasName: Bool

    /// Reads the status of the file that a path leads to; `nil` with `errno` set.
    init?(path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    init?(descriptor: CInt) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFIFO: .pipe
            default: .special
            }
        size = Int64(status.st_size)
        written = .seconds(status.st_mtim.tv_sec) + .nanoseconds(status.st_mtim.tv_nsec)
        identity = FileIdentity(device: UInt(status.st_dev), inode: UInt(status.st_ino))
        hasName = status.st_nlink > 0
    }
}

/// A change to a file while it was read.
enum FileChange: Hashable, Sendable {
    /// The writer added rows, which were not read; sizes in bytes.
    case grew(from: Int64, to: Int64)
    /// Rows were cut off, perhaps before they were read; sizes in bytes.
    case shrank(from: Int64, to: Int64)
    /// The name is gone; the open file was read to its end.
    case removed
    /// The name now leads to another file; the open one was read to its end.
    case replaced
}

extension FileChange: CustomStringConvertible {
    var description: String {
        switch self {
        case .grew(let before, let after): "it grew by \(after - before) bytes, which were not read"
        case .shrank(let before, let after): "it shrank from \(before) to \(after) bytes; rows may be missing"
        case .removed: "it was removed, but was read to the end"
        case .replaced: "another file took its name; the old one was read to the end"
        }
    }
}

/// A plain file read in parts: opened when the first part begins, closed when all have been read.
///
/// All parts thus come from one file, whatever happens to its name meanwhile: the service removes old logs.
final class PartedFile: Sendable {
    private struct State {
        var file: PlainFile?
        var partsLeft: Int
    }

    let path: String
    private let state: Monitor<State>

    init(path: String, parts: Int) {
        self.path = path
        state = Monitor(State(partsLeft: parts))
    }

    /// Reads a part, by passing the open file to `body`.
    func readPart(_ body: (PlainFile) throws -> Void) throws {
        defer {
            state.change { state in
                state.partsLeft -= 1
                if state.partsLeft == 0 { state.file = nil }
            }
        }
        try body(opened())
    }

    private func opened() throws -> PlainFile {
        try state.change { state in
            if let file = state.file { return file }
            let file = try PlainFile(path: path)
            state.file = file
            return file
        }
    }
}
