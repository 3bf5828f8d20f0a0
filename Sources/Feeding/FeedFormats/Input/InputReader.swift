import ContentFeeding
import Threads

/// Reads the sources one after the other on a thread of its own.
///
/// An actor, because a read may wait for a pipe and must not hold one of Swift's threads meanwhile.
actor InputReader {
    nonisolated let alarm = Alarm()
    private nonisolated let executor = ThreadExecutor()
    private static let maximumChunks = 4
    private let note: @Sendable (InputNote) -> Void
    private var sources: [SourceReader] = []
    private var current = 0
    private var rejectionsLeft = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(note: @escaping @Sendable (InputNote) -> Void) { self.note = note }

    /// Opens all, then reads the first records that decide whether a source can be read, and up to `start`.
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
        for index in sources.indices { try sources[index].prepare(alarm: alarm, note: note) }
        current = min(start.source, sources.count)
        if current < sources.count, start.byte > 0 {
            try sources[current].skip(to: start.byte, alarm: alarm, note: note)
        }
        try Task.checkCancellation()
    }

    /// The chunks that one read gave; none at the end, and when the alarm rings.
    ///
    /// Several at once, because going from thread to thread costs more than reading a chunk; few, so that they are
    /// still in the processor's cache when they are used.
    func next() throws -> [OperationChunk] {
        var chunks: [OperationChunk] = []
        while current < sources.count, chunks.count < Self.maximumChunks {
            if var chunk = try sources[current].next(mayWait: chunks.isEmpty, alarm: alarm, note: note) {
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
