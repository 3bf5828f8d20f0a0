/// An engine bound to one collection: what a feeder feeds.
///
/// It translates; the feeder decides. It keeps no order, counts no attempts and retries nothing.
public protocol ContentEngine: Sendable {
    var collection: CollectionName { get }
    var capabilities: EngineCapabilities { get }

    /// Applies a batch and says what became of each operation, or of all. Never throws: every failure is a reply.
    func apply(_ batch: ContentBatch) async -> BatchReply

    /// Brings everything applied so far up to `level`.
    func raise(to level: CompletionLevel) async throws(EngineError)
}

/// An engine that stores a job's progress together with the effects of its batches.
public protocol ProgressKeepingEngine: ContentEngine {
    /// The progress of the job's last batch that took effect; `nil` for a job that it does not know.
    func progress(of job: JobID) async throws(EngineError) -> FeedProgress?

    /// Forgets a job that has ended.
    func forget(_ job: JobID) async throws(EngineError)
}

/// An engine's collection that can be read.
public protocol SearchableEngine: Sendable {
    var collection: CollectionName { get }

    /// The documents of the first of `ids`, as far as they fit into `maximumBytes`, in the order of `ids`.
    ///
    /// An engine looks at one ID at least, and reads no further than the document that reaches the limit. Go on with
    /// the IDs from ``DocumentPage/looked`` on.
    func get(_ ids: ArraySlice<DocumentID>, maximumBytes: Int) async throws(EngineError) -> DocumentPage

    /// Which of `ids` are there: one answer for each, in their order.
    func exists(_ ids: [DocumentID]) async throws(EngineError) -> [Bool]

    /// The next page of what `query` finds; start with a `nil` cursor, end with a page that has none.
    func find(_ query: SearchQuery, after cursor: SearchCursor?) async throws(EngineError) -> SearchPage

    /// Ends a search before its last page, so that the engine keeps nothing for it; also in a task that is cancelled.
    func close(_ cursor: SearchCursor) async

    /// The live documents.
    func count() async throws(EngineError) -> Int
}

extension SearchableEngine {
    /// Where a cursor is only a place, nothing is kept.
    public func close(_ cursor: SearchCursor) async {}

    /// The documents of `ids` that are there, in the order of `ids`: all of them at once, however large they are.
    public func get(_ ids: [DocumentID]) async throws(EngineError) -> [StoredDocument] {
        var documents: [StoredDocument] = []
        var rest = ids[...]
        while !rest.isEmpty {
            let page = try await get(rest, maximumBytes: .max)
            documents += page.documents
            rest = rest.dropFirst(page.looked)
        }
        return documents
    }
}

/// Both in one: what `collection(named:)` returns.
public typealias CollectionEngine = ContentEngine & SearchableEngine

/// Operations that travel to the engine together; no two of them are on the same document.
public struct ContentBatch: Sendable {
    public struct Item: Hashable, Sendable {
        public let id: OperationID
        public let operation: ContentOperation

        public init(id: OperationID, operation: ContentOperation) {
            self.id = id
            self.operation = operation
        }
    }

    /// Unique within a job; a batch that is sent again has a new one.
    public let id: BatchID
    public let items: [Item]
    /// Where the job stands once this batch is settled whole; `nil` for an engine that does not keep progress.
    ///
    /// Such an engine settles every operation of a batch or none, and stores the union with what it has.
    public let progress: FeedProgress?

    public init(id: BatchID, items: [Item], progress: FeedProgress? = nil) {
        self.id = id
        self.items = items
        self.progress = progress
    }

    public var byteCount: Int { items.reduce(0) { $0 + $1.operation.byteCount } }
}

/// Counts the batches of one run, from 1.
public struct BatchID: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// What an engine says of a batch.
public enum BatchReply: Hashable, Sendable {
    /// One result for each operation, in the order of the batch.
    case results([OperationResult])
    /// The batch as a whole came to nothing, or nobody knows.
    case failed(BatchFailure)
}

/// What an engine says of one operation.
///
/// Failures are boxed: there may be a result for each of a million operations, and nearly all of them say `done`.
public enum OperationResult: Hashable, Sendable {
    /// It was done: `removed`, `missing`, `gone`, `added`, `updated`, `noop`, `stale` or `dropped`.
    case done(Outcome)
    /// It will never succeed.
    indirect case failed(DocumentFailure)
    /// It had no effect and may succeed later; that costs no attempt.
    indirect case notNow(DocumentFailure)
    /// Somebody else changed the document in between, so it had no effect: it is tried again on what is there now.
    ///
    /// That says nothing of the engine, and counts as an attempt.
    indirect case outdated(DocumentFailure)
    /// It may have had its effect, or may still have it.
    indirect case unknown(DocumentFailure)
}

/// Why a whole batch did not come to a result.
public struct BatchFailure: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// Nothing of it had an effect, and it can be sent again.
        ///
        /// Charged failures use up the operations' attempts; one that says nothing about the operations (a refused
        /// connection) is not.
        case definite(isCharged: Bool)
        /// It may have had effects, or may still have them.
        case ambiguous
        /// Every operation of it failed for good.
        case permanent
        /// One of its operations spoils it: send it in halves.
        ///
        /// Others may have had their effect before the answer; none has it later.
        case split(mayHaveApplied: Bool)
        /// Nothing of it had an effect, because it has more bytes than the engine takes at a time.
        case tooLarge
        /// Nothing of it had an effect, and the engine asks for a pause. Costs no attempt.
        case slowDown(Duration)
        /// Nothing of it had an effect, and nothing further will succeed: the job must stop.
        case stop(EngineError.Code)
    }

    public let kind: Kind
    public let failure: DocumentFailure

    public init(_ kind: Kind, _ failure: DocumentFailure) {
        self.kind = kind
        self.failure = failure
    }
}

/// What an engine can promise, and what it limits.
///
/// The feeder adapts to it.
public struct EngineCapabilities: Hashable, Sendable {
    /// Tells a removed document from one that was not there.
    public var reportsMissing = true
    /// A batch happens whole or not at all, and a failure says which.
    public var isTransactional = false
    /// Stores a batch's progress together with its effects, so a repeated batch has none.
    public var keepsProgress = false
    /// A late copy of an old operation can't undo a newer one.
    public var hasFence = false
    /// How far a batch has come when `apply` returns.
    public var appliedLevel = CompletionLevel.secured
    /// How long a request may live on inside the engine after its client gave up.
    public var quarantine = Duration.seconds(60)
    /// Batches that it takes at the same time.
    public var maximumBatchesInFlight = 4
    public var maximumBatchCount = Int.max
    /// Gives a document back byte by byte as it was fed; else only what it says is the same.
    public var keepsDocumentBytes = true
    /// In bytes.
    public var maximumBatchBytes = Int.max
    /// In bytes of UTF-8.
    public var maximumIDBytes = DocumentID.maximumByteCount

    /// A folder on the engine's own disk for what must not fill memory; `nil` for an engine elsewhere.
    public var spillDirectory: String?

    public init() {}
}

/// How far an operation has come inside the engine.
public enum CompletionLevel: String, Hashable, Sendable, Comparable, CaseIterable {
    /// The engine has it.
    case submitted
    /// The engine has worked on it.
    case processed
    /// It survives a crash of the engine.
    case secured
    /// Searches see it.
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
