public import ContentFeeding
// The support for tests of feeds is a product; our tests import it together with everything else.
@_exported public import FeedingTestKit

/// Chunks in memory, as the sequence that a feed reads from.
public struct ChunkList: AsyncSequence, Sendable {
    private let chunks: [OperationChunk]

    public init(_ chunks: [OperationChunk]) { self.chunks = chunks }

    /// Removals, with this number in each chunk.
    public init(removing ids: [DocumentID], perChunk size: Int = 100) {
        chunks = stride(from: 0, to: ids.count, by: size).map { start in
            let upper = Swift.min(start + size, ids.count)
            return OperationChunk(
                operations: ids[start..<upper].map { .remove($0) },
                end: InputOffset(source: 0, byte: UInt64(upper)),
                input: InputTally(lines: upper - start)
            )
        }
    }

    public struct Iterator: AsyncIteratorProtocol {
        var rest: ArraySlice<OperationChunk>
        public mutating func next() async -> OperationChunk? { rest.popFirst() }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(rest: chunks[...]) }
}
