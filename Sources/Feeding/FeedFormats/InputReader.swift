import ContentFeeding
import Threads

/// A reader of the sources, one after the other, on a separate thread.
///
/// An actor, because a read may wait for a pipe and must not block one of Swift's threads meanwhile.
actor InputReader {
    nonisolated let canceller = ReadCanceller()
    private nonisolated let executor = ThreadExecutor()
    private static let maximumChunks = 4
    private let note: @Sendable (InputNote) -> Void
    private var sources: [SourceReader] = []
    private var current = 0
    private var rejectionsLeft = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(note: @escaping @Sendable (InputNote) -> Void) { self.note = note }

    /// Opens all sources, then reads the first records that decide whether each can be read, and up to `start`.
    func open(
        _ inputs: [InputSource],
        for kind: ContentOperation.Kind,
        format: InputFormat,
        limits: InputLimits,
        from start: InputOffset
    ) throws {
        rejectionsLeft = limits.rejections
        for (index, source) in inputs.enumerated() {
            sources.append(try SourceReader(source, index: index, format: format, of: kind, limits: limits))
        }
        for index in sources.indices { try sources[index].prepare(canceller: canceller, note: note) }
        current = min(start.source, sources.count)
        if current < sources.count, start.byte > 0 {
            try sources[current].skip(to: start.byte, canceller: canceller, note: note)
        }
        try Task.checkCancellation()
    }

    /// Returns the chunks of one read; none at the end, or when cancelled.
    ///
    /// Several at once, because switching threads costs more than reading a chunk; few, so that they are still in the
    /// processor's cache when used.
    func next() throws -> [OperationChunk] {
        var chunks: [OperationChunk] = []
        while current < sources.count, chunks.count < Self.maximumChunks {
            if var chunk = try sources[current].next(mayWait: chunks.isEmpty, canceller: canceller, note: note) {
                chunk.rejections.removeLast(max(0, chunk.rejections.count - rejectionsLeft))
                rejectionsLeft -= chunk.rejections.count
                chunks.append(chunk)
            } else {
                guard sources[current].isAtEnd else { break }
                current += 1
            }
        }
        try Task.checkCancellation()
        return chunks
    }
}

/// A reader of one source: its bytes, through the reader of its format, into chunks.
private struct SourceReader {
    /// True when everything has been handed over.
    private(set) var isAtEnd = false
    private let index: Int
    private let name: String
    private var bytes: SourceBytes
    private var records: any RecordReader
    private var chunk: ChunkBuilder
    /// End of the last chunk, in bytes of the source.
    private var position: UInt64 = 0
    private var hasEnded = false

    init(
        _ source: InputSource,
        index: Int,
        format: InputFormat,
        of kind: ContentOperation.Kind,
        limits: InputLimits
    ) throws(InputError) {
        self.index = index
        name = source.name
        bytes = try SourceBytes(source, dropsByteOrderMark: format.dropsByteOrderMark, limits: limits)
        chunk = ChunkBuilder(limits: limits)
        if case .arguments = source {
            records = format.argumentReader(of: kind, source: source.name, limits: limits)
        } else {
            records = format.reader(of: kind, source: source.name, limits: limits)
        }
    }

    /// Reads the first record if it decides whether the source can be read.
    mutating func prepare(canceller: ReadCanceller, note: (InputNote) -> Void) throws(InputError) {
        chunk.stopsAtEachRecord = true
        while !records.isReady, !hasEnded, try advance(canceller: canceller, note: note) {}
        chunk.stopsAtEachRecord = false
        if let refusal = records.refusal { throw refusal }
    }

    /// Reads and discards everything before `end`.
    mutating func skip(to end: UInt64, canceller: ReadCanceller, note: (InputNote) -> Void) throws(InputError) {
        chunk.stopsAtEachRecord = true
        if end > 0 { chunk.discard() }
        position = place
        while position < end, !hasEnded, try advance(canceller: canceller, note: note) {
            chunk.discard()
            position = place
        }
        chunk.stopsAtEachRecord = false
        guard position == end || canceller.isCancelled else {
            let reason = "has changed since the job began: no record ends at byte \(end)"
            throw InputError(.changed, source: name, reason: reason)
        }
    }

    /// Returns the next chunk; `nil` at the end, when cancelled, or if it would have to wait but may not.
    mutating func next(
        mayWait: Bool,
        canceller: ReadCanceller,
        note: (InputNote) -> Void
    ) throws(InputError) -> OperationChunk? {
        while !hasEnded, chunk.isEmpty {
            guard mayWait || !bytes.rest.isEmpty, try advance(canceller: canceller, note: note) else { return nil }
        }
        guard !canceller.isCancelled else { return nil }
        let end = place
        if hasEnded, chunk.isEmpty, end == position {
            isAtEnd = true
            return nil
        }
        defer { position = end }
        return chunk.take(end: InputOffset(source: index, byte: end), bytes: Int(end - position))
    }

    /// The end of the last record, in bytes of the source.
    private var place: UInt64 {
        mutating get { hasEnded ? bytes.bytesRead : bytes.position(of: records.boundary) }
    }

    /// Reads until the chunk is full or the buffer is empty; returns false when cancelled.
    private mutating func advance(canceller: ReadCanceller, note: (InputNote) -> Void) throws(InputError) -> Bool {
        if bytes.rest.isEmpty {
            switch try bytes.fill(canceller: canceller, note: note) {
            case .filled: break
            case .interrupted: return false
            case .ended:
                records.finish(into: &chunk)
                hasEnded = true
                return true
            }
        }
        chunk.goOn()
        let (text, rest) = (bytes.buffer, bytes.rest)
        bytes.take(records.read(text.span.extracting(rest), into: &chunk))
        return true
    }
}
