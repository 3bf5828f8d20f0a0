import ArchiveStream
import Files
import Glibc
import TextKit
import Threads
import ULSRows

/// A file of plain text that can be read at any offset, even by several threads at once.
final class PlainFile: Sendable {
    private let file: OpenFile
    /// The size when the file was opened, at which a reader stops even if the writer adds more.
    let sizeAtOpening: Int64
    /// The offset of the text: after the UTF-8 byte-order mark, if any.
    let textStart: Int64
    private let identity: FileIdentity

    /// The path, as given.
    private var path: String { file.name }

    /// Opens the file at `path`.
    ///
    /// - Throws: A ``LogSourceError``, including the case that a folder or a device is found there.
    convenience init(path: String) throws(LogSourceError) { try self.init(OpenFile.open(path)) }

    /// Creates a plain file from an open file.
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

    /// Reads from `place` in the file into `buffer`, beginning at `start`, until the buffer is full or the file ends.
    ///
    /// - Returns: The number of bytes, which is less than the room in the buffer only if the file ends.
    func read(into buffer: inout [UInt8], from start: Int = 0, at place: Int64) throws(LogSourceError) -> Int {
        try file.read(into: &buffer, from: start, at: place)
    }

    /// Returns the current size, in bytes.
    func size() throws(LogSourceError) -> Int64 { try file.status().size }

    /// Returns the change to the file since it was opened, or since it had `size` bytes; `nil` if it has not changed.
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

/// An open file, pipe or device, closed when the last reference is released.
///
/// Several threads may read it by offset at the same time, but only one may read it as a stream.
final class OpenFile: Sendable {
    let number: CInt
    /// The name in messages.
    let name: String

    private init(number: CInt, name: String) {
        self.number = number
        self.name = name
    }

    deinit { close(number) }

    /// Opens a file for reading, without waiting for the other end of a pipe to be opened.
    static func open(_ path: String) throws(LogSourceError) -> OpenFile {
        // `/dev/fd/63`, from a shell's `<(…)`, is an inherited descriptor; reopening it would lose the data written so
        // far if its writer has exited.
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

    /// Reads from an offset until the buffer is full or the file ends, and returns the number of bytes.
    func read(into buffer: inout [UInt8], from start: Int, at place: Int64) throws(LogSourceError) -> Int {
        try unsafe fill(&buffer, from: start, isOneReadEnough: false) { target, room, done in
            unsafe pread(number, target, room, off_t(place &+ Int64(done)))
        }
    }

    /// Waits for data or the end; returns false if neither arrives within the given time.
    func isReady(within limit: Duration) -> Bool {
        var waiting = pollfd(fd: number, events: CShort(POLLIN), revents: 0)
        return unsafe poll(&waiting, 1, CInt(limit / .milliseconds(1))) != 0
    }

    /// Waits until there is something to read, reads it, and returns the number of bytes; 0 at the end.
    func read(into buffer: inout [UInt8], from start: Int) throws(LogSourceError) -> Int {
        try unsafe fill(&buffer, from: start, isOneReadEnough: true) { target, room, _ in
            // A named pipe that no writer has opened yet appears to have ended; wait for the first byte instead.
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

/// The type, size and identity of a file, as reported by the system.
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
    /// The time at which the file was last written, measured from the epoch of the system's clock.
    let written: Duration
    let identity: FileIdentity
    /// Whether the file still has a name.
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

/// A change to a file while it was being read.
enum FileChange: Hashable, Sendable {
    /// The writer added rows, which were not read; sizes in bytes.
    case grew(from: Int64, to: Int64)
    /// The file was truncated, possibly before rows were read; sizes in bytes.
    case shrank(from: Int64, to: Int64)
    /// The name no longer exists; the open file was read to its end.
    case removed
    /// The name now leads to another file; the open file was read to its end.
    case replaced
}

extension FileChange: CustomStringConvertible {
    var description: String {
        switch self {
        case .grew(let before, let after): "it grew by \(after - before) bytes, which were not read"
        case .shrank(let before, let after): "it shrank from \(before) to \(after) bytes; rows may be missing"
        case .removed: "it was removed, but was read to the end"
        case .replaced: "another file now has its name; the old one was read to the end"
        }
    }
}

/// A plain file that is read in parts: opened when the first part begins, and closed when all parts have been read.
///
/// All parts are thus from the same file, even if its name is removed or reused in the meantime, because the service
/// deletes old logs.
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

/// A source that is read from beginning to end: a single text, or the logs in an archive, as UTF-8.
///
/// A stream is opened and used on one thread. Reading a pipe waits for its writer.
///
/// ```swift
/// var stream = try LogStream(source)
/// while let text = try stream.nextText() {
///     while case let count = try stream.read(into: &buffer, from: 0), count > 0 { … }
/// }
/// ```
struct LogStream: ~Copyable {
    private let source: LogSource
    private let supply: any TextSupply
    private var decoding: TextDecoding?
    private var undecodableBefore = 0
    /// The offset in the source's file where reading began; `nil` for sources without offsets.
    let placeAtOpening: Int64?

    /// Opens the source, and reads enough of a pipe to determine whether it is packed.
    init(_ source: LogSource, limits: ArchiveLimits = ArchiveLimits()) throws(LogSourceError) {
        // Everything that may fail comes first, because a noncopyable value must be initialized completely or not at
        // all.
        let supply: any TextSupply
        let place: Int64?
        if case .stream(.standardInput) = source.kind {
            place = try OpenFile.standardInput().place
            supply = try Self.open(source, limits)
        } else {
            supply = try Self.open(source, limits)
            place = supply.place.map { _ in 0 }
        }
        self.source = source
        self.supply = supply
        placeAtOpening = place
    }

    /// The number of archive entries that aren't logs, including directories and links, and were not read.
    var passedOver: Int { supply.passedOver }

    /// Waits for data or the end; returns false if neither arrives within the given time, as with an idle pipe.
    func isReady(within limit: Duration) -> Bool { decoding?.hasText == true || supply.isReady(within: limit) }

    /// The offset up to which the source's file was read, compressed or not; `nil` for sources without offsets.
    var place: Int64? { supply.place }

    /// The number of invalid sequences in the texts so far; each was replaced with U+FFFD.
    var undecodable: Int { undecodableBefore + (decoding?.undecodable ?? 0) }

    /// Moves to the next text, even before the end of the current one.
    ///
    /// - Returns: `nil` at the end of the source.
    /// - Throws: A ``LogSourceError``, after which there is nothing more to read. An archive without a log causes an
    ///   error at its end.
    mutating func nextText() throws(LogSourceError) -> LogTextName? {
        undecodableBefore = undecodable
        decoding = nil
        guard let name = try supply.nextText() else { return nil }
        decoding = TextDecoding(source.encoding)
        return name
    }

    /// Reads the next piece of the text into `buffer`, beginning at `start`.
    ///
    /// - Returns: The number of bytes; 0 at the end of the text. The buffer must have room.
    /// - Throws: A ``LogSourceError``; in an archive, it names the entry.
    mutating func read(into buffer: inout [UInt8], from start: Int = 0) throws(LogSourceError) -> Int {
        try decoding?.read(into: &buffer, from: start, supply) ?? 0
    }

    private static func open(_ source: LogSource, _ limits: ArchiveLimits) throws(LogSourceError) -> any TextSupply {
        let file: OpenFile
        var readAhead: ReadAhead?
        switch source.kind {
        case .file(let path, _), .stream(.path(let path)): file = try OpenFile.open(path)
        case .stream(.standardInput(let taken)):
            file = try OpenFile.standardInput()
            readAhead = taken
        case .stream(.memory(let text)):
            try SourceHead(of: text.bytes).refuseAllButText(source: source.name)
            return MemorySupply(source, bytes: text.bytes)
        }
        return try SourceHead(of: file, readAhead: readAhead).supply(source, file: file, limits: limits)
    }
}

/// A supply of the logs in an archive, in the archive's order, or of the text of a compressed file.
final class ArchiveTexts: TextSupply {
    private let source: LogSource
    /// The open file; the archive reads from it but doesn't keep it open.
    private let file: OpenFile
    private var archive: ArchiveReader
    var place: Int64? { file.place }
    private var otherNames = 0
    /// An example of the entries that were passed over.
    private var otherName: String?
    private var hasText = false

    var passedOver: Int { archive.passedOver + otherNames }

    init(_ source: LogSource, file: OpenFile, head: [UInt8], limits: ArchiveLimits) throws(LogSourceError) {
        self.source = source
        self.file = file
        do throws(ArchiveError) {
            archive = try ArchiveReader(descriptor: file.number, startingWith: head, limits: limits)
        } catch {
            throw LogSourceError(error, source: source.name)
        }
    }

    /// Moves to the next log.
    ///
    /// - Throws: A ``LogSourceError``, also at the end of an archive that contains no log.
    func nextText() throws(LogSourceError) -> LogTextName? {
        do throws(ArchiveError) {
            while let entry = try archive.nextEntry() {
                guard let name = entry.name else {
                    hasText = true
                    return LogTextName(source)
                }
                if case .log = LogNameKind(name) {
                    hasText = true
                    return LogTextName(entry: name, in: source)
                }
                otherNames += 1
                otherName = otherName ?? name
            }
        } catch {
            hasText = true  // The failure is reported, and is more precise than "nothing found".
            throw LogSourceError(error, source: source.name)
        }
        guard !hasText else { return nil }
        hasText = true
        throw nothingFound
    }

    // Unpacked text arrives in blocks, which do not correspond to rows.
    func isReady(within limit: Duration) -> Bool { true }

    func read(into buffer: inout [UInt8], from start: Int) throws(LogSourceError) -> Int {
        do throws(ArchiveError) {
            return try archive.read(into: &buffer, from: start) ?? 0
        } catch {
            throw LogSourceError(error, source: source.name)
        }
    }

    private var nothingFound: LogSourceError {
        guard let otherName else {
            return LogSourceError(.nothingFound, source: source.name, reason: "it is empty")
        }
        var reason =
            "it contains no logs, but \(Quantity(otherNames, "other file", "other files")), such as '\(otherName)'"
        if case .packed = LogNameKind(otherName) { reason += "; archives inside archives are not read" }
        return LogSourceError(.nothingFound, source: source.name, reason: reason, advice: "unpack it, and use its logs")
    }
}

/// A decoder that converts a text to UTF-8 while it is read; the byte-order mark, or else the user's choice, determines
/// the encoding.
private struct TextDecoding {
    /// The number of bytes read at once from a text that must be transcoded.
    private static let pieceBytes = 64 << 10

    /// The encoding of a text without a byte-order mark.
    private let encoding: TextEncoding?
    private var transcoder: (any TextTranscoder)?
    private var hasBegun = false
    private var hasEnded = false
    private var raw: [UInt8] = []
    /// Decoded UTF-8 that has not been passed on yet.
    private var decoded: ArraySlice<UInt8> = []

    /// The number of invalid sequences; each was replaced with U+FFFD.
    var undecodable: Int { transcoder?.undecodable ?? 0 }

    /// Whether there is text that was read but not passed on.
    var hasText: Bool { !decoded.isEmpty }

    init(_ encoding: TextEncoding?) { self.encoding = encoding }

    /// Reads the next UTF-8 into `buffer`, beginning at `start`; returns 0 at the end of the text, or if the buffer is
    /// full.
    mutating func read(
        into buffer: inout [UInt8],
        from start: Int,
        _ supply: any TextSupply
    ) throws(LogSourceError) -> Int {
        guard start < buffer.count else { return 0 }
        if !hasBegun { try begin(supply) }
        while decoded.isEmpty {
            guard !hasEnded else { return 0 }
            guard transcoder != nil else { return try supply.read(into: &buffer, from: start) }
            let count = try supply.read(into: &raw, from: 0)
            transcode(0..<count)
        }
        let count = min(decoded.count, buffer.count - start)
        buffer.replaceSubrange(start..<start + count, with: decoded.prefix(count))
        decoded = decoded.dropFirst(count)
        return count
    }

    /// Reads enough to determine whether the text begins with a byte-order mark.
    private mutating func begin(_ supply: any TextSupply) throws(LogSourceError) {
        raw = [UInt8](repeating: 0, count: Self.pieceBytes)
        var count = 0
        while ByteOrderMark.mayBegin(raw.span.extracting(first: count)) {
            let more = try supply.read(into: &raw, from: count)
            if more == 0 { break }
            count += more
        }
        hasBegun = true
        let mark = ByteOrderMark(startOf: raw.span.extracting(first: count))
        transcoder = (mark?.encoding ?? encoding)?.makeTranscoder()
        let text = (mark?.length ?? 0)..<count
        if transcoder == nil {
            decoded = raw[text]
            raw = []
        } else if !text.isEmpty {
            transcode(text)
        }
    }

    /// Transcodes a part of the bytes read; an empty part means that the text has ended.
    private mutating func transcode(_ range: Range<Int>) {
        hasEnded = range.isEmpty
        var output: [UInt8] = []
        if hasEnded {
            transcoder?.finish(into: &output)
        } else {
            let raw = raw
            transcoder?.transcode(raw.span.extracting(range), into: &output)
        }
        decoded = output[...]
    }
}

/// A supply of a source's texts, in sequence and in their original encodings.
protocol TextSupply: AnyObject {
    /// Moves to the next text; returns `nil` at the end.
    func nextText() throws(LogSourceError) -> LogTextName?

    /// Reads the next piece of the text into `buffer`, beginning at `start`; returns 0 at the end of the text, or if
    /// the buffer is full.
    func read(into buffer: inout [UInt8], from start: Int) throws(LogSourceError) -> Int

    /// The number of archive entries that aren't logs and were not read.
    var passedOver: Int { get }

    /// The offset up to which the source's file was read; `nil` for sources without offsets.
    var place: Int64? { get }

    /// Waits for data or the end; returns false if neither arrives within the given time.
    func isReady(within limit: Duration) -> Bool
}

/// A supply of the only text of a file or pipe.
final class OneText: TextSupply {
    private let source: LogSource
    private let file: OpenFile
    /// The bytes already read to identify the source.
    private var head: ArraySlice<UInt8>
    /// Whether nothing follows these bytes, because the end of input at a terminal is final.
    private let isWhole: Bool
    private var isTaken = false

    let passedOver = 0
    var place: Int64? { file.place }

    init(_ source: LogSource, file: OpenFile, head: [UInt8], isWhole: Bool = false) {
        self.source = source
        self.file = file
        self.head = head[...]
        self.isWhole = isWhole
    }

    func isReady(within limit: Duration) -> Bool { !head.isEmpty || isWhole || file.isReady(within: limit) }

    func nextText() throws(LogSourceError) -> LogTextName? {
        guard !isTaken else { return nil }
        isTaken = true
        return LogTextName(source)
    }

    func read(into buffer: inout [UInt8], from start: Int) throws(LogSourceError) -> Int {
        guard !head.isEmpty else { return isWhole ? 0 : try file.read(into: &buffer, from: start) }
        let count = min(head.count, buffer.count - start)
        guard count > 0 else { return 0 }
        buffer.replaceSubrange(start..<start + count, with: head.prefix(count))
        head = head.dropFirst(count)
        return count
    }
}
