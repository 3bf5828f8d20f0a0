import ContentFeeding
import SQLiteStore
import Spelling

/// A collection's row: its number and its counters.
struct CollectionRecord {
    let number: Int
    let name: CollectionName
    /// Live documents.
    var documents: Int
    /// Rows with a tombstone.
    var waiting: Int
    /// The row of the next document.
    var next: Int

    var tables: CollectionTables { CollectionTables(number: number) }

    static func all(in connection: borrowing Connection) throws -> [CollectionRecord] {
        var records: [CollectionRecord] = []
        try connection.prepare("SELECT \(columns) FROM collection WHERE name IS NOT NULL ORDER BY name")
            .eachRow { row throws(SQLiteError) in records.append(try CollectionRecord(row)) }
        return records
    }

    /// Returns the collection called `name`, or throws an error with advice.
    static func find(_ name: CollectionName, in connection: borrowing Connection) throws -> CollectionRecord {
        let found = try connection.prepare("SELECT \(columns) FROM collection WHERE name = ?").with(name.rawValue)
            .first { row throws(SQLiteError) in try CollectionRecord(row) }
        if let found { return found }
        let nearest = name.rawValue.nearest(in: try all(in: connection).map(\.name.rawValue))
        throw EngineError(
            .missingCollection,
            "there is no collection '\(name)'",
            advice: nearest.map { "did you mean '\($0)'?" } ?? "fastctl collections create \(name.shellWord)"
        )
    }

    /// Creates a collection with its tables.
    static func create(_ name: CollectionName, next: Int = 1, in connection: borrowing Connection) throws {
        let isNew = try connection.prepare("INSERT OR IGNORE INTO collection(name, next) VALUES (?, ?)")
            .run(name.rawValue, next)
        guard isNew == 1 else { throw EngineError(.collectionExists, "the collection '\(name)' already exists") }
        try connection.execute(CollectionTables(number: Int(connection.lastInsertedRow)).creation)
    }

    /// Writes the counters back.
    func save(in connection: borrowing Connection) throws(SQLiteError) {
        try connection.prepare("UPDATE collection SET documents = ?, waiting = ?, next = ? WHERE number = ?")
            .run(documents, waiting, next, number)
    }

    /// Removes the collection's name: it is gone for everybody, and ``Purge`` takes it apart.
    func retire(in connection: borrowing Connection) throws(SQLiteError) {
        try connection.prepare("UPDATE collection SET name = NULL WHERE number = ?").run(number)
    }

    /// Replaces this collection with an empty one; its jobs, which go by its name, stay.
    func replaceByEmpty(in connection: borrowing Connection) throws {
        try retire(in: connection)
        try Self.create(name, next: next, in: connection)
    }

    private static let columns = "number, name, documents, waiting, next"

    private init(_ row: borrowing Row) throws(SQLiteError) {
        number = try row.column(0)
        name = CollectionName(rawValue: try row.column(1))
        documents = try row.column(2)
        waiting = try row.column(3)
        next = try row.column(4)
    }
}

/// Marks of a collection's removed rows: one bit for each, in blobs of a page.
///
/// A thousand removals spread over a million documents touch some thirty pages here; in a table of rows, or in the
/// index itself, they would touch a thousand. Loaded blobs live as long as the transaction.
struct Tombstones {
    /// Rows that a blob covers: 4,000 bytes, which fill a page of 4,096 together with SQLite's header.
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

    /// Whether `row` is removed.
    mutating func contains(_ row: Int) throws(SQLiteError) -> Bool {
        let (chunk, byte, bit) = Self.place(of: row)
        try need(chunk)
        guard let bits = chunks[chunk], !bits.isEmpty else { return false }
        return bits[byte] & bit != 0
    }

    /// Marks `row` as removed; returns `false` if it already was.
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

    /// Clears the mark of `row`, whose document is gone for good.
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

    /// Loads a blob; a missing one is kept as an empty array.
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
