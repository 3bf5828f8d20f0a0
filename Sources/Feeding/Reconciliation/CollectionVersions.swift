public import ContentFeeding

/// The versions of all documents of a collection, part by part: whole, or an error.
///
/// The collection may change meanwhile. Then what was read of a document may be old, and a document that was written again
/// may not have been read: whoever compares looks at each difference once more (``isMoved``).
///
/// An actor, because whoever reads asks from a task of its own.
public actor CollectionVersions {
    private let engine: any VersionedEngine
    private let digest: any VersionDigest
    /// What the collection was when reading began.
    public nonisolated let state: CollectionState
    private var part = 0
    private var place = CollectionPart.beginning
    private var isAtEnd = false
    private var count = 0
    /// Whether the collection was changed while it was read; known at the end.
    public private(set) var isMoved = false

    /// Begins to read; throws if the collection does not tell of all of its parts.
    public init(
        of engine: any VersionedEngine,
        by digest: any VersionDigest
    ) async throws(EngineError) {
        self.engine = engine
        self.digest = digest
        state = try await engine.state()
        guard !state.parts.isEmpty else {
            throw EngineError(.unreachable, "'\(engine.collection)' did not tell of any of its parts")
        }
        try await engine.settle()
    }

    /// Returns the next versions, and `nil` at the end.
    ///
    /// May be called again after an error: nothing was passed over.
    public func next() async throws(EngineError) -> PackedVersions? {
        while part < state.parts.count {
            let current = state.parts[part]
            guard place < current.readable else {
                part += 1
                place = CollectionPart.beginning
                continue
            }
            let page = try await engine.versions(by: digest, in: current, after: place)
            guard page.isLast || page.place > place else {
                throw EngineError(.unusable, "'\(engine.collection)' answered with a page that leads nowhere")
            }
            place = page.isLast ? current.readable : page.place
            count += page.versions.count
            if page.versions.count > 0 { return page.versions }
        }
        if !isAtEnd { try await end() }
        return nil
    }

    private func end() async throws(EngineError) {
        let now = try await engine.state()
        let before = state.parts.map { [$0.name, $0.history] }
        guard now.identity == state.identity, now.parts.map({ [$0.name, $0.history] }) == before else {
            throw EngineError(
                .collectionChanged,
                "'\(engine.collection)' became another one while it was read",
                advice: "run the command again"
            )
        }
        isMoved = !now.isSame(as: state)
        isAtEnd = true
        // Without a change meanwhile, its own count must be what was read.
        guard !isMoved, let said = try await engine.count(of: SearchQuery()), said != count else { return }
        throw EngineError(
            .unusable,
            "'\(engine.collection)' says that it has \(said) documents, but \(count) were read",
            advice: "see whether all of its parts answer, then run the command again"
        )
    }
}

extension CollectionState {
    /// Whether nothing was changed between two looks at a collection.
    ///
    /// What can be read of a part says nothing: it comes later, by itself.
    public func isSame(as other: CollectionState) -> Bool {
        func changes(_ state: CollectionState) -> [[String]] {
            state.parts.map { [$0.name, $0.history, "\($0.last)"] }
        }
        return identity == other.identity && contents == other.contents && changes(self) == changes(other)
    }
}

/// A second look at differences that were found while the collection was changed.
public struct SecondLook: Sendable {
    private let engine: any VersionedEngine
    private let digest: any VersionDigest

    /// Creates a look at a collection.
    public init(at engine: any VersionedEngine, by digest: any VersionDigest) {
        self.engine = engine
        self.digest = digest
    }

    /// Returns the differences that are still there, and corrects the counts.
    public func confirmed(
        _ differences: [Difference],
        _ counts: inout ComparisonCounts
    ) async throws(EngineError) -> [Difference] {
        let documents = try await engine.versions(at: differences.map { DocumentKey($0.id) })
        guard documents.count == differences.count else {
            throw EngineError(
                .unusable,
                "the engine answered for \(documents.count) of \(differences.count) IDs"
            )
        }
        var confirmed: [Difference] = []
        for (difference, document) in zip(differences, documents) {
            let now = document.map { digest.digest(of: $0.json.span, id: $0.id.utf8) }
            let kind = difference.kind(whereCollectionHas: now)
            guard kind != difference.kind else {
                confirmed.append(difference)
                continue
            }
            counts[difference.kind] -= 1
            guard let kind else {
                counts.settled += 1
                continue
            }
            counts[kind] += 1
            confirmed.append(Difference(kind, difference.id, version: difference.version))
        }
        return confirmed
    }
}

extension Difference {
    /// What the difference is if the collection has the document in this version, or not at all; `nil` if it is none.
    fileprivate func kind(whereCollectionHas now: UInt64?) -> Kind? {
        switch (kind, now) {
        case (.duplicate, _): .duplicate
        case (.orphaned, nil): nil
        case (.orphaned, _): .orphaned
        case (_, nil): .missing
        case (_, let now?): now == version && now != 0 ? nil : .stale
        }
    }
}
