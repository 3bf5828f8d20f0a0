public import ContentFeeding
import SQLiteStore

extension SQLiteEngine {
    public func list() async throws(EngineError) -> [CollectionDescription] {
        try await store.read { connection in
            try CollectionRecord.all(in: connection).map { try describe($0, in: connection) }
        }
    }

    public func show(_ name: CollectionName) async throws(EngineError) -> CollectionDescription {
        try await store.read { connection in
            try describe(try CollectionRecord.find(name, in: connection), in: connection)
        }
    }

    public func clear(_ name: CollectionName) async throws(EngineError) -> Int {
        let count = try await store.write { connection in
            let record = try CollectionRecord.find(name, in: connection)
            try record.replaceByEmpty(in: connection)
            return record.documents
        }
        try await Purge(store: store).run(after: "'\(name)' is empty")
        return count
    }

    public func delete(_ name: CollectionName) async throws(EngineError) -> Int {
        let count = try await store.write { connection in
            let record = try CollectionRecord.find(name, in: connection)
            try record.retire(in: connection)
            return record.documents
        }
        try await Purge(store: store).run(after: "'\(name)' is deleted")
        return count
    }

    public func optimize(
        _ name: CollectionName,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws(EngineError) -> OptimizationReport {
        try await Optimization(of: name, in: store, progress: progress).run()
    }

    private func describe(
        _ record: CollectionRecord,
        in connection: borrowing Connection
    ) throws -> CollectionDescription {
        let measured = try? record.tables.measuredBytes(in: connection)
        var settings = [CollectionSetting(name: "tokenizer", value: CollectionTables.tokenizer)]
        if measured == nil { settings.append(CollectionSetting(name: "bytes", value: "of the whole store")) }
        return CollectionDescription(
            name: record.name,
            documents: record.documents,
            waiting: record.waiting,
            bytes: try measured ?? connection.pageCounts().bytes,
            settings: settings
        )
    }
}

extension CollectionTables {
    /// The bytes of the collection's pages, as SQLite's `dbstat` counts them; some builds of SQLite have no `dbstat`.
    func measuredBytes(in connection: borrowing Connection) throws(SQLiteError) -> Int {
        let tables = [document, documentIndex, tombstone, "\(search)_data", "\(search)_idx", "\(search)_config"]
        let names = tables.map { "'\($0)'" }.joined(separator: ", ")
        return try connection.integer("SELECT sum(pgsize) FROM dbstat WHERE aggregate = TRUE AND name IN (\(names))")
    }
}
