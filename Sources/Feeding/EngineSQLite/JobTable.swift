import ContentFeeding
import SQLiteStore

/// The progress of jobs, stored with the effects of their batches.
struct JobTable {
    private let collection: Int
    private let load: Statement
    private let store: Statement
    private let drop: Statement

    init(of record: CollectionRecord, in connection: borrowing Connection) throws(SQLiteError) {
        collection = record.number
        load = try connection.prepare(
            "SELECT source, byte, first, lowest, settled FROM job WHERE collection = ? AND id = ?"
        )
        store = try connection.prepare(
            """
            INSERT OR REPLACE INTO job(collection, id, source, byte, first, lowest, settled) VALUES (?, ?, ?, ?, ?, ?, ?)
            """
        )
        drop = try connection.prepare("DELETE FROM job WHERE collection = ? AND id = ?")
    }

    func progress(of job: JobID) throws(SQLiteError) -> FeedProgress? {
        try load.with(collection, job.rawValue).first { row throws(SQLiteError) in
            FeedProgress(
                job: job,
                offset: InputOffset(source: try row.column(0), byte: UInt64(bitPattern: try row.column(1))),
                firstOperation: OperationID(rawValue: UInt64(bitPattern: try row.column(2))),
                lowestUnsettled: OperationID(rawValue: UInt64(bitPattern: try row.column(3))),
                settled: try row.column(4)
            )
        }
    }

    func save(_ progress: FeedProgress) throws(SQLiteError) {
        try store.run(
            collection,
            progress.job.rawValue,
            progress.offset.source,
            Int64(bitPattern: progress.offset.byte),
            Int64(bitPattern: progress.firstOperation.rawValue),
            Int64(bitPattern: progress.lowestUnsettled.rawValue),
            progress.settled
        )
    }

    func forget(_ job: JobID) throws(SQLiteError) {
        try drop.run(collection, job.rawValue)
    }
}
