package import ContentFeeding
package import DocumentSources

/// The versions of all entries of a source, and its rejected entries.
///
/// This is an actor, because each reader runs in its own task.
package actor SourceVersions {
    private let reader: any SourceReader
    private let traits: SourceTraits
    private let basis: VersionBasis
    /// The summary of the entries read so far.
    package private(set) var account = SourceAccount()

    /// Starts reading a source from its beginning.
    package init(of source: any DocumentSource, by basis: VersionBasis) async throws(SourceError) {
        traits = source.traits
        self.basis = basis
        reader = try await source.reader(of: basis.contents(of: source.traits), from: .beginning)
    }

    /// Returns the next versions; `nil` at the end.
    ///
    /// This function can be called again after an error, because nothing was skipped.
    package func next() async throws(SourceError) -> PackedVersions? {
        guard let page = try await reader.next() else { return nil }
        var versions = PackedVersions()
        for entry in page.entries {
            let digest = basis.digest(of: entry, traits)
            if digest == 0 { account.unversioned += 1 }
            versions.append(entry.id.utf8, digest)
        }
        account.entries += page.entries.count
        account.rejected += page.rejections.count + page.unnamedRejections
        account.rejections += page.rejections.prefix(SourceAccount.mostRejections - account.rejections.count)
        return versions
    }
}

/// A summary of reading a source.
package struct SourceAccount: Hashable, Sendable {
    /// The number of entries, including duplicates.
    package var entries = 0
    /// The number of entries without a version to compare, which always differ from a document.
    package var unversioned = 0
    /// The number of unreadable entries, whose IDs are unknown.
    package var rejected = 0
    /// The first of the unreadable entries.
    package var rejections: [InputRejection] = []

    /// The maximum number of rejections that are listed; all are counted.
    static let mostRejections = 100

    /// Creates the summary of a source before anything has been read.
    package init() {}

    /// Returns the reason why the source may be incomplete, so that entries missing from it need not have been removed;
    /// `nil` if it counts as complete.
    ///
    /// - Parameters:
    ///   - last: The number of entries at the last complete reading; `nil` if there was none.
    ///   - share: The minimum share of that number, in percent.
    ///   - allowsNone: Whether a source without entries may count as complete.
    /// - Returns: The reason.
    package func shortfall(since last: Int?, share: Double, allowsNone: Bool) -> SourceShortfall? {
        if rejected > 0 { return .rejections(rejected) }
        if entries == 0, !allowsNone { return .empty }
        guard let last, Double(entries) < Double(last) * share / 100 else { return nil }
        return .fewer(entries: entries, before: last, share: share)
    }
}

/// The reason why a source may not have been read completely.
package enum SourceShortfall: Hashable, Sendable {
    /// The source has entries without a readable ID.
    case rejections(Int)
    /// The source had no entries at all.
    case empty
    /// The source had far fewer entries than at the last reading.
    case fewer(entries: Int, before: Int, share: Double)
}

extension SourceShortfall: CustomStringConvertible {
    package var description: String {
        switch self {
        case .rejections(1): "1 of its entries could not be read, and may be any document"
        case .rejections(let count): "\(count) of its entries could not be read, and may be any documents"
        case .empty: "it has no entries at all"
        case .fewer(let entries, let before, let share):
            "it has \(entries) entries, less than \(Self.text(share))% of the \(before) when it was last read"
        }
    }

    private static func text(_ share: Double) -> String { Int(exactly: share).map { "\($0)" } ?? "\(share)" }
}

/// The versions of all documents of a collection, read part by part; an error is thrown if they can't be read
/// completely.
///
/// The collection may change while it is read. In that case, the version of a document may be outdated, and a document
/// that was written again may have been missed, so each difference is checked again (``isMoved``).
///
/// This is an actor, because each reader runs in its own task.
package actor CollectionVersions {
    private let engine: any VersionedEngine
    private let digest: any VersionDigest
    /// The state of the collection when reading began.
    package nonisolated let state: CollectionState
    private var part = 0
    private var place = CollectionPart.beginning
    private var isAtEnd = false
    private var count = 0
    /// Whether the collection was changed while it was read, or had changes that could not be read yet; known at the
    /// end.
    package private(set) var isMoved = false

    /// Starts reading; throws an error if the collection does not report all of its parts.
    package init(
        of engine: any VersionedEngine,
        by digest: any VersionDigest
    ) async throws(EngineError) {
        self.engine = engine
        self.digest = digest
        state = try await engine.state()
        guard !state.parts.isEmpty else {
            throw EngineError(.unreachable, "'\(engine.collection)' did not report any of its parts")
        }
        try await engine.settle()
    }

    /// Returns the next versions; `nil` at the end.
    ///
    /// This function can be called again after an error, because nothing was skipped.
    package func next() async throws(EngineError) -> PackedVersions? {
        while part < state.parts.count {
            let current = state.parts[part]
            guard place < current.readable else {
                part += 1
                place = CollectionPart.beginning
                continue
            }
            let page = try await engine.versions(by: digest, in: current, after: place)
            guard page.isLast || page.place > place else {
                throw EngineError(.unusable, "'\(engine.collection)' returned a page without a continuation")
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
                "'\(engine.collection)' was replaced by another collection while it was being read",
                advice: "run the command again"
            )
        }
        isMoved = !now.isSame(as: state) || !state.isReadable
        isAtEnd = true
        // If the collection has not changed, its own count must equal the number of documents read.
        guard !isMoved, let said = try await engine.count(of: SearchQuery()), said != count else { return }
        throw EngineError(
            .unusable,
            "'\(engine.collection)' reports \(said) documents, but \(count) were read",
            advice: "check that all of its parts answer, then run the command again"
        )
    }
}

extension CollectionState {
    /// Returns whether a collection is unchanged between two states.
    ///
    /// The readable extent of a part is ignored, because it can grow later without a change to the collection.
    package func isSame(as other: CollectionState) -> Bool {
        func changes(_ state: CollectionState) -> [[String]] {
            state.parts.map { [$0.name, $0.history, "\($0.last)"] }
        }
        return identity == other.identity && contents == other.contents && changes(self) == changes(other)
    }
}

/// A second check of differences that were found while the collection was being changed.
package struct SecondLook: Sendable {
    private let engine: any VersionedEngine
    private let digest: any VersionDigest

    /// Creates a second check against a collection.
    package init(at engine: any VersionedEngine, by digest: any VersionDigest) {
        self.engine = engine
        self.digest = digest
    }

    /// Returns the differences that still exist, and corrects the counts.
    package func confirmed(
        _ differences: [Difference],
        _ counts: inout ComparisonCounts
    ) async throws(EngineError) -> [Difference] {
        let answers = try await engine.allVersions(at: differences.map { DocumentKey($0.id) })
        var confirmed: [Difference] = []
        for (difference, answer) in zip(differences, answers) {
            let kind = difference.kind(whereCollectionHas: digest.digest(of: answer))
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

extension VersionDigest {
    /// Returns the digest of a document's version; `nil` if there is no document.
    ///
    /// A document that can't be read has the digest of its bytes, as in a page of versions.
    fileprivate func digest(of answer: VersionAnswer) -> UInt64? {
        switch answer {
        case .found(let document): digest(of: document.json.span, id: document.id.utf8)
        case .unreadable(let document): digest(of: document.bytes.span, id: document.key.id.utf8)
        case .absent: nil
        }
    }
}

extension Difference {
    /// Returns the kind of difference if the collection has the document in version `now`, or does not have it if `now`
    /// is `nil`; returns `nil` if there is no difference.
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
