import ContentFeeding
import JSONText
import SQLiteStore

/// Writes the operations of one batch within the caller's transaction.
///
/// No two operations are on the same document, so all documents can be looked up before any of them changes, in the
/// order of the index's pages. New documents get their rows in the batch's order.
struct BatchWriter {
    private var record: CollectionRecord
    private let before: CollectionRecord
    private let stretch: String
    private var tombstones: Tombstones
    private let lookup: Statement
    private let read: Statement
    private let insert: Statement
    private let index: Statement

    init(
        to record: CollectionRecord,
        of store: Store,
        in connection: borrowing Connection
    ) throws(SQLiteError) {
        let tables = record.tables
        (self.record, before, stretch) = (record, record, store.stretch)
        tombstones = try Tombstones(of: tables, in: connection)
        // The newest row of an ID is the only one that can be live: older ones were replaced.
        lookup = try connection.prepare("SELECT row FROM \(tables.document) WHERE id = ? ORDER BY row DESC LIMIT 1")
        read = try connection.prepare("SELECT json FROM \(tables.document) WHERE row = ?")
        insert = try connection.prepare("INSERT INTO \(tables.document)(row, id, json) VALUES (?, ?, ?)")
        index = try connection.prepare("INSERT INTO \(tables.search)(rowid, text) VALUES (?, ?)")
    }

    /// Applies `operations`, and returns one result for each, in their order.
    ///
    /// With `addsMissing`, an update adds its document if the document does not exist.
    mutating func apply(_ operations: [ContentOperation], addsMissing: Bool = false) throws -> [OperationResult] {
        let rows = try newestRows(of: operations)
        var results: [OperationResult] = []
        results.reserveCapacity(operations.count)
        for (operation, row) in zip(operations, rows) {
            if let condition = operation.condition, let failure = try conflict(with: condition, at: row) {
                results.append(.failed(failure))
                continue
            }
            switch operation.kind {
            case .remove: results.append(.done(try retire(row) ? .removed : .missing))
            case .add: results.append(try replace(row, by: operation.document))
            case .update: results.append(try update(row, by: operation, addsMissing: addsMissing))
            }
        }
        return results
    }

    /// Returns the current document with this ID; `nil` if it does not exist.
    mutating func json(of id: DocumentID) throws(SQLiteError) -> [UInt8]? {
        let newest = try lookup.with(IDText(id)).first { row throws(SQLiteError) in try row.column(0, as: Int.self) }
        guard let newest, try !tombstones.contains(newest) else { return nil }
        return try read.with(newest).first { row throws(SQLiteError) in try row.column(0, as: UTF8Text.self).bytes }
    }

    /// Writes marks and counters; must be called once, at the end.
    mutating func finish(in connection: borrowing Connection) throws(SQLiteError) {
        try tombstones.save()
        try record.save(in: connection)
        if record.next != before.next || record.documents != before.documents {
            try before.begin(stretch: stretch, in: connection)
        }
    }

    private func newestRows(of operations: [ContentOperation]) throws(SQLiteError) -> [Int?] {
        let ids = operations.map(\.documentID)
        var rows = [Int?](repeating: nil, count: ids.count)
        for place in ids.indices.sorted(by: { ids[$0] < ids[$1] }) {
            rows[place] = try lookup.with(IDText(ids[place])).first { row throws(SQLiteError) in try row.column(0) }
        }
        return rows
    }

    /// Returns how the document's state violates an operation's condition; `nil` if the condition is met.
    ///
    /// If the document no longer exists, the operation finds it missing.
    private mutating func conflict(with condition: WriteCondition, at row: Int?) throws(SQLiteError) -> DocumentFailure?
    {
        let live: Int?
        if let row, try !tombstones.contains(row) { live = row } else { live = nil }
        switch condition {
        case .absent: return live == nil ? nil : .alreadyExists
        case .olderThan: return DocumentFailure(.rejectedByEngine, "a store does not support external versions")
        case .contents: return DocumentFailure(.rejectedByEngine, "a store does not compare contents")
        case .unchanged(let version):
            guard version.rawValue != live.map(String.init) else { return nil }
            return .versionConflict(
                live.map { "the document has version \($0), not \(version)" } ?? "the document is gone"
            )
        }
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

    private mutating func update(
        _ row: Int?,
        by patch: ContentOperation,
        addsMissing: Bool
    ) throws -> OperationResult {
        var base: UTF8Text?
        if let row, try !tombstones.contains(row) {
            base = try read.with(row).first { row throws(SQLiteError) in try row.column(0, as: UTF8Text.self) }
        }
        guard base != nil || addsMissing else { return .done(.missing) }
        let new: Document?
        do throws(JSONPatchError) {
            if let base {
                let merged = try JSONPatch.merged(base: base.bytes, patch: patch.json)
                new = merged.map { Document(id: patch.documentID, json: $0) }
            } else {
                new = try patch.addedDocument()
            }
        } catch {
            return .failed(DocumentFailure(.rejectedByEngine, error.description))
        }
        guard let new else { return .done(.noop) }
        return try replace(row, by: new)
    }
}

extension DocumentFailure {
    fileprivate static let notAnObject = DocumentFailure(.rejectedByEngine, "the document is not a single JSON object")

    fileprivate static func tooLarge(_ count: Int) -> DocumentFailure {
        DocumentFailure(
            .documentTooLarge,
            "the document has \(count) bytes, but at most \(Document.maximumByteCount) are allowed"
        )
    }
}

/// The engine's operations on a document's JSON.
enum DocumentJSON {
    /// A separator between two strings of a document, which prevents a phrase from matching across them.
    ///
    /// It is a private-use character: the tokenizer treats these as letters, so the separator is a word, which is never
    /// searched for.
    static let separator: Unicode.Scalar = "\u{F000}"

    private struct NotAnObject: Error {}

    /// Returns all strings of the document, decoded, as text for the full-text index.
    ///
    /// Removing a document from the index requires the same text as adding it, so a change to this function needs a
    /// migration that rebuilds the index.
    static func text(of json: [UInt8]) throws -> UTF8Text {
        guard json.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "{") else {
            throw NotAnObject()
        }
        // NULs in strings are never searched for, so a NUL separates words in the same way as the end of a string.
        var text: [UInt8] = []
        text.reserveCapacity(json.count)
        try JSONStrings.append(json.span, separator: 0, to: &text)
        separate(&text)
        return UTF8Text(text)
    }

    /// Replaces each NUL with the separator, working backwards in place to avoid a second copy of a large document.
    private static func separate(_ text: inout [UInt8]) {
        var read = text.count
        let separators = text.count { $0 == 0 }
        text.append(contentsOf: repeatElement(0, count: separators * (wordBetweenStrings.count - 1)))
        var write = text.count
        while write > read {
            read -= 1
            if text[read] == 0 {
                write -= wordBetweenStrings.count
                for (index, byte) in wordBetweenStrings.enumerated() { text[write + index] = byte }
            } else {
                write -= 1
                text[write] = text[read]
            }
        }
    }

    private static let wordBetweenStrings = Array(" \(separator) ".utf8)

    /// Returns whether the top-level field has this value: the text of a string, or a number, `true` or `false` as
    /// written.
    static func field(_ name: String, equals value: String, in json: [UInt8]) -> Bool {
        (try? JSONStrings.field(name, of: json.span, equals: value)) ?? false
    }
}

/// The marks of a collection's removed rows: one bit for each row, in blobs that each fill one page.
///
/// A thousand removals spread over a million documents change about thirty pages of marks; in a table of rows, or in
/// the index itself, they would change a thousand pages. Loaded blobs are kept until the end of the transaction.
struct Tombstones {
    /// The number of rows that a blob covers: 4,000 bytes, which fill a page of 4,096 together with SQLite's header.
    private static let rowsPerChunk = 32_000

    private let load: Statement
    private let store: Statement
    private let drop: Statement
    private var chunks: [Int: [UInt8]] = [:]
    private var changed: Set<Int> = []

    init(of tables: CollectionTables, in connection: borrowing Connection) throws(SQLiteError) {
        load = try connection.prepare("SELECT bits FROM \(tables.tombstone) WHERE chunk = ?")
        store = try connection.prepare("INSERT OR REPLACE INTO \(tables.tombstone)(chunk, bits) VALUES (?, ?)")
        drop = try connection.prepare("DELETE FROM \(tables.tombstone) WHERE chunk = ?")
    }

    /// Returns whether `row` is marked as removed.
    mutating func contains(_ row: Int) throws(SQLiteError) -> Bool {
        let (chunk, byte, bit) = Self.place(of: row)
        try need(chunk)
        guard let bits = chunks[chunk], !bits.isEmpty else { return false }
        return bits[byte] & bit != 0
    }

    /// Marks `row` as removed; returns `false` if it was already marked.
    mutating func insert(_ row: Int) throws(SQLiteError) -> Bool {
        let (chunk, byte, bit) = Self.place(of: row)
        try need(chunk)
        return modify(chunk) { bits in
            if bits.isEmpty { bits = [UInt8](repeating: 0, count: Self.rowsPerChunk / 8) }
            guard bits[byte] & bit == 0 else { return false }
            bits[byte] |= bit
            return true
        }
    }

    /// Clears the mark of `row`, whose document is permanently deleted.
    mutating func remove(_ row: Int) throws(SQLiteError) {
        let (chunk, byte, bit) = Self.place(of: row)
        try need(chunk)
        _ = modify(chunk) { bits in
            guard !bits.isEmpty, bits[byte] & bit != 0 else { return false }
            bits[byte] &= ~bit
            return true
        }
    }

    /// Writes the blobs that have changed.
    mutating func save() throws(SQLiteError) {
        for chunk in changed.sorted() {
            let bits = chunks[chunk] ?? []
            if bits.contains(where: { $0 != 0 }) {
                try store.run(chunk, bits)
            } else {
                try drop.run(chunk)
            }
        }
        changed.removeAll()
    }

    /// Returns the removed rows of one blob, in order.
    static func rows(of bits: [UInt8], chunk: Int) -> [Int] {
        var rows: [Int] = []
        for (index, byte) in bits.enumerated() where byte != 0 {
            for bit in 0..<8 where byte & (1 << bit) != 0 {
                rows.append(chunk * rowsPerChunk + index * 8 + bit)
            }
        }
        return rows
    }

    private static func place(of row: Int) -> (chunk: Int, byte: Int, bit: UInt8) {
        let (chunk, index) = row.quotientAndRemainder(dividingBy: rowsPerChunk)
        return (chunk, index >> 3, 1 << UInt8(index & 7))
    }

    /// Loads a blob if needed; a missing blob is represented by an empty array.
    private mutating func need(_ chunk: Int) throws(SQLiteError) {
        guard chunks[chunk] == nil else { return }
        chunks[chunk] = try load.with(chunk).first { row throws(SQLiteError) in try row.column(0) } ?? []
    }

    private mutating func modify(_ chunk: Int, _ body: (inout [UInt8]) -> Bool) -> Bool {
        let hasChanged = body(&chunks[chunk, default: []])
        if hasChanged { changed.insert(chunk) }
        return hasChanged
    }
}
