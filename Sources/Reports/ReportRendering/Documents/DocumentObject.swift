public import ContentFeeding
import JSONText

/// `fastctl.document/1`: a stored document with what is known of it.
public enum DocumentObject {
    /// Appends the object, without a line end; the document's own bytes stay as they are.
    public static func append(_ document: StoredDocument, in collection: CollectionName, to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.document/1") { object in
            object.member("id", document.id)
            object.member("collection", collection.rawValue)
            object.member("version", document.version)
            object.member("document", raw: document.json)
        }
    }
}
