import CollectionSync
import ContentFeeding
import JobJournal
import SQLiteStore

/// A collection in a store, to be fed, searched and read.
struct SQLiteCollection: ContentEngine {
    let collection: CollectionName
    let store: Store

    var capabilities: EngineCapabilities {
        var capabilities = EngineCapabilities()
        capabilities.isTransactional = true
        capabilities.keepsProgress = true
        capabilities.hasFence = true
        capabilities.appliedLevel = .live
        capabilities.quarantine = .zero
        capabilities.spillDirectory = store.folder
        // Batches are applied one after the other; the second is here when the first is done.
        capabilities.maximumBatchesInFlight = 2
        // Each batch is a transaction: a sync, and pages for the job, the counters and the marks.
        capabilities.suitableBatchCount = 4_000
        return capabilities
    }

    /// Applies a batch, and what it adds to its job, in one transaction.
    ///
    /// An operation that the stored progress counts as settled has taken effect before, so it is not applied again. Its
    /// result is `noop`, since the original result went to the original sender. A sender that follows the stored
    /// progress never gets there; one that sends a batch again does.
    func apply(_ batch: ContentBatch) async -> BatchReply {
        do throws(EngineError) {
            return .results(try await store.write { connection in try apply(batch, in: connection) })
        } catch {
            return .failed(BatchFailure(stop: error))
        }
    }

    private func apply(_ batch: ContentBatch, in connection: borrowing Connection) throws -> [OperationResult] {
        let record = try CollectionRecord.find(collection, in: connection)
        let jobs = try JobTables(in: connection)
        let before = try batch.job.map { update in try jobs.progress(before: update) }
        let isNew = batch.items.map { before?.isSettled($0.id) != true }
        let operations = zip(batch.items, isNew).compactMap { $1 ? $0.operation : nil }
        var applied = try apply(operations, to: record, in: connection).makeIterator()
        let results = isNew.map { $0 ? applied.next() ?? .done(.noop) : .done(.noop) }
        if let update = batch.job, let before {
            let outcomes = batch.items.indices.compactMap { place in
                isNew[place] ? update.outcome(of: batch.items[place], results[place]) : nil
            }
            try jobs.add(update, outcomes, before: before)
        }
        return results
    }

    /// Applies operations; those on a copy are queued for its origin.
    private func apply(
        _ operations: [ContentOperation],
        to record: CollectionRecord,
        in connection: borrowing Connection
    ) throws -> [OperationResult] {
        if let copy = try CopyTransaction(record.number, in: connection) {
            return try CopyWriter(copy, record, in: connection).apply(operations, in: connection)
        }
        var writer = try BatchWriter(to: record, in: connection)
        let results = try writer.apply(operations)
        try writer.finish(in: connection)
        return results
    }

    /// Applied operations are live, unless the store's file is no longer where they are looked for.
    func raise(to level: CompletionLevel) async throws(EngineError) { try await store.read { _ in } }
}

extension SQLiteCollection: SearchableEngine {
    func get(_ ids: ArraySlice<DocumentID>, maximumBytes: Int) async throws(EngineError) -> DocumentPage {
        try await store.read { connection in
            var reader = try DocumentReader(of: try CollectionRecord.find(collection, in: connection), in: connection)
            var page = DocumentPage(documents: [], looked: 0)
            var bytes = 0
            for id in ids where page.looked == 0 || bytes < maximumBytes {
                page.looked += 1
                guard let document = try reader.document(id) else { continue }
                bytes += document.json.count
                page.documents.append(document)
            }
            return page
        }
    }

    func exists(_ ids: [DocumentID]) async throws(EngineError) -> [Bool] {
        try await store.read { connection in
            var reader = try DocumentReader(of: try CollectionRecord.find(collection, in: connection), in: connection)
            return try ids.map { try reader.liveRow(of: $0) != nil }
        }
    }

    func count() async throws(EngineError) -> Int {
        try await store.read { connection in try CollectionRecord.find(collection, in: connection).documents }
    }

    func find(_ query: SearchQuery, after cursor: SearchCursor?) async throws(EngineError) -> SearchPage {
        let search = try DocumentSearch(query, after: cursor)
        return try await store.read { connection in
            try search.page(of: try CollectionRecord.find(collection, in: connection), in: connection)
        }
    }
}

/// A document ID that binds to a statement as text.
struct IDText: Bindable {
    private let id: DocumentID

    init(_ id: DocumentID) { self.id = id }

    func bind(to parameter: Parameter) throws(SQLiteError) { try parameter.bind(utf8: id.utf8) }
}
