public import ContentFeeding

/// The operations that arguments, files and standard input ask for, in chunks.
///
/// Opening it opens every source, so that nothing has been sent when one can't be read. It is drawn from once, by
/// one iterator. Reading happens on a thread of its own, one hop for what one read gives, and a
/// cancelled task stops waiting for a pipe at once.
public struct FeedInput: AsyncSequence, Sendable {
    fileprivate let reader: InputReader

    /// Opens the sources and reads as much of them as decides whether they can be read at all.
    ///
    /// - Parameters:
    ///   - sources: Are read one after the other.
    ///   - kind: What is done with the IDs or documents. The format must carry it.
    ///   - format: How the sources are written; arguments have none.
    ///   - limits: What is held at once.
    ///   - start: Where an earlier run stopped. What stands before it is read and counts for line numbers only.
    ///   - note: Is called for what the owner of an input should know, each at most once for a source.
    /// - Returns: The input, of which nothing has been drawn.
    /// - Throws: An ``InputError`` that names the source, or a `CancellationError`.
    public static func open(
        _ sources: [InputSource],
        for kind: ContentOperation.Kind,
        format: InputFormat,
        limits: InputLimits = InputLimits(),
        from start: InputOffset = .start,
        note: @escaping @Sendable (InputNote) -> Void = { _ in }
    ) async throws -> FeedInput {
        precondition(format.carries(kind), "\(format) carries no \(kind)")
        let reader = InputReader(note: note)
        try await withTaskCancellationHandler {
            try await reader.open(sources, for: kind, format: format, limits: limits, from: start)
        } onCancel: {
            reader.alarm.ring()
        }
        return FeedInput(reader: reader)
    }

    /// Ends the input after the last chunk handed over, as if there was no more; a blocked read returns.
    public func stop() { reader.alarm.ring() }

    public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let reader: InputReader
        /// Chunks that have been read already, the next one last.
        private var waiting: [OperationChunk] = []

        fileprivate init(reader: InputReader) { self.reader = reader }

        /// The next chunk; it is never without records, except at the end of a source that has none at its end.
        ///
        /// - Throws: An ``InputError`` when reading fails, or a `CancellationError`.
        public mutating func next() async throws -> OperationChunk? {
            if waiting.isEmpty {
                let reader = reader
                waiting = try await withTaskCancellationHandler {
                    try await reader.next()
                } onCancel: {
                    reader.alarm.ring()
                }
                waiting.reverse()
            }
            try Task.checkCancellation()
            return reader.alarm.isRinging ? nil : waiting.popLast()
        }
    }
}

/// Where IDs or documents come from.
public enum InputSource: Hashable, Sendable {
    /// Given on the command line: for `remove` each is an ID, else each is a document in JSON. The format doesn't count.
    case arguments([String])
    /// A regular file, a named pipe, or a device like `/dev/stdin`.
    case file(String)
    case standardInput

    /// What a rejection and a message call it.
    public var name: String {
        switch self {
        case .arguments: "argument"
        case .file(let path): path
        case .standardInput: "standard input"
        }
    }
}

/// How much of an input is held at once.
public struct InputLimits: Hashable, Sendable {
    /// The longest document ID, in bytes.
    public var id = DocumentID.maximumByteCount
    /// The longest line of an input of IDs, in bytes; what is longer is rejected without being held.
    public var line = 1 << 20
    /// The longest document, in bytes.
    public var document = Document.maximumByteCount
    /// The most columns of a table.
    public var columns = 1 << 16
    /// How many rejections are kept with their places; all are counted.
    public var rejections = 100
    /// A chunk is handed over when it holds this many operations.
    public var chunkCount = 1000
    /// A chunk is handed over when its IDs and documents weigh this many bytes.
    public var chunkBytes = 1 << 20
    /// The most that is read at once, in bytes.
    public var readBytes = 256 << 10

    public init() {}
}

/// Something about an input that its owner should know, and that is no error.
public enum InputNote: Hashable, Sendable {
    /// The input starts with a UTF-16 byte-order mark and is read as UTF-16; PowerShell's `>` writes such files.
    case transcodedFromUTF16(source: String)
}

extension InputNote: CustomStringConvertible {
    public var description: String {
        switch self {
        case .transcodedFromUTF16(let source): "\(source) is UTF-16; it is read as such"
        }
    }
}

/// Why an input can't be opened or read.
public struct InputError: Error, Hashable, Sendable {
    public enum Code: Hashable, Sendable {
        case missing
        case permission
        case directory
        /// The column asked for is not in the table; nothing was sent.
        case unknownColumn
        /// The first row of a table is not a row.
        case malformedHeader
        /// It does not begin as its format does; nothing was sent.
        case wrongFormat
        /// It is not the input that an earlier run has read.
        case changed
        /// Anything else that the system says on opening.
        case cannotOpen
        /// Reading failed after the input had been opened.
        case cannotRead
    }

    public var code: Code
    /// A path, `standard input` or `argument`.
    public var source: String
    /// What is wrong, without the source.
    public var reason: String

    public init(_ code: Code, source: String, reason: String) {
        self.code = code
        self.source = source
        self.reason = reason
    }
}

extension InputError: CustomStringConvertible {
    public var description: String {
        switch code {
        case .missing, .permission, .directory, .cannotOpen: "cannot open '\(source)': \(reason)"
        case .cannotRead: "cannot read '\(source)': \(reason)"
        case .unknownColumn, .malformedHeader, .wrongFormat, .changed: "\(source): \(reason)"
        }
    }
}
