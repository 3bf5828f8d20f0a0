public import ContentFeeding
public import EngineHTTP

/// Apache Solr at its nodes.
public struct SolrEngine: Sendable {
    /// How Solr is used.
    public struct Options: Hashable, Sendable {
        /// Looks documents up before they are removed, because Solr does not say whether one was there.
        public var checksMissing = true

        public init() {}
    }

    /// Makes sure that Solr is there and lets us in.
    public static func open(
        at nodes: [NodeAddress],
        options: Options = Options(),
        connection: ConnectionOptions = ConnectionOptions()
    ) async throws(EngineError) -> any CollectionAdministration {
        throw EngineError(.unsupported, "this version can't open 'solr' targets yet")
    }
}
