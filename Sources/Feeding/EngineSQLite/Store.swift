import CollectionSync
package import ContentFeeding
import Glibc
import JobJournal
package import SQLiteStore
import TextKit
import Threads

/// An open store, whose database errors are all converted to an ``EngineError``.
package struct Store: Sendable {
    /// The path, as given by the caller.
    let path: String
    /// The name of the stretch of a collection's history that begins with the first change made through this store
    /// instance.
    let stretch = String(UInt64.random(in: 0 ... .max), radix: 36)
    private let busyTimeout: Duration
    private let database: Database

    /// Opens the store on a separate thread, because opening it waits for the disk and for locks.
    static func open(
        _ path: String,
        _ options: SQLiteEngine.Options,
        create: Bool
    ) async throws(EngineError) -> Store {
        try await onOwnThread { () -> Result<Store, EngineError> in
            Result { () throws(EngineError) in try Store(path, options, create: create) }
        }.get()
    }

    private init(_ path: String, _ options: SQLiteEngine.Options, create: Bool) throws(EngineError) {
        self.path = path
        busyTimeout = options.busyTimeout
        var configuration = Configuration()
        configuration.applicationID = StoreSchema.applicationID
        configuration.busyTimeout = options.busyTimeout
        configuration.cacheSize = options.cacheBytes
        configuration.permissions = 0o600
        // With the default of 1,000 pages, the same pages of the index would be copied into the file repeatedly.
        configuration.checkpointPages = 4_000
        configuration.access = try StoreFile(path: path).prepare(create: create)
        do {
            database = try Database(path: path, configuration) { connection in
                try connection.migrate(StoreSchema.migrations)
            }
        } catch {
            throw EngineError(any: error, path: path, busyTimeout: options.busyTimeout)
        }
    }

    /// The jobs kept in the store.
    var jobs: JobLedger { JobLedger(database, path: path) }

    /// Calls `body` on one snapshot of the store.
    func read<Value: Sendable>(
        _ body: sending (borrowing Connection) throws -> Value
    ) async throws(EngineError) -> Value {
        do { return try await database.read(body) } catch { throw engineError(error) }
    }

    /// Calls `body` in a transaction.
    package func write<Value: Sendable>(
        _ body: sending (borrowing Connection) throws -> Value
    ) async throws(EngineError) -> Value {
        do { return try await database.write(body) } catch { throw engineError(error) }
    }

    /// Calls `body` outside any transaction.
    func run<Value: Sendable>(
        _ body: sending (borrowing Connection) throws -> Value
    ) async throws(EngineError) -> Value {
        do { return try await database.run(body) } catch { throw engineError(error) }
    }

    /// The size of the store on disk, in bytes: its file and its write-ahead log.
    var fileBytes: Int {
        ["", "-wal"].reduce(0) { sum, suffix in
            var status = stat()
            return stat(path + suffix, &status) == 0 ? sum + Int(status.st_size) : sum
        }
    }

    /// The folder of the file, for temporary data stored next to it.
    nonisolated var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Returns the error for other processes that are still reading a state older than `what`, which prevents removed
    /// text from being erased.
    func heldByReader(_ what: String) -> EngineError {
        EngineError(
            .locked,
            "\(path): \(what), but another process has been reading an older state for more than "
                + "\(busyTimeout.formattedSeconds), so removed text may still be in the \(fileBytes) bytes of the store",
            advice: "stop that process or wait for it, then optimize a collection of the store again"
        )
    }

    private func engineError(_ error: any Error) -> EngineError {
        EngineError(any: error, path: path, busyTimeout: busyTimeout)
    }
}

/// The file of a store, examined before SQLite opens it, because SQLite's own messages don't explain a file's defects.
private struct StoreFile {
    let path: String

    /// Returns how the file can be opened, and throws an error with the reason if it can't be.
    func prepare(create: Bool) throws(EngineError) -> Configuration.Access {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw EngineError(.missingTarget, "the path of a store is empty or contains a NUL byte")
        }
        if create { try makeFolders() }
        var status = stat()
        guard lstat(path, &status) == 0 else { return try absent(errno, create: create) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw unusable("\(path) is a directory", "specify the file in it, such as \(path)/store.sqlite")
        case S_IFLNK:
            throw unusable("\(path) is a symbolic link", "specify the file that it points to")
        default: throw unusable("\(path) is not a regular file", "specify a store's file")
        }
        if status.st_size == 0, !create {
            throw unusable("\(path) is empty and not a store", "turn it into one with: fastctl collections create NAME")
        }
        return try access(create: create)
    }

    private func absent(_ error: Int32, create: Bool) throws(EngineError) -> Configuration.Access {
        switch error {
        case ENOENT where create: return .create
        case ENOENT, ENOTDIR:
            throw EngineError(
                .missingTarget,
                "there is no store at \(path)",
                advice: "create it with: fastctl collections create NAME"
            )
        default: throw failure("can't open \(path)", error)
        }
    }

    private func access(create: Bool) throws(EngineError) -> Configuration.Access {
        if Glibc.access(path, R_OK) != 0 { throw failure("can't read \(path)", errno) }
        if Glibc.access(path, W_OK) == 0, Glibc.access(folder, W_OK) == 0 { return create ? .create : .readWrite }
        // A read-only file system has no writers, so locks are neither needed nor possible.
        var system = statvfs()
        guard statvfs(path, &system) == 0, system.f_flag & UInt(ST_RDONLY) != 0 else { return .readOnly }
        var log = stat()
        if stat(path + "-wal", &log) == 0, log.st_size > 0 {
            throw unusable(
                "\(path) has changes in \(path)-wal that can't be read on a read-only file system",
                "open the store once on a writable file system"
            )
        }
        return .immutable
    }

    private var folder: String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Creates missing folders, accessible only to their owner.
    private func makeFolders() throws(EngineError) {
        var end = folder.startIndex
        while end < folder.endIndex {
            end = folder.utf8[folder.utf8.index(after: end)...].firstIndex(of: UInt8(ascii: "/")) ?? folder.endIndex
            let part = String(folder[..<end])
            var status = stat()
            if stat(part, &status) == 0 { continue }
            guard mkdir(part, 0o700) == 0 || errno == EEXIST else {
                throw failure("can't create the folder \(part)", errno)
            }
        }
    }

    private func unusable(_ message: String, _ advice: String) -> EngineError {
        EngineError(.unusable, message, advice: advice)
    }

    private func failure(_ message: String, _ error: Int32) -> EngineError {
        EngineError(.init(systemError: error), "\(message): \(String(cString: strerror(error)))")
    }
}

extension EngineError.Code {
    /// Converts an error number of the system.
    init(systemError: Int32) {
        self =
            switch systemError {
            case EACCES, EPERM, EROFS: .permission
            case ENOSPC, EDQUOT: .diskFull
            case EIO: .inputOutput
            case EMFILE, ENFILE, ENOMEM: .exhausted
            case ENOENT: .missingTarget
            default: .unusable
            }
    }
}

/// The tables of a store.
private enum StoreSchema {
    /// The application ID "fctl" in the file's header, which identifies stores.
    static let applicationID: Int32 = 0x6663_746C

    /// The migrations of a store so far; new ones must be added at the end.
    ///
    /// Since the third migration, jobs can be resumed by name; since the fifth, collections can be copies of others. A
    /// migration added to one of these lists later must be appended to this list instead, because stores count the
    /// migrations that have been applied.
    static let migrations =
        collections + JobTables.migrations + identities + CopyTables.migrations
        + JobTables.laterMigrations + stretches

    /// The migration that adds the stretches of each collection's history, each with the last row before the stretch.
    ///
    /// A store that is restored from a backup lacks the stretches that began after the backup, so copies can detect the
    /// restoration.
    private static let stretches = [
        """
        CREATE TABLE stretch(
            number INTEGER PRIMARY KEY,
            collection INTEGER NOT NULL REFERENCES collection(number) ON UPDATE CASCADE ON DELETE CASCADE,
            name TEXT NOT NULL,
            start INTEGER NOT NULL,
            UNIQUE(collection, name)
        ) STRICT;
        """
    ]

    private static let identities = [
        """
        ALTER TABLE collection ADD COLUMN identity TEXT NOT NULL DEFAULT '';
        UPDATE collection SET identity = lower(hex(randomblob(8)));
        """
    ]

    private static let collections = [
        // A collection without a name is being deleted. `next` is the row of the next document; row numbers are
        // versions, so they are never reused, not even after `clear`. `gaps` counts merges since the file was last
        // rewritten.
        """
        CREATE TABLE collection(
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT UNIQUE,
            documents INTEGER NOT NULL DEFAULT 0,
            waiting INTEGER NOT NULL DEFAULT 0,
            next INTEGER NOT NULL DEFAULT 1,
            gaps INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE TABLE job(
            collection INTEGER NOT NULL REFERENCES collection(number) ON UPDATE CASCADE ON DELETE CASCADE,
            id TEXT NOT NULL,
            source INTEGER NOT NULL,
            byte INTEGER NOT NULL,
            first INTEGER NOT NULL,
            lowest INTEGER NOT NULL,
            settled BLOB NOT NULL,
            PRIMARY KEY(collection, id)
        ) STRICT, WITHOUT ROWID;
        """,
        // The start times of jobs are stored, so that the oldest jobs of a collection can be dropped.
        "ALTER TABLE job ADD COLUMN began INTEGER NOT NULL DEFAULT 0",
    ]
}

/// The names of one collection's tables, which are derived from its number, not from its name.
struct CollectionTables: Hashable, Sendable {
    let document: String
    let documentIndex: String
    let search: String
    let tombstone: String

    init(number: Int) {
        document = "document_\(number)"
        documentIndex = "document_\(number)_id"
        search = "search_\(number)"
        tombstone = "tombstone_\(number)"
    }

    /// The SQL that creates the tables.
    ///
    /// The full-text table does not store the text itself, nor lengths of texts, because hits are not ranked.
    ///
    /// Eight segments are merged at once instead of four, which makes feeding a quarter faster without affecting
    /// searches.
    var creation: String {
        """
        CREATE TABLE \(document)(row INTEGER PRIMARY KEY, id TEXT NOT NULL, json TEXT NOT NULL) STRICT;
        CREATE INDEX \(documentIndex) ON \(document)(id);
        CREATE TABLE \(tombstone)(chunk INTEGER PRIMARY KEY, bits BLOB NOT NULL) STRICT;
        CREATE VIRTUAL TABLE \(search)
            USING fts5(text, content='', columnsize=0, tokenize='\(Self.tokenizer)');
        INSERT INTO \(search)(\(search), rank) VALUES ('automerge', 8);
        """
    }

    static let tokenizer = "unicode61 remove_diacritics 2"
}

/// A collection's row: its number and its counters.
package struct CollectionRecord {
    let number: Int
    let name: CollectionName
    /// The identity that distinguishes the collection from others with the same name; it is kept when the collection is
    /// cleared.
    let identity: String
    /// The number of live documents.
    var documents: Int
    /// The number of rows with a tombstone.
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

    /// Returns the collection named `name`, or throws an error with advice.
    package static func find(_ name: CollectionName, in connection: borrowing Connection) throws -> CollectionRecord {
        let found = try connection.prepare("SELECT \(columns) FROM collection WHERE name = ?").with(name.rawValue)
            .first { row throws(SQLiteError) in try CollectionRecord(row) }
        if let found { return found }
        let nearest = name.rawValue.nearest(in: try all(in: connection).map(\.name.rawValue))
        throw EngineError(
            .missingCollection,
            "there is no collection '\(name)'",
            advice: nearest.map { "did you mean '\($0)'?" }
                ?? "create it with: fastctl collections create \(name.shellWord)"
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
        guard isNew == 1 else {
            throw EngineError(
                .collectionExists,
                "the collection '\(name)' already exists",
                advice: "see its contents: fastctl collections show \(name.shellWord)"
            )
        }
        try connection.execute(CollectionTables(number: Int(connection.lastInsertedRow)).creation)
    }

    /// Writes the counters back.
    func save(in connection: borrowing Connection) throws(SQLiteError) {
        try connection.prepare("UPDATE collection SET documents = ?, waiting = ?, next = ? WHERE number = ?")
            .run(documents, waiting, next, number)
    }

    /// Removes the collection's name: the collection is no longer visible, and ``Purge`` deletes its data.
    package func retire(in connection: borrowing Connection) throws(SQLiteError) {
        try connection.prepare("UPDATE collection SET name = NULL WHERE number = ?").run(number)
    }

    /// Replaces this collection with an empty one; its jobs, which are associated with its name, are kept, and a copy
    /// remains a copy.
    func replaceByEmpty(in connection: borrowing Connection) throws {
        try retire(in: connection)
        try Self.create(name, next: next, identity: identity, in: connection)
        let new = try Self.find(name, in: connection).number
        try CopyTables.move(number, to: new, in: connection)
        try connection.prepare("UPDATE stretch SET collection = ? WHERE collection = ?").run(new, number)
    }

    /// Begins a stretch of the history after the last row, unless the stretch has already begun.
    func begin(stretch: String, in connection: borrowing Connection) throws(SQLiteError) {
        let isNew = try connection.prepare("INSERT OR IGNORE INTO stretch(collection, name, start) VALUES (?, ?, ?)")
            .run(number, stretch, next - 1)
        guard isNew > 0 else { return }
        try connection.prepare(
            """
            DELETE FROM stretch WHERE collection = ?1 AND number <=
                (SELECT number FROM stretch WHERE collection = ?1 ORDER BY number DESC LIMIT 1 OFFSET \(Self.mostStretches))
            """
        ).run(number)
    }

    /// Returns the stretches of the history, oldest first.
    func stretches(in connection: borrowing Connection) throws(SQLiteError) -> [CollectionPart.Stretch] {
        var stretches: [CollectionPart.Stretch] = []
        try connection.prepare("SELECT name, start FROM stretch WHERE collection = ? ORDER BY number").with(number)
            .eachRow { row throws(SQLiteError) in
                stretches.append(CollectionPart.Stretch(name: try row.column(0), start: try row.column(1)))
            }
        return stretches
    }

    /// The maximum number of stretches that are kept; a copy that was pulled before the first of them has to compare
    /// all documents.
    private static let mostStretches = 1_000

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
