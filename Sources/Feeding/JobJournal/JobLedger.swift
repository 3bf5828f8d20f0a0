public import ContentFeeding
package import SQLiteStore

/// The jobs of one database: the single job of a journal file, or all jobs of a store.
public struct JobLedger: Sendable {
    /// The path of the file, used in messages.
    public let path: String
    private let database: Database

    /// Creates the ledger of a database, which must have the schema `JobTables.schema`.
    package init(_ database: Database, path: String) {
        self.database = database
        self.path = path
    }

    /// Adds a job on which no process is working yet.
    public func create(_ job: JobDescription, stage: JobRecord.Stage = .open) async throws(JobError) {
        try await write { connection in try Self.insert(job, stage, into: connection) }
    }

    /// Adds a job on which no process is working yet to this connection's database.
    static func insert(
        _ job: JobDescription,
        _ stage: JobRecord.Stage,
        into connection: borrowing Connection
    ) throws {
        try connection.prepare(
            """
            INSERT INTO job(id, identity, kind, target, collection, incarnation, words, directory, spool, stage,
            epoch, started, changed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, \(JobTables.now))
            """
        ).run(
            job.id.rawValue,
            job.identity,
            job.kind.rawValue,
            job.target,
            job.collection.rawValue,
            job.incarnation,
            JobWords.bytes(of: job.words),
            job.directory,
            job.spool,
            stage.rawValue,
            Int(job.startedAt / .milliseconds(1))
        )
    }

    /// Takes over a job: from now on, writes to the job by other processes are refused.
    public func claim(_ id: JobID) async throws(JobError) -> JobClaim {
        try await write { connection in
            // The position of a queued job is the end of the accepted input, but its run begins at the start of the
            // input.
            try connection.prepare(
                "UPDATE job SET source = 0, byte = 0, digest = x'', accepted = 0, lines = 0, blank = 0, rejected = 0, "
                    + "bytes = 0 WHERE id = ? AND stage = 'queued'"
            ).run(id.rawValue)
            let changed = try connection.prepare(
                "UPDATE job SET epoch = epoch + 1, stage = 'open' WHERE id = ? AND stage IN ('queued', 'open')"
            ).run(id.rawValue)
            guard changed == 1 else {
                throw JobError(.ended, "job \(id) has no work left", advice: "see 'fastctl jobs show \(id)'")
            }
            return try JobReader(connection).claim(of: id) { try await issues(of: id, after: $0) }
        }
    }

    /// Records the last feed into a collection; if this fails, the only effect is that overtaken jobs are not detected.
    func noteFeed(of job: JobID, into collection: CollectionName) async {
        do throws(JobError) {
            try await write { connection in
                try connection.prepare("INSERT OR REPLACE INTO job_feed VALUES (?, ?, \(JobTables.now))")
                    .run(collection.rawValue, job.rawValue)
            }
        } catch {}
    }

    /// Returns the time at which another job's feed into a collection last began or ended.
    func lastFeed(butOf job: JobID, into collection: CollectionName) async -> Duration? {
        do throws(JobError) {
            return try await read { connection in
                let last = try connection.prepare("SELECT at FROM job_feed WHERE collection = ? AND job <> ?")
                return try last.with(collection.rawValue, job.rawValue).first { row throws(SQLiteError) in
                    .milliseconds(try row.column(0, as: Int.self))
                }
            }
        } catch {
            return nil
        }
    }

    /// Discards a job's settled operations, so its next run sends all operations again.
    ///
    /// The documents that the earlier run removed are then not reported as missing. Errors and warnings are determined
    /// again.
    public func repeatOperations(of id: JobID) async throws(JobError) {
        try await write { connection in
            let reader = try JobReader(connection)
            let record = try reader.record(of: id)
            let (earlier, progress) = (record.repeated, record.progress)
            let settled = progress.highestSettled ?? OperationID(rawValue: 0)
            // Operations that settled in an earlier run remain settled, and are reported as missing unless this run has
            // removed the document.
            var missed = (earlier?.missed ?? []).filter { !progress.isSettled($0) }
            var done = 0
            while case let page = try reader.issues(of: id, after: done), !page.isEmpty {
                for issue in page where issue.outcome == .missing { missed.insert(issue.operationID) }
                done += page.count
            }
            missed.formUnion(try reader.misses(of: id))
            let open = Set(progress.gaps + (earlier?.unsettled ?? []).filter { !progress.isSettled($0) })
                .filter { earlier?.isSettled($0) != true }
            try connection.prepare(
                """
                UPDATE job SET source = 0, byte = 0, digest = x'', first = 1, lowest = 1, settled = x'',
                sent_source = NULL, sent_byte = NULL, sent_digest = NULL, lines = 0, blank = 0, rejected = 0, bytes = 0,
                duplicates = 0, errors = 0, warnings = 0, told_epoch = NULL, told_accepted = 0,
                repeated_through = ?, repeated_open = ?, repeated_missed = ?, repeated_ended = changed
                WHERE id = ? AND stage = 'open'
                """
            ).run(
                Int64(bitPattern: max(settled, earlier?.through ?? settled).rawValue),
                Self.bytes(of: open),
                Self.bytes(of: missed),
                id.rawValue
            )
            let number = try reader.number(of: id)
            for table in ["job_outcome", "job_issues", "job_miss", "job_operation"] {
                try connection.prepare("DELETE FROM \(table) WHERE job = ?").run(number)
            }
        }
    }

    private static func bytes(of operations: Set<OperationID>) -> [UInt8] {
        operations.sorted().flatMap { withUnsafeBytes(of: $0.rawValue.littleEndian, Array.init) }
    }

    /// Records the part of its input that a queued job has accepted, as the position at its end and the digest of all
    /// bytes before it.
    public func queue(
        _ id: JobID,
        through end: InputOffset,
        digest: [UInt8],
        accepted: Int,
        _ input: InputTally
    ) async throws(JobError) {
        try await write { connection in
            try connection.prepare(
                "UPDATE job SET source = ?, byte = ?, digest = ?, accepted = ?, lines = ?, blank = ?, rejected = ?, "
                    + "bytes = ? WHERE id = ? AND stage = 'queued'"
            ).run(
                end.source,
                Int64(bitPattern: end.byte),
                digest,
                accepted,
                input.lines,
                input.blank,
                input.rejected,
                input.bytes,
                id.rawValue
            )
        }
    }

    /// Records another file to which the job backs up documents.
    public func note(backup path: String, of id: JobID) async throws(JobError) {
        try await write { connection in
            let noted = try connection.prepare("SELECT backups FROM job WHERE id = ?").with(id.rawValue)
                .first { row throws(SQLiteError) in try row.column(0, as: [UInt8].self) }
            try connection.prepare("UPDATE job SET backups = ? WHERE id = ?").run(
                (noted ?? []) + JobWords.bytes(of: [path]),
                id.rawValue
            )
        }
    }

    /// Records the seal of a backup file of the job, which is now complete.
    public func seal(backup path: String, as seal: BackupSeal, of id: JobID) async throws(JobError) {
        try await write { connection in
            try connection.prepare("UPDATE job SET seals = CAST(seals || ? AS BLOB) WHERE id = ?").run(
                JobWords.bytes(of: [path, seal.word]),
                id.rawValue
            )
        }
    }

    /// All jobs, newest first.
    public func jobs() async throws(JobError) -> [JobRecord] {
        try await read { connection in try JobReader(connection).records() }
    }

    /// Returns the jobs with the given identity, newest first.
    func jobs(of identity: [UInt8]) async throws(JobError) -> [JobRecord] {
        try await read { connection in try JobReader(connection).records(of: identity) }
    }

    /// Returns the job with this name; `nil` if there is none.
    func job(named id: JobID) async throws(JobError) -> JobRecord? {
        try await read { connection in try JobReader(connection).found(id)?.record }
    }

    /// Returns some of a job's errors and warnings after the first `done`, in the order in which the operations
    /// settled; empty if there are no more.
    public func issues(of id: JobID, after done: Int) async throws(JobError) -> [OperationOutcome] {
        try await read { connection in try JobReader(connection).issues(of: id, after: done) }
    }

    /// Returns a job's errors and warnings after the first `done`, page by page, in the order in which the operations
    /// settled.
    package func issuePages(of id: JobID, after done: Int = 0) -> IssuePages {
        IssuePages(ledger: self, id: id, done: done)
    }

    /// Returns a job's operations that found no document although that was neither an error nor a warning.
    public func misses(of id: JobID) async throws(JobError) -> Set<OperationID> {
        try await read { connection in try JobReader(connection).misses(of: id) }
    }

    /// Returns whether an open operation in a job's journal contains the exact bytes of one of `texts` in its ID, its
    /// routing value or its document.
    package func keepsOperation(of id: JobID, containing texts: [[UInt8]]) async throws(JobError) -> Bool {
        try await read { connection in
            // The database makes the comparison, so at most one document is in memory.
            let holding = try connection.prepare(
                """
                SELECT operation FROM job_operation JOIN job ON job = number WHERE id = ?1 AND (instr(json, ?2) > 0
                OR instr(CAST(document AS BLOB), ?2) > 0 OR instr(CAST(routing AS BLOB), ?2) > 0) LIMIT 1
                """
            )
            for text in texts {
                let found = try holding.with(id.rawValue, text).first { row throws(SQLiteError) in try row.unsigned(0) }
                if found != nil { return true }
            }
            return false
        }
    }

    /// Returns the open operations before the job's position in its input, which are stored in the job itself.
    package func openOperations(of id: JobID) async throws(JobError) -> [OperationID] {
        try await read { connection in
            var open: [OperationID] = []
            try connection.prepare(
                "SELECT operation FROM job_operation JOIN job ON job = number WHERE id = ? AND job_operation.settled = 0"
            ).with(id.rawValue).eachRow { row throws(SQLiteError) in
                open.append(OperationID(rawValue: try row.unsigned(0)))
            }
            return open
        }
    }

    /// Reopens a job that ended just before its process was killed, so its command can resume it.
    public func reopen(_ id: JobID) async throws(JobError) {
        try await write { connection in
            try connection.prepare("UPDATE job SET stage = 'open' WHERE id = ? AND stage = 'finished'").run(id.rawValue)
        }
    }

    /// Returns the size of a job's errors and warnings in bytes.
    func issueBytes(of id: JobID) async throws(JobError) -> Int {
        try await read { connection in
            try connection.prepare(
                "SELECT total(length(records)) FROM job_issues JOIN job ON job = number WHERE id = ?"
            ).with(id.rawValue).first { row throws(SQLiteError) in Int(try row.column(0, as: Double.self)) } ?? 0
        }
    }

    /// Adds errors and warnings to a job, regardless of the process that works on it.
    public func add(_ outcomes: [OperationOutcome], to id: JobID) async throws(JobError) {
        guard !outcomes.isEmpty else { return }
        try await write { connection in try JobTables(in: connection).add(outcomes, to: id) }
    }

    /// Ends a job, with the counts of its last report.
    ///
    /// Throws ``JobError/Code/superseded`` if another process has claimed the job in the meantime.
    public func end(
        _ id: JobID,
        epoch: Int,
        as stage: JobRecord.Stage,
        counts: FeedCounts,
        input: InputTally
    ) async throws(JobError) {
        try await write { connection in
            let changed = try connection.prepare(
                """
                UPDATE job SET stage = ?, lines = ?, blank = ?, rejected = ?, bytes = ?, duplicates = ?, accepted = ?,
                changed = \(JobTables.now) WHERE id = ? AND epoch = ?
                """
            ).run(
                stage.rawValue,
                input.lines,
                input.blank,
                input.rejected,
                input.bytes,
                input.duplicates,
                counts.accepted,
                id.rawValue,
                epoch
            )
            guard changed == 1 else {
                throw JobError(.superseded, "another process has taken over job \(id)")
            }
            let number = try JobReader(connection).number(of: id)
            let outcome = try connection.prepare("INSERT OR REPLACE INTO job_outcome VALUES (?, ?, ?)")
            for name in Outcome.allCases where counts[name] > 0 { try outcome.run(number, name.name, counts[name]) }
            if counts.perhapsAdded > 0 { try outcome.run(number, JobTables.perhapsAdded, counts.perhapsAdded) }
            try connection.prepare("DELETE FROM job_operation WHERE job = ?").run(number)
        }
    }

    /// Records that a run has ended before the job was finished, with the number of operations accepted so far by all
    /// runs.
    public func suspend(_ id: JobID, epoch: Int, accepted: Int) async throws(JobError) {
        try await write { connection in
            try connection.prepare(
                "UPDATE job SET told_epoch = epoch, told_accepted = ? WHERE id = ? AND epoch = ? AND stage = 'open'"
            ).run(accepted, id.rawValue, epoch)
        }
    }

    /// Cancels a job on which no process is working.
    public func cancel(_ id: JobID) async throws(JobError) {
        try await write { connection in
            // The number of accepted operations, as recorded by the last run or when the job was queued, remains valid.
            try connection.prepare(
                """
                UPDATE job SET stage = 'cancelled', epoch = epoch + 1,
                told_epoch = CASE WHEN told_epoch = epoch OR stage = 'queued' THEN epoch + 1 END,
                told_accepted = CASE WHEN stage = 'queued' THEN accepted ELSE told_accepted END WHERE id = ?
                """
            ).run(id.rawValue)
        }
    }

    /// Removes a job and all its data.
    public func remove(_ id: JobID) async throws(JobError) {
        try await write { connection in
            try connection.prepare("DELETE FROM job WHERE id = ?").run(id.rawValue)
        }
    }

    /// Returns the defect that SQLite's integrity check reports for the file; `nil` if there is none.
    public func damage() async throws(JobError) -> String? {
        try await read { connection in
            let verdict = try connection.prepare("PRAGMA quick_check(1)").first { row throws(SQLiteError) in
                try row.column(0, as: String.self)
            }
            return verdict == "ok" ? nil : verdict ?? "no answer"
        }
    }

    /// Stores a transaction of a claimed job.
    func record(_ transaction: JournalTransaction, _ progress: FeedProgress, epoch: Int) async throws(JobError) {
        try await write { connection in
            try JobTables(in: connection).record(transaction, progress, epoch: epoch)
        }
    }

    private func read<Value: Sendable>(
        _ body: sending (borrowing Connection) throws -> Value
    ) async throws(JobError) -> Value {
        do { return try await database.read(body) } catch { throw JobError(any: error, path: path) }
    }

    @discardableResult
    private func write<Value: Sendable>(
        _ body: sending (borrowing Connection) throws -> Value
    ) async throws(JobError) -> Value {
        do { return try await database.write(body) } catch { throw JobError(any: error, path: path) }
    }
}

/// The journal of one claimed job in its own file.
public struct JobJournal: FeedJournal {
    private let ledger: JobLedger
    private let claim: JobClaim
    private let noted: @Sendable (FeedProgress) -> FeedProgress

    /// Creates the journal of a claimed job; `noted` returns the progress in the form in which it is stored.
    public init(
        _ claim: JobClaim,
        in ledger: JobLedger,
        noted: @escaping @Sendable (FeedProgress) -> FeedProgress = { $0 }
    ) {
        self.claim = claim
        self.ledger = ledger
        self.noted = noted
    }

    /// Stores a transaction; once this function returns, a crash can't undo the transaction.
    public func record(_ transaction: JournalTransaction) async throws(JournalError) {
        do throws(JobError) {
            try await ledger.record(transaction, noted(transaction.progress), epoch: claim.epoch)
        } catch {
            throw JournalError(error.description)
        }
    }

    /// Returns the stored state of the job; `nil` if there is none.
    public func state() -> JournalState? { claim.state }
}

/// The words of a command line as one value, in which each word ends with a NUL, which words can't contain.
enum JobWords {
    static func bytes(of words: [String]) -> [UInt8] { words.flatMap { Array($0.utf8) + [0] } }

    static func words(in bytes: [UInt8]) -> [String] {
        bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}

extension JobError {
    /// Creates an error that names the file, the defect and the next step.
    init(any error: any Error, path: String) {
        guard let error = error as? SQLiteError else {
            self = error as? JobError ?? JobError(.unusable, "\(path): \(error)")
            return
        }
        switch error.code {
        case .full:
            self.init(
                .inputOutput,
                "\(path): the disk is full",
                advice: "free some space, and run the same command again"
            )
        case .inputOutput:
            self.init(.inputOutput, "\(path): the disk can't be read or written: \(error)", advice: "check the disk")
        case .readOnly, .cannotOpen:
            self.init(
                .notCreated,
                "\(path): the journal can't be written: \(error.message)",
                advice: "specify another folder with --journal DIR"
            )
        case .busy:
            self.init(
                .running,
                "\(path): another process has been writing for too long",
                advice: "run the same command again, or wait longer with --busy-timeout"
            )
        case .moved:
            self.init(.unusable, "\(path): \(error.message)", advice: "stop all runs before moving job files")
        case .blank:
            self.init(
                .unusable,
                "\(path): the journal is damaged: it is empty, so the progress of its job is unknown",
                advice: "delete that file to start a new job, or restore it from a backup"
            )
        case .newerSchema:
            self.init(
                .unusable,
                "\(path): written by a newer version of fastctl: \(error.message)",
                advice: "use that version, or start over with --restart"
            )
        default:
            self.init(
                .unusable,
                "\(path): the journal is damaged: \(error.message)",
                advice: "delete that file, and run the command again"
            )
        }
    }
}

/// A reader of the job tables.
struct JobReader {
    private let all: Statement
    private let named: Statement
    private let identified: Statement
    private let outcomes: Statement
    private let rows: Statement
    private let issues: Statement
    private let missed: Statement

    init(_ connection: borrowing Connection) throws(SQLiteError) {
        let columns = """
            number, id, identity, kind, target, collection, words, directory, spool, stage, epoch, started, changed,
            leased, accepted, lines, blank, rejected, bytes, duplicates, errors, warnings, incarnation, backups,
            seals, CASE WHEN told_epoch = epoch THEN told_accepted END, repeated_through, repeated_open, repeated_missed,
            repeated_ended,
            \(FeedProgress.columns)
            """
        let order = "ORDER BY started DESC, number DESC"
        all = try connection.prepare("SELECT \(columns) FROM job \(order)")
        // A single condition for all three cases would be evaluated for every job of the store.
        named = try connection.prepare("SELECT \(columns) FROM job WHERE id = ?")
        identified = try connection.prepare("SELECT \(columns) FROM job WHERE identity = ? \(order)")
        outcomes = try connection.prepare("SELECT outcome, count FROM job_outcome WHERE job = ?")
        rows = try connection.prepare(
            """
            SELECT operation, kind, document, routing, json, attempts, sends, applied, settled, condition
            FROM job_operation
            WHERE job = ? ORDER BY operation
            """
        )
        missed = try connection.prepare("SELECT operation FROM job_miss WHERE job = ?")
        issues = try connection.prepare(
            """
            SELECT first, records FROM job_issues WHERE job = ?1
            AND first >= ifnull((SELECT max(first) FROM job_issues WHERE job = ?1 AND first <= ?2), 0) ORDER BY first
            """
        )
    }

    func number(of id: JobID) throws -> Int {
        guard let found = try found(id) else { throw JobError(.missing, "there is no job \(id)") }
        return found.number
    }

    func records() throws -> [JobRecord] { try found(by: all).map(\.record) }

    func records(of identity: [UInt8]) throws -> [JobRecord] { try found(by: identified.with(identity)).map(\.record) }

    func record(of id: JobID) throws -> JobRecord {
        guard let found = try found(id) else { throw JobError(.missing, "there is no job \(id)") }
        return found.record
    }

    func claim(
        of id: JobID,
        earlierIssues: @escaping @Sendable (_ done: Int) async throws -> [OperationOutcome]
    ) throws -> JobClaim {
        guard let found = try found(id) else { throw JobError(.missing, "there is no job \(id)") }
        let record = found.record
        var kept: [JournalRow] = []
        try rows.with(found.number).eachRow { row throws(SQLiteError) in
            guard let operation = try row.operation(kind: 1, document: 2, routing: 3, json: 4, condition: 9) else {
                return
            }
            kept.append(
                JournalRow(
                    id: OperationID(rawValue: try row.unsigned(0)),
                    operation: operation,
                    attempts: try row.column(5),
                    sends: try row.column(6),
                    mayHaveApplied: try row.column(7, as: Int.self) != 0,
                    isSettled: try row.column(8, as: Int.self) != 0
                )
            )
        }
        guard record.epoch > 1 else { return JobClaim(id: id, epoch: record.epoch) }
        var state = JournalState(
            record.progress,
            counts: record.counts,
            inputBeforeOffset: record.input,
            leasedThrough: record.leasedThrough,
            acceptedThrough: record.acceptedThrough,
            rows: kept
        )
        state.repeated = record.repeated
        return JobClaim(id: id, epoch: record.epoch, state: state, earlierIssues: earlierIssues)
    }

    /// Returns some of the errors and warnings after the first `done`; empty if there are no more.
    func issues(of id: JobID, after done: Int) throws -> [OperationOutcome] {
        var result: [OperationOutcome] = []
        var damaged: Int?
        try issues.with(try number(of: id), done + 1).rows { row throws(SQLiteError) in
            var number = try row.column(0, as: Int.self)
            let records = try row.column(1, as: [UInt8].self)
            var place = 0
            while place < records.count, let outcome = IssueRecord.read(records, at: &place) {
                if number > done { result.append(outcome) }
                number += 1
            }
            if place < records.count { damaged = number }
            return damaged == nil && result.count < 1000
        }
        if let damaged {
            throw JobError(
                .unusable,
                "error \(damaged) of job \(id) can't be read",
                advice: "see 'fastctl jobs check'"
            )
        }
        return result
    }

    func misses(of id: JobID) throws -> Set<OperationID> {
        var operations: Set<OperationID> = []
        try missed.with(try number(of: id)).eachRow { row throws(SQLiteError) in
            operations.insert(OperationID(rawValue: try row.unsigned(0)))
        }
        return operations
    }

    struct Found {
        let number: Int
        let record: JobRecord
    }

    /// Returns the job with this name; `nil` if there is none.
    func found(_ id: JobID) throws -> Found? { try found(by: named.with(id.rawValue)).first }

    private func found(by jobs: Statement) throws -> [Found] {
        var found: [Found] = []
        try jobs.eachRow { row throws(SQLiteError) in
            let number = try row.column(0, as: Int.self)
            var counts = FeedCounts()
            try outcomes.with(number).eachRow { row throws(SQLiteError) in
                let name = try row.column(0, as: String.self)
                if name == JobTables.perhapsAdded { counts.perhapsAdded = try row.column(1) }
                guard let outcome = Outcome.allCases.first(where: { $0.name == name }) else { return }
                counts[outcome] = try row.column(1)
            }
            found.append(try Self.found(row, number, counts))
        }
        return found
    }

    private static func found(
        _ row: borrowing Row,
        _ number: Int,
        _ counts: FeedCounts
    ) throws(SQLiteError) -> Found {
        let id = JobID(rawValue: try row.column(1))
        let job = JobDescription(
            id: id,
            identity: try row.column(2),
            kind: ContentOperation.Kind(rawValue: try row.column(3)) ?? .remove,
            target: try row.column(4),
            collection: CollectionName(rawValue: try row.column(5)),
            incarnation: try row.column(22),
            words: JobWords.words(in: try row.column(6)),
            directory: try row.column(7),
            spool: try row.column(8),
            startedAt: .milliseconds(try row.column(11, as: Int.self))
        )
        var input = InputTally(
            lines: try row.column(15),
            blank: try row.column(16),
            rejected: try row.column(17),
            bytes: try row.column(18)
        )
        input.duplicates = try row.column(19)
        let record = JobRecord(
            job: job,
            stage: JobRecord.Stage(rawValue: try row.column(9)) ?? .open,
            epoch: try row.column(10),
            changedAt: .milliseconds(try row.column(12, as: Int.self)),
            counts: counts,
            input: input,
            acceptedThrough: OperationID(rawValue: try row.unsigned(14)),
            acceptedAtEnd: try row.column(25),
            leasedThrough: OperationID(rawValue: try row.unsigned(13)),
            errors: try row.column(20),
            warnings: try row.column(21),
            backups: JobWords.words(in: try row.column(23)),
            seals: seals(in: try row.column(24)),
            progress: try FeedProgress(of: id, in: row, from: 30),
            repeated: try repeated(in: row)
        )
        return Found(number: number, record: record)
    }

    private static func repeated(in row: borrowing Row) throws(SQLiteError) -> RepeatedRun? {
        guard let through = try row.column(26, as: Int64?.self) else { return nil }
        return RepeatedRun(
            through: OperationID(rawValue: UInt64(bitPattern: through)),
            unsettled: operations(in: try row.column(27, as: [UInt8]?.self) ?? []),
            missed: operations(in: try row.column(28, as: [UInt8]?.self) ?? []),
            endedAt: .milliseconds(try row.column(29, as: Int.self))
        )
    }

    private static func operations(in bytes: [UInt8]) -> Set<OperationID> {
        Set(
            stride(from: 0, to: bytes.count - 7, by: 8).map { start in
                OperationID(rawValue: (0..<8).reduce(0) { $0 | UInt64(bytes[start + $1]) << UInt64(8 * $1) })
            }
        )
    }

    /// Parses seals, each preceded by the path of its file.
    private static func seals(in bytes: [UInt8]) -> [String: BackupSeal] {
        var seals: [String: BackupSeal] = [:]
        var words = JobWords.words(in: bytes)[...]
        while let path = words.popFirst(), let word = words.popFirst() { seals[path] = BackupSeal(word: word) }
        return seals
    }
}

extension Row {
    /// Returns an operation from its columns; `nil` if this version of the program does not support it.
    fileprivate func operation(
        kind: Int,
        document: Int,
        routing: Int,
        json: Int,
        condition: Int
    ) throws(SQLiteError) -> ContentOperation? {
        guard let kind = ContentOperation.Kind(rawValue: try column(kind)),
            let id = try? DocumentID(try column(document, as: String.self))
        else { return nil }
        let routing = try column(routing, as: String?.self).flatMap(Routing.init)
        let document = Document(id: id, json: try column(json), routing: routing)
        let operation: ContentOperation =
            switch kind {
            case .add: .add(document)
            case .update: .update(journaled: document)
            case .remove: .remove(DocumentKey(id, routing: routing))
            }
        guard let text = try column(condition, as: String?.self) else { return operation }
        // Without its condition, the operation could overwrite newer data.
        return WriteCondition(journalText: text).map(operation.only)
    }
}
