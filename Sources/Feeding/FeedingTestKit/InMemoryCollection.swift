public import ContentFeeding
import JSONText
import Synchronization

/// A collection in memory that remembers what it was sent, and fails as it is told.
///
/// ```swift
/// let collection = InMemoryCollection(["ID1"], script: [.failed(BatchFailure(.ambiguous, failure))])
/// let feeder = DocumentFeeder(engine: collection)
/// try await feeder.removeDocument("ID1")
/// await feeder.close()
/// // The first batch was answered with the failure, so it was sent again.
/// assert(collection.batches.count == 2 && collection.ids.isEmpty)
/// ```
public final class InMemoryCollection: ContentEngine, SearchableEngine {
    /// The collection's name.
    public let collection: CollectionName
    /// What the collection says of itself; a feeder adapts to it.
    public let capabilities: EngineCapabilities
    private let state: Mutex<State>

    private struct State {
        var documents: [DocumentID: StoredDocument] = [:]
        var version: Int64 = 0
        var script: [BatchReply?]
        var batches: [ContentBatch] = []
        var raised: [CompletionLevel] = []
        var isDropped = false

        mutating func store(_ id: DocumentID, _ json: [UInt8]) {
            version += 1
            documents[id] = StoredDocument(id: id, version: version, json: json)
        }
    }

    /// Creates a collection.
    ///
    /// - Parameters:
    ///   - ids: IDs of documents that are there from the beginning, each an empty object.
    ///   - name: The collection's name.
    ///   - script: Replies to the first batches, which then have no effect. For `nil` in it, and after its end, batches
    ///     are applied.
    ///   - capabilities: What the collection says of itself. It does not act on it: a test of an engine that can't tell
    ///     missing documents needs a script as well.
    public init(
        _ ids: some Sequence<DocumentID> = [],
        named name: CollectionName = "WebCollection",
        script: [BatchReply?] = [],
        capabilities: EngineCapabilities = EngineCapabilities()
    ) {
        collection = name
        self.capabilities = capabilities
        var state = State(script: script)
        for id in ids { state.store(id, Array("{}".utf8)) }
        self.state = Mutex(state)
    }

    /// The batches that came, those answered from the script included.
    public var batches: [ContentBatch] { state.withLock { $0.batches } }

    /// The levels that were asked for.
    public var raised: [CompletionLevel] { state.withLock { $0.raised } }

    /// The IDs of the documents that are there.
    public var ids: Set<DocumentID> { state.withLock { Set($0.documents.keys) } }

    /// Applies a batch, or answers it from the script.
    public func apply(_ batch: ContentBatch) async -> BatchReply {
        state.withLock { state in
            state.batches.append(batch)
            if !state.script.isEmpty, let reply = state.script.removeFirst() { return reply }
            guard !state.isDropped else {
                let failure = DocumentFailure(.rejectedByEngine, EngineError.missing(collection).message)
                return .failed(BatchFailure(.stop(.missingCollection), failure))
            }
            return .results(batch.items.map { Self.apply($0.operation, to: &state) })
        }
    }

    private static func apply(_ operation: ContentOperation, to state: inout State) -> OperationResult {
        let id = operation.documentID
        let old = state.documents[id]
        do throws(JSONError) {
            switch operation.kind {
            case .remove: return .done(state.documents.removeValue(forKey: id) == nil ? .missing : .removed)
            case .add:
                _ = try JSONMembers(of: operation.json.span)
                state.store(id, operation.json)
                return .done(old == nil ? .added : .updated)
            case .update:
                guard let old else { return .done(.missing) }
                guard let merged = try JSONMerge.merged(base: old.json, patch: operation.json) else {
                    return .done(.noop)
                }
                state.store(id, merged)
                return .done(.updated)
            }
        } catch {
            return .failed(DocumentFailure(.rejectedByEngine, "the document is not a JSON object: \(error)"))
        }
    }

    /// Notes the level; applied operations have reached every level.
    public func raise(to level: CompletionLevel) async throws(EngineError) {
        state.withLock { $0.raised.append(level) }
    }

    /// Returns the documents of the first of `ids`, as many as fit into `maximumBytes`.
    public func get(
        _ ids: ArraySlice<DocumentID>,
        maximumBytes: Int
    ) async throws(EngineError) -> DocumentPage {
        let documents = try documents()
        var page = DocumentPage(documents: [], looked: 0)
        var bytes = 0
        for id in ids where page.looked == 0 || bytes < maximumBytes {
            page.looked += 1
            guard let document = documents[id] else { continue }
            bytes += document.json.count
            page.documents.append(document)
        }
        return page
    }

    /// Returns which of `ids` exist.
    public func exists(_ ids: [DocumentID]) async throws(EngineError) -> [Bool] {
        let documents = try documents()
        return ids.map { documents[$0] != nil }
    }

    /// Returns the number of documents.
    public func count() async throws(EngineError) -> Int { try documents().count }

    /// Returns a page of the documents that match, by ID; accents matter, unlike case.
    public func find(_ query: SearchQuery, after cursor: SearchCursor?) async throws(EngineError) -> SearchPage {
        if query.expression != nil {
            throw EngineError(.unsupported, "a collection in memory has no query language of its own")
        }
        let last = try cursor.map { cursor throws(EngineError) in
            do throws(InvalidDocumentID) { return try DocumentID(cursor.rawValue) } catch {
                throw EngineError(.rejected, "'\(cursor.rawValue)' is no cursor of this collection")
            }
        }
        let matcher = QueryMatcher(query)
        let found = try documents().values
            .filter { document in last.map { $0 < document.id } ?? true && matcher.matches(document.json) }
            .sorted { $0.id < $1.id }
        let page = found.prefix(Self.pageSize).map { document in
            let json = query.includesDocuments ? document.json : Array("{}".utf8)
            return StoredDocument(id: document.id, version: document.version, json: json)
        }
        let next = found.count > page.count ? page.last.map { SearchCursor(rawValue: $0.id.text) } : nil
        return SearchPage(documents: page, next: next)
    }

    private static let pageSize = 500

    private func documents() throws(EngineError) -> [DocumentID: StoredDocument] {
        guard let documents = state.withLock({ $0.isDropped ? nil : $0.documents }) else { throw .missing(collection) }
        return documents
    }

    var description: CollectionDescription {
        state.withLock { state in
            let bytes = state.documents.values.reduce(0) { $0 + $1.json.count + $1.id.byteCount }
            return CollectionDescription(name: collection, documents: state.documents.count, waiting: 0, bytes: bytes)
        }
    }

    func clear() -> Int {
        state.withLock { state in
            defer { state.documents = [:] }
            return state.documents.count
        }
    }

    func drop() -> Int {
        state.withLock { $0.isDropped = true }
        return clear()
    }
}
