/// Document errors, or warnings, of a feed up to a moment: all of them, in the order of settling.
///
/// The first are in memory, at most 10,000 and at most 4 MiB of their text; the others are read back from the spill
/// file while you iterate. Reading a file can fail: ``read(_:)`` throws then, and a loop ends early with the reason in
/// ``Iterator/failure``.
public struct DocumentIssues: Sequence, Sendable {
    private let first: [OperationOutcome]
    private let file: SpillFile?
    private let fileBytes: Int
    /// The end, not yet written.
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

    /// Calls `body` with each of them, and throws when they can't be read to the end.
    public func read(_ body: (OperationOutcome) throws -> Void) throws {
        var iterator = makeIterator()
        while let outcome = iterator.next() { try body(outcome) }
        if let failure = iterator.failure { throw failure }
    }

    public struct Iterator: IteratorProtocol {
        private let first: [OperationOutcome]
        private var index = 0
        private var reader: SpillReader

        /// Why the list ended before its end; `nil` while it did not.
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

/// A list that keeps its first entries in memory and the others in a file.
struct IssueList {
    private(set) var count = 0
    private var first: [OperationOutcome] = []
    /// What the texts of `first` weigh.
    private var firstBytes = 0
    private var isSpilling = false
    private var buffer: [UInt8] = []
    private var file: SpillFile?
    private var fileBytes = 0
    private let location: SpillLocation

    private static let maximumInMemory = 10_000
    private static let maximumBytesInMemory = 4 << 20
    private static let bufferSize = 256 << 10

    init(spill location: SpillLocation) { self.location = location }

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
        SpillRecord.append(outcome, to: &buffer)
        if buffer.count >= Self.bufferSize { try write() }
    }

    private mutating func write() throws(SpillError) {
        guard fileBytes + buffer.count <= location.maximumBytes else {
            throw SpillError(
                "document errors need more than \(location.maximumBytes) bytes in \(location.directory)"
                    + " (--max-spill allows no more)"
            )
        }
        if file == nil { file = try SpillFile(in: location.directory) }
        try file?.write(buffer, at: fileBytes)
        fileBytes += buffer.count
        // One long message must not be kept for the rest of the feed.
        buffer.removeAll(keepingCapacity: buffer.capacity <= 4 * Self.bufferSize)
    }

    var snapshot: DocumentIssues {
        DocumentIssues(first: first, file: file, fileBytes: fileBytes, tail: buffer, count: count)
    }
}
