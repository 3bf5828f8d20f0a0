public import TextKit

/// An engine bound to one collection, which is the target of a feeder.
///
/// The engine translates operations into requests; the feeder makes the decisions. The engine does not keep operations
/// in order, count attempts or retry.
public protocol ContentEngine: Sendable {
    var collection: CollectionName { get }
    var capabilities: EngineCapabilities { get }

    /// The collection as a versioned engine; `nil` if it does not report the versions of its documents.
    ///
    /// An engine that wraps another one returns the wrapped engine's value, unless it compares contents itself.
    var versions: (any VersionedEngine)? { get }

    /// Checks, before a feed reads its input, that the engine can carry out the feed and report it truthfully.
    ///
    /// Throws `unsupported` with the reason and an alternative.
    func check(_ intent: FeedIntent) async throws(EngineError)

    /// Returns a sentence about relevant facts that may be hidden from the engine; `nil` if it has access to all of
    /// them.
    ///
    /// The feed continues in spite of hidden facts, but its user is informed.
    func unseen(by intent: FeedIntent) -> String?

    /// Returns the identity of the collection; `nil` if it is unknown or does not matter for the feed.
    ///
    /// The identity distinguishes the collection from a later one with the same name, in which removed documents may
    /// exist again.
    func incarnation(for intent: FeedIntent) -> String?

    /// Applies a batch, and returns the result of each operation or of the whole batch.
    ///
    /// This method never throws: every failure is a reply.
    func apply(_ batch: ContentBatch) async -> BatchReply

    /// Raises all operations applied so far to `level`.
    func raise(to level: CompletionLevel) async throws(EngineError)
}

extension ContentEngine {
    /// Returns `nil` for an engine whose documents have no versions.
    public var versions: (any VersionedEngine)? { nil }

    /// Refuses a copy that would be incomplete according to ``EngineCapabilities/readingLoss``.
    ///
    /// An engine that must ask the server implements its own check.
    public func check(_ intent: FeedIntent) async throws(EngineError) {
        guard intent.isBackedUp, let loss = capabilities.readingLoss else { return }
        throw EngineError(
            .unsupported,
            "a backup of \(collection) would be incomplete: \(loss)",
            advice: "omit --backup if the documents can be fed again from elsewhere"
        )
    }

    /// Returns `nil` for an engine that can see everything relevant.
    public func unseen(by intent: FeedIntent) -> String? { nil }

    /// Returns `nil` for an engine that keeps the job with the collection, or can't determine the identity.
    public func incarnation(for intent: FeedIntent) -> String? { nil }
}

/// The purpose of a feed.
public struct FeedIntent: Hashable, Sendable {
    /// The kind of operations in the feed.
    public var kind: ContentOperation.Kind
    /// Whether documents are copied before they are removed.
    public var isBackedUp: Bool
    /// Whether an update adds a document that does not exist.
    public var addsMissing: Bool

    /// Creates an intent.
    public init(_ kind: ContentOperation.Kind, isBackedUp: Bool = false, addsMissing: Bool = false) {
        (self.kind, self.isBackedUp, self.addsMissing) = (kind, isBackedUp, addsMissing)
    }
}

/// A readable collection of an engine.
public protocol SearchableEngine: Sendable {
    var collection: CollectionName { get }

    /// Returns the documents of as many of the first `ids` as fit into `maximumBytes`, in the order of `ids`.
    ///
    /// An engine examines at least one ID, and stops reading at the document that reaches the limit. To continue, skip
    /// the first ``DocumentPage/looked`` IDs.
    func get(_ ids: ArraySlice<DocumentID>, maximumBytes: Int) async throws(EngineError) -> DocumentPage

    /// Returns whether a document exists for each of `ids`, in the same order.
    func exists(_ ids: [DocumentID]) async throws(EngineError) -> [Bool]

    /// Looks up the documents of the first `keys`, with the limits of ``get(_:maximumBytes:)``.
    ///
    /// A key without a routing value finds its document with any routing value. To continue, skip as many keys as the
    /// page has answers.
    func get(at keys: ArraySlice<DocumentKey>, maximumBytes: Int) async throws(EngineError) -> LookupPage

    /// Returns documents as ``get(at:maximumBytes:)`` does, but only complete ones, from which the collection's
    /// documents can be restored.
    ///
    /// Throws `unsupported`, naming the field or the document, if a part of a document would be lost.
    func copies(at keys: ArraySlice<DocumentKey>, maximumBytes: Int) async throws(EngineError) -> LookupPage

    /// Returns whether a document exists for each of `keys`, in the same order.
    func exists(at keys: [DocumentKey]) async throws(EngineError) -> [Bool]

    /// Returns those of a document's top-level keys that the engine fills from the others, and therefore omits when it
    /// returns the document, even if they were fed.
    func derivedKeys(among keys: [String]) async throws(EngineError) -> Set<String>

    /// Returns a description, as a sentence fragment, of the documents that lookups by ID have missed so far; `nil` if
    /// they have missed none.
    func lookupReservation() async -> String?

    /// Returns the next page of results for `query`.
    ///
    /// Start with a `nil` cursor, and stop at a page without a next cursor.
    func find(_ query: SearchQuery, after cursor: SearchCursor?) async throws(EngineError) -> SearchPage

    /// Ends a search before its last page, so the engine can release its resources.
    ///
    /// This works even in a canceled task.
    func close(_ cursor: SearchCursor) async

    /// Counts the most frequent values of keys in all documents that match `query`, regardless of its order.
    ///
    /// Throws `unsupported`, naming the key, if its values can't be counted.
    func facets(_ keys: [FacetKey], of query: SearchQuery) async throws(EngineError) -> FacetCounts

    /// Returns the number of live documents.
    func count() async throws(EngineError) -> Int

    /// Returns a description, as a sentence fragment, of the documents that counts have missed so far; `nil` if they
    /// have missed none.
    func countReservation() async -> String?
}

extension SearchableEngine {
    /// Returns no keys, for an engine that returns each key that was fed.
    public func derivedKeys(among keys: [String]) async throws(EngineError) -> Set<String> { [] }

    /// Does nothing, for an engine whose cursors are only positions and need no cleanup.
    public func close(_ cursor: SearchCursor) async {}

    /// Returns `nil` for an engine that counts every live document.
    public func countReservation() async -> String? { nil }

    /// Returns the documents unchanged for an engine that returns documents exactly as they were fed.
    public func copies(at keys: ArraySlice<DocumentKey>, maximumBytes: Int) async throws(EngineError) -> LookupPage {
        try await get(at: keys, maximumBytes: maximumBytes)
    }

    /// Returns the documents of `ids` that exist, in the order of `ids`: all of them at once, regardless of their size.
    public func get(_ ids: [DocumentID]) async throws(EngineError) -> [StoredDocument] {
        var documents: [StoredDocument] = []
        var rest = ids[...]
        while !rest.isEmpty {
            let page = try await get(rest, maximumBytes: .max)
            guard page.looked > 0 else { throw EngineError(answers: page.looked, of: rest.count) }
            documents += page.documents
            rest = rest.dropFirst(page.looked)
        }
        return documents
    }

    /// Finds the documents that match a query, and passes them on page by page until `body` returns false.
    ///
    /// A search that does not reach its end is closed.
    package func forEachFoundPage(
        of query: SearchQuery,
        _ body: (SearchPage) async throws -> Bool
    ) async throws {
        var cursor: SearchCursor?
        do {
            repeat {
                let page = try await find(query, after: cursor)
                cursor = page.next
                guard try await body(page) else { break }
            } while cursor != nil
        } catch {
            if let cursor { await close(cursor) }
            throw error
        }
        if let cursor { await close(cursor) }
    }
}

/// A collection that can be fed and read, as `collection(named:)` returns it.
public typealias CollectionEngine = ContentEngine & SearchableEngine

/// A group of operations sent to the engine together, each on a different document.
public struct ContentBatch: Sendable {
    /// An operation in a batch, and its ID.
    public struct Item: Hashable, Sendable {
        /// The operation's ID in its job.
        public let id: OperationID
        /// The operation itself.
        public let operation: ContentOperation
        /// Whether an earlier copy of the operation may have taken effect, or may still do so.
        public let mayHaveApplied: Bool

        /// Creates an item of a batch.
        public init(id: OperationID, operation: ContentOperation, mayHaveApplied: Bool = false) {
            self.id = id
            self.operation = operation
            self.mayHaveApplied = mayHaveApplied
        }
    }

    /// The batch's number, unique within a run; a batch that is sent again gets a new number.
    public let id: BatchID
    /// The operations, in the order in which their results are expected.
    public let items: [Item]
    /// The batch's contribution to the job's progress; `nil` if the engine does not keep progress, or the feed has no
    /// job.
    ///
    /// An engine that keeps progress settles all operations of a batch or none of them, and stores this contribution in
    /// the same transaction.
    public let job: JobUpdate?
    /// The feed's treatment of missing documents, for an engine that also reports the feed's errors elsewhere.
    ///
    /// The results of the operations do not depend on it.
    public let missing: MissingPolicy
    /// Whether an update adds a document that does not exist, instead of reporting it as missing.
    public let addsMissing: Bool

    /// Creates a batch.
    public init(
        id: BatchID,
        items: [Item],
        job: JobUpdate? = nil,
        missing: MissingPolicy = .error,
        addsMissing: Bool = false
    ) {
        self.id = id
        self.items = items
        self.job = job
        self.missing = missing
        self.addsMissing = addsMissing
    }

    /// Returns the batch with its operations or its contribution to the job replaced.
    package func replacing(_ items: [Item]? = nil, job: JobUpdate?) -> ContentBatch {
        ContentBatch(id: id, items: items ?? self.items, job: job, missing: missing, addsMissing: addsMissing)
    }

    /// The size of all operations, in bytes.
    public var byteCount: Int { items.reduce(0) { $0 + $1.operation.byteCount } }
}

/// The number of a batch within one run, starting at 1.
public struct BatchID: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// An engine's reply to a batch.
public enum BatchReply: Hashable, Sendable {
    /// One result for each operation, in the order of the batch.
    case results([OperationResult])
    /// The whole batch failed, or its result is unknown.
    case failed(BatchFailure)
}

/// An engine's result for one operation.
///
/// Failures are boxed, because there may be a million results, nearly all of them `done`.
public enum OperationResult: Hashable, Sendable {
    /// The operation was done: `removed`, `missing`, `gone`, `added`, `updated`, `noop`, `stale` or `dropped`.
    case done(Outcome)
    /// The operation will never succeed.
    indirect case failed(DocumentFailure)
    /// The operation had no effect and may succeed later; this does not count as an attempt.
    indirect case notNow(DocumentFailure)
    /// The operation had no effect because another client changed the document in the meantime; it is retried on the
    /// new version.
    ///
    /// This counts as an attempt, although it is not a failure of the engine.
    indirect case outdated(DocumentFailure)
    /// The operation may have taken effect, or may still do so.
    ///
    /// If the engine has `answered` the request completely, no copy of it is still in transit: the operation does not
    /// take effect later, so operations on the same document need not wait for it.
    indirect case unknown(DocumentFailure, answered: Bool = false)
}

/// The reason why a whole batch has no results.
public struct BatchFailure: Hashable, Sendable {
    /// The effect of the failure on the operations of the batch.
    public enum Kind: Hashable, Sendable {
        /// Nothing took effect, and the batch can be sent again.
        ///
        /// A charged failure uses up one attempt of each operation; a failure unrelated to the operations, such as a
        /// refused connection, is not charged.
        case definite(isCharged: Bool)
        /// The batch may have taken effect, or may still do so.
        case ambiguous
        /// Every operation failed permanently.
        case permanent
        /// One of the operations makes the whole batch fail, so the batch must be sent in halves.
        ///
        /// Other operations may have taken effect before the reply, but none will do so later.
        case split(mayHaveApplied: Bool)
        /// Nothing took effect, because the batch has more bytes than the engine accepts at once.
        case tooLarge
        /// Nothing took effect, and the engine requests a pause; this does not count as an attempt.
        case slowDown(Duration)
        /// Nothing took effect, and no further batch will succeed, so the job must stop.
        case stop(EngineError.Code)
    }

    /// The effect of the failure on the operations of the batch.
    public let kind: Kind
    /// The failure itself.
    public let failure: DocumentFailure

    /// Creates a failure of a whole batch.
    public init(_ kind: Kind, _ failure: DocumentFailure) {
        self.kind = kind
        self.failure = failure
    }
}

/// An engine's guarantees and limits.
///
/// The feeder adapts to them.
public struct EngineCapabilities: Hashable, Sendable {
    /// Whether the engine distinguishes a removed document from one that did not exist.
    public var reportsMissing = true
    /// Whether a batch takes effect either completely or not at all, and a failure shows which.
    public var isTransactional = false
    /// Whether the engine stores a batch's progress together with its effects, so a repeated batch has no effect.
    public var keepsProgress = false
    /// Whether the engine prevents a late copy of an old operation from undoing a newer one.
    public var hasFence = false
    /// The level that a batch has reached when `apply` returns.
    public var appliedLevel = CompletionLevel.secured
    /// The time for which the engine may continue to process a request after its client has given up.
    public var quarantine = Duration.seconds(60)
    /// The maximum number of batches that the engine accepts at the same time.
    public var maximumBatchesInFlight = 4
    /// The maximum number of operations in a batch.
    public var maximumBatchCount = Int.max
    /// The number of operations beyond which a larger batch brings little benefit.
    public var suitableBatchCount = 1_000
    /// Whether the engine returns the exact bytes of a document as it was fed; if not, only the meaning is the same.
    public var keepsDocumentBytes = true
    /// The reason why documents lack some of their parts when they are read back; `nil` if they are complete, or if
    /// only the server can determine this.
    ///
    /// Each caller decides how to react: a backup is refused, and a lookup prints a remark.
    public var readingLoss: String?
    /// The top-level keys to which the collection's documents are limited, as in an offline copy of some keys; empty if
    /// its documents are complete.
    ///
    /// A partial document must not replace a complete one.
    public var onlyKeys: [String] = []
    /// The top-level keys that the target itself sets in each document; they are ignored when contents are compared.
    public var keptKeys: [String] = []
    /// The maximum number of bytes in a batch.
    public var maximumBatchBytes = Int.max
    /// Whether the engine may remove the key that holds a document's ID, or add such a key to a document that was fed
    /// without one.
    public var mayChangeIDKey = false
    /// Whether the engine supports external versions: ``WriteCondition/olderThan(_:)``.
    public var takesExternalVersions = false
    /// Whether the engine compares contents: ``WriteCondition/contents(_:)``.
    public var comparesContents = false
    /// Whether the engine places documents by a routing value that the input may give.
    public var takesRouting = false
    /// The routing value of documents for which the input gives none; `nil` if they are placed by their IDs.
    public var defaultRouting: Routing?
    /// Whether the engine can sort the results of a search and count values in them.
    ///
    /// It may still refuse a key that its schema does not allow.
    public var sortsAndCounts = false
    /// The maximum length of an ID, in bytes of UTF-8.
    public var maximumIDBytes = DocumentID.maximumByteCount

    /// A folder on the engine's own disk for data that must not fill memory; `nil` for a remote engine.
    public var spillDirectory: String?

    /// Creates capabilities that fit most engines.
    public init() {}
}

/// The stage that an operation has reached inside the engine.
public enum CompletionLevel: String, Hashable, Sendable, Comparable, CaseIterable {
    /// The engine has the operation.
    case submitted
    /// The engine has processed the operation.
    case processed
    /// The operation survives a crash of the engine.
    case secured
    /// The operation's effect is visible to searches.
    case live

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .submitted: 0
        case .processed: 1
        case .secured: 2
        case .live: 3
        }
    }
}

/// The reason why an engine as a whole can't carry out a request.
public struct EngineError: Error, Sendable {
    /// The kind of failure.
    public let code: Code
    /// A description of the failure and the object concerned, as a fragment that can follow `error: `.
    public let message: String
    /// The next step, as a sentence or a command; `nil` if there is no advice.
    public let advice: String?
    /// The error that led to this one; `nil` if there was none, or if it adds no information.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, advice: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.advice = advice
        self.cause = cause
    }

    /// The kind of failure, for programs to act on.
    ///
    /// The list may grow.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String
        private init(_ name: String) { description = name }

        /// The target does not respond.
        public static let unreachable = Code("unreachable")
        /// The target responds, but it is damaged, or it is not the product that the address specifies.
        public static let unusable = Code("unusable")
        /// Another process held the lock for longer than the time limit.
        public static let locked = Code("locked")
        /// The disk is full.
        public static let diskFull = Code("disk-full")
        /// The operating system failed to read or write.
        public static let inputOutput = Code("input-output")
        /// The system has run out of memory, threads or open files.
        public static let exhausted = Code("exhausted")
        /// The credentials or the file's permissions do not allow the request.
        public static let permission = Code("permission")
        /// The collection does not exist.
        public static let missingCollection = Code("missing-collection")
        /// The collection already exists.
        public static let collectionExists = Code("collection-exists")
        /// The name violates the engine's rules for names.
        public static let invalidName = Code("invalid-name")
        /// The collection was replaced by another one during the feed.
        public static let collectionChanged = Code("collection-changed")
        /// The target does not exist: it was never created, or the address does not refer to any target.
        public static let missingTarget = Code("missing-target")
        /// The engine does not support the request at all.
        public static let unsupported = Code("unsupported")
        /// The requesting task was canceled; the request had no effect.
        public static let cancelled = Code("cancelled")
        /// The engine does not accept the request.
        public static let rejected = Code("rejected")
    }
}

extension EngineError: CustomStringConvertible {
    public var description: String { message }
}

// MARK: - For people

extension EngineError: AdvisedError {
    /// The error as shown to people, with its exit status.
    public var failure: Failure {
        Failure(ExitStatus(code), message, advice: advice ?? code.advice)
    }
}

extension ExitStatus {
    /// Creates the status of a command whose engine cannot continue.
    public init(_ code: EngineError.Code) {
        self =
            switch code {
            case .locked, .collectionChanged: .incomplete
            case .diskFull, .inputOutput: .inputOutput
            case .permission: .permission
            case .exhausted: .exhausted
            case .missingCollection, .collectionExists, .invalidName, .missingTarget, .unsupported, .rejected:
                .configuration
            default: .targetUnusable
            }
    }
}

extension EngineError.Code {
    /// The advice for an error for which the engine gives none.
    fileprivate var advice: String? {
        switch self {
        case .unreachable: "check the address, and whether the engine is running"
        case .unusable: "use another store with --target, or restore this one from a backup"
        case .locked: "run it again, or wait longer with --busy-timeout"
        case .diskFull: "free some disk space, then run it again"
        case .inputOutput: "check the disk, then run it again"
        case .permission: "check the owner of the file and its folder"
        case .exhausted: "raise the limits of this process (ulimit -n, -u, -v), then run it again"
        case .missingCollection, .collectionExists: "list the collections: fastctl collections list"
        case .missingTarget: "create it: fastctl collections create NAME"
        default: nil
        }
    }
}
