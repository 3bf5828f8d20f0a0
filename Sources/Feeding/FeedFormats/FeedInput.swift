public import ContentFeeding

/// Operations from arguments, files and standard input, in chunks.
///
/// Opening it opens every source, so that nothing has been sent if one can't be read. It is consumed once, by one
/// iterator. Reading happens on a separate thread, with one hop per read, and a canceled task stops waiting for a pipe
/// at once.
public struct FeedInput: AsyncSequence, Sendable {
    fileprivate let origin: Origin
    private var noted: @Sendable (FeedProgress) -> FeedProgress = { $0 }

    /// Who has the chunks.
    fileprivate enum Origin: Sendable {
        case bytes(InputReader)
        case drawn(@Sendable () async throws -> OperationChunk?)
    }

    /// Opens the sources and reads enough of them to know whether they can be read at all.
    ///
    /// - Parameters:
    ///   - sources: The sources, which are read one after the other.
    ///   - kind: The operation on the IDs or documents. The format must carry it.
    ///   - format: The format of the sources; arguments have none.
    ///   - dialect: How the sources differ from the format's plain form.
    ///   - limits: How much is held at once.
    ///   - memory: What is kept of the input so that a later run can go on, and the place to go on from; input before
    ///     it is read for line numbers and compared, and the last of it comes first where documents are removed, in
    ///     chunks that say so. Without it, nothing is kept and no chunk has a digest.
    ///   - note: Called with what the owner of an input should know, each note at most once per source.
    /// - Returns: The input, with nothing drawn from it yet.
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
        precondition(format.carries(kind), "\(format) does not carry \(kind)")
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

    /// Creates an input whose chunks are not read from bytes, but come from another collection, say.
    ///
    /// - Parameters:
    ///   - noted: Adds to the digest of a progress what a later run needs to recognise what was read behind its place.
    ///   - next: Returns the next chunk, and `nil` at the end.
    /// - Returns: The input, with nothing drawn from it yet.
    public static func drawn(
        noted: @escaping @Sendable (FeedProgress) -> FeedProgress = { $0 },
        _ next: @escaping @Sendable () async throws -> OperationChunk?
    ) -> FeedInput {
        FeedInput(origin: .drawn(next), noted: noted)
    }

    /// Returns the progress as it is to be kept: with what the input notes of what it has read.
    public func noted(in progress: FeedProgress) -> FeedProgress { noted(progress) }

    /// How much was read so far, of how much; `nil` of an input that is not read from bytes.
    public var progress: InputProgress? {
        switch origin {
        case .bytes(let reader): reader.progress
        case .drawn: nil
        }
    }

    /// Ends an input that is read from bytes after the last chunk handed over, as if there were no more; a blocked read
    /// returns.
    public func stop() {
        if case .bytes(let reader) = origin { reader.canceller.cancel() }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(origin: origin) }

    /// Reads chunk after chunk.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let origin: Origin
        /// Chunks already read, the next one last.
        private var waiting: [OperationChunk] = []

        fileprivate init(origin: Origin) { self.origin = origin }

        /// Returns the next chunk; it is never without records, except at the end of a source that does not end in one.
        ///
        /// - Throws: An ``InputError`` when reading fails, or a `CancellationError`.
        public mutating func next() async throws -> OperationChunk? {
            switch origin {
            case .bytes(let reader): return try await next(from: reader)
            case .drawn(let next): return try await next()
            }
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
    /// Arguments on the command line: IDs for `remove`, else documents in JSON. The format does not matter.
    case arguments([String])
    /// A regular file, a named pipe, or a device like `/dev/stdin`.
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

/// Limits on how much of an input is held at once.
public struct InputLimits: Hashable, Sendable {
    /// The longest document ID, in bytes.
    public var id = DocumentID.maximumByteCount
    /// The longest line of an input of IDs, in bytes; longer lines are rejected without being held.
    public var line = 1 << 20
    /// The longest document, in bytes.
    public var document = Document.maximumByteCount
    /// The most columns of a table.
    public var columns = 1 << 16
    /// The most rejections kept with their places; all are counted.
    public var rejections = 100
    /// The number of operations at which a chunk is handed over.
    public var chunkCount = 1000
    /// The bytes of IDs and documents at which a chunk is handed over.
    public var chunkBytes = 1 << 20
    /// The most bytes read at once.
    public var readBytes = 256 << 10
    /// The records of an earlier run that are handed over again, at least, for a removal to remember their documents.
    public var remembered = 1_000_000

    /// Creates the usual limits.
    public init() {}
}

/// A note for the owner of an input that is not an error.
public enum InputNote: Hashable, Sendable {
    /// The input starts with a UTF-16 byte-order mark and is read as UTF-16; PowerShell's `>` writes such files.
    case transcodedFromUTF16(source: String)
    /// The spool that is read alone ends before its pipe had ended, and so does the input: its last record, of which
    /// there are so many bytes, is left out if its end is missing.
    case endedEarly(source: String, unfinishedBytes: UInt64)
}

extension InputNote: CustomStringConvertible {
    public var description: String {
        switch self {
        case .transcodedFromUTF16(let source): "\(source) is UTF-16 and is read as UTF-16"
        case .endedEarly(let source, let count):
            "\(source) was not read to its end by the earlier run; only what came before is known"
                + (count > 0 ? "; \(BytesInWords(count)) of an unfinished record at the end are left out" : "")
        }
    }
}
