import ContentFeeding
import JSONText

/// The commands of one update request, in JSON: `{"delete":["a","b"],"add":{"doc":{…}},…}`.
///
/// Solr's JSON names commands by keys that may repeat, and does them in their order. XML, its other form, has no way
/// to write most control characters, which an ID may hold.
struct UpdateBody {
    let uniqueKey: String
    private(set) var commands = 0
    private var bytes: [UInt8] = []
    private var isInDeletion = false

    /// `byteCount` is what it will have, more or less.
    init(uniqueKey: String, byteCount: Int = 0) {
        self.uniqueKey = uniqueKey
        bytes.reserveCapacity(byteCount)
        bytes.append(json: Self.brace)
    }

    /// Ends the request and hands it over; to be called once.
    mutating func finish() -> [UInt8] {
        if isInDeletion { bytes.append(json: Self.bracketEnd) }
        bytes.append(json: Self.braceEnd)
        var finished: [UInt8] = []
        swap(&finished, &bytes)
        return finished
    }

    /// Removes the document that has these bytes for an ID.
    mutating func remove(utf8 id: Span<UInt8>) {
        if isInDeletion {
            bytes.append(json: Self.comma)
        } else {
            if commands > 0 { bytes.append(json: Self.comma) }
            bytes.append(json: Self.deletion)
            isInDeletion = true
        }
        bytes.append(jsonString: id)
        commands += 1
    }

    /// Replaces the document whole, or creates it.
    mutating func add(_ document: FedDocument) {
        beginDocument(document.id)
        for field in document.fields where !field.isNull {
            bytes.append(json: Self.comma)
            bytes.append(jsonString: field.name.utf8.span)
            bytes.append(json: Self.colon)
            bytes.append(contentsOf: field.json)
        }
        bytes.append(json: Self.documentEnd)
    }

    /// Sets the fields of a patch on the document as it was with `version`; Solr refuses when it has another by now.
    mutating func change(_ patch: FedDocument, version: Int64) {
        beginDocument(patch.id)
        bytes.append(json: Self.version)
        bytes.append(contentsOf: String(version).utf8)
        for field in patch.fields {
            bytes.append(json: Self.comma)
            bytes.append(jsonString: field.name.utf8.span)
            bytes.append(json: Self.set)
            bytes.append(contentsOf: field.json)
            bytes.append(json: Self.braceEnd)
        }
        bytes.append(json: Self.documentEnd)
    }

    private mutating func beginDocument(_ id: DocumentID) {
        if isInDeletion {
            bytes.append(json: Self.bracketEnd)
            isInDeletion = false
        }
        if commands > 0 { bytes.append(json: Self.comma) }
        commands += 1
        bytes.append(json: Self.addition)
        bytes.append(jsonString: uniqueKey.utf8.span)
        bytes.append(json: Self.colon)
        bytes.append(jsonString: id.utf8)
    }

    private static let brace: StaticString = "{"
    private static let braceEnd: StaticString = "}"
    private static let bracketEnd: StaticString = "]"
    private static let comma: StaticString = ","
    private static let colon: StaticString = ":"
    private static let deletion: StaticString = #""delete":["#
    private static let addition: StaticString = #""add":{"doc":{"#
    private static let documentEnd: StaticString = "}}"
    private static let set: StaticString = #":{"set":"#
    private static let version: StaticString = #","_version_":"#
}
