import ContentFeeding
import SQLiteStore

extension SQLiteCollection: SearchableEngine {
    func get(_ ids: ArraySlice<DocumentID>, maximumBytes: Int) async throws(EngineError) -> DocumentPage {
        try await store.read { connection in
            var reader = try DocumentReader(of: try CollectionRecord.find(collection, in: connection), in: connection)
            var page = DocumentPage(documents: [], looked: 0)
            var bytes = 0
            for id in ids where page.looked == 0 || bytes < maximumBytes {
                page.looked += 1
                guard let document = try reader.document(id) else { continue }
                bytes += document.json.count
                page.documents.append(document)
            }
            return page
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
