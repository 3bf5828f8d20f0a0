/// Document errors, or warnings, of a feed up to a moment: all of them, in the order of settling.
///
/// The first 10,000 are in memory; the others are read back from the spill file while you iterate.
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
        Iterator(first: first, reader: SpillReader(file: file, fileBytes: fileBytes, tail: tail))
    }

    public struct Iterator: IteratorProtocol {
        private let first: [OperationOutcome]
        private var index = 0
        private var reader: SpillReader

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
    private var buffer: [UInt8] = []
    private var file: SpillFile?
    private var fileBytes = 0
    private let location: SpillLocation

    private static let maximumInMemory = 10_000
    private static let bufferSize = 256 << 10

    init(spill location: SpillLocation) { self.location = location }

    mutating func append(_ outcome: OperationOutcome) throws(SpillError) {
        count += 1
        guard first.count == Self.maximumInMemory else {
            first.append(outcome)
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
        buffer.removeAll(keepingCapacity: true)
    }

    var snapshot: DocumentIssues {
        DocumentIssues(first: first, file: file, fileBytes: fileBytes, tail: buffer, count: count)
    }
}
