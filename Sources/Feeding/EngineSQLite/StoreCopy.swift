public import CollectionSync
public import ContentFeeding
import Glibc
import JobJournal
import SQLiteStore

extension SQLiteEngine: CopyKeepingStore {
    /// Creates an empty copy of a collection in another target.
    public func createCopy(_ name: CollectionName, of origin: CopyOrigin) async throws(EngineError) {
        try name.validate()
        try await store.write { connection in
            try CollectionRecord.create(name, in: connection)
            try CopyTables.create(try CollectionRecord.find(name, in: connection).number, of: origin, in: connection)
        }
    }

    /// Lists the copies in the store.
    public func copies() async throws(EngineError) -> [CollectionName] {
        try await store.read { connection in
            let numbers = try CopyTables.collections(in: connection)
            return try CollectionRecord.all(in: connection).filter { numbers.contains($0.number) }.map(\.name)
        }
    }

    /// Opens a copy.
    public func copy(named name: CollectionName) async throws(EngineError) -> any LocalCopy {
        let copy = StoreCopy(collection: name, store: store)
        _ = try await copy.status()
        return copy
    }

    /// Removes a copy, and returns the number of queued changes that are lost with it.
    public func removeCopy(_ name: CollectionName) async throws(EngineError) -> Int {
        let count = try await store.write { connection in
            let record = try CollectionRecord.findCopy(name, in: connection)
            _ = try record.copy(in: connection)
            try CopyTables.remove(record.number, in: connection)
            try record.retire(in: connection)
            try JobTables.remove(jobsOf: name, in: connection)
            return record.documents
        }
        try await Purge(store: store).run(after: "'\(name)' is removed")
        return count
    }
}

/// A collection of a store that is a copy of a collection in another target.
struct StoreCopy: LocalCopy {
    let collection: CollectionName
    let store: Store

    func lock() throws(JobError) -> JobLock {
        // The file name contains the bytes of the collection's name in hexadecimal, because a name can contain
        // arbitrary characters.
        let name = collection.rawValue.utf8.map { String($0, radix: 16) }.joined()
        return try JobLock(JobID(rawValue: "of the copy '\(collection)'"), at: "\(store.path)-copy-\(name).lock")
    }

    func status() async throws(EngineError) -> CopyStatus {
        try await store.read { connection in
            let record = try CollectionRecord.findCopy(collection, in: connection)
            return try record.copy(in: connection).status(documents: record.documents)
        }
    }

    func queued(after number: Int64, limit: Int, maximumBytes: Int) async throws(EngineError) -> [QueuedOperation] {
        try await store.read { connection in
            let record = try CollectionRecord.findCopy(collection, in: connection)
            var documents = try CopyDocuments(record, of: store, in: connection)
            return try record.copy(in: connection)
                .queued(after: number, limit: limit, maximumBytes: maximumBytes, &documents)
        }
    }

    func absorb(_ documents: [OriginDocument], _ bookmark: CopyBookmark?) async throws(EngineError) -> CopyChanges {
        try await change { copy, local throws in
            var changes = CopyChanges()
            for document in documents { changes += try copy.absorb(document, &local) }
            if let bookmark { copy.note(bookmark, at: .sinceEpoch) }
            return changes
        }
    }

    func lease(_ operations: [QueuedOperation]) async throws(EngineError) {
        try await change { copy, _ throws in try copy.lease(operations) }
    }

    func settle(_ pushed: [PushedOperation]) async throws(EngineError) {
        guard !pushed.isEmpty else { return }
        try await change { copy, local throws in for operation in pushed { try copy.settle(operation, &local) } }
    }

    func rebase(_ operations: [PushedOperation]) async throws(EngineError) {
        guard !operations.isEmpty else { return }
        try await change { copy, _ throws in for operation in operations { try copy.rebase(operation) } }
    }

    func resolve(_ conflicts: [ResolvedConflict], recordedIn job: JobID?) async throws(EngineError) {
        try await store.write { connection in
            try change(in: connection) { copy, local throws in
                for conflict in conflicts { try copy.resolve(conflict, &local) }
            }
            if let job { try JobTables(in: connection).add(conflicts.map(\.record), to: job) }
        }
    }

    func discard(_ ids: [DocumentID]?) async throws(EngineError) -> [DocumentID] {
        try await change { copy, local throws in
            var discarded: [DocumentID] = []
            for id in ids ?? [] where try copy.discard(id, &local) { discarded.append(id) }
            guard ids == nil else { return discarded }
            while let next = try copy.queued(after: 0, limit: 1, maximumBytes: 1, &local).first {
                _ = try copy.discard(next.documentID, &local)
                discarded.append(next.documentID)
            }
            return discarded
        }
    }

    func mark(_ documents: [DocumentKey], listing: Int64) async throws(EngineError) -> [DocumentKey] {
        try await change { copy, _ throws in try documents.filter { try !copy.mark($0, listing: listing) } }
    }

    func sweep(listing: Int64, limit: Int) async throws(EngineError) -> Int {
        try await change { copy, local throws in try copy.sweep(listing: listing, limit: limit, &local) }
    }

    func beginListing() async throws(EngineError) -> Int64 {
        try await change { copy, _ throws in copy.beginListing() }
    }

    func note(_ bookmark: CopyBookmark) async throws(EngineError) {
        try await change { copy, _ throws in copy.note(bookmark, at: .sinceEpoch) }
    }

    func forgetVersions() async throws(EngineError) {
        try await store.write { connection in
            var copy = try CollectionRecord.findCopy(collection, in: connection).copy(in: connection)
            try copy.forgetVersions(in: connection)
            try copy.finish(in: connection)
        }
    }

    func empty() async throws(EngineError) -> Int {
        let count = try await store.write { connection in
            let record = try CollectionRecord.findCopy(collection, in: connection)
            _ = try record.copy(in: connection)
            try CopyTables.restart(record.number, in: connection)
            try record.replaceByEmpty(in: connection)
            return record.documents
        }
        try await Purge(store: store).run(after: "'\(collection)' is empty")
        return count
    }

    /// Calls `body` with the copy and its documents within one transaction.
    private func change<Value: Sendable>(
        _ body: sending (inout CopyTransaction, inout CopyDocuments) throws -> Value
    ) async throws(EngineError) -> Value {
        try await store.write { connection in try change(in: connection, body) }
    }

    private func change<Value>(
        in connection: borrowing Connection,
        _ body: (inout CopyTransaction, inout CopyDocuments) throws -> Value
    ) throws -> Value {
        let record = try CollectionRecord.findCopy(collection, in: connection)
        var copy = try record.copy(in: connection)
        var documents = try CopyDocuments(record, of: store, in: connection)
        let value = try body(&copy, &documents)
        try documents.finish(in: connection)
        try copy.finish(in: connection)
        return value
    }
}

/// Writes operations on a copy, and queues them for the origin in the same transaction.
struct CopyWriter {
    private var copy: CopyTransaction
    private var writer: BatchWriter

    init(
        _ copy: CopyTransaction,
        _ record: CollectionRecord,
        of store: Store,
        in connection: borrowing Connection
    ) throws {
        self.copy = copy
        writer = try BatchWriter(to: record, of: store, in: connection)
    }

    /// Applies `operations`, no two of them on the same document, and returns one result for each, in their order.
    consuming func apply(
        _ operations: [ContentOperation],
        addsMissing: Bool,
        in connection: borrowing Connection
    ) throws -> [OperationResult] {
        var results: [OperationResult] = []
        for var operation in operations {
            // For the origin, a document that an update adds is a new document.
            if addsMissing, operation.kind == .update, try writer.json(of: operation.documentID) == nil,
                let document = try? operation.addedDocument()
            {
                operation = .add(document)
            }
            if let refusal = try copy.refusal(of: operation) {
                results.append(.failed(refusal))
                continue
            }
            let id = operation.documentID
            let pulled = try copy.isUntouched(id) ? writer.json(of: id) : nil
            let result = try writer.apply([operation], addsMissing: addsMissing)
            results += result
            guard case .done(let outcome)? = result.first, [.added, .updated, .removed].contains(outcome) else {
                continue
            }
            try copy.queue(operation, pulled: pulled)
        }
        try writer.finish(in: connection)
        try copy.finish(in: connection)
        return results
    }
}

/// The documents of a copy, within the caller's transaction.
private struct CopyDocuments: LocalDocuments {
    private var writer: BatchWriter

    init(_ record: CollectionRecord, of store: Store, in connection: borrowing Connection) throws {
        writer = try BatchWriter(to: record, of: store, in: connection)
    }

    mutating func json(of id: DocumentID) throws -> [UInt8]? { try writer.json(of: id) }

    mutating func put(_ json: [UInt8]?, as id: DocumentID) throws {
        let operation: ContentOperation = json.map { .add(Document(id: id, json: $0)) } ?? .remove(id)
        guard case .failed(let failure)? = try writer.apply([operation]).first else { return }
        throw EngineError(.rejected, "'\(id)' can't be kept: \(failure.message)")
    }

    mutating func finish(in connection: borrowing Connection) throws { try writer.finish(in: connection) }
}

extension CollectionRecord {
    /// Finds the collection of a copy, or throws an error that does not advise creating the collection, because a new
    /// collection would not be a copy.
    fileprivate static func findCopy(
        _ name: CollectionName,
        in connection: borrowing Connection
    ) throws -> CollectionRecord {
        do {
            return try find(name, in: connection)
        } catch let error as EngineError where error.code == .missingCollection {
            let advice = error.advice?.hasPrefix("did you mean") == true ? error.advice : "see 'fastctl replicas show'"
            throw EngineError(.missingCollection, "there is no copy '\(name)'", advice: advice)
        }
    }

    /// Returns the record that makes the collection a copy; throws if it has none.
    fileprivate func copy(in connection: borrowing Connection) throws -> CopyTransaction {
        if let copy = try CopyTransaction(number, in: connection) { return copy }
        throw EngineError(.rejected, "'\(name)' is not an offline copy", advice: "see 'fastctl replicas show'")
    }
}

extension Duration {
    /// The time since 1970.
    fileprivate static var sinceEpoch: Duration {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
