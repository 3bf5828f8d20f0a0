import ContentFeeding
import JSONText

/// The commands of one update request, in JSON: `{"delete":["a","b"],"add":{"doc":{…}},…}`.
///
/// In Solr's JSON format, the keys are commands, which may be repeated and are executed in order. XML, Solr's other
/// format, can't represent most control characters, which an ID may contain.
struct UpdateBody {
    let uniqueKey: String
    private(set) var commands = 0
    private var bytes: [UInt8] = []
    private var isInDeletion = false

    /// Starts a request of approximately `byteCount` bytes.
    init(uniqueKey: String, byteCount: Int = 0) {
        self.uniqueKey = uniqueKey
        bytes.reserveCapacity(byteCount)
        bytes.append(json: Self.brace)
    }

    /// Ends the request and returns it; must be called only once.
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

    /// Replaces the whole document, or creates it if it does not exist.
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

    /// Sets a patch's fields in the document; Solr refuses the command if the document's version differs from `version`
    /// by then.
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

/// The `_version_` that a document must have for a command to be executed; -1 if the document must not exist.
struct VersionCondition: Hashable {
    let number: Int64

    init(number: Int64) { self.number = number }

    /// Checks a condition against the result of a look-up; Solr compares the versions again when it writes.
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
            throw DocumentRefusal(.rejectedByEngine, "Solr does not support external versions")
        case .contents: throw DocumentRefusal(.rejectedByEngine, "Solr does not compare contents")
        }
    }
}

/// A document or a patch in the form that Solr accepts: fields with plain values, or with lists of plain values.
///
/// If a key occurs twice, the last one counts; Solr would combine both into a list. The document gets the operation's
/// ID, regardless of the JSON, and Solr's internal fields (`_version_`, `_root_`) are omitted.
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
            throw DocumentRefusal(.rejectedByEngine, "the document is not a single JSON object")
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
                    the field '\(member.key)' contains an object or a nested list, but Solr accepts only plain \
                    values and lists of them: make its parts separate fields
                    """
                )
            }
            fields.append(Field(name: member.key, json: json, isNull: member.kind == .null))
        }
        id = document.id
        self.fields = fields
    }

    /// Creates the changes that an update makes to a document, with operators already evaluated; `before` is `nil` if
    /// the document does not exist.
    ///
    /// A field's name may contain dots, which are not path separators, because Solr's documents have no nested objects.
    init(_ patch: ContentOperation, on before: StoredDocument?, uniqueKey: String) throws(DocumentRefusal) {
        if before == nil, let whole = patch.wholeDocument {
            self = try UpdateDocument(Document(id: patch.documentID, json: whole), uniqueKey: uniqueKey)
            return
        }
        let json: [UInt8]
        do throws(JSONPatchError) {
            json = try JSONPatch.resolved(patch.json, on: before?.json ?? Array("{}".utf8), hasPaths: false)
        } catch {
            throw DocumentRefusal(.rejectedByEngine, error.description)
        }
        let document = Document(id: patch.documentID, json: json)
        self = try UpdateDocument(document, uniqueKey: uniqueKey)
    }

    /// Returns whether a value is plain; Solr would interpret an object as an atomic update or as a child document.
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

/// The reason why a document can't be sent to Solr.
struct DocumentRefusal: Error {
    let failure: DocumentFailure

    init(failure: DocumentFailure) { self.failure = failure }

    init(_ code: DocumentFailure.Code, _ message: String) { failure = DocumentFailure(code, message) }
}

/// A reply's `responseHeader`, which describes the reply as a whole.
struct ReplyHeader: Hashable {
    /// An operation that a tolerant update processor skipped.
    struct ItemError: Hashable {
        /// `ADD` or `DELID`.
        var type: String
        var id: String
        var message: String
    }

    /// The status; any status other than 0 is a failure, regardless of the HTTP status.
    var status: Int
    /// Whether a part of the collection did not respond.
    var isPartial = false
    var errors: [ItemError] = []
    /// The time that Solr spent on the request, in milliseconds.
    var milliseconds = 0

    /// Reads the header of a reply; returns `nil` if the reply has none.
    static func read(_ body: [UInt8]) throws(JSONError) -> ReplyHeader? {
        var scanner = JSONScanner(body.span)
        var members = SingleMembers()
        var header: ReplyHeader?
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            switch scanner.text(of: key) {
            case "responseHeader":
                try members.take("responseHeader", at: key)
                header = try scanner.header()
            case "error": throw JSONError(offset: key.range.lowerBound, message: "an error in a successful reply")
            default: try scanner.skipValue()
            }
        }
        try scanner.end()
        return header
    }
}

/// The members of an object that determine the meaning of the reply, each of which may occur only once.
///
/// If a member occurred twice with different values, neither value could be trusted.
private struct SingleMembers {
    private var names: Set<String> = []

    mutating func take(_ name: String, at key: JSONStringToken) throws(JSONError) {
        guard names.insert(name).inserted else {
            throw JSONError(offset: key.range.lowerBound, message: "'\(name)' occurs twice")
        }
    }
}

extension JSONScanner {
    fileprivate mutating func header() throws(JSONError) -> ReplyHeader {
        var header = ReplyHeader(status: -1)
        var members = SingleMembers()
        try enterObject()
        while let key = try nextKey() {
            switch text(of: key) {
            case "status":
                try members.take("status", at: key)
                header.status = try int()
            case "QTime": header.milliseconds = max(header.milliseconds, try int())
            case "partialResults": header.isPartial = try truth() || header.isPartial
            case "errors": header.errors += try itemErrors()
            default: try skipValue()
            }
        }
        return header
    }

    /// Reads a Boolean; newer versions of Solr write `"omitted"` instead of `true`.
    private mutating func truth() throws(JSONError) -> Bool {
        if try kind() == .bool { return try bool() }
        try skipValue()
        return true
    }

    private mutating func itemErrors() throws(JSONError) -> [ReplyHeader.ItemError] {
        var errors: [ReplyHeader.ItemError] = []
        try enterArray()
        while try nextElement() {
            var error = ReplyHeader.ItemError(type: "", id: "", message: "")
            try enterObject()
            while let key = try nextKey() {
                switch text(of: key) {
                case "type": error.type = try stringText()
                case "id": error.id = try stringText()
                case "message": error.message = try stringText()
                default: try skipValue()
                }
            }
            errors.append(error)
        }
        return errors
    }
}

/// The documents of a reply to `/get` or `/select`.
struct ReplyDocuments: Hashable {
    var documents: [StoredDocument] = []
    /// The total number of documents that match the query; `nil` in the real-time get's reply about one ID.
    var found: Int?
    var nextCursor: String?
    /// Whether this is the real-time get's reply about one ID.
    private var isAboutOne = false

    /// Reads the documents of a complete reply; their JSON is left empty unless `wantsJSON` is `true`.
    init(_ body: [UInt8], uniqueKey: String, wantsJSON: Bool) throws(JSONError) {
        var scanner = JSONScanner(body.span)
        var reader = ReplyDocumentReader(body: body, uniqueKey: uniqueKey, wantsJSON: wantsJSON)
        var members = SingleMembers()
        var hasAnswer = false
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            switch scanner.text(of: key) {
            case "doc":
                try members.take("an answer", at: key)
                (hasAnswer, isAboutOne) = (true, true)
                if try scanner.kind() == .null { try scanner.null() } else { try reader.document(&scanner) }
            case "response":
                try members.take("an answer", at: key)
                hasAnswer = true
                found = try reader.response(&scanner)
            case "nextCursorMark":
                try members.take("nextCursorMark", at: key)
                nextCursor = try scanner.stringText()
            default: try scanner.skipValue()
            }
        }
        try scanner.end()
        guard hasAnswer else { throw JSONError(offset: 0, message: "neither a document nor a list of them") }
        documents = reader.documents
    }

    /// Returns the documents of a real-time get for `ids`; throws if the reply contradicts itself.
    ///
    /// A document counts as absent only if the reply is consistent: a reply that lists fewer documents than it counts
    /// proves nothing.
    func answering(_ ids: Set<DocumentID>) throws(JSONError) -> [StoredDocument] {
        if isAboutOne, ids.count != 1 { throw Self.contradiction("one answer for \(ids.count) IDs") }
        if !isAboutOne { try checkCount() }
        var rest = ids
        for document in documents where rest.remove(document.id) == nil {
            throw Self.contradiction("a document that was not requested, or the same one twice")
        }
        return documents
    }

    /// Returns one of `ids` that Solr took for another number, such as `01000` for `1000`, because the key is a number;
    /// `nil` if each document is one that was asked for.
    func otherSpelling(of ids: Set<DocumentID>) -> (asked: DocumentID, stored: DocumentID)? {
        var rest = ids
        for document in documents where rest.remove(document.id) == nil {
            guard let asked = rest.first(where: { $0.isOtherSpelling(of: document.id) }) else { continue }
            return (asked, document.id)
        }
        return nil
    }

    /// Checks that the reply lists every document that it counts.
    func checkCount() throws(JSONError) {
        guard found == documents.count else {
            let count = found.map { "numFound \($0)" } ?? "no numFound"
            throw Self.contradiction("\(count), but \(documents.count) documents")
        }
    }

    /// Checks the first page of one core's results, which must have `size` documents, or all of them if there are
    /// fewer.
    func checkFirstPage(of size: Int) throws(JSONError) {
        guard let found, documents.count == min(found, size) else {
            throw Self.contradiction("numFound \(found ?? 0), but \(documents.count) documents of up to \(size)")
        }
    }

    /// Checks a page of a search that was requested with `cursor`, which is `*` for the first page.
    ///
    /// A page can be short, because documents can vanish while they are being fetched. However, if there are results,
    /// the first page can't be empty and the last one at the same time.
    func checkPage(at cursor: String) throws(JSONError) {
        guard let found, let nextCursor else { throw Self.contradiction("no numFound or no nextCursorMark") }
        let isEmpty = cursor == "*" && nextCursor == cursor && documents.isEmpty && found > 0
        guard documents.count <= found, !isEmpty else {
            throw Self.contradiction("numFound \(found), but \(documents.count) documents")
        }
    }

    private static func contradiction(_ message: String) -> JSONError { JSONError(offset: 0, message: message) }

    /// The names of Solr's internal fields in a document.
    static let internalFields: Set<String> = ["_version_", "_root_", "_nest_path_", "_nest_parent_"]
}

extension DocumentID {
    /// Returns whether the ID is a number in another spelling, such as `01000` or `1e3`, for which Solr takes the
    /// document `1000` if its key is a number: another than `stored`, or without it, than the one that such a key keeps.
    func isOtherSpelling(of stored: DocumentID? = nil) -> Bool {
        if let stored { return self != stored && number != nil && number == stored.number }
        return !isUsualNumber && number != nil
    }

    private var number: Double? {
        switch utf8[0] {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            Double("\(self)")
        default: nil
        }
    }

    /// Whether the ID is an integer as Solr writes it: digits without leading zeros, perhaps after a minus sign.
    private var isUsualNumber: Bool {
        if self == "0" { return true }
        let digits = utf8.extracting((utf8[0] == UInt8(ascii: "-") ? 1 : 0)...)
        if digits.isEmpty || digits[0] == UInt8(ascii: "0") { return false }
        return digits.indices.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digits[$0]) }
    }
}

/// A reader of a reply's documents, without Solr's internal fields.
private struct ReplyDocumentReader {
    let body: [UInt8]
    let uniqueKey: String
    let wantsJSON: Bool
    var documents: [StoredDocument] = []

    /// Reads a list of documents, and returns their total number.
    mutating func response(_ scanner: inout JSONScanner) throws(JSONError) -> Int? {
        var found: Int?
        var members = SingleMembers()
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            if scanner.isEqual(key, "numFound") {
                try members.take("numFound", at: key)
                found = try scanner.int()
            } else if scanner.isEqual(key, "docs") {
                try members.take("docs", at: key)
                try scanner.enterArray()
                while try scanner.nextElement() { try document(&scanner) }
            } else {
                try scanner.skipValue()
            }
        }
        return found
    }

    mutating func document(_ scanner: inout JSONScanner) throws(JSONError) {
        let start = scanner.offset
        var id: String?
        var version: Int64?
        var json: [UInt8] = wantsJSON ? [UInt8(ascii: "{")] : Array("{}".utf8)
        var members = SingleMembers()
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            let isKey = scanner.isEqual(key, uniqueKey)
            if isKey { try members.take(uniqueKey, at: key) }
            if isKey, try scanner.kind() == .string {
                let token = try scanner.string()
                id = scanner.text(of: token)
                if wantsJSON { append(key, token.range.lowerBound - 1..<token.range.upperBound + 1, to: &json) }
                continue
            }
            let value = try scanner.skipValue()
            // A unique key can also be a number.
            if isKey { id = scanner.rawText(value) }
            if scanner.isEqual(key, "_version_") {
                try members.take("_version_", at: key)
                version = Int64(scanner.rawText(value))
            }
            if wantsJSON, !ReplyDocuments.internalFields.contains(scanner.text(of: key)) {
                append(key, value, to: &json)
            }
        }
        if wantsJSON { json.append(UInt8(ascii: "}")) }
        guard let id, let documentID = try? DocumentID(id) else {
            throw JSONError(offset: start, message: "a document without its '\(uniqueKey)'")
        }
        documents.append(StoredDocument(id: documentID, version: version, json: json))
    }

    private func append(_ key: JSONStringToken, _ value: Range<Int>, to json: inout [UInt8]) {
        if json.count > 1 { json.append(UInt8(ascii: ",")) }
        json += body[key.range.lowerBound - 1..<key.range.upperBound + 1]
        json.append(UInt8(ascii: ":"))
        json += body[value]
    }
}
