import ContentFeeding
import SQLiteStore

/// The progress of jobs, stored with the effects of their batches.
struct JobTable {
    private let collection: Int
    private let load: Statement
    private let update: Statement
    private let begin: Statement
    private let dropOld: Statement
    private let drop: Statement

    /// The most jobs of a collection to keep; nobody may ever come back for a job that was stopped.
    private static let maximumCount = 100

    init(of record: CollectionRecord, in connection: borrowing Connection) throws(SQLiteError) {
        collection = record.number
        load = try connection.prepare(
            "SELECT source, byte, first, lowest, settled FROM job WHERE collection = ? AND id = ?"
        )
        update = try connection.prepare(
            "UPDATE job SET source = ?, byte = ?, first = ?, lowest = ?, settled = ? WHERE collection = ? AND id = ?"
        )
        begin = try connection.prepare(
            """
            INSERT INTO job(source, byte, first, lowest, settled, collection, id, began) VALUES
            (?, ?, ?, ?, ?, ?, ?, (SELECT coalesce(max(began), 0) + 1 FROM job WHERE collection = ?6))
            """
        )
        dropOld = try connection.prepare(
            """
            DELETE FROM job WHERE collection = ? AND began <
            (SELECT min(began) FROM (SELECT began FROM job WHERE collection = ? ORDER BY began DESC LIMIT ?))
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

    /// Stores the progress of a job; a new job replaces the oldest if there are too many.
    func save(_ progress: FeedProgress) throws(SQLiteError) {
        guard try run(update, with: progress) == 0 else { return }
        try run(begin, with: progress)
        try dropOld.run(collection, collection, Self.maximumCount)
    }

    @discardableResult
    private func run(_ statement: Statement, with progress: FeedProgress) throws(SQLiteError) -> Int {
        try statement.run(
            progress.offset.source,
            Int64(bitPattern: progress.offset.byte),
            Int64(bitPattern: progress.firstOperation.rawValue),
            Int64(bitPattern: progress.lowestUnsettled.rawValue),
            progress.settled,
            collection,
            progress.job.rawValue
        )
    }

    func forget(_ job: JobID) throws(SQLiteError) {
        try drop.run(collection, job.rawValue)
    }
}

extension FeedProgress {
    /// Returns progress with everything that is settled in either.
    ///
    /// Progress never goes back, even if two processes work on one job or an old batch comes late.
    func union(_ other: FeedProgress) -> FeedProgress {
        var union = firstOperation < other.firstOperation ? other : self
        let lowest = max(lowestUnsettled, other.lowestUnsettled)
        let end = max(bitEnd, other.bitEnd)
        union.lowestUnsettled = lowest
        union.settled = []
        guard end > lowest.rawValue else { return union }
        // Operations settled from the old border onward move below it.
        let open = (lowest.rawValue..<end).first { !isSettled($0) && !other.isSettled($0) } ?? end
        union.lowestUnsettled = OperationID(rawValue: open)
        union.settled = [UInt8](repeating: 0, count: Int((end - open + 7) / 8))
        for number in open..<end where isSettled(number) || other.isSettled(number) {
            union.settled[Int(number - open) >> 3] |= 1 << UInt8((number - open) & 7)
        }
        while union.settled.last == 0 { union.settled.removeLast() }
        return union
    }

    /// One more than the last operation that the bitmap covers.
    private var bitEnd: UInt64 { lowestUnsettled.rawValue + UInt64(settled.count * 8) }

    private func isSettled(_ number: UInt64) -> Bool { isSettled(OperationID(rawValue: number)) }
}
