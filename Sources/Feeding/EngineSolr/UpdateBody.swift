import ContentFeeding
import JSONText

/// The commands of one update request, in JSON: `{"delete":["a","b"],"add":{"doc":{…}},…}`.
///
/// Solr's JSON names commands by keys that may repeat, and executes them in order. XML, its other format, has no way to
/// write most control characters, which an ID may contain.
struct UpdateBody {
    let uniqueKey: String
    private(set) var commands = 0
    private var bytes: [UInt8] = []
    private var isInDeletion = false

    /// Starts a request of `byteCount` bytes, more or less.
    init(uniqueKey: String, byteCount: Int = 0) {
        self.uniqueKey = uniqueKey
        bytes.reserveCapacity(byteCount)
        bytes.append(json: Self.brace)
    }

    /// Ends the request and returns it; call it once.
    mutating func finish() -> [UInt8] {
        if isInDeletion { bytes.append(json: Self.bracketEnd) }
        bytes.append(json: Self.braceEnd)
        var finished: [UInt8] = []
        swap(&finished, &bytes)
        return finished
    }

    /// Removes the document with these bytes as its ID.
    mutating func remove(utf8 id: Span<UInt8>, only condition: VersionCondition? = nil) {
        if let condition {
            beginCommand()
            bytes.append(json: Self.deletionOfOne)
            bytes.append(jsonString: id)
            append(condition)
            bytes.append(json: Self.braceEnd)
            return
        }
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
    mutating func add(_ document: UpdateDocument, only condition: VersionCondition? = nil) {
        beginDocument(document.id)
        if let condition { append(condition) }
        for field in document.fields where !field.isNull {
            bytes.append(json: Self.comma)
            bytes.append(jsonString: field.name.utf8.span)
            bytes.append(json: Self.colon)
            bytes.append(contentsOf: field.json)
        }
        bytes.append(json: Self.documentEnd)
    }

    /// Sets a patch's fields on the document at `version`; Solr refuses if it has another version by now.
    mutating func change(_ patch: UpdateDocument, version: Int64) {
        beginDocument(patch.id)
        append(VersionCondition(number: version))
        for field in patch.fields {
            bytes.append(json: Self.comma)
            bytes.append(jsonString: field.name.utf8.span)
            bytes.append(json: Self.set)
            bytes.append(contentsOf: field.json)
            bytes.append(json: Self.braceEnd)
        }
        bytes.append(json: Self.documentEnd)
    }

    private mutating func append(_ condition: VersionCondition) {
        bytes.append(json: Self.version)
        bytes.append(contentsOf: String(condition.number).utf8)
    }

    private mutating func beginCommand() {
        if isInDeletion {
            bytes.append(json: Self.bracketEnd)
            isInDeletion = false
        }
        if commands > 0 { bytes.append(json: Self.comma) }
        commands += 1
    }

    private mutating func beginDocument(_ id: DocumentID) {
        beginCommand()
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
    private static let deletionOfOne: StaticString = #""delete":{"id":"#
    private static let addition: StaticString = #""add":{"doc":{"#
    private static let documentEnd: StaticString = "}}"
    private static let set: StaticString = #":{"set":"#
    private static let version: StaticString = #","_version_":"#
}

/// The `_version_` that a document must have for a command to be carried out; -1 if there must be none.
struct VersionCondition: Hashable {
    let number: Int64

    init(number: Int64) { self.number = number }

    /// Compares what is wanted with what a look-up found; Solr compares once more, when it writes.
    init(_ wanted: WriteCondition, of found: StoredDocument?) throws(DocumentRefusal) {
        switch wanted {
        case .absent:
            guard found == nil else { throw DocumentRefusal(failure: .alreadyExists) }
            number = -1
        case .unchanged(let version):
            guard let found else { throw DocumentRefusal(.versionConflict, "the document is gone") }
            guard let number = found.version, String(number) == version.rawValue else {
                let actual = found.version.map { "version \($0)" } ?? "no version"
                throw DocumentRefusal(.versionConflict, "the document has \(actual), not \(version)")
            }
            self.number = number
        case .olderThan:
            throw DocumentRefusal(.rejectedByEngine, "Solr keeps no versions that others number")
        case .contents: throw DocumentRefusal(.rejectedByEngine, "Solr does not compare contents")
        }
    }
}

/// A document or a patch as Solr accepts it: fields with plain values, or lists of them.
///
/// If a key occurs twice, the last one counts; Solr would take both for a list. The document's ID is the operation's,
/// whatever the JSON says, and fields that Solr keeps for itself (`_version_`, `_root_`) are left out.
struct UpdateDocument {
    struct Field: Hashable {
        var name: String
        /// The value as it was fed, including `null`.
        var json: [UInt8]
        var isNull: Bool
    }

    let id: DocumentID
    /// All fields except the unique key.
    let fields: [Field]

    init(_ document: Document, uniqueKey: String) throws(DocumentRefusal) {
        guard document.json.count <= Document.maximumByteCount else {
            throw DocumentRefusal(
                .documentTooLarge,
                "the document has \(document.json.count) bytes, but at most \(Document.maximumByteCount) are allowed"
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
                    the field '\(member.key)' contains an object or a list in a list, but Solr accepts only plain \
                    values and lists of them: make its parts separate fields
                    """
                )
            }
            fields.append(Field(name: member.key, json: json, isNull: member.kind == .null))
        }
        id = document.id
        self.fields = fields
    }

    /// Whether a value is plain: Solr would take an object for an atomic update's instruction, or for a child document.
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

/// The reason why a document never goes to Solr.
struct DocumentRefusal: Error {
    let failure: DocumentFailure

    init(failure: DocumentFailure) { self.failure = failure }

    init(_ code: DocumentFailure.Code, _ message: String) { failure = DocumentFailure(code, message) }
}
