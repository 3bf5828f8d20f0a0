import ContentFeeding
import EngineHTTP
import JSONText

/// How a cluster spreads the documents of a collection over its shards.
struct CollectionRouter: Hashable {
    /// The usual router, which hashes IDs.
    static let compositeID = "compositeId"

    var name: String
    /// The field that decides in place of the ID.
    var field: String?

    /// Reads the router of the only collection in a cluster's status; `nil` if it has none.
    init?(_ collections: JSONValue) {
        let router = collections.members.first?.value["router"] ?? .null
        guard let name = router["name"].text ?? router.text else { return nil }
        self.init(name: name, field: router["field"].text)
    }

    init(name: String, field: String?) { (self.name, self.field) = (name, field) }

    /// Returns why documents can't be fed or looked up by their IDs; `nil` if they can.
    ///
    /// Solr answers for the one shard where a document with that ID would be, and says nothing of the others: it denies
    /// documents that are there, and reports removals that never happened.
    func refusal(of collection: CollectionName, uniqueKey: String?) -> EngineError? {
        let hashesKey = field == nil || field == uniqueKey
        guard name == "implicit" || !hashesKey else { return nil }
        let rule = hashesKey ? "the router '\(name)'" : "the field '\(field ?? "")' (router.field)"
        return EngineError(
            .unsupported,
            "the documents of '\(collection)' are spread over its shards by \(rule), so their IDs don't tell where they are",
            advice: """
                use a collection with the router '\(Self.compositeID)' and no router.field, or Solr's own tools with \
                _route_; 'fastctl find' can search this one
                """
        )
    }
}

extension SolrInstance {
    /// Returns how a cluster spreads the collection; `nil` if that is not known, or nothing is spread.
    func router(of name: CollectionName) async throws(RequestFailure) -> CollectionRouter? {
        guard mode != .standalone else { return nil }
        do {
            return CollectionRouter(try await status(of: name))
        } catch {
            // A user who may feed may not be allowed to see this; outside a cluster, the answer is 400.
            guard error.status == 403 || mode == .unknown && error.status == 400 else { throw error }
            return nil
        }
    }
}
