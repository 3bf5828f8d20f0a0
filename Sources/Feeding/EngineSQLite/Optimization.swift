package import ContentFeeding
import SQLiteStore

/// An optimization of a collection, which deletes removed rows and frees space.
///
/// Each step is a transaction that leaves the store intact, so the work can be interrupted at any point and started
/// again, and other processes can feed between the steps.
package struct Optimization {
    let name: CollectionName
    let store: Store
    private let progress: @Sendable (_ done: Int, _ total: Int) -> Void
    package var rowsPerStep = TombstoneMerge.rowsPerStep
    /// The function called after each transaction; tests use it to stop the work.
    package var afterStep: @Sendable () throws(EngineError) -> Void = {}

    package init(
        of name: CollectionName,
        in store: Store,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) {
        self.name = name
        self.store = store
        self.progress = progress
    }

    package func run() async throws(EngineError) -> OptimizationReport {
        let bytesBefore = store.fileBytes
        let merged = try await mergeRows()
        try await mergeIndex()
        let purge = Purge(store: store, afterStep: afterStep)
        try await purge.takeApart()
        try await FileRewrite(store: store).run(otherwise: purge)
        return OptimizationReport(merged: merged, bytesBefore: bytesBefore, bytesAfter: store.fileBytes)
    }

    /// Deletes the rows that have a tombstone from the index and the table.
    private func mergeRows() async throws(EngineError) -> Int {
        let start = try await store.read { connection in try CollectionRecord.find(name, in: connection) }
        var merged = 0
        progress(0, start.waiting)
        while merged < start.waiting {
            let count = try await store.write { connection in
                try TombstoneMerge(of: try CollectionRecord.find(name, in: connection), in: connection)
                    .step(atMost: rowsPerStep, connection)
            }
            if count == 0 { break }
            merged += count
            progress(min(merged, start.waiting), start.waiting)
            try afterStep()
        }
        return merged
    }

    /// Merges the full-text index into one segment, which deletes the remaining entries of removed words.
    private func mergeIndex() async throws(EngineError) {
        while try await store.write({ connection in
            let search = try CollectionRecord.find(name, in: connection).tables.search
            let before = connection.totalChanges
            try connection.prepare("INSERT INTO \(search)(\(search), rank) VALUES ('merge', ?)").run(-1_000)
            // The command itself is counted as one change.
            return connection.totalChanges - before > 1
        }) { try afterStep() }
    }
}

/// A purge of deleted or cleared collections, which deletes their data and frees the space that they occupy.
///
/// These collections no longer have a name, so they are not visible. The work is done in small transactions: the log
/// stays small even when the disk is nearly full, other processes can write between the transactions, and after a
/// crash, the next purge continues the work.
struct Purge {
    private static let rowsPerStep = 5_000
    private static let pagesPerStep = 2_000

    let store: Store
    /// The function called after each transaction; tests use it to stop the work.
    var afterStep: @Sendable () throws(EngineError) -> Void = {}

    /// Purges deleted collections after `what` was committed, which the message of a failure mentions.
    func run(after what: String) async throws(EngineError) {
        do throws(EngineError) {
            try await takeApart()
            try await releaseSpace()
        } catch {
            throw EngineError(
                error.code,
                "\(what), but its space has not been freed yet: \(error.message)",
                advice: "the next clear, delete or optimize in this store continues freeing it",
                cause: error
            )
        }
    }

    fileprivate func takeApart() async throws(EngineError) {
        while try await store.run({ connection in
            // SQLite keeps a copy of all pages that a statement changes, and for a dropped table, these are all of its
            // pages.
            try connection.sparingMemory { try connection.transaction { try Self.step(connection) } }
        }) { try afterStep() }
    }

    /// Releases free pages to the file system, unless readers of older states prevent it.
    func releaseSpace() async throws(EngineError) {
        let pages = try await store.run { connection in try connection.pageCounts() }
        // Releasing pages one by one gets slower as their number grows, because SQLite searches the list of free pages
        // for each of them.
        let isRewritten = pages.free > pages.total / 2 ? try await rewrite() : false
        if !isRewritten { try await releasePages() }
        try await store.run { connection in
            guard try connection.checkpoint() else { throw store.heldByReader("all work is done") }
        }
    }

    /// Rewrites the file; returns `false` if there is not enough disk space.
    private func rewrite() async throws(EngineError) -> Bool {
        do throws(EngineError) {
            try await store.run { connection in try connection.rewrite() }
            return true
        } catch  where error.code == .diskFull {
            return false
        }
    }

    private func releasePages() async throws(EngineError) {
        var before = Int.max
        while true {
            let left = try await store.run { connection in try connection.releasePages(atMost: Self.pagesPerStep) }
            if left == 0 || left >= before { return }
            before = left
            try afterStep()
        }
    }

    /// Carries out one step; returns `false` if nothing is left to purge.
    private static func step(_ connection: borrowing Connection) throws -> Bool {
        let find = try connection.prepare("SELECT number FROM collection WHERE name IS NULL LIMIT 1")
        guard let number = try find.first({ row throws(SQLiteError) in try row.column(0, as: Int.self) }) else {
            return false
        }
        let tables = CollectionTables(number: number)
        // Once the index is gone, rows can be deleted from the front of the table, page by page.
        try connection.execute("DROP INDEX IF EXISTS \(tables.documentIndex)")
        let removed = try connection.prepare(
            """
            DELETE FROM \(tables.document)
            WHERE row <= (SELECT max(row) FROM (SELECT row FROM \(tables.document) ORDER BY row LIMIT \(rowsPerStep)))
            """
        ).run()
        if removed == 0 {
            try connection.execute(
                "DROP TABLE \(tables.document); DROP TABLE \(tables.tombstone); DROP TABLE \(tables.search)"
            )
            try connection.prepare("DELETE FROM collection WHERE number = ?").run(number)
        }
        return true
    }
}

/// One step of merging, which removes the next rows with a tombstone, in the order of their pages.
private struct TombstoneMerge {
    static let rowsPerStep = 2_000
    private static let bytesPerStep = 8 << 20

    private var record: CollectionRecord
    private var tombstones: Tombstones
    private let next: Statement
    private let read: Statement
    private let unindex: Statement
    private let delete: Statement

    init(of record: CollectionRecord, in connection: borrowing Connection) throws(SQLiteError) {
        let tables = record.tables
        self.record = record
        tombstones = try Tombstones(of: tables, in: connection)
        next = try connection.prepare("SELECT chunk, bits FROM \(tables.tombstone) ORDER BY chunk LIMIT 1")
        read = try connection.prepare("SELECT json FROM \(tables.document) WHERE row = ?")
        unindex = try connection.prepare(
            "INSERT INTO \(tables.search)(\(tables.search), rowid, text) VALUES ('delete', ?, ?)"
        )
        delete = try connection.prepare("DELETE FROM \(tables.document) WHERE row = ?")
    }

    /// Merges some rows and returns their number, which is 0 if no row has a tombstone.
    consuming func step(atMost rowLimit: Int, _ connection: borrowing Connection) throws -> Int {
        // If no document is live, creating new tables is faster than emptying the index.
        if record.documents == 0, record.waiting > 0 {
            try record.replaceByEmpty(in: connection)
            return record.waiting
        }
        let rows = try next.first { row throws(SQLiteError) in
            Tombstones.rows(of: try row.column(1), chunk: try row.column(0))
        }
        var (count, bytes) = (0, 0)
        for row in (rows ?? []).prefix(rowLimit) where bytes < Self.bytesPerStep {
            let json = try read.with(row).first { columns throws(SQLiteError) in
                try columns.column(0, as: UTF8Text.self).bytes
            }
            if let json {
                try unindex.run(row, try DocumentJSON.text(of: json))
                try delete.run(row)
                bytes += json.count
            }
            try tombstones.remove(row)
            count += 1
        }
        if count == 0 { return 0 }
        record.waiting -= count
        try connection.prepare("UPDATE collection SET gaps = gaps + 1 WHERE number = ?").run(record.number)
        try tombstones.save()
        try record.save(in: connection)
        return count
    }
}

/// A rewrite of the file after documents were deleted from it.
///
/// SQLite overwrites deleted data, but not the copies that it leaves in unused parts of a page when it moves rows to
/// another page: such copies may contain removed documents until the space is reused. Only rewriting the file removes
/// the copies. A rewrite takes about 10 s per GB, during which other writers wait.
private struct FileRewrite {
    let store: Store

    /// Rewrites the file if needed; if not, or if there is not enough disk space, lets `purge` free pages.
    func run(otherwise purge: Purge) async throws(EngineError) {
        let gaps = try await store.read { connection in
            try connection.integer("SELECT coalesce(sum(gaps), 0) FROM collection")
        }
        guard gaps > 0 else { return try await purge.releaseSpace() }
        do throws(EngineError) {
            try await store.run { connection in
                // Make a checkpoint first: if the log can't be copied into the file, a rewrite would only make the log
                // longer.
                guard try connection.checkpoint() else { throw store.heldByReader("everything is merged") }
                try connection.rewrite()
                guard try connection.checkpoint() else { throw store.heldByReader("everything is merged") }
                // Another process may have deleted rows since then, in which case its own optimization rewrites the
                // file again.
                try connection.prepare(
                    "UPDATE collection SET gaps = 0 WHERE (SELECT sum(gaps) FROM collection) = ?"
                ).run(gaps)
                // Only the update above is left in the log, so there is no reason to wait for a new reader.
                _ = try connection.checkpoint(waiting: false)
            }
        } catch {
            guard error.code == .diskFull else { throw error }
            try await purge.releaseSpace()
            throw EngineError(
                .diskFull,
                "\(store.path): everything is merged, but the disk has no room to rewrite the file",
                advice: "make room for twice the file's size, and run the same command again; "
                    + "until then traces of removed documents may remain in the file",
                cause: error
            )
        }
    }
}
