import ContentFeeding
import EngineHTTP
import EngineOpenSearch
import Foundation
import TestSupport
import Testing

@Suite(
    .enabled(
        if: LiveEngine.hasRelatives,
        "neither FASTCTL_ENGINES nor the addresses of OpenSearch and Elasticsearch are set"
    ),
    .timeLimit(.minutes(5))
)
struct OpenSearchFeedTests {
    private static let products = [LiveEngine.Product.openSearch, .elasticsearch]

    private static func id(_ number: Int) -> DocumentID {
        DocumentID(stringLiteral: "http://intranet/doc/\(number)?a=\"b\"")
    }

    private static func chunks(_ operations: [ContentOperation]) -> AsyncStream<OperationChunk> {
        AsyncStream { continuation in
            var rest = operations[...]
            while !rest.isEmpty {
                continuation.yield(OperationChunk(operations: Array(rest.prefix(1_000))))
                rest = rest.dropFirst(1_000)
            }
            continuation.finish()
        }
    }

    @Test(arguments: products)
    func `Each of a hundred thousand removals is counted`(product: LiveEngine.Product) async throws {
        let administration = try await LiveEngine.shared(product).openRelative()
        let settings = [CollectionSetting(name: "number_of_shards", value: "3")]
        try await administration.withCollection("feed-hundred-thousand", settings: settings) { engine in
            // Two of the three documents exist.
            let additions = (0..<100_000).filter { $0 % 3 != 0 }.map {
                ContentOperation.add(Document(id: Self.id($0), json: Array(#"{"n":\#($0)}"#.utf8)))
            }
            let added = await OperationFeed(engine: engine).run(Self.chunks(additions)).report
            #expect(added.counts[.added] == additions.count)
            try await engine.raise(to: .live)
            #expect(try await engine.count() == additions.count)

            let removals = (0..<100_000).map { ContentOperation.remove(Self.id($0)) }
            let report = await OperationFeed(engine: engine).run(Self.chunks(removals)).report
            #expect(report.counts[.removed] == additions.count)
            #expect(report.counts[.missing] == removals.count - additions.count)
            try await engine.raise(to: .live)
            #expect(try await engine.count() == 0)
        }
    }

    @Test(arguments: products)
    func `Every document on several shards is found once`(product: LiveEngine.Product) async throws {
        let administration = try await LiveEngine.shared(product).openRelative()
        let settings = [CollectionSetting(name: "number_of_shards", value: "5")]
        try await administration.withCollection("feed-pages", settings: settings) { engine in
            let additions = (0..<12_345).map {
                ContentOperation.add(Document(id: Self.id($0), json: Array(#"{"n":\#($0)}"#.utf8)))
            }
            _ = await OperationFeed(engine: engine).run(Self.chunks(additions)).report
            try await engine.raise(to: .live)
            for includesDocuments in [true, false] {
                var query = SearchQuery()
                query.includesDocuments = includesDocuments
                var found: [DocumentID] = []
                var cursor: SearchCursor?
                repeat {
                    let page = try await engine.find(query, after: cursor)
                    #expect(page.documents.allSatisfy { ($0.json == Array("{}".utf8)) != includesDocuments })
                    found += page.documents.map(\.id)
                    cursor = page.next
                } while cursor != nil
                #expect(found.count == additions.count)
                #expect(Set(found).count == additions.count)
            }
        }
    }

    @Test(arguments: products)
    func `An expression in the engine's language selects documents`(product: LiveEngine.Product) async throws {
        let administration = try await LiveEngine.shared(product).openRelative()
        try await administration.withCollection("feed-expression") { engine in
            let documents = (0..<20).map {
                ContentOperation.add(
                    Document(id: Self.id($0), json: Array(#"{"n":\#($0),"title":"number \#($0)"}"#.utf8))
                )
            }
            _ = await engine.reply(to: documents)
            try await engine.raise(to: .live)
            var query = SearchQuery(words: ["number"])
            query.expression = "n:[5 TO 8] AND NOT title:7"
            let page = try await engine.find(query, after: nil)
            #expect(Set(page.documents.map(\.id)) == [Self.id(5), Self.id(6), Self.id(8)])
            query.expression = "n:["
            await #expect { _ = try await engine.find(query, after: nil) } throws: { error in
                (error as? EngineError)?.code == .rejected
            }
        }
    }

    @Test(arguments: products)
    func `An update that conflicts with another client's write reads the document again`(
        product: LiveEngine.Product
    ) async throws {
        let administration = try await LiveEngine.shared(product).openRelative()
        try await administration.withCollection("feed-conflict") { engine in
            _ = await engine.reply(to: [.add(try document("a", #"{"n":0}"#))])
            // Two feeders change the same document at once: neither change is lost.
            async let first = OperationFeed(engine: engine).run(
                Self.chunks((0..<50).map { .update(Document(id: "a", json: Array(#"{"x":\#($0)}"#.utf8))) })
            )
            async let second = OperationFeed(engine: engine).run(
                Self.chunks((0..<50).map { .update(Document(id: "a", json: Array(#"{"y":\#($0)}"#.utf8))) })
            )
            let reports = await [first.report, second.report]
            for report in reports { #expect(report.counts[.updated] == 50) }
            let stored = try await engine.get(["a"]).first?.json ?? []
            let text = String(decoding: stored, as: UTF8.self)
            #expect(text.contains(#""x":49"#) && text.contains(#""y":49"#) && text.contains(#""n":0"#))
        }
    }

    @Test(arguments: products)
    func `A document that the mapping refuses does not affect the others`(product: LiveEngine.Product) async throws {
        let administration = try await LiveEngine.shared(product).openRelative()
        try await administration.withCollection("feed-mapping") { engine in
            _ = await engine.reply(to: [.add(try document("a", #"{"n":0}"#))])
            let reply = await engine.reply(to: [
                .add(try document("b", #"{"n":1}"#)), .add(try document("c", #"{"n":{"deep":1}}"#)), .remove("none"),
            ])
            guard case .results(let results) = reply, results.count == 3, case .failed(let failure) = results[1] else {
                Issue.record("answered with \(reply)")
                return
            }
            #expect(results[0] == .done(.added))
            #expect(results[2] == .done(.missing))
            #expect(failure.code == .rejectedByEngine)
            #expect(failure.message.contains("mapper_parsing_exception"))
        }
    }

    @Test func `A search context that the engine has discarded is reported`() async throws {
        let server = try await LiveEngine.shared(.openSearch)
        let administration = try await server.openRelative()
        try await administration.withCollection("feed-forgotten") { engine in
            let documents = (0..<300).map {
                ContentOperation.add(Document(id: Self.id($0), json: Array(#"{"n":\#($0)}"#.utf8)))
            }
            _ = await engine.reply(to: documents)
            try await engine.raise(to: .live)
            let cursor = try #require(try await engine.find(SearchQuery(), after: nil).next)
            let name = try #require(cursor.rawValue.split(separator: ":").last)
            let path = EnginePath("_search", "point_in_time")
            try await server.send(.delete, path, #"{"pit_id":["\#(name)"]}"#)
            let error = await #expect(throws: EngineError.self) {
                _ = try await engine.find(SearchQuery(), after: cursor)
            }
            #expect(error?.code == .rejected)
            #expect(error?.message.contains("no longer open") == true)
        }
    }

    @Test(arguments: products)
    func `A field is compared as a whole`(product: LiveEngine.Product) async throws {
        let administration = try await LiveEngine.shared(product).openRelative()
        try await administration.withCollection("feed-fields") { engine in
            _ = await engine.reply(to: [
                .add(try document("a", #"{"title":"a red fox","n":7,"day":"2024-03-11","only":"words here"}"#)),
                .add(try document("b", #"{"title":"red","n":8,"day":"2024-03-12"}"#)),
            ])
            try await engine.raise(to: .live)
            func ids(_ name: String, _ value: String) async throws -> [String] {
                let query = SearchQuery(fields: [.init(name: name, value: value)])
                return try await engine.find(query, after: nil).documents.map(\.id.text)
            }
            // The last rows: a value that the field can't hold, a missing field, and names that are patterns, which have
            // no matches and cause no error.
            let rows: [(name: String, value: String, ids: [String])] = [
                ("title", "red", ["b"]), ("title", "a red fox", ["a"]), ("n", "7", ["a"]), ("day", "2024-03-12", ["b"]),
                ("n", "seven", []), ("day", "tomorrow", []), ("nothing", "x", []), ("t*", "red", []),
                ("title,n", "red", []),
            ]
            for row in rows { #expect(try await ids(row.name, row.value) == row.ids, "\(row)") }
            await #expect(throws: EngineError.self) { _ = try await ids("", "x") }
        }
    }
}

@Suite(
    .enabled(
        if: LiveEngine.hasRelatives,
        "neither FASTCTL_ENGINES nor the addresses of OpenSearch and Elasticsearch are set"
    ),
    .timeLimit(.minutes(5)),
    .serialized
)
struct OpenSearchContractTests {
    @Test(arguments: [LiveEngine.Product.openSearch, .elasticsearch])
    func `The engine fulfills the contract`(product: LiveEngine.Product) async throws {
        let administration = try await LiveEngine.shared(product).openRelative()
        try await EngineContract(administration, settings: .foldedWords).check()
    }
}

extension LiveEngine {
    /// Whether a node of OpenSearch and one of Elasticsearch are available.
    static var hasRelatives: Bool { isAvailable(.openSearch) && isAvailable(.elasticsearch) }

    /// The addresses of the nodes.
    var nodes: [NodeAddress] {
        urls.compactMap { text in
            guard let url = URL(string: text), let host = url.host(), let port = url.port else { return nil }
            return NodeAddress(scheme: url.scheme == "https" ? .https : .http, host: host, port: port)
        }
    }

    /// Opens OpenSearch or Elasticsearch.
    func openRelative(_ options: ConnectionOptions = ConnectionOptions()) async throws -> any CollectionAdministration {
        try await OpenSearchEngine.open(
            product == .elasticsearch ? .elasticsearch : .openSearch,
            at: nodes,
            options: options
        )
    }
}

extension CollectionAdministration {
    /// Calls `body` with a collection that exists while it runs.
    func withCollection<Value>(
        _ name: CollectionName,
        settings: [CollectionSetting] = [],
        _ body: (any CollectionEngine) async throws -> Value
    ) async throws -> Value {
        try await create(name, settings: settings)
        let value = try await body(try await collection(named: name))
        _ = try await delete(name)
        return value
    }
}

extension ContentEngine {
    /// Applies operations as one batch.
    func reply(to operations: [ContentOperation], from first: UInt64 = 1) async -> BatchReply {
        let items = operations.enumerated().map {
            ContentBatch.Item(id: OperationID(rawValue: first + UInt64($0)), operation: $1)
        }
        return await apply(ContentBatch(id: BatchID(rawValue: first), items: items))
    }
}

func document(_ id: String, _ json: String) throws -> Document {
    Document(id: try DocumentID(id), json: Array(json.utf8))
}

extension [CollectionSetting] {
    /// Words are letters and digits, regardless of case and accents, as in the embedded engine.
    static let foldedWords: [CollectionSetting] = [
        CollectionSetting(name: "number_of_replicas", value: "0"),
        CollectionSetting(name: "analysis.tokenizer.words.type", value: "pattern"),
        CollectionSetting(name: "analysis.tokenizer.words.pattern", value: #"[^\p{L}\p{N}]+"#),
        CollectionSetting(name: "analysis.analyzer.default.type", value: "custom"),
        CollectionSetting(name: "analysis.analyzer.default.tokenizer", value: "words"),
        CollectionSetting(name: "analysis.analyzer.default.filter", value: "lowercase,asciifolding"),
    ]
}
