import ContentFeeding
import EngineHTTP
import EngineSolr
import TestSupport

/// A real Solr as tests use it.
struct SolrLive {
    enum Kind: String, CaseIterable, Sendable {
        case standalone
        case cloud

        /// What a collection for tests is made with.
        var settings: [CollectionSetting] {
            switch self {
            case .standalone: [CollectionSetting(name: "configSet", value: "webcollection")]
            case .cloud:
                [
                    CollectionSetting(name: "configSet", value: "webcollection"),
                    CollectionSetting(name: "numShards", value: "2"),
                    CollectionSetting(name: "replicationFactor", value: "2"),
                ]
            }
        }
    }

    let kind: Kind
    let engine: LiveEngine

    static func shared(_ kind: Kind) async throws -> SolrLive {
        SolrLive(kind: kind, engine: try await .shared(.solr, nodes: kind == .cloud ? 3 : 1))
    }

    func open(checksMissing: Bool = true) async throws -> any CollectionAdministration {
        var options = SolrEngine.Options()
        options.checksMissing = checksMissing
        return try await SolrEngine.open(at: engine.solrNodes, options: options)
    }

    /// Runs `body` with a collection that is there for it alone.
    func withCollection(
        _ name: CollectionName,
        checksMissing: Bool = true,
        _ body: (any CollectionEngine) async throws -> Void
    ) async throws {
        let administration = try await open(checksMissing: checksMissing)
        try await administration.create(name, settings: kind.settings)
        do {
            try await body(try await administration.collection(named: name))
        } catch {
            _ = try? await administration.delete(name)
            throw error
        }
        _ = try await administration.delete(name)
    }
}

extension LiveEngine {
    /// Where Solr answers.
    var solrNodes: [NodeAddress] {
        nodes.map { NodeAddress(scheme: $0.scheme, host: $0.host, port: $0.port, path: "/solr") }
    }
}

extension ContentEngine {
    /// Adds a document with a number for each ID.
    func load(_ ids: [DocumentID]) async throws {
        for start in stride(from: 0, to: ids.count, by: 5_000) {
            let batch = ids[start..<min(start + 5_000, ids.count)].enumerated().map { index, id in
                ContentOperation.add(Document(id: id, json: Array(#"{"n_i":\#(index)}"#.utf8)))
            }
            guard case .results = await reply(to: batch) else { throw LoadFailure() }
        }
        try await raise(to: .live)
    }
}

struct LoadFailure: Error {}
