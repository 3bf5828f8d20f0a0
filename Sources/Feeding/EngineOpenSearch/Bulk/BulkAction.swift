import ContentFeeding

/// One operation as it goes into a bulk request.
enum BulkAction: Hashable, Sendable {
    case delete(DocumentID)
    /// Puts the document in place whole; with a revision only if nobody has changed it since.
    case index(DocumentID, json: [UInt8], since: Revision?)

    var id: DocumentID {
        switch self {
        case .delete(let id), .index(let id, _, _): id
        }
    }

    /// The word that the engine names the action by, in the request and in the answer.
    var word: String {
        switch self {
        case .delete: "delete"
        case .index: "index"
        }
    }
}

/// A state of a document: what a conditional write must find unchanged.
struct Revision: Hashable, Sendable {
    let sequenceNumber: Int
    let primaryTerm: Int
}
