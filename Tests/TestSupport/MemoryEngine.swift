public import ContentFeeding
import Synchronization

/// An engine of a few lines that keeps IDs in memory, answers as it is told to, and remembers what it was sent.
public final class MemoryEngine: ContentEngine {
    public let collection: CollectionName = "WebCollection"
    public let capabilities: EngineCapabilities
    private let state: Mutex<State>

    private struct State {
        var present: Set<DocumentID>
        var batches: [ContentBatch] = []
        var script: [BatchReply?]
        var raised: [CompletionLevel] = []
    }

    /// `script` answers the first batches; `nil` in it, and everything after it, is answered honestly.
    public init(
        _ present: Set<DocumentID> = [],
        script: [BatchReply?] = [],
        capabilities: EngineCapabilities = EngineCapabilities()
    ) {
        self.capabilities = capabilities
        state = Mutex(State(present: present, script: script))
    }

    public var batches: [ContentBatch] { state.withLock { $0.batches } }
    public var present: Set<DocumentID> { state.withLock { $0.present } }
    public var raised: [CompletionLevel] { state.withLock { $0.raised } }

    public func apply(_ batch: ContentBatch) async -> BatchReply {
        state.withLock { state in
            state.batches.append(batch)
            if !state.script.isEmpty, let reply = state.script.removeFirst() { return reply }
            return .results(batch.items.map { Self.apply($0.operation, to: &state.present) })
        }
    }

    private static func apply(_ operation: ContentOperation, to present: inout Set<DocumentID>) -> OperationResult {
        let id = operation.documentID
        return switch operation.kind {
        case .remove: .done(present.remove(id) == nil ? .missing : .removed)
        case .add: .done(present.insert(id).inserted ? .added : .updated)
        case .update: .done(present.contains(id) ? .updated : .missing)
        }
    }

    public func raise(to level: CompletionLevel) async throws(EngineError) {
        state.withLock { $0.raised.append(level) }
    }
}

/// Chunks that are there already, as the sequence that a feed draws from.
public struct ChunkList: AsyncSequence, Sendable {
    private let chunks: [OperationChunk]

    public init(_ chunks: [OperationChunk]) { self.chunks = chunks }

    /// Removals, so many a chunk.
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
