public import ContentFeeding
import EngineHTTP
import JSONText

extension SolrEngine {
    public func collection(named name: CollectionName) async throws(EngineError) -> any CollectionEngine {
        try name.validateForUse()
        guard await solr.presence(of: name) != .absent else { throw await solr.missing(name) }
        try await refuseManifoldAlias(name)
        let collection = SolrCollection(collection: name, solr: solr, uniqueKey: try await uniqueKey(of: name))
        // Where Solr does not tell who is there, a question does.
        if solr.mode == .unknown { _ = try await collection.exists(["0"]) }
        return collection
    }

    /// The field that holds the documents' IDs.
    private func uniqueKey(of name: CollectionName) async throws(EngineError) -> String {
        let answer: JSONValue
        do {
            answer = try await solr.client.tree(EnginePath(name.rawValue, "schema", "uniquekey"))
        } catch {
            // Who may feed need not be allowed to see the schema; a wrong guess is refused by Solr.
            guard error.refusal == 403 else { throw await solr.error(error, about: name) }
            return Self.usualUniqueKey
        }
        guard let key = answer["uniqueKey"].text, !key.isEmpty else {
            throw EngineError(
                .unusable,
                "the collection '\(name)' has no unique key, so its documents have no IDs",
                advice: "give its schema a uniqueKey"
            )
        }
        return key
    }

    static let usualUniqueKey = "id"

    /// What is fed to an alias of several collections goes to the first of them, and is looked up in all.
    func refuseManifoldAlias(_ name: CollectionName) async throws(EngineError) {
        guard let collections = try await targets(of: name), collections.count > 1 else { return }
        throw EngineError(
            .rejected,
            "'\(name)' stands for several collections: \(collections.joined(separator: ", "))",
            advice: "name one of them"
        )
    }

    /// What an alias stands for; `nil` for a collection.
    func targets(of name: CollectionName) async throws(EngineError) -> [String]? {
        do {
            return try await solr.aliases()[name.rawValue]
        } catch {
            // Who may feed need not be allowed to see them, and what is no cluster has none: it answers 400.
            guard error.refusal == 403 || solr.mode == .unknown && error.refusal == 400 else { throw error.error }
            return nil
        }
    }
}

extension CollectionName {
    /// A name that can't be one is that of no collection.
    fileprivate func validateForUse() throws(EngineError) {
        do {
            try validate()
        } catch {
            throw EngineError(.missingCollection, "there is no collection '\(rawValue)'", advice: error.message)
        }
    }
}
