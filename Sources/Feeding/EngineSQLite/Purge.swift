import ContentFeeding
import SQLiteStore

/// Takes apart collections that were deleted or cleared, and gives their space back.
///
/// They have no name any more, so nobody sees them. The work goes in small transactions: the log stays small even when
/// the disk is nearly full, others can write in between, and after a crash the next purge goes on.
struct Purge {
    private static let rowsPerStep = 5_000
    private static let pagesPerStep = 2_000

    let store: Store
    /// Called after each transaction; tests stop the work there.
    var afterStep: @Sendable () throws(EngineError) -> Void = {}

    /// Goes on after `what` was done and committed; a failure says that it was.
    func run(after what: String) async throws(EngineError) {
        do throws(EngineError) {
            try await takeApart()
            try await releaseSpace()
        } catch {
            throw EngineError(
                error.code,
                "\(what), but the space is not given back yet: \(error.message)",
                advice: "the next clear, delete or optimize in this store goes on with it",
                cause: error
            )
        }
    }

    func takeApart() async throws(EngineError) {
        while try await store.run({ connection in
            // SQLite keeps a copy of what a statement changes: of all pages of a table that is dropped.
            try connection.sparingMemory { try connection.transaction { try Self.step(connection) } }
        }) { try afterStep() }
    }

    /// Gives free pages back to the file system, as far as readers of older states allow.
    func releaseSpace() async throws(EngineError) {
        let pages = try await store.run { connection in try connection.pageCounts() }
        // Page by page takes longer the more there are: for each, SQLite searches the list of free pages.
        let isRewritten = pages.free > pages.total / 2 ? try await rewrite() : false
        if !isRewritten { try await releasePages() }
        try await store.run { connection in
            guard try connection.checkpoint() else { throw store.heldByReader("all is done") }
        }
    }

    /// Writes the file anew; false where the disk has no room for that.
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

    /// Does one step; false when nothing is left.
    private static func step(_ connection: borrowing Connection) throws -> Bool {
        let find = try connection.prepare("SELECT number FROM collection WHERE name IS NULL LIMIT 1")
        guard let number = try find.first({ row throws(SQLiteError) in try row.column(0, as: Int.self) }) else {
            return false
        }
        let tables = CollectionTables(number: number)
        // Without the index rows go from the front, page after page.
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
