public import ContentFeeding

/// A local change that the origin does not have yet: at most one for each document.
public struct QueuedOperation: Hashable, Sendable {
    /// What became of a document locally, compared with what the origin had.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The origin had no such document.
        case insert
        case update
        case remove

        /// Returns the kind of change from what the origin has to what the copy has; `nil` if both have nothing.
        public init?(originHasIt: Bool, copyHasIt: Bool) {
            switch (originHasIt, copyHasIt) {
            case (false, true): self = .insert
            case (true, true): self = .update
            case (true, false): self = .remove
            case (false, false): return nil
            }
        }
    }

    /// The place in the queue: operations are pushed in its order.
    public let number: Int64
    /// The document that was changed.
    public let documentID: DocumentID
    /// The routing that places the document; `nil` if its ID does.
    public let routing: Routing?
    /// What was done to the document.
    public let kind: Kind
    /// The version that the document had at the origin when it was changed here; `nil` if there was none.
    public let based: DocumentVersion?
    /// The document as it was pulled; `nil` if there was none.
    public let pulled: [UInt8]?
    /// The document as it is here; `nil` if it was removed.
    public let local: [UInt8]?
    /// The number of changes since it was queued: a push settles only what it has seen.
    public let generation: Int

    /// Creates a change that waits to be pushed.
    public init(
        number: Int64,
        documentID: DocumentID,
        routing: Routing?,
        kind: Kind,
        based: DocumentVersion?,
        pulled: [UInt8]?,
        local: [UInt8]?,
        generation: Int
    ) {
        self.number = number
        self.documentID = documentID
        self.routing = routing
        self.kind = kind
        self.based = based
        self.pulled = pulled
        self.local = local
        self.generation = generation
    }

    /// The document's ID, with its routing.
    public var key: DocumentKey { DocumentKey(documentID, routing: routing) }
}

/// What two changes of one document become in the queue, before either is pushed.
///
/// Only a copy's queue collapses; a direct feed sends each operation.
public enum Collapse: Hashable, Sendable {
    case keep(QueuedOperation.Kind)
    /// The origin never hears of the document.
    case drop
    /// The first has to be pushed before the second can be queued.
    case refuse

    /// Returns what becomes of a queued operation (`nil` for none) when the document is changed once more.
    ///
    /// `removes` says whether the new change is a removal, `originHasIt` whether the origin is known to have the
    /// document, `wasSent` whether it may have it because a push was interrupted.
    public init(_ queued: QueuedOperation.Kind?, removes: Bool, originHasIt: Bool, wasSent: Bool = false) {
        switch (queued, removes) {
        case (nil, false): self = .keep(originHasIt ? .update : .insert)
        case (nil, true): self = originHasIt ? .keep(.remove) : .drop
        case (.insert, false): self = .keep(.insert)
        case (.insert, true): self = wasSent ? .keep(.remove) : .drop
        case (.update, false): self = .keep(.update)
        case (.update, true): self = .keep(.remove)
        case (.remove, false): self = .refuse
        case (.remove, true): self = .keep(.remove)
        }
    }
}
