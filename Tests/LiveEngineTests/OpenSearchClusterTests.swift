import ContentFeeding
import EngineHTTP
import TestSupport
import Testing

@Suite(.needsEngines, .breaks(.openSearch), .serialized, .timeLimit(.minutes(10)))
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

    @Test func `An index that lacks a shard can't be searched, counted, refreshed or copied`() async throws {
        let fragile = try await FragileCollection(.openSearch, on: BreakableCluster.whole())
        try await fragile.loseShard()
        try await fragile.expectPartialAnswersRefused()
        try await fragile.expectCopyKept()
        try await fragile.expectDeleted()
    }

    @Test func `When a node is lost, no operation is lost`() async throws {
        let server = try await BreakableCluster.whole()
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

        // Each operation has one outcome, and none of them failed.
        let counts = result.report.counts
        #expect(counts.isBalanced && counts.open == 0 && counts.accepted == total)
        #expect(settled.count == total && settled.values.allSatisfy { $0 == 1 })
        #expect(counts[.failed] == 0)
        #expect(counts[.removed] + counts[.missing] + counts[.gone] == Self.removals)
        #expect(counts[.added] + counts[.updated] == Self.additions)
        // No document is counted as removed that did not exist, and none is reported as missing that existed.
        #expect(counts[.removed] <= present.count)
        #expect(result.report.resentBatches > 0)
        // Documents that the engine itself may have removed twice are gone; it can't report whether they existed.
        for error in try result.errors.all() {
            let number = error.documentID.text.split(separator: "/").last.flatMap { Int($0) } ?? -1
            #expect(error.code == .documentMissing && !Self.isThere(number))
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

@Suite(.needsEngines, .breaks(.elasticsearch), .serialized, .timeLimit(.minutes(10)))
struct ElasticsearchNodeLossTests {
    @Test func `An index that lacks a shard can't be searched, counted, refreshed or copied`() async throws {
        let fragile = try await FragileCollection(.elasticsearch, on: BreakableCluster.whole())
        try await fragile.loseShard()
        try await fragile.expectPartialAnswersRefused()
        try await fragile.expectCopyKept()
        try await fragile.expectDeleted()
    }
}

/// Provides chunks one after another.
private actor ChunkCursor {
    private var rest: ArraySlice<OperationChunk>
    private var sent = 0

    init(_ chunks: [OperationChunk]) { rest = chunks[...] }

    /// Returns the next chunk, and the number of operations before it.
    func next() -> (sent: Int, chunk: OperationChunk?) {
        let chunk = rest.popFirst()
        defer { sent += chunk?.operations.count ?? 0 }
        return (sent, chunk)
    }
}

@Suite(.needsEngines, .timeLimit(.minutes(5)))
struct OpenSearchSecurityTests {
    private let server: LiveEngine

    init() async throws { server = try await LiveEngine.shared(.openSearch, secure: true) }

    private func options(_ credentials: String?) -> ConnectionOptions {
        var options = ConnectionOptions()
        options.tls.authorityFile = server.folder + "/tls/ca.pem"
        options.credentials = credentials.map { .helper(command: "echo '\($0)'") }
        return options
    }

    private func administrator() async throws -> any CollectionAdministration {
        try await server.openRelative(options("admin:Admin-pass-1"))
    }

    @Test func `A user with sufficient permissions can feed`() async throws {
        try await administrator().withCollection("webcollection-feeder") { _ in
            let feeder = try await server.openRelative(options("feeder:Feeder-pass-1"))
            let engine = try await feeder.collection(named: "webcollection-feeder")
            #expect(await engine.reply(to: [.add(try document("a", #"{"n":1}"#))]) == .results([.done(.added)]))
            #expect(await engine.reply(to: [.update(try document("a", #"{"n":2}"#))]) == .results([.done(.updated)]))
            #expect(try await engine.get(["a"]).first?.json == Array(#"{"n":2}"#.utf8))
            #expect(
                await engine.reply(to: [.remove("a"), .remove("b")]) == .results([.done(.removed), .done(.missing)])
            )
        }
    }

    @Test func `A user who may only read is refused, and no document is reported as missing`() async throws {
        try await administrator().withCollection("webcollection-reader") { owned in
            #expect(await owned.reply(to: [.add(try document("a", "{}"))]) == .results([.done(.added)]))
            try await owned.raise(to: .live)
            let reader = try await server.openRelative(options("reader:Reader-pass-1"))
            let engine = try await reader.collection(named: "webcollection-reader")
            #expect(try await engine.exists(["a", "b"]) == [true, false])
            #expect(try await engine.get(["a"]).count == 1)
            #expect(try await engine.count() == 1)
            #expect(try await engine.find(SearchQuery(), after: nil).documents.count == 1)
            for operations: [ContentOperation] in [[.remove("a")], [.remove("b")], [.remove("a"), .remove("b")]] {
                guard case .failed(let failure) = await engine.reply(to: operations) else {
                    Issue.record("a reader's removal was answered with results")
                    continue
                }
                #expect(failure.kind == .stop(.permission))
            }
            #expect(try await owned.exists(["a"]) == [true])
        }
    }

    @Test func `Another user's collection is forbidden, not missing`() async throws {
        try await administrator().withCollection("other-collection") { _ in
            let feeder = try await server.openRelative(options("feeder:Feeder-pass-1"))
            // A user who may only write can't see a collection before writing to it.
            let engine = try await feeder.collection(named: "other-collection")
            let failure = try #require(await engine.reply(to: [.remove("a")]).failure)
            #expect(failure.kind == .stop(.permission))
            await #expect { _ = try await engine.exists(["a"]) } throws: {
                ($0 as? EngineError)?.code == .permission
            }
        }
    }

    @Test(arguments: ["admin:wrong", nil])
    func `Wrong credentials are reported`(credentials: String?) async throws {
        let error = await #expect(throws: EngineError.self) {
            _ = try await server.openRelative(options(credentials))
        }
        #expect(error?.code == .permission)
    }

    @Test func `A certificate without a trusted issuer is refused`() async throws {
        var options = options("admin:Admin-pass-1")
        options.tls.authorityFile = nil
        let error = await #expect(throws: EngineError.self) { _ = try await server.openRelative(options) }
        #expect(error?.code == .unusable)
        #expect(error?.message.contains("certificate") == true)
    }
}
