public import ContentFeeding
import JSONText
import JobJournal

/// One push, in which the feeder sends slices of the queue, which are then settled with the origin's results.
///
/// The queue itself is the journal: after an operation is sent, it stays queued until the document has been read from
/// the origin. If the process ends before that, the next push finds the document already in the intended state.
struct Push {
    private let copy: any LocalCopy
    private let origin: CopyOrigin
    private let engine: any VersionedEngine
    private let delegate: any ConflictDelegate
    private let options: SyncOptions
    private let job: JobID?
    private let observe: @Sendable (SyncEvent) -> Void
    private let contents: DocumentContents
    private var report = PushReport()
    private var occurrences: [DocumentID: Int] = [:]
    /// The number of times that each document's operation was moved to a newer version without a conflict.
    private var rebases: [DocumentID: Int] = [:]
    private var nextRecord = OperationID.first

    init(
        _ copy: any LocalCopy,
        _ origin: CopyOrigin,
        _ engine: any VersionedEngine,
        _ delegate: any ConflictDelegate,
        _ options: SyncOptions,
        _ job: JobID?,
        _ observe: @escaping @Sendable (SyncEvent) -> Void
    ) {
        (self.copy, self.origin, self.engine, self.delegate) = (copy, origin, engine, delegate)
        (self.options, self.job, self.observe) = (options, job, observe)
        contents = DocumentContents(origin)
    }

    mutating func run() async throws -> PushReport {
        var last: Int64 = 0
        while report.end == nil {
            let slice = try await copy.queued(after: last, limit: options.slice, maximumBytes: options.sliceBytes)
            guard let end = slice.last?.number else { break }
            occurrences.removeAll()
            rebases.removeAll()
            var rest = slice
            while !rest.isEmpty, report.end == nil {
                let again = Set(try await push(rest))
                rest =
                    again.isEmpty
                    ? []
                    : try await copy.queued(after: last, limit: options.slice, maximumBytes: options.sliceBytes)
                        .filter { $0.number <= end && again.contains($0.documentID) }
            }
            last = end
        }
        report.left = try await copy.status().queued
        return report
    }

    /// Sends operations and settles their results, and returns the documents whose operations must be sent again.
    private mutating func push(_ operations: [QueuedOperation]) async throws -> [DocumentID] {
        var sent = try await send(operations)
        var settled: [PushedOperation] = []
        var conflicts: [(QueuedOperation, VersionedDocument?)] = []
        for (operation, origin) in try await states(of: sent.done, failing: &sent.failed) {
            settled.append(PushedOperation(operation, origin))
        }
        var rebased: [PushedOperation] = []
        for (operation, origin) in try await states(of: sent.conflicts, failing: &sent.failed) {
            if contents.areEqual(operation.local, origin?.json) {
                // Another client made the same change, or this one made it without receiving the reply.
                settled.append(PushedOperation(operation, origin))
            } else if isAsPulled(operation, origin) {
                // At the origin, the document was rewritten without changes, or changed only in keys that the copy
                // lacks, so there is no conflict.
                let tries = rebases[operation.documentID, default: 0] + 1
                rebases[operation.documentID] = tries
                guard tries <= options.maximumOccurrences else {
                    sent.failed.append((operation, Self.refused(tries)))
                    continue
                }
                rebased.append(PushedOperation(operation, origin))
            } else {
                conflicts.append((operation, origin))
            }
        }
        try await copy.rebase(rebased)
        try await copy.settle(settled)
        report.pushed += settled.count
        for operation in settled { observe(.pushed(operation.operation)) }
        report.failed += sent.failed.count
        for (operation, failure) in sent.failed { observe(.failed(operation, failure)) }
        let again = try await rebased.map(\.operation.documentID) + resolve(conflicts)
        if report.end == nil, let stop = sent.stop { (report.stop, report.end) = (stop.reason, stop.words) }
        return again
    }

    /// Returns whether the origin's document is unchanged since it was pulled, or is still missing.
    private func isAsPulled(_ operation: QueuedOperation, _ origin: VersionedDocument?) -> Bool {
        guard operation.pulled != nil else { return operation.based == nil && origin == nil }
        return contents.areEqual(operation.pulled, origin?.json)
    }

    /// Asks the delegate to resolve the conflicts, one after another, until a resolution ends the push.
    private mutating func resolve(_ conflicts: [(QueuedOperation, VersionedDocument?)]) async throws -> [DocumentID] {
        var again: [DocumentID] = []
        for (operation, origin) in conflicts {
            let occurrence = occurrences[operation.documentID, default: 0] + 1
            occurrences[operation.documentID] = occurrence
            let conflict = SyncConflict(operation, origin, occurrence: occurrence, contents)
            report.conflicts += 1
            guard occurrence <= options.maximumOccurrences else {
                report.failed += 1
                observe(.failed(operation, Self.restless(occurrence)))
                continue
            }
            let resolution = try await delegate.resolve(conflict)
            let record = conflict.record(nextRecord, resolution)
            nextRecord = nextRecord.next
            try await copy.resolve([ResolvedConflict(conflict, resolution, record: record)], recordedIn: job)
            observe(.conflict(conflict, resolution))
            switch resolution {
            case .client, .document: again.append(operation.documentID)
            case .server: continue
            case .cancel:
                report.end = "a conflict on '\(operation.documentID)' was not resolved"
                return []
            }
        }
        return again
    }

    private static func restless(_ occurrences: Int) -> DocumentFailure {
        DocumentFailure(
            .versionConflict,
            "the origin changed the document \(occurrences - 1) times before the local change could be stored",
            disposition: .retryable
        )
    }

    private static func refused(_ tries: Int) -> DocumentFailure {
        DocumentFailure(
            .versionConflict,
            "the origin refused the change \(tries) times as based on an older version, although it has the pulled version",
            disposition: .retryable
        )
    }

    /// The results of sent operations.
    private struct Sent {
        var done: [QueuedOperation] = []
        var conflicts: [QueuedOperation] = []
        var failed: [(QueuedOperation, DocumentFailure)] = []
        /// The reason why the feed ended before everything was sent.
        var stop: (reason: StopReason, words: String)?
    }

    private func send(_ operations: [QueuedOperation]) async throws -> Sent {
        var sent = Sent()
        var feeding: [(queued: QueuedOperation, operation: ContentOperation)] = []
        for queued in operations {
            do throws(JSONError) {
                if let operation = try self.operation(of: queued) {
                    feeding.append((queued, operation))
                } else {
                    // The change makes no difference at the origin, so only the origin's version is recorded.
                    sent.done.append(queued)
                }
            } catch {
                sent.failed.append((queued, DocumentFailure(.rejectedByEngine, "it is not one JSON object: \(error)")))
            }
        }
        guard !feeding.isEmpty else { return sent }
        try await copy.lease(feeding.map(\.queued))
        let outcomes = Outcomes()
        let chunk = OperationChunk(operations: feeding.map(\.operation))
        let chunks = AsyncStream<OperationChunk> { stream in
            stream.yield(chunk)
            stream.finish()
        }
        var feed = options.feed
        feed.configuration.missing = .ignore
        let result = await OperationFeed(engine: engine, options: feed).run(chunks) { [observe] event, _ in
            switch event {
            case .settled(let settled): outcomes.add(settled)
            case .flow(let change): observe(.flow(change))
            default: return
            }
        }
        for (place, queued) in feeding.map(\.queued).enumerated() {
            guard let outcome = outcomes[OperationID(rawValue: UInt64(place) + 1)] else { continue }
            switch outcome.outcome {
            case .removed, .gone, .added, .updated, .noop: sent.done.append(queued)
            case .missing where queued.local == nil: sent.done.append(queued)
            case .missing: sent.conflicts.append(queued)
            case .failed where outcome.issue?.failure.isConflict == true: sent.conflicts.append(queued)
            default:
                let failure = outcome.issue?.failure ?? DocumentFailure(.rejectedByEngine, outcome.outcome.name)
                sent.failed.append((queued, failure))
            }
        }
        if case .stopped(let reason)? = result.report.end { sent.stop = (reason, reason.words) }
        return sent
    }

    /// The outcomes of a feed, by operation.
    private final class Outcomes {
        private var outcomes: [OperationID: OperationOutcome] = [:]

        func add(_ settled: [OperationOutcome]) {
            for outcome in settled { outcomes[outcome.operationID] = outcome }
        }

        subscript(id: OperationID) -> OperationOutcome? { outcomes[id] }
    }

    /// Returns the operation to send for a queued one; `nil` if it would not change anything at the origin.
    private func operation(of queued: QueuedOperation) throws(JSONError) -> ContentOperation? {
        guard let local = queued.local else {
            return queued.based.map { .remove(queued.key).only(.unchanged($0)) }
        }
        guard let based = queued.based else {
            return .add(Document(id: queued.documentID, json: local, routing: queued.routing)).only(.absent)
        }
        guard !origin.isWhole else {
            return .add(Document(id: queued.documentID, json: local, routing: queued.routing)).only(.unchanged(based))
        }
        // If the copy contains only some keys of a document, only the differing keys may be written.
        guard let pulled = queued.pulled else {
            return .update(Document(id: queued.documentID, json: JSONPatch.literal(local), routing: queued.routing))
                .only(.unchanged(based))
        }
        let patch = try contents.patch(from: pulled, to: local)
        guard patch != Array("{}".utf8) else { return nil }
        return .update(Document(id: queued.documentID, json: JSONPatch.literal(patch), routing: queued.routing)).only(
            .unchanged(based)
        )
    }

    /// Returns each operation with the current document at the origin, limited to the keys that the copy keeps.
    ///
    /// An operation on a document that can't be read fails, and stays queued.
    private func states(
        of operations: [QueuedOperation],
        failing failed: inout [(QueuedOperation, DocumentFailure)]
    ) async throws -> [(QueuedOperation, VersionedDocument?)] {
        guard !operations.isEmpty else { return [] }
        let answers = try await engine.allVersions(at: operations.map(\.key))
        var states: [(QueuedOperation, VersionedDocument?)] = []
        for (operation, answer) in zip(operations, answers) {
            if case .unreadable(let flawed) = answer {
                failed.append((operation, flawed.failure))
                continue
            }
            var document = answer.document
            if let json = document?.json { document?.json = try contents.projected(json) }
            states.append((operation, document))
        }
        return states
    }
}

/// One pull, which reads new documents in each part of the origin, and then removals.
///
/// A page and the position after it are stored in one transaction, so an interrupted pull resumes where it stopped.
/// Once every part has been read, the copy has all of the origin's documents, unless documents can start to match the
/// query without being changed. If it then has no more documents than the origin, both have the same documents.
struct Pull {
    private let copy: any LocalCopy
    private let status: CopyStatus
    private let engine: any VersionedEngine
    private let contents: DocumentContents
    private let observe: @Sendable (SyncEvent) -> Void
    private var report = PullReport()
    /// The first document of the origin that can't be read.
    private var unreadable: UnreadableDocument?
    /// The keys of all unreadable documents.
    private var unreadableKeys: Set<DocumentKey> = []

    /// The number of documents that are removed in one transaction.
    private static let sweepStep = 1_000

    init(
        _ copy: any LocalCopy,
        _ status: CopyStatus,
        _ engine: any VersionedEngine,
        after push: PushReport,
        _ observe: @escaping @Sendable (SyncEvent) -> Void
    ) {
        (self.copy, self.status, self.engine, self.observe) = (copy, status, engine, observe)
        contents = DocumentContents(status.origin)
        report.push = push
        report.originWentBack = push.originWentBack
    }

    private var origin: CopyOrigin { status.origin }

    mutating func run() async throws -> PullReport {
        var kept = status.bookmark
        let state = try await engine.state()
        try requireSame(kept, state, of: status)
        if let known = kept, try await copy.restart(known, ifAheadOf: state) {
            report.originWentBack = true
            kept = nil
        }
        if kept?.agrees(with: state) == true, !origin.dependsOnTime {
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
        let listing = try await listWhatIsThere(asOf: state)
        try await requireUnmoved(state)
        if let listing { try await removeWhatIsGone(from: listing) }
        // All other documents were pulled; the next pull will try to read the unreadable ones again.
        if let unreadable { throw SyncError.unreadable(unreadable, of: unreadableKeys.count, in: origin) }
        bookmark.contents = state.contents
        bookmark.isComplete = true
        try await copy.note(bookmark)
        return report
    }

    /// Throws if a previously known part is missing, because its documents would be considered removed.
    private func requireAllParts(of state: CollectionState, knownFrom kept: CopyBookmark?) throws(EngineError) {
        let names = Set(state.parts.map(\.name))
        let absent = kept?.places.keys.filter { !names.contains($0) }.sorted() ?? []
        guard absent.isEmpty, !names.isEmpty else {
            throw EngineError(
                .unreachable,
                "'\(origin.collection)' did not report all of its parts (missing: \(absent.joined(separator: ", "))); "
                    + "nothing was changed here",
                advice: "run the command again when all parts answer; if the origin was split, add --new-origin"
            )
        }
    }

    private mutating func read(_ part: CollectionPart, _ bookmark: inout CopyBookmark) async throws {
        var place = bookmark.place(in: part)
        var isWhole = true
        while place < part.readable {
            let page = try await engine.changes(of: origin.query, in: part, after: place)
            guard page.isLast || page.place > place else {
                throw EngineError(.unusable, "'\(origin.collection)' returned a page without a continuation")
            }
            place = page.isLast ? part.readable : page.place
            if !page.unreadable.isEmpty { isWhole = false }
            note(page.unreadable)
            if isWhole { bookmark.places[part.name] = CopyBookmark.Place(part, at: place) }
            report.changes += try await copy.absorb(try page.documents.map(kept), bookmark)
            observe(.pulled(page.documents.count))
        }
        // The document with the last change may have been removed, so the last number in the history may have become
        // lower.
        if isWhole { bookmark.places[part.name] = CopyBookmark.Place(part, at: part.readable) }
    }

    /// Records documents of the origin that can't be read.
    private mutating func note(_ documents: [UnreadableDocument]) {
        unreadable = unreadable ?? documents.first
        unreadableKeys.formUnion(documents.map(\.key))
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

    /// Lists the origin's documents if their number has changed, or if documents can start or stop matching without
    /// being changed.
    ///
    /// Documents unknown to the copy are fetched. Returns the number of the listing.
    private mutating func listWhatIsThere(asOf state: CollectionState) async throws -> Int64? {
        // The documents that an empty copy has just received can't be missing at the origin.
        guard status.known > 0 else { return nil }
        let known = try await copy.status().known
        if !origin.dependsOnTime, !report.originWentBack {
            if origin.removedMark != nil { return nil }
            if let count = try await engine.count(of: origin.query), count == known { return nil }
        }
        report.comparedAll = true
        report.dependsOnTime = origin.dependsOnTime
        let listing = try await copy.beginListing()
        var query = origin.query
        query.includesDocuments = false
        let engine = engine
        try await engine.forEachFoundPage(of: query) { page in
            let keys = page.documents.map { DocumentKey($0.id, routing: $0.routing) }
            let unknown = try await copy.mark(keys, listing: listing)
            // Make sure that no documents of another collection are fetched.
            if !unknown.isEmpty { try await requireUnmoved(state) }
            try await bring(unknown)
            observe(.pulled(page.documents.count))
            return true
        }
        return listing
    }

    /// Fetches documents that were listed but not in the history of any part.
    private mutating func bring(_ keys: [DocumentKey]) async throws {
        let keys = keys.filter { !unreadableKeys.contains($0) }
        guard !keys.isEmpty else { return }
        var found: [VersionedDocument] = []
        var flawed: [UnreadableDocument] = []
        try await engine.forEachVersion(at: keys) { _, answer in
            switch answer {
            case .found(let document): found.append(document)
            case .unreadable(let document): flawed.append(document)
            case .absent: return
            }
        }
        note(flawed)
        report.changes += try await copy.absorb(try found.map(kept), nil)
    }

    /// Throws if the listing may belong to a different collection from the one with which the pull began, because all
    /// documents would be considered removed.
    private func requireUnmoved(_ before: CollectionState) async throws {
        let now = try await engine.state()
        let isEmptied = now.identity.isEmpty && now.isEmpty && !before.isEmpty
        guard before.identity == now.identity, !isEmptied else { throw SyncError.otherOrigin(origin, isPulled: true) }
        let histories = Dictionary(now.parts.map { ($0.name, $0.history) }, uniquingKeysWith: { $1 })
        guard before.parts.allSatisfy({ histories[$0.name] == $0.history }) else {
            throw EngineError(
                .unreachable,
                "a part of '\(origin.collection)' was replaced while it was being read; nothing was removed here",
                advice: "run the command again: that part is then read from the beginning"
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
        self.init(history: part.history, place: place, settled: part.settled, stretch: part.stretches.last?.name)
    }
}

/// A document that was changed in the copy and, in the meantime, by another client at the origin.
public struct SyncConflict: Hashable, Sendable {
    /// The change made in the copy; ``QueuedOperation/local`` is the resulting document.
    public let operation: QueuedOperation
    /// The current document at the origin; `nil` if it was removed there.
    public let origin: VersionedDocument?
    /// The number of conflicts on the document during this push, starting at 1.
    public let occurrence: Int
    private let contents: DocumentContents

    /// The resolution of a conflict.
    public enum Resolution: Hashable, Sendable {
        /// The local change replaces the origin's version.
        case client
        /// The origin's version is kept, and replaces the local change.
        case server
        /// This document, merged from both versions, replaces both.
        case document([UInt8])
        /// The push ends; this operation and all unsent operations stay queued.
        case cancel
    }

    init(_ operation: QueuedOperation, _ origin: VersionedDocument?, occurrence: Int, _ contents: DocumentContents) {
        self.operation = operation
        self.origin = origin
        self.occurrence = occurrence
        self.contents = contents
    }

    /// The document that was changed on both sides.
    public var documentID: DocumentID { operation.documentID }

    /// The document in the copy; `nil` if it was removed.
    public var local: [UInt8]? { operation.local }

    /// The top-level keys whose values differ between the copy and the origin; empty if either of them has no document.
    public var differingKeys: [String] {
        guard let local, let origin else { return [] }
        return (try? contents.changedKeys(from: origin.json, to: local)) ?? []
    }

    /// The differing keys of the copy's document, as one JSON object; `nil` if the document was removed from the copy.
    public var localDifference: [UInt8]? { difference(local, origin?.json) }

    /// The differing keys of the origin's document, as one JSON object; `nil` if the document was removed there.
    public var originDifference: [UInt8]? { difference(origin?.json, local) }

    private func difference(_ document: [UInt8]?, _ other: [UInt8]?) -> [UInt8]? {
        guard let document, other != nil else { return document }
        return (try? contents.excerpt(of: document, keys: differingKeys)) ?? document
    }

    /// Returns the conflict as an entry of a job's issues.
    func record(_ number: OperationID, _ resolution: Resolution) -> OperationOutcome {
        let fate =
            switch resolution {
            case .client: "the local change is sent"
            case .server: "the origin's version stays"
            case .document: "both were merged"
            case .cancel: "not resolved: the operation stays queued"
            }
        let sides = ConflictSides(here: localDifference, origin: originDifference)
        let words = "changed here and at the origin; \(fate)\(sides.words)"
        let failure = DocumentFailure(.versionConflict, words, disposition: .retryable)
        let isOpen = resolution == .cancel
        return OperationOutcome(
            operationID: number,
            kind: operation.kind.operation,
            documentID: documentID,
            routing: operation.routing,
            outcome: isOpen ? .failed : resolution == .server ? .superseded : .updated,
            issue: isOpen ? .error(failure) : .warning(failure)
        )
    }
}

extension QueuedOperation.Kind {
    /// The operation that a push sends.
    public var operation: ContentOperation.Kind {
        switch self {
        case .insert: .add
        case .update: .update
        case .remove: .remove
        }
    }
}

/// A rule that resolves all conflicts in the same way.
public enum ConflictPolicy: String, Hashable, Sendable, CaseIterable {
    case client
    case server
    case cancel
}

/// A type that resolves conflicts.
public protocol ConflictDelegate: Sendable {
    /// Resolves a conflict.
    ///
    /// This method is called again for the same document if the origin has changed again in the meantime.
    func resolve(_ conflict: SyncConflict) async throws -> SyncConflict.Resolution
}

extension ConflictPolicy: ConflictDelegate {
    /// Resolves a conflict.
    public func resolve(_ conflict: SyncConflict) -> SyncConflict.Resolution {
        switch self {
        case .client: .client
        case .server: .server
        case .cancel: .cancel
        }
    }
}
