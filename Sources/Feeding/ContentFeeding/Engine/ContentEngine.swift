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
