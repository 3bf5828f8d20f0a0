import ContentFeeding
import SQLiteStore

/// Applies the operations of one batch, inside the caller's transaction.
///
/// No two of them are on the same document, so it may look all of them up before it changes anything, in the order of
/// the index's pages; new documents get their rows in the batch's order.
struct BatchWriter {
    private var record: CollectionRecord
    private var tombstones: Tombstones
    private let lookup: Statement
    private let read: Statement
    private let insert: Statement
    private let index: Statement

    init(to record: CollectionRecord, in connection: borrowing Connection) throws(SQLiteError) {
        let tables = record.tables
        self.record = record
        tombstones = try Tombstones(of: tables, in: connection)
        // The newest row of an ID is the only one that can be live: older ones were replaced.
        lookup = try connection.prepare("SELECT row FROM \(tables.document) WHERE id = ? ORDER BY row DESC LIMIT 1")
        read = try connection.prepare("SELECT json FROM \(tables.document) WHERE row = ?")
        insert = try connection.prepare("INSERT INTO \(tables.document)(row, id, json) VALUES (?, ?, ?)")
        index = try connection.prepare("INSERT INTO \(tables.search)(rowid, text) VALUES (?, ?)")
    }

    /// One result for each of `operations`, in their order.
    mutating func apply(_ operations: [ContentOperation]) throws -> [OperationResult] {
        let rows = try newestRows(of: operations)
        var results: [OperationResult] = []
        results.reserveCapacity(operations.count)
        for (operation, row) in zip(operations, rows) {
            switch operation.kind {
            case .remove: results.append(.done(try retire(row) ? .removed : .missing))
            case .add: results.append(try replace(row, by: operation.document))
            case .update: results.append(try update(row, by: operation.document))
            }
        }
        return results
    }

    /// Writes marks and counters; to be called once, at the end.
    mutating func finish(in connection: borrowing Connection) throws(SQLiteError) {
        try tombstones.save()
        try record.save(in: connection)
    }

    private func newestRows(of operations: [ContentOperation]) throws(SQLiteError) -> [Int?] {
        let ids = operations.map(\.documentID)
        var rows = [Int?](repeating: nil, count: ids.count)
        for place in ids.indices.sorted(by: { ids[$0] < ids[$1] }) {
            rows[place] = try lookup.with(IDText(ids[place])).first { row throws(SQLiteError) in try row.column(0) }
        }
        return rows
    }

    private mutating func retire(_ row: Int?) throws(SQLiteError) -> Bool {
        guard let row, try tombstones.insert(row) else { return false }
        record.documents -= 1
        record.waiting += 1
        return true
    }

    private mutating func replace(_ row: Int?, by document: Document) throws -> OperationResult {
        guard document.json.count <= Document.maximumByteCount else { return .failed(.tooLarge(document.json.count)) }
        guard let text = try? DocumentJSON.text(of: document.json) else { return .failed(.notAnObject) }
        let wasThere = try retire(row)
        try insert.run(record.next, IDText(document.id), UTF8Text(document.json))
        try index.run(record.next, text)
        record.next += 1
        record.documents += 1
        return .done(wasThere ? .updated : .added)
    }

    private mutating func update(_ row: Int?, by patch: Document) throws -> OperationResult {
        guard let row, try !tombstones.contains(row),
            let base = try read.with(row).first({ row throws(SQLiteError) in try row.column(0, as: UTF8Text.self) })
        else { return .done(.missing) }
        let merged: [UInt8]?
        do {
            merged = try DocumentJSON.merged(base.bytes, patch.json)
        } catch {
            return .failed(.notAnObject)
        }
        guard let merged else { return .done(.noop) }
        return try replace(row, by: Document(id: patch.id, json: merged))
    }
}

extension DocumentFailure {
    fileprivate static let notAnObject = DocumentFailure(.rejectedByEngine, "the document is not one JSON object")

    fileprivate static func tooLarge(_ count: Int) -> DocumentFailure {
        DocumentFailure(
            .documentTooLarge,
            "the document has \(count) bytes, and \(Document.maximumByteCount) are allowed"
        )
    }
}
