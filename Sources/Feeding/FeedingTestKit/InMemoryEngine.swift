public import ContentFeeding
import JSONText
import Synchronization

/// An engine with collections in memory, for tests of programs that feed.
///
/// ```swift
/// let engine = InMemoryEngine()
/// try await engine.create("WebCollection", settings: [])
/// let feeder = DocumentFeeder(engine: try await engine.collection(named: "WebCollection"))
/// ```
///
/// The engine satisfies ``EngineContract``. A test that needs failures, or inspects the operations that were sent, can
/// create an ``InMemoryCollection`` directly.
public final class InMemoryEngine: CollectionAdministration {
    /// The address: `memory:`.
    public let target = "memory:"
    private let collections = Mutex<[CollectionName: InMemoryCollection]>([:])

    /// Creates an engine without collections.
    public init() {}

    /// Lists the collections by name.
    public func list() async throws(EngineError) -> [CollectionDescription] {
        collections.withLock { $0.values.map(\.description) }.sorted { $0.name < $1.name }
    }

    /// Describes a collection.
    public func show(_ name: CollectionName) async throws(EngineError) -> CollectionDescription {
        try existing(name).description
    }

    /// Creates an empty collection, which has no settings.
    public func create(_ name: CollectionName, settings: [CollectionSetting]) async throws(EngineError) {
        try Self.rules.validate(name)
        if let setting = settings.first {
            throw EngineError(.unsupported, "a collection in memory has no setting '\(setting.name)'")
        }
        let isNew = collections.withLock { collections in
            guard collections[name] == nil else { return false }
            collections[name] = InMemoryCollection(named: name)
            return true
        }
        guard isNew else { throw EngineError(.collectionExists, "there is already a collection '\(name)'") }
    }

    /// Removes all documents of a collection, and returns their number.
    public func clear(_ name: CollectionName) async throws(EngineError) -> Int { try existing(name).clear() }

    /// Removes a collection, and returns the number of its documents; from then on, engines bound to the collection
    /// report it as missing.
    public func delete(_ name: CollectionName) async throws(EngineError) -> Int? {
        let collection = try existing(name)
        collections.withLock { $0[name] = nil }
        return collection.drop()
    }

    /// Does nothing, because there is nothing to merge.
    public func optimize(
        _ name: CollectionName,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws(EngineError) -> OptimizationReport {
        let bytes = try existing(name).description.bytes ?? 0
        return OptimizationReport(merged: 0, bytesBefore: bytes, bytesAfter: bytes)
    }

    /// Binds to a collection.
    public func collection(named name: CollectionName) async throws(EngineError) -> any CollectionEngine {
        try existing(name)
    }

    private func existing(_ name: CollectionName) throws(EngineError) -> InMemoryCollection {
        guard let collection = collections.withLock({ $0[name] }) else { throw .missing(name) }
        return collection
    }

    private static let rules = CollectionNameRules(maximumByteCount: 128) { name in
        name.contains("/") ? "contains a '/'" : nil
    }
}

extension EngineError {
    /// Returns the error for a collection that was never created, or was deleted.
    static func missing(_ name: CollectionName) -> EngineError {
        EngineError(.missingCollection, "there is no collection '\(name)'", advice: "create it first")
    }
}

/// A collection in memory that records the batches it receives, and can fail according to a script.
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
    /// The capabilities that the collection declares; a feeder adapts to them.
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
    ///   - ids: IDs of the initial documents, which are empty objects.
    ///   - name: The collection's name.
    ///   - script: Replies to the first batches, which then have no effect. For a `nil` reply, and after the end of the
    ///     script, batches are applied.
    ///   - capabilities: The capabilities that the collection declares. They don't change the collection's behavior: to
    ///     simulate an engine that can't recognize missing documents, a test needs a script as well.
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

    /// The batches received, including those answered from the script.
    public var batches: [ContentBatch] { state.withLock { $0.batches } }

    /// The requested levels of visibility or durability.
    public var raised: [CompletionLevel] { state.withLock { $0.raised } }

    /// The IDs of the existing documents.
    public var ids: Set<DocumentID> { state.withLock { Set($0.documents.keys) } }

    /// Applies a batch, or replies according to the script.
    public func apply(_ batch: ContentBatch) async -> BatchReply {
        state.withLock { state in
            state.batches.append(batch)
            if !state.script.isEmpty, let reply = state.script.removeFirst() { return reply }
            guard !state.isDropped else {
                let failure = DocumentFailure(.rejectedByEngine, EngineError.missing(collection).message)
                return .failed(BatchFailure(.stop(.missingCollection), failure))
            }
            return .results(batch.items.map { Self.apply($0.operation, addsMissing: batch.addsMissing, to: &state) })
        }
    }

    private static func apply(
        _ operation: ContentOperation,
        addsMissing: Bool,
        to state: inout State
    ) -> OperationResult {
        let id = operation.documentID
        let old = state.documents[id]
        do {
            switch operation.kind {
            case .remove: return .done(state.documents.removeValue(forKey: id) == nil ? .missing : .removed)
            case .add:
                _ = try JSONMembers(of: operation.json.span)
                state.store(id, operation.json)
                return .done(old == nil ? .added : .updated)
            case .update:
                guard let old else {
                    guard addsMissing else { return .done(.missing) }
                    state.store(id, try operation.addedDocument().json)
                    return .done(.added)
                }
                guard let merged = try JSONPatch.merged(base: old.json, patch: operation.json) else {
                    return .done(.noop)
                }
                state.store(id, merged)
                return .done(.updated)
            }
        } catch let error as JSONPatchError {
            return .failed(DocumentFailure(.rejectedByEngine, error.description))
        } catch {
            return .failed(DocumentFailure(.rejectedByEngine, "the document is not a JSON object: \(error)"))
        }
    }

    /// Records the level; applied operations have reached every level.
    public func raise(to level: CompletionLevel) async throws(EngineError) {
        state.withLock { $0.raised.append(level) }
    }

    /// Returns the documents of the first of `ids`, as many as fit into `maximumBytes`.
    public func get(_ ids: ArraySlice<DocumentID>, maximumBytes: Int) async throws(EngineError) -> DocumentPage {
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

    /// Returns a page of the matching documents, sorted by ID; accents matter, but case does not.
    public func find(_ query: SearchQuery, after cursor: SearchCursor?) async throws(EngineError) -> SearchPage {
        try refuseOrder(of: query)
        if query.expression != nil {
            throw EngineError(.unsupported, "a collection in memory has no query language of its own")
        }
        let last = try cursor.map { cursor throws(EngineError) in
            do throws(InvalidDocumentID) { return try DocumentID(cursor.rawValue) } catch {
                throw EngineError(.rejected, "'\(cursor.rawValue)' is not a cursor of this collection")
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

/// Matches a search query, split into words, against documents.
///
/// A word is a run of letters and digits, regardless of case. A query word that contains several words, such as
/// `e-mail`, must occur as a phrase; one without letters and digits matches nothing.
struct QueryMatcher {
    private let phrases: [[String]]
    private let fields: [SearchQuery.Field]

    init(_ query: SearchQuery) {
        phrases = (query.words + query.phrases).map(Self.words)
        fields = query.fields
    }

    func matches(_ json: [UInt8]) -> Bool {
        var texts: [[String]] = []
        guard (try? JSONStrings.visit(json.span) { texts.append(Self.words($0)) }) != nil else { return false }
        return phrases.allSatisfy { phrase in texts.contains { Self.contains($0, phrase) } }
            && fields.allSatisfy { field in
                (try? JSONStrings.field(field.name, of: json.span, equals: field.value)) ?? false
            }
    }

    private static func words(_ text: String) -> [String] {
        text.split { !$0.isLetter && !$0.isNumber }.map { $0.lowercased() }
    }

    private static func contains(_ words: [String], _ phrase: [String]) -> Bool {
        guard !phrase.isEmpty, phrase.count <= words.count else { return false }
        return (0...words.count - phrase.count).contains { words[$0...].starts(with: phrase) }
    }
}
