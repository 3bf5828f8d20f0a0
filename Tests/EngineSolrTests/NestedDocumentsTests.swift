import ContentFeeding
import JSONText
import Synchronization
import TestSupport
import Testing

@testable import EngineSolr

/// Nested documents, for which Solr reports effects that it does not carry out.
@Suite(.timeLimit(.minutes(1)))
struct NestedDocumentsTests {
    private typealias Answer = SpeakingServer.Answer

    private static let failure = OperationResult.failed(.partOfAnother)

    /// Returns a core in which P has two children, one of them C, and whose real-time get is answered by the test.
    private func collection(get: String, childrenOfP: Int = 2) async throws -> any CollectionEngine {
        let success = #"{"responseHeader":{"status":0}"#
        let server = try SpeakingServer { target, body in
            if target.hasPrefix("/c/update") {
                // A child is never sent.
                return Answer(status: body.contains(#""C""#) ? 500 : 200, body: success + "}")
            }
            if target.hasPrefix("/c/get") { return Answer(body: get) }
            if target.hasPrefix("/c/schema/fields?fl=") {
                return Answer(body: success + #","fields":[{"name":"_root_","type":"string"}]}"#)
            }
            guard target.hasPrefix("/c/select") else { return SpeakingServer.known(target, isThere: true) }
            let ids = body.split(separator: "fastctl.ids=").last.map { $0.split(separator: "%00") } ?? []
            if body.contains("facet=true") {
                let counts = ids.enumerated().map { #""\#($0.offset)":\#($0.element == "P" ? childrenOfP + 1 : 1)"# }
                return Answer(
                    body: success + #","response":{"numFound":3,"docs":[]},"#
                        + #""facet_counts":{"facet_queries":{\#(counts.joined(separator: ","))}}}"#
                )
            }
            if body.contains("must_not%3D%24fastctl.named") {
                let count = ids.contains("P") ? childrenOfP : 0
                return Answer(body: success + #","response":{"numFound":\#(count),"docs":[]}}"#)
            }
            let docs = ids.contains("C") && !ids.contains("P") ? #"{"id":"C"}"# : ""
            return Answer(body: success + #","response":{"numFound":\#(docs.isEmpty ? 0 : 1),"docs":[\#(docs)]}}"#)
        }
        return try await server.open(checksMissing: true).collection(named: "c")
    }

    private func reply(to operation: ContentOperation, in collection: any CollectionEngine) async -> BatchReply {
        let item = ContentBatch.Item(id: .first, operation: operation)
        return await collection.apply(ContentBatch(id: BatchID(rawValue: 1), items: [item]))
    }

    @Test(arguments: [#"{"doc":{"id":"C","_version_":7}}"#, #"{"doc":null}"#])
    func `A child document is neither removed nor replaced`(get: String) async throws {
        let collection = try await collection(get: get)
        let document = Document(id: "C", json: Array(#"{"t":"x"}"#.utf8))
        for operation in [ContentOperation.remove("C"), .add(document), .update(document)] {
            #expect(await reply(to: operation, in: collection) == .results([Self.failure]))
        }
        #expect(try await collection.exists(["C"]) == [true])
        #expect(try await collection.get(["C"]).map(\.id) == ["C"])
    }

    @Test func `A document without children or a parent is removed and updated`() async throws {
        let collection = try await collection(get: #"{"doc":{"id":"Q","_version_":7,"t":"a"}}"#)
        #expect(await reply(to: .remove("Q"), in: collection) == .results([.done(.removed)]))
        let patch = Document(id: "Q", json: Array(#"{"t":"x"}"#.utf8))
        #expect(await reply(to: .update(patch), in: collection) == .results([.done(.updated)]))
        #expect(try await collection.copies(at: [DocumentKey("Q")], maximumBytes: .max).documents.map(\.id) == ["Q"])
    }

    @Test func `A document with children can be removed, but neither updated nor copied`() async throws {
        let collection = try await collection(get: #"{"doc":{"id":"P","_version_":7}}"#)
        let patch = Document(id: "P", json: Array(#"{"t":"x"}"#.utf8))
        #expect(await reply(to: .update(patch), in: collection) == .results([.failed(.losesChildren(2))]))
        let error = await #expect(throws: EngineError.self) {
            _ = try await collection.copies(at: [DocumentKey("P")], maximumBytes: .max)
        }
        #expect(error?.code == .unsupported)
        #expect(error?.message == "'P' has 2 child documents, which a backup can't contain")
        #expect(await reply(to: .remove("P"), in: collection) == .results([.done(.removed)]))
    }

    @Test func `Uncommitted children are returned with their root`() async throws {
        let get = #"{"doc":{"id":"P","_version_":7,"kids":[{"id":"C"},{"id":"D"}],"one":{"id":"E"}}}"#
        let collection = try await collection(get: get, childrenOfP: 0)
        let patch = Document(id: "P", json: Array(#"{"t":"x"}"#.utf8))
        #expect(await reply(to: .update(patch), in: collection) == .results([.failed(.losesChildren(3))]))
    }

    /// Returns a core whose searches show the child C of another document, in the way that the test determines, until
    /// a commit.
    private func vanishing(
        commit: Answer,
        _ select: @escaping @Sendable (_ isCommitted: Bool) -> (found: Int, listed: Int)
    ) async throws -> any CollectionEngine {
        let success = #"{"responseHeader":{"status":0}"#
        let isCommitted = Mutex(false)
        let server = try SpeakingServer { target, _ in
            if target.hasPrefix("/c/update"), target.contains("softCommit=true") {
                isCommitted.withLock { $0 = true }
                return commit
            }
            if target.hasPrefix("/c/update") { return Answer(body: success + "}") }
            if target.hasPrefix("/c/get") { return Answer(body: #"{"doc":null}"#) }
            if target.hasPrefix("/c/schema/fields?fl=") {
                return Answer(body: success + #","fields":[{"name":"_root_","type":"string"}]}"#)
            }
            guard target.hasPrefix("/c/select") else { return SpeakingServer.known(target, isThere: true) }
            let (found, listed) = select(isCommitted.withLock { $0 })
            let docs = Array(repeating: #"{"id":"C"}"#, count: listed).joined(separator: ",")
            return Answer(body: success + #","response":{"numFound":\#(found),"docs":[\#(docs)]}}"#)
        }
        return try await server.open(checksMissing: true).collection(named: "c")
    }

    @Test func `A child that a search shows only until the next commit is gone`() async throws {
        let committed = Answer(body: #"{"responseHeader":{"status":0}}"#)
        let gone = try await vanishing(commit: committed) { $0 ? (0, 0) : (1, 1) }
        #expect(try await gone.exists(["C"]) == [false])
        #expect(try await gone.get(["C"]).isEmpty)
        let removed = try await vanishing(commit: committed) { $0 ? (0, 0) : (1, 1) }
        #expect(await reply(to: .remove("C"), in: removed) == .results([.done(.missing)]))
        let kept = try await vanishing(commit: committed) { _ in (1, 1) }
        #expect(await reply(to: .remove("C"), in: kept) == .results([Self.failure]))
        let hidden = try await vanishing(commit: SpeakingServer.forbidden) { $0 ? (0, 0) : (1, 1) }
        #expect(try await hidden.exists(["C"]) == [true], "a search shows it, and the user may not commit")
    }

    @Test func `A document that vanishes while a list is fetched makes the search start again`() async throws {
        let count = Mutex(0)
        let committed = Answer(body: #"{"responseHeader":{"status":0}}"#)
        let vanished = try await vanishing(commit: committed) { _ in
            count.withLock { count in
                count += 1
                return count == 1 ? (1, 0) : (0, 0)
            }
        }
        #expect(try await vanished.exists(["C"]) == [false])
        #expect(count.withLock { $0 } == 2)
        let contradictory = try await vanishing(commit: committed) { _ in (1, 0) }
        let error = await #expect(throws: EngineError.self) { _ = try await contradictory.exists(["C"]) }
        #expect(error?.code == .unusable)
    }

    @Test(arguments: [
        (#"{"a":"{}","b":[1,"{"]}"#, 0), (#"{"a":{},"b":[{},1,{}]}"#, 3), ("{}", 0), ("[{}]", 0), ("{{", 0),
    ])
    func `Nested objects in a document are counted`(json: String, count: Int) {
        #expect(NestedDocuments.nestedCount(Array(json.utf8)) == count)
    }
}

/// Collections whose documents are not on the shards that their IDs determine.
@Suite(.timeLimit(.minutes(1)))
struct CollectionRouterTests {
    private typealias Answer = SpeakingServer.Answer

    @Test(arguments: [
        (#"{"name":"implicit"}"#, "the router 'implicit'"), (#""implicit""#, "the router 'implicit'"),
        (#"{"name":"compositeId","field":"cat_s"}"#, "the field 'cat_s'"),
        (#"{"name":"implicit","field":"cat_s"}"#, "the field 'cat_s'"),
    ])
    func `A collection that does not distribute documents by ID can be searched but not fed`(
        router: String,
        reason: String
    ) async throws {
        let success = #"{"responseHeader":{"status":0}"#
        let server = try SpeakingServer { target, _ in
            if target.hasPrefix("/admin/info/system") {
                return Answer(body: success + #","mode":"solrcloud","lucene":{"solr-spec-version":"9.0.0"}}"#)
            }
            if target.contains("CLUSTERSTATUS") {
                return Answer(body: success + #","cluster":{"collections":{"c":{"router":\#(router)}}}}"#)
            }
            if target.hasPrefix("/admin/collections") { return Answer(body: success + #","collections":["c"]}"#) }
            if target.hasPrefix("/c/select") {
                let page = #","response":{"numFound":1,"docs":[{"id":"a"}]},"nextCursorMark":"*"}"#
                return Answer(body: success + page)
            }
            // Nothing is sent, and lookups are not trusted.
            return SpeakingServer.known(target, isThere: true)
        }
        let collection = try await server.open(checksMissing: true).collection(named: "c")
        let refusals: [() async throws -> Void] = [
            { try await collection.check(FeedIntent(.remove)) }, { _ = try await collection.exists(["a"]) },
            { _ = try await collection.get(["a"]) },
        ]
        for refused in refusals {
            let error = await #expect(throws: EngineError.self) { try await refused() }
            #expect(error?.code == .unsupported)
            #expect(error?.message.contains(reason) == true)
            #expect(error?.advice?.contains("compositeId") == true)
        }
        let item = ContentBatch.Item(id: .first, operation: .remove("a"))
        let reply = await collection.apply(ContentBatch(id: BatchID(rawValue: 1), items: [item]))
        guard case .failed(let failure) = reply else {
            Issue.record("a removal by an ID that tells nothing was answered")
            return
        }
        #expect(failure.kind == .stop(.unsupported))
        #expect(try await collection.find(SearchQuery(), after: nil).documents.map(\.id) == ["a"])
    }

    @Test(arguments: [#"{"name":"compositeId"}"#, #"{"name":"compositeId","field":"id"}"#, #"{"name":"plain"}"#])
    func `A collection with a router that hashes IDs can be fed`(router: String) throws {
        let status = try JSONValue(Array(#"{"c":{"router":\#(router)}}"#.utf8))
        #expect(try #require(CollectionRouter(status)).refusal(of: "c", uniqueKey: "id") == nil)
    }
}

/// Fields that Solr keeps, but does not return.
@Suite(.timeLimit(.minutes(1)))
struct UnreturnedFieldsTests {
    private typealias Answer = SpeakingServer.Answer

    private static let fields = #"""
        [{"name":"_root_","indexed":true,"stored":false},{"name":"_text_","indexed":true,"stored":false},
        {"name":"title","indexed":true,"stored":true},{"name":"secret","indexed":true,"stored":false},
        {"name":"dv","stored":false,"docValues":true,"useDocValuesAsStored":true},
        {"name":"hidden","stored":false,"docValues":true,"useDocValuesAsStored":false},
        {"name":"ignored","indexed":false,"stored":false}]
        """#
    private static let dynamic = #"""
        [{"name":"*_ns","indexed":true,"stored":false},{"name":"*_s","indexed":true,"stored":true},
        {"name":"*_str","docValues":true,"stored":false,"useDocValuesAsStored":false}]
        """#
    private static let copies = #"[{"source":"*","dest":"_text_"},{"source":"a","dest":"*_str"}]"#

    private func collection(using fields: [String], in index: String = "{}") async throws -> any CollectionEngine {
        let success = #"{"responseHeader":{"status":0}"#
        let server = try SpeakingServer { target, body in
            if target.contains("/schema/fields?fl=") { return Answer(body: success + #","fields":[]}"#) }
            if target.contains("/schema/fields") { return Answer(body: success + #","fields":\#(Self.fields)}"#) }
            if target.contains("/schema/dynamicfields") {
                return Answer(body: success + #","dynamicFields":\#(Self.dynamic)}"#)
            }
            if target.contains("/schema/copyfields") {
                return Answer(body: success + #","copyFields":\#(Self.copies)}"#)
            }
            if target.contains("/admin/luke") { return Answer(body: success + #","fields":\#(index)}"#) }
            if target.hasPrefix("/c/select") {
                let isUsed = fields.contains { body.hasPrefix("q=\($0)%3A") || body.contains("&q=\($0)%3A") }
                return Answer(body: success + #","response":{"numFound":\#(isUsed ? 1 : 0),"docs":[]}}"#)
            }
            if target.hasPrefix("/c/update") { return Answer(body: success + "}") }
            return SpeakingServer.known(target, isThere: true)
        }
        return try await server.open().collection(named: "c")
    }

    @Test func `Fields that are stored, copied or never kept do not count as lost`() async throws {
        let index = #"{"x_str":{"type":"s","schema":"I-","dynamicBase":"*_str"},"y_s":{"dynamicBase":"*_s"}}"#
        let names = ["_text_", "title", "dv", "ignored", "x_str", "y_s", "_root_"]
        let collection = try await collection(using: names, in: index)
        try await collection.check(FeedIntent(.update))
        try await collection.check(FeedIntent(.remove, isBackedUp: true))
    }

    @Test(arguments: ["secret", "hidden", "x_ns"])
    func `The error for a field that would be lost names the field before anything is sent`(name: String) async throws {
        let index = #"{"x_ns":{"type":"t","schema":"IT","dynamicBase":"*_ns"}}"#
        let collection = try await collection(using: [name], in: index)
        for intent in [FeedIntent(.update), FeedIntent(.remove, isBackedUp: true)] {
            let error = await #expect(throws: EngineError.self) { try await collection.check(intent) }
            #expect(error?.code == .unsupported)
            #expect(error?.message.contains("the field '\(name)' of 'c' is not stored") == true)
        }
        try await collection.check(FeedIntent(.remove))
        try await collection.check(FeedIntent(.add))
        let item = ContentBatch.Item(id: .first, operation: .update(Document(id: "a", json: Array("{}".utf8))))
        let reply = await collection.apply(ContentBatch(id: BatchID(rawValue: 1), items: [item]))
        guard case .failed(let failure) = reply else {
            Issue.record("an update that erases '\(name)' was answered")
            return
        }
        #expect(failure.kind == .stop(.unsupported))
    }
}
