public import ContentFeeding
public import Sources

/// Plans what makes a collection as its source is: documents that are missing or stale are read again, those that are
/// orphaned are removed.
///
/// An entry that is not any more what was compared is left out, and counted.
public struct Planner {
    /// What both sides had.
    public struct Sides: Sendable {
        /// The versions of the source.
        public var source: VersionList
        /// The versions of the collection.
        public var collection: VersionList

        /// Creates the two sides of a comparison.
        public init(source: VersionList, collection: VersionList) {
            (self.source, self.collection) = (source, collection)
        }
    }

    /// Entries that were different when they were compared, and are none of the plan.
    public struct LeftOut: Hashable, Sendable {
        /// Those that have another version now.
        public var changed = 0
        /// Those that are not in the source any more.
        public var vanished = 0

        /// Creates counts of nothing.
        public init() {}
    }

    private let source: any DocumentSource
    private let engine: any VersionedEngine
    private let basis: VersionBasis
    private let sides: Sides
    private let mostWanted: Int
    private let progress: ReconciliationProgress

    /// The most documents whose versions are asked for at once.
    private static let pageCount = 500
    /// The bytes that a wanted entry takes.
    private static let wantedBytes = 17

    /// Creates a planner.
    ///
    /// - Parameters:
    ///   - source: The source, which is read again.
    ///   - engine: The collection.
    ///   - basis: By what both were compared.
    ///   - sides: What both had.
    ///   - memory: The bytes for what is wanted of the source; where that is not enough, it is read several times.
    ///   - progress: Where it is noted how far the plan is.
    public init(
        _ source: any DocumentSource,
        _ engine: any VersionedEngine,
        by basis: VersionBasis,
        _ sides: Sides,
        memory: Int = 64 << 20,
        progress: ReconciliationProgress = ReconciliationProgress()
    ) {
        (self.source, self.engine, self.basis, self.sides) = (source, engine, basis, sides)
        mostWanted = max(1, memory / Self.wantedBytes)
        self.progress = progress
    }

    /// Writes the operations for differences of these kinds: first what is added, then what is removed, in the order of
    /// IDs.
    ///
    /// - Parameters:
    ///   - kinds: The kinds.
    ///   - plan: Where the operations go.
    ///   - counts: What was counted when both sides were compared, to tell how much there is to do.
    /// - Returns: What was different then, and is none of the plan.
    /// - Throws: What reading the source, asking the collection or writing the plan throws.
    public func write(
        _ kinds: Set<Difference.Kind>,
        to plan: PlanWriter,
        expecting counts: ComparisonCounts = ComparisonCounts()
    ) async throws -> LeftOut {
        progress.beginPlanning(work(kinds, counts))
        var leftOut = LeftOut()
        if !kinds.isDisjoint(with: [.missing, .stale]) {
            var comparison = try Comparison(source: sides.source, collection: sides.collection)
            while case let wanted = try Wanted(of: kinds, from: &comparison, limit: mostWanted), !wanted.isEmpty {
                try await add(wanted, to: plan, &leftOut)
            }
        }
        if kinds.contains(.orphaned) { try await remove(to: plan) }
        return leftOut
    }

    /// The entries to be read again, as often as that is, and the orphans to be looked up.
    private func work(_ kinds: Set<Difference.Kind>, _ counts: ComparisonCounts) -> Int {
        let wanted = (kinds.contains(.missing) ? counts.missing : 0) + (kinds.contains(.stale) ? counts.stale : 0)
        let readings = (wanted + mostWanted - 1) / mostWanted
        return readings * sides.source.count + (kinds.contains(.orphaned) ? counts.orphaned : 0)
    }

    private func add(_ wanted: Wanted, to plan: PlanWriter, _ leftOut: inout LeftOut) async throws {
        var wanted = wanted
        let reader = try await source.reader(of: .documents, from: .beginning)
        while let page = try await reader.next() {
            defer { progress.note(done: page.entries.count) }
            var additions: [SourceEntry] = []
            for entry in page.entries {
                switch try wanted.take(entry, version: basis.digest(of: entry, source.traits)) {
                case .unwanted: continue
                case .changed: leftOut.changed += 1
                case .asCompared: additions.append(entry)
                }
            }
            var rest = additions[...]
            while !rest.isEmpty {
                try await add(rest.prefix(Self.pageCount), to: plan)
                rest = rest.dropFirst(Self.pageCount)
            }
        }
        leftOut.vanished += wanted.left
    }

    private func add(_ entries: ArraySlice<SourceEntry>, to plan: PlanWriter) async throws {
        let found = try await versions(of: entries.map { DocumentKey($0.id, routing: $0.routing) })
        for (entry, document) in zip(entries, found) {
            guard let json = entry.json else {
                throw SourceError(.unsupported, "\(source.name) gave no document for '\(entry.id)'")
            }
            try plan.append(
                .add(
                    Document(id: entry.id, json: json, routing: entry.routing ?? document?.routing),
                    replacing: document?.version,
                    document == nil ? .missing : .stale
                )
            )
        }
    }

    private func remove(to plan: PlanWriter) async throws {
        var comparison = try Comparison(source: sides.source, collection: sides.collection)
        while case let page = try comparison.next(Self.pageCount), !page.isEmpty {
            let orphans = page.filter { $0.kind == .orphaned }
            defer { progress.note(done: orphans.count) }
            let found = try await versions(of: orphans.map { DocumentKey($0.id) })
            for (orphan, document) in zip(orphans, found) {
                // Gone already: nothing is to be done.
                guard let document else { continue }
                try plan.append(
                    .remove(DocumentKey(orphan.id, routing: document.routing), document.version, .orphaned)
                )
            }
        }
    }

    private func versions(of keys: [DocumentKey]) async throws(EngineError) -> [VersionedDocument?] {
        guard !keys.isEmpty else { return [] }
        let found = try await engine.versions(at: keys)
        guard found.count == keys.count else {
            throw EngineError(.unusable, "the engine answered for \(found.count) of \(keys.count) IDs")
        }
        return found
    }
}

/// The entries of a source that are to be read again: by a digest of the ID, with that of the version.
private struct Wanted {
    enum Answer {
        case unwanted, asCompared, changed
    }

    private var entries: [(id: UInt64, version: UInt64)] = []
    private var isTaken: [Bool] = []
    /// Those that were not seen yet.
    private(set) var left: Int

    /// Takes the next missing and stale entries from a comparison, as many as are wanted at once.
    init(of kinds: Set<Difference.Kind>, from comparison: inout Comparison, limit: Int) throws {
        while entries.count < limit, case let page = try comparison.next(min(1_000, limit - entries.count)),
            !page.isEmpty
        {
            for difference in page where difference.kind != .orphaned && kinds.contains(difference.kind) {
                guard difference.kind != .duplicate else { continue }
                entries.append((Fingerprint.of(difference.id.utf8), difference.version))
            }
        }
        entries.sort { $0.id < $1.id }
        isTaken = Array(repeating: false, count: entries.count)
        left = entries.count
    }

    var isEmpty: Bool { entries.isEmpty }

    /// Notes an entry that was read, and says whether it is wanted.
    mutating func take(_ entry: SourceEntry, version: UInt64) throws(SourceError) -> Answer {
        guard let place = place(of: Fingerprint.of(entry.id.utf8)) else { return .unwanted }
        guard !isTaken[place] else {
            throw SourceError(
                .changed,
                "'\(entry.id)' came twice when the source was read again, and once before",
                advice: "run the command again"
            )
        }
        isTaken[place] = true
        left -= 1
        return entries[place].version == version ? .asCompared : .changed
    }

    private func place(of id: UInt64) -> Int? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].id == id ? low : nil
    }
}
