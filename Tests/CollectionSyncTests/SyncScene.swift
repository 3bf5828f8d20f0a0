import CollectionSync
import ContentFeeding
import EngineSQLite
import Synchronization
import TestSupport
import Testing

/// An origin in one store, and copies of it in separate stores.
final class SyncScene: Sendable {
    static let name: CollectionName = "web"

    let folder: TemporaryFolder
    let origin: SQLiteEngine

    init() async throws {
        folder = try TemporaryFolder()
        origin = try await SQLiteEngine.create(path: folder.path("origin.sqlite"))
        try await origin.create(Self.name, settings: [])
    }

    /// Returns the path of a client's store.
    func path(_ client: String) -> String { folder.path(client + ".sqlite") }

    func client(
        _ client: String,
        keys: [String] = [],
        query: SearchQuery = SearchQuery(),
        removedMark: SearchQuery.Field? = nil
    ) async throws -> SyncClient {
        let store = try await SQLiteEngine.create(path: path(client))
        let from = CopyOrigin(
            target: origin.target,
            collection: Self.name,
            query: query,
            keys: keys,
            removedMark: removedMark
        )
        try await store.createCopy(Self.name, of: from)
        return try await SyncClient(store, of: origin)
    }

    func collection() async throws -> any CollectionEngine { try await origin.collection(named: Self.name) }

    func apply(_ operations: ContentOperation...) async throws {
        _ = try await collection().results(of: operations)
    }
}

/// A copy, its documents, and the connection to its origin.
struct SyncClient: Sendable {
    let store: SQLiteEngine
    let documents: any CollectionEngine
    let synced: SyncedCollection
    let openings: Openings

    /// The number of times that the origin was opened.
    final class Openings: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }
        func add() { count.withLock { $0 += 1 } }
    }

    init(
        _ store: SQLiteEngine,
        of origin: any CollectionAdministration,
        options: SyncOptions = SyncOptions(),
        wrapping wrap: (any LocalCopy) -> any LocalCopy = { $0 }
    ) async throws {
        self.store = store
        documents = try await store.collection(named: SyncScene.name)
        let openings = Openings()
        self.openings = openings
        synced = SyncedCollection(wrap(try await store.copy(named: SyncScene.name)), options: options) {
            openings.add()
            return try await origin.collection(named: SyncScene.name)
        }
    }

    @discardableResult
    func apply(_ operations: ContentOperation...) async throws -> [OperationResult] {
        try await documents.results(of: operations)
    }
}

extension ContentEngine where Self: SearchableEngine {
    /// Applies operations without a job.
    func results(of operations: [ContentOperation]) async throws -> [OperationResult] {
        let items = operations.enumerated().map {
            ContentBatch.Item(id: OperationID(rawValue: UInt64($0) + 1), operation: $1)
        }
        let reply = await apply(ContentBatch(id: BatchID(rawValue: 1), items: items))
        guard case .results(let results) = reply else { throw EngineError(.rejected, "answered with \(reply)") }
        return results
    }

    /// All documents, by ID.
    func contents() async throws -> [String: String] {
        var contents: [String: String] = [:]
        var cursor: SearchCursor?
        repeat {
            let page = try await find(SearchQuery(), after: cursor)
            for document in page.documents {
                contents[document.id.text] = String(decoding: document.json, as: UTF8.self)
            }
            cursor = page.next
        } while cursor != nil
        return contents
    }
}

func document(_ id: DocumentID, _ json: String) -> Document { Document(id: id, json: Array(json.utf8)) }

/// A delegate that decides with a closure.
struct Deciding: ConflictDelegate {
    let decide: @Sendable (SyncConflict) async throws -> SyncConflict.Resolution

    func resolve(_ conflict: SyncConflict) async throws -> SyncConflict.Resolution { try await decide(conflict) }
}
