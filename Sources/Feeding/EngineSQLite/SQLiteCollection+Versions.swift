import ContentFeeding
import SQLiteStore

/// A collection of a store as the origin of copies: rows are versions, and grow with each change.
extension SQLiteCollection: VersionedEngine {
    private static let part = "rows"

    func state() async throws(EngineError) -> CollectionState {
        try await store.read { connection in
            let record = try CollectionRecord.find(collection, in: connection)
            let last = Int64(record.next - 1)
            return CollectionState(
                identity: record.identity,
                parts: [CollectionPart(name: Self.part, history: "", last: last, readable: last)],
                contents: String(record.documents)
            )
        }
    }

    /// Does nothing: what was written can be read.
    func settle() async throws(EngineError) {}

    func changes(
        of query: SearchQuery,
        in part: CollectionPart,
        after place: Int64
    ) async throws(EngineError) -> ChangePage {
        let page = try await find(query, after: SearchCursor(rawValue: String(place)))
        let documents = page.documents.map { found in
            let version = DocumentVersion(rawValue: String(found.version ?? 0))
            return VersionedDocument(id: found.id, version: version, json: found.json)
        }
        guard let next = page.next, let reached = Int64(next.rawValue) else {
            return ChangePage(documents: documents, place: part.readable, isLast: true)
        }
        return ChangePage(documents: documents, place: reached, isLast: false)
    }

    func count(of query: SearchQuery) async throws(EngineError) -> Int? {
        guard query.words.isEmpty, query.phrases.isEmpty, query.fields.isEmpty, query.expression == nil else {
            return nil
        }
        return try await count()
    }

    func versions(at keys: [DocumentKey]) async throws(EngineError) -> [VersionedDocument?] {
        try await store.read { connection in
            var reader = try DocumentReader(of: try CollectionRecord.find(collection, in: connection), in: connection)
            return try keys.map { key in
                try reader.document(key.id).map { found in
                    let version = DocumentVersion(rawValue: String(found.version ?? 0))
                    return VersionedDocument(id: found.id, version: version, json: found.json)
                }
            }
        }
    }
}
