import CollectionSync
import ContentFeeding
import SQLiteStore
import Spelling

/// A collection's row: its number and its counters.
struct CollectionRecord {
    let number: Int
    let name: CollectionName
    /// What tells the collection from another one of its name; it stays when the collection is cleared.
    let identity: String
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
    static func create(
        _ name: CollectionName,
        next: Int = 1,
        identity: String? = nil,
        in connection: borrowing Connection
    ) throws {
        let isNew = try connection.prepare(
            "INSERT OR IGNORE INTO collection(name, next, identity) "
                + "VALUES (?, ?, coalesce(?, lower(hex(randomblob(8)))))"
        ).run(name.rawValue, next, identity)
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

    /// Replaces this collection with an empty one; its jobs, which go by its name, stay, and it remains a copy.
    func replaceByEmpty(in connection: borrowing Connection) throws {
        try retire(in: connection)
        try Self.create(name, next: next, identity: identity, in: connection)
        let new = try Self.find(name, in: connection).number
        try CopyTables.move(number, to: new, in: connection)
    }

    private static let columns = "number, name, documents, waiting, next, identity"

    private init(_ row: borrowing Row) throws(SQLiteError) {
        number = try row.column(0)
        name = CollectionName(rawValue: try row.column(1))
        documents = try row.column(2)
        waiting = try row.column(3)
        next = try row.column(4)
        identity = try row.column(5)
    }
}
