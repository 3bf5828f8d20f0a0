public import ContentFeeding
import JobJournal

/// A copy of a collection that is searched and changed without its origin, and brought into line with it now and then.
///
/// ```swift
/// let copy = SyncedCollection(try await store.copy(named: "catalogue"), origin: { try await open(remote) })
/// try await copy.pull()
/// // … add, update and remove documents of the collection 'catalogue' of the store …
/// let report = try await copy.push(conflicts: ConflictPolicy.server)
/// ```
///
/// What is changed here is queued in the same transaction, so nothing changed here is lost until it is pushed or
/// discarded. Each call can be interrupted at any point, and made again.
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

    /// The number of operations that are not pushed yet.
    public var pendingCount: Int { get async throws(EngineError) { try await copy.status().queued } }

    /// Takes back queued operations, all of them if `ids` is `nil`: their documents are as they were pulled.
    ///
    /// Returns the IDs that had an operation.
    @discardableResult
    public func discard(_ ids: [DocumentID]? = nil) async throws -> [DocumentID] {
        let lock = try copy.lock()
        defer { withExtendedLifetime(lock) {} }
        return try await copy.discard(ids)
    }

    /// Sends what is queued, in order, each operation only if the origin has not changed the document since.
    ///
    /// - Parameters:
    ///   - conflicts: Whoever decides about documents that were changed at both places.
    ///   - job: The job of the copy's store that keeps a record of each conflict; `nil` for none.
    ///   - observe: Called with what happens to each operation.
    /// - Returns: What was done, and what is left.
    /// - Throws: ``SyncError``, if the origin is another collection now; what the origin, the store or the delegate throws.
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

    /// Pushes, then brings what is new at the origin, and removes what is gone there.
    ///
    /// Throws ``SyncError`` if the push leaves work.
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
        var pull = Pull(copy, status, origin, observe)
        var report = try await pull.run()
        report.push = pushed.report
        return report
    }

    /// Pushes, then removes all documents of the copy; the next pull is a whole one.
    ///
    /// Throws ``SyncError`` if the push leaves work, unless `isForced`: then nothing is pushed, and what is queued is lost.
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

    /// Makes the collection that the origin's name stands for now the origin of the copy.
    ///
    /// What is queued stays queued: where the new origin has the document, it is a conflict.
    public func adoptOrigin() async throws {
        let lock = try copy.lock()
        defer { withExtendedLifetime(lock) {} }
        try await copy.forgetVersions()
    }

    /// Opens the origin if there is something to push, and pushes it.
    private func pushLocked(
        _ conflicts: any ConflictDelegate,
        _ job: JobID?,
        _ observe: @escaping @Sendable (SyncEvent) -> Void
    ) async throws -> (report: PushReport, origin: (any VersionedEngine)?) {
        let status = try await copy.status()
        guard status.queued > 0 else { return (PushReport(), nil) }
        let origin = try await openOrigin()
        let state = try await origin.state()
        if let bookmark = status.bookmark {
            try requireSame(bookmark, state, of: status)
        } else {
            // A copy that was never pulled is one of this collection from now on.
            try await copy.note(CopyBookmark(identity: state.identity))
        }
        var push = Push(copy, status.origin, origin, conflicts, options, job, observe)
        return (try await push.run(), origin)
    }

    private func openOrigin() async throws -> any VersionedEngine {
        let engine = try await open()
        guard let origin = engine as? any VersionedEngine else {
            throw EngineError(
                .unsupported,
                "'\(engine.collection)' does not tell the versions of its documents, so no copy of it can be kept"
            )
        }
        return origin
    }
}

/// Throws if the origin is another collection than the one that was pulled, or may be.
///
/// One that has no identity is told from a new one only while that is empty.
func requireSame(_ known: CopyBookmark?, _ state: CollectionState, of copy: CopyStatus) throws(SyncError) {
    guard let known else { return }
    if !known.identity.isEmpty, known.identity != state.identity { throw SyncError.otherOrigin(copy.origin) }
    if state.identity.isEmpty, state.isEmpty, copy.known > 0 { throw SyncError.emptyOrigin(copy.origin) }
}

/// How a copy is pushed.
public struct SyncOptions: Sendable {
    /// The options of the feed that sends operations.
    public var feed = FeedOptions()
    /// The most operations that are sent before they are settled.
    public var slice = 500
    /// The most bytes of documents that are sent before they are settled.
    public var sliceBytes = 8 << 20
    /// The most conflicts on one document in one push; after that its operation stays queued.
    public var maximumOccurrences = 20

    /// Creates the usual options.
    public init() {}
}

/// A reason why a copy was not pulled, pushed or purged; nothing is lost.
public struct SyncError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, for programs to act on.
    public enum Code: Hashable, Sendable {
        /// Operations are still queued.
        case workLeft
        /// The origin was deleted and created anew, or its name stands for another collection.
        case otherOrigin
    }

    /// The kind of failure.
    public let code: Code
    /// What happened and to what, as a fragment that can follow `error: `.
    public let message: String
    /// The next step; `nil` if there is no advice.
    public let advice: String?

    public var description: String { message }

    static func workLeft(_ report: PushReport, of copy: CollectionName) -> SyncError {
        let count = report.left == 1 ? "1 operation is" : "\(report.left) operations are"
        let why = report.end.map { ": \($0)" } ?? ""
        return SyncError(
            code: .workLeft,
            message: "\(count) still queued, so '\(copy)' was only pushed\(why)",
            advice: "decide conflicts with --on-conflict, or take operations back with 'fastctl jobs discard'"
        )
    }

    static func emptyOrigin(_ origin: CopyOrigin) -> SyncError {
        SyncError(
            code: .otherOrigin,
            message: "'\(origin.collection)' at \(origin.target) has no documents any more, and may have been deleted "
                + "and created anew; nothing was changed",
            advice: "if it is meant to be empty, run the command again with --new-origin"
        )
    }

    /// `isPulled` if it was found out when part of it had been read.
    static func otherOrigin(_ origin: CopyOrigin, isPulled: Bool = false) -> SyncError {
        let fate = isPulled ? "what was read last may be the new one's, and nothing was removed" : "nothing was changed"
        return SyncError(
            code: .otherOrigin,
            message: "'\(origin.collection)' at \(origin.target) is another collection than the one that was pulled: "
                + "it was deleted and created anew, or its name stands for another one; \(fate)",
            advice:
                "if that is meant, run the command again with --new-origin: the copy becomes one of the new collection"
        )
    }
}

/// What a push did.
public struct PushReport: Hashable, Sendable {
    /// Operations that the origin has now.
    public var pushed = 0
    /// Conflicts, each time one was met.
    public var conflicts = 0
    /// Operations that the origin refused, or that failed for good; they stay queued.
    public var failed = 0
    /// Operations that are still queued.
    public var left = 0
    /// Why the push ended before all was sent, in words; `nil` if it did not.
    public var end: String?
    /// How the feed was stopped; `nil` if it was not.
    public var stop: StopReason?

    /// Creates a report on a push that has sent nothing.
    public init() {}
}

/// What a pull did.
public struct PullReport: Hashable, Sendable {
    /// What was pushed before the pull.
    public var push = PushReport()
    /// What the pull changed in the copy.
    public var changes = CopyChanges()
    /// Whether nothing had changed at the origin.
    public var isUnchanged = false
    /// Whether the IDs of all documents were compared, because documents may have been removed at the origin.
    public var comparedAll = false

    /// Creates a report on a pull that has read nothing.
    public init() {}
}

/// What happens during a push or a pull.
public enum SyncEvent: Sendable {
    case pushed(QueuedOperation)
    /// So many documents of the origin were read and compared with the copy's.
    case pulled(Int)
    case conflict(SyncConflict, SyncConflict.Resolution)
    case failed(QueuedOperation, DocumentFailure)
    /// The way operations are sent has changed, or the origin makes no progress.
    case flow(FlowChange)
}
