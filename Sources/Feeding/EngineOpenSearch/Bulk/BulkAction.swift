import ContentFeeding

/// One operation as it goes into a bulk request.
struct BulkAction: Hashable, Sendable {
    /// What is put in place whole.
    struct Replacement: Hashable, Sendable {
        let json: [UInt8]
        /// Only if nobody has changed the document since.
        let since: Revision?
    }

    let id: DocumentID
    /// `nil` where the document is deleted.
    let replacement: Replacement?

    static func delete(_ id: consuming DocumentID) -> Self { Self(id: id, replacement: nil) }

    static func index(_ id: DocumentID, json: [UInt8], since: Revision?) -> Self {
        Self(id: id, replacement: Replacement(json: json, since: since))
    }

    /// The word that the engine names the action by, in the request and in the answer.
    var word: String { replacement == nil ? "delete" : "index" }
}

/// A state of a document: what a conditional write must find unchanged.
struct Revision: Hashable, Sendable {
    let sequenceNumber: Int
    let primaryTerm: Int
}
