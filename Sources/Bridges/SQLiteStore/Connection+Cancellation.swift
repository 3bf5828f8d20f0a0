import CSQLite

extension Connection {
    /// Runs `body`; a statement in it fails with ``SQLiteError/Code/interrupted`` once the current task is cancelled.
    ///
    /// SQLite asks from within the statement, on this thread, so no other task's statement can be hit.
    public borrowing func interruptible<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        sqlite3_progress_handler(handle, 10_000, { _ in Task.isCancelled ? 1 : 0 }, nil)
        defer { sqlite3_progress_handler(handle, 0, nil, nil) }
        return try body()
    }
}
