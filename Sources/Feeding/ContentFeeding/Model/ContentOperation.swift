/// A change to one document of a collection.
///
/// Plain fields and no enumeration with contents: a feed touches each operation many times, mostly for its ID alone.
public struct ContentOperation: Hashable, Sendable {
    /// What becomes of the document.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// It is replaced whole, or created.
        case add
        /// Top-level keys are merged into it; `null` removes a key.
        case update
        case remove
    }

    public let kind: Kind
    public let documentID: DocumentID
    /// The document, or what is merged into it, as ``Document/json``; empty for a removal.
    public let json: [UInt8]

    private init(_ kind: Kind, _ documentID: consuming DocumentID, json: consuming [UInt8] = []) {
        self.kind = kind
        self.documentID = documentID
        self.json = json
    }

    /// Replaces the document whole, or creates it.
    public static func add(_ document: Document) -> Self { Self(.add, document.id, json: document.json) }

    /// Merges top-level keys into the document; `null` removes a key.
    public static func update(_ patch: Document) -> Self { Self(.update, patch.id, json: patch.json) }

    public static func remove(_ id: consuming DocumentID) -> Self { Self(.remove, id) }

    /// What is added or merged, under its ID; not to be asked of a removal.
    package var document: Document { Document(id: documentID, json: json) }

    /// The same operation, whose document ID shares its memory with no other: for one that is kept for long.
    public func detached() -> ContentOperation { ContentOperation(kind, documentID.detached(), json: json) }

    /// What the operation weighs in a batch and in the window, in bytes.
    public var byteCount: Int { documentID.byteCount + json.count }
}

/// A document on its way into a collection: its ID, and a JSON object that no one re-encodes.
///
/// The bytes are checked once, where they are read; an engine that takes JSON is sent them as they are.
public struct Document: Hashable, Sendable {
    public let id: DocumentID
    /// One JSON object in UTF-8, without a line end.
    public let json: [UInt8]

    /// The longest document, in bytes.
    public static let maximumByteCount = 16 << 20

    public init(id: DocumentID, json: [UInt8]) {
        self.id = id
        self.json = json
    }
}

/// The place of an operation in its job or feeder, from 1.
public struct OperationID: RawRepresentable, Hashable, Comparable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The first operation of every job.
    public static let first = OperationID(rawValue: 1)

    public var next: OperationID { OperationID(rawValue: rawValue + 1) }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension OperationID: CustomStringConvertible {
    public var description: String { String(rawValue) }
}

/// The name of a collection, as the engine knows it (an *index* in OpenSearch, a *core* or *collection* in Solr).
///
/// It goes to the engine unchanged; each engine has rules of its own for it.
public struct CollectionName: RawRepresentable, Hashable, Comparable, Sendable, ExpressibleByStringLiteral {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ text: String) { rawValue = text }
    public init(stringLiteral text: String) { rawValue = text }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension CollectionName: CustomStringConvertible {
    public var description: String { rawValue }
}
