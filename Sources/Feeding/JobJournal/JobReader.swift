import ContentFeeding
import SQLiteStore

/// A reader of the tables.
struct JobReader {
    private let jobs: Statement
    private let outcomes: Statement
    private let rows: Statement
    private let issues: Statement

    init(_ connection: borrowing Connection) throws(SQLiteError) {
        jobs = try connection.prepare(
            """
            SELECT number, id, identity, kind, target, collection, words, directory, spool, stage, epoch, started, changed,
            leased, accepted, lines, blank, rejected, bytes, duplicates, errors, warnings, incarnation, backups,
            seals, CASE WHEN told_epoch = epoch THEN told_accepted END, \(FeedProgress.columns) FROM job WHERE id = ?1 OR ?1 IS NULL ORDER BY started DESC, number DESC
            """
        )
        outcomes = try connection.prepare("SELECT outcome, count FROM job_outcome WHERE job = ?")
        rows = try connection.prepare(
            """
            SELECT operation, kind, document, routing, json, attempts, sends, applied, settled, condition
            FROM job_operation
            WHERE job = ? ORDER BY operation
            """
        )
        issues = try connection.prepare(
            """
            SELECT first, records FROM job_issues WHERE job = ?1
            AND first >= ifnull((SELECT max(first) FROM job_issues WHERE job = ?1 AND first <= ?2), 0) ORDER BY first
            """
        )
    }

    func number(of id: JobID) throws -> Int {
        guard let found = try found(id).first else { throw JobError(.missing, "there is no job \(id)") }
        return found.number
    }

    func records() throws -> [JobRecord] { try found(nil).map(\.record) }

    func claim(
        of id: JobID,
        earlierIssues: @escaping @Sendable (_ done: Int) async throws -> [OperationOutcome]
    ) throws -> JobClaim {
        guard let found = try found(id).first else { throw JobError(.missing, "there is no job \(id)") }
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
        let state = JournalState(
            record.progress,
            counts: record.counts,
            inputBeforeOffset: record.input,
            leasedThrough: record.leasedThrough,
            acceptedThrough: record.acceptedThrough,
            rows: kept
        )
        return JobClaim(id: id, epoch: record.epoch, state: state, earlierIssues: earlierIssues)
    }

    /// Returns some of the errors and warnings after the first `done`; none if there are no more.
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
                "error \(damaged) of the job \(id) can't be read",
                advice: "see 'fastctl jobs check'"
            )
        }
        return result
    }

    private struct Found {
        let number: Int
        let record: JobRecord
    }

    private func found(_ id: JobID?) throws -> [Found] {
        var found: [Found] = []
        try jobs.with(id?.rawValue).eachRow { row throws(SQLiteError) in
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
            progress: try FeedProgress(of: id, in: row, from: 26)
        )
        return Found(number: number, record: record)
    }

    /// Reads seals, each behind the path of its file.
    private static func seals(in bytes: [UInt8]) -> [String: BackupSeal] {
        var seals: [String: BackupSeal] = [:]
        var words = JobWords.words(in: bytes)[...]
        while let path = words.popFirst(), let word = words.popFirst() { seals[path] = BackupSeal(word: word) }
        return seals
    }
}

extension Row {
    /// Returns an operation from its columns; `nil` if they hold none that this program knows.
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
            case .update: .update(document)
            case .remove: .remove(DocumentKey(id, routing: routing))
            }
        guard let text = try column(condition, as: String?.self) else { return operation }
        // Done without its condition, it could overwrite what is newer.
        return WriteCondition(journalText: text).map(operation.only)
    }
}
