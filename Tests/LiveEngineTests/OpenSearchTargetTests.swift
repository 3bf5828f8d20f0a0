import ContentFeeding
import EngineHTTP
import EngineOpenSearch
import TestSupport
import Testing

@Suite(.needsEngines, .timeLimit(.minutes(5)))
struct OpenSearchTargetTests {
    @Test(arguments: [LiveEngine.Product.openSearch, .elasticsearch])
    func `The error for the wrong product shows the correct address`(product: LiveEngine.Product) async throws {
        let engine = try await LiveEngine.shared(product)
        let other: OpenSearchEngine.Product = product == .openSearch ? .elasticsearch : .openSearch
        let error = await #expect(throws: EngineError.self) {
            _ = try await OpenSearchEngine.open(other, at: engine.nodes)
        }
        #expect(error?.code == .unusable)
        #expect(error?.advice?.contains("\(product.rawValue)+http://") == true)
    }

    @Test func `A server of another kind is neither OpenSearch nor Elasticsearch`() async throws {
        let solr = try await LiveEngine.shared(.solr)
        let error = await #expect(throws: EngineError.self) {
            _ = try await OpenSearchEngine.open(.openSearch, at: solr.nodes)
        }
        #expect(error?.code == .unusable || error?.code == .missingTarget)
    }

    @Test func `The error for a missing collection suggests the most similar name`() async throws {
        let administration = try await LiveEngine.shared(.openSearch).openRelative()
        try await administration.withCollection("target-webcollection") { _ in
            let error = await #expect(throws: EngineError.self) {
                _ = try await administration.collection(named: "target-webcolection")
            }
            #expect(error?.code == .missingCollection)
            #expect(error?.advice == "did you mean 'target-webcollection'?")
        }
    }

    @Test(arguments: ["WebCollection", "a b", "*", "_all", "-x", "a,b", "<x-{now/d}>", "..", ""])
    func `An invalid name is never sent`(name: String) async throws {
        let administration = try await LiveEngine.shared(.openSearch).openRelative()
        let error = await #expect(throws: EngineError.self) {
            _ = try await administration.delete(CollectionName(name))
        }
        #expect(error?.code == .invalidName)
    }

    @Test func `A deleted index does not make a document missing`() async throws {
        let administration = try await LiveEngine.shared(.openSearch).openRelative()
        try await administration.create("target-gone", settings: [])
        let engine = try await administration.collection(named: "target-gone")
        _ = try await administration.delete("target-gone")
        let start = ContinuousClock.now
        let reply = await engine.reply(to: [.remove("a"), .remove("b")])
        let failure = try #require(reply.failure, "answered with \(reply)")
        #expect(failure.kind == .stop(.missingCollection))
        let update = await engine.reply(to: [.update(try document("a", #"{"n":1}"#))])
        #expect(update.failure?.kind == .stop(.missingCollection), "answered with \(update)")
        await #expect { _ = try await engine.count() } throws: { ($0 as? EngineError)?.code == .missingCollection }
        await #expect { _ = try await engine.find(SearchQuery(), after: nil) } throws: {
            ($0 as? EngineError)?.code == .missingCollection
        }
        await #expect { _ = try await engine.exists(["a"]) } throws: {
            ($0 as? EngineError)?.code == .missingCollection
        }
        // The engine by itself waits 30 seconds for an index whose health is requested.
        #expect(ContinuousClock.now - start < .seconds(25))
    }

    @Test func `An alias can be fed but not deleted`() async throws {
        let server = try await LiveEngine.shared(.openSearch)
        let administration = try await server.openRelative()
        try await administration.create("target-a", settings: [])
        try await administration.create("target-b", settings: [])
        try await server.alias("target-one", of: ["target-a"])
        try await server.alias("target-both", of: ["target-a", "target-b"])

        let one = try await administration.collection(named: "target-one")
        #expect(await one.reply(to: [.add(try document("x", "{}"))]) == .results([.done(.added)]))
        #expect(await one.reply(to: [.remove("x")]) == .results([.done(.removed)]))
        #expect(try await administration.show("target-one").settings.first?.value == "target-a")
        await #expect { _ = try await administration.delete("target-one") } throws: {
            ($0 as? EngineError)?.code == .rejected
        }

        let both = try await administration.collection(named: "target-both")
        try await both.raise(to: .live)
        #expect(try await both.count() == 0)
        let failure = try #require(await both.reply(to: [.remove("x")]).failure)
        #expect(failure.kind == .stop(.rejected))
        #expect(failure.failure.message.contains("alias of 2 indices"))
        #expect(try await administration.list().map(\.name).contains("target-both"))
        _ = try await administration.delete("target-a")
        _ = try await administration.delete("target-b")
    }

    @Test func `An alias of several indices is not cleared`() async throws {
        let server = try await LiveEngine.shared(.openSearch)
        let administration = try await server.openRelative()
        try await administration.withCollection("target-c") { first in
            try await administration.withCollection("target-d") { _ in
                #expect(await first.reply(to: [.add(try document("x", "{}"))]) == .results([.done(.added)]))
                try await server.alias("target-two", of: ["target-c", "target-d"])
                try await server.alias("target-single", of: ["target-c"])
                await #expect { _ = try await administration.clear("target-two") } throws: { error in
                    let error = error as? EngineError
                    return error?.code == .rejected && error?.advice?.contains("target-c, target-d") == true
                }
                #expect(try await administration.clear("target-single") == 1)
            }
        }
    }

    @Test(arguments: [LiveEngine.Product.openSearch, .elasticsearch])
    func `An index with several shards is cleared before and after its first document`(
        product: LiveEngine.Product
    ) async throws {
        let administration = try await LiveEngine.shared(product).openRelative()
        let shards = CollectionSetting(name: "number_of_shards", value: "3")
        try await administration.withCollection("target-sliced", settings: [shards]) { engine in
            var cleared = [try await administration.clear("target-sliced")]
            #expect(await engine.reply(to: [.add(try document("x", "{}"))]) == .results([.done(.added)]))
            for _ in 0..<2 { cleared.append(try await administration.clear("target-sliced")) }
            #expect(cleared == [0, 1, 0])
        }
    }

    @Test func `A feed waits for a blocked index`() async throws {
        let server = try await LiveEngine.shared(.openSearch)
        let administration = try await server.openRelative()
        try await administration.withCollection("target-blocked") { engine in
            try await server.send(.put, EnginePath("target-blocked", "_settings"), #"{"index.blocks.write":true}"#)
            let reply = await engine.reply(to: [.remove("a"), .remove("b")])
            guard case .failed(let failure) = reply, case .slowDown = failure.kind else {
                Issue.record("answered with \(reply)")
                return
            }
            #expect(failure.failure.message.contains("cluster_block_exception"))
            try await server.send(.put, EnginePath("target-blocked", "_settings"), #"{"index.blocks.write":false}"#)
        }
    }

    @Test func `For an index that responds before data is safe, operations count only as submitted`() async throws {
        let administration = try await LiveEngine.shared(.openSearch).openRelative()
        let settings = [CollectionSetting(name: "translog.durability", value: "async")]
        try await administration.withCollection("target-async", settings: settings) { engine in
            #expect(engine.capabilities.appliedLevel == .submitted)
            #expect(await engine.reply(to: [.add(try document("x", "{}"))]) == .results([.done(.added)]))
            try await engine.raise(to: .live)
            #expect(try await engine.count() == 1)
        }
    }

    @Test func `The error for a missing routing value explains that it is required`() async throws {
        let server = try await LiveEngine.shared(.openSearch)
        let administration = try await server.openRelative()
        try await administration.withCollection("target-routed") { engine in
            try await server.send(.put, EnginePath("target-routed", "_mapping"), #"{"_routing":{"required":true}}"#)
            let reply = await engine.reply(to: [.remove("a"), .add(try document("b", "{}"))])
            guard case .results(let results) = reply else {
                Issue.record("answered with \(reply)")
                return
            }
            // The document was searched for on all shards.
            #expect(results.first == .done(.missing))
            guard case .failed(let failure)? = results.last else {
                Issue.record("answered with \(results)")
                return
            }
            #expect(failure.message.contains("--routing-field"))
        }
    }
}

extension LiveEngine {
    /// Sends requests for which the engine protocol has no operation.
    ///
    /// If `count` is given, a request is sent only to one of the first `count` nodes, because the others are gone.
    func send(
        _ method: EngineRequest.Method,
        _ path: EnginePath,
        _ body: String? = nil,
        amongFirst count: Int = .max
    ) async throws {
        let connection = try await EngineConnection(to: Array(nodes.prefix(count)))
        let reply = try await connection.send(EngineRequest(method, path, body: body.map { Array($0.utf8) }))
        try #require(reply.isSuccess, "\(path): \(reply.status)")
    }

    func alias(_ name: String, of indices: [String]) async throws {
        for index in indices { try await send(.put, EnginePath(index, "_alias", name)) }
    }
}
