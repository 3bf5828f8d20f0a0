import ContentFeeding
import Glibc
import SQLiteStore
import Threads

/// An open store: the way to its database, with every failure turned into an ``EngineError``.
struct Store: Sendable {
    /// As it was given.
    let path: String
    let busyTimeout: Duration
    private let database: Database

    /// Opens the store on a thread of its own, because opening waits for the disk and for locks.
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
        configuration.applicationID = Schema.applicationID
        configuration.busyTimeout = options.busyTimeout
        configuration.cacheSize = options.cacheBytes
        configuration.permissions = 0o600
        // Of 1,000, the default, the same pages of the index would be copied back again and again.
        configuration.checkpointPages = 4_000
        configuration.access = try StoreFile(path: path).prepare(create: create)
        do {
            database = try Database(path: path, configuration) { connection in
                try connection.migrate(Schema.migrations)
            }
        } catch {
            throw EngineError(any: error, path: path, busyTimeout: options.busyTimeout)
        }
    }

    /// Calls `body` on one state of the store.
    func read<Value: Sendable>(
        _ body: sending (borrowing Connection) throws -> Value
    ) async throws(EngineError) -> Value {
        do { return try await database.read(body) } catch { throw engineError(error) }
    }

    /// Calls `body` in a transaction.
    func write<Value: Sendable>(
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

    private func engineError(_ error: any Error) -> EngineError {
        EngineError(any: error, path: path, busyTimeout: busyTimeout)
    }
}

extension Store {
    /// What the store takes on disk: its file and its write-ahead log.
    var fileBytes: Int {
        ["", "-wal"].reduce(0) { sum, suffix in
            var status = stat()
            return stat(path + suffix, &status) == 0 ? sum + Int(status.st_size) : sum
        }
    }

    /// Others still read a state of before `what`, so that removed text can't be overwritten.
    func heldByReader(_ what: String) -> EngineError {
        EngineError(
            .locked,
            "\(path): \(what), but another process has been reading an older state for more than "
                + "\(busyTimeout.formattedSeconds), so removed text may still be in the \(fileBytes) bytes of the store",
            advice: "end that process or wait for it, and optimize a collection of the store again"
        )
    }

    /// The folder of the file, for what is spilled beside it.
    nonisolated var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
