/// All document errors, or warnings, of a feed up to a moment, in the order in which they were settled.
///
/// The first are in memory, at most 10,000 with at most 4 MiB of text; the others are read back from the spill file
/// during iteration. Reading the file can fail: ``read(_:)`` then throws, and a loop ends early with the reason in
/// ``Iterator/failure``.
public struct DocumentIssues: Sequence, Sendable {
    private let first: [OperationOutcome]
    private let file: SpillFile?
    private let fileBytes: Int
    /// The last records, not yet written.
    private let tail: [UInt8]
    public let count: Int

    init() {
        self.init(first: [], file: nil, fileBytes: 0, tail: [], count: 0)
    }

    init(first: [OperationOutcome], file: SpillFile?, fileBytes: Int, tail: [UInt8], count: Int) {
        self.first = first
        self.file = file
        self.fileBytes = fileBytes
        self.tail = tail
        self.count = count
    }

    public func makeIterator() -> Iterator {
        let spilled = SpillReader(file: file, fileBytes: fileBytes, tail: tail, count: count - first.count)
        return Iterator(first: first, reader: spilled)
    }

    /// Calls `body` with each issue; throws if they can't be read to the end.
    public func read(_ body: (OperationOutcome) throws -> Void) throws {
        var iterator = makeIterator()
        while let outcome = iterator.next() { try body(outcome) }
        if let failure = iterator.failure { throw failure }
    }

    public struct Iterator: IteratorProtocol {
        private let first: [OperationOutcome]
        private var index = 0
        private var reader: SpillReader

        /// The reason iteration ended early; `nil` if it did not.
        public var failure: SpillError? { reader.failure }

        init(first: [OperationOutcome], reader: SpillReader) {
            self.first = first
            self.reader = reader
        }

        public mutating func next() -> OperationOutcome? {
            guard index == first.count else {
                defer { index += 1 }
                return first[index]
            }
            return reader.next()
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

    var snapshot: DocumentIssues {
        DocumentIssues(first: first, file: file, fileBytes: fileBytes, tail: buffer, count: count)
    }
}

/// A reader of spilled records, one piece of the file at a time.
struct SpillReader {
    /// The reason there is no next record, if that is not the end.
    private(set) var failure: SpillError?
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

    mutating func next() -> OperationOutcome? {
        while left > 0, failure == nil {
            if let record = IssueRecord.read(piece, at: &index) {
                left -= 1
                return record
            }
            do throws(SpillError) { try fetch() } catch { failure = error }
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
