import ContentFeeding
import TestSupport
import Testing

@testable import EngineOpenSearch

/// Elasticsearch since 9.2 gives vectors only to those who ask for them, and older ones refuse who does.
struct VectorTests {
    private static let engines: [(OpenSearchEngine.Product, String, Bool)] = [
        (.elasticsearch, "9.2.0", true), (.elasticsearch, "10.0.0", true), (.elasticsearch, "9.1.9", false),
        (.elasticsearch, "7.10.2", false), (.openSearch, "2.19.4", false), (.openSearch, "9.2.0", false),
    ]

    private func engine(_ product: OpenSearchEngine.Product, _ version: String) async throws -> ScriptedEngine {
        try await ScriptedEngine(product, version: version) { line in
            if line.contains("_mget") { return (#"{"docs":[{"_id":"a","found":false}]}"#, 200) }
            if line.contains("_pit") || line.contains("point_in_time") { return (#"{"id":"p"}"#, 200) }
            return line.hasPrefix("POST /_search ") ? (#"{"hits":{"hits":[]}}"#, 200) : nil
        }
    }

    @Test(arguments: engines)
    func whoReadsADocumentGetsItsVectors(product: OpenSearchEngine.Product, version: String, asks: Bool) async throws {
        let engine = try await engine(product, version)
        _ = try await engine.collection().get(["a"])
        let request = try #require(engine.requests("_mget").first)
        #expect(request.contains("_source_exclude_vectors=false") == asks)
    }

    @Test(arguments: engines)
    func whoFindsADocumentGetsItsVectors(product: OpenSearchEngine.Product, version: String, asks: Bool) async throws {
        let engine = try await engine(product, version)
        _ = try await engine.collection().find(SearchQuery(), after: nil)
        let request = try #require(engine.requests("POST /_search ").first)
        #expect(request.contains(#""_source":{"exclude_vectors":false}"#) == asks)
    }

    @Test(arguments: engines)
    func whoWantsOnlyIDsGetsNoVectors(product: OpenSearchEngine.Product, version: String, asks: Bool) async throws {
        let engine = try await engine(product, version)
        var query = SearchQuery()
        query.includesDocuments = false
        _ = try await engine.collection().find(query, after: nil)
        let request = try #require(engine.requests("POST /_search ").first)
        #expect(request.contains(#""_source":false"#) && !request.contains("vectors"))
    }
}
