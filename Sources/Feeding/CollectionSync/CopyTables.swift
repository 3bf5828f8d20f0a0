import ContentFeeding
package import SQLiteStore

/// The database tables of copies in a store; every call runs in the caller's transaction.
public enum CopyTables {
    /// The existing migrations of a store with copies; new ones must be added at the end.
    ///
    /// `copied` has a row for each document that the origin is known to have; a document in the copy without a row was
    /// added to the copy, and its insertion is queued. `sent` means that the origin may already have the change.
    /// `listing` is the number of the last listing of IDs that contained the document.
    public static let migrations = [
        """
        CREATE TABLE copy(
            collection INTEGER PRIMARY KEY REFERENCES collection(number) ON UPDATE CASCADE ON DELETE CASCADE,
            origin BLOB NOT NULL,
            bookmark BLOB,
            pulled INTEGER,
            listing INTEGER NOT NULL DEFAULT 0,
            known INTEGER NOT NULL DEFAULT 0,
            queued INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE TABLE copied(
            collection INTEGER NOT NULL REFERENCES copy(collection) ON UPDATE CASCADE ON DELETE CASCADE,
            document TEXT NOT NULL,
            version TEXT NOT NULL,
            routing TEXT,
            listing INTEGER NOT NULL,
            PRIMARY KEY(collection, document)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE copy_operation(
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            collection INTEGER NOT NULL REFERENCES copy(collection) ON UPDATE CASCADE ON DELETE CASCADE,
            document TEXT NOT NULL,
            routing TEXT,
            kind TEXT NOT NULL CHECK(kind IN ('insert', 'update', 'remove')),
            based TEXT,
            pulled BLOB,
            generation INTEGER NOT NULL DEFAULT 0,
            sent INTEGER NOT NULL DEFAULT 0,
            UNIQUE(collection, document)
        ) STRICT;
        """
    ]

    /// Turns the collection with this number into a copy of an origin.
    package static func create(
        _ collection: Int,
        of origin: CopyOrigin,
        in connection: borrowing Connection
    ) throws(SQLiteError) {
        try connection.prepare("INSERT INTO copy(collection, origin) VALUES (?, ?)").run(collection, origin.json)
    }

    /// Returns the numbers of the collections that are copies.
    package static func collections(in connection: borrowing Connection) throws(SQLiteError) -> Set<Int> {
        var numbers: Set<Int> = []
        try connection.prepare("SELECT collection FROM copy").eachRow { row throws(SQLiteError) in
            numbers.insert(try row.column(0))
        }
        return numbers
    }

    /// Removes all information about a copy, and its queue; the caller must remove the documents.
    package static func remove(_ collection: Int, in connection: borrowing Connection) throws(SQLiteError) {
        try connection.prepare("DELETE FROM copy WHERE collection = ?").run(collection)
    }

    /// Removes all information about the documents of a copy's origin, and the queue, but keeps the origin itself.
    package static func restart(_ collection: Int, in connection: borrowing Connection) throws(SQLiteError) {
        try connection.prepare("DELETE FROM copied WHERE collection = ?").run(collection)
        try connection.prepare("DELETE FROM copy_operation WHERE collection = ?").run(collection)
        try connection.prepare(
            "UPDATE copy SET bookmark = NULL, pulled = NULL, known = 0, queued = 0 WHERE collection = ?"
        ).run(collection)
    }

    /// Transfers the role of a copy from a collection, if it has that role, to the collection that replaces it.
    package static func move(
        _ collection: Int,
        to new: Int,
        in connection: borrowing Connection
    ) throws(SQLiteError) {
        try connection.prepare("UPDATE copy SET collection = ? WHERE collection = ?").run(new, collection)
    }
}

/// A copy's row, which a transaction reads and writes.
struct CopyRecord {
    let collection: Int
    let origin: CopyOrigin
    var bookmark: CopyBookmark?
    var pulledAt: Duration?
    var listing: Int64
    var known: Int
    var queued: Int

    /// Returns the record of a collection; `nil` if it is not a copy.
    init?(_ collection: Int, in connection: borrowing Connection) throws {
        let row = try connection.prepare(
            "SELECT origin, bookmark, pulled, listing, known, queued FROM copy WHERE collection = ?"
        ).with(collection).first { row throws(SQLiteError) in
            (
                try row.column(0, as: [UInt8].self), try row.column(1, as: [UInt8]?.self),
                try row.column(2, as: Int?.self), try row.column(3, as: Int64.self), try row.column(4, as: Int.self),
                try row.column(5, as: Int.self)
            )
        }
        guard let row else { return nil }
        self.collection = collection
        origin = try CopyOrigin(json: row.0)
        bookmark = try row.1.map { try CopyBookmark(json: $0) }
        pulledAt = row.2.map { .milliseconds($0) }
        (listing, known, queued) = (row.3, row.4, row.5)
    }

    func save(in connection: borrowing Connection) throws(SQLiteError) {
        try connection.prepare(
            "UPDATE copy SET bookmark = ?, pulled = ?, listing = ?, known = ?, queued = ? WHERE collection = ?"
        ).run(bookmark?.json, pulledAt.map { Int($0 / .milliseconds(1)) }, listing, known, queued, collection)
    }
}

/// The information that a copy has about one document of its origin.
struct KnownDocument {
    var version: DocumentVersion
    var routing: Routing?
}

/// The rows of documents and queued operations of one copy.
struct CopyRows {
    private let collection: Int
    private let readKnown: Statement
    private let writeKnown: Statement
    private let dropKnown: Statement
    private let list: Statement
    private let unlisted: Statement
    private let readOperation: Statement
    private let addOperation: Statement
    private let writeOperation: Statement
    private let lease: Statement
    private let dropOperation: Statement
    private let nextOperations: Statement

    /// A queued operation, without the document.
    struct Operation {
        var number: Int64
        var documentID: DocumentID
        var routing: Routing?
        var kind: QueuedOperation.Kind
        var based: DocumentVersion?
        var pulled: [UInt8]?
        var generation = 0
        /// Whether the operation was sent to the origin, which may have carried it out.
        var wasSent = false
    }

    init(_ collection: Int, in connection: borrowing Connection) throws(SQLiteError) {
        self.collection = collection
        readKnown = try connection.prepare("SELECT version, routing FROM copied WHERE collection = ? AND document = ?")
        writeKnown = try connection.prepare("INSERT OR REPLACE INTO copied VALUES (?, ?, ?, ?, ?)")
        dropKnown = try connection.prepare("DELETE FROM copied WHERE collection = ? AND document = ?")
        list = try connection.prepare(
            "UPDATE copied SET listing = ? WHERE collection = ? AND document = ? AND routing IS ?"
        )
        unlisted = try connection.prepare(
            "SELECT document, routing FROM copied WHERE collection = ? AND listing < ? LIMIT ?"
        )
        let columns = "number, document, routing, kind, based, pulled, generation, sent"
        readOperation = try connection.prepare(
            "SELECT \(columns) FROM copy_operation WHERE collection = ? AND document = ?"
        )
        addOperation = try connection.prepare(
            "INSERT INTO copy_operation(collection, document, routing, kind, based, pulled) VALUES (?, ?, ?, ?, ?, ?)"
        )
        writeOperation = try connection.prepare(
            "UPDATE copy_operation SET kind = ?, based = ?, pulled = ?, generation = ?, routing = ? WHERE number = ?"
        )
        lease = try connection.prepare("UPDATE copy_operation SET sent = 1 WHERE number = ?")
        dropOperation = try connection.prepare("DELETE FROM copy_operation WHERE number = ?")
        nextOperations = try connection.prepare(
            "SELECT \(columns) FROM copy_operation WHERE collection = ? AND number > ? ORDER BY number LIMIT ?"
        )
    }

    func known(_ id: DocumentID) throws(SQLiteError) -> KnownDocument? {
        try readKnown.with(collection, IDColumn(id)).first { row throws(SQLiteError) in
            KnownDocument(
                version: DocumentVersion(rawValue: try row.column(0)),
                routing: try row.column(1, as: String?.self).flatMap(Routing.init)
            )
        }
    }

    func know(_ id: DocumentID, _ known: KnownDocument, listing: Int64) throws(SQLiteError) {
        try writeKnown.run(collection, IDColumn(id), known.version.rawValue, known.routing?.text, listing)
    }

    /// Removes the information about a document, and returns whether there was any.
    func forget(_ id: DocumentID) throws(SQLiteError) -> Bool { try dropKnown.run(collection, IDColumn(id)) > 0 }

    /// Marks a document as listed, and returns whether it is known to the copy.
    func mark(_ key: DocumentKey, listing: Int64) throws(SQLiteError) -> Bool {
        try list.run(listing, collection, IDColumn(key.id), key.routing?.text) > 0
    }

    /// Returns the first known documents that were not in a listing.
    func notListed(in listing: Int64, limit: Int) throws(SQLiteError) -> [DocumentKey] {
        var keys: [DocumentKey] = []
        try unlisted.with(collection, listing, limit).eachRow { row throws(SQLiteError) in
            guard let id = try? DocumentID(try row.column(0, as: String.self)) else { return }
            keys.append(DocumentKey(id, routing: try row.column(1, as: String?.self).flatMap(Routing.init)))
        }
        return keys
    }

    func operation(_ id: DocumentID) throws(SQLiteError) -> Operation? {
        try readOperation.with(collection, IDColumn(id)).first { row throws(SQLiteError) in try Operation(row, id) }
    }

    func operations(after number: Int64, limit: Int) throws(SQLiteError) -> [Operation] {
        var operations: [Operation] = []
        try nextOperations.with(collection, number, limit).eachRow { row throws(SQLiteError) in
            guard let id = try? DocumentID(try row.column(1, as: String.self)) else { return }
            operations.append(try Operation(row, id))
        }
        return operations
    }

    func add(_ operation: Operation) throws(SQLiteError) {
        try addOperation.run(
            collection,
            IDColumn(operation.documentID),
            operation.routing?.text,
            operation.kind.rawValue,
            operation.based?.rawValue,
            operation.pulled
        )
    }

    func save(_ operation: Operation) throws(SQLiteError) {
        try writeOperation.run(
            operation.kind.rawValue,
            operation.based?.rawValue,
            operation.pulled,
            operation.generation,
            operation.routing?.text,
            operation.number
        )
    }

    /// Records that an operation is being sent to the origin.
    func lease(_ number: Int64) throws(SQLiteError) { try lease.run(number) }

    func drop(_ operation: Operation) throws(SQLiteError) { try dropOperation.run(operation.number) }
}

extension CopyRows.Operation {
    fileprivate init(_ row: borrowing Row, _ id: DocumentID) throws(SQLiteError) {
        number = try row.column(0)
        documentID = id
        routing = try row.column(2, as: String?.self).flatMap(Routing.init)
        kind = QueuedOperation.Kind(rawValue: try row.column(3)) ?? .update
        based = try row.column(4, as: String?.self).map(DocumentVersion.init)
        pulled = try row.column(5)
        generation = try row.column(6)
        wasSent = try row.column(7, as: Int.self) != 0
    }
}

/// A document ID that is bound to a statement as text.
private struct IDColumn: Bindable {
    private let id: DocumentID

    init(_ id: DocumentID) { self.id = id }

    func bind(to parameter: Parameter) throws(SQLiteError) { try parameter.bind(utf8: id.utf8) }
}
