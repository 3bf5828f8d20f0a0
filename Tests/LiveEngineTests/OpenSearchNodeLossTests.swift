import ContentFeeding
import EngineHTTP
import TestSupport
import Testing

@Suite(
    .enabled(if: LiveEngine.isAvailable, "FASTCTL_ENGINES does not name the folder of engines"),
    .timeLimit(.minutes(10))
)
struct OpenSearchNodeLossTests {
    private static let removals = 40_000
    private static let additions = 20_000

    private static func old(_ number: Int) -> DocumentID { DocumentID(stringLiteral: "old/\(number)") }
    private static func new(_ number: Int) -> DocumentID { DocumentID(stringLiteral: "new/\(number)") }
    private static func isThere(_ number: Int) -> Bool { number % 3 != 0 }

    private static func addition(_ id: DocumentID) -> ContentOperation {
        .add(Document(id: id, json: Array(#"{"title":"a document"}"#.utf8)))
    }

    /// Two removals, then an addition.
    private static func operation(_ number: Int) -> ContentOperation {
        number % 3 == 2 ? addition(new(number / 3)) : .remove(old(number / 3 * 2 + number % 3))
    }

    @Test func aNodeIsLostAndNothingElse() async throws {
        let server = try await LiveEngine.start(.openSearch, nodes: 3)
        let administration = try await server.openRelative()
        let settings = [("number_of_shards", "3"), ("number_of_replicas", "1")].map {
            CollectionSetting(name: $0, value: $1)
        }
        try await administration.create("node-loss", settings: settings)
        let engine = try await administration.collection(named: "node-loss")
        let present = (0..<Self.removals).filter(Self.isThere)
        let loaded = await OperationFeed(engine: engine).run(Self.chunks(present.map { Self.addition(Self.old($0)) }))
        #expect(loaded.report.counts[.added] == present.count)
        // Each shard has its copy on another node.
        let health = EnginePath("_cluster", "health", "node-loss").with("wait_for_status", "green").with(
            "timeout",
            "50s"
        )
        try await server.send(.get, health)

        let total = Self.removals + Self.additions
        let operations = (0..<total).map(Self.operation)
        let lossAfter = total / 2
        let stream = Self.chunks(operations) { sent in
            if sent == lossAfter { try? await server.node(1, .kill) }
        }
        var settled: [OperationID: Int] = [:]
        let result = await OperationFeed(engine: engine).run(stream) { event, _ in
            guard case .settled(let outcomes) = event else { return }
            for outcome in outcomes { settled[outcome.operationID, default: 0] += 1 }
        }

        // Each operation has one outcome, and none failed.
        let counts = result.report.counts
        #expect(counts.isBalanced && counts.open == 0 && counts.accepted == total)
        #expect(settled.count == total && settled.values.allSatisfy { $0 == 1 })
        #expect(counts[.failed] == 0)
        #expect(counts[.removed] + counts[.missing] + counts[.gone] == Self.removals)
        #expect(counts[.added] + counts[.updated] == Self.additions)
        // Nothing is counted as removed that was not there, nor reported as missing that was.
        #expect(counts[.removed] <= present.count)
        #expect(result.report.resentBatches > 0)
        // What the engine may have removed twice by itself is gone: it can't say whether it was there.
        for error in result.errors {
            let number = error.documentID.text.split(separator: "/").last.flatMap { Int($0) } ?? -1
            #expect(error.outcome == .missing && !Self.isThere(number))
        }

        // The engine's true state.
        try await engine.raise(to: .live)
        #expect(try await engine.count() == Self.additions)
        #expect(try await engine.exists((0..<Self.additions).map(Self.new)).allSatisfy { $0 })
        #expect(try await engine.exists((0..<Self.removals).map(Self.old)).allSatisfy { !$0 })
    }

    private static func chunks(
        _ operations: [ContentOperation],
        before: @escaping @Sendable (_ sent: Int) async -> Void = { _ in }
    ) -> AsyncStream<OperationChunk> {
        let pieces = stride(from: 0, to: operations.count, by: 1_000).map { start in
            OperationChunk(operations: Array(operations[start..<min(start + 1_000, operations.count)]))
        }
        let cursor = ChunkCursor(pieces)
        return AsyncStream {
            let (sent, chunk) = await cursor.next()
            await before(sent)
            return chunk
        }
    }
}

/// Hands out chunks one after the other.
private actor ChunkCursor {
    private var rest: ArraySlice<OperationChunk>
    private var sent = 0

    init(_ chunks: [OperationChunk]) { rest = chunks[...] }

    /// The next chunk, and how many operations came before it.
    func next() -> (sent: Int, chunk: OperationChunk?) {
        let chunk = rest.popFirst()
        defer { sent += chunk?.operations.count ?? 0 }
        return (sent, chunk)
    }
}
