public import ContentFeeding
package import SQLiteStore

/// The tables of jobs, in their own file or in a store's file; every call runs in the caller's transaction.
public struct JobTables {
    /// The existing migrations of a file with jobs; new migrations must be added at the end.
    ///
    /// There is one row for each job, one for each of its outcomes, and one for the errors and warnings of each batch;
    /// an operation has a row only while it is being retried or delays other operations.
    public static let migrations = [
        // The first format, which had a row for each error, was never released.
        "DROP TABLE IF EXISTS job",
        """
        DROP TABLE IF EXISTS job_outcome;
        DROP TABLE IF EXISTS job_issue;
        DROP TABLE IF EXISTS job_operation;
        DROP TABLE IF EXISTS job;
        CREATE TABLE job(
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            identity BLOB NOT NULL,
            kind TEXT NOT NULL,
            target TEXT NOT NULL,
            collection TEXT NOT NULL,
            incarnation TEXT,
            words BLOB NOT NULL,
            directory TEXT NOT NULL,
            spool TEXT,
            stage TEXT NOT NULL CHECK(stage IN ('queued', 'open', 'finished', 'cancelled')),
            epoch INTEGER NOT NULL,
            started INTEGER NOT NULL,
            changed INTEGER NOT NULL,
            source INTEGER NOT NULL DEFAULT 0,
            byte INTEGER NOT NULL DEFAULT 0,
            digest BLOB NOT NULL DEFAULT x'',
            first INTEGER NOT NULL DEFAULT 1,
            lowest INTEGER NOT NULL DEFAULT 1,
            settled BLOB NOT NULL DEFAULT x'',
            leased INTEGER NOT NULL DEFAULT 0,
            accepted INTEGER NOT NULL DEFAULT 0,
            lines INTEGER NOT NULL DEFAULT 0,
            blank INTEGER NOT NULL DEFAULT 0,
            rejected INTEGER NOT NULL DEFAULT 0,
            bytes INTEGER NOT NULL DEFAULT 0,
            duplicates INTEGER NOT NULL DEFAULT 0,
            errors INTEGER NOT NULL DEFAULT 0,
            warnings INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE TABLE job_outcome(
            job INTEGER NOT NULL REFERENCES job(number) ON DELETE CASCADE,
            outcome TEXT NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY(job, outcome)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE job_issues(
            job INTEGER NOT NULL REFERENCES job(number) ON DELETE CASCADE,
            first INTEGER NOT NULL,
            records BLOB NOT NULL,
            PRIMARY KEY(job, first)
        ) STRICT;
        CREATE TABLE job_operation(
            job INTEGER NOT NULL REFERENCES job(number) ON DELETE CASCADE,
            operation INTEGER NOT NULL,
            kind TEXT NOT NULL,
            document TEXT NOT NULL,
            routing TEXT,
            json BLOB NOT NULL,
            attempts INTEGER NOT NULL,
            sends INTEGER NOT NULL,
            applied INTEGER NOT NULL,
            settled INTEGER NOT NULL,
            PRIMARY KEY(job, operation)
        ) STRICT, WITHOUT ROWID;
        """,
    ]

    /// The migrations that follow those of the file's other tables.
    ///
    /// A store has further migrations after these, so new migrations must be added to a separate list.
    public static let laterMigrations = [
        // The condition of an operation, and the backup files of the job's runs.
        """
        ALTER TABLE job_operation ADD COLUMN condition TEXT;
        ALTER TABLE job ADD COLUMN backups BLOB NOT NULL DEFAULT x'';
        """,
        // The position up to which the input was read for the sent operations, and the digest of all bytes before it.
        """
        ALTER TABLE job ADD COLUMN sent_source INTEGER;
        ALTER TABLE job ADD COLUMN sent_byte INTEGER;
        ALTER TABLE job ADD COLUMN sent_digest BLOB;
        """,
        // The seals of the files in ``JobRecord/backups`` at the ends of their runs.
        "ALTER TABLE job ADD COLUMN seals BLOB NOT NULL DEFAULT x'';",
        // The run that reported the number of accepted operations at its end, and the reported number.
        """
        ALTER TABLE job ADD COLUMN told_epoch INTEGER;
        ALTER TABLE job ADD COLUMN told_accepted INTEGER NOT NULL DEFAULT 0;
        """,
        // The earlier run whose operations are sent again: its last settled operation, the earlier operations that were
        // not settled and the operations whose documents were missing (both as eight bytes for each operation), and the
        // end of the run.
        """
        ALTER TABLE job ADD COLUMN repeated_through INTEGER;
        ALTER TABLE job ADD COLUMN repeated_open BLOB;
        ALTER TABLE job ADD COLUMN repeated_missed BLOB;
        ALTER TABLE job ADD COLUMN repeated_ended INTEGER;
        """,
        // The last feed into each collection: the job that began or ended it, and the time.
        """
        CREATE TABLE job_feed(
            collection TEXT PRIMARY KEY,
            job TEXT NOT NULL,
            at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """,
        // Operations that found no document, without an error or warning of the job, because missing documents were
        // ignored.
        """
        CREATE TABLE job_miss(
            job INTEGER NOT NULL REFERENCES job(number) ON DELETE CASCADE,
            operation INTEGER NOT NULL,
            PRIMARY KEY(job, operation)
        ) STRICT, WITHOUT ROWID;
        """,
    ]

    /// The time as milliseconds since 1970, in SQL.
    static let now = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"

    /// The name of a count that is stored like the counts of outcomes, but is a part of the updated documents.
    static let perhapsAdded = "perhapsAdded"

    private let load: Statement
    private let advance: Statement
    private let tally: Statement
    private let count: Statement
    private let issues: Statement
    private let miss: Statement
    private let row: Statement
    private let dropRow: Statement

    /// Prepares writing to the tables of jobs, which must exist.
    package init(in connection: borrowing Connection) throws(SQLiteError) {
        load = try connection.prepare(
            "SELECT number, epoch, errors, warnings, \(FeedProgress.columns) FROM job WHERE id = ?"
        )
        advance = try connection.prepare(
            """
            UPDATE job SET stage = 'open', source = ?, byte = ?, digest = ?, first = ?, lowest = ?, settled = ?,
            sent_source = ?, sent_byte = ?, sent_digest = ?, leased = max(leased, ?), accepted = max(accepted, ?),
            errors = ?, warnings = ?, changed = \(Self.now)
            WHERE number = ?
            """
        )
        tally = try connection.prepare(
            "UPDATE job SET lines = ?, blank = ?, rejected = ?, bytes = ?, duplicates = ? WHERE number = ?"
        )
        count = try connection.prepare(
            """
            INSERT INTO job_outcome(job, outcome, count) VALUES (?1, ?2, ?3)
            ON CONFLICT DO UPDATE SET count = CASE WHEN ?4 THEN count + excluded.count ELSE excluded.count END
            """
        )
        issues = try connection.prepare("INSERT INTO job_issues VALUES (?, ?, ?)")
        miss = try connection.prepare("INSERT OR IGNORE INTO job_miss VALUES (?, ?)")
        row = try connection.prepare("INSERT OR REPLACE INTO job_operation VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        dropRow = try connection.prepare("DELETE FROM job_operation WHERE job = ? AND operation = ?")
    }

    /// Stores a journal transaction of a job, with its progress in the form to be stored.
    ///
    /// Throws ``JobError/Code/superseded`` if another process has claimed the job in the meantime.
    public func record(_ transaction: JournalTransaction, _ progress: FeedProgress, epoch: Int) throws {
        var head = try claimed(transaction.progress.job, epoch: epoch)
        try save(transaction.counts, to: head, adding: false)
        for row in transaction.rows { try save(row, of: head.number) }
        for id in transaction.settledRows { try dropRow.run(head.number, Int64(bitPattern: id.rawValue)) }
        try add(issues: transaction.issues, to: &head)
        try save(
            progress,
            transaction.inputBeforeOffset,
            leased: transaction.leasedThrough,
            accepted: transaction.acceptedThrough,
            of: head
        )
    }

    /// Returns the progress that an engine that keeps progress needs before it applies a batch: the operations already
    /// settled.
    ///
    /// Throws ``JobError/Code/superseded`` if another process has claimed the job in the meantime.
    public func progress(before update: JobUpdate) throws -> FeedProgress {
        try claimed(update.progress.job, epoch: update.epoch).progress
    }

    /// Stores a batch's contribution to its job: progress, and the outcomes of operations that were not settled
    /// `before`.
    public func add(_ update: JobUpdate, _ outcomes: [OperationOutcome], before: FeedProgress) throws {
        var head = try claimed(update.progress.job, epoch: update.epoch)
        var counts = FeedCounts()
        let carried = update.settledWithoutEngine.filter { !before.isSettled($0.operationID) }
        for outcome in [carried, outcomes].joined() { counts[outcome.outcome] += 1 }
        try add(issues: [carried, outcomes].joined(), to: &head)
        try save(counts, to: head, adding: true)
        let progress = before.union(update.progress)
        let isFurther = progress.firstOperation == update.progress.firstOperation
        try save(
            progress,
            isFurther ? update.inputBeforeOffset : nil,
            leased: OperationID(rawValue: 0),
            accepted: progress.highestSettled ?? OperationID(rawValue: 0),
            of: head
        )
    }

    /// Adds the errors and warnings of outcomes to a job, regardless of the process that works on it.
    ///
    /// Throws ``JobError/Code/missing`` if the job no longer exists.
    public func add(_ outcomes: [OperationOutcome], to job: JobID) throws {
        var (head, _) = try self.head(of: job)
        try add(issues: outcomes, to: &head)
        let none = OperationID(rawValue: 0)
        try save(head.progress, nil, leased: none, accepted: none, of: head)
    }

    /// Removes the jobs of a collection that is deleted.
    package static func remove(
        jobsOf collection: CollectionName,
        in connection: borrowing Connection
    ) throws(SQLiteError) {
        try connection.prepare("DELETE FROM job WHERE collection = ?").run(collection.rawValue)
        try connection.prepare("DELETE FROM job_feed WHERE collection = ?").run(collection.rawValue)
    }

    /// The values of a job's row that a transaction needs.
    private struct Head {
        let number: Int
        let progress: FeedProgress
        var errors: Int
        var warnings: Int
    }

    private func claimed(_ job: JobID, epoch: Int?) throws -> Head {
        let (head, current) = try self.head(of: job)
        guard epoch == current else {
            throw JobError(.superseded, "another process has taken over job \(job)", advice: "let that one finish")
        }
        return head
    }

    private func head(of job: JobID) throws -> (Head, epoch: Int) {
        let found = try load.with(job.rawValue).first { row throws(SQLiteError) in
            let head = Head(
                number: try row.column(0),
                progress: try FeedProgress(of: job, in: row, from: 4),
                errors: try row.column(2),
                warnings: try row.column(3)
            )
            return (head, try row.column(1, as: Int.self))
        }
        guard let found else {
            throw JobError(.missing, "the journal no longer contains job \(job)", advice: "run the command again")
        }
        return found
    }

    private func save(
        _ progress: FeedProgress,
        _ input: InputTally?,
        leased: OperationID,
        accepted: OperationID,
        of head: Head
    ) throws(SQLiteError) {
        try advance.run(
            progress.offset.source,
            Int64(bitPattern: progress.offset.byte),
            progress.inputDigest,
            Int64(bitPattern: progress.firstOperation.rawValue),
            Int64(bitPattern: progress.lowestUnsettled.rawValue),
            progress.settled,
            progress.sentThrough?.offset.source,
            progress.sentThrough.map { Int64(bitPattern: $0.offset.byte) },
            progress.sentThrough?.digest,
            Int64(bitPattern: leased.rawValue),
            Int64(bitPattern: accepted.rawValue),
            head.errors,
            head.warnings,
            head.number
        )
        guard let input else { return }
        try tally.run(input.lines, input.blank, input.rejected, input.bytes, input.duplicates, head.number)
    }

    private func save(_ counts: FeedCounts, to head: Head, adding: Bool) throws(SQLiteError) {
        for outcome in Outcome.allCases where counts[outcome] > 0 {
            try count.run(head.number, outcome.name, counts[outcome], adding ? 1 : 0)
        }
        guard counts.perhapsAdded > 0 else { return }
        try count.run(head.number, Self.perhapsAdded, counts.perhapsAdded, adding ? 1 : 0)
    }

    private func save(_ row: JournalRow, of job: Int) throws(SQLiteError) {
        try self.row.run(
            job,
            Int64(bitPattern: row.id.rawValue),
            row.operation.kind.rawValue,
            DocumentText(row.operation.documentID),
            row.operation.routing?.text,
            row.operation.journalJSON,
            row.attempts,
            row.sends,
            row.mayHaveApplied ? 1 : 0,
            row.isSettled ? 1 : 0,
            row.operation.condition?.journalText
        )
    }

    /// Adds the outcomes that have an issue, in rows of up to 1 MiB, and records the operations for which a missing
    /// document was not an issue.
    private func add(issues outcomes: some Sequence<OperationOutcome>, to head: inout Head) throws(SQLiteError) {
        var first = head.errors + head.warnings + 1
        var records: [UInt8] = []
        for outcome in outcomes {
            guard let issue = outcome.issue else {
                if outcome.outcome == .missing {
                    try miss.run(head.number, Int64(bitPattern: outcome.operationID.rawValue))
                }
                continue
            }
            if issue.isError { head.errors += 1 } else { head.warnings += 1 }
            IssueRecord.append(outcome, to: &records)
            guard records.count > Self.recordBytes else { continue }
            try issues.run(head.number, first, records)
            first = head.errors + head.warnings + 1
            records.removeAll(keepingCapacity: true)
        }
        if !records.isEmpty { try issues.run(head.number, first, records) }
    }

    private static let recordBytes = 1 << 20
}

/// A document ID that is bound to a statement as text.
struct DocumentText: Bindable {
    private let id: DocumentID

    init(_ id: DocumentID) { self.id = id }

    func bind(to parameter: Parameter) throws(SQLiteError) { try parameter.bind(utf8: id.utf8) }
}

extension FeedProgress {
    /// The columns of a job's progress, in the order in which they are read.
    static let columns = "source, byte, digest, first, lowest, settled, sent_source, sent_byte, sent_digest"

    /// Reads the progress of a job from its columns, which are consecutive.
    init(of job: JobID, in row: borrowing Row, from column: Int) throws(SQLiteError) {
        var sent: InputMark?
        if let source = try row.column(column + 6, as: Int?.self) {
            let offset = InputOffset(source: source, byte: try row.unsigned(column + 7))
            sent = InputMark(offset, digest: try row.column(column + 8))
        }
        self.init(
            job: job,
            offset: InputOffset(source: try row.column(column), byte: try row.unsigned(column + 1)),
            inputDigest: try row.column(column + 2),
            sentThrough: sent,
            firstOperation: OperationID(rawValue: try row.unsigned(column + 3)),
            lowestUnsettled: OperationID(rawValue: try row.unsigned(column + 4)),
            settled: try row.column(column + 5)
        )
    }
}

extension Row {
    /// Returns a number that was stored as its bit pattern.
    func unsigned(_ column: Int) throws(SQLiteError) -> UInt64 {
        UInt64(bitPattern: try self.column(column, as: Int64.self))
    }
}
