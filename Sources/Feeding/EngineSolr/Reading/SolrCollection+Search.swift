import ContentFeeding
import EngineHTTP

extension SolrCollection: SearchableEngine {
    func exists(_ ids: [DocumentID]) async throws(EngineError) -> [Bool] {
        do {
            let found = try await lookUp.find(ids, .presence)
            return ids.map { found[$0] != nil }
        } catch {
            throw await solr.error(error, about: collection)
        }
    }

    func count() async throws(EngineError) -> Int {
        do {
            return try await solr.committedCount(collection)
        } catch {
            throw await solr.error(error, about: collection)
        }
    }

    /// Pages by the unique key, each page a state of its own; a document that is there all the time is on one of them.
    func find(_ query: SearchQuery, after cursor: SearchCursor?) async throws(EngineError) -> SearchPage {
        do {
            let fields = try await textFields(for: query, isFirst: cursor == nil)
            var conditions: [FieldCondition] = []
            for field in query.fields {
                guard let condition = try await solr.condition(field, in: collection) else {
                    return SearchPage(documents: [], next: nil)
                }
                conditions.append(condition)
            }
            let search = SolrQuery(
                query,
                textFields: fields,
                conditions: conditions,
                uniqueKey: uniqueKey,
                cursor: cursor?.rawValue
            )
            guard let search else { return SearchPage(documents: [], next: nil) }
            return try await page(search, conditions, includesDocuments: query.includesDocuments, after: cursor)
        } catch {
            throw await solr.error(error, about: collection)
        }
    }

    private func textFields(for query: SearchQuery, isFirst: Bool) async throws(SolrTrouble) -> [String] {
        if query.words.isEmpty, query.phrases.isEmpty { return [] }
        if !isFirst, let names = fields.current { return names }
        let cores = try await solr.leadingCores(of: collection)
        let names = try await solr.textFields(of: collection.rawValue, cores: cores)
        fields.keep(names)
        return names
    }

    private func page(
        _ search: SolrQuery,
        _ conditions: [FieldCondition],
        includesDocuments: Bool,
        after cursor: SearchCursor?
    ) async throws(SolrTrouble) -> SearchPage {
        let path = EnginePath(collection.rawValue, "select").with("wt", "json")
        let reply = try await solr.client.ask(path, FormBody(search.parameters))
        let found: ReplyDocuments
        do {
            found = try ReplyDocuments(reply.body, uniqueKey: uniqueKey, wantsJSON: search.wantsJSON)
        } catch {
            throw SolrTrouble(.unreadable(reply.http, "the page of documents is not Solr's: \(error)"))
        }
        let documents = found.documents.filter { document in conditions.allSatisfy { $0.holds(in: document.json) } }
        // A page can be short before the end: in a cluster, documents vanish between being found and being fetched.
        let isLast = found.nextCursor == search.cursor
        return SearchPage(
            documents: includesDocuments ? documents : documents.map(\.withoutContent),
            next: isLast ? nil : found.nextCursor.map { SearchCursor(rawValue: $0) }
        )
    }
}

extension StoredDocument {
    fileprivate var withoutContent: StoredDocument {
        StoredDocument(id: id, version: version, json: Array("{}".utf8))
    }
}
