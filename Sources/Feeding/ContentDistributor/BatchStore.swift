import ContentFeeding
import SQLiteStore

/// A store of sessions and their batches on disk; the server confirms a batch only once it has been stored.
///
/// Clients that send at the same time share one transaction, and thus a single wait for the disk.
actor BatchStore {
    /// A session in its stored form.
    struct Session: Sendable, Hashable {
        let id: String
        let collection: CollectionName
        /// The name of the client that may use the session.
        let owner: String
        /// The treatment of removals and updates of documents that do not exist.
        let missing: MissingPolicy
        /// The job that feeds the session's batches; `nil` before the first batch.
        var job: String?
        /// The number of the last accepted batch, and the number of operations up to it.
        var lastBatch: UInt64
        var operations: UInt64
        /// Whether no more batches will be sent.
        var isClosed: Bool
        /// Whether the session is closed and all of its operations have an outcome.
        var hasEnded = false
        /// Whether the client requests the outcome of each operation, and the feeding of its sessions in order.
        var keepsOutcomes = false
        /// The times, since 1970, at which the session began and ended; `nil` if they were not recorded.
        var began: Duration?
        var ended: Duration?
    }

    /// A batch in its stored form.
    struct Batch: Sendable, Hashable {
        let number: UInt64
        let kind: ContentOperation.Kind
        /// The ID of the batch's first operation, and the number of operations.
        let first: UInt64
        let count: Int
        let body: [UInt8]
    }

    /// The result of accepting a batch.
    enum Acceptance: Sendable, Hashable {
        /// The batch has been stored, possibly by an earlier request.
        case accepted(first: UInt64, count: Int, isRepeated: Bool)
        /// A different batch has this number.
        case different
        /// The batches before this one are missing.
        case ahead(expected: UInt64)
        /// The session is closed, or does not exist.
        case closed
        case unknown
    }

    private struct Waiting {
        let session: String
        let batch: Batch
        let digest: [UInt8]
        let answer: CheckedContinuation<Result<Acceptance, any Error>, Never>
    }

    let database: Database
    private var waiting: [Waiting] = []
    private var isWriting = false
    /// The total size of the unreleased batches of all sessions, in bytes.
    private(set) var waitingBytes: Int

    /// Opens the store at `path`, or creates it.
    init(path: String) throws {
        var configuration = Configuration()
        configuration.access = .create
        configuration.permissions = 0o600
        var bytes = 0
        database = try Database(path: path, configuration) { connection in
            try connection.migrate(Self.migrations)
            bytes = try connection.integer("SELECT ifnull(sum(length(body)), 0) FROM batch WHERE body IS NOT NULL")
        }
        waitingBytes = bytes
    }

    /// The existing migrations of the store; new ones may only be appended.
    private static let migrations = [
        """
        CREATE TABLE session(
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            collection TEXT NOT NULL,
            owner TEXT NOT NULL,
            missing TEXT NOT NULL,
            job TEXT,
            batches INTEGER NOT NULL DEFAULT 0,
            operations INTEGER NOT NULL DEFAULT 0,
            closed INTEGER NOT NULL DEFAULT 0,
            ended INTEGER
        ) STRICT;
        CREATE TABLE batch(
            session INTEGER NOT NULL REFERENCES session(number) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            kind TEXT NOT NULL,
            first INTEGER NOT NULL,
            count INTEGER NOT NULL,
            digest BLOB NOT NULL,
            body BLOB,
            PRIMARY KEY(session, number)
        ) STRICT;
        """,
        "ALTER TABLE session ADD COLUMN outcomes INTEGER NOT NULL DEFAULT 0;",
        // Whether a client must wait depends on the batches that are waiting now, not on all batches it has sent.
        "CREATE INDEX batch_waiting ON batch(session) WHERE body IS NOT NULL;",
        // The numbers are in chronological order; the size has its own column to be summed without reading documents.
        """
        CREATE TABLE failure(
            number INTEGER PRIMARY KEY,
            session INTEGER NOT NULL REFERENCES session(number) ON DELETE CASCADE,
            operation INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            document BLOB NOT NULL,
            UNIQUE(session, operation)
        ) STRICT;
        CREATE INDEX failure_bytes ON failure(number, bytes);
        """,
        "ALTER TABLE session ADD COLUMN began INTEGER;",
    ]

    // MARK: Sessions

    /// Creates a session.
    func create(_ session: Session) async throws {
        _ = try await database.write { connection in
            try connection.prepare(
                "INSERT INTO session(id, collection, owner, missing, outcomes, began) VALUES (?, ?, ?, ?, ?, ?)"
            )
            .run(
                session.id,
                session.collection.rawValue,
                session.owner,
                session.missing.rawValue,
                session.keepsOutcomes ? 1 : 0,
                session.began.map { Int($0 / .milliseconds(1)) }
            )
        }
    }

    /// Returns all sessions, oldest first.
    func sessions() async throws -> [Session] {
        try await database.read { connection in
            var sessions: [Session] = []
            try connection.prepare(
                """
                SELECT id, collection, owner, missing, job, batches, operations, closed, ended, outcomes, began
                FROM session ORDER BY number
                """
            ).eachRow { row throws(SQLiteError) in
                sessions.append(
                    Session(
                        id: try row.column(0),
                        collection: CollectionName(rawValue: try row.column(1)),
                        owner: try row.column(2),
                        missing: MissingPolicy(rawValue: try row.column(3)) ?? .error,
                        job: try row.column(4),
                        lastBatch: UInt64(try row.column(5, as: Int64.self)),
                        operations: UInt64(try row.column(6, as: Int64.self)),
                        isClosed: try row.column(7, as: Int.self) != 0,
                        hasEnded: try row.column(8, as: Int64?.self) != nil,
                        keepsOutcomes: try row.column(9, as: Int.self) != 0,
                        began: try row.column(10, as: Int64?.self).map { .milliseconds($0) },
                        ended: try row.column(8, as: Int64?.self).map { .milliseconds($0) }
                    )
                )
            }
            return sessions
        }
    }

    /// Returns the IDs of the owner's sessions, or of all if `owner` is `nil`, newest first, each with its number.
    func sessions(of owner: String?, before number: Int, limit: Int) async throws -> [(number: Int, id: String)] {
        try await database.read { connection in
            var sessions: [(number: Int, id: String)] = []
            try connection.prepare(
                """
                SELECT number, id FROM session WHERE number < ?1 AND (?2 IS NULL OR owner = ?2)
                ORDER BY number DESC LIMIT ?3
                """
            ).with(number, owner, limit).eachRow { row throws(SQLiteError) in
                sessions.append((try row.column(0), try row.column(1)))
            }
            return sessions
        }
    }

    /// Records the job that feeds a session's batches.
    func note(job: String, of session: String) async throws {
        _ = try await database.write { connection in
            try connection.prepare("UPDATE session SET job = ? WHERE id = ?").run(job, session)
        }
    }

    /// Closes a session: no more batches are accepted, but batches that were already accepted are still fed.
    func close(_ session: String) async throws {
        _ = try await database.write { connection in
            try connection.prepare("UPDATE session SET closed = 1 WHERE id = ?").run(session)
        }
    }

    /// Records that all operations of a closed session have an outcome.
    func end(_ session: String, at now: Duration) async throws {
        _ = try await database.write { connection in
            try connection.prepare("UPDATE session SET ended = ? WHERE id = ?").run(
                Int(now / .milliseconds(1)),
                session
            )
        }
    }

    /// Removes the sessions that ended before a given time, with all of their batches, and returns their IDs.
    func forget(endedBefore time: Duration) async throws -> [String] {
        let (ended, bytes) = try await database.write { connection in
            var ended: [String] = []
            let limit = Int(time / .milliseconds(1))
            try connection.prepare("SELECT id FROM session WHERE ended < ?").with(limit).eachRow {
                row throws(SQLiteError) in
                ended.append(try row.column(0))
            }
            guard !ended.isEmpty else { return (ended, 0) }
            let bytes = try connection.prepare(
                """
                SELECT ifnull(sum(length(body)), 0) FROM batch JOIN session ON session = session.number WHERE ended < ?
                """
            ).with(limit).first { row throws(SQLiteError) in try row.column(0, as: Int.self) }
            try connection.prepare("DELETE FROM session WHERE ended < ?").run(limit)
            return (ended, bytes ?? 0)
        }
        waitingBytes -= bytes
        return ended
    }

    // MARK: Batches

    /// Accepts a batch, and returns once it has been stored; the same batch may be sent more than once.
    func accept(_ batch: Batch, of session: String, digest: [UInt8]) async throws -> Acceptance {
        try await withCheckedContinuation { continuation in
            waiting.append(Waiting(session: session, batch: batch, digest: digest, answer: continuation))
            guard !isWriting else { return }
            isWriting = true
            Task { await writeAll() }
        }.get()
    }

    /// Writes waiting batches until there are none, with one transaction for all that wait at the same time.
    private func writeAll() async {
        while !waiting.isEmpty {
            let group = waiting
            waiting = []
            let entries = group.map { ($0.session, $0.batch, $0.digest) }
            do {
                let answers = try await database.write { connection in
                    try entries.map { try Self.accept($0.1, of: $0.0, digest: $0.2, in: connection) }
                }
                for (entry, answer) in zip(group, answers) {
                    if case .accepted(_, _, isRepeated: false) = answer { waitingBytes += entry.batch.body.count }
                    entry.answer.resume(returning: .success(answer))
                }
            } catch {
                for entry in group { entry.answer.resume(returning: .failure(error)) }
            }
        }
        isWriting = false
    }

    private static func accept(
        _ batch: Batch,
        of session: String,
        digest: [UInt8],
        in connection: borrowing Connection
    ) throws -> Acceptance {
        let found = try connection.prepare("SELECT number, batches, operations, closed FROM session WHERE id = ?")
            .with(session).first { row throws(SQLiteError) in
                (
                    number: try row.column(0, as: Int.self), batches: try row.column(1, as: Int64.self),
                    operations: try row.column(2, as: Int64.self), isClosed: try row.column(3, as: Int.self) != 0
                )
            }
        guard let found else { return .unknown }
        if batch.number <= found.batches {
            let known = try connection.prepare(
                "SELECT first, count, digest FROM batch WHERE session = ? AND number = ?"
            )
            .with(found.number, Int64(batch.number)).first { row throws(SQLiteError) in
                (
                    first: UInt64(try row.column(0, as: Int64.self)), count: try row.column(1, as: Int.self),
                    digest: try row.column(2, as: [UInt8].self)
                )
            }
            guard let known, known.digest == digest else { return .different }
            return .accepted(first: known.first, count: known.count, isRepeated: true)
        }
        guard !found.isClosed else { return .closed }
        guard batch.number == found.batches + 1 else { return .ahead(expected: UInt64(found.batches) + 1) }
        let first = found.operations + 1
        try connection.prepare("INSERT INTO batch VALUES (?, ?, ?, ?, ?, ?, ?)").run(
            found.number,
            Int64(batch.number),
            batch.kind.rawValue,
            first,
            batch.count,
            digest,
            batch.body
        )
        try connection.prepare("UPDATE session SET batches = ?, operations = ? WHERE number = ?")
            .run(Int64(batch.number), found.operations + Int64(batch.count), found.number)
        return .accepted(first: UInt64(first), count: batch.count, isRepeated: false)
    }

    /// Returns the batch after `number`; `nil` if it has not arrived yet.
    func batch(after number: UInt64, of session: String) async throws -> Batch? {
        try await database.read { connection in
            try connection.prepare(
                """
                SELECT batch.number, kind, first, count, body FROM batch JOIN session ON session = session.number
                WHERE id = ? AND batch.number = ? AND body IS NOT NULL
                """
            ).with(session, Int64(number) + 1).first { row throws(SQLiteError) in
                Batch(
                    number: UInt64(try row.column(0, as: Int64.self)),
                    kind: ContentOperation.Kind(rawValue: try row.column(1)) ?? .remove,
                    first: UInt64(try row.column(2, as: Int64.self)),
                    count: try row.column(3),
                    body: try row.column(4)
                )
            }
        }
    }

    /// Returns the IDs of the operations in a batch; `nil` if the batch has not arrived.
    func operations(of number: UInt64, of session: String) async throws -> ClosedRange<UInt64>? {
        try await database.read { connection in
            try connection.prepare(
                "SELECT first, count FROM batch JOIN session ON session = session.number WHERE id = ? AND batch.number = ?"
            ).with(session, Int64(number)).first { row throws(SQLiteError) in
                let first = UInt64(try row.column(0, as: Int64.self))
                return first...(first + UInt64(try row.column(1, as: Int64.self)) - 1)
            }
        }
    }

    /// Drops the bodies of batches up to `number`, which will not be read again, if all of their operations are among
    /// the first `settled`.
    ///
    /// The numbers of the batches are kept, so a batch that is sent again is recognized.
    func release(through number: UInt64, settled: UInt64 = .max, of session: String) async throws {
        let bytes = try await database.write { connection in
            let condition = """
                session = (SELECT number FROM session WHERE id = ?) AND number <= ? AND first + count - 1 <= ?
                AND body IS NOT NULL
                """
            let settled = Int64(clamping: settled)
            let bytes = try connection.prepare("SELECT ifnull(sum(length(body)), 0) FROM batch WHERE \(condition)")
                .with(session, Int64(number), settled)
                .first { row throws(SQLiteError) in try row.column(0, as: Int.self) }
            guard let bytes, bytes > 0 else { return 0 }
            try connection.prepare("UPDATE batch SET body = NULL WHERE \(condition)")
                .run(session, Int64(number), settled)
            return bytes
        }
        waitingBytes -= bytes
    }

    /// Returns the total size of a client's unreleased batches, in bytes.
    func waitingBytes(of owner: String) async throws -> Int {
        try await database.read { connection in
            try connection.prepare(
                """
                SELECT ifnull(sum(length(body)), 0) FROM session JOIN batch ON batch.session = session.number
                WHERE owner = ? AND ended IS NULL AND body IS NOT NULL
                """
            ).with(owner).first { row throws(SQLiteError) in try row.column(0, as: Int.self) } ?? 0
        }
    }

    // MARK: Failed operations

    /// Returns the batch that contains an operation, if the batch's body is still stored.
    func batch(with operation: UInt64, of session: String) async throws -> Batch? {
        try await database.read { connection in
            try connection.prepare(
                """
                SELECT batch.number, kind, first, count, body FROM batch JOIN session ON session = session.number
                WHERE id = ?1 AND first <= ?2 AND first + count > ?2 AND body IS NOT NULL
                """
            ).with(session, Int64(clamping: operation)).first { row throws(SQLiteError) in
                Batch(
                    number: UInt64(try row.column(0, as: Int64.self)),
                    kind: ContentOperation.Kind(rawValue: try row.column(1)) ?? .remove,
                    first: UInt64(try row.column(2, as: Int64.self)),
                    count: try row.column(3),
                    body: try row.column(4)
                )
            }
        }
    }

    /// Returns the number of stored documents of a session's failed operations.
    func keptCount(of session: String) async throws -> Int {
        try await database.read { connection in
            try connection.prepare("SELECT count(*) FROM failure JOIN session ON session = session.number WHERE id = ?")
                .with(session).first { row throws(SQLiteError) in try row.column(0, as: Int.self) } ?? 0
        }
    }

    /// Stores the documents of failed operations, dropping the oldest of all sessions if there are too many bytes.
    func keep(_ documents: [(operation: UInt64, json: [UInt8])], of session: String, upTo limit: Int) async throws {
        guard !documents.isEmpty else { return }
        _ = try await database.write { connection in
            let insertion = try connection.prepare(
                """
                INSERT OR IGNORE INTO failure(session, operation, bytes, document)
                SELECT number, ?2, ?3, ?4 FROM session WHERE id = ?1
                """
            )
            for (operation, json) in documents {
                try insertion.run(session, Int64(clamping: operation), json.count, json)
            }
            var excess = try connection.integer("SELECT ifnull(sum(bytes), 0) FROM failure") - limit
            let oldest = try connection.prepare("SELECT number, bytes FROM failure ORDER BY number LIMIT 1")
            let removal = try connection.prepare("DELETE FROM failure WHERE number = ?")
            while excess > 0,
                let (number, bytes) = try oldest.first({ row throws(SQLiteError) in
                    (try row.column(0, as: Int64.self), try row.column(1, as: Int.self))
                })
            {
                try removal.run(number)
                excess -= bytes
            }
        }
    }

    /// Returns the document of a failed operation; `nil` if it is not stored.
    func failedDocument(of operation: UInt64, of session: String) async throws -> [UInt8]? {
        try await database.read { connection in
            try connection.prepare(
                """
                SELECT document FROM failure JOIN session ON session = session.number WHERE id = ? AND operation = ?
                """
            ).with(session, Int64(clamping: operation)).first { row throws(SQLiteError) in try row.column(0) }
        }
    }

    /// Reads from the store to check that it still responds, for a supervisor.
    func check() async throws {
        _ = try await database.read { connection in try connection.integer("SELECT count(*) FROM session") }
    }
}
