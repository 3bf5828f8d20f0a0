import ContentFeeding
import JSONText
import TextKit

/// Documents as JSON, one per line or argument; each may be in an envelope, and `{"remove":"ID"}` among them is a removal.
struct JSONDocumentsFormat: RecordFormat {
    /// A line feed, or NUL after an argument.
    let end: UInt8
    /// Whether the documents are updates rather than additions.
    let isUpdate: Bool
    let field: String
    /// The member of a bare document that holds its routing value.
    var routingField: String?
    private let version: VersionMember?
    /// Whether lines that record the state in which a job left a document are read rather than skipped.
    private let isBackup: Bool
    /// The member of an update that holds the whole document to add if the document does not exist.
    private let upsertKey: String?
    let limits: InputLimits
    private let ids = DocumentIDPages()

    init(
        end: UInt8,
        isUpdate: Bool,
        field: String,
        routingField: String? = nil,
        version: VersionMember? = nil,
        isBackup: Bool = false,
        upsertKey: String? = nil,
        limits: InputLimits
    ) {
        self.isBackup = isBackup
        self.upsertKey = upsertKey
        self.end = end
        self.isUpdate = isUpdate
        self.field = field
        self.routingField = routingField
        self.version = version
        self.limits = limits
    }

    var maximumRecordBytes: Int { limits.documentLine }
    var tooLong: String { Document.tooLong(limits.document) }
    var dropsCarriageReturn: Bool { end != 0 }

    var endByte: UInt8? { end }
    var form: DataForm? { .jsonLines }

    func endOfRecord(in bytes: Span<UInt8>, from start: Int) -> Int? {
        bytes.offset(of: end, from: start).map { $0 + 1 }
    }

    func reading(_ record: Span<UInt8>) -> RecordReading {
        guard !record.isBlankJSON else { return .blank }
        do throws(RejectedRecord) {
            return try operation(in: record).map { .operation($0) } ?? .blank
        } catch {
            return .rejected(error.reason)
        }
    }

    /// Returns the operation in a record; `nil` if the record contains only a state left by a job.
    private func operation(in record: Span<UInt8>) throws(RejectedRecord) -> ContentOperation? {
        let versionKeys = version?.keys ?? []
        let keys = ["id", field, "document", "remove", "left"] + versionKeys + JSONLine.routingKeys(routingField)
        let line = try JSONLine(record, lookingFor: keys)
        if line.isState {
            guard isBackup else { return nil }
            let id = try line.id(in: "id", of: record, limit: limits.id, from: ids)
            let nothing = Document(id: id, json: Array("{}".utf8), routing: try line.routing(in: "routing", of: record))
            return .update(nothing).only(.contents(try line.left(of: record)))
        }
        let operation = try operation(in: line, of: record, versionKeys)
        if isBackup, line["left"] != nil { return operation.only(.contents(try line.left(of: record))) }
        let isOwnForm = line.isEnvelope || operation.kind == .remove
        guard let version, !version.isOptional || isOwnForm && line.has(version) else { return operation }
        return operation.only(try line.condition(version, of: record))
    }

    private func operation(
        in line: JSONLine,
        of record: Span<UInt8>,
        _ versionKeys: [String]
    ) throws(RejectedRecord) -> ContentOperation {
        guard line[field] == nil, !line.isEnvelope, line["remove"] != nil else {
            let document = try document(in: line, of: record)
            if isUpdate, let upsertKey {
                return try update(document, wholeUnder: upsertKey, idKey: field, isEnvelope: line.isEnvelope)
            }
            // An envelope holds a stored document, whose values may look like operators.
            guard line.isEnvelope else { return try ContentOperation(isUpdate: isUpdate, record: document) }
            return isUpdate ? .update(document) : .add(document)
        }
        // A line counts as a removal only if it can't be intended as a document.
        let hasLeft = line["left"] != nil
        if hasLeft { _ = try line.left(of: record) }
        guard line.hasOnly(["remove", "routing"] + (hasLeft ? ["left"] : []) + versionKeys) else {
            throw RejectedRecord(
                "has 'remove' and other members, but no '\(field)': write {\"remove\":\"ID\"} to remove a document"
            )
        }
        let id = try line.id(in: "remove", of: record, limit: limits.id, from: ids)
        return .remove(DocumentKey(id, routing: try line.routing(in: "routing", of: record)))
    }

    /// Divides a document into the patch and the whole document, which gets the patch's ID unless it has an ID.
    private func update(
        _ document: Document,
        wholeUnder key: String,
        idKey field: String,
        isEnvelope: Bool
    ) throws(RejectedRecord) -> ContentOperation {
        let idKey = isEnvelope ? "id" : field
        let json = document.json
        let members = try Self.members(of: json)
        let found = members.all.filter { $0.key.utf8.elementsEqual(key.utf8) }
        guard found.count == 1, found[0].kind == .object else {
            throw RejectedRecord(
                "must have exactly one member '\(key)', an object with the whole document; correct it, or omit "
                    + "--upsert-from"
            )
        }
        let contents = JSONWriter.object { patch in
            for member in members.all where member.value != found[0].value {
                patch.key(member.key)
                patch.raw(Array(json[member.value]))
            }
        }
        var whole = Array(json[found[0].value])
        if !isEnvelope {
            let member = json[found[0].keyRange] + [UInt8(ascii: ":")] + whole
            let named = Document(id: document.id, json: [UInt8(ascii: "{")] + member + [UInt8(ascii: "}")])
            _ = try ContentOperation(isUpdate: false, record: named)
        }
        let wholeMembers = try Self.members(of: whole)
        if let id = wholeMembers[idKey] {
            let text = id.kind == .string ? whole.span.string(in: id.value) : whole.span.string(of: id.value)
            guard text.utf8.elementsEqual(document.id.text.utf8) else {
                throw RejectedRecord("the document in '\(key)' has another '\(idKey)'; use the same ID")
            }
        } else if let id = members[idKey] {
            let member = json[id.keyRange] + [UInt8(ascii: ":")] + json[id.value]
            whole.insert(contentsOf: member + (wholeMembers.all.isEmpty ? [] : [UInt8(ascii: ",")]), at: 1)
        }
        let update = Document(id: document.id, json: contents, routing: document.routing)
        let operation = isEnvelope ? .update(update) : try ContentOperation(isUpdate: true, record: update)
        return operation.adding(whole)
    }

    private static func members(of json: [UInt8]) throws(RejectedRecord) -> JSONMembers {
        do throws(JSONError) { return try JSONMembers(of: json.span) } catch {
            throw RejectedRecord(notJSON: error, in: json.span)
        }
    }

    private func document(in line: JSONLine, of record: Span<UInt8>) throws(RejectedRecord) -> Document {
        let id = try line.id(in: line.isEnvelope ? "id" : field, of: record, limit: limits.id, from: ids)
        // The document is the object itself; surrounding whitespace is not part of it.
        var range = record.withoutOuterBlanks
        if line.isEnvelope {
            guard let document = line["document"], document.kind == .object else {
                throw RejectedRecord(
                    line["document"] == nil
                        ? "names a document without its contents; 'fastctl find' prints these without --ids"
                        : "an envelope whose 'document' is not an object; write the document there"
                )
            }
            range = document.value
        }
        guard range.count <= limits.document else { throw RejectedRecord(tooLong) }
        var json: [UInt8] = []
        json.reserveCapacity(range.count)
        json.append(copying: record.extracting(range))
        return Document(id: id, json: json, routing: try line.routing(in: routingField, of: record))
    }
}

extension Span<UInt8> {
    /// The range without the JSON whitespace at both ends.
    var withoutOuterBlanks: Range<Int> {
        var (lower, upper) = (0, count)
        while lower < upper, isBlank(lower) { lower += 1 }
        while upper > lower, isBlank(upper - 1) { upper -= 1 }
        return lower..<upper
    }

    func isBlank(_ index: Int) -> Bool {
        switch self[index] {
        case 0x20, 0x09, 0x0A, 0x0D: true
        default: false
        }
    }
}

/// IDs to remove as JSON, one per line: a string, an object with the field, `{"remove":"ID"}` or an envelope.
struct JSONIDsFormat: RecordFormat {
    let field: String?
    /// The member of an object that holds the routing value.
    var routingField: String?
    private let version: VersionMember?
    let limits: InputLimits
    private let ids = DocumentIDPages()

    init(field: String?, routingField: String? = nil, version: VersionMember? = nil, limits: InputLimits) {
        self.field = field
        self.routingField = routingField
        self.version = version
        self.limits = limits
    }

    /// A line may be a whole envelope, so the limit is that of an envelope.
    var maximumRecordBytes: Int { limits.documentLine }
    var tooLong: String { "longer than \(limits.documentLine) bytes; check that each value ends with a line break" }
    var dropsCarriageReturn: Bool { true }

    var endByte: UInt8? { UInt8(ascii: "\n") }
    var form: DataForm? { .jsonLines }

    func endOfRecord(in bytes: Span<UInt8>, from start: Int) -> Int? {
        bytes.offset(of: UInt8(ascii: "\n"), from: start).map { $0 + 1 }
    }

    func reading(_ record: Span<UInt8>) -> RecordReading {
        guard !record.isBlankJSON else { return .blank }
        do throws(RejectedRecord) {
            return .operation(try removal(in: record))
        } catch {
            return .rejected(error.reason)
        }
    }

    private func removal(in record: Span<UInt8>) throws(RejectedRecord) -> ContentOperation {
        switch try kind(of: record) {
        case .string where version?.isOptional == false:
            throw RejectedRecord(
                "a string has no version; write an object such as {\"remove\": \"ID\", \"version\": 7}"
            )
        case .string:
            return .remove(DocumentKey(try ids.id(record: text(of: record).utf8.span, limit: limits.id)))
        case .object: break
        default: throw RejectedRecord("neither a string nor an object; write IDs as strings")
        }
        // An object with 'remove' is our own format, like an envelope; in other objects, the member with the routing
        // value has to be specified.
        let routingField = routingField ?? (field == nil ? "routing" : nil)
        let keys = ["id", field ?? "remove"] + (version?.keys ?? []) + JSONLine.routingKeys(routingField)
        let line = try JSONLine(record, lookingFor: keys)
        let id = try id(in: line, of: record)
        let removal = ContentOperation.remove(
            DocumentKey(id, routing: try line.routing(in: routingField, of: record))
        )
        guard let version, !version.isOptional || line.has(version) else { return removal }
        return removal.only(try line.condition(version, of: record))
    }

    private func id(in line: JSONLine, of record: Span<UInt8>) throws(RejectedRecord) -> DocumentID {
        if line.isEnvelope { return try line.id(in: "id", of: record, limit: limits.id, from: ids) }
        if let field { return try line.id(in: field, of: record, limit: limits.id, from: ids) }
        guard line["remove"] != nil else {
            throw RejectedRecord(
                "an object without 'remove'; name the member that holds the ID, for example --id-field id"
            )
        }
        return try line.id(in: "remove", of: record, limit: limits.id, from: ids)
    }

    private func kind(of record: Span<UInt8>) throws(RejectedRecord) -> JSONKind {
        do throws(JSONError) {
            var scanner = JSONScanner(record)
            return try scanner.kind()
        } catch {
            throw RejectedRecord(notJSON: error, in: record)
        }
    }

    private func text(of record: Span<UInt8>) throws(RejectedRecord) -> String {
        do throws(JSONError) {
            var scanner = JSONScanner(record)
            let text = try scanner.stringText()
            try scanner.end()
            return text
        } catch {
            throw RejectedRecord(notJSON: error, in: record)
        }
    }
}

extension InputLimits {
    /// The maximum length of a line with a document: the document and its envelope.
    var documentLine: Int { document + line }
}

extension Span<UInt8> {
    /// Whether the record contains only spaces, tabs and carriage returns.
    var isBlankJSON: Bool {
        for index in indices where self[index] != 0x20 && self[index] != 0x09 && self[index] != 0x0D { return false }
        return true
    }
}

/// The members of a JSON line that contain its ID, and the document of an envelope.
struct JSONLine {
    /// A requested member.
    struct Member {
        var kind: JSONKind
        var value: Range<Int>
        var isRepeated: Bool
    }

    /// The requested members by key; of duplicates, the last.
    private var members: [String: Member] = [:]
    /// Whether the line is an envelope, as written by `get`, `find` and `--backup`.
    private(set) var isEnvelope = false
    /// Whether the line only records the state in which a job left a document; `--backup` writes such a line for a
    /// document that is changed again.
    private(set) var isState = false
    private var memberCount = 0

    static let envelopeSchema = OperationText.envelopeSchema
    static let stateSchema = "fastctl.left/1"

    /// Validates the whole line, but keeps only the ranges of `keys`, since there may be millions of other keys.
    init(_ line: Span<UInt8>, lookingFor keys: [String]) throws(RejectedRecord) {
        do throws(JSONError) {
            var scanner = JSONScanner(line)
            var isFirst = true
            try scanner.enterObject()
            while let key = try scanner.nextKey() {
                let kind = try scanner.kind()
                let value = try scanner.skipValue()
                if isFirst, kind == .string, scanner.isEqual(key, "schema") {
                    let schema = line.string(in: value)
                    isEnvelope = schema.utf8.elementsEqual(Self.envelopeSchema.utf8)
                    isState = schema.utf8.elementsEqual(Self.stateSchema.utf8)
                }
                isFirst = false
                memberCount += 1
                guard let name = keys.first(where: { scanner.isEqual(key, $0) }) else { continue }
                members[name] = Member(kind: kind, value: value, isRepeated: members[name] != nil)
            }
            try scanner.end()
        } catch {
            throw RejectedRecord(notJSON: error, in: line)
        }
    }

    subscript(key: String) -> Member? { members[key] }

    /// Whether the line has all members of a version.
    func has(_ version: VersionMember) -> Bool { version.keys.allSatisfy { members[$0] != nil } }

    /// Returns whether the line has no members other than these, which must be among the requested members.
    func hasOnly(_ keys: [String]) -> Bool { keys.count { members[$0] != nil } == memberCount }

    /// Returns the members that may hold a routing value: the `routing` member of an envelope, and the member specified
    /// by the user.
    static func routingKeys(_ field: String?) -> [String] { ["routing", field].compactMap(\.self) }

    /// Returns the routing value in an envelope, or else in `field`: a string, or a whole number as written; `nil` if
    /// there is none.
    func routing(in field: String?, of line: Span<UInt8>) throws(RejectedRecord) -> Routing? {
        guard let field = isEnvelope ? "routing" : field, let member = members[field] else { return nil }
        guard !member.isRepeated else {
            throw RejectedRecord("has the member '\(field)' twice; keep the one that is the routing")
        }
        switch member.kind {
        case .null: return nil
        case .string: return try Routing(record: line.string(in: member.value), named: field)
        case .number where line.isWholeNumber(member.value):
            return try Routing(record: line.string(of: member.value), named: field)
        default: throw RejectedRecord("the member '\(field)' is not a valid routing; write it as a string")
        }
    }

    /// Returns the state in which a job left the document, from a backup; empty if it was unknown.
    func left(of line: Span<UInt8>) throws(RejectedRecord) -> [ContentDigest] {
        guard let member = members["left"], !member.isRepeated else {
            throw RejectedRecord("must have exactly one member 'left', with the state that the job left")
        }
        if member.kind == .null { return [] }
        guard member.kind == .string, let digest = ContentDigest(rawValue: line.string(in: member.value)) else {
            throw RejectedRecord("the member 'left' does not have the form used in backups")
        }
        return [digest]
    }

    /// Returns the condition that the version in the line implies for the document.
    func condition(_ member: VersionMember, of line: Span<UInt8>) throws(RejectedRecord) -> WriteCondition {
        var parts: [String] = []
        var isNull = true
        for key in member.keys {
            guard let value = members[key], !value.isRepeated else {
                throw RejectedRecord(
                    "must have exactly one member '\(key)' for the version; correct it, or omit --version-field"
                )
            }
            if value.kind != .null { isNull = false }
            switch value.kind {
            case .string: parts.append(line.string(in: value.value))
            case .number where line.isWholeNumber(value.value): parts.append(line.string(of: value.value))
            case .null where member.kind == .unchanged: break
            default: throw RejectedRecord("the member '\(key)' is not a valid version; write a whole number")
            }
        }
        if isNull { return .absent }
        guard parts.count == member.keys.count else {
            throw RejectedRecord("part of its version is null; provide all of it, or none")
        }
        return try member.kind.condition(of: parts.joined(separator: ":"))
    }

    /// Returns the ID that a member holds: a string, or a whole number as written.
    func id(
        in field: String,
        of line: Span<UInt8>,
        limit: Int,
        from ids: DocumentIDPages
    ) throws(RejectedRecord) -> DocumentID {
        guard let member = members[field] else {
            throw RejectedRecord("has no member '\(field)' for the ID; add it, or name another with --id-field")
        }
        guard !member.isRepeated else {
            throw RejectedRecord("has the member '\(field)' twice; keep the one that is the ID")
        }
        switch member.kind {
        case .string: return try ids.id(record: line.string(in: member.value).utf8.span, limit: limit)
        case .number where line.isWholeNumber(member.value):
            return try ids.id(record: line.extracting(member.value), limit: limit)
        default: throw RejectedRecord("the member '\(field)' is not a valid ID; write it as a string")
        }
    }
}

extension Routing {
    /// Creates a routing value from text in an input.
    init(record text: String, named field: String) throws(RejectedRecord) {
        guard let routing = Routing(text) else {
            throw RejectedRecord(
                text.isEmpty
                    ? "the routing in '\(field)' is empty; leave it out where a document has none"
                    : "the routing in '\(field)' is longer than \(Routing.maximumByteCount) bytes; correct it"
            )
        }
        self = routing
    }
}

extension RejectedRecord {
    init(notJSON error: JSONError, in record: Span<UInt8>) {
        guard !error.isTooDeep else {
            self.init("\(error); make it flatter, or write the inner part as a string")
            return
        }
        if let kind = Self.scalar(record) {
            self.init("is \(kind), not a JSON object; write each document as an object")
            return
        }
        let advice =
            switch record.isEmpty ? 0 : record[0] {
            case _ where error.isNotFinite: "write null or a string in its place"
            case UInt8(ascii: "#"): "to skip lines that begin with '#', use --comments"
            case UInt8(ascii: "["): "write the items of an array one per line, as jq -c '.[]' does"
            default: "write one value per line, and check the format"
            }
        self.init("not a single JSON value (\(error)); \(advice)")
    }

    /// Returns the description of a JSON value that is neither an object nor an array; `nil` for any other text.
    private static func scalar(_ record: Span<UInt8>) -> String? {
        do throws(JSONError) {
            var scanner = JSONScanner(record)
            let kind = try scanner.kind()
            try scanner.skipValue()
            try scanner.end()
            return switch kind {
            case .object, .array: nil
            case .string: "a string"
            case .number: "a number"
            case .bool: "true or false"
            case .null: "null"
            }
        } catch {
            return nil
        }
    }
}

extension Span<UInt8> {
    /// Returns the text of a string in validated JSON; `range` includes its quotes.
    func string(in range: Range<Int>) -> String {
        var scanner = JSONScanner(extracting(range))
        guard let text = try? scanner.stringText() else { return "" }
        return text
    }

    /// Returns the text of a number in validated JSON, as written.
    func string(of range: Range<Int>) -> String {
        extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    func isWholeNumber(_ range: Range<Int>) -> Bool {
        for index in range where !(self[index] &- 0x30 < 10 || self[index] == UInt8(ascii: "-")) { return false }
        return true
    }
}
