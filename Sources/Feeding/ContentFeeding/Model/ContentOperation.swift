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
