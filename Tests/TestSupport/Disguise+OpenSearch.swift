extension Disguise {
    /// OpenSearch 1, imitated by Elasticsearch 7.10.2, from which it was forked: the responses are the same except for
    /// the product's identity.
    ///
    /// It has no points in time either (introduced in 2.4, opensearch-project/OpenSearch#1147), and refuses them as
    /// Elasticsearch 7.10 without X-Pack does (opensearch-project/opensearch-py#165).
    public static let openSearch1 = Disguise.openSearch(
        "OpenSearch 1.3",
        #""distribution":"opensearch","number":"1.3.20","build_type":"tar""#
    )

    /// OpenSearch 1 with `compatibility.override_main_response_version`: it reports version 7.10.2, and identifies
    /// itself as OpenSearch only in its tagline (opensearch-project/OpenSearch#847 and #898).
    public static let openSearchInCompatibilityMode = Disguise.openSearch(
        "OpenSearch in compatibility mode",
        #""number":"7.10.2","build_type":"tar""#
    )

    /// OpenSearch 3, imitated by 2.19.
    ///
    /// A bulk request with an ID of more than 512 bytes is refused as a whole (opensearch-project/OpenSearch#6595),
    /// whereas 2.19 accepts it.
    public static let openSearch3 = Disguise.openSearch(
        "OpenSearch 3.3",
        #""distribution":"opensearch","number":"3.3.0","build_type":"tar""#
    ) { request in
        guard request.path.hasSuffix("_bulk"), let match = request.text.firstMatch(of: /"_id":"([^"]{513,})"/) else {
            return nil
        }
        let count = match.output.1.utf8.count
        let reason = "id [\(match.output.1)] is too long, must be no longer than 512 bytes but was: \(count)"
        return .refusal(400, "action_request_validation_exception", "Validation Failed: 1: \(reason);")
    }

    private static func openSearch(
        _ name: String,
        _ version: String,
        refusing refusal: @escaping @Sendable (ProxiedRequest) -> ProxiedReply? = { _ in nil }
    ) -> Disguise {
        let root =
            #"{"name":"node-1","cluster_name":"tests","cluster_uuid":"u","version":{\#(version),"build_hash":"unknown","#
            + #""build_date":"2024-12-09T00:00:00Z","build_snapshot":false,"lucene_version":"8.10.1","#
            + #""minimum_wire_compatibility_version":"6.8.0","minimum_index_compatibility_version":"6.0.0-beta1"},"#
            + #""tagline":"The OpenSearch Project: https://opensearch.org/"}"#
        return Disguise(
            name: name,
            translate: { request, _ in request.path == "/" ? .json(200, root) : refusal(request) },
            dress: { _, _ in }
        )
    }
}

extension ProxiedReply {
    /// Returns an error as OpenSearch and Elasticsearch word it.
    static func refusal(_ status: Int, _ type: String, _ reason: String) -> ProxiedReply {
        let words = reason.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let error = #""type":"\#(type)","reason":"\#(words)""#
        return .json(status, #"{"error":{"root_cause":[{\#(error)}],\#(error)},"status":\#(status)}"#)
    }
}
