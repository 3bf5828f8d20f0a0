/// A collection that copies can be made of: it tells which documents have changed, and writes on condition.
///
/// A collection has one or several parts (shards), each with a history of its own: a number that grows with each
/// change. A copy remembers how far it has read each part's history.
public protocol VersionedEngine: ContentEngine, SearchableEngine {
    /// Returns what the collection is, and how far each part's history has come: in one request, or one for each part.
    ///
    /// Throws if a part does not answer: a part is never taken for the whole.
    func state() async throws(EngineError) -> CollectionState

    /// Makes everything up to each part's ``CollectionPart/readable`` visible to ``changes(of:in:after:)``, and
    /// to searches.
    func settle() async throws(EngineError)

    /// Returns the next documents that match `query` and were written after a place in a part's history, in that order.
    ///
    /// Throws if the part does not answer whole.
    func changes(
        of query: SearchQuery,
        in part: CollectionPart,
        after place: Int64
    ) async throws(EngineError) -> ChangePage

    /// Returns the versions of the next documents of a part, in the order in which they were written.
    ///
    /// Throws if the part does not answer whole. An engine may have a faster way than to give the documents.
    func versions(
        by digest: any VersionDigest,
        in part: CollectionPart,
        after place: Int64
    ) async throws(EngineError) -> VersionPage

    /// Returns the number of documents that match `query`; `nil` if only listing them would tell.
    func count(of query: SearchQuery) async throws(EngineError) -> Int?

    /// Returns the documents of `keys` as they are now, whether or not searches see it: one entry for each, `nil` where
    /// there is none.
    func versions(at keys: [DocumentKey]) async throws(EngineError) -> [VersionedDocument?]
}

extension VersionedEngine {
    /// Reads the documents of `keys` as they are now, a page at a time, and passes each on with its place.
    package func forEachVersion(
        at keys: [DocumentKey],
        _ body: (Int, VersionedDocument?) -> Void
    ) async throws(EngineError) {
        var count = VersionPaging.firstPage
        var start = 0
        while start < keys.count {
            let page = Array(keys[start..<min(start + count, keys.count)])
            let documents = try await versions(at: page)
            guard documents.count == page.count else {
                throw EngineError(.unusable, "the engine answered for \(documents.count) of \(page.count) IDs")
            }
            for (index, document) in documents.enumerated() { body(start + index, document) }
            start += page.count
            let bytes = documents.reduce(0) { $0 + ($1?.json.count ?? 0) }
            count = bytes > VersionPaging.pageBytes ? max(1, count / 2) : min(2 * count, VersionPaging.largestPage)
        }
    }
}

/// How many documents are read at once.
private enum VersionPaging {
    static let firstPage = 250
    static let largestPage = 1_000
    /// The bytes of documents above which the next page is smaller.
    static let pageBytes = 4 << 20
}

/// What a collection is, and how far its history has come.
public struct CollectionState: Hashable, Sendable {
    /// What tells the collection from another one of the same name; empty if the engine does not say.
    public var identity: String
    /// The parts (shards), each with a history of its own.
    public var parts: [CollectionPart]
    /// What is another text after any change, for an engine whose histories don't end with every change; `nil` for
    /// others.
    public var contents: String?

    /// Creates the state of a collection.
    public init(identity: String, parts: [CollectionPart], contents: String? = nil) {
        self.identity = identity
        self.parts = parts
        self.contents = contents
    }

    /// Whether there is no document in any part, as far as the histories tell.
    public var isEmpty: Bool { parts.allSatisfy { $0.last == CollectionPart.beginning } }
}

/// A part of a collection, and how far its history has come.
public struct CollectionPart: Hashable, Sendable {
    /// The part's name, unique in its collection.
    public var name: String
    /// What tells the history from another one, in which the same numbers mean other changes.
    public var history: String
    /// The number of the last change.
    public var last: Int64
    /// The number up to which changes can be read; at most ``last``.
    public var readable: Int64
    /// The number up to which no change appears any more, for an engine that numbers changes before it stores them.
    public var settled: Int64

    /// Creates the state of a part.
    public init(name: String, history: String, last: Int64, readable: Int64, settled: Int64 = .max) {
        self.name = name
        self.history = history
        self.last = last
        self.readable = readable
        self.settled = settled
    }

    /// The place before the first change.
    public static let beginning: Int64 = -1
}

/// Some of the documents written after a place in a part's history.
public struct ChangePage: Sendable {
    /// The documents, in the order in which they were written.
    public var documents: [VersionedDocument]
    /// The place up to which the history has been read now.
    public var place: Int64
    /// Whether nothing follows that can be read.
    public var isLast: Bool

    /// Creates a page of changes.
    public init(documents: [VersionedDocument], place: Int64, isLast: Bool) {
        self.documents = documents
        self.place = place
        self.isLast = isLast
    }
}

/// A document, and the version of it that was read.
public struct VersionedDocument: Hashable, Sendable {
    /// The document's ID.
    public let id: DocumentID
    /// The routing that places the document; `nil` if its ID does.
    public let routing: Routing?
    /// What tells this state of the document from others.
    public let version: DocumentVersion
    /// A number that grows with each change of the document; `nil` if the engine tells none.
    public let number: Int64?
    /// One JSON object.
    public var json: [UInt8]

    /// Creates a document with its version, and with its number where that is another.
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

/// One state of a document, in the engine's own words.
public struct DocumentVersion: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A version that no document has: whatever is there has changed.
    public static let unknown = DocumentVersion(rawValue: "?")

    public var description: String { rawValue }
}

/// What must be true of a document for an operation on it to be done.
///
/// Boxed, because nearly all operations have none.
public indirect enum WriteCondition: Hashable, Sendable {
    /// There is no such document.
    case absent
    /// Nobody has changed the document since this version.
    case unchanged(DocumentVersion)
    /// The document's version is lower than this one, or there is no document: the number is somebody else's, and becomes
    /// the document's. One that is not lower makes the operation ``Outcome/stale``.
    case olderThan(Int64)
    /// The document has one of these contents, or the one that the operation leaves: then there is nothing to do. Only
    /// for a ``ComparingEngine``.
    case contents([ContentDigest])
}

extension DocumentFailure {
    /// A document that is not in the state that the operation was made for.
    public static func versionConflict(_ message: String) -> DocumentFailure {
        DocumentFailure(.versionConflict, message)
    }

    /// A document that exists, although only a new one was to be added.
    public static let alreadyExists = DocumentFailure(.alreadyExists, "the document exists; it was left as it is")

    /// The failure of an operation whose condition did not hold; `message` says how, if that is not clear.
    public static func conflict(with condition: WriteCondition, _ message: String) -> DocumentFailure {
        condition == .absent ? alreadyExists : versionConflict(message)
    }

    /// Whether the document was not in the state that the operation was made for.
    public var isConflict: Bool { [.versionConflict, .alreadyExists].contains(code) }
}
