import ContentFeeding
import EngineHTTP

/// Looks documents up by the real-time get, which sees what is not committed yet.
///
/// In a cluster it asks the leaders where it can: they know first.
struct LookUp: Sendable {
    let client: SolrClient
    let collection: CollectionName
    let uniqueKey: String
    /// Whether Solr can be told to ask the leaders.
    let asksLeaders: Bool

    init(_ solr: SolrInstance, collection: CollectionName, uniqueKey: String) {
        (client, self.collection, self.uniqueKey) = (solr.client, collection, uniqueKey)
        asksLeaders = solr.knowsLeaders
    }

    /// How much of a document is wanted.
    enum Extent: Hashable {
        /// Whether it is there.
        case presence
        /// The same, and its version.
        case versions
        /// All fields.
        case documents
    }

    /// The most IDs of one request when whole documents come back.
    static let maximumDocuments = 100
    /// The most bytes of one request, more or less: by default Solr takes forms of up to 2 MiB.
    static let maximumBytes = 1 << 20

    /// The documents of `ids` that are there.
    func find(
        _ ids: some Collection<DocumentID>,
        _ extent: Extent
    ) async throws(SolrTrouble) -> [DocumentID: StoredDocument] {
        try await find(ids, extent, maximumBytes: .max) ?? [:]
    }

    /// The same, or `nil` once there are more than `maximumBytes` of them; what then comes is not asked for.
    func find(
        _ ids: some Collection<DocumentID>,
        _ extent: Extent,
        maximumBytes: Int
    ) async throws(SolrTrouble) -> [DocumentID: StoredDocument]? {
        var found: [DocumentID: StoredDocument] = [:]
        var bytes = 0
        var form = FormBody()
        var count = 0
        for id in ids {
            form.append("id", utf8: id.utf8)
            count += 1
            if form.bytes.count >= Self.maximumBytes || extent == .documents && count == Self.maximumDocuments {
                bytes += try await ask(form, extent, &found)
                if bytes > maximumBytes { return nil }
                form = FormBody()
                count = 0
            }
        }
        if count > 0 { bytes += try await ask(form, extent, &found) }
        return bytes > maximumBytes ? nil : found
    }

    /// Returns how many bytes of documents came.
    private func ask(
        _ form: FormBody,
        _ extent: Extent,
        _ found: inout [DocumentID: StoredDocument]
    ) async throws(SolrTrouble) -> Int {
        // Without `expandMacros=false` an ID like `${a}` would be taken for the value of a parameter.
        // By default the real-time get leaves the header out, which tells Solr's own refusals from a proxy's.
        var path = EnginePath(collection.rawValue, "get").with("wt", "json").with("expandMacros", "false")
            .with("omitHeader", "false").with("shards.tolerant", "false").with("fl", fields(extent))
        if asksLeaders { path = path.with("shards.preference", "replica.leader:true") }
        let reply = try await client.ask(path, form)
        do {
            let documents = try ReplyDocuments(reply.body, uniqueKey: uniqueKey, wantsJSON: extent == .documents)
            for document in documents.documents { found[document.id] = document }
            return documents.documents.reduce(0) { $0 + $1.json.count }
        } catch {
            throw SolrTrouble(.unreadable(reply.http, "the answer about documents is not Solr's: \(error)"))
        }
    }

    private func fields(_ extent: Extent) -> String {
        switch extent {
        case .presence: uniqueKey
        case .versions: uniqueKey + ",_version_"
        case .documents: "*"
        }
    }
}
