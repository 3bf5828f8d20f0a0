import ContentFeeding
import SQLiteStore

/// Merges removed rows out of a collection, and gives space back.
///
/// Each step is a transaction that leaves the store whole, so it can be killed anywhere and run again, and others can
/// feed in between.
struct Optimization {
    let name: CollectionName
    let store: Store
    let progress: @Sendable (_ done: Int, _ total: Int) -> Void
    var rowsPerStep = RowMerge.rowsPerStep
    /// Called after each transaction; tests stop the work there.
    var afterStep: @Sendable () throws(EngineError) -> Void = {}

    init(
        of name: CollectionName,
        in store: Store,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) {
        self.name = name
        self.store = store
        self.progress = progress
    }

    func run() async throws(EngineError) -> OptimizationReport {
        let bytesBefore = store.fileBytes
        let merged = try await mergeRows()
        try await mergeIndex()
        let purge = Purge(store: store, afterStep: afterStep)
        try await purge.takeApart()
        try await FileRewrite(store: store).run(otherwise: purge)
        return OptimizationReport(merged: merged, bytesBefore: bytesBefore, bytesAfter: store.fileBytes)
    }

    /// Takes the rows with a tombstone out of the index and the table.
    private func mergeRows() async throws(EngineError) -> Int {
        let start = try await store.read { connection in try CollectionRecord.find(name, in: connection) }
        var merged = 0
        progress(0, start.waiting)
        while merged < start.waiting {
            let count = try await store.write { connection in
                try RowMerge(of: try CollectionRecord.find(name, in: connection), in: connection)
                    .step(atMost: rowsPerStep, connection)
            }
            if count == 0 { break }
            merged += count
            progress(min(merged, start.waiting), start.waiting)
            try afterStep()
        }
        return merged
    }

    /// Brings the full-text index into one segment, which drops what is left of removed words.
    private func mergeIndex() async throws(EngineError) {
        while try await store.write({ connection in
            let search = try CollectionRecord.find(name, in: connection).tables.search
            let before = connection.totalChanges
            try connection.prepare("INSERT INTO \(search)(\(search), rank) VALUES ('merge', ?)").run(-1_000)
            // One change is that of the command itself.
            return connection.totalChanges - before > 1
        }) { try afterStep() }
    }
}
