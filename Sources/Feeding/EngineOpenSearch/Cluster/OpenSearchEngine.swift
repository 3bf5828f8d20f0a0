public import ContentFeeding
public import EngineHTTP

/// OpenSearch or Elasticsearch at its nodes: collections are its indices and aliases.
///
/// Speaks to OpenSearch 1 to 3 and Elasticsearch 7 to 9, which have the same requests for all that is asked here but
/// for the points in time that a search is paged with.
public struct OpenSearchEngine: CollectionAdministration {
    /// Which of the two relatives the address says.
    public enum Product: String, Hashable, Sendable {
        case openSearch = "opensearch"
        case elasticsearch
    }

    public var target: String { cluster.target }
    let cluster: Cluster

    /// Makes sure that the engine is there, is what the address says, and lets us in.
    public static func open(
        _ product: Product,
        at nodes: [NodeAddress],
        options: ConnectionOptions = ConnectionOptions()
    ) async throws(EngineError) -> any CollectionAdministration {
        guard !nodes.isEmpty else {
            throw EngineError(
                .missingTarget,
                "the address names no node",
                advice: "\(product.rawValue)+https://HOST:9200"
            )
        }
        let connection = try await EngineConnection(to: nodes, options: options)
        var cluster = Cluster(product, connection, requestTimeout: options.requestTimeout)
        cluster.version = try await cluster.identify()
        cluster.bodyLimit = await cluster.announcedBodyLimit() ?? cluster.bodyLimit
        return OpenSearchEngine(cluster: cluster)
    }
}
