public import ContentFeeding
import SQLiteStore

/// Collections in one SQLite file, with full-text search: the embedded engine.
///
/// A batch and its progress are one transaction, so an operation takes effect exactly once. What is removed is gone at
/// once for every reader; its bytes go when the collection is optimized.
public struct SQLiteEngine: CollectionAdministration {
    /// How a store is opened.
    public struct Options: Hashable, Sendable {
        /// How long to wait for another process that writes.
        public var busyTimeout = Duration.seconds(30)
        /// The most memory for pages of the file, in bytes.
        public var cacheBytes = 32 << 20

        public init() {}
    }

    public let target: String
    let store: Store

    /// Opens the store at `path`, which must be there.
    public static func open(path: String, options: Options = Options()) async throws(EngineError) -> SQLiteEngine {
        SQLiteEngine(store: try await Store.open(path, options, create: false))
    }

    /// Opens the store at `path`, and makes it if it is not there: readable for its owner only, as are the folders that
    /// are made for it.
    public static func create(path: String, options: Options = Options()) async throws(EngineError) -> SQLiteEngine {
        SQLiteEngine(store: try await Store.open(path, options, create: true))
    }

    private init(store: Store) {
        self.store = store
        target = "sqlite:" + store.path
    }

    public func collection(named name: CollectionName) async throws(EngineError) -> any CollectionEngine {
        _ = try await store.read { connection in try CollectionRecord.find(name, in: connection) }
        return SQLiteCollection(collection: name, store: store)
    }

    public func create(_ name: CollectionName, settings: [CollectionSetting]) async throws(EngineError) {
        try name.validate()
        if let setting = settings.first {
            throw EngineError(
                .rejected,
                "a collection of this engine has no setting '\(setting.name)'",
                advice: "leave the settings out: every collection is searched in the same way"
            )
        }
        try await store.write { connection in try CollectionRecord.create(name, in: connection) }
    }
}
