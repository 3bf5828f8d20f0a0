import ContentFeeding
import EngineHTTP
import EngineOpenSearch
import TestSupport
import Testing

/// Facts that only a real engine can confirm: responses that are partial, from another index, or about less than was
/// fed.
@Suite(.needsEngines, .timeLimit(.minutes(10)))
struct OpenSearchTruthTests {
    private static let products = [LiveEngine.Product.openSearch, .elasticsearch]

    @Test(arguments: products)
    func `A document that is not JSON is reported by ID, and the others are read`(
        product: LiveEngine.Product
    ) async throws {
        let server = try await LiveEngine.shared(product)
        try await server.openRelative().withCollection("truth-flawed") { engine in
            let documents = try ["a", "z"].map { ContentOperation.add(try document($0, #"{"n":1}"#)) }
            _ = await engine.reply(to: documents)
            try await server.send(.put, EnginePath("truth-flawed", "_doc", "flawed"), #"{"n": /* } */ 1}"#)
            try await engine.raise(to: .live)
            let found = try await engine.find(SearchQuery(), after: nil)
            #expect(found.documents.map(\.id.text).sorted() == ["a", "z"])
            #expect(found.unreadable.map(\.key.id) == ["flawed"])
            let keys = ["a", "flawed", "z", "none"].map { DocumentKey($0) }
            let page = try await engine.get(at: keys[...], maximumBytes: .max)
            #expect(page.answers == [true, true, true, false] && page.documents.count == 2)
            #expect(page.unreadable.first?.reason.contains("expected a value") == true)
            let patch = try ["flawed", "a"].map { ContentOperation.update(try document($0, #"{"n":2}"#)) }
            guard case .results(let results) = await engine.reply(to: patch), case .failed(let failure)? = results.first
            else {
                Issue.record("the update of a document that can't be read was not answered with its failure")
                return
            }
            #expect(failure.message.contains("is not JSON") && results.last == .done(.updated))
            let origin = try #require(engine.versions)
            var changes = ChangePage(documents: [], place: 0, isLast: true)
            for part in try await origin.state().parts {
                let page = try await origin.changes(of: SearchQuery(), in: part, after: CollectionPart.beginning)
                changes.documents += page.documents
                changes.unreadable += page.unreadable
            }
            #expect(changes.documents.count == 2 && changes.unreadable.map(\.key.id) == ["flawed"])
            let answers = try await origin.versions(at: keys)
            #expect(answers.map { $0.document?.id } == ["a", nil, "z", nil] && answers.last == .absent)
            guard case .unreadable(let flawed) = answers[1] else {
                Issue.record("the document that can't be read was answered with \(answers[1])")
                return
            }
            #expect(flawed.key.id == "flawed" && flawed.bytes == Array(#"{"n": /* } */ 1}"#.utf8))
            let before = ContentDigest(of: Array(#"{"n":2}"#.utf8), "a", in: engine.capabilities)
            let left = WriteCondition.contents([before].compactMap(\.self))
            let undoing = ["a", "flawed"].map { ContentOperation.remove($0).only(left) }
            let undone = await ComparingEngine(engine, reading: origin).reply(to: undoing)
            guard case .results(let fates) = undone, fates.count == 2, case .failed(let kept) = fates[1] else {
                Issue.record("a removal of a document that can't be read was not answered with its failure: \(undone)")
                return
            }
            #expect(fates[0] == .done(.removed))
            #expect(kept.code == .rejectedByEngine && kept.message.contains("could not be compared"))
            #expect(try await engine.exists(["flawed"]) == [true])
        }
    }

    @Test(arguments: products)
    func `An index whose replicas are not assigned to a node counts as complete`(
        product: LiveEngine.Product
    ) async throws {
        let administration = try await LiveEngine.shared(product).openRelative()
        let settings = [CollectionSetting(name: "number_of_replicas", value: "3")]
        try await administration.withCollection("truth-yellow", settings: settings) { engine in
            _ = await engine.reply(to: [.add(try document("a", "{}"))])
            try await engine.raise(to: .live)
            #expect(try await engine.count() == 1)
            #expect(try await engine.find(SearchQuery(), after: nil).documents.count == 1)
            _ = try await administration.optimize("truth-yellow") { _, _ in }
        }
    }

    @Test(arguments: products)
    func `A document in the index before a rollover is not missing`(product: LiveEngine.Product) async throws {
        let server = try await LiveEngine.shared(product)
        let administration = try await server.openRelative()
        try await administration.create("roll-000001", settings: [])
        let alias = #"{"actions":[{"add":{"index":"roll-000001","alias":"roll","is_write_index":true}}]}"#
        try await server.send(.post, EnginePath("_aliases"), alias)
        let engine = try await administration.collection(named: "roll")
        _ = await engine.reply(to: [.add(try document("a", "{}")), .add(try document("b", "{}"))])
        #expect(await engine.reply(to: [.remove("a")]) == .results([.done(.removed)]))
        try await server.send(.post, EnginePath("roll", "_rollover"))
        let failure = try #require(await engine.reply(to: [.remove("b")]).failure)
        #expect(failure.kind == .stop(.collectionChanged))
        #expect(failure.failure.message.contains("'roll-000001', 'roll-000002'"))
        #expect(try await administration.collection(named: "roll-000001").exists(["b"]) == [true])
        for index in ["roll-000001", "roll-000002"] { _ = try await administration.delete(CollectionName(index)) }
    }

    @Test(arguments: products)
    func `A document from before its index was re-created is not missing`(product: LiveEngine.Product) async throws {
        let administration = try await LiveEngine.shared(product).openRelative()
        try await administration.withCollection("truth-anew") { engine in
            _ = await engine.reply(to: [.add(try document("a", "{}"))])
            _ = try await administration.delete("truth-anew")
            try await administration.create("truth-anew", settings: [])
            let failure = try #require(await engine.reply(to: [.remove("a")]).failure)
            #expect(failure.kind == .stop(.collectionChanged))
        }
    }

    @Test(arguments: products)
    func `A field that the index does not keep is reported by name and not erased`(
        product: LiveEngine.Product
    ) async throws {
        let server = try await LiveEngine.shared(product)
        let administration = try await server.openRelative()
        let mapping = #"{"mappings":{"_source":{"excludes":["secret"]}}}"#
        try await server.send(.put, EnginePath("truth-excludes"), mapping)
        let engine = try await administration.collection(named: "truth-excludes")
        _ = await engine.reply(to: [.add(try document("1", #"{"n":1,"secret":"abc"}"#))])
        let failure = try #require(await engine.reply(to: [.update(try document("1", #"{"k":2}"#))]).failure)
        #expect(failure.kind == .stop(.rejected) && failure.failure.message.contains("'secret'"))
        try await engine.raise(to: .live)
        let query = SearchQuery(fields: [SearchQuery.Field(name: "secret", value: "abc")])
        #expect(try await engine.find(query, after: nil).documents.map(\.id) == ["1"])
        #expect(engine.capabilities.readingLoss?.contains("'secret'") == true)
        _ = try await administration.delete("truth-excludes")
    }

    @Test(arguments: products)
    func `A strict index accepts documents without their ID's key`(product: LiveEngine.Product) async throws {
        let server = try await LiveEngine.shared(product)
        let administration = try await server.openRelative()
        let mapping = #"{"mappings":{"dynamic":"strict","properties":{"n":{"type":"long"}}}}"#
        try await server.send(.put, EnginePath("truth-strict"), mapping)
        let engine = try await administration.collection(named: "truth-strict")
        let reply = await engine.reply(to: [.add(try document("a", #"{"id":"a","n":1}"#))])
        #expect(reply == .results([.done(.added)]))
        #expect(
            await engine.reply(to: [.update(try document("a", #"{"id":"a","n":2}"#))]) == .results([.done(.updated)])
        )
        #expect(try await engine.get(["a"]).first?.json == Array(#"{"n":2}"#.utf8))
        _ = try await administration.delete("truth-strict")
    }

    @Test(arguments: products)
    func `An alias with a filter is not written by ID`(product: LiveEngine.Product) async throws {
        let server = try await LiveEngine.shared(product)
        let administration = try await server.openRelative()
        try await administration.withCollection("truth-all") { all in
            _ = await all.reply(to: [.add(try document("x", #"{"tenant":1}"#))])
            let action = #"{"index":"truth-all","alias":"truth-tenant","filter":{"term":{"tenant":2}}}"#
            try await server.send(.post, EnginePath("_aliases"), #"{"actions":[{"add":\#(action)}]}"#)
            let tenant = try await administration.collection(named: "truth-tenant")
            let failure = try #require(await tenant.reply(to: [.remove("x")]).failure)
            #expect(failure.kind == .stop(.rejected))
            await #expect(throws: EngineError.self) { _ = try await tenant.exists(["x"]) }
            #expect(try await all.exists(["x"]) == [true])
        }
    }

    @Test(arguments: products)
    func `A closed index is reported immediately as a permanent failure`(product: LiveEngine.Product) async throws {
        let server = try await LiveEngine.shared(product)
        let administration = try await server.openRelative()
        try await administration.withCollection("truth-closed") { engine in
            try await server.send(.post, EnginePath("truth-closed", "_close"))
            let failure = try #require(await engine.reply(to: [.remove("x"), .remove("y")]).failure)
            #expect(failure.kind == .stop(.rejected) && failure.failure.message.contains("closed"))
            for error in [
                await #expect(throws: EngineError.self) { _ = try await engine.find(SearchQuery(), after: nil) },
                await #expect(throws: EngineError.self) { _ = try await engine.exists(["x"]) },
            ] {
                #expect(error?.code == .rejected && error?.message.contains("is closed") == true)
            }
        }
    }

    @Test func `A data stream is listed, can be searched, and shows where to feed`() async throws {
        let server = try await LiveEngine.shared(.openSearch)
        let administration = try await server.openRelative()
        let template = #"{"index_patterns":["truth-logs*"],"data_stream":{},"priority":500}"#
        try await server.send(.put, EnginePath("_index_template", "truth-logs"), template)
        try await server.send(.put, EnginePath("_data_stream", "truth-logs"))
        let path = EnginePath("truth-logs", "_create", "1").with("refresh", "true")
        try await server.send(.put, path, #"{"@timestamp":"2024-01-01"}"#)
        #expect(try await administration.list().first { $0.name == "truth-logs" }?.documents == 1)
        let engine = try await administration.collection(named: "truth-logs")
        #expect(try await engine.count() == 1)
        #expect(try await engine.find(SearchQuery(), after: nil).documents.map(\.id) == ["1"])
        let error = await #expect(throws: EngineError.self) { _ = try await engine.exists(["1"]) }
        #expect(error?.code == .unsupported && error?.advice?.contains(".ds-truth-logs-000001") == true)
        for operation in [ContentOperation.remove("1"), .add(try document("2", "{}"))] {
            guard case .failed(let failure) = await engine.reply(to: [operation]) else {
                Issue.record("answered with results")
                continue
            }
            #expect(failure.kind == .stop(.rejected) && failure.failure.message.contains("data stream"))
        }
        let backing = try await administration.collection(named: ".ds-truth-logs-000001")
        #expect(await backing.reply(to: [.remove("1")]) == .results([.done(.removed)]))
        try await server.send(.delete, EnginePath("_data_stream", "truth-logs"))
    }
}
