import Threads

/// A database shared between tasks: an actor around one connection, on a thread of its own.
///
/// SQLite blocks. On its own thread it blocks nobody: no thread of Swift's pool ever waits for the disk.
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
        try body(connection)
    }

    /// Calls `body` on one state of the database; ends early with ``SQLiteError/Code/interrupted`` when the task is
    /// cancelled.
    public func read<Result: Sendable>(
        _ body: sending (borrowing Connection) throws -> Result
    ) throws -> Result {
        try connection.interruptible { try connection.snapshot { try body(connection) } }
    }

    /// Calls `body` in a transaction.
    public func write<Result: Sendable>(
        _ body: sending (borrowing Connection) throws -> Result
    ) throws -> Result {
        try connection.transaction { try body(connection) }
    }
}
