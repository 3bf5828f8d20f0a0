import CSQLite
import Glibc
import TextKit
import Threads

/// A database shared between tasks: an actor that owns one connection and runs on its own thread.
///
/// SQLite's calls block only this thread, so no thread of Swift's pool ever waits for the disk.
///
/// If the file was deleted, moved or replaced, a call fails with ``SQLiteError/Code/moved``, even if SQLite could
/// execute it.
package actor Database {
    /// The path of a new unnamed database, which uses the disk only if it does not fit into the cache, and is deleted
    /// when it is closed.
    package static let scratch = ":scratch:"

    private let connection: Connection
    private let thread: ThreadExecutor

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    /// Opens the database at `path`, and calls `prepare` with the connection; the caller waits for the disk.
    package init(
        path: String,
        _ configuration: Configuration = Configuration(),
        prepare: (borrowing Connection) throws -> Void = { _ in }
    ) throws {
        let connection = try Connection(path: path, configuration)
        try prepare(connection)
        self.connection = connection
        thread = ThreadExecutor()
    }

    /// Calls `body` with the connection, outside any transaction.
    package func run<Result: Sendable>(_ body: sending (borrowing Connection) throws -> Result) throws -> Result {
        let result = try body(connection)
        try connection.requireFileInPlace()
        return result
    }

    /// Calls `body` on one snapshot of the database; ends early with ``SQLiteError/Code/interrupted`` if the task is
    /// canceled.
    package func read<Result: Sendable>(_ body: sending (borrowing Connection) throws -> Result) throws -> Result {
        let result = try connection.interruptible { try connection.snapshot { try body(connection) } }
        try connection.requireFileInPlace()
        return result
    }

    /// Calls `body` in a transaction.
    package func write<Result: Sendable>(_ body: sending (borrowing Connection) throws -> Result) throws -> Result {
        let result = try connection.transaction {
            let result = try body(connection)
            // At this point, the whole transaction can still be rolled back.
            try connection.requireFileInPlace()
            return result
        }
        try connection.requireFileInPlace()
        return result
    }
}

/// The settings for opening a connection.
package struct Configuration: Sendable {
    /// The file access that a connection has.
    package enum Access: Sendable {
        /// Reads and writes an existing file.
        case readWrite
        /// Reads and writes a file, creating it if it doesn't exist.
        case create
        /// Reads an existing file while others may write it.
        case readOnly
        /// Reads a file that has no writers, such as one on a read-only medium, without locks or auxiliary files.
        case immutable
    }

    /// The degree to which a commit waits for the disk.
    package enum Synchronous: String, Sendable {
        /// A commit survives a crash of the program, but may not survive a crash of the machine.
        case normal = "NORMAL"
        /// A commit survives a crash of the machine.
        case full = "FULL"
    }

    /// The connection's access to the file.
    package var access = Access.readWrite

    /// The ID of the program that owns the file; `nil` accepts any ID.
    ///
    /// A file that another program owns is rejected before anything in it is changed.
    package var applicationID: Int32?

    /// The degree to which a commit waits for the disk.
    package var synchronous = Synchronous.full

    /// The longest time a statement waits for another connection's lock.
    package var busyTimeout = Duration.seconds(5)

    /// The maximum amount of memory for cached pages, in bytes.
    package var cacheSize = 16 << 20

    /// The number of pages after which the write-ahead log is copied back into the file.
    package var checkpointPages = 1000

    /// The longest text, blob or row, in bytes.
    package var maximumLength = 64 << 20

    /// The page size of a new file, in bytes.
    package var pageSize = 4096

    /// The permissions of a new file, before the process's umask is applied.
    package var permissions: UInt32 = 0o644

    package init() {}
}

/// Opens, hardens and tunes a database file; leaves nothing open if that fails.
func openDatabase(_ path: String, _ configuration: Configuration) throws(SQLiteError) -> OpaquePointer {
    let location = try locate(path, configuration)
    let flags = location.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
    var opened: OpaquePointer?
    let result = sqlite3_open_v2(location.name, &opened, flags, nil)
    do throws(SQLiteError) {
        guard result == SQLITE_OK, let handle = opened else { throw SQLiteError(opened, result: result) }
        try handle.harden(configuration)
        try handle.tune(configuration)
        return handle
    } catch {
        sqlite3_close_v2(opened)  // Even a failed open allocates.
        throw error
    }
}

/// Returns the file name for SQLite to open for `path`, and the flags to open it with.
///
/// Symbolic links to directories are resolved here, because SQLite's `NOFOLLOW` rejects a link anywhere in the path,
/// but only a link in the last component should be rejected.
private func locate(
    _ path: String,
    _ configuration: Configuration
) throws(SQLiteError) -> (name: String, flags: Int32) {
    if path == ":memory:" { return (path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) }
    // An unnamed file is private to this connection, and SQLite deletes it immediately.
    if path == Database.scratch { return ("", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) }
    let file = try resolvingDirectory(of: path)
    switch configuration.access {
    case .readWrite: return (file, SQLITE_OPEN_READWRITE)
    case .readOnly: return (file, SQLITE_OPEN_READONLY)
    case .immutable:
        let path = Percent.encoded(file.utf8, uppercase: false) { $0.isLetterOrDigit || "/.-".utf8.contains($0) }
        return ("file:\(path)?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
    case .create:
        // SQLite would make the file readable by everyone. `O_EXCL` leaves an existing file untouched: closing a file
        // that is open elsewhere in this process would drop its locks.
        let descriptor = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, configuration.permissions)
        if descriptor >= 0 {
            close(descriptor)
        } else if errno != EEXIST {
            throw SQLiteError(opening: file, errno: errno)
        }
        return (file, SQLITE_OPEN_READWRITE)
    }
}

private func resolvingDirectory(of path: String) throws(SQLiteError) -> String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let name = parts.last ?? ""
    let directory = parts.count > 1 ? parts.dropLast().joined(separator: "/") + "/" : "."
    guard !name.isEmpty, let resolved = realpath(directory, nil) else {
        throw SQLiteError(opening: path, errno: name.isEmpty ? EISDIR : errno)
    }
    defer { free(resolved) }
    let prefix = String(cString: resolved)
    return prefix == "/" ? "/" + name : prefix + "/" + name
}

extension Duration {
    /// The duration in milliseconds, as SQLite expects it.
    var milliseconds: Int32 { Int32(clamping: Int(self / .milliseconds(1))) }
}

extension OpaquePointer {
    func execute(_ sql: String) throws(SQLiteError) {
        let result = sqlite3_exec(self, sql, nil, nil, nil)
        if result != SQLITE_OK { throw SQLiteError(self, result: result, sql: sql) }
    }

    private func integer(_ sql: String) throws(SQLiteError) -> Int {
        try Statement(sql, handle: self).first { row throws(SQLiteError) in try row.column(0) } ?? 0
    }

    /// Turns off features that a crafted database file could exploit.
    fileprivate func harden(_ configuration: Configuration) throws(SQLiteError) {
        let switches = [
            (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
            (SQLITE_DBCONFIG_DQS_DDL, 0), (SQLITE_DBCONFIG_DQS_DML, 0),
            (SQLITE_DBCONFIG_ENABLE_FKEY, 1),
        ]
        for (option, value) in switches {
            let result = csqlite_configure(self, option, Int32(value))
            if result != SQLITE_OK { throw SQLiteError(self, result: result) }
        }
        let limits = [
            (SQLITE_LIMIT_LENGTH, configuration.maximumLength), (SQLITE_LIMIT_SQL_LENGTH, 1 << 20),
            (SQLITE_LIMIT_EXPR_DEPTH, 100), (SQLITE_LIMIT_ATTACHED, 1),
        ]
        for (limit, value) in limits { sqlite3_limit(self, limit, Int32(clamping: value)) }
    }

    fileprivate func tune(_ configuration: Configuration) throws(SQLiteError) {
        sqlite3_busy_timeout(self, configuration.busyTimeout.milliseconds)
        // This reads the file, so a file that is not a database is detected here, before anything is written to it. The
        // schema comes first: another process may be creating the file, and sets its application ID together with its
        // schema.
        let isBlank = try integer("SELECT count(*) FROM sqlite_schema") == 0
        let owner = try integer("PRAGMA application_id")
        if let applicationID = configuration.applicationID, owner != Int(applicationID) {
            guard isBlank, owner == 0 else {
                throw SQLiteError(.wrongApplication, "the file belongs to another program (application_id \(owner))")
            }
            guard configuration.access == .create else { throw SQLiteError(.blank, "the file is empty") }
        }
        try execute(
            """
            PRAGMA synchronous = \(configuration.synchronous.rawValue);
            PRAGMA cache_size = -\(configuration.cacheSize >> 10);
            PRAGMA temp_store = MEMORY;
            PRAGMA secure_delete = ON;
            PRAGMA wal_autocheckpoint = \(configuration.checkpointPages);
            PRAGMA journal_size_limit = \(4 * configuration.checkpointPages * configuration.pageSize);
            """
        )
        switch configuration.access {
        case .readOnly, .immutable: break
        case .readWrite, .create:
            // Both settings take effect only in an empty file, before it is switched to the write-ahead log.
            if try integer("PRAGMA page_count") == 0 {
                try execute("PRAGMA page_size = \(configuration.pageSize); PRAGMA auto_vacuum = INCREMENTAL")
            }
            try execute("PRAGMA journal_mode = WAL")
        }
    }
}

/// An open database.
///
/// A connection is neither copyable nor sendable: it has a single owner and stays in one isolation domain. To share it,
/// give it to an actor such as ``Database``.
///
/// ```swift
/// let connection = try Connection(path: "index.db")
/// let insert = try connection.prepare("INSERT INTO document(id, size) VALUES (?, ?)")
/// try connection.transaction { try insert.run("doc-1", 42) }
/// ```
package struct Connection: ~Copyable {
    private let handle: OpaquePointer
    private let applicationID: Int32?
    private let cacheSize: Int
    private let busyTimeout: Duration
    private let cache: StatementCache
    private let device: dev_t?

    /// Opens the database at `path`; creates it only if `configuration` allows it.
    ///
    /// A symbolic link in the last component of the path is refused.
    package init(path: String, _ configuration: Configuration = Configuration()) throws(SQLiteError) {
        handle = try openDatabase(path, configuration)
        applicationID = configuration.applicationID
        cacheSize = configuration.cacheSize
        busyTimeout = configuration.busyTimeout
        cache = StatementCache(handle: handle)
        device = fileDevice(of: handle)
    }

    deinit {
        cache.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Returns the compiled statement for `sql`, which is compiled only the first time.
    package borrowing func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        try cache.statement(for: sql)
    }

    /// Compiles the single statement in `sql`; throws if it contains several statements or none.
    borrowing func single(_ sql: String) throws(SQLiteError) -> Statement {
        try Statement(sql, handle: handle, isAlone: true)
    }

    /// Runs every statement in `sql`, for schemas and pragmas.
    package borrowing func execute(_ sql: String) throws(SQLiteError) {
        try handle.execute(sql)
    }

    /// Returns the first column of the first row of `sql`, or 0 if there is none.
    package borrowing func integer(_ sql: String) throws(SQLiteError) -> Int {
        try prepare(sql).first { row throws(SQLiteError) in try row.column(0) } ?? 0
    }

    /// The number of rows changed by the last statement.
    package var changes: Int { Int(sqlite3_changes64(handle)) }

    /// The number of rows changed since the connection was opened, including rows of full-text tables.
    package var totalChanges: Int { Int(sqlite3_total_changes64(handle)) }

    /// The key of the last inserted row.
    package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Throws ``SQLiteError/Code/moved`` if the path no longer leads to the open file.
    ///
    /// SQLite continues to read and write a file that was deleted or replaced, and its writes are lost.
    package borrowing func requireFileInPlace() throws(SQLiteError) {
        guard let device else { return }
        var hasMoved: Int32 = 0
        let isAnswered = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK
        // SQLite compares the inode numbers of the files, which are unique on one device only.
        if isAnswered && hasMoved != 0 || fileDevice(of: handle) != device {
            throw SQLiteError(
                .moved,
                "the file was deleted, moved or replaced while it was open: changes to it do not appear at this path"
            )
        }
    }

    /// Whether the connection is read-only.
    package var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") != 0 }
}

extension Connection {
    /// Copies the database to `path` while others continue to use it.
    ///
    /// `progress` is called after each step with the number of pages left and the total.
    package borrowing func backup(
        to path: String,
        pagesPerStep: Int32 = 1024,
        progress: (_ left: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(SQLiteError) {
        var configuration = Configuration()
        configuration.access = .create
        let copy = try Connection(path: path, configuration)
        guard let backup = sqlite3_backup_init(copy.handle, "main", handle, "main") else {
            throw SQLiteError(copy.handle, result: sqlite3_errcode(copy.handle))
        }
        var result = SQLITE_OK
        repeat {
            result = sqlite3_backup_step(backup, pagesPerStep)
            progress(Int(sqlite3_backup_remaining(backup)), Int(sqlite3_backup_pagecount(backup)))
            if result == SQLITE_BUSY || result == SQLITE_LOCKED { sqlite3_sleep(10) }
        } while result == SQLITE_OK || result == SQLITE_BUSY || result == SQLITE_LOCKED
        let finished = sqlite3_backup_finish(backup)
        guard result == SQLITE_DONE, finished == SQLITE_OK else {
            throw SQLiteError(copy.handle, result: finished == SQLITE_OK ? result : finished)
        }
    }
}

extension Connection {
    /// Runs `body`, whose statements fail with ``SQLiteError/Code/interrupted`` once the current task is canceled.
    ///
    /// SQLite checks for cancellation while it executes the statement on this thread, so the statements of other tasks
    /// cannot be interrupted.
    borrowing func interruptible<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        sqlite3_progress_handler(handle, 10_000, { _ in Task.isCancelled ? 1 : 0 }, nil)
        defer { sqlite3_progress_handler(handle, 0, nil, nil) }
        return try body()
    }
}

extension Connection {
    /// Brings the schema up to date by running the `migrations` that have not been applied to this database yet.
    ///
    /// The database's `user_version` counts the applied migrations; the configuration's `applicationID` identifies the
    /// program that owns the file. All missing migrations run in one transaction; of several processes, only one runs
    /// them.
    package borrowing func migrate(_ migrations: [String]) throws {
        guard try version(below: migrations) < migrations.count else { return }
        try transaction {
            // Another process may have migrated the database in the meantime.
            let version = try version(below: migrations)
            for (index, migration) in migrations.enumerated().dropFirst(version) {
                try execute(migration)
                try execute("PRAGMA user_version = \(index + 1)")
            }
            if let applicationID { try execute("PRAGMA application_id = \(applicationID)") }
        }
    }

    private borrowing func version(below migrations: [String]) throws(SQLiteError) -> Int {
        let version = try integer("PRAGMA user_version")
        guard (0...migrations.count).contains(version) else {
            throw SQLiteError(
                .newerSchema,
                "the file has schema \(version), but this program supports only schemas up to \(migrations.count)"
            )
        }
        return version
    }
}

extension Connection {
    /// The number of pages in the file, the number of free ones, and the page size.
    package struct PageCounts: Hashable, Sendable {
        package var total: Int
        package var free: Int
        package var size: Int

        /// The size of all pages, in bytes.
        package var bytes: Int { total * size }
    }

    package borrowing func pageCounts() throws(SQLiteError) -> PageCounts {
        PageCounts(
            total: try integer("PRAGMA page_count"),
            free: try integer("PRAGMA freelist_count"),
            size: try integer("PRAGMA page_size")
        )
    }

    /// Copies the write-ahead log back into the file and truncates the log.
    ///
    /// Returns whether the checkpoint was completed, which is impossible while other connections read older snapshots.
    /// Unless `waiting` is false, waits for those readers as long as it would for a lock.
    package borrowing func checkpoint(waiting: Bool = true) throws(SQLiteError) -> Bool {
        if !waiting { sqlite3_busy_timeout(handle, 0) }
        defer { if !waiting { sqlite3_busy_timeout(handle, busyTimeout.milliseconds) } }
        let start = ContinuousClock.now
        while true {
            let result = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
            if result == SQLITE_OK { return true }
            guard result & 0xFF == SQLITE_BUSY else { throw SQLiteError(handle, result: result) }
            // SQLite waits for readers, but not for another connection's checkpoint.
            guard waiting, ContinuousClock.now - start < busyTimeout else { return false }
            sqlite3_sleep(10)
        }
    }

    /// Releases up to `pages` free pages to the file system, and returns the number of remaining free pages.
    package borrowing func releasePages(atMost pages: Int) throws(SQLiteError) -> Int {
        // The pragma returns a row for each page, so it must run to completion.
        try prepare("PRAGMA incremental_vacuum(\(pages))").run()
        return try integer("PRAGMA freelist_count")
    }

    /// Rewrites the whole database without free pages or unused space within pages.
    ///
    /// Temporarily requires twice the database's size, for a temporary file and the write-ahead log. Other connections
    /// can read in the meantime; writers wait.
    package borrowing func rewrite() throws(SQLiteError) {
        // The copy uses a cache of the same size.
        try execute("PRAGMA cache_size = -\(cacheSize >> 11)")
        defer { try? execute("PRAGMA cache_size = -\(cacheSize >> 10)") }
        try sparingMemory { () throws(SQLiteError) in try execute("VACUUM") }
    }

    /// Runs `body`, which handles more data than should be held in memory, with temporary files instead of memory.
    ///
    /// Transactions must begin in `body`. The files are unnamed, in the database's folder, and vanish with the process.
    /// Their location is a process-wide setting: if several databases are open, the last call determines it.
    package borrowing func sparingMemory<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Otherwise, they would be in a shared folder such as /tmp, which is often kept in memory.
        if let folder { csqlite_set_temporary_folder(folder) }
        try? execute("PRAGMA temp_store = FILE")
        defer { try? execute("PRAGMA temp_store = MEMORY") }
        return try body()
    }

    /// The folder of the database's file; `nil` if it has no file.
    private var folder: String? {
        guard let name = sqlite3_db_filename(handle, "main") else { return nil }
        let path = String(cString: name)
        guard let slash = path.lastIndex(of: "/") else { return nil }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

extension Connection {
    /// Runs `body` as one unit: all of its changes are committed or, if it throws, none.
    ///
    /// The write lock is taken at the beginning, so a transaction never fails halfway because of another writer. Inside
    /// another transaction, `body` runs in a savepoint.
    @discardableResult
    package borrowing func transaction<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws -> Result {
        let isOutermost = sqlite3_get_autocommit(handle) != 0
        try execute(isOutermost ? "BEGIN IMMEDIATE" : "SAVEPOINT nested")
        do {
            let result = try body()
            try execute(isOutermost ? "COMMIT" : "RELEASE nested")
            return result
        } catch {
            // After a full disk or an I/O error, SQLite may have rolled back already; then there is nothing left to
            // undo.
            if sqlite3_get_autocommit(handle) == 0 {
                try? execute(isOutermost ? "ROLLBACK" : "ROLLBACK TO nested; RELEASE nested")
            }
            throw error
        }
    }

    /// Runs `body`, which only reads, on one snapshot of the database, regardless of concurrent writes.
    ///
    /// This also halves the time for many small reads, each of which would otherwise take and release the lock.
    package borrowing func snapshot<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws -> Result {
        guard sqlite3_get_autocommit(handle) != 0 else { return try body() }
        // Prepared statements are cached, which matters because most reads are small.
        try prepare("BEGIN").run()
        defer { _ = try? prepare("ROLLBACK").run() }
        return try body()
    }
}

/// Returns the device of the file at the path of a connection's database; `nil` if the database has no path, or the
/// file does not exist.
private func fileDevice(of handle: OpaquePointer) -> dev_t? {
    guard let path = sqlite3_db_filename(handle, "main"), path.pointee != 0 else { return nil }
    var status = stat()
    return stat(path, &status) == 0 ? status.st_dev : nil
}
