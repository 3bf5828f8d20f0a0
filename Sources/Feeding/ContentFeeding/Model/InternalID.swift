import Digests

/// FAST's internal name of a document: `md5(id)_collection`, as its messages print it.
public struct InternalID: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// Hashes the UTF-8 bytes of the ID.
    public init(_ documentID: DocumentID, in collection: CollectionName) {
        var md5 = MD5()
        description = md5.digest(of: documentID.utf8).hexadecimal + "_" + collection.rawValue
    }
}

extension DocumentFailure {
    /// The sentence for the status report.
    ///
    /// A missing document has FAST's own: `Document e14c…_WebCollection does not exist`.
    public func description(of documentID: DocumentID, in collection: CollectionName) -> String {
        guard code == .documentMissing else { return message }
        return "Document \(InternalID(documentID, in: collection)) does not exist"
    }
}
