public import ContentFeeding
import Digests
import Glibc
import Synchronization
public import TextKit

/// Operations from arguments, files and standard input, in chunks.
///
/// Opening the input opens every source, so nothing has been sent if one of them can't be read. The input can be
/// consumed only once, by a single iterator. Reading happens on a separate thread, with one thread switch per read, and
/// a canceled task stops waiting for a pipe immediately.
public struct FeedInput: AsyncSequence, Sendable {
    fileprivate let origin: Origin
    private var noted: @Sendable (FeedProgress) -> FeedProgress = { $0 }
    /// The routing value of operations for which the input specifies none.
    private var routing: Routing?

    /// The origin of the chunks.
    fileprivate enum Origin: Sendable {
        case bytes(InputReader)
        case drawn(@Sendable () async throws -> OperationChunk?)
    }

    /// Opens the sources and reads enough of them to determine whether they can be read at all.
    ///
    /// - Parameters:
    ///   - sources: The sources, which are read one after another.
    ///   - kind: The operation on the IDs or documents. The format must support it.
    ///   - format: The format of the sources; arguments have none.
    ///   - dialect: The deviations of the sources from the format's default form.
    ///   - limits: The limits on how much of the input is held at once.
    ///   - memory: The record of the input with which a later run can continue, and the position from which to
    ///     continue. Input before this position is read only to count its lines and to check that it has not changed;
    ///     if documents are being removed, the last part of that input is returned first, in chunks marked as earlier
    ///     input. If `nil`, no record is kept and chunks have no digest.
    ///   - note: A function called with notes for the owner of the input, each at most once per source.
    /// - Returns: The input, from which nothing has been read yet.
    /// - Throws: An ``InputError`` that names the source, or a `CancellationError`.
    public static func open(
        _ sources: [InputSource],
        for kind: ContentOperation.Kind,
        format: InputFormat,
        dialect: InputDialect = InputDialect(),
        limits: InputLimits = InputLimits(),
        memory: InputMemory? = nil,
        note: @escaping @Sendable (InputNote) -> Void = { _ in }
    ) async throws -> FeedInput {
        precondition(format.carries(kind), "\(format) does not support \(kind)")
        let reader = InputReader(note: note)
        try await withTaskCancellationHandler {
            try await reader.open(
                sources,
                for: kind,
                format: format,
                dialect: dialect,
                limits: limits,
                memory: memory
            )
        } onCancel: {
            reader.canceller.cancel()
        }
        return FeedInput(origin: .bytes(reader))
    }

    /// Creates an input whose chunks are not read from bytes but come from elsewhere, such as a collection.
    ///
    /// - Parameters:
    ///   - noted: A closure that adds data to the digest of a progress, so a later run can recognize the remaining
    ///     entries.
    ///   - next: A closure that returns the next chunk; `nil` at the end.
    /// - Returns: The input, from which nothing has been read yet.
    public static func drawn(
        noted: @escaping @Sendable (FeedProgress) -> FeedProgress = { $0 },
        _ next: @escaping @Sendable () async throws -> OperationChunk?
    ) -> FeedInput {
        FeedInput(origin: .drawn(next), noted: noted)
    }

    /// Returns the progress to store, including the data that the input itself adds about the entries it has read.
    public func noted(in progress: FeedProgress) -> FeedProgress { noted(progress) }

    /// The number of bytes read so far, and the total; `nil` for an input that is not read from bytes.
    public var progress: InputProgress? {
        switch origin {
        case .bytes(let reader): reader.progress
        case .drawn: nil
        }
    }

    /// Ends an input that is read from bytes after the last returned chunk, as if there were no more data; a blocked
    /// read returns.
    public func stop() {
        if case .bytes(let reader) = origin { reader.canceller.cancel() }
    }

    /// Waits for the first chunk and returns it; `nil` at the end, or if the input is not read from bytes.
    ///
    /// The iterator returns the chunk as well.
    package func first() async throws -> OperationChunk? {
        guard case .bytes(let reader) = origin else { return nil }
        return try await withTaskCancellationHandler {
            try await reader.peek()
        } onCancel: {
            reader.canceller.cancel()
        }
    }

    /// Returns the input with a routing value for operations for which it specifies none.
    package func routed(to routing: Routing?) -> FeedInput {
        var input = self
        input.routing = routing
        return input
    }

    public func makeAsyncIterator() -> Iterator { Iterator(origin: origin, routing: routing) }

    /// An iterator that reads one chunk after another.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let origin: Origin
        /// Chunks already read, in reverse order.
        private var waiting: [OperationChunk] = []

        private let routing: Routing?

        fileprivate init(origin: Origin, routing: Routing?) { (self.origin, self.routing) = (origin, routing) }

        /// Returns the next chunk, which contains at least one record, except at the end of a source.
        ///
        /// - Throws: An ``InputError`` when reading fails, or a `CancellationError`.
        public mutating func next() async throws -> OperationChunk? {
            var chunk: OperationChunk?
            switch origin {
            case .bytes(let reader): chunk = try await next(from: reader)
            case .drawn(let next): chunk = try await next()
            }
            if let routing, let operations = chunk?.operations {
                chunk?.operations = operations.map { $0.routed(to: routing) }
            }
            return chunk
        }

        private mutating func next(from reader: InputReader) async throws -> OperationChunk? {
            if waiting.isEmpty {
                waiting = try await withTaskCancellationHandler {
                    try await reader.next()
                } onCancel: {
                    reader.canceller.cancel()
                }
                waiting.reverse()
            }
            try Task.checkCancellation()
            return reader.canceller.isCancelled ? nil : waiting.popLast()
        }
    }
}

/// A source of IDs or documents.
public enum InputSource: Hashable, Sendable {
    /// Command-line arguments, which are IDs for `remove` and JSON documents otherwise; the format does not matter.
    case arguments([String])
    /// A regular file, a named pipe, or a device such as `/dev/stdin`.
    case file(String)
    case standardInput

    /// The source's name in rejections and messages.
    public var name: String {
        switch self {
        case .arguments: "argument"
        case .file(let path): path
        case .standardInput: "standard input"
        }
    }
}

/// The limits on how much of an input is held at once.
public struct InputLimits: Hashable, Sendable {
    /// The longest document ID, in bytes.
    public var id = DocumentID.maximumByteCount
    /// The longest line of an input of IDs, in bytes; longer lines are rejected without being held.
    public var line = 1 << 20
    /// The longest document, in bytes.
    public var document = Document.maximumByteCount
    /// The maximum number of columns in a table.
    public var columns = 1 << 16
    /// The maximum number of rejections kept with their positions; all are counted.
    public var rejections = 100
    /// The number of operations at which a chunk is delivered.
    public var chunkCount = 1000
    /// The bytes of IDs and documents at which a chunk is delivered.
    public var chunkBytes = 1 << 20
    /// The maximum number of bytes read at once.
    public var readBytes = 256 << 10
    /// The minimum number of records from an earlier run that are returned again, so a removal can remember their
    /// documents.
    public var remembered = 1_000_000

    /// Creates the usual limits.
    public init() {}
}

/// A note for the owner of an input that is not an error.
public enum InputNote: Hashable, Sendable {
    /// The input starts with a UTF-16 byte-order mark and is read as UTF-16; files written with PowerShell's `>` are an
    /// example.
    case transcodedFromUTF16(source: String)
    /// The input is read from a spool that was cut off before its pipe ended. An incomplete last record is skipped;
    /// `unfinishedBytes` is the number of its bytes.
    case endedEarly(source: String, unfinishedBytes: UInt64)
    /// Some rows of a table repeat the titles, as in concatenated tables, and are skipped.
    case repeatedTitles(source: String, count: Int)
    /// Data after the end of a compressed source is not read.
    case trailingBytes(source: String)
}

extension InputNote: CustomStringConvertible {
    public var description: String {
        switch self {
        case .transcodedFromUTF16(let source): "\(source) is in UTF-16, and is read as such"
        case .endedEarly(let source, let count):
            "\(source) was not read to the end by the earlier run; only the part that was read is known"
                + (count > 0 ? "; \(BytesInWords(count)) of an unfinished record at the end are left out" : "")
        case .repeatedTitles(let source, let count):
            "\(source): \(Quantity(count, "row", "rows")) with repeated titles \(count == 1 ? "was" : "were") skipped"
        case .trailingBytes(let source):
            "warning: \(source): the bytes after the compressed data are damaged or in another format, and were not read"
        }
    }
}

/// The record of a feed's input, with which a later run can continue at a position in that input.
public struct InputMemory: Sendable {
    /// The position from which to continue reading; `.start` for a new job.
    public var offset: InputOffset = .start
    /// The digest of the input before `offset`, taken from a chunk; if empty, the input is not checked.
    public var digest: [UInt8] = []
    /// A position after `offset`, up to which the input must not have changed either; `nil` if there is none.
    public var sentThrough: InputMark?
    /// The position at which the input ends, even if it has grown since; `nil` for its actual end.
    package var end: InputOffset?
    /// The copy of the only source that can't be read again, usually standard input; `nil` if all sources can be read
    /// again.
    public var spool: InputSpool?

    /// Creates the record for a job that has read nothing.
    public init(spool: InputSpool? = nil) { self.spool = spool }

    /// Creates the record for continuing a job, from its progress.
    public init(of progress: FeedProgress, spool: InputSpool? = nil) {
        (offset, digest, sentThrough) = (progress.offset, progress.inputDigest, progress.sentThrough)
        self.spool = spool
    }
}

/// The digest of all sources of an input, computed over their raw bytes in order, each source followed by its length.
///
/// This is a class, because the sources of an input share it.
final class InputDigest {
    private var running: RunningBLAKE2b

    init(_ running: consuming RunningBLAKE2b = RunningBLAKE2b()) { self.running = running }

    /// A copy of the digest of the bytes so far, for a reader that looks ahead.
    var branch: InputDigest { InputDigest(running.branch()) }

    var bytes: [UInt8] { running.digestSoFar().bytes }

    func update(_ bytes: Span<UInt8>) { running.update(bytes) }

    /// Ends a source, so the same bytes have a different digest when divided differently among sources.
    func endSource(byteCount: UInt64) {
        let bytes = withUnsafeBytes(of: byteCount.bigEndian) { Array($0) }
        running.update(bytes.span)
    }
}

/// The progress of reading the input, written by the reading thread and read by the display.
public final class InputProgress: Sendable {
    private let read = Atomic<UInt64>(0)
    /// The total number of bytes of the input; the maximum value if unknown.
    private let total = Atomic<UInt64>(.max)

    /// Creates the progress of an input whose size is not known yet.
    public init() {}

    /// The number of bytes read so far, from the beginning of the first source, including those read by an earlier run.
    public var bytesRead: Int { Int(clamping: read.load(ordering: .relaxed)) }

    /// The total number of bytes of all sources; `nil` if one of them is a pipe.
    public var totalBytes: Int? {
        let total = total.load(ordering: .relaxed)
        return total == .max ? nil : Int(clamping: total)
    }

    /// Records the sizes of all sources whose size is known.
    func expect(_ sizes: [UInt64?]) {
        let known = sizes.compactMap(\.self)
        guard known.count == sizes.count else { return }
        total.store(known.reduce(0, +), ordering: .relaxed)
    }

    func note(read bytes: UInt64) { read.store(bytes, ordering: .relaxed) }
}

/// An error in opening or reading an input.
public struct InputError: Error, Hashable, Sendable {
    /// The kind of failure, for programs to act on.
    public enum Code: Hashable, Sendable {
        case missing
        case permission
        case directory
        /// The requested column is not in the table; nothing was sent.
        case unknownColumn
        /// The first row of a table can't be read.
        case malformedHeader
        /// The beginning of the input does not match its format; nothing was sent.
        case wrongFormat
        /// The system can't provide the memory or file descriptors needed.
        case exhausted
        /// The input is not the one that an earlier run read.
        case changed
        /// Any other system error while opening a source.
        case cannotOpen
        /// Reading failed after the input had been opened.
        case cannotRead
        /// The input from a pipe can't be stored, because the spool has reached its limit or its disk is full.
        case spoolFull
        /// The input from a pipe can't be stored or reread, because of another error with the spool.
        case spoolFailed
    }

    /// The kind of failure.
    public var code: Code
    /// A path, `standard input` or `argument`.
    public var source: String
    /// A description of the problem, without the source.
    public var reason: String
    /// The option to correct; `nil` if the code implies the advice.
    var option: String?

    /// Creates an error about a source.
    public init(_ code: Code, source: String, reason: String) {
        self.code = code
        self.source = source
        self.reason = reason
    }
}

extension InputError: CustomStringConvertible {
    public var description: String {
        switch code {
        case .missing, .permission, .directory, .exhausted, .cannotOpen: "cannot open '\(source)': \(reason)"
        case .cannotRead: "cannot read '\(source)': \(reason)"
        case .unknownColumn, .malformedHeader, .wrongFormat, .changed, .spoolFull, .spoolFailed:
            "\(source): \(reason)"
        }
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
    static func text(_ number: CInt) -> String {
        let text = strerror(number).map { String(cString: $0) } ?? "error \(number)"
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}

/// A number of bytes as text: `1 byte`, `28,000,031 bytes`, `8 GiB`.
struct BytesInWords: CustomStringConvertible {
    let description: String

    init(_ count: some BinaryInteger, inUnits: Bool = false) {
        let units: [(String, Int)] = inUnits ? [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)] : []
        if let (unit, bytes) = units.first(where: { count > 0 && Int(count) % $0.1 == 0 }) {
            description = "\(Int(count) / bytes) \(unit)"
            return
        }
        description = Quantity(grouped: Int(count), "byte", "bytes").description
    }
}

// MARK: - For people

extension InputError: AdvisedError {
    /// The error as shown to users, with its exit status.
    public var failure: Failure {
        Failure(ExitStatus(code), description, advice: option.map { "correct \($0); nothing was sent" } ?? code.advice)
    }
}

extension ExitStatus {
    fileprivate init(_ code: InputError.Code) {
        self =
            switch code {
            case .cannotRead, .spoolFull, .spoolFailed: .inputOutput
            case .exhausted: .exhausted
            case .changed: .inputRejected
            default: .inputNotOpened
            }
    }
}

extension InputError.Code {
    fileprivate var advice: String {
        switch self {
        case .missing: "check the path; nothing was sent"
        case .exhausted: "raise the limit on open files (ulimit -n); nothing was sent"
        case .permission: "make it readable, or pipe it in; nothing was sent"
        case .directory: "name each file in it with --from; nothing was sent"
        case .unknownColumn:
            "name the ID column with --column for removals, or --id-field for documents; nothing was sent"
        case .malformedHeader: "correct the first row; nothing was sent"
        case .wrongFormat: "use --format to specify its format; nothing was sent"
        case .cannotOpen: "nothing was sent"
        case .cannotRead: "run the command again when the input can be read"
        case .changed: "restore it as it was, or run the job's own command again, which starts a new job"
        case .spoolFull, .spoolFailed: "free some space, raise --spool-max, or run with --no-journal"
        }
    }
}
