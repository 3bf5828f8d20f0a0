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

    /// Opens the database at `path`.
    public init(path: String, _ configuration: Configuration = Configuration()) throws {
        connection = try Connection(path: path, configuration)
        thread = ThreadExecutor()
    }

    /// Calls `body` with the connection.
    public func read<Result: Sendable>(
        _ body: sending (borrowing Connection) throws -> Result
    ) throws -> Result {
        try body(connection)
    }

    /// Calls `body` in a transaction.
    public func write<Result: Sendable>(
        _ body: sending (borrowing Connection) throws -> Result
    ) throws -> Result {
        try connection.transaction { try body(connection) }
    }
}
