import ContentFeeding
import SQLiteStore

/// One step of merging: takes the next rows with a tombstone away, in the order of their pages.
struct RowMerge {
    static let rowsPerStep = 2_000
    private static let bytesPerStep = 8 << 20

    private var record: CollectionRecord
    private var tombstones: Tombstones
    private let next: Statement
    private let read: Statement
    private let unindex: Statement
    private let delete: Statement

    init(of record: CollectionRecord, in connection: borrowing Connection) throws(SQLiteError) {
        let tables = record.tables
        self.record = record
        tombstones = try Tombstones(of: tables, in: connection)
        next = try connection.prepare("SELECT chunk, bits FROM \(tables.tombstone) ORDER BY chunk LIMIT 1")
        read = try connection.prepare("SELECT json FROM \(tables.document) WHERE row = ?")
        unindex = try connection.prepare(
            "INSERT INTO \(tables.search)(\(tables.search), rowid, text) VALUES ('delete', ?, ?)"
        )
        delete = try connection.prepare("DELETE FROM \(tables.document) WHERE row = ?")
    }

    /// Merges some rows and says how many; 0 when none has a tombstone.
    consuming func step(atMost rowLimit: Int, _ connection: borrowing Connection) throws -> Int {
        // Nothing lives: new tables are quicker than an empty index.
        if record.documents == 0, record.waiting > 0 {
            try record.replaceByEmpty(in: connection)
            return record.waiting
        }
        let rows = try next.first { row throws(SQLiteError) in
            Tombstones.rows(of: try row.column(1), chunk: try row.column(0))
        }
        var (count, bytes) = (0, 0)
        for row in (rows ?? []).prefix(rowLimit) where bytes < Self.bytesPerStep {
            let json = try read.with(row).first { columns throws(SQLiteError) in
                try columns.column(0, as: UTF8Text.self).bytes
            }
            if let json {
                try unindex.run(row, try DocumentJSON.text(of: json))
                try delete.run(row)
                bytes += json.count
            }
            try tombstones.remove(row)
            count += 1
        }
        if count == 0 { return 0 }
        record.waiting -= count
        try connection.prepare("UPDATE collection SET gaps = gaps + 1 WHERE number = ?").run(record.number)
        try tombstones.save()
        try record.save(in: connection)
        return count
    }
}
