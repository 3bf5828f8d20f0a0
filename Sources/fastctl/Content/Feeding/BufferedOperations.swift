import ContentFeeding
import FeedFormats
import ReportRendering

/// Removals held back until it is certain that there are not too many.
///
/// The first are held in memory; the others in an unnamed file, each ID preceded by its length.
struct BufferedOperations: AsyncSequence, Sendable {
    /// A place for operations that memory should not hold.
    struct Store: Sendable {
        /// The most operations held in memory, and their bytes.
        var window = 20_000
        var windowBytes = 4 << 20
        var space: SpillSpace
    }

    /// Chunks as they were read; the operations of later ones are spilled, and only their number is kept here.
    private let chunks: [Chunk]
    private let spilled: SpilledIDs

    /// The number of operations.
    let count: Int

    private struct Chunk {
        var chunk: OperationChunk
        let spilledCount: Int
    }

    /// Reads all of `input`, and refuses it as soon as it holds more than `limit` operations, counting those that an
    /// earlier run of the job has read.
    static func collect(
        _ input: FeedInput,
        limit: Int,
        counting earlier: Int = 0,
        in store: Store
    ) async throws -> BufferedOperations {
        var chunks: [Chunk] = []
        var (count, held, bytes) = (0, 0, 0)
        var spilled = SpilledIDs(in: store)
        for try await var chunk in input {
            if !chunk.isEarlier { count += chunk.operations.count }
            guard earlier + count <= limit else { throw refusal(limit) }
            bytes += chunk.operations.reduce(0) { $0 + $1.byteCount }
            held += chunk.operations.count
            if spilled.count == 0, held <= store.window, bytes <= store.windowBytes {
                chunks.append(Chunk(chunk: chunk, spilledCount: 0))
            } else {
                for operation in chunk.operations { try spilled.append(operation.key) }
                let spilledCount = chunk.operations.count
                chunk.operations = []
                chunks.append(Chunk(chunk: chunk, spilledCount: spilledCount))
            }
        }
        try spilled.finish()
        return BufferedOperations(chunks: chunks, spilled: spilled, count: earlier + count)
    }

    /// The failure of a run with more removals than are allowed.
    static func refusal(_ limit: Int) -> CommandFailure {
        CommandFailure(
            .refused,
            "refused: more than the \(Quantity(limit, "removal", "removals")) that --max-remove allows; nothing was sent",
            advice: "check what would be removed with --dry-run, then raise --max-remove"
        )
    }

    func makeAsyncIterator() -> Iterator { Iterator(buffered: self) }

    struct Iterator: AsyncIteratorProtocol {
        private var chunks: ArraySlice<Chunk>
        private var reader: SpilledIDs.Reader

        fileprivate init(buffered: BufferedOperations) {
            chunks = buffered.chunks[...]
            reader = SpilledIDs.Reader(buffered.spilled)
        }

        mutating func next() async throws -> OperationChunk? {
            guard let next = chunks.popFirst() else { return nil }
            var chunk = next.chunk
            if next.spilledCount > 0 {
                chunk.operations = try reader.next(next.spilledCount, ofBytes: .max).map { ContentOperation.remove($0) }
            }
            return chunk
        }
    }
}

/// IDs in an unnamed file: for each, its length in four bytes, then its bytes; its routing, or nothing, likewise.
struct SpilledIDs: Sendable {
    private(set) var count = 0
    private let store: BufferedOperations.Store
    private var file: SpillFile?
    private var written = 0
    private var buffer: [UInt8] = []

    private static let pieceSize = 256 << 10

    init(in store: BufferedOperations.Store) { self.store = store }

    mutating func append(_ key: DocumentKey) throws(SpillError) {
        count += 1
        append(key.id.utf8)
        append((key.routing?.text ?? "").utf8.span)
        if buffer.count >= Self.pieceSize { try finish() }
    }

    private mutating func append(_ bytes: Span<UInt8>) {
        let length = UInt32(bytes.count)
        for shift in [0, 8, 16, 24] as [UInt32] { buffer.append(UInt8(truncatingIfNeeded: length >> shift)) }
        bytes.withUnsafeBufferPointer { buffer.append(contentsOf: $0) }
    }

    /// Writes what has not been written yet.
    mutating func finish() throws(SpillError) {
        guard !buffer.isEmpty else { return }
        if file == nil { file = try SpillFile(in: store.space) }
        try file?.write(buffer, at: written)
        written += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }

    /// A reader that returns the IDs, with their routings, in their order.
    struct Reader {
        private let ids: SpilledIDs
        private let pages = DocumentIDPages()
        private var offset = 0
        private var piece: [UInt8] = []
        private var index = 0

        init(_ ids: SpilledIDs) { self.ids = ids }

        /// Returns up to `count` further IDs, and stops once they reach `maximumBytes`; none at the end.
        mutating func next(_ count: Int, ofBytes maximumBytes: Int) throws -> [DocumentKey] {
            var result: [DocumentKey] = []
            var bytes = 0
            while result.count < count, bytes < maximumBytes, let key = try next() {
                bytes += key.id.byteCount
                result.append(key)
            }
            return result
        }

        private mutating func next() throws -> DocumentKey? {
            while true {
                if let id = text(at: index), let routing = text(at: id.upperBound) {
                    index = routing.upperBound
                    return DocumentKey(
                        try pages.id(utf8: piece[id].span),
                        routing: Routing(String(decoding: piece[routing], as: UTF8.self))
                    )
                }
                guard let file = ids.file, offset < ids.written else { return nil }
                piece.removeFirst(index)
                index = 0
                let bytes = try file.read(at: offset, count: min(SpilledIDs.pieceSize, ids.written - offset))
                guard !bytes.isEmpty else {
                    throw SpillError("a file of buffered IDs in \(ids.store.space.directory) has been truncated")
                }
                piece += bytes
                // A read may return less than requested.
                offset += bytes.count
            }
        }

        /// Returns where in the piece a text lies whose length is at `start`; `nil` if the piece ends before it does.
        private func text(at start: Int) -> Range<Int>? {
            guard piece.count >= start + 4 else { return nil }
            let length = (0..<4).reduce(0) { $0 | Int(piece[start + $1]) << ($1 * 8) }
            guard piece.count >= start + 4 + length else { return nil }
            return (start + 4)..<(start + 4 + length)
        }
    }
}
