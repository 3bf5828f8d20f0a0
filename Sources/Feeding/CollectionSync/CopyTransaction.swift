public import ContentFeeding
package import SQLiteStore

/// Access to the documents of a copy within the caller's transaction.
public protocol LocalDocuments {
    /// Returns the document; `nil` if there is none.
    mutating func json(of id: DocumentID) throws -> [UInt8]?

    /// Replaces the document, or removes it if `json` is `nil`.
    mutating func put(_ json: [UInt8]?, as id: DocumentID) throws
}

/// The changes to one copy within the caller's transaction: to its documents, its queue, and its information about the
/// origin.
///
/// Call `finish(in:)` once, at the end.
public struct CopyTransaction {
    private var record: CopyRecord
    private let rows: CopyRows

    /// Creates the transaction for the collection with this number; `nil` if the collection is not a copy.
    package init?(_ collection: Int, in connection: borrowing Connection) throws {
        guard let record = try CopyRecord(collection, in: connection) else { return nil }
        self.record = record
        rows = try CopyRows(collection, in: connection)
    }

    /// Stores the changes of the transaction; must be called last.
    package func finish(in connection: borrowing Connection) throws { try record.save(in: connection) }

    /// Returns the status of the copy.
    public func status(documents: Int) -> CopyStatus {
        CopyStatus(
            origin: record.origin,
            bookmark: record.bookmark,
            pulledAt: record.pulledAt,
            documents: documents,
            known: record.known,
            queued: record.queued
        )
    }
}

// MARK: Local changes

extension CopyTransaction {
    /// Returns the reason why a change can't be made now; `nil` if it can be made.
    public func refusal(of operation: ContentOperation) throws -> DocumentFailure? {
        guard operation.kind == .add, try rows.operation(operation.documentID)?.kind == .remove else { return nil }
        return DocumentFailure(
            .removalQueued,
            "its removal is queued: push it, or undo it with 'fastctl jobs discard', before the document is added again",
            disposition: .operatorAction
        )
    }

    /// Returns whether the document is unchanged since it was pulled.
    ///
    /// The first change must preserve the pulled state.
    public func isUntouched(_ id: DocumentID) throws -> Bool { try rows.operation(id) == nil }

    /// Queues a change that was made; `pulled` is the document before the change, if it was untouched.
    public mutating func queue(_ change: ContentOperation, pulled: [UInt8]?) throws {
        let id = change.documentID
        let known = try rows.known(id)
        let old = try rows.operation(id)
        let removes = change.kind == .remove
        switch Collapse(old?.kind, removes: removes, originHasIt: known != nil, wasSent: old?.wasSent ?? false) {
        case .keep(let kind):
            guard var operation = old else {
                try rows.add(
                    CopyRows.Operation(
                        number: 0,
                        documentID: id,
                        routing: known?.routing,
                        kind: kind,
                        based: known?.version,
                        pulled: known == nil ? nil : pulled
                    )
                )
                record.queued += 1
                return
            }
            // The document may already be at the origin, in an unknown version.
            if operation.kind == .insert, kind == .remove { operation.based = .unknown }
            operation.kind = kind
            operation.generation += 1
            try rows.save(operation)
        case .drop: if let old { try drop(old) }
        case .refuse: preconditionFailure("a refused change was made")
        }
    }

    /// Records that operations are being sent to the origin; from this point on, the origin may have carried them out.
    public func lease(_ operations: [QueuedOperation]) throws {
        for operation in operations { try rows.lease(operation.number) }
    }

    private mutating func drop(_ operation: CopyRows.Operation) throws {
        try rows.drop(operation)
        record.queued -= 1
    }

    /// Returns the first queued operations, together with their documents.
    public func queued(
        after number: Int64,
        limit: Int,
        maximumBytes: Int,
        _ documents: inout some LocalDocuments
    ) throws -> [QueuedOperation] {
        var queued: [QueuedOperation] = []
        var bytes = 0
        for row in try rows.operations(after: number, limit: limit) {
            guard queued.isEmpty || bytes < maximumBytes else { break }
            let local = try documents.json(of: row.documentID)
            bytes += (local?.count ?? 0) + (row.pulled?.count ?? 0)
            queued.append(QueuedOperation(row, local))
        }
        return queued
    }

    /// Discards a queued operation, and returns whether there was one.
    public mutating func discard(_ id: DocumentID, _ documents: inout some LocalDocuments) throws -> Bool {
        guard let operation = try rows.operation(id) else { return false }
        try documents.put(operation.pulled, as: id)
        try drop(operation)
        return true
    }
}

// MARK: The state of the origin

extension CopyTransaction {
    /// Records how far the origin was read, and when.
    public mutating func note(_ bookmark: CopyBookmark, at now: Duration) {
        record.bookmark = bookmark
        if bookmark.isComplete { record.pulledAt = now }
    }

    /// Records the current state of a document at the origin, and returns the resulting changes to the copy.
    public mutating func absorb(
        _ found: OriginDocument,
        _ documents: inout some LocalDocuments
    ) throws -> CopyChanges {
        var changes = CopyChanges()
        let id = found.key.id
        let known = try rows.known(id)
        if let known, known.routing != found.key.routing {
            // A removal at the origin does not affect a local document with another routing value.
            guard found.document != nil else { return changes }
            throw twoPlaces(id)
        }
        try know(id, found.document, wasKnown: known != nil)
        if record.queued > 0, var operation = try rows.operation(id) {
            // The local change stays queued until it is pushed or discarded; it is pushed against the version on which
            // it was based.
            operation.pulled = found.document?.json
            try rows.save(operation)
            return changes
        }
        let old = try documents.json(of: id)
        guard old != found.document?.json else { return changes }
        try documents.put(found.document?.json, as: id)
        if old == nil {
            changes.added = 1
        } else if found.document == nil {
            changes.removed = 1
        } else {
            changes.updated = 1
        }
        return changes
    }

    private func twoPlaces(_ id: DocumentID) -> EngineError {
        EngineError(
            .unsupported,
            "'\(record.origin.collection)' has several documents with the ID '\(id)', under different routings; a copy "
                + "can hold only one for each ID",
            advice: "use --query to copy a part in which each ID occurs only once"
        )
    }

    private mutating func know(_ id: DocumentID, _ document: VersionedDocument?) throws {
        try know(id, document, wasKnown: try rows.known(id) != nil)
    }

    private mutating func know(_ id: DocumentID, _ document: VersionedDocument?, wasKnown: Bool) throws {
        guard let document else {
            if try rows.forget(id) { record.known -= 1 }
            return
        }
        if !wasKnown { record.known += 1 }
        try rows.know(id, KnownDocument(version: document.version, routing: document.routing), listing: record.listing)
    }

    /// Settles a pushed operation with the origin's result.
    ///
    /// A change made after the operation was read for the push stays queued, based on the origin's current version.
    public mutating func settle(_ pushed: PushedOperation, _ documents: inout some LocalDocuments) throws {
        let id = pushed.operation.documentID
        guard let operation = try rows.operation(id) else {
            guard try documents.json(of: id) == nil, let origin = pushed.origin, pushed.operation.local != nil else {
                return try replace(id, by: pushed.origin, &documents)
            }
            // The document was removed from the copy after it was sent, so its removal from the origin must be queued.
            try know(id, origin)
            return try requeue(nil, id, origin, copyHasIt: false)
        }
        guard operation.number == pushed.operation.number, operation.generation == pushed.operation.generation else {
            try know(id, pushed.origin)
            return try requeue(operation, id, pushed.origin, copyHasIt: try documents.json(of: id) != nil)
        }
        try drop(operation)
        try replace(id, by: pushed.origin, &documents)
    }

    /// Applies the resolution of a conflict, unless the document has been changed since.
    public mutating func resolve(_ resolved: ResolvedConflict, _ documents: inout some LocalDocuments) throws {
        let (conflict, id) = (resolved.conflict, resolved.conflict.documentID)
        guard let operation = try unchanged(conflict.operation) else { return }
        switch resolved.resolution {
        case .cancel: return
        case .server:
            try drop(operation)
            try replace(id, by: conflict.origin, &documents)
        case .client: try rebase(PushedOperation(conflict.operation, conflict.origin))
        case .document(let json):
            try documents.put(json, as: id)
            try know(id, conflict.origin)
            try requeue(operation, id, conflict.origin, copyHasIt: true)
        }
    }

    /// Bases an operation on the origin's current document, unless the document has been changed in the copy since.
    public mutating func rebase(_ pushed: PushedOperation) throws {
        guard let operation = try unchanged(pushed.operation) else { return }
        try know(operation.documentID, pushed.origin)
        try requeue(operation, operation.documentID, pushed.origin, copyHasIt: pushed.operation.local != nil)
    }

    /// Returns the row of an operation if it is unchanged since it was read; `nil` if it was removed or the document
    /// has changed since.
    private func unchanged(_ queued: QueuedOperation) throws -> CopyRows.Operation? {
        guard let operation = try rows.operation(queued.documentID), operation.number == queued.number,
            operation.generation == queued.generation
        else { return nil }
        return operation
    }

    /// Replaces the document in the copy with the origin's document.
    private mutating func replace(
        _ id: DocumentID,
        by origin: VersionedDocument?,
        _ documents: inout some LocalDocuments
    ) throws {
        try know(id, origin)
        if try documents.json(of: id) != origin?.json { try documents.put(origin?.json, as: id) }
    }

    /// Queues the document in the copy as a change to the origin's current document.
    private mutating func requeue(
        _ old: CopyRows.Operation?,
        _ id: DocumentID,
        _ origin: VersionedDocument?,
        copyHasIt: Bool
    ) throws {
        guard let kind = QueuedOperation.Kind(originHasIt: origin != nil, copyHasIt: copyHasIt) else {
            if let old { try drop(old) }
            return
        }
        var operation =
            old
            ?? CopyRows.Operation(
                number: 0,
                documentID: id,
                routing: origin?.routing,
                kind: kind,
                based: nil,
                pulled: nil
            )
        operation.kind = kind
        operation.based = origin?.version
        operation.pulled = origin?.json
        operation.routing = origin?.routing ?? operation.routing
        if old == nil {
            try rows.add(operation)
            record.queued += 1
        } else {
            try rows.save(operation)
        }
    }
}

// MARK: Documents missing at the origin

extension CopyTransaction {
    /// Begins a listing of all documents at the origin, and returns its number.
    public mutating func beginListing() -> Int64 {
        record.listing += 1
        return record.listing
    }

    /// Records that a listing contains the document, and returns whether it was known.
    public func mark(_ key: DocumentKey, listing: Int64) throws -> Bool { try rows.mark(key, listing: listing) }

    /// Removes some of the documents that were not in a listing, and returns their number.
    public mutating func sweep(listing: Int64, limit: Int, _ documents: inout some LocalDocuments) throws -> Int {
        let gone = try rows.notListed(in: listing, limit: limit)
        for key in gone { _ = try absorb(OriginDocument(key, nil), &documents) }
        return gone.count
    }

    /// Replaces every pulled version with one that no document has.
    package mutating func forgetVersions(in connection: borrowing Connection) throws {
        let unknown = DocumentVersion.unknown.rawValue
        try connection.prepare("UPDATE copied SET version = ? WHERE collection = ?").run(unknown, record.collection)
        try connection.prepare("UPDATE copy_operation SET based = ? WHERE collection = ? AND based IS NOT NULL")
            .run(unknown, record.collection)
        record.bookmark = nil
    }
}

extension QueuedOperation {
    init(_ row: CopyRows.Operation, _ local: [UInt8]?) {
        self.init(
            number: row.number,
            documentID: row.documentID,
            routing: row.routing,
            kind: row.kind,
            based: row.based,
            pulled: row.pulled,
            local: local,
            generation: row.generation
        )
    }
}

/// A local change that the origin does not have yet; there is at most one for each document.
public struct QueuedOperation: Hashable, Sendable {
    /// The local change to a document, compared with the origin's version.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The document did not exist at the origin.
        case insert
        case update
        case remove

        /// Creates the kind of change that leads from the origin's document to the copy's; `nil` if neither has the
        /// document.
        public init?(originHasIt: Bool, copyHasIt: Bool) {
            switch (originHasIt, copyHasIt) {
            case (false, true): self = .insert
            case (true, true): self = .update
            case (true, false): self = .remove
            case (false, false): return nil
            }
        }
    }

    /// The position in the queue, which determines the order of pushing.
    public let number: Int64
    /// The document that was changed.
    public let documentID: DocumentID
    /// The routing value that places the document; `nil` if its ID places it.
    public let routing: Routing?
    /// The kind of change to the document.
    public let kind: Kind
    /// The version that the document had at the origin when it was changed in the copy; `nil` if there was none.
    public let based: DocumentVersion?
    /// The document in its pulled state; `nil` if there was none.
    public let pulled: [UInt8]?
    /// The document in the copy; `nil` if it was removed.
    public let local: [UInt8]?
    /// The number of changes since the operation was queued, because a push must settle only changes that it has read.
    public let generation: Int

    /// Creates a queued change.
    public init(
        number: Int64,
        documentID: DocumentID,
        routing: Routing?,
        kind: Kind,
        based: DocumentVersion?,
        pulled: [UInt8]?,
        local: [UInt8]?,
        generation: Int
    ) {
        self.number = number
        self.documentID = documentID
        self.routing = routing
        self.kind = kind
        self.based = based
        self.pulled = pulled
        self.local = local
        self.generation = generation
    }

    /// The document's ID, with its routing value.
    public var key: DocumentKey { DocumentKey(documentID, routing: routing) }
}

/// The result of combining two queued changes to one document before either of them is pushed.
///
/// Only the queue of a copy combines operations; a direct feed sends each operation.
public enum Collapse: Hashable, Sendable {
    case keep(QueuedOperation.Kind)
    /// Neither change is sent to the origin.
    case drop
    /// The first change must be pushed before the second can be queued.
    case refuse

    /// Determines the result of changing a document again; `queued` is the kind of its queued operation, or `nil`.
    ///
    /// `removes` indicates that the new change is a removal; `originHasIt`, that the origin is known to have the
    /// document; and `wasSent`, that the origin may have it because a push was interrupted.
    public init(_ queued: QueuedOperation.Kind?, removes: Bool, originHasIt: Bool, wasSent: Bool = false) {
        switch (queued, removes) {
        case (nil, false): self = .keep(originHasIt ? .update : .insert)
        case (nil, true): self = originHasIt ? .keep(.remove) : .drop
        case (.insert, false): self = .keep(.insert)
        case (.insert, true): self = wasSent ? .keep(.remove) : .drop
        case (.update, false): self = .keep(.update)
        case (.update, true): self = .keep(.remove)
        case (.remove, false): self = .refuse
        case (.remove, true): self = .keep(.remove)
        }
    }
}
