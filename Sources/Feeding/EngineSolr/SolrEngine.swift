public import ContentFeeding
public import EngineHTTP
import JSONText

/// Apache Solr at its nodes: a standalone one with cores, or a SolrCloud with collections.
public struct SolrEngine: Sendable {
    /// How Solr is used.
    public struct Options: Hashable, Sendable {
        /// Looks documents up before they are removed, because Solr does not say whether one was there.
        ///
        /// It can't see what somebody else does between the look-up and the removal. Without it a removal is one
        /// request less for each batch, and its outcome is `gone`.
        public var checksMissing = true

        public init() {}
    }

    let solr: SolrInstance

    /// How long Solr may take to say that it is there.
    static let openTimeout = Duration.seconds(10)
    /// How long Solr may take to merge a collection.
    static let optimizeTimeout = Duration.seconds(6 * 3_600)

    /// Makes sure that Solr is there and lets us in.
    ///
    /// Whoever may only read or feed collections may not ask Solr how it is run: then its collections can be used, and
    /// administration fails with `permission`.
    public static func open(
        at nodes: [NodeAddress],
        options: Options = Options(),
        connection: ConnectionOptions = ConnectionOptions()
    ) async throws(EngineError) -> any CollectionAdministration {
        // Jetty, as Solr brings it along, inflates no requests.
        var connection = connection
        connection.compressesRequests = false
        let client = SolrClient(connection: try await EngineConnection(to: nodes, options: connection))
        let target = nodes.map(\.description).joined(separator: ",")
        let facts = try await facts(of: client, at: target)
        return SolrEngine(
            solr: SolrInstance(
                client: client,
                mode: facts?.mode ?? .unknown,
                options: options,
                requestTimeout: connection.requestTimeout,
                target: target,
                knowsLeaders: facts?.knowsLeaders ?? false
            )
        )
    }

    /// What Solr says of itself; `nil` where we may not ask.
    private static func facts(of client: SolrClient, at target: String) async throws(EngineError) -> InstanceFacts? {
        let answer: JSONValue
        do {
            answer = try await client.tree(EnginePath("admin", "info", "system"), timeout: openTimeout)
        } catch {
            if error.refusal == 403 { return nil }
            // Somebody answers, but not as Solr would.
            if error.refusal == 404 || error.isUnreadable { throw notSolr(target) }
            throw error.error
        }
        guard let facts = InstanceFacts(answer) else { throw notSolr(target) }
        try facts.validate(at: target)
        return facts
    }

    private static func notSolr(_ target: String) -> EngineError {
        EngineError(
            .unusable,
            "\(target) answers, but is not Solr",
            advice: "Solr's address mostly ends in '/solr', as solr+http://host:8983/solr"
        )
    }

    public var target: String { solr.target }
}

extension SolrTrouble {
    fileprivate var isUnreadable: Bool {
        guard case .unreadable = trouble else { return false }
        return true
    }
}
