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
