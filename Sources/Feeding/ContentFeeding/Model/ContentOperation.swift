/// A change to one document of a collection.
public enum ContentOperation: Hashable, Sendable {
    /// Replaces the document whole, or creates it.
    case add(Document)
    /// Merges top-level keys into the document; `null` removes a key.
    case update(Document)
    case remove(DocumentID)

    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case add
        case update
        case remove
    }

    public var kind: Kind {
        switch self {
        case .add: .add
        case .update: .update
        case .remove: .remove
        }
    }

    public var documentID: DocumentID {
        switch self {
        case .add(let document), .update(let document): document.id
        case .remove(let id): id
        }
    }

    /// What the operation weighs in a batch and in the window, in bytes.
    public var byteCount: Int {
        switch self {
        case .add(let document), .update(let document): document.id.text.utf8.count + document.json.count
        case .remove(let id): id.text.utf8.count
        }
    }
}
