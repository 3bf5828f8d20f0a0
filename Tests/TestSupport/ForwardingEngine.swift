public import ContentFeeding

/// A test's engine that forwards everything to another one, except for the methods that it implements itself.
///
/// All methods use IDs; requests by key also arrive at these methods.
public protocol ForwardingEngine: ContentEngine, SearchableEngine {
    /// The engine to which the rest is forwarded.
    var base: any CollectionEngine { get }
}

extension ForwardingEngine {
    public var collection: CollectionName { base.collection }
    public var capabilities: EngineCapabilities { base.capabilities }

    public func apply(_ batch: ContentBatch) async -> BatchReply { await base.apply(batch) }
    public func raise(to level: CompletionLevel) async throws(EngineError) { try await base.raise(to: level) }
    public func exists(_ ids: [DocumentID]) async throws(EngineError) -> [Bool] { try await base.exists(ids) }
    public func count() async throws(EngineError) -> Int { try await base.count() }

    public func get(_ ids: ArraySlice<DocumentID>, maximumBytes: Int) async throws(EngineError) -> DocumentPage {
        try await base.get(ids, maximumBytes: maximumBytes)
    }

    public func find(_ query: SearchQuery, after cursor: SearchCursor?) async throws(EngineError) -> SearchPage {
        try await base.find(query, after: cursor)
    }

    public func close(_ cursor: SearchCursor) async { await base.close(cursor) }

    public func facets(_ keys: [FacetKey], of query: SearchQuery) async throws(EngineError) -> FacetCounts {
        try await base.facets(keys, of: query)
    }
}

/// A forwarding engine whose documents have versions.
public protocol ForwardingVersionedEngine: ForwardingEngine, VersionedEngine {
    /// The engine to which the rest is forwarded.
    var engine: any VersionedEngine { get }
}

extension ForwardingVersionedEngine {
    public var base: any CollectionEngine { engine }

    public func state() async throws(EngineError) -> CollectionState { try await engine.state() }
    public func settle() async throws(EngineError) { try await engine.settle() }
    public func lookupReservation() async -> String? { await engine.lookupReservation() }
    public func count(of query: SearchQuery) async throws(EngineError) -> Int? { try await engine.count(of: query) }
    public func exists(at keys: [DocumentKey]) async throws(EngineError) -> [Bool] { try await engine.exists(at: keys) }

    public func changes(
        of query: SearchQuery,
        in part: CollectionPart,
        after place: Int64
    ) async throws(EngineError) -> ChangePage {
        try await engine.changes(of: query, in: part, after: place)
    }

    public func versions(at keys: [DocumentKey]) async throws(EngineError) -> [VersionAnswer] {
        try await engine.versions(at: keys)
    }

    public func get(at keys: ArraySlice<DocumentKey>, maximumBytes: Int) async throws(EngineError) -> LookupPage {
        try await engine.get(at: keys, maximumBytes: maximumBytes)
    }
}

extension BatchReply {
    /// The failure of the whole batch; `nil` if the engine answered with results.
    public var failure: BatchFailure? {
        if case .failed(let failure) = self { failure } else { nil }
    }
}
