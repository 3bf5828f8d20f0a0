public import ContentFeeding
import EngineHTTP
import JSONText

/// Aliases of a SolrCloud's collections: its ZooKeeper has all of them in one node, so that each changes in one step.
extension SolrEngine: AliasAdministration {
    public func aliases() async throws(EngineError) -> [CollectionAlias] {
        do {
            return try await solr.aliases().sorted { $0.key < $1.key }.map { name, collections in
                CollectionAlias(name: CollectionName(name), collections: collections.map { CollectionName($0) })
            }
        } catch {
            throw EngineError(error)
        }
    }

    public func point(
        _ alias: CollectionName,
        to collection: CollectionName
    ) async throws(EngineError) -> [CollectionName] {
        try alias.validate()
        guard solr.mode != .standalone else {
            throw EngineError(.unsupported, "\(solr.target) is no SolrCloud, and only that has aliases")
        }
        let answer: JSONValue
        let collections: [String]
        do {
            let path = EnginePath("admin", "collections")
            answer = try await solr.client.tree(path.with("action", "LISTALIASES"))
            let list = try await solr.client.tree(path.with("action", "LIST"))
            collections = list["collections"].elements.compactMap(\.text)
        } catch {
            throw EngineError(error)
        }
        guard collections.contains(collection.rawValue) else { throw await solr.missing(collection) }
        guard !collections.contains(alias.rawValue) else {
            throw EngineError(.collectionExists, "'\(alias)' is a collection, so it can't be an alias")
        }
        guard answer["properties"][alias.rawValue].members.isEmpty else {
            throw EngineError(
                .rejected,
                "'\(alias)' has properties of its own, such as a rule that routes documents, which it would lose",
                advice: "change it with Solr's own tools: CREATEALIAS"
            )
        }
        var request = EngineRequest(
            .get,
            EnginePath("admin", "collections").with("action", "CREATEALIAS").with("name", alias.rawValue)
                .with("collections", collection.rawValue).with("wt", "json")
        )
        request.isReading = false
        request.timeout = CollectionCreation.timeout
        do {
            _ = try await solr.client.send(request)
        } catch {
            throw EngineError(error)
        }
        return (answer["aliases"][alias.rawValue].text ?? "").split(separator: ",").map { CollectionName(String($0)) }
    }
}
