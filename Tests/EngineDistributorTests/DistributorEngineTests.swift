import ContentDistributor
import ContentFeeding
import EngineHTTP
import EngineSQLite
import FeedingTestKit
import Foundation
import HTTPService
import Synchronization
import TestSupport
import Testing

@testable import EngineDistributor

/// A real server on a socket, in front of a real store.
final class Front: Sendable {
    let folder: TemporaryFolder
    let store: SQLiteEngine
    private let settings: DistributorSettings
    private let running: Mutex<(distributor: ContentDistributor, server: HTTPServer)>
    private let secret: String

    init(_ change: (inout DistributorSettings) throws -> Void = { _ in }) async throws {
        folder = try TemporaryFolder()
        var settings = DistributorSettings(state: folder.path("state"))
        settings.target = "sqlite:" + folder.path("store.sqlite")
        try change(&settings)
        self.settings = settings
        store = try await SQLiteEngine.create(path: folder.path("store.sqlite"))
        try await store.create("WebCollection", settings: [])
        let distributor = try await ContentDistributor(settings) { _ in }
        secret = try #require(try await distributor.firstToken())
        running = Mutex((distributor, try HTTPServer(router: distributor.router)))
        try write(secret, to: "token")
    }

    /// Writes a token to a file for ``open(_:hasToken:token:)``.
    func write(_ secret: String, to name: String) throws {
        let file = folder.path(name)
        try Data("Bearer \(secret)\n".utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }

    var port: UInt16 { running.withLock { $0.server.port } }

    /// Returns the number on a line of the server's metrics.
    func metric(_ name: String) async throws -> Int? {
        let request = ServedRequest(.get, "/metrics", headers: ["Authorization": "Bearer \(secret)"])
        let bytes = try await running.withLock { $0.distributor }.router.respond(to: request).collectBody(upTo: 1 << 20)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix(name + " ") }.flatMap { Int($0.dropFirst(name.count + 1)) }
    }

    /// Ends the server, and starts another one on the same state and the same port.
    func restart(_ meanwhile: () async throws -> Void = {}) async throws {
        let (distributor, server) = running.withLock { $0 }
        await server.shutDown(within: .seconds(1))
        await distributor.drain()
        try await meanwhile()
        let next = try await ContentDistributor(settings) { _ in }
        var configuration = ServerConfiguration()
        configuration.port = server.port
        let listening = try HTTPServer(configuration, router: next.router)
        running.withLock { $0 = (next, listening) }
    }

    func stop() async {
        let (distributor, server) = running.withLock { $0 }
        await server.shutDown(within: .seconds(1))
        await distributor.drain()
        folder.remove()
    }

    /// Opens the distributor at these ports, by default at the server's own port.
    func open(
        _ ports: [UInt16] = [],
        hasToken: Bool = true,
        token: String = "token"
    ) async throws -> any CollectionAdministration {
        var connection = ConnectionOptions()
        if hasToken { connection.credentials = .file(path: folder.path(token)) }
        connection.requestTimeout = .seconds(20)
        let nodes = (ports.isEmpty ? [port] : ports).map {
            NodeAddress(scheme: .http, host: "127.0.0.1", port: Int($0))
        }
        return try await DistributorEngine.open(at: nodes, connection: connection)
    }

    func web(_ ports: [UInt16] = [], token: String = "token") async throws -> any CollectionEngine {
        try await open(ports, token: token).collection(named: "WebCollection")
    }
}

/// The collections of a store, which are created directly in it, and used through the distributor in front of it.
private struct DistributedStore: CollectionAdministration {
    let store: any CollectionAdministration
    let front: any CollectionAdministration

    var target: String { front.target }
    func list() async throws(EngineError) -> [CollectionDescription] { try await front.list() }
    func show(_ name: CollectionName) async throws(EngineError) -> CollectionDescription { try await store.show(name) }
    func clear(_ name: CollectionName) async throws(EngineError) -> Int { try await store.clear(name) }
    func delete(_ name: CollectionName) async throws(EngineError) -> Int? { try await store.delete(name) }

    func create(_ name: CollectionName, settings: [CollectionSetting]) async throws(EngineError) {
        try await store.create(name, settings: settings)
    }

    func optimize(
        _ name: CollectionName,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws(EngineError) -> OptimizationReport {
        try await store.optimize(name, progress: progress)
    }

    func collection(named name: CollectionName) async throws(EngineError) -> any CollectionEngine {
        try await front.collection(named: name)
    }
}

extension ContentBatch {
    init(_ operations: [ContentOperation], from first: UInt64 = 1, mayHaveApplied: Bool = false) {
        let items = operations.enumerated().map { index, operation in
            Item(id: OperationID(rawValue: first + UInt64(index)), operation: operation, mayHaveApplied: mayHaveApplied)
        }
        self.init(id: BatchID(rawValue: 1), items: items)
    }
}

extension ContentOperation {
    static func add(_ id: String, _ json: String = "{}") -> ContentOperation {
        .add(Document(id: DocumentID(stringLiteral: id), json: Array(json.utf8)))
    }
}

extension FaultProxy {
    /// The paths of the batches that were sent, in order.
    fileprivate var batches: [String] { records.filter { $0.method == "PUT" }.map(\.target) }
}

@Suite(.timeLimit(.minutes(3)))
struct DistributorEngineTests {
    private static let batches = RequestFilter.path("/batches/", method: "PUT")

    @Test func `The engine fulfills the contract`() async throws {
        let front = try await Front()
        let administration = DistributedStore(store: front.store, front: try await front.open())
        try await EngineContract(administration).check()
        await front.stop()
    }

    @Test func `A missing document is described as in FAST, with the operation's ID`() async throws {
        let front = try await Front()
        let feeder = DocumentFeeder(engine: try await front.web())
        for id in ["ID1", "ID2", "ID4"] {
            _ = try await feeder.addDocument(Document(id: DocumentID(stringLiteral: id), json: Array("{}".utf8)))
        }
        #expect(await feeder.close().counts.added == 3)
        let remover = DocumentFeeder(engine: try await front.web())
        var operations: [UInt64] = []
        for id in ["ID1", "ID2", "FAKEID", "ID4"] {
            operations.append(try await remover.removeDocument(DocumentID(stringLiteral: id)).rawValue)
        }
        let report = await remover.close()
        #expect(operations == [1, 2, 3, 4])
        #expect(report.counts.removed == 3 && report.counts[.missing] == 1)
        let errors = await remover.documentErrors()
        var found: [DocumentError] = []
        for try await error in errors { found.append(error) }
        #expect(found.map(\.operationID.rawValue) == [3])
        #expect(found.first?.number == 3 && found.first?.documentID == "FAKEID")
        #expect(found.first?.message == "Document e14c677abdbd9678dbfe1e5580de9aef_WebCollection does not exist")
        #expect(try await front.store.show("WebCollection").documents == 0)
        await front.stop()
    }

    @Test(arguments: MissingPolicy.allCases)
    func `The server counts missing documents in the same way as the feed`(policy: MissingPolicy) async throws {
        let front = try await Front()
        let engine = try await front.web()
        let feeder = DocumentFeeder(engine: engine)
        _ = try await feeder.addDocument(Document(id: "ID1", json: Array("{}".utf8)))
        #expect(await feeder.close().counts.added == 1)
        // This is the same connection, with a different policy.
        let remover = DocumentFeeder(engine: engine, missing: policy)
        for id in ["ID1", "ID2", "ID3"] as [DocumentID] { _ = try await remover.removeDocument(id) }
        let report = await remover.close()
        #expect(report.counts.removed == 1 && report.counts.missing == 2)
        let errors = await remover.documentErrors().count
        let warnings = await remover.documentWarnings().count
        #expect(errors == (policy == .error ? 2 : 0) && warnings == (policy == .warn ? 2 : 0))
        #expect(try await front.metric("distributor_operations_settled_total") == 4)
        #expect(try await front.metric("distributor_operation_errors_total") == errors)
        await front.stop()
    }

    @Test func `All kinds of operations can share a batch, and documents keep their bytes`() async throws {
        let front = try await Front()
        let engine = try await front.web()
        let json = "{\n  \"id\" : \"a\",\r\n  \"n\" : 1.0 }"
        let first = await engine.apply(ContentBatch([.add("a", json), .add("b"), .add("c")]))
        #expect(first == .results(Array(repeating: .done(.added), count: 3)))
        let patch = Document(id: "b", json: Array("{\"n\":2}".utf8))
        let second = await engine.apply(ContentBatch([.remove("c"), .update(patch), .add("d"), .remove("e")], from: 4))
        #expect(second == .results([.done(.removed), .done(.updated), .done(.added), .done(.missing)]))
        let documents = try await engine.get(["a", "b", "c"])
        #expect(documents.map { String(decoding: $0.json, as: UTF8.self) } == [json, "{\"n\":2}"])
        #expect(try await engine.exists(["a", "c", "d"]) == [true, false, true])
        #expect(try await engine.count() == 3)
        await front.stop()
    }

    @Test(arguments: ["", "{", "[1]", "{}{}", "{\"a\":1},\"id\":\"other\",\"x\":{}", "{}\0{\"remove\":\"victim\"}"])
    func `A document that is not a JSON object is not sent, and does not affect the others`(json: String) async throws {
        let front = try await Front()
        let engine = try await front.web()
        _ = await engine.apply(ContentBatch([.add("victim")]))
        let reply = await engine.apply(ContentBatch([.add("bad", json), .add("good")], from: 2))
        guard case .results(let results) = reply, case .failed(let failure) = results.first else {
            Issue.record("answered with \(reply)")
            return
        }
        #expect(failure.code == .rejectedByEngine && results.last == .done(.added))
        #expect(try await engine.exists(["victim", "good", "bad", "other"]) == [true, true, false, false])
        await front.stop()
    }

    // MARK: Lost answers

    @Test(arguments: [Fault.resetAfterServer, .resetBeforeServer, .truncateReply(after: 5), .answer(.page(502))])
    func `A batch whose reply is lost is sent again under its number, and takes effect once`(
        fault: Fault
    ) async throws {
        let front = try await Front()
        let proxy = try FaultProxy(upstream: front.port)
        let engine = try await front.web([proxy.port])
        proxy.plan = .sequence([fault, fault], on: Self.batches)
        #expect(await engine.apply(ContentBatch([.add("a")])) == .results([.done(.added)]))
        #expect(proxy.batches.count == 3 && Set(proxy.batches).count == 1, "\(proxy.batches)")
        #expect(await engine.apply(ContentBatch([.remove("a")], from: 2)) == .results([.done(.removed)]))
        #expect(Set(proxy.batches).count == 2)
        proxy.stop()
        await front.stop()
    }

    @Test func `A batch whose outcome is unknown is settled before any other batch is sent`() async throws {
        let front = try await Front()
        let proxy = try FaultProxy(upstream: front.port)
        let engine = try await front.web([proxy.port])
        proxy.plan = .sequence(Array(repeating: .resetAfterServer, count: 4), on: Self.batches)
        let lost = await engine.apply(ContentBatch([.add("a")]))
        guard case .failed(let failure) = lost, failure.kind == .ambiguous else {
            Issue.record("answered with \(lost)")
            return
        }
        // Another operation of the feed comes first, then the lost one again: it was added once, and is not updated.
        #expect(await engine.apply(ContentBatch([.add("b")], from: 2)) == .results([.done(.added)]))
        let again = await engine.apply(ContentBatch([.add("a")], mayHaveApplied: true))
        #expect(again == .results([.done(.added)]))
        #expect(proxy.batches.count == 6 && Set(proxy.batches).count == 2, "\(proxy.batches)")
        proxy.stop()
        await front.stop()
    }

    @Test func `A batch that could not be sent has no effect, and its number is used again`() async throws {
        let front = try await Front()
        let engine = try await front.web()
        #expect(await engine.apply(ContentBatch([.add("a")])) == .results([.done(.added)]))
        try await front.restart {
            let reply = await engine.apply(ContentBatch([.add("b")], from: 2))
            let failure = try #require(reply.failure, "answered with \(reply)")
            #expect(failure.kind == .definite(isCharged: false))
        }
        #expect(await engine.apply(ContentBatch([.add("b")], from: 2)) == .results([.done(.added)]))
        await front.stop()
    }

    /// Outcomes are never guessed: the server identifies each batch by its number, no matter how often it is sent.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `Each operation has the correct outcome despite many faults`(seed: UInt64) async throws {
        let front = try await Front()
        let proxy = try FaultProxy(upstream: front.port)
        let engine = try await front.web([proxy.port])
        proxy.plan = .sometimes(
            [
                .resetAfterServer, .resetBeforeServer, .truncateReply(after: 3), .answer(.page(503)),
                .answerAfterServer(.page(502)),
            ],
            percent: 20,
            seed: seed
        )
        var options = FeedOptions()
        options.configuration.batchCount = 25
        options.configuration.linger = .milliseconds(5)
        let feeder = DocumentFeeder(engine: engine, options: options)
        for number in 0..<1_000 {
            let id = DocumentID(stringLiteral: "d\(number % 800)")
            _ = try await feeder.addDocument(Document(id: id, json: Array("{\"n\":\(number)}".utf8)))
        }
        let added = await feeder.close().counts
        #expect(added.isBalanced && added[.added] == 800 && added[.updated] == 200, "\(added)")
        let remover = DocumentFeeder(engine: engine, missing: .warn, options: options)
        for number in 0..<1_000 { _ = try await remover.removeDocument(DocumentID(stringLiteral: "d\(number)")) }
        let removed = await remover.close().counts
        // The feeder itself is cautious about a removal that it had to send again.
        let absent = removed[.missing] + removed[.gone]
        #expect(removed.isBalanced && removed[.removed] == 800 && absent == 200, "\(removed)")
        #expect(proxy.records.contains { $0.fault != "pass" })
        #expect(try await front.store.show("WebCollection").documents == 0)
        proxy.stop()
        await front.stop()
    }

    // MARK: Other servers

    @Test func `A session continues after a restart of the server`() async throws {
        let front = try await Front()
        let proxy = try FaultProxy(upstream: front.port)
        let engine = try await front.web([proxy.port])
        #expect(await engine.apply(ContentBatch([.add("a")])) == .results([.done(.added)]))
        try await front.restart()
        #expect(await engine.apply(ContentBatch([.add("a")], from: 2)) == .results([.done(.updated)]))
        try await engine.raise(to: .live)
        // The second batch may be sent twice: on a connection that was closed in the meantime, and then on another one.
        let numbers = proxy.batches.compactMap { $0.split(separator: "/").last?.first }
        #expect(numbers.first == "1" && Set(numbers) == ["1", "2"])
        #expect(Set(proxy.batches.map { $0.split(separator: "/")[2] }).count == 1, "one session")
        proxy.stop()
        await front.stop()
    }

    @Test func `The next address is used if the current address stops responding`() async throws {
        let front = try await Front()
        let (first, second) = (try FaultProxy(upstream: front.port), try FaultProxy(upstream: front.port))
        let engine = try await front.web([first.port, second.port])
        #expect(await engine.apply(ContentBatch([.add("a")])) == .results([.done(.added)]))
        #expect(second.records.isEmpty)
        first.plan = .always(.resetAfterServer, on: Self.batches)
        #expect(await engine.apply(ContentBatch([.add("b")], from: 2)) == .results([.done(.added)]))
        first.stop()
        #expect(await engine.apply(ContentBatch([.remove("b")], from: 3)) == .results([.done(.removed)]))
        #expect(try await engine.count() == 1)
        let all = first.batches + second.batches
        #expect(Set(all.map { $0.split(separator: "/")[2] }).count == 1, "one session: \(all)")
        second.stop()
        await front.stop()
    }

    @Test func `A session that the server no longer has is replaced by a new session`() async throws {
        let front = try await Front()
        let engine = try await front.web()
        #expect(await engine.apply(ContentBatch([.add("a")])) == .results([.done(.added)]))
        try await front.restart {
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: front.folder.path("state/sessions.sqlite") + suffix)
            }
        }
        #expect(await engine.apply(ContentBatch([.add("b")], from: 2)) == .results([.done(.added)]))
        await front.stop()
    }

    // MARK: Refusals

    @Test func `Without a token or with a wrong address, the error states the problem`() async throws {
        let front = try await Front()
        let stranger = try await front.open(hasToken: false)
        let denied = await #expect(throws: EngineError.self) {
            _ = try await stranger.collection(named: "WebCollection")
        }
        #expect(denied?.code == .permission)
        let missing = await #expect(throws: EngineError.self) {
            _ = try await front.open().collection(named: "Nothing")
        }
        #expect(missing?.code == .missingCollection && missing?.message.contains("Nothing") == true)
        let other = try HTTPServer(router: HTTPRouter())
        let wrong = await #expect(throws: EngineError.self) { _ = try await front.open([other.port]) }
        #expect(wrong?.code == .unusable && wrong?.message.contains("not a content distributor") == true)
        let creation = await #expect(throws: EngineError.self) {
            try await front.open().create("New", settings: [])
        }
        #expect(creation?.code == .unsupported && creation?.advice?.contains("--target") == true)
        await other.shutDown()
        await front.stop()
    }

    @Test func `If the server is full, the feed waits`() async throws {
        let front = try await Front()
        let proxy = try FaultProxy(upstream: front.port)
        let engine = try await front.web([proxy.port])
        proxy.plan = .sequence([.answer(.throttled(retryAfter: 7))], on: Self.batches)
        let failure = try #require(await engine.apply(ContentBatch([.add("a")])).failure)
        #expect(failure.kind == .slowDown(.seconds(7)))
        #expect(await engine.apply(ContentBatch([.add("a")])) == .results([.done(.added)]))
        proxy.stop()
        await front.stop()
    }

    @Test func `Searches pass on words, phrases and fields unchanged, page by page`() async throws {
        let front = try await Front()
        let engine = try await front.web()
        let texts = (0..<1_200).map {
            ContentOperation.add("d\($0)", "{\"text\":\"a b & c=\($0 % 7)\",\"kind\":\"k\($0 % 3)\"}")
        }
        guard case .results = await engine.apply(ContentBatch(texts)) else {
            Issue.record("the documents were not added")
            return
        }
        var query = SearchQuery(words: ["b"], phrases: ["a b"], fields: [.init(name: "kind", value: "k1")])
        query.includesDocuments = false
        var (found, cursor): (Set<DocumentID>, SearchCursor?) = ([], nil)
        repeat {
            let page = try await engine.find(query, after: cursor)
            for document in page.documents { #expect(found.insert(document.id).inserted) }
            cursor = page.next
        } while cursor != nil
        #expect(found.count == 400)
        await front.stop()
    }
}
