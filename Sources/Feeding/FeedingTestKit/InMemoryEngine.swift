public import ContentFeeding
import Synchronization

/// An engine whose collections are in memory, for tests of programs that feed.
///
/// ```swift
/// let engine = InMemoryEngine()
/// try await engine.create("WebCollection", settings: [])
/// let feeder = DocumentFeeder(engine: try await engine.collection(named: "WebCollection"))
/// ```
///
/// It keeps the laws of ``EngineContract``. A test that needs failures, or wants to see what was sent, makes an
/// ``InMemoryCollection`` itself.
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

    /// Creates an empty collection; there are no settings.
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
        guard isNew else { throw EngineError(.collectionExists, "there already is a collection '\(name)'") }
    }

    /// Removes all documents of a collection, and returns how many there were.
    public func clear(_ name: CollectionName) async throws(EngineError) -> Int { try existing(name).clear() }

    /// Removes a collection, and returns how many documents it had; who is still bound to it is told that it is gone.
    public func delete(_ name: CollectionName) async throws(EngineError) -> Int? {
        let collection = try existing(name)
        collections.withLock { $0[name] = nil }
        return collection.drop()
    }

    /// Does nothing: nothing waits to be merged.
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
    /// A collection that was never created, or is gone.
    static func missing(_ name: CollectionName) -> EngineError {
        EngineError(.missingCollection, "there is no collection '\(name)'", advice: "create it first")
    }
}
