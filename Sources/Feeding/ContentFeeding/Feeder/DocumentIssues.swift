/// All document errors, or warnings, of a feed up to a moment, in the order in which they were settled.
///
/// ```swift
/// for try await error in await feeder.documentErrors() { print(error) }
/// ```
///
/// The first are in memory, at most 10,000 with at most 4 MiB of text; the others are read back from the spill file
/// during iteration. If that fails, the iteration throws a ``SpillError``: a short list is never taken for a whole one.
public struct DocumentIssues<Issue: Sendable>: Sendable {
    private let outcomes: RecordedOutcomes
    private let issue: @Sendable (OperationOutcome) -> Issue?

    /// The number of errors, or warnings.
    public var count: Int { outcomes.count }

    init(_ outcomes: RecordedOutcomes, issue: @escaping @Sendable (OperationOutcome) -> Issue?) {
        (self.outcomes, self.issue) = (outcomes, issue)
    }

    /// Calls `body` with each, without suspending; throws if they can't be read to the end.
    public func read(_ body: (Issue) throws -> Void) throws {
        try readOutcomes { outcome in if let issue = issue(outcome) { try body(issue) } }
    }

    /// Returns all of them at once.
    ///
    /// There may be as many as there were operations: read them one by one if that is more than memory should hold.
    public func all() throws -> [Issue] {
        var issues: [Issue] = []
        issues.reserveCapacity(count)
        try read { issues.append($0) }
        return issues
    }

    /// Calls `body` with each outcome that is an error, or a warning.
    package func readOutcomes(_ body: (OperationOutcome) throws -> Void) throws {
        var iterator = outcomes.makeIterator()
        while let outcome = try iterator.next() { try body(outcome) }
    }
}

extension DocumentIssues: AsyncSequence {
    /// Reads errors or warnings one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var outcomes: RecordedOutcomes.Iterator
        fileprivate let issue: @Sendable (OperationOutcome) -> Issue?

        /// Returns the next one; throws if it can't be read back.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(SpillError) -> Issue? {
            while let outcome = try outcomes.next() {
                if let issue = issue(outcome) { return issue }
            }
            return nil
        }
    }

    /// Returns an iterator that begins with the first.
    public func makeAsyncIterator() -> Iterator { Iterator(outcomes: outcomes.makeIterator(), issue: issue) }
}

/// The outcomes that a list of errors or warnings was made of: those in memory, and those in the spill file.
struct RecordedOutcomes: Sendable {
    private let first: [OperationOutcome]
    private let file: SpillFile?
    private let fileBytes: Int
    /// The last records, not yet written.
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

/// A list that keeps its first entries in memory and the rest in a file.
struct IssueList {
    private(set) var count = 0
    private var first: [OperationOutcome] = []
    /// The size of the texts in `first`, in bytes.
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
        // One long message must not keep the buffer large for the rest of the feed.
        buffer.removeAll(keepingCapacity: buffer.capacity <= 4 * Self.bufferSize)
    }

    var snapshot: RecordedOutcomes {
        RecordedOutcomes(first: first, file: file, fileBytes: fileBytes, tail: buffer, count: count)
    }
}

/// A reader of spilled records, one piece of the file at a time.
struct SpillReader {
    private let file: SpillFile?
    private let fileBytes: Int
    private let tail: [UInt8]
    /// The number of records still to come.
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

    /// Appends the next bytes to what is left of the piece.
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
