import CSQLite

extension Connection {
    /// How many pages the file has, how many of them are free, and how large one is.
    public struct PageCounts: Hashable, Sendable {
        public var total: Int
        public var free: Int
        public var size: Int

        /// The bytes of all pages.
        public var bytes: Int { total * size }
    }

    public borrowing func pageCounts() throws(SQLiteError) -> PageCounts {
        PageCounts(
            total: try integer("PRAGMA page_count"),
            free: try integer("PRAGMA freelist_count"),
            size: try integer("PRAGMA page_size")
        )
    }

    /// Copies the write-ahead log back into the file and cuts it to nothing.
    ///
    /// Says whether it got that far: it does not while others read older states. For those it waits as long as for a
    /// lock, unless told not to.
    public borrowing func checkpoint(waiting: Bool = true) throws(SQLiteError) -> Bool {
        if !waiting { sqlite3_busy_timeout(handle, 0) }
        defer { if !waiting { sqlite3_busy_timeout(handle, busyTimeout.milliseconds) } }
        let start = ContinuousClock.now
        while true {
            let result = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
            if result == SQLITE_OK { return true }
            guard result & 0xFF == SQLITE_BUSY else { throw SQLiteError(handle, result: result) }
            // SQLite waits for readers, but not for another connection's checkpoint.
            guard waiting, ContinuousClock.now - start < busyTimeout else { return false }
            sqlite3_sleep(10)
        }
    }

    /// Gives up to `pages` free pages back to the file system, and says how many are left.
    public borrowing func releasePages(atMost pages: Int) throws(SQLiteError) -> Int {
        // It returns a row for each page, so it must run to its end.
        try prepare("PRAGMA incremental_vacuum(\(pages))").run()
        return try integer("PRAGMA freelist_count")
    }

    /// Writes the whole database anew, without free pages and without gaps in pages.
    ///
    /// It needs twice the database's size, in a temporary file and in the write-ahead log; others read meanwhile, and
    /// wait with writing.
    public borrowing func rewrite() throws(SQLiteError) {
        // The copy has a cache of the same size.
        try execute("PRAGMA cache_size = -\(cacheSize >> 11)")
        defer { try? execute("PRAGMA cache_size = -\(cacheSize >> 10)") }
        try sparingMemory { () throws(SQLiteError) in try execute("VACUUM") }
    }

    /// Runs `body`, which writes more than memory should hold, with temporary files in place of temporary memory.
    ///
    /// Transactions must begin in `body`. The files are beside the database, have no name and end with the process.
    /// Where they are is one setting for the whole process: with several databases open, that of the last call.
    public borrowing func sparingMemory<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Without it they would be in a folder that others use as well, such as /tmp, often in memory.
        if let folder { csqlite_set_temporary_folder(folder) }
        try? execute("PRAGMA temp_store = FILE")
        defer { try? execute("PRAGMA temp_store = MEMORY") }
        return try body()
    }

    /// Where the database's file is; `nil` where it has none.
    private var folder: String? {
        guard let name = sqlite3_db_filename(handle, "main") else { return nil }
        let path = String(cString: name)
        guard let slash = path.lastIndex(of: "/") else { return nil }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
