import ContentFeeding

/// One pull: what is new in each part of the origin, then what is gone.
///
/// A page and the place behind it are one transaction, so an interrupted pull goes on where it was. The copy has all of
/// the origin's documents once every part is read; if it has no more than the origin, it has the same ones.
struct Pull {
    private let copy: any LocalCopy
    private let status: CopyStatus
    private let engine: any VersionedEngine
    private let contents: DocumentContents
    private let observe: @Sendable (SyncEvent) -> Void
    private var report = PullReport()

    /// Documents that are removed in one transaction.
    private static let sweepStep = 1_000

    init(
        _ copy: any LocalCopy,
        _ status: CopyStatus,
        _ engine: any VersionedEngine,
        _ observe: @escaping @Sendable (SyncEvent) -> Void
    ) {
        (self.copy, self.status, self.engine, self.observe) = (copy, status, engine, observe)
        contents = DocumentContents(status.origin)
    }

    private var origin: CopyOrigin { status.origin }

    mutating func run() async throws -> PullReport {
        let kept = status.bookmark
        let state = try await engine.state()
        try requireSame(kept, state, of: status)
        if kept?.agrees(with: state) == true {
            report.isUnchanged = true
            return report
        }
        try requireAllParts(of: state, knownFrom: kept)
        var bookmark = kept ?? CopyBookmark(identity: state.identity)
        bookmark.identity = state.identity
        bookmark.isComplete = false
        try await copy.note(bookmark)
        try await engine.settle()
        for part in state.parts { try await read(part, &bookmark) }
        let listing = try await listWhatIsThere()
        try await requireUnmoved(state)
        if let listing { try await removeWhatIsGone(from: listing) }
        bookmark.contents = state.contents
        bookmark.isComplete = true
        try await copy.note(bookmark)
        return report
    }

    /// Throws if a part that was there is not: its documents would be taken for removed.
    private func requireAllParts(of state: CollectionState, knownFrom kept: CopyBookmark?) throws(EngineError) {
        let names = Set(state.parts.map(\.name))
        let absent = kept?.places.keys.filter { !names.contains($0) }.sorted() ?? []
        guard absent.isEmpty, !names.isEmpty else {
            throw EngineError(
                .unreachable,
                "'\(origin.collection)' did not tell of all its parts: \(absent.joined(separator: ", ")) missing; "
                    + "nothing was changed here",
                advice: "run the command again when all of it answers; if it was split, with --new-origin"
            )
        }
    }

    private mutating func read(_ part: CollectionPart, _ bookmark: inout CopyBookmark) async throws {
        var place = bookmark.place(in: part)
        while place < part.readable {
            let page = try await engine.changes(of: origin.query, in: part, after: place)
            guard page.isLast || page.place > place else {
                throw EngineError(.unusable, "'\(origin.collection)' answered with a page that leads nowhere")
            }
            place = page.isLast ? part.readable : page.place
            bookmark.places[part.name] = CopyBookmark.Place(part, at: place)
            report.changes += try await copy.absorb(try page.documents.map(kept), bookmark)
            observe(.pulled(page.documents.count))
        }
        // What was the last change may be gone, and a number before it be the last.
        bookmark.places[part.name] = CopyBookmark.Place(part, at: part.readable)
    }

    /// Returns a document of the origin as the copy keeps it.
    private func kept(_ document: VersionedDocument) throws -> OriginDocument {
        if let mark = origin.removedMark, contents.has(mark, document.json) {
            return OriginDocument(DocumentKey(document.id, routing: document.routing), nil)
        }
        var kept = document
        kept.json = try contents.projected(document.json)
        return OriginDocument(kept)
    }

    /// Notes which documents the origin has, if their number tells that some are gone; returns the listing's number.
    private mutating func listWhatIsThere() async throws -> Int64? {
        // Of what an empty copy has just been given, nothing is gone.
        guard origin.removedMark == nil, status.known > 0 else { return nil }
        let known = try await copy.status().known
        if let count = try await engine.count(of: origin.query), count == known { return nil }
        report.comparedAll = true
        let listing = try await copy.beginListing()
        var query = origin.query
        query.includesDocuments = false
        var cursor: SearchCursor?
        repeat {
            let page = try await engine.find(query, after: cursor)
            try await copy.mark(page.documents.map { DocumentKey($0.id, routing: $0.routing) }, listing: listing)
            observe(.pulled(page.documents.count))
            cursor = page.next
        } while cursor != nil
        return listing
    }

    /// Throws if what was read may be another collection than the pull began with: there, everything would be gone.
    private func requireUnmoved(_ before: CollectionState) async throws {
        let now = try await engine.state()
        let isEmptied = now.identity.isEmpty && now.isEmpty && !before.isEmpty
        guard before.identity == now.identity, !isEmptied else { throw SyncError.otherOrigin(origin, isPulled: true) }
        let histories = Dictionary(now.parts.map { ($0.name, $0.history) }, uniquingKeysWith: { $1 })
        guard before.parts.allSatisfy({ histories[$0.name] == $0.history }) else {
            throw EngineError(
                .unreachable,
                "a part of '\(origin.collection)' was replaced while it was read; nothing was removed here",
                advice: "run the command again: that part is then read from its beginning"
            )
        }
    }

    private mutating func removeWhatIsGone(from listing: Int64) async throws {
        while true {
            let removed = try await copy.sweep(listing: listing, limit: Self.sweepStep)
            guard removed > 0 else { break }
            report.changes.removed += removed
        }
    }
}

extension CopyBookmark.Place {
    fileprivate init(_ part: CollectionPart, at place: Int64) {
        self.init(history: part.history, place: place, settled: part.settled)
    }
}
