import Glibc
import Synchronization
public import TextKit

/// All document errors or all warnings of a feed up to a point in time, in the order in which they were settled.
///
/// ```swift
/// for try await error in await feeder.documentErrors() { print(error) }
/// ```
///
/// The first issues (at most 10,000, with at most 4 MiB of text) are kept in memory; the others are read back from the
/// spill file during iteration. If that fails, the iteration throws a ``SpillError``, so an incomplete list is never
/// mistaken for a complete one.
public struct DocumentIssues<Issue: Sendable>: Sendable {
    private let outcomes: RecordedOutcomes
    private let issue: @Sendable (OperationOutcome) -> Issue?

    /// The number of errors or warnings.
    public var count: Int { outcomes.count }

    init(_ outcomes: RecordedOutcomes, issue: @escaping @Sendable (OperationOutcome) -> Issue?) {
        (self.outcomes, self.issue) = (outcomes, issue)
    }

    /// Calls `body` with each issue, without suspending; throws if the issues can't be read to the end.
    public func read(_ body: (Issue) throws -> Void) throws {
        try readOutcomes { outcome in if let issue = issue(outcome) { try body(issue) } }
    }

    /// Returns all issues at once.
    ///
    /// There may be as many issues as operations; to avoid holding all of them in memory, iterate over them instead.
    public func all() throws -> [Issue] {
        var issues: [Issue] = []
        issues.reserveCapacity(count)
        try read { issues.append($0) }
        return issues
    }

    /// Calls `body` with each outcome that has an error or a warning.
    package func readOutcomes(_ body: (OperationOutcome) throws -> Void) throws {
        var iterator = outcomes.makeIterator()
        while let outcome = try iterator.next() { try body(outcome) }
    }
}

extension DocumentIssues: AsyncSequence {
    /// An iterator over the errors or warnings.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var outcomes: RecordedOutcomes.Iterator
        fileprivate let issue: @Sendable (OperationOutcome) -> Issue?

        /// Returns the next issue; throws if it can't be read back.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(SpillError) -> Issue? {
            while let outcome = try outcomes.next() {
                if let issue = issue(outcome) { return issue }
            }
            return nil
        }
    }

    /// Returns an iterator that begins with the first issue.
    public func makeAsyncIterator() -> Iterator { Iterator(outcomes: outcomes.makeIterator(), issue: issue) }
}

/// The outcomes behind a list of errors or warnings, some of them in memory and the others in the spill file.
struct RecordedOutcomes: Sendable {
    private let first: [OperationOutcome]
    private let file: SpillFile?
    private let fileBytes: Int
    /// The last records, which are not yet written to the file.
    private let tail: [UInt8]
    let count: Int

    init(first: [OperationOutcome], file: SpillFile?, fileBytes: Int, tail: [UInt8], count: Int) {
        self.first = first
        self.file = file
        self.fileBytes = fileBytes
        self.tail = tail
        self.count = count
    }

    func makeIterator() -> Iterator {
        let spilled = SpillReader(file: file, fileBytes: fileBytes, tail: tail, count: count - first.count)
        return Iterator(first: first, reader: spilled)
    }

    struct Iterator {
        private let first: [OperationOutcome]
        private var index = 0
        private var reader: SpillReader

        init(first: [OperationOutcome], reader: SpillReader) {
            self.first = first
            self.reader = reader
        }

        mutating func next() throws(SpillError) -> OperationOutcome? {
            guard index == first.count else {
                defer { index += 1 }
                return first[index]
            }
            return try reader.next()
        }
    }
}

/// A list of issues that keeps its first entries in memory and the rest in a file.
struct IssueList {
    private(set) var count = 0
    private var first: [OperationOutcome] = []
    /// The size of the text in `first`, in bytes.
    private var firstBytes = 0
    private var isSpilling = false
    private var buffer: [UInt8] = []
    private var file: SpillFile?
    private var fileBytes = 0
    private let space: SpillSpace

    private static let maximumInMemory = 10_000
    private static let maximumBytesInMemory = 4 << 20
    private static let bufferSize = 256 << 10

    init(spill space: SpillSpace) { self.space = space }

    mutating func append(_ outcome: OperationOutcome) throws(SpillError) {
        count += 1
        let weight = outcome.documentID.byteCount + (outcome.issue?.failure.message.utf8.count ?? 0)
        isSpilling =
            isSpilling || first.count == Self.maximumInMemory || firstBytes + weight > Self.maximumBytesInMemory
        guard isSpilling else {
            first.append(outcome.detached())
            firstBytes += weight
            return
        }
        IssueRecord.append(outcome, to: &buffer)
        if buffer.count >= Self.bufferSize { try write() }
    }

    private mutating func write() throws(SpillError) {
        if file == nil { file = try SpillFile(in: space) }
        try file?.write(buffer, at: fileBytes)
        fileBytes += buffer.count
        // A single long message must not keep the buffer large for the rest of the feed.
        buffer.removeAll(keepingCapacity: buffer.capacity <= 4 * Self.bufferSize)
    }

    var snapshot: RecordedOutcomes {
        RecordedOutcomes(first: first, file: file, fileBytes: fileBytes, tail: buffer, count: count)
    }
}

/// A reader of spilled records, which reads the file piece by piece.
struct SpillReader {
    private let file: SpillFile?
    private let fileBytes: Int
    private let tail: [UInt8]
    /// The number of records that have not been read yet.
    private var left: Int
    private var offset = 0
    private var piece: [UInt8] = []
    private var index = 0
    private var isTailRead = false

    private static let pieceSize = 256 << 10

    init(file: SpillFile?, fileBytes: Int, tail: [UInt8], count: Int) {
        self.file = file
        self.fileBytes = fileBytes
        self.tail = tail
        left = count
    }

    mutating func next() throws(SpillError) -> OperationOutcome? {
        while left > 0 {
            if let record = IssueRecord.read(piece, at: &index) {
                left -= 1
                return record
            }
            try fetch()
        }
        return nil
    }

    /// Appends the next bytes of the file to the unread bytes of the current piece.
    private mutating func fetch() throws(SpillError) {
        piece.removeFirst(index)
        index = 0
        if offset < fileBytes, let file {
            let bytes = try file.read(at: offset, count: min(Self.pieceSize, fileBytes - offset))
            guard !bytes.isEmpty else { throw missing }
            offset += bytes.count
            piece += bytes
            return
        }
        guard !isTailRead, !tail.isEmpty else { throw missing }
        isTailRead = true
        piece += tail
    }

    private var missing: SpillError {
        let lost = left == 1 ? "the last error is lost" : "the last \(left) errors are lost"
        return SpillError("a file of document errors was truncated or changed: \(lost)")
    }
}

/// The format of an outcome with an issue, in a spill file and in a job's journal: as short as possible, because there
/// may be millions.
///
/// A record consists of the operation ID, kind and outcome, flags (severity, disposition, routing), attempts, code,
/// message, document ID and routing. Numbers are encoded as LEB128, and text is preceded by its length. A missing
/// document takes up 6 bytes, plus its message and its ID.
public enum IssueRecord {
    /// Journals contain indices into these lists and raw values of ``Outcome``, so new cases may only be appended.
    private static let codes: [DocumentFailure.Code] = [
        .documentMissing, .idTooLong, .documentTooLarge, .rejectedByEngine, .attemptsExhausted, .expired, .dropped,
        .stale, .duplicateInInput,
    ]
    private static let kinds: [ContentOperation.Kind] = [.add, .update, .remove]
    private static let dispositions: [DocumentFailure.Disposition] = [
        .permanent, .retryable, .dropped, .operatorAction,
    ]

    private static let errorFlag: UInt8 = 0x10
    private static let routingFlag: UInt8 = 0x20

    /// Appends the record of an outcome, or nothing if the outcome has no issue.
    public static func append(_ outcome: OperationOutcome, to bytes: inout [UInt8]) {
        guard let issue = outcome.issue else { return }
        let failure = issue.failure
        append(outcome.operationID.rawValue, to: &bytes)
        let kind = kinds.firstIndex(of: outcome.kind) ?? 0
        bytes.append(UInt8(kind << 4 | outcome.outcome.rawValue))
        let disposition = dispositions.firstIndex(of: failure.disposition) ?? 0
        let routing = outcome.routing
        bytes.append((issue.isError ? errorFlag : 0) | (routing == nil ? 0 : routingFlag) | UInt8(disposition))
        append(UInt64(outcome.attempts), to: &bytes)
        if let index = codes.firstIndex(of: failure.code) {
            bytes.append(UInt8(index + 1))
        } else {
            bytes.append(0)
            append(failure.code.rawValue.utf8.span, to: &bytes)
        }
        append(failure.message.utf8.span, to: &bytes)
        append(outcome.documentID.utf8, to: &bytes)
        if let routing { append(routing.text.utf8.span, to: &bytes) }
    }

    private static func append(_ text: Span<UInt8>, to bytes: inout [UInt8]) {
        append(UInt64(text.count), to: &bytes)
        text.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Reads the record at `index` and advances the index past it; returns `nil` if the record is incomplete.
    public static func read(_ bytes: [UInt8], at index: inout Int) -> OperationOutcome? {
        var place = index
        guard let id = number(bytes, &place), place + 2 <= bytes.count else { return nil }
        let (head, flags) = (bytes[place], bytes[place + 1])
        place += 2
        guard let attempts = number(bytes, &place), place < bytes.count else { return nil }
        let known = Int(bytes[place])
        place += 1
        guard known <= codes.count, Int(head >> 4) < kinds.count, Int(flags & 0xF) < dispositions.count else {
            return nil
        }
        guard let code = known > 0 ? codes[known - 1] : text(bytes, &place).map(DocumentFailure.Code.init) else {
            return nil
        }
        guard let message = text(bytes, &place), let documentID = text(bytes, &place) else { return nil }
        guard let documentID = try? DocumentID(documentID), let outcome = Outcome(rawValue: Int(head & 0xF)) else {
            return nil
        }
        var routing: Routing?
        if flags & routingFlag != 0 {
            guard let text = text(bytes, &place) else { return nil }
            routing = Routing(text)
        }
        index = place
        let failure = DocumentFailure(code, message, disposition: dispositions[Int(flags & 0xF)])
        return OperationOutcome(
            operationID: OperationID(rawValue: id),
            kind: kinds[Int(head >> 4)],
            documentID: documentID,
            routing: routing,
            outcome: outcome,
            issue: flags & errorFlag != 0 ? .error(failure) : .warning(failure),
            attempts: Int(attempts)
        )
    }

    private static func text(_ bytes: [UInt8], _ place: inout Int) -> String? {
        guard let length = number(bytes, &place), length <= UInt64(bytes.count - place) else { return nil }
        defer { place += Int(length) }
        return String(decoding: bytes[place..<place + Int(length)], as: UTF8.self)
    }

    private static func number(_ bytes: [UInt8], _ place: inout Int) -> UInt64? {
        var (value, shift) = (UInt64(0), UInt64(0))
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }
}

/// The disk space that a run may use for data that should not be held in memory, as one budget for all files.
public final class SpillSpace: Sendable {
    /// The folder that contains the files, which determines the disk.
    public let directory: String
    /// The maximum total size of all files, in bytes.
    public let maximumBytes: Int
    private let used = Mutex(0)

    /// Creates the disk space of a run in a folder.
    public init(in directory: String, maximumBytes: Int = 4 << 30) {
        (self.directory, self.maximumBytes) = (directory, maximumBytes)
    }

    fileprivate func take(_ count: Int) throws(SpillError) {
        let isTaken = used.withLock { used in
            guard count <= maximumBytes - used else { return false }
            used += count
            return true
        }
        guard !isTaken else { return }
        throw SpillError(
            "errors and IDs that exceed the memory limit need more than \(maximumBytes) bytes in \(directory)"
                + " (the --max-spill limit)"
        )
    }

    fileprivate func release(_ count: Int) { used.withLock { $0 -= count } }
}

/// An unnamed file for data that should not be held in memory.
///
/// The file is deleted and its space freed when the last reference to it is released.
public final class SpillFile: Sendable {
    private let descriptor: Int32
    private let space: SpillSpace
    private let size = Mutex(0)

    /// Creates the file in the folder of `space`.
    public init(in space: SpillSpace) throws(SpillError) {
        self.space = space
        var template = Array((space.directory + "/.fastctl-spill-XXXXXX").utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw SpillError("cannot create a file in \(space.directory)", errno: errno) }
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        space.release(size.withLock { $0 })
    }

    /// Writes bytes at an offset; throws if there is not enough space, or if the disk fails.
    public func write(_ bytes: [UInt8], at offset: Int) throws(SpillError) {
        let growth = offset + bytes.count - size.withLock { $0 }
        if growth > 0 {
            try space.take(growth)
            size.withLock { $0 += growth }
        }
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                pwrite(descriptor, buffer.baseAddress?.advanced(by: done), bytes.count - done, off_t(offset + done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SpillError("cannot write to a file in \(space.directory)", errno: errno) }
            done += count
        }
    }

    /// Reads `count` bytes, or fewer at the end of the file.
    public func read(at offset: Int, count: Int) throws(SpillError) -> [UInt8] {
        var done = -1
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            repeat {
                done = pread(descriptor, buffer.baseAddress, count, off_t(offset))
            } while done < 0 && errno == EINTR
            initialized = max(done, 0)
        }
        guard done >= 0 else { throw SpillError("cannot read back a file in \(space.directory)", errno: errno) }
        return bytes
    }
}

/// A failure to write or read the spill file, for example because the disk is full or the limit is reached.
public struct SpillError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// Creates an error that names the data that could not be stored, and the reason.
    public init(_ description: String) { self.description = description }

    fileprivate init(_ description: String, errno code: Int32) {
        self.description = "\(description): \(String(cString: strerror(code)))"
    }
}

// MARK: - For people

extension SpillError: AdvisedError {
    /// The error as shown to people, with its exit status.
    public var failure: Failure {
        Failure(.inputOutput, description, advice: "check that disk, free some space on it, or raise --max-spill")
    }
}
