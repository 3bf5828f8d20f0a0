public import ContentFeeding
public import Sources

/// Compares a source with a collection: both are read at the same time, each in bounded memory.
public struct Reconciler: Sendable {
    /// The source, which says what should be.
    public let source: any DocumentSource
    /// The collection.
    public let engine: any VersionedEngine
    /// By what they are compared.
    public let basis: VersionBasis
    private let space: SpillSpace
    private let memory: Int
    private let progress: ReconciliationProgress

    /// Asks a collection again as long as there is hope of an answer.
    public typealias Patience = @Sendable (_ question: Question) async throws -> PackedVersions?

    /// Asks a collection once.
    public typealias Question = @Sendable () async throws(EngineError) -> PackedVersions?

    /// Creates a comparison.
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - engine: The collection.
    ///   - basis: By what they are compared.
    ///   - space: Where that goes what memory should not hold.
    ///   - memory: The bytes for each of the two sides.
    ///   - progress: Where it is noted how far reading and comparing is.
    public init(
        _ source: any DocumentSource,
        _ engine: any VersionedEngine,
        by basis: VersionBasis,
        in space: SpillSpace,
        memory: Int = 16 << 20,
        progress: ReconciliationProgress = ReconciliationProgress()
    ) {
        (self.source, self.engine, self.basis) = (source, engine, basis)
        (self.space, self.memory, self.progress) = (space, memory, progress)
    }

    /// Returns the usual basis for a source and a collection, by the first documents of that.
    public static func usualBasis(
        _ source: any DocumentSource,
        _ engine: any VersionedEngine,
        idKeys: [String]
    ) async throws(EngineError) -> VersionBasis {
        let traits = source.traits
        guard traits.versionKey != nil, let part = try await engine.state().parts.first else {
            return .usual(for: traits, and: [], idKeys: idKeys)
        }
        let page = try await engine.changes(of: SearchQuery(), in: part, after: CollectionPart.beginning)
        return .usual(for: traits, and: page.documents, idKeys: idKeys)
    }

    /// Reads both sides to their ends; throws if one of them has none.
    public func read(_ patience: @escaping Patience = { try await $0() }) async throws -> Drift {
        async let collection = readCollection(patience)
        let (list, account) = try await readSource()
        let (other, state, isMoved) = try await collection
        return Drift(
            sides: Planner.Sides(source: list, collection: other),
            account: account,
            state: state,
            isMoved: isMoved,
            look: SecondLook(at: engine, by: basis.digest),
            progress: progress
        )
    }

    @concurrent
    private func readSource() async throws -> (VersionList, SourceAccount) {
        let reader = try await SourceVersions(of: source, by: basis)
        var list = VersionListBuilder(in: space, memory: memory)
        while let page = try await reader.next() {
            progress.note(source: await reader.account)
            try list.append(page)
        }
        return (try list.finish(), await reader.account)
    }

    @concurrent
    private func readCollection(_ patience: Patience) async throws -> (VersionList, CollectionState, Bool) {
        let reader = try await CollectionVersions(of: engine, by: basis.digest)
        // Only whoever looks at the progress needs the number: reading says itself what is wrong.
        progress.expect(documents: try? await engine.count(of: SearchQuery()))
        var list = VersionListBuilder(in: space, memory: memory)
        while let page = try await patience({ () async throws(EngineError) in try await reader.next() }) {
            progress.note(documents: page.count)
            try list.append(page)
        }
        return (try list.finish(), reader.state, await reader.isMoved)
    }
}

/// What was read of a source and a collection, to be compared.
public struct Drift: Sendable {
    /// The versions of both.
    public let sides: Planner.Sides
    /// What was read of the source.
    public let account: SourceAccount
    /// What the collection was before it was read.
    public let state: CollectionState
    /// Whether the collection was changed while it was read, so that each difference is looked at once more.
    public let isMoved: Bool
    private let look: SecondLook
    private let progress: ReconciliationProgress

    init(
        sides: Planner.Sides,
        account: SourceAccount,
        state: CollectionState,
        isMoved: Bool,
        look: SecondLook,
        progress: ReconciliationProgress
    ) {
        self.sides = sides
        self.account = account
        self.state = state
        self.isMoved = isMoved
        self.look = look
        self.progress = progress
    }

    /// The most differences that are handed over at once.
    private static let pageCount = 500

    /// Calls `visit` with the differences of these kinds, in the order of IDs, and returns the counts of all.
    public func forEach(
        of kinds: Set<Difference.Kind>,
        _ visit: ([Difference]) throws -> Void
    ) async throws -> ComparisonCounts {
        var comparison = try Comparison(source: sides.source, collection: sides.collection, progress: progress)
        progress.beginComparing(sides.source.count + sides.collection.count)
        var corrected = ComparisonCounts()
        while case let page = try comparison.next(Self.pageCount), !page.isEmpty {
            try Task.checkCancellation()
            var wanted = page.filter { kinds.contains($0.kind) }
            if isMoved { wanted = try await look.confirmed(page, &corrected).filter { kinds.contains($0.kind) } }
            if !wanted.isEmpty { try visit(wanted) }
        }
        return comparison.counts + corrected
    }
}

extension ComparisonCounts {
    /// Adds corrections, which may be below zero.
    fileprivate static func + (left: Self, right: Self) -> Self {
        var sum = left
        for kind in Difference.Kind.allCases { sum[kind] += right[kind] }
        sum.settled += right.settled
        return sum
    }
}
