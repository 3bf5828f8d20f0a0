public import ContentFeeding
import JSONText
public import JobJournal
public import TextKit

/// A copy of a collection that can be searched and changed offline, and is synchronized with its origin from time to
/// time.
///
/// ```swift
/// let copy = SyncedCollection(try await store.copy(named: "catalogue"), origin: { try await open(remote) })
/// try await copy.pull()
/// // … add, update and remove documents of the collection 'catalogue' of the store …
/// let report = try await copy.push(conflicts: ConflictPolicy.server)
/// ```
///
/// Each change to the copy is queued in the same transaction, so no change is lost before it is pushed or discarded.
/// Each call can be interrupted at any point, and repeated.
public struct SyncedCollection: Sendable {
    /// The copy in its store.
    public let copy: any LocalCopy
    private let open: @Sendable () async throws -> any ContentEngine & SearchableEngine
    private let options: SyncOptions

    /// Creates the connection between a copy and its origin, which is opened only when it is needed.
    public init(
        _ copy: any LocalCopy,
        options: SyncOptions = SyncOptions(),
        origin: @escaping @Sendable () async throws -> any ContentEngine & SearchableEngine
    ) {
        (self.copy, self.options, open) = (copy, options, origin)
    }

    /// The number of operations that have not been pushed yet.
    public var pendingCount: Int { get async throws(EngineError) { try await copy.status().queued } }

    /// Discards the queued operations for `ids`, or all of them if `ids` is `nil`, and restores their documents to the
    /// state in which they were pulled.
    ///
    /// Returns the IDs for which an operation was queued.
    @discardableResult
    public func discard(_ ids: [DocumentID]? = nil) async throws -> [DocumentID] {
        let lock = try copy.lock()
        defer { withExtendedLifetime(lock) {} }
        return try await copy.discard(ids)
    }

    /// Sends queued operations in order, each only if the document has not changed at the origin since.
    ///
    /// - Parameters:
    ///   - conflicts: The resolver for documents that were changed both in the copy and at the origin.
    ///   - job: The job in the copy's store that keeps a record of each conflict; `nil` for none.
    ///   - observe: A closure that is called with the events of each operation.
    /// - Returns: The completed and the remaining work.
    /// - Throws: ``SyncError``, if the origin is now a different collection; any error that the origin, the store or
    ///   the delegate throws.
    @discardableResult
    public func push(
        conflicts: any ConflictDelegate = ConflictPolicy.cancel,
        recordedIn job: JobID? = nil,
        observe: @escaping @Sendable (SyncEvent) -> Void = { _ in }
    ) async throws -> PushReport {
        let lock = try copy.lock()
        defer { withExtendedLifetime(lock) {} }
        return try await pushLocked(conflicts, job, observe).report
    }

    /// Pushes, then pulls new and changed documents from the origin and removes documents that no longer exist there.
    ///
    /// Throws ``SyncError`` if operations remain queued after the push.
    @discardableResult
    public func pull(
        conflicts: any ConflictDelegate = ConflictPolicy.cancel,
        recordedIn job: JobID? = nil,
        observe: @escaping @Sendable (SyncEvent) -> Void = { _ in }
    ) async throws -> PullReport {
        let lock = try copy.lock()
        defer { withExtendedLifetime(lock) {} }
        let pushed = try await pushLocked(conflicts, job, observe)
        guard pushed.report.left == 0 else { throw SyncError.workLeft(pushed.report, of: copy.collection) }
        let origin: any VersionedEngine
        if let open = pushed.origin { origin = open } else { origin = try await openOrigin() }
        let status = try await copy.status()
        var pull = Pull(copy, status, origin, after: pushed.report, observe)
        return try await pull.run()
    }

    /// Pushes, then removes all documents of the copy; the next pull is a complete one.
    ///
    /// Throws ``SyncError`` if operations remain queued after the push. If `isForced` is true, nothing is pushed, and
    /// queued operations are lost.
    @discardableResult
    public func purge(
        conflicts: any ConflictDelegate = ConflictPolicy.cancel,
        recordedIn job: JobID? = nil,
        isForced: Bool = false,
        observe: @escaping @Sendable (SyncEvent) -> Void = { _ in }
    ) async throws -> Int {
        let lock = try copy.lock()
        defer { withExtendedLifetime(lock) {} }
        if !isForced {
            let report = try await pushLocked(conflicts, job, observe).report
            guard report.left == 0 else { throw SyncError.workLeft(report, of: copy.collection) }
        }
        return try await copy.empty()
    }

    /// Makes the collection to which the origin's name now refers the origin of the copy.
    ///
    /// Queued operations stay queued; if the new origin has the document of an operation, there is a conflict.
    public func adoptOrigin() async throws {
        let lock = try copy.lock()
        defer { withExtendedLifetime(lock) {} }
        try await copy.forgetVersions()
    }

    /// Opens the origin and pushes queued operations, if there are any.
    private func pushLocked(
        _ conflicts: any ConflictDelegate,
        _ job: JobID?,
        _ observe: @escaping @Sendable (SyncEvent) -> Void
    ) async throws -> (report: PushReport, origin: (any VersionedEngine)?) {
        let status = try await copy.status()
        guard status.queued > 0 else { return (PushReport(), nil) }
        let origin = try await openOrigin()
        let state = try await origin.state()
        var wentBack = false
        if let bookmark = status.bookmark {
            try requireSame(bookmark, state, of: status)
            wentBack = try await copy.restart(bookmark, ifAheadOf: state)
        } else {
            // A copy that was never pulled is bound to this collection from now on.
            try await copy.note(CopyBookmark(identity: state.identity))
        }
        var push = Push(copy, status.origin, origin, conflicts, options, job, observe)
        var report = try await push.run()
        report.originWentBack = wentBack
        return (report, origin)
    }

    private func openOrigin() async throws -> any VersionedEngine {
        let engine = try await open()
        guard let origin = engine.versions else {
            throw EngineError(
                .unsupported,
                "'\(engine.collection)' does not report the versions of its documents, so no copy of it can be kept"
            )
        }
        return origin
    }
}

/// Throws if the origin is not, or may not be, the collection that was pulled.
///
/// An origin without an identity can be distinguished from a new collection only while the new collection is empty.
func requireSame(_ known: CopyBookmark?, _ state: CollectionState, of copy: CopyStatus) throws(SyncError) {
    guard let known else { return }
    if !known.identity.isEmpty, known.identity != state.identity { throw SyncError.otherOrigin(copy.origin) }
    if state.identity.isEmpty, state.isEmpty, copy.known > 0 { throw SyncError.emptyOrigin(copy.origin) }
}

extension LocalCopy {
    /// Discards all pulled versions and the position of the pull if the origin lacks changes that were read from it,
    /// because the same version number may now refer to a different state.
    ///
    /// Returns whether the origin lacked such changes.
    func restart(_ bookmark: CopyBookmark, ifAheadOf state: CollectionState) async throws(EngineError) -> Bool {
        guard bookmark.isAhead(of: state) else { return false }
        try await forgetVersions()
        try await note(CopyBookmark(identity: state.identity))
        return true
    }
}

/// The options for pushing a copy.
public struct SyncOptions: Sendable {
    /// The options of the feed that sends operations.
    public var feed = FeedOptions()
    /// The maximum number of operations that are sent before they are settled.
    public var slice = 500
    /// The maximum number of bytes of documents that are sent before they are settled.
    public var sliceBytes = 8 << 20
    /// The maximum number of conflicts on one document in one push, after which its operation stays queued.
    public var maximumOccurrences = 20

    /// Creates the default options.
    public init() {}
}

/// The reason why a copy was not pulled, pushed or purged; no data was lost.
public struct SyncError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, for programs to act on.
    public enum Code: Hashable, Sendable {
        /// Operations are still queued.
        case workLeft
        /// The origin was deleted and created again, or its name now points at another collection.
        case otherOrigin
        /// A document at the origin can't be read; all other documents were pulled.
        case unreadable
    }

    /// The kind of failure.
    public let code: Code
    /// A description of the failure and the object concerned, as a fragment that can follow `error: `.
    public let message: String
    /// The next step; `nil` if there is no advice.
    public let advice: String?

    public var description: String { message }

    static func workLeft(_ report: PushReport, of copy: CollectionName) -> SyncError {
        let count = Quantity(report.left, "operation is", "operations are")
        let why = report.end.map { ": \($0)" } ?? ""
        return SyncError(
            code: .workLeft,
            message: "\(count) still queued, so '\(copy)' was only pushed\(why)",
            advice: report.advice(on: copy).joined(separator: "; ")
        )
    }

    static func unreadable(_ first: UnreadableDocument, of count: Int, in origin: CopyOrigin) -> SyncError {
        let others = count > 1 ? " (and \(Quantity(count - 1, "other", "others")))" : ""
        return SyncError(
            code: .unreadable,
            message: "'\(first.key.id)'\(others) in '\(origin.collection)' can't be read: \(first.failure.message); "
                + "all other documents were pulled",
            advice: "add it to the origin again as JSON, or remove it there, and run the command again"
        )
    }

    static func emptyOrigin(_ origin: CopyOrigin) -> SyncError {
        SyncError(
            code: .otherOrigin,
            message: "'\(origin.collection)' at \(origin.target) no longer has any documents, and may have been "
                + "deleted and created again; nothing was changed",
            advice: "if it should be empty, run the command again with --new-origin"
        )
    }

    /// Returns the error for an origin that was replaced; `isPulled` is true if a part of the new collection had
    /// already been read.
    static func otherOrigin(_ origin: CopyOrigin, isPulled: Bool = false) -> SyncError {
        let fate =
            isPulled ? "the latest documents may come from the new one, and nothing was removed" : "nothing was changed"
        return SyncError(
            code: .otherOrigin,
            message: "'\(origin.collection)' at \(origin.target) is not the collection that was pulled: "
                + "it was deleted and created again, or its name now points at another one; \(fate)",
            advice:
                "if this is intended, run the command again with --new-origin: the copy is then attached to the new collection"
        )
    }
}

/// The results of a push.
public struct PushReport: Hashable, Sendable {
    /// The number of operations that were carried out at the origin.
    public var pushed = 0
    /// The number of conflicts; repeated conflicts on the same document count each time.
    public var conflicts = 0
    /// The number of operations that the origin refused or that failed permanently; they stay queued.
    public var failed = 0
    /// The number of operations that are still queued.
    public var left = 0
    /// The reason why the push ended early, in words; `nil` if it did not end early.
    public var end: String?
    /// The reason why the feed was stopped; `nil` if it was not stopped.
    public var stop: StopReason?
    /// Whether the origin lacked changes that had been pulled, in which case each document was compared before it was
    /// sent.
    public var originWentBack = false

    /// Creates a report on a push that has not sent anything.
    public init() {}
}

extension PushReport {
    /// Returns advice about the changes that are still queued, depending on the reason.
    package func advice(on copy: CollectionName) -> [String] {
        let name = CommandLineWords.quoted(copy.rawValue)
        let again = "push again: fastctl replicas push \(name)"
        let undo = "undo a change: fastctl jobs discard --copy \(name) ID"
        guard stop == nil else { return [again] }
        // Unless it is stopped, a push ends early only because of an undecided conflict.
        guard end == nil else { return ["resolve conflicts with --on-conflict, or \(undo)"] }
        var lines = failed > 0 ? ["push again when the reasons for the failures are gone, or \(undo)"] : []
        let meanwhile = left - failed
        if meanwhile > 0 {
            lines.append("\(Quantity(meanwhile, "change was", "changes were")) made meanwhile; \(again)")
        }
        return lines
    }
}

/// The results of a pull.
public struct PullReport: Hashable, Sendable {
    /// The results of the push before the pull.
    public var push = PushReport()
    /// The changes to the copy.
    public var changes = CopyChanges()
    /// Whether the origin was unchanged.
    public var isUnchanged = false
    /// Whether the IDs of all documents were compared, because documents may have been removed at the origin.
    public var comparedAll = false
    /// Whether all documents were read again and compared by content, because the origin lacks changes that had been
    /// pulled, for example because it was restored from a backup.
    public var originWentBack = false
    /// Whether the IDs of all documents are compared at each pull, because the query may depend on the time.
    public var dependsOnTime = false

    /// Creates a report on a pull that has not read anything.
    public init() {}
}

/// An event during a push or a pull.
public enum SyncEvent: Sendable {
    case pushed(QueuedOperation)
    /// The number of the origin's documents that were read and compared with the copy's.
    case pulled(Int)
    case conflict(SyncConflict, SyncConflict.Resolution)
    case failed(QueuedOperation, DocumentFailure)
    /// The number or the size of batches has changed, or the origin is not making progress.
    case flow(FlowChange)
}

/// A store that keeps copies of collections from other targets.
public protocol CopyKeepingStore: Sendable {
    /// Creates an empty copy: a collection with an origin.
    func createCopy(_ name: CollectionName, of origin: CopyOrigin) async throws(EngineError)

    /// Returns the names of all copies, in order.
    func copies() async throws(EngineError) -> [CollectionName]

    /// Returns a copy, or throws an error with advice if no copy has that name.
    func copy(named name: CollectionName) async throws(EngineError) -> any LocalCopy

    /// Removes a copy with all its documents and queued operations, and returns the number of documents.
    func removeCopy(_ name: CollectionName) async throws(EngineError) -> Int
}

/// A copy in a store: its documents, and its information about the origin.
///
/// Each call is one transaction. Documents are read and changed as in any collection; each change is queued in the same
/// transaction.
public protocol LocalCopy: Sendable {
    var collection: CollectionName { get }

    /// Locks the copy, so only this process can pull or push.
    func lock() throws(JobError) -> JobLock

    func status() async throws(EngineError) -> CopyStatus

    /// Returns as many of the first queued operations after a number as fit into `maximumBytes`, but at least one if
    /// there are any.
    func queued(after number: Int64, limit: Int, maximumBytes: Int) async throws(EngineError) -> [QueuedOperation]

    /// Records the current documents of the origin, and the position up to which its history has been read.
    ///
    /// A document with a queued operation remains unchanged in the copy; the recorded version replaces it if the
    /// operation is discarded.
    func absorb(_ documents: [OriginDocument], _ bookmark: CopyBookmark?) async throws(EngineError) -> CopyChanges

    /// Records that operations are being sent to the origin; from this point on, the origin may have carried them out.
    func lease(_ operations: [QueuedOperation]) async throws(EngineError)

    /// Settles pushed operations, and records the origin's results.
    func settle(_ pushed: [PushedOperation]) async throws(EngineError)

    /// Bases operations on the origin's current documents, except for documents that have been changed in the copy
    /// since.
    func rebase(_ operations: [PushedOperation]) async throws(EngineError)

    /// Applies the resolutions of conflicts, and stores their records with the job if there is one.
    ///
    /// A document that has been changed in the meantime is left unchanged, and the next push handles it.
    func resolve(_ conflicts: [ResolvedConflict], recordedIn job: JobID?) async throws(EngineError)

    /// Discards the queued operations for `ids`, or all of them if `ids` is `nil`, and restores their documents to the
    /// state in which they were pulled.
    ///
    /// Returns the IDs for which an operation was queued.
    func discard(_ ids: [DocumentID]?) async throws(EngineError) -> [DocumentID]

    /// Records that the origin has these documents, according to the listing with this number, and returns the
    /// documents unknown to the copy.
    func mark(_ documents: [DocumentKey], listing: Int64) async throws(EngineError) -> [DocumentKey]

    /// Removes some of the documents that were not in the listing, and returns their number, or 0 if none are left.
    func sweep(listing: Int64, limit: Int) async throws(EngineError) -> Int

    /// Begins a listing, and returns its number; documents recorded from now on count as listed.
    func beginListing() async throws(EngineError) -> Int64

    /// Records the position up to which the origin's history has been read.
    func note(_ bookmark: CopyBookmark) async throws(EngineError)

    /// Records that the origin is now a different collection, in which none of the pulled versions exist.
    func forgetVersions() async throws(EngineError)

    /// Removes all documents and queued operations; the origin is not affected.
    func empty() async throws(EngineError) -> Int
}

/// The definition and the state of a copy.
public struct CopyStatus: Hashable, Sendable {
    /// The origin of the copy.
    public var origin: CopyOrigin
    /// The position up to which the origin was read; `nil` before the first pull.
    public var bookmark: CopyBookmark?
    /// The time at which the last complete pull ended, since 1970; `nil` if there was none.
    public var pulledAt: Duration?
    /// The number of documents in the copy.
    public var documents: Int
    /// The number of documents that the origin is known to have.
    public var known: Int
    /// The number of operations that have not been pushed yet.
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

/// The state of a document at the origin: its contents, or its absence.
public struct OriginDocument: Hashable, Sendable {
    /// The document's ID, and its routing value.
    public let key: DocumentKey
    /// The document in the form that the copy keeps; `nil` if the origin does not have it.
    public let document: VersionedDocument?

    /// Creates an entry for a key; `nil` means that the document does not exist at the origin.
    public init(_ key: DocumentKey, _ document: VersionedDocument?) { (self.key, self.document) = (key, document) }

    /// Creates an entry for a document that the origin has.
    public init(_ document: VersionedDocument) {
        self.init(DocumentKey(document.id, routing: document.routing), document)
    }
}

/// The changes made by a pull.
public struct CopyChanges: Hashable, Sendable {
    /// The number of documents that are new in the copy.
    public var added = 0
    /// The number of documents that have changed.
    public var updated = 0
    /// The number of documents that were removed.
    public var removed = 0

    /// Creates counts that are all zero.
    public init() {}

    public static func += (left: inout Self, right: Self) {
        left.added += right.added
        left.updated += right.updated
        left.removed += right.removed
    }
}

/// An operation that was pushed, and the resulting document at the origin.
public struct PushedOperation: Hashable, Sendable {
    /// The change that was queued.
    public let operation: QueuedOperation
    /// The document at the origin; `nil` if there is none.
    public let origin: VersionedDocument?

    /// Creates the result of a push of one change.
    public init(_ operation: QueuedOperation, _ origin: VersionedDocument?) {
        (self.operation, self.origin) = (operation, origin)
    }
}

/// A conflict, and its resolution.
public struct ResolvedConflict: Sendable {
    /// The conflict.
    public let conflict: SyncConflict
    /// The resolution of the conflict.
    public let resolution: SyncConflict.Resolution
    /// The conflict in the form in which `jobs issues` lists it.
    public let record: OperationOutcome

    /// Creates a conflict with its resolution.
    public init(_ conflict: SyncConflict, _ resolution: SyncConflict.Resolution, record: OperationOutcome) {
        (self.conflict, self.resolution, self.record) = (conflict, resolution, record)
    }
}

// MARK: - For people

extension PullReport {
    /// A description of how all documents were compared and why; `nil` if only changes were read.
    public var comparison: String? {
        if originWentBack {
            "the origin lacks changes that had been pulled (it may have been restored from a backup), so all documents "
                + "were read again and compared by content"
        } else if dependsOnTime {
            "the query may depend on the time, so the IDs of all documents are compared on each pull"
        } else if comparedAll {
            "the IDs of all documents were compared"
        } else {
            nil
        }
    }
}

extension SyncError: AdvisedError {
    /// The error as shown to people, with its exit status.
    public var failure: Failure {
        let status: ExitStatus =
            switch code {
            case .workLeft: .documentsFailed
            case .otherOrigin: .refused
            case .unreadable: .inputRejected
            }
        return Failure(status, message, advice: advice)
    }
}
