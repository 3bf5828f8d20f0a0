/// An open engine at an address: manages its collections, and binds to one of them.
public protocol CollectionAdministration: Sendable {
    /// The address the engine was opened with, without secrets.
    var target: String { get }

    func list() async throws(EngineError) -> [CollectionDescription]
    func show(_ name: CollectionName) async throws(EngineError) -> CollectionDescription
    /// Creates a collection; `settings` are specific to the engine.
    func create(_ name: CollectionName, settings: [CollectionSetting]) async throws(EngineError)
    /// Removes all documents but keeps the collection; returns how many there were.
    func clear(_ name: CollectionName) async throws(EngineError) -> Int
    /// Removes the collection with its documents; returns how many there were, `nil` if that can't be known.
    func delete(_ name: CollectionName) async throws(EngineError) -> Int?
    /// Merges pending changes and frees space. `progress` is called from time to time with the documents done and in
    /// total.
    func optimize(
        _ name: CollectionName,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws(EngineError) -> OptimizationReport

    /// Binds to one collection, or fails with `missingCollection` and advice.
    func collection(named name: CollectionName) async throws(EngineError) -> any CollectionEngine
}

/// An engine that clears a collection page by page, and so can be told to take its time.
public protocol PacedClearing: CollectionAdministration {
    /// Removes all documents, as ``CollectionAdministration/clear(_:)`` does, and no more than so many in a second.
    func clear(_ name: CollectionName, documentsPerSecond: Double) async throws(EngineError) -> Int
}

/// A collection's size and settings.
public struct CollectionDescription: Hashable, Sendable {
    /// The collection's name.
    public var name: CollectionName
    /// The number of live documents; `nil` if it is not known, because the collection is closed or a part of it does not
    /// answer.
    public var documents: Int?
    /// The number of documents that are removed or replaced but not yet merged.
    public var waiting: Int
    /// The size on disk; `nil` if the engine does not report it.
    public var bytes: Int?
    /// The settings, in the engine's own terms.
    public var settings: [CollectionSetting]
    /// Why the counts are not known, in one sentence; `nil` if they are.
    public var flaw: String?

    /// Creates a description.
    public init(name: CollectionName, documents: Int?, waiting: Int, bytes: Int?, settings: [CollectionSetting] = []) {
        self.name = name
        self.documents = documents
        self.waiting = waiting
        self.bytes = bytes
        self.settings = settings
    }
}

/// A setting in the engine's own terms.
public struct CollectionSetting: Hashable, Sendable {
    /// The setting's name.
    public var name: String
    /// The setting's value.
    public var value: String

    /// Creates a setting.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// The result of an optimization.
public struct OptimizationReport: Hashable, Sendable {
    /// The number of documents merged away for good.
    public var merged: Int
    /// The size on disk before and after.
    public var bytesBefore: Int
    /// The size on disk afterwards.
    public var bytesAfter: Int

    /// Creates the result of an optimization.
    public init(merged: Int, bytesBefore: Int, bytesAfter: Int) {
        self.merged = merged
        self.bytesBefore = bytesBefore
        self.bytesAfter = bytesAfter
    }
}
