import ArchiveStream
import Glibc
import Synchronization
import TextKit

/// The bytes of one source, read in order: decompressed, and in UTF-8 or UTF-16.
///
/// The first bytes of a source determine whether it is compressed. All positions, including those used to compare and
/// resume inputs, refer to the decompressed data.
struct RawBytes {
    private enum Form {
        /// The first bytes have not been read.
        case unknown
        case plain
        case translated(TranslatedBytes)
    }

    private var stored: StoredBytes
    private let encoding: TextEncoding?
    private var form = Form.unknown
    /// The number of bytes read.
    private(set) var offset: UInt64 = 0
    /// The position at which reading ends, if not at the end of the source.
    var end: UInt64?
    /// Whether the source counts as complete if it ends at ``end``.
    var isWholeAtEnd = false

    /// Opens a source, through `spool` if it stores the source's data; `encoding` applies to text without a byte-order
    /// mark.
    init(_ source: InputSource, spool: InputSpool? = nil, encoding: TextEncoding? = nil) throws(InputError) {
        stored = try StoredBytes(source, spool: spool)
        try stored.refuseArchive()
        if case .arguments = source {
            self.encoding = nil
            form = .plain
        } else {
            self.encoding = encoding
        }
    }

    var name: String { stored.name }
    /// Whether the bytes can be read again by a later run.
    var areKept: Bool { stored.areKept }
    /// The number of stored bytes; `nil` if it is not known yet.
    var storedSize: UInt64? { stored.size }

    /// The number of stored bytes that were read.
    var storedOffset: UInt64 {
        if case .translated(let translated) = form { translated.storedOffset } else { stored.offset }
    }

    /// Whether unread data follows the end of compressed data; known at the end.
    var hasTrailingBytes: Bool {
        if case .translated(let translated) = form { translated.hasTrailingBytes } else { false }
    }

    /// Whether only the beginning of the source is read.
    var endEarly: Bool { end != nil && !isWholeAtEnd || stored.endEarly }

    /// Reads the next bytes into this part of the buffer, waiting for them; returns 0 at the end, `nil` when canceled.
    mutating func read(
        into buffer: inout [UInt8],
        _ range: Range<Int>,
        canceller: ReadCanceller
    ) throws(InputError) -> Int? {
        guard !canceller.isCancelled else { return nil }
        let range = range.prefix(Int(clamping: (end ?? .max) - offset))
        guard !range.isEmpty else { return 0 }
        let count: Int?
        switch form {
        case .unknown: count = try begin(into: &buffer, range, canceller: canceller)
        case .plain: count = try stored.read(into: &buffer, range, canceller: canceller)
        case .translated(let translated):
            count = try translated.read(at: offset, into: &buffer, range, canceller: canceller)
        }
        offset += UInt64(count ?? 0)
        return count
    }

    /// Reads the first bytes and determines whether they are compressed.
    private mutating func begin(
        into buffer: inout [UInt8],
        _ range: Range<Int>,
        canceller: ReadCanceller
    ) throws(InputError) -> Int? {
        let start = stored
        guard let count = try stored.readHead(into: &buffer, range, canceller: canceller) else { return nil }
        let head = Array(buffer[range.prefix(count)])
        guard encoding != nil || ArchiveFormat(startOf: head.span, among: TranslatedBytes.packings) != nil else {
            form = .plain
            return count
        }
        let translated = TranslatedBytes(stored, startingWith: head, again: start, encoding)
        form = .translated(translated)
        return try translated.read(at: 0, into: &buffer, range, canceller: canceller)
    }
}

extension StoredBytes {
    /// Refuses an archive of several files before anything is sent; input from a pipe is refused when it arrives.
    fileprivate func refuseArchive() throws(InputError) {
        guard let head = head(ofFile: 16), ArchiveFormat(startOf: head.span, among: [.zip, .sevenZip]) != nil else {
            return
        }
        throw InputError(.cannotOpen, source: name, reason: TranslatedBytes.isArchive)
    }

    /// Reads until it is clear whether the bytes are compressed; returns `nil` when canceled.
    mutating func readHead(
        into buffer: inout [UInt8],
        _ range: Range<Int>,
        canceller: ReadCanceller
    ) throws(InputError) -> Int? {
        var count = 0
        while count < range.count {
            let rest = range.lowerBound + count..<range.upperBound
            guard let more = try read(into: &buffer, rest, canceller: canceller) else { return nil }
            count += more
            let head = buffer.span.extracting(range.prefix(count))
            guard more > 0, ArchiveFormat.mayBegin(head, among: TranslatedBytes.packings) else { break }
        }
        return count
    }
}

/// The bytes of one source as they are stored, read in order.
struct StoredBytes {
    /// The origin of the bytes.
    private enum Origin {
        case arguments([UInt8])
        /// A file that can be read from any position, so a copy of this value reads the same bytes.
        case file(InputDescriptor)
        case stream(InputDescriptor)
        case spool(SpoolFeed)
    }

    let name: String
    private let origin: Origin
    /// The number of bytes read.
    private(set) var offset: UInt64 = 0

    /// Opens a source, through `spool` if it stores the source's data.
    init(_ source: InputSource, spool: InputSpool? = nil) throws(InputError) {
        name = source.name
        if case .arguments(let arguments) = source {
            origin = .arguments(arguments.flatMap { Array($0.utf8) + [0] })
        } else if let spool {
            origin = .spool(try SpoolFeed(spool, for: source))
        } else {
            let descriptor = try InputDescriptor.open(source)
            origin = descriptor.isRepeatable ? .file(descriptor) : .stream(descriptor)
        }
    }

    /// Whether the bytes can be read again by a later run.
    var areKept: Bool { if case .stream = origin { false } else { true } }

    /// The total number of bytes of the source; `nil` if it is not known yet.
    var size: UInt64? {
        switch origin {
        case .arguments(let bytes): UInt64(bytes.count)
        case .file(let descriptor), .stream(let descriptor): descriptor.bytesLeft
        case .spool(let feed): feed.wholeSize
        }
    }

    /// Whether only the beginning of the source is read.
    var endEarly: Bool {
        if case .spool(let feed) = origin { !feed.isComplete } else { false }
    }

    /// Returns the first bytes of a file, at most `count`; `nil` for anything else.
    func head(ofFile count: Int) -> [UInt8]? {
        guard case .file(let descriptor) = origin else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        let found = descriptor.read(at: 0, into: &bytes, 0..<count)
        return Array(bytes.prefix(max(0, found)))
    }

    /// Reads the next bytes into this part of the buffer, waiting for them; returns 0 at the end, `nil` when canceled.
    mutating func read(
        into buffer: inout [UInt8],
        _ range: Range<Int>,
        canceller: ReadCanceller
    ) throws(InputError) -> Int? {
        guard !canceller.isCancelled else { return nil }
        guard !range.isEmpty else { return 0 }
        let count: Int?
        switch origin {
        case .arguments(let bytes):
            let rest = bytes[Int(offset)...].prefix(range.count)
            buffer.replaceSubrange(range.prefix(rest.count), with: rest)
            count = rest.count
        case .file(let descriptor):
            let result = descriptor.read(at: offset, into: &buffer, range)
            guard result >= 0 else { throw InputError(.cannotRead, source: name, reason: InputError.text(errno)) }
            count = result
        case .stream(let descriptor):
            count = try descriptor.read(into: &buffer, range, canceller: canceller, source: name)
        case .spool(let feed):
            count = try feed.read(at: offset, into: &buffer, range, canceller: canceller)
        }
        offset += UInt64(count ?? 0)
        return count
    }
}

/// An open file, pipe or device, closed when the last reference is released.
final class InputDescriptor: Sendable {
    let number: CInt
    /// Whether this is a regular file that was opened by its own name, so it can be read again from any position.
    let isRepeatable: Bool

    init(owning number: CInt, isRepeatable: Bool = false) {
        self.number = number
        self.isRepeatable = isRepeatable
    }

    deinit { close(number) }

    /// The number of bytes of a regular file after its current position; `nil` for anything else.
    var bytesLeft: UInt64? {
        var status = stat()
        guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return UInt64(max(0, status.st_size - max(0, lseek(number, 0, SEEK_CUR))))
    }

    /// Opens a file for reading without waiting for a pipe's other end.
    static func open(_ path: String) throws(InputError) -> InputDescriptor {
        // `/dev/fd/63` from a shell's `<(…)` refers to an inherited descriptor. If it were reopened after its writer
        // had exited without writing a byte, its end would never be reached.
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
        // A descriptor that was closed at startup has been replaced by one that can only be written.
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

    /// Waits for input, then reads it into this part of the buffer; returns `nil` when canceled.
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

    /// Returns whether a read would return immediately.
    func isReady(canceller: ReadCanceller) -> Bool { wait(with: canceller, milliseconds: 0) > 0 }

    private func wait(with canceller: ReadCanceller, milliseconds: CInt) -> CInt {
        var waiting = [number, canceller.descriptor.number].map { number in
            pollfd(fd: number, events: CShort(POLLIN), revents: 0)
        }
        return poll(&waiting, nfds_t(waiting.count), milliseconds)
    }

    /// Reads a file's bytes, starting at `offset`, into this part of the buffer; returns 0 at its end, -1 for an error.
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
    /// Whether a later run can read the source again, which is true of arguments, and of regular files with their own
    /// names.
    ///
    /// Standard input, pipes, devices and inherited descriptors such as `/dev/fd/63` can't be read again; an
    /// ``InputSpool`` can store the bytes of one such source.
    public var canBeReadAgain: Bool {
        switch self {
        case .arguments: return true
        case .standardInput: return false
        case .file(let path):
            var status = stat()
            guard InputDescriptor.inheritedDescriptor(path) == nil else { return false }
            // If the file is missing, opening it fails, and that error is reported.
            return stat(path, &status) != 0 || [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
        }
    }
}

/// A canceler of reads, which uses a pipe to wake a thread that is waiting for input; cancellation can't be undone.
final class ReadCanceller: Sendable {
    /// A descriptor that becomes readable once reads are canceled.
    let descriptor: InputDescriptor
    private let writer: InputDescriptor
    private let wasCancelled = Atomic(false)

    init() {
        var ends: [CInt] = [-1, -1]
        if pipe(&ends) == 0 {
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        }
        // If the pipe can't be created because no descriptors are left, opening the input fails too, and that error is
        // reported.
        (descriptor, writer) = (InputDescriptor(owning: ends[0]), InputDescriptor(owning: ends[1]))
    }

    var isCancelled: Bool { wasCancelled.load(ordering: .acquiring) }

    func cancel() {
        guard !wasCancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var byte: UInt8 = 1
        _ = write(writer.number, &byte, 1)
    }
}

/// A spool that is read while data from the pipe is appended to it.
///
/// Returned bytes are already on disk, so they can be read again after a power failure.
final class SpoolFeed {
    private let spool: InputSpool
    private let name: String
    private let pipe: InputDescriptor?
    /// The spool, open for writing; `nil` until something is to be written.
    private var writer: InputDescriptor?
    private var size: UInt64
    private var buffer: [UInt8] = []
    /// Whether the pipe has reported its end, which a terminal would not report twice.
    private var pipeHasEnded = false
    /// Whether the pipe has ended, now or in an earlier run.
    private(set) var isComplete: Bool

    /// The maximum number of bytes written before a sync; the duration of a sync hardly depends on the number of bytes.
    private static let maximumPiece = 1 << 20
    /// The value of `F_SETPIPE_SZ`, which is missing from Swift's module for the C library.
    private static let setPipeSize: CInt = 1031

    init(_ spool: InputSpool, for source: InputSource) throws(InputError) {
        self.spool = spool
        name = source.name
        pipe =
            switch spool.pipe {
            case .none: nil
            case .unopened: try InputDescriptor.open(source)
            case .opened(let descriptor): descriptor
            }
        writer = spool.isNew ? spool.file : nil
        (size, isComplete) = (spool.byteCount, spool.isComplete)
        // With a larger pipe buffer, the writer can continue while a piece is synced.
        if let pipe { _ = fcntl(pipe.number, Self.setPipeSize, CInt(Self.maximumPiece)) }
    }

    /// The total number of bytes; `nil` if the pipe has not ended yet.
    var wholeSize: UInt64? {
        guard let pipe else { return size }
        return pipe.bytesLeft.map { size + $0 }
    }

    /// Reads the bytes at `offset` of the spool, waiting for the pipe if necessary; returns 0 at the end, `nil` when
    /// canceled.
    func read(
        at offset: UInt64,
        into target: inout [UInt8],
        _ range: Range<Int>,
        canceller: ReadCanceller
    ) throws(InputError) -> Int? {
        while offset >= size {
            guard let pipe else { return 0 }
            guard let count = try draw(from: pipe, canceller: canceller) else { return nil }
            guard count > 0 else {
                complete()
                return 0
            }
            try append(count)
        }
        let count = spool.file.read(at: offset, into: &target, range.prefix(Int(clamping: size - offset)))
        guard count >= 0 else { throw InputError(spool: spool.path, source: name, errno: errno) }
        guard count > 0 else {
            throw InputError(.spoolFailed, spool: spool.path, source: name, reason: "the file has been truncated")
        }
        return count
    }

    /// Fills the buffer with data from the pipe, waiting only for the first bytes.
    private func draw(from pipe: InputDescriptor, canceller: ReadCanceller) throws(InputError) -> Int? {
        if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: Self.maximumPiece) }
        let room = spool.maximumBytes - Int(size)
        // At the limit, request one more byte, to detect whether the input ends there.
        let all = max(1, min(buffer.count, room))
        var count = 0
        while !pipeHasEnded, count < all, count == 0 || pipe.isReady(canceller: canceller) {
            guard let more = try pipe.read(into: &buffer, count..<all, canceller: canceller, source: name) else {
                return count > 0 ? count : nil
            }
            count += more
            pipeHasEnded = more == 0
        }
        guard count == 0 || room > 0 else { throw limitReached }
        return count
    }

    /// Appends the beginning of the buffer to the spool, and returns when it is on disk.
    private func append(_ count: Int) throws(InputError) {
        let writer = try openedWriter()
        guard writer.write(buffer, count), fdatasync(writer.number) == 0 else {
            throw InputError(spool: spool.path, source: name, errno: errno)
        }
        size += UInt64(count)
    }

    private func openedWriter() throws(InputError) -> InputDescriptor {
        if let writer { return writer }
        // If an end of the pipe was recorded earlier, it no longer applies.
        fchmod(spool.file.number, 0o600)
        isComplete = false
        let number = open(spool.path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW)
        guard number >= 0 else { throw InputError(spool: spool.path, source: name, errno: errno) }
        let opened = InputDescriptor(owning: number)
        writer = opened
        return opened
    }

    /// Marks the file as the complete input from the pipe.
    ///
    /// If that fails, a later run that has only the spool treats its last record as possibly incomplete.
    private func complete() {
        guard !isComplete else { return }
        fchmod(spool.file.number, 0o400)
        fsync(spool.file.number)
        isComplete = true
    }

    private var limitReached: InputError {
        let limit = BytesInWords(spool.maximumBytes, inUnits: true)
        return InputError(
            .spoolFull,
            source: name,
            reason: "the pipe delivered more than \(limit), the limit set by --spool-max"
        )
    }
}

extension InputDescriptor {
    /// Writes the first `count` bytes; returns false, with the reason in `errno`, if that fails.
    func write(_ bytes: [UInt8], _ count: Int) -> Bool {
        var done = 0
        while done < count {
            let written = bytes.withUnsafeBytes { buffer in
                buffer.baseAddress.map { Glibc.write(number, $0 + done, count - done) } ?? -1
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return false }
            done += written
        }
        return true
    }
}
