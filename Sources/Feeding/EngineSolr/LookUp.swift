import ContentFeeding
import EngineHTTP

/// A look-up by the real-time get, which sees what is not committed yet.
///
/// In a cluster, it asks the leaders if it can: they know first.
struct LookUp: Sendable {
    private let client: SolrClient
    private let collection: CollectionName
    private let uniqueKey: String
    /// Whether Solr can be told to ask the leaders.
    private let asksLeaders: Bool

    init(_ solr: SolrInstance, collection: CollectionName, uniqueKey: String) {
        (client, self.collection, self.uniqueKey) = (solr.client, collection, uniqueKey)
        asksLeaders = solr.knowsLeaders
    }

    /// The part of a document that is wanted.
    enum Extent: Hashable {
        /// The document's existence.
        case presence
        /// The same, and its version.
        case versions
        /// All fields.
        case documents
    }

    /// The most IDs of one request when whole documents come back.
    static let maximumDocuments = 100
    /// The approximate limit of one request, in bytes: by default, Solr accepts forms of up to 2 MiB.
    static let maximumBytes = 1 << 20

    /// Finds the documents of `ids` that exist.
    func find(
        _ ids: some Collection<DocumentID>,
        _ extent: Extent
    ) async throws(RequestFailure) -> [DocumentID: StoredDocument] {
        try await find(ids, extent, maximumBytes: .max) ?? [:]
    }

    /// Finds the documents of `ids` that exist; `nil` once they exceed `maximumBytes`, without asking for the rest.
    func find(
        _ ids: some Collection<DocumentID>,
        _ extent: Extent,
        maximumBytes: Int
    ) async throws(RequestFailure) -> [DocumentID: StoredDocument]? {
        var found: [DocumentID: StoredDocument] = [:]
        var bytes = 0
        var request = Request()
        for id in ids where request.ids.insert(id).inserted {
            request.form.append("id", utf8: id.utf8)
            let isFull = extent == .documents && request.ids.count == Self.maximumDocuments
            if isFull || request.form.bytes.count >= Self.maximumBytes {
                bytes += try await ask(request, extent, &found)
                if bytes > maximumBytes { return nil }
                request = Request()
            }
        }
        if !request.ids.isEmpty { bytes += try await ask(request, extent, &found) }
        return bytes > maximumBytes ? nil : found
    }

    /// A request and the IDs in it, each once.
    private struct Request {
        var form = FormBody()
        var ids: Set<DocumentID> = []
    }

    /// Adds the documents of one request to `found`, and returns how many bytes they have.
    private func ask(
        _ request: Request,
        _ extent: Extent,
        _ found: inout [DocumentID: StoredDocument]
    ) async throws(RequestFailure) -> Int {
        // Without `expandMacros=false`, an ID like `${a}` would be taken for the value of a parameter. By default, the
        // real-time get leaves out the header, which tells Solr's own refusals from a proxy's.
        var path = EnginePath(collection.rawValue, "get").with("wt", "json").with("expandMacros", "false")
            .with("omitHeader", "false").with("shards.tolerant", "false").with("fl", fields(extent))
        if asksLeaders { path = path.with("shards.preference", "replica.leader:true") }
        let reply = try await client.ask(path, request.form)
        do {
            let documents = try ReplyDocuments(reply.body, uniqueKey: uniqueKey, wantsJSON: extent == .documents)
                .answering(request.ids)
            for document in documents { found[document.id] = document }
            return documents.reduce(0) { $0 + $1.json.count }
        } catch {
            throw RequestFailure.unreadable(reply.http, "it is not a list of documents from Solr: \(error)")
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
