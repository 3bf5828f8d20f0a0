import ContentFeeding
import JSONText

/// The commands of one update request, in JSON: `{"delete":["a","b"],"add":{"doc":{…}},…}`.
///
/// Solr's JSON names commands by keys that may repeat, and does them in their order. XML, its other form, has no way
/// to write most control characters, which an ID may hold.
struct UpdateBody {
    let uniqueKey: String
    private(set) var commands = 0
    private var writer = JSONWriter()
    private var isInDeletion = false

    init(uniqueKey: String) {
        self.uniqueKey = uniqueKey
        writer.raw(Self.brace)
    }

    /// Ends the request and hands it over; to be called once.
    mutating func finish() -> [UInt8] {
        if isInDeletion { writer.raw(Self.bracketEnd) }
        writer.raw(Self.braceEnd)
        return writer.takeBytes()
    }

    /// Removes the document that has these bytes for an ID.
    mutating func remove(utf8 id: Span<UInt8>) {
        if isInDeletion {
            writer.raw(Self.comma)
        } else {
            if commands > 0 { writer.raw(Self.comma) }
            writer.raw(Self.deletion)
            isInDeletion = true
        }
        writer.value(utf8: id)
        commands += 1
    }

    /// Replaces the document whole, or creates it.
    mutating func add(_ document: FedDocument) {
        beginDocument(document.id)
        for field in document.fields where !field.isNull {
            writer.raw(Self.comma)
            writer.value(field.name)
            writer.raw(Self.colon)
            writer.raw(field.json)
        }
        writer.raw(Self.documentEnd)
    }

    /// Sets the fields of a patch on the document as it was with `version`; Solr refuses when it has another by now.
    mutating func change(_ patch: FedDocument, version: Int64) {
        beginDocument(patch.id)
        writer.raw(Self.version)
        writer.value(version)
        for field in patch.fields {
            writer.raw(Self.comma)
            writer.value(field.name)
            writer.raw(Self.set)
            writer.raw(field.json)
            writer.raw(Self.braceEnd)
        }
        writer.raw(Self.documentEnd)
    }

    private mutating func beginDocument(_ id: DocumentID) {
        if isInDeletion {
            writer.raw(Self.bracketEnd)
            isInDeletion = false
        }
        if commands > 0 { writer.raw(Self.comma) }
        commands += 1
        writer.raw(Self.addition)
        writer.value(uniqueKey)
        writer.raw(Self.colon)
        writer.value(utf8: id.utf8)
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
