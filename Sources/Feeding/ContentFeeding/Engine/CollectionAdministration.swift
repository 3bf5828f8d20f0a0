/// An engine at an address, opened: its collections, and the way into one of them.
public protocol CollectionAdministration: Sendable {
    /// The address it was opened with, without secrets.
    var target: String { get }

    func list() async throws(EngineError) -> [CollectionDescription]
    func show(_ name: CollectionName) async throws(EngineError) -> CollectionDescription
    /// Creates a collection; `settings` are the engine's own.
    func create(_ name: CollectionName, settings: [CollectionSetting]) async throws(EngineError)
    /// Removes all documents and keeps the collection; returns how many there were.
    func clear(_ name: CollectionName) async throws(EngineError) -> Int
    /// Removes the collection with its documents; returns how many there were.
    func delete(_ name: CollectionName) async throws(EngineError) -> Int
    /// Merges what waits, and gives space back. `progress` is called from time to time with documents done and in all.
    func optimize(
        _ name: CollectionName,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws(EngineError) -> OptimizationReport

    /// Binds to one collection, or fails with `missingCollection` and advice.
    func collection(named name: CollectionName) async throws(EngineError) -> any CollectionEngine
}

/// What is known of a collection.
public struct CollectionDescription: Hashable, Sendable {
    public var name: CollectionName
    /// Live documents.
    public var documents: Int
    /// Removed or replaced, and not yet merged.
    public var waiting: Int
    /// Its size on disk; `nil` where the engine does not tell.
    public var bytes: Int?
    public var settings: [CollectionSetting]

    public init(name: CollectionName, documents: Int, waiting: Int, bytes: Int?, settings: [CollectionSetting] = []) {
        self.name = name
        self.documents = documents
        self.waiting = waiting
        self.bytes = bytes
        self.settings = settings
    }
}

/// A setting in the engine's own words.
public struct CollectionSetting: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// What an optimization did.
public struct OptimizationReport: Hashable, Sendable {
    /// Documents merged away for good.
    public var merged: Int
    /// The size on disk before, and after.
    public var bytesBefore: Int
    public var bytesAfter: Int

    public init(merged: Int, bytesBefore: Int, bytesAfter: Int) {
        self.merged = merged
        self.bytesBefore = bytesBefore
        self.bytesAfter = bytesAfter
    }
}
