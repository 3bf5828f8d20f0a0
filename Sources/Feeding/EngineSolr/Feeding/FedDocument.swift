import ContentFeeding
import JSONText

/// A document or a patch as Solr takes it: fields with plain values, or lists of them.
///
/// Of a key that occurs twice the last counts, where Solr would take both for a list. The document's ID is the
/// operation's, whatever the JSON says, and what Solr keeps for itself (`_version_`, `_root_`) is left out.
struct FedDocument {
    struct Field: Hashable {
        var name: String
        /// As it was fed; `null` included.
        var json: [UInt8]
        var isNull: Bool
    }

    let id: DocumentID
    /// Without the unique key.
    let fields: [Field]

    init(_ document: Document, uniqueKey: String) throws(DocumentRefusal) {
        guard document.json.count <= Document.maximumByteCount else {
            throw DocumentRefusal(
                .documentTooLarge,
                "the document has \(document.json.count) bytes, and \(Document.maximumByteCount) are allowed"
            )
        }
        guard let members = try? JSONMembers(of: document.json.span) else {
            throw DocumentRefusal(.rejectedByEngine, "the document is not one JSON object")
        }
        var places: [[UInt8]: Int] = [:]
        for (place, member) in members.all.enumerated() { places[Array(member.key.utf8)] = place }
        var fields: [Field] = []
        for (place, member) in members.all.enumerated() where places[Array(member.key.utf8)] == place {
            if member.key == uniqueKey || ReplyDocuments.internalFields.contains(member.key) { continue }
            let json = Array(document.json[member.value])
            guard Self.isPlain(member.kind, json) else {
                throw DocumentRefusal(
                    .rejectedByEngine,
                    """
                    the field '\(member.key)' holds an object or a list in a list, and Solr takes plain values and \
                    lists of them only: give its parts names of their own
                    """
                )
            }
            fields.append(Field(name: member.key, json: json, isNull: member.kind == .null))
        }
        id = document.id
        self.fields = fields
    }

    /// An object would be taken for an instruction of an atomic update, or for a child document.
    private static func isPlain(_ kind: JSONKind, _ json: [UInt8]) -> Bool {
        switch kind {
        case .object: false
        case .array: (try? isListOfPlainValues(json)) ?? false
        case .string, .number, .bool, .null: true
        }
    }

    private static func isListOfPlainValues(_ json: [UInt8]) throws(JSONError) -> Bool {
        var scanner = JSONScanner(json.span)
        try scanner.enterArray()
        while try scanner.nextElement() {
            let kind = try scanner.kind()
            if kind == .object || kind == .array { return false }
            try scanner.skipValue()
        }
        return true
    }
}

/// Why a document never goes to Solr.
struct DocumentRefusal: Error {
    let failure: DocumentFailure

    init(_ code: DocumentFailure.Code, _ message: String) { failure = DocumentFailure(code, message) }
}
