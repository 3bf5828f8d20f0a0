import ContentFeeding
import SQLiteStore

extension SQLiteCollection: SearchableEngine {
    func get(_ ids: [DocumentID]) async throws(EngineError) -> [StoredDocument] {
        try await store.read { connection in
            var reader = try DocumentReader(of: try CollectionRecord.find(collection, in: connection), in: connection)
            return try ids.compactMap { try reader.document($0) }
        }
    }

    func exists(_ ids: [DocumentID]) async throws(EngineError) -> [Bool] {
        try await store.read { connection in
            var reader = try DocumentReader(of: try CollectionRecord.find(collection, in: connection), in: connection)
            return try ids.map { try reader.liveRow(of: $0) != nil }
        }
    }

    func count() async throws(EngineError) -> Int {
        try await store.read { connection in try CollectionRecord.find(collection, in: connection).documents }
    }

    func find(_ query: SearchQuery, after cursor: SearchCursor?) async throws(EngineError) -> SearchPage {
        let search = try DocumentSearch(query, after: cursor)
        return try await store.read { connection in
            try search.page(of: try CollectionRecord.find(collection, in: connection), in: connection)
        }
    }
}
