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

    func versions(
        by digest: any VersionDigest,
        in part: CollectionPart,
        after place: Int64
    ) async throws(EngineError) -> VersionPage {
        try await store.read { connection in
            let record = try CollectionRecord.find(collection, in: connection)
            return try DocumentVersions(of: record, in: connection).page(by: digest, in: part, after: place)
        }
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

/// The versions of a collection's documents, in the order of their rows.
private struct DocumentVersions {
    /// Limits of a page, which ends at the first one reached.
    private static let maximumRows = 50_000
    private static let maximumBytes = 1 << 20
    /// The most bytes of documents that a page looks at: reading them takes longer than anything else.
    private static let maximumDocumentBytes = 64 << 20

    private var tombstones: Tombstones
    private let rows: Statement

    init(of record: CollectionRecord, in connection: borrowing Connection) throws(SQLiteError) {
        tombstones = try Tombstones(of: record.tables, in: connection)
        rows = try connection.prepare(
            "SELECT row, id, json FROM \(record.tables.document) WHERE row > ? AND row <= ? ORDER BY row"
        )
    }

    func page(
        by digest: any VersionDigest,
        in part: CollectionPart,
        after place: Int64
    ) throws(SQLiteError) -> VersionPage {
        var tombstones = tombstones
        var page = VersionPage(versions: PackedVersions(), place: part.readable, isLast: true)
        var (seen, bytes, last) = (0, 0, place)
        try rows.with(place, part.readable).rows { columns throws(SQLiteError) in
            if seen == Self.maximumRows || page.versions.bytes.count >= Self.maximumBytes
                || bytes >= Self.maximumDocumentBytes
            {
                (page.place, page.isLast) = (last, false)
                return false
            }
            seen += 1
            last = try columns.column(0)
            guard try !tombstones.contains(Int(last)) else { return true }
            try columns.withText(1) { id throws(SQLiteError) in
                try columns.withText(2) { json throws(SQLiteError) in
                    bytes += json.count
                    page.versions.append(id, digest.digest(of: json, id: id))
                }
            }
            return true
        }
        return page
    }
}
