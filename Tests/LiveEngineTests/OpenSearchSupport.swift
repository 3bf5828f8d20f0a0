import ContentFeeding
import EngineHTTP
import EngineOpenSearch
import Foundation
import TestSupport

extension LiveEngine {
    /// A node of OpenSearch and one of Elasticsearch can be had.
    static var hasRelatives: Bool { isAvailable(.openSearch) && isAvailable(.elasticsearch) }

    /// Where the nodes answer.
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
    /// Gives `body` a collection that is there for as long as it runs.
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
        let progress = FeedProgress(job: JobID(rawValue: "LIVE"))
        return await apply(ContentBatch(id: BatchID(rawValue: first), items: items, progress: progress))
    }
}

func document(_ id: String, _ json: String) throws -> Document {
    Document(id: try DocumentID(id), json: Array(json.utf8))
}

extension [CollectionSetting] {
    /// Words are letters and digits, whatever their case and accents: as the embedded engine has it.
    static let foldedWords: [CollectionSetting] = [
        CollectionSetting(name: "number_of_replicas", value: "0"),
        CollectionSetting(name: "analysis.tokenizer.words.type", value: "pattern"),
        CollectionSetting(name: "analysis.tokenizer.words.pattern", value: #"[^\p{L}\p{N}]+"#),
        CollectionSetting(name: "analysis.analyzer.default.type", value: "custom"),
        CollectionSetting(name: "analysis.analyzer.default.tokenizer", value: "words"),
        CollectionSetting(name: "analysis.analyzer.default.filter", value: "lowercase,asciifolding"),
    ]
}
