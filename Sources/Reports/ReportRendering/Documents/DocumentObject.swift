public import ContentFeeding

/// `fastctl.document/1`: a stored document with what is known of it.
public enum DocumentObject {
    /// Appends the object, without a line end; the document's own bytes stay as they are.
    public static func append(_ document: StoredDocument, in collection: CollectionName, to bytes: inout [UInt8]) {
        var object = JSONObjectText.begin("fastctl.document/1", in: &bytes)
        object.member("id", document.id.text, in: &bytes)
        object.member("collection", collection.rawValue, in: &bytes)
        object.key("version", in: &bytes)
        bytes.append(text: document.version.map(String.init) ?? "null")
        object.key("document", in: &bytes)
        bytes.append(contentsOf: document.json)
        object.end(in: &bytes)
    }
}
