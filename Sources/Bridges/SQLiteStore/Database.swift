import CSQLite
import Glibc
import Threads

/// A database shared between tasks: an actor around one connection, on its own thread.
///
/// SQLite blocks, but on its own thread it blocks nobody else: no thread of Swift's pool ever waits for the disk.
///
/// A call whose file was deleted, moved or replaced fails with ``SQLiteError/Code/moved``, even if SQLite could do it.
public actor Database {
    private let connection: Connection
    private let thread: ThreadExecutor

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    /// Opens the database at `path`, and calls `prepare` with the connection; the caller waits for the disk.
    public init(
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
    public func run<Result: Sendable>(
        _ body: sending (borrowing Connection) throws -> Result
    ) throws -> Result {
        let result = try body(connection)
        try connection.requireFileInPlace()
        return result
    }

    /// Calls `body` on one state of the database; ends early with ``SQLiteError/Code/interrupted`` if the task is
    /// canceled.
    public func read<Result: Sendable>(
        _ body: sending (borrowing Connection) throws -> Result
    ) throws -> Result {
        let result = try connection.interruptible { try connection.snapshot { try body(connection) } }
        try connection.requireFileInPlace()
        return result
    }

    /// Calls `body` in a transaction.
    public func write<Result: Sendable>(
        _ body: sending (borrowing Connection) throws -> Result
    ) throws -> Result {
        let result = try connection.transaction {
            let result = try body(connection)
            // Here it can still be taken back as a whole, as far as anybody sees the file.
            try connection.requireFileInPlace()
            return result
        }
        try connection.requireFileInPlace()
        return result
    }
}

/// The settings for opening a connection.
public struct Configuration: Sendable {
    /// The file access that a connection has.
    public enum Access: Sendable {
        /// Reads and writes an existing file.
        case readWrite
        /// Reads and writes a file, creating it if it doesn't exist.
        case create
        /// Reads an existing file while others may write it.
        case readOnly
        /// Reads a file that nobody can write, on a read-only medium, without locks and without any file beside it.
        case immutable
    }

    /// The degree to which a commit waits for the disk.
    public enum Synchronous: String, Sendable {
        /// A commit survives a crash of the program, not of the machine.
        case normal = "NORMAL"
        /// A commit survives a crash of the machine.
        case full = "FULL"
    }

    /// The connection's access to the file.
    public var access = Access.readWrite

    /// The ID of the program that owns the file; `nil` accepts any.
    ///
    /// Another program's file is refused before a byte of it is changed.
    public var applicationID: Int32?

    /// The degree to which a commit waits for the disk.
    public var synchronous = Synchronous.full

    /// The longest time a statement waits for another connection's lock.
    public var busyTimeout = Duration.seconds(5)

    /// The most memory for cached pages, in bytes.
    public var cacheSize = 16 << 20

    /// The number of pages after which the write-ahead log is copied back into the file.
    public var checkpointPages = 1000

    /// The longest text, blob or row, in bytes.
    public var maximumLength = 64 << 20

    /// The page size of a new file, in bytes.
    public var pageSize = 4096

    /// The permissions of a new file, before the process's umask is applied.
    public var permissions: UInt32 = 0o644

    public init() {}
}

/// Opens a database file, hardened and tuned, or leaves nothing open.
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
/// Links among the directories are resolved here, because SQLite's `NOFOLLOW` refuses a link anywhere in the path. So
/// only a link in the last component is refused.
private func locate(
    _ path: String,
    _ configuration: Configuration
) throws(SQLiteError) -> (name: String, flags: Int32) {
    if path == ":memory:" { return (path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) }
    let file = try resolvingDirectory(of: path)
    switch configuration.access {
    case .readWrite: return (file, SQLITE_OPEN_READWRITE)
    case .readOnly: return (file, SQLITE_OPEN_READONLY)
    case .immutable: return ("file:\(percentEncoded(file))?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
    case .create:
        // SQLite would make the file readable to everyone. `O_EXCL` leaves an existing file untouched: closing a file
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

private func percentEncoded(_ path: String) -> String {
    var encoded = ""
    for byte in path.utf8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"):
            encoded.unicodeScalars.append(Unicode.Scalar(byte))
        default:
            let digits = String(byte, radix: 16)
            encoded += digits.count < 2 ? "%0" + digits : "%" + digits
        }
    }
    return encoded
}

extension Duration {
    /// The duration in the form that SQLite expects.
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
        // schema comes first: another process may be creating the file, and marks it together with its schema.
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
            // Both take effect only in an empty file, and only before it is switched to the write-ahead log.
            if try integer("PRAGMA page_count") == 0 {
                try execute("PRAGMA page_size = \(configuration.pageSize); PRAGMA auto_vacuum = INCREMENTAL")
            }
            try execute("PRAGMA journal_mode = WAL")
        }
    }
}
