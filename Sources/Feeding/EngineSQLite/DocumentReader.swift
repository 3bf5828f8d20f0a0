import ContentFeeding
import SQLiteStore

/// Looks live documents up by their ID.
struct DocumentReader {
    private var tombstones: Tombstones
    private let lookup: Statement
    private let read: Statement

    init(of record: CollectionRecord, in connection: borrowing Connection) throws(SQLiteError) {
        let tables = record.tables
        tombstones = try Tombstones(of: tables, in: connection)
        lookup = try connection.prepare("SELECT row FROM \(tables.document) WHERE id = ? ORDER BY row DESC LIMIT 1")
        read = try connection.prepare("SELECT json FROM \(tables.document) WHERE row = ?")
    }

    mutating func liveRow(of id: DocumentID) throws(SQLiteError) -> Int? {
        let newest = try lookup.with(IDText(id)).first { row throws(SQLiteError) in try row.column(0, as: Int.self) }
        guard let newest, try !tombstones.contains(newest) else { return nil }
        return newest
    }

    mutating func document(_ id: DocumentID) throws(SQLiteError) -> StoredDocument? {
        guard let row = try liveRow(of: id) else { return nil }
        return try read.with(row).first { columns throws(SQLiteError) in
            StoredDocument(id: id, version: Int64(row), json: try columns.column(0, as: UTF8Text.self).bytes)
        }
    }
}
