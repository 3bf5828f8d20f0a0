public import ContentFeeding
public import JobJournal

/// A store that keeps copies of collections of other targets.
public protocol CopyKeepingStore: Sendable {
    /// Creates an empty copy: a collection with an origin.
    func createCopy(_ name: CollectionName, of origin: CopyOrigin) async throws(EngineError)

    /// Returns the names of all copies, in order.
    func copies() async throws(EngineError) -> [CollectionName]

    /// Returns a copy, or throws an error with advice if there is none of that name.
    func copy(named name: CollectionName) async throws(EngineError) -> any LocalCopy

    /// Removes a copy and all its documents, and what is queued; returns the number of documents.
    func removeCopy(_ name: CollectionName) async throws(EngineError) -> Int
}

/// A copy in a store: its documents, and what it knows of its origin.
///
/// Each call is one transaction. Documents are read and changed as those of any collection; each change is queued in its own transaction.
public protocol LocalCopy: Sendable {
    var collection: CollectionName { get }

    /// Makes this process the only one that pulls or pushes.
    func lock() throws(JobError) -> JobLock

    func status() async throws(EngineError) -> CopyStatus

    /// Returns the first queued operations after a number, at least one if there are any, as many as fit into
    /// `maximumBytes`.
    func queued(
        after number: Int64,
        limit: Int,
        maximumBytes: Int
    ) async throws(EngineError) -> [QueuedOperation]

    /// Notes what documents of the origin are now, and the place up to which its history has been read.
    ///
    /// A document with a queued operation stays as it is here; what is noted is what a discarded operation restores.
    func absorb(_ documents: [OriginDocument], _ bookmark: CopyBookmark?) async throws(EngineError) -> CopyChanges

    /// Notes that operations are being given to the origin: from now on it may have carried them out.
    func lease(_ operations: [QueuedOperation]) async throws(EngineError)

    /// Settles operations that were pushed, and notes what the origin made of them.
    func settle(_ pushed: [PushedOperation]) async throws(EngineError)

    /// Bases operations on what the origin has now, except where a document has been changed here meanwhile.
    func rebase(_ operations: [PushedOperation]) async throws(EngineError)

    /// Carries out what was decided about conflicts, and keeps their records with the job, if there is one.
    ///
    /// A document that has been changed meanwhile is left as it is: its next push decides.
    func resolve(_ conflicts: [ResolvedConflict], recordedIn job: JobID?) async throws(EngineError)

    /// Takes back queued operations, all of them if `ids` is `nil`: the documents are as they were pulled.
    ///
    /// Returns the IDs that had an operation.
    func discard(_ ids: [DocumentID]?) async throws(EngineError) -> [DocumentID]

    /// Notes which documents the origin has, by a listing with this number.
    func mark(_ documents: [DocumentKey], listing: Int64) async throws(EngineError)

    /// Removes some of the documents that a listing did not have; returns their number, 0 at the end.
    func sweep(listing: Int64, limit: Int) async throws(EngineError) -> Int

    /// Begins a listing, and returns its number; what is noted of documents from now on counts as listed.
    func beginListing() async throws(EngineError) -> Int64

    /// Notes the place up to which the origin's history has been read.
    func note(_ bookmark: CopyBookmark) async throws(EngineError)

    /// Notes that the origin is another collection now: no version of a document that was pulled is there any more.
    func forgetVersions() async throws(EngineError)

    /// Removes all documents, and what is queued; the origin stays.
    func empty() async throws(EngineError) -> Int
}

/// What a copy is, and how it stands.
public struct CopyStatus: Hashable, Sendable {
    /// What the copy is made of.
    public var origin: CopyOrigin
    /// `nil` before the first pull.
    public var bookmark: CopyBookmark?
    /// The end of the last pull that came to its end, as the time since 1970; `nil` if none did.
    public var pulledAt: Duration?
    /// The documents that are here.
    public var documents: Int
    /// The documents that the origin is known to have.
    public var known: Int
    /// The operations that are not pushed yet.
    public var queued: Int

    /// Creates the status of a copy.
    public init(
        origin: CopyOrigin,
        bookmark: CopyBookmark?,
        pulledAt: Duration?,
        documents: Int,
        known: Int,
        queued: Int
    ) {
        self.origin = origin
        self.bookmark = bookmark
        self.pulledAt = pulledAt
        self.documents = documents
        self.known = known
        self.queued = queued
    }
}

/// A document as the origin has it: with its contents, or gone.
public struct OriginDocument: Hashable, Sendable {
    /// The document's ID, and its routing.
    public let key: DocumentKey
    /// The document as the copy keeps it; `nil` if the origin has none.
    public let document: VersionedDocument?

    /// Creates what an origin has under a key; no document means that it has none.
    public init(_ key: DocumentKey, _ document: VersionedDocument?) { (self.key, self.document) = (key, document) }

    /// Creates an entry for a document that the origin has.
    public init(_ document: VersionedDocument) {
        self.init(DocumentKey(document.id, routing: document.routing), document)
    }
}

/// What a pull changed.
public struct CopyChanges: Hashable, Sendable {
    /// Documents that are new in the copy.
    public var added = 0
    /// Documents that have changed.
    public var updated = 0
    /// Documents that are gone.
    public var removed = 0

    /// Creates counts of no changes.
    public init() {}

    public static func += (left: inout Self, right: Self) {
        left.added += right.added
        left.updated += right.updated
        left.removed += right.removed
    }
}

/// An operation that was pushed, and what the document is at the origin now.
public struct PushedOperation: Hashable, Sendable {
    /// The change that was queued.
    public let operation: QueuedOperation
    /// The document as the origin has it; `nil` if it has none.
    public let origin: VersionedDocument?

    /// Creates the result of a push of one change.
    public init(_ operation: QueuedOperation, _ origin: VersionedDocument?) {
        (self.operation, self.origin) = (operation, origin)
    }
}

/// A conflict, and what was decided.
public struct ResolvedConflict: Sendable {
    /// The conflict.
    public let conflict: SyncConflict
    /// Whose version was kept.
    public let resolution: SyncConflict.Resolution
    /// The conflict as `jobs issues` lists it.
    public let record: OperationOutcome

    /// Creates a conflict that was resolved.
    public init(_ conflict: SyncConflict, _ resolution: SyncConflict.Resolution, record: OperationOutcome) {
        (self.conflict, self.resolution, self.record) = (conflict, resolution, record)
    }
}
