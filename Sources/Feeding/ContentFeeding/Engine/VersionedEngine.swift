import Synchronization

/// A collection that can be copied: it reports changed documents, and supports conditional writes.
///
/// A collection has one or more parts (shards), each with its own history, in which changes have increasing numbers. A
/// copy remembers how far it has read the history of each part.
public protocol VersionedEngine: ContentEngine, SearchableEngine {
    /// Returns the collection's identity and the extent of each part's history, with one request in total or one for
    /// each part.
    ///
    /// Throws if a part does not respond; an incomplete state is never returned.
    func state() async throws(EngineError) -> CollectionState

    /// Makes all changes up to each part's ``CollectionPart/readable`` visible to ``changes(of:in:after:)`` and to
    /// searches.
    func settle() async throws(EngineError)

    /// Returns the next documents that match `query` and were written after a position in a part's history, in the
    /// order of their writes.
    ///
    /// Throws if the part's response is incomplete.
    func changes(
        of query: SearchQuery,
        in part: CollectionPart,
        after place: Int64
    ) async throws(EngineError) -> ChangePage

    /// Returns the versions of the next documents of a part, in the order in which they were written.
    ///
    /// Throws if the part's response is incomplete. An engine may have a faster method than reading the documents.
    func versions(
        by digest: any VersionDigest,
        in part: CollectionPart,
        after place: Int64
    ) async throws(EngineError) -> VersionPage

    /// Returns the number of documents that match `query`; `nil` if the engine can determine it only by listing them.
    func count(of query: SearchQuery) async throws(EngineError) -> Int?

    /// Returns the current documents of `keys`, with one answer for each key, even if their state is not yet visible to
    /// searches.
    func versions(at keys: [DocumentKey]) async throws(EngineError) -> [VersionAnswer]
}

extension VersionedEngine {
    /// Returns the engine itself.
    public var versions: (any VersionedEngine)? { self }
}

extension VersionedEngine {
    /// Returns the answers of ``versions(at:)``; throws if one of the documents has none.
    package func allVersions(at keys: [DocumentKey]) async throws(EngineError) -> [VersionAnswer] {
        let answers = try await versions(at: keys)
        guard answers.count == keys.count else { throw EngineError(answers: answers.count, of: keys.count) }
        return answers
    }

    /// Reads the current documents of `keys` page by page, and passes each answer with its index to the closure.
    package func forEachVersion(
        at keys: [DocumentKey],
        _ body: (Int, VersionAnswer) -> Void
    ) async throws(EngineError) {
        var count = VersionPaging.firstPage
        var start = 0
        while start < keys.count {
            let page = Array(keys[start..<min(start + count, keys.count)])
            let answers = try await allVersions(at: page)
            for (index, answer) in answers.enumerated() { body(start + index, answer) }
            start += page.count
            let bytes = answers.reduce(0) { $0 + $1.byteCount }
            count = bytes > VersionPaging.pageBytes ? max(1, count / 2) : min(2 * count, VersionPaging.largestPage)
        }
    }
}

extension EngineError {
    /// Creates the error of an engine that did not return a result for each document, or returned too many.
    package init(answers count: Int, of asked: Int) {
        self.init(.unusable, "the engine returned results for \(count) of \(asked) IDs")
    }
}

extension LookupPage {
    /// Throws unless the page has answers for at least one of the keys that were looked up, and no others.
    package func check(against count: Int) throws(EngineError) {
        guard !answers.isEmpty, answers.count <= count else { throw EngineError(answers: answers.count, of: count) }
    }
}

/// The limits on the number of documents read at once.
private enum VersionPaging {
    static let firstPage = 250
    static let largestPage = 1_000
    /// The number of bytes in a page above which the next page is made smaller.
    static let pageBytes = 4 << 20
}

/// The identity of a collection, and the extent of its history.
public struct CollectionState: Hashable, Sendable {
    /// The identifier that distinguishes the collection from another one with the same name; empty if the engine has no
    /// such identifier.
    public var identity: String
    /// The parts (shards), each with its own history.
    public var parts: [CollectionPart]
    /// Text that differs after any change, for an engine whose histories don't include every change; `nil` for other
    /// engines.
    public var contents: String?

    /// Creates the state of a collection.
    public init(identity: String, parts: [CollectionPart], contents: String? = nil) {
        self.identity = identity
        self.parts = parts
        self.contents = contents
    }

    /// Whether every change in the histories can be read.
    ///
    /// A write that is still being replicated also hides later changes, which may have been acknowledged already.
    public var isReadable: Bool { parts.allSatisfy { $0.readable >= $0.last } }

    /// Whether, according to the histories, no part has had any change.
    public var isEmpty: Bool { parts.allSatisfy { $0.last == CollectionPart.beginning } }
}

/// A part of a collection, and the extent of its history.
public struct CollectionPart: Hashable, Sendable {
    /// The part's name, unique in its collection.
    public var name: String
    /// The identifier that distinguishes the history from another one in which the same numbers refer to different
    /// changes.
    public var history: String
    /// The number of the last change.
    public var last: Int64
    /// The number up to which changes can be read; at most ``last``.
    public var readable: Int64
    /// The number up to which no further changes can appear, for an engine that numbers changes before it stores them.
    public var settled: Int64
    /// The stretches of the history, oldest first, for an engine whose history may silently revert to an earlier point
    /// and continue with the same numbers.
    ///
    /// If the last stretch that a copy has read is not among them, the copy has read a different history.
    public var stretches: [Stretch] = []

    /// A stretch of a history, which ends where the next one begins.
    public struct Stretch: Hashable, Sendable {
        /// The globally unique name of the stretch.
        public var name: String
        /// The number of the last change before the stretch.
        public var start: Int64

        /// Creates a stretch.
        public init(name: String, start: Int64) { (self.name, self.start) = (name, start) }
    }

    /// Creates the state of a part.
    public init(name: String, history: String, last: Int64, readable: Int64, settled: Int64 = .max) {
        self.name = name
        self.history = history
        self.last = last
        self.readable = readable
        self.settled = settled
    }

    /// The position before the first change.
    public static let beginning: Int64 = -1
}

/// A page of the documents written after a position in a part's history.
public struct ChangePage: Sendable {
    /// The documents, in the order in which they were written.
    public var documents: [VersionedDocument]
    /// The documents in the same range of the history that can't be read.
    public var unreadable: [UnreadableDocument] = []
    /// The position up to which the history has now been read.
    public var place: Int64
    /// Whether no readable change follows.
    public var isLast: Bool

    /// Creates a page of changes.
    public init(documents: [VersionedDocument], place: Int64, isLast: Bool) {
        self.documents = documents
        self.place = place
        self.isLast = isLast
    }
}

/// A document, and the version in which it was read.
public struct VersionedDocument: Hashable, Sendable {
    /// The document's ID.
    public let id: DocumentID
    /// The routing value that places the document; `nil` if its ID places it.
    public let routing: Routing?
    /// The version that distinguishes this state of the document from others.
    public let version: DocumentVersion
    /// A number that increases with each change to the document; `nil` if the engine does not report one.
    public let number: Int64?
    /// The document as one JSON object.
    public var json: [UInt8]

    /// Creates a document with its version, and with its number if the number differs from the version.
    public init(
        id: DocumentID,
        routing: Routing? = nil,
        version: DocumentVersion,
        number: Int64? = nil,
        json: [UInt8]
    ) {
        self.id = id
        self.routing = routing
        self.version = version
        self.number = number ?? Int64(version.rawValue)
        self.json = json
    }
}

/// An engine's answer to a request for a document and its version.
public enum VersionAnswer: Hashable, Sendable {
    case found(VersionedDocument)
    /// There is no document.
    case absent
    /// There is a document, but its contents can't be read.
    case unreadable(UnreadableDocument)

    /// Creates the answer of an engine whose documents can all be read, where `nil` means that there is no document.
    public init(_ document: VersionedDocument?) {
        if let document { self = .found(document) } else { self = .absent }
    }

    /// The document; `nil` if there is none, or if it can't be read.
    public var document: VersionedDocument? {
        if case .found(let document) = self { document } else { nil }
    }

    /// The size of the document's contents.
    package var byteCount: Int {
        switch self {
        case .found(let document): document.json.count
        case .unreadable(let document): document.bytes.count
        case .absent: 0
        }
    }
}

/// The identifier of a document's state, in the engine's own format.
public struct DocumentVersion: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A version that no document has, which makes any existing document count as changed.
    public static let unknown = DocumentVersion(rawValue: "?")

    /// The version of an ID without a document, even one that is marked as deleted.
    package static let neverWritten = DocumentVersion(rawValue: "?absent")

    public var description: String { rawValue }
}

/// A condition that a document must meet before an operation on it is carried out.
///
/// The values are boxed, because nearly all operations have no condition.
public indirect enum WriteCondition: Hashable, Sendable {
    /// The document does not exist.
    case absent
    /// The document has not changed since this version.
    case unchanged(DocumentVersion)
    /// The document's version is lower than this external version, or there is no document.
    ///
    /// The number becomes the document's version. If the document's version is not lower, the outcome of the operation
    /// is ``Outcome/stale``.
    case olderThan(Int64)
    /// The document has one of these contents, or already has the contents that the operation would produce.
    ///
    /// In the latter case, there is nothing to do. The feeder compares the contents if the engine reports versions.
    case contents([ContentDigest])
}

extension DocumentFailure {
    /// Returns the failure for a document that is not in the state for which the operation was created.
    public static func versionConflict(_ message: String) -> DocumentFailure {
        DocumentFailure(.versionConflict, message)
    }

    /// The failure for a document that exists, although only new documents were requested.
    public static let alreadyExists = DocumentFailure(.alreadyExists, "the document exists; it was not changed")

    /// Returns the failure of an operation whose condition did not hold; `message` gives details that the condition
    /// does not make obvious.
    public static func conflict(with condition: WriteCondition, _ message: String) -> DocumentFailure {
        condition == .absent ? alreadyExists : versionConflict(message)
    }

    /// Whether the document was not in the state for which the operation was created.
    public var isConflict: Bool { [.versionConflict, .alreadyExists].contains(code) }
}

/// A source of digests of documents' versions, for uses in which only the version matters.
public protocol VersionDigest: Sendable {
    /// Returns the digest, which differs for different versions; 0 if the document has no version.
    func digest(of json: Span<UInt8>, id: Span<UInt8>) -> UInt64
}

/// A list of document IDs, each with the digest of its version, in one buffer without an allocation for each document.
///
/// A record consists of the length of the ID minus one in two bytes, the ID, and the digest in eight bytes, with
/// numbers in little-endian order.
public struct PackedVersions: Sendable {
    /// The records, stored one after the other.
    public private(set) var bytes: [UInt8] = []
    /// The number of documents.
    public private(set) var count = 0

    /// The number of bytes in a record in addition to the ID.
    public static let overhead = 10

    /// Creates an empty list.
    public init() {}

    /// Appends a document.
    public mutating func append(_ id: Span<UInt8>, _ digest: UInt64) {
        count += 1
        let length = UInt16(truncatingIfNeeded: id.count - 1)
        bytes.append(UInt8(truncatingIfNeeded: length))
        bytes.append(UInt8(truncatingIfNeeded: length >> 8))
        id.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: digest.littleEndian) { bytes.append(contentsOf: $0) }
    }
}

/// A page of the versions of documents written after a position in a part's history.
public struct VersionPage: Sendable {
    /// The documents, in the order in which they were written.
    public var versions: PackedVersions
    /// The position up to which the history has now been read.
    public var place: Int64
    /// Whether no readable change follows.
    public var isLast: Bool

    /// Creates a page of versions.
    public init(versions: PackedVersions, place: Int64, isLast: Bool) {
        self.versions = versions
        self.place = place
        self.isLast = isLast
    }
}

extension VersionedEngine {
    /// Returns the versions of the next documents, computed from the documents themselves.
    public func versions(
        by digest: any VersionDigest,
        in part: CollectionPart,
        after place: Int64
    ) async throws(EngineError) -> VersionPage {
        let page = try await changes(of: SearchQuery(), in: part, after: place)
        var versions = PackedVersions()
        for document in page.documents {
            versions.append(document.id.utf8, digest.digest(of: document.json.span, id: document.id.utf8))
        }
        // An unreadable document exists, but is not equal to any other.
        for document in page.unreadable {
            versions.append(document.key.id.utf8, digest.digest(of: document.bytes.span, id: document.key.id.utf8))
        }
        return VersionPage(versions: versions, place: page.place, isLast: page.isLast)
    }
}

/// An engine that compares contents where an operation requires it, and distinguishes a conflict with another client
/// from a conflict with an earlier copy of the same operation.
///
/// If an operation has the condition ``WriteCondition/contents(_:)``, its document is read before it is written, and
/// written only if it has not changed since. After a conflict, the document is read if the operation may already have
/// taken effect: if the document is in the state that the operation would produce, an earlier copy of the operation did
/// take effect.
package struct ComparingEngine: WrappingEngine {
    package let base: any ContentEngine
    private let reader: any VersionedEngine

    /// Wraps `base`, which writes to the collection that `reader` reads.
    package init(_ base: any ContentEngine, reading reader: any VersionedEngine) {
        (self.base, self.reader) = (base, reader)
    }

    /// The engine's capabilities, with the comparison of contents.
    package var capabilities: EngineCapabilities {
        var capabilities = base.capabilities
        capabilities.comparesContents = true
        return capabilities
    }

    /// Compares contents where an operation requires it, passes the remaining operations to the engine, and settles
    /// conflicts.
    package func apply(_ batch: ContentBatch) async -> BatchReply {
        guard batch.items.contains(where: \.operation.comparesContents) else {
            return await settled(await base.apply(batch), of: batch.items)
        }
        do throws(EngineError) {
            return await batch.applied(after: try await comparison(of: batch.items)) { rest in
                await settled(await base.apply(rest), of: rest.items)
            }
        } catch {
            return .failed(BatchFailure(ofReading: error))
        }
    }

    private func comparison(of items: [ContentBatch.Item]) async throws(EngineError) -> [OperationVerdict] {
        let compared = items.indices.filter { items[$0].operation.comparesContents }
        var verdicts = items.map { OperationVerdict.send($0.operation) }
        // These removals find no document at the routing value of the document that was added.
        var absent: [Int] = []
        try await reader.forEachVersion(at: compared.map { items[$0].operation.key }) { index, answer in
            let item = items[compared[index]]
            guard case .contents(let contents)? = item.operation.condition else { return }
            if case .unreadable(let flawed) = answer {
                verdicts[compared[index]] = .settled(.failed(.notCompared(flawed)))
                return
            }
            let document = answer.document
            if let document, item.operation.isElsewhere(document.routing, in: reader.capabilities) {
                verdicts[compared[index]] = .settled(.failed(.changedSince(isGone: false)))
                return
            }
            if document == nil, item.operation.kind == .remove, item.operation.routing != nil, !item.mayHaveApplied {
                absent.append(compared[index])
            }
            let found = digest(of: document)
            let wanted = item.operation.digest(ofResultOn: document?.json, in: reader.capabilities)
            if let found, found == wanted {
                verdicts[compared[index]] = .settled(.done(item.mayHaveApplied ? item.operation.doneBefore : .noop))
            } else if let found, contents.contains(found) {
                let condition = document.map { WriteCondition.unchanged($0.version) } ?? .absent
                verdicts[compared[index]] = .send(item.operation.only(condition))
            } else {
                verdicts[compared[index]] = .settled(.failed(.changedSince(isGone: document == nil)))
            }
        }
        let ids = absent.map { DocumentKey(items[$0].operation.documentID) }
        try await reader.forEachVersion(at: ids) { index, answer in
            guard answer != .absent else { return }
            verdicts[absent[index]] = .settled(.failed(.changedSince(isGone: false)))
        }
        return verdicts
    }

    private func digest(of document: VersionedDocument?) -> ContentDigest? {
        guard let document else { return ContentDigest.none }
        return ContentDigest(of: document.json, document.id, in: reader.capabilities)
    }

    /// Returns the reply after settling conflicts between an operation and an earlier copy of itself.
    private func settled(_ reply: BatchReply, of items: [ContentBatch.Item]) async -> BatchReply {
        guard case .results(var results) = reply, results.count == items.count else { return reply }
        let unclear = items.indices.filter { items[$0].mayHaveApplied && results[$0].isConflict }
        guard !unclear.isEmpty else { return reply }
        do throws(EngineError) {
            try await reader.forEachVersion(at: unclear.map { items[$0].operation.key }) { index, answer in
                // A document that can't be read exists, but can't be the result of an operation.
                if case .unreadable = answer { return }
                let operation = items[unclear[index]].operation
                guard operation.leaves(answer.document?.json, in: reader.capabilities) else { return }
                results[unclear[index]] = .done(operation.doneBefore)
            }
        } catch {
            // If the user has no permission to read, the conflict is reported together with its other possible cause.
            guard [.unreachable, .locked].contains(error.code) else { return reply }
            let failure = DocumentFailure(
                .attemptsExhausted,
                "could not determine whether an earlier attempt wrote the document: \(error.message)",
                disposition: .retryable
            )
            for place in unclear { results[place] = .unknown(failure) }
        }
        return .results(results)
    }
}

extension ContentOperation {
    fileprivate var comparesContents: Bool {
        if case .contents? = condition { true } else { false }
    }

    /// The outcome of an operation that was already carried out by an earlier copy.
    package var doneBefore: Outcome {
        switch kind {
        case .add: condition == .absent ? .added : .updated
        case .update: .updated
        case .remove: .gone
        }
    }
}

extension OperationResult {
    /// Whether the document was not in the state for which the operation was created.
    fileprivate var isConflict: Bool {
        switch self {
        case .failed(let failure): failure.isConflict
        case .done(.stale): true
        case .done, .notNow, .outdated, .unknown: false
        }
    }
}

extension DocumentFailure {
    /// Returns the failure for a document that can't be read, and thus can't be compared with its state after the job.
    package static func notCompared(_ document: UnreadableDocument) -> DocumentFailure {
        let failure = document.failure
        return DocumentFailure(failure.code, "it could not be compared, so it was not changed: \(failure.message)")
    }

    /// The failure of a counting update that may have been carried out by an earlier attempt.
    package static let perhapsCounted = DocumentFailure(
        .attemptsExhausted,
        """
        an earlier attempt may have applied its $inc, or added its whole document, which can't be determined now; it \
        was not applied again: check the document
        """,
        disposition: .operatorAction
    )

    /// Returns the failure of a counting update that was given up, and may have been carried out before.
    static func perhapsCountedBefore(_ failure: DocumentFailure) -> DocumentFailure {
        let message = "\(perhapsCounted.message) (\(failure.message))"
        return DocumentFailure(failure.code, message, disposition: perhapsCounted.disposition)
    }

    /// True for ``perhapsCounted``: feeding the operation again could apply it twice.
    package var mayHaveApplied: Bool { message.hasPrefix(Self.perhapsCounted.message) }

    /// Returns the failure for a document that has changed since the job.
    package static func changedSince(isGone: Bool) -> DocumentFailure {
        DocumentFailure(
            .changedSince,
            isGone
                ? "the document has since been removed, and is not restored"
                : "the document has changed since the job, so the job's change was not undone"
        )
    }
}

// MARK: - Counting updates

/// The document versions for which counting updates were sent without a reply that shows whether they took effect.
///
/// Each update is conditional on its document still having that version. As long as the document has that version, the
/// update has not taken effect, and only one of several copies can do so. A later process does not have these versions,
/// and does not send the updates again.
package final class CountedVersions: Sendable {
    private let versions = Mutex<[DocumentKey: DocumentVersion]>([:])

    package init() {}

    /// Returns whether an update may be sent to a document with this version.
    package func allows(_ item: ContentBatch.Item, at version: DocumentVersion?) -> Bool {
        guard item.mayHaveApplied, item.operation.isCounting else { return true }
        guard let version else { return false }
        return versions.withLock { $0[item.operation.key] == version }
    }

    /// Records the versions for which the batch's counting updates were sent, if it is unknown whether they took
    /// effect.
    package func note(_ sent: [DocumentID: DocumentVersion], _ reply: BatchReply, to batch: ContentBatch) {
        guard !sent.isEmpty else { return }
        versions.withLock { versions in
            for (place, item) in batch.items.enumerated() where item.operation.isCounting {
                guard let version = sent[item.operation.documentID] else { continue }
                let key = item.operation.key.detached()
                switch reply {
                case .results(let results) where place < results.count:
                    switch results[place] {
                    case .unknown: versions[key] = version
                    case .done, .failed: versions[key] = nil
                    // This copy had no effect, but an earlier one may have had one.
                    case .notNow, .outdated: continue
                    }
                case .failed(let failure)
                where failure.kind == .ambiguous || failure.kind == .split(mayHaveApplied: true):
                    versions[key] = version
                case .results, .failed: continue
                }
            }
        }
    }
}

// MARK: - Wrappers

/// An engine that behaves like the engine it wraps, except in the way it applies batches.
package protocol WrappingEngine: ContentEngine {
    /// The wrapped engine.
    var base: any ContentEngine { get }
}

extension WrappingEngine {
    package var collection: CollectionName { base.collection }
    package var capabilities: EngineCapabilities { base.capabilities }
    package var versions: (any VersionedEngine)? { base.versions }

    package func check(_ intent: FeedIntent) async throws(EngineError) { try await base.check(intent) }
    package func unseen(by intent: FeedIntent) -> String? { base.unseen(by: intent) }
    package func incarnation(for intent: FeedIntent) -> String? { base.incarnation(for: intent) }
    package func raise(to level: CompletionLevel) async throws(EngineError) { try await base.raise(to: level) }
}

/// The decision about an operation in a batch, made after its document was read.
package enum OperationVerdict: Sendable {
    /// The operation must be carried out, subject to its condition.
    case send(ContentOperation)
    /// Another operation must be carried out in its place.
    case replace(OperationStandIn)
    /// The operation is settled without calling the engine.
    case settled(OperationResult)
}

/// An operation that is carried out in place of another: for example, marking a document instead of removing it.
///
/// Its outcome is reported as the outcome of the requested operation.
package struct OperationStandIn: Hashable, Sendable {
    /// The requested operation.
    package let original: ContentOperation
    /// The operation that the engine receives, conditional on the document's state for which the operation was created.
    package let operation: ContentOperation
    /// The outcome to report in place of `updated`.
    package let updated: Outcome

    /// Creates a stand-in.
    package init(for original: ContentOperation, _ operation: ContentOperation, updated: Outcome = .updated) {
        (self.original, self.operation, self.updated) = (original, operation, updated)
    }

    /// Returns the result of the requested operation, which is retried if the document has changed.
    package func result(_ result: OperationResult) -> OperationResult {
        switch result {
        case .done(.updated): .done(updated)
        case .failed(let failure) where failure.isConflict: .outdated(failure)
        case .done, .failed, .notNow, .outdated, .unknown: result
        }
    }
}

extension ContentBatch {
    /// Calls `apply` with the operations to carry out according to their verdicts, and returns the results of all
    /// operations.
    package func applied(
        after verdicts: [OperationVerdict],
        _ apply: (ContentBatch) async -> BatchReply
    ) async -> BatchReply {
        var sent: [Item] = []
        var withheld: [OperationOutcome] = []
        var standIns: [OperationID: OperationStandIn] = [:]
        for (item, verdict) in zip(items, verdicts) {
            switch verdict {
            case .send(let operation):
                sent.append(Item(id: item.id, operation: operation, mayHaveApplied: item.mayHaveApplied))
            case .replace(let standIn):
                // An earlier copy of the operation was a different stand-in, based on another state of the document.
                sent.append(Item(id: item.id, operation: standIn.operation))
                standIns[item.id] = standIn
            case .settled(let result):
                if let outcome = job?.outcome(of: item, result) { withheld.append(outcome) }
            }
        }
        // An engine that keeps the job must learn of operations that were settled without it.
        let rest = replacing(sent, job: job?.adding(withheld, standIns))
        var results: [OperationResult] = []
        if !sent.isEmpty || rest.job != nil {
            let reply = await apply(rest)
            guard case .results(let found) = reply, found.count == sent.count else { return reply }
            results = found
        }
        var next = results.makeIterator()
        return .results(
            zip(items, verdicts).map { item, verdict in
                if case .settled(let result) = verdict { return result }
                let result =
                    next.next() ?? .unknown(DocumentFailure(.attemptsExhausted, "the engine sent no result"))
                return standIns[item.id]?.result(result) ?? result
            }
        )
    }
}

extension BatchFailure {
    /// Creates the failure of a batch that was not sent, because its documents could not be read.
    ///
    /// The documents are not the reason why the engine does not respond, so no attempt is counted.
    package init(ofReading error: EngineError) {
        guard [.unreachable, .locked].contains(error.code) else {
            self.init(.stop(error.code), DocumentFailure(.rejectedByEngine, error.message))
            return
        }
        let failure = DocumentFailure(.attemptsExhausted, error.message, disposition: .retryable)
        self.init(.definite(isCharged: false), failure)
    }
}
