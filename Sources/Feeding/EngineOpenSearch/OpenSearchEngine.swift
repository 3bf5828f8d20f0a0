public import ContentFeeding
public import EngineHTTP

/// OpenSearch or Elasticsearch at its nodes.
public struct OpenSearchEngine: Sendable {
    /// Which of the two relatives the address says.
    public enum Product: String, Hashable, Sendable {
        case openSearch = "opensearch"
        case elasticsearch
    }

    /// Makes sure that the engine is there, is what the address says, and lets us in.
    public static func open(
        _ product: Product,
        at nodes: [NodeAddress],
        options: ConnectionOptions = ConnectionOptions()
    ) async throws(EngineError) -> any CollectionAdministration {
        throw EngineError(.unsupported, "this version can't open '\(product.rawValue)' targets yet")
    }
}
