import ContentFeeding
import JSONText
import TextKit

// MARK: Indices

/// The index names that the records of a dump may contain.
public enum DumpIndex: Hashable, Sendable {
    /// Any index.
    case any
    /// The index of the first record.
    case first
    /// This index, or no index name.
    case named(String)
}

extension DumpIndex {
    /// Returns whether a JSON string, including its quotes, is the name, written without escapes.
    fileprivate func isExactly(_ quoted: Span<UInt8>) -> Bool {
        guard case .named(let name) = self, quoted.count == name.utf8.count + 2 else { return false }
        return zip(1..., name.utf8).allSatisfy { quoted[$0] == $1 }
    }

    /// Throws an error unless a record may name the index `name`.
    fileprivate func check(_ name: String, _ format: String) throws(RejectedRecord) {
        guard case .named(let expected) = self, !expected.utf8.elementsEqual(name.utf8) else { return }
        throw RejectedRecord(
            "is for the index '\(name.prefix(60))', not '\(expected)'; to feed it here, use --format \(format):NAME "
                + "with the name of its index, or '\(format):*' for any index"
        )
    }
}

// MARK: _bulk

/// Requests for the `_bulk` API of OpenSearch and Elasticsearch: an action on one line, and its document on the next.
///
/// Documents are kept byte for byte. An action that can't be carried out exactly is rejected; the reason names the
/// member that prevents it.
struct BulkFormat: RecordFormat {
    let kind: ContentOperation.Kind
    let index: DumpIndex
    /// The key of a document that holds its ID, if the action has none.
    let field: String?
    /// Whether actions may have external versions.
    let takesVersions: Bool
    /// Whether updates add documents that do not exist, as `doc_as_upsert` requires.
    let addsMissing: Bool
    let limits: InputLimits
    private let ids = DocumentIDPages()
    /// As much of the beginning of an incomplete first line as is needed to recognize the action.
    private var head: [UInt8] = []
    /// Whether the first line has been read and is followed by a second line.
    private var isInDocument = false

    init(
        kind: ContentOperation.Kind,
        index: DumpIndex,
        field: String? = nil,
        takesVersions: Bool = false,
        addsMissing: Bool = false,
        limits: InputLimits
    ) {
        (self.kind, self.index, self.field) = (kind, index, field)
        (self.takesVersions, self.addsMissing, self.limits) = (takesVersions, addsMissing, limits)
    }

    var maximumRecordBytes: Int { limits.documentLine }
    var tooLong: String { Document.tooLong(limits.document) }
    var dropsCarriageReturn: Bool { true }
    var holdsLineEnds: Bool { true }
    var isChangedByRecords: Bool { false }
    var form: DataForm? { .bulk }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let maximumHead = 64

    mutating func endOfRecord(in bytes: Span<UInt8>, from start: Int) -> Int? {
        var start = start
        if !isInDocument {
            let end = bytes.offset(of: Self.lineFeed, from: start)
            let piece = bytes.extracting(start..<min(end ?? bytes.count, start + Self.maximumHead - head.count))
            guard let end else {
                head.append(copying: piece)
                return nil
            }
            if head.isEmpty {
                isInDocument = BulkLineAction.precedesDocument(piece)
            } else {
                head.append(copying: piece)
                isInDocument = BulkLineAction.precedesDocument(head.span)
                head.removeAll(keepingCapacity: true)
            }
            guard isInDocument else { return end + 1 }
            start = end + 1
        }
        guard let end = bytes.offset(of: Self.lineFeed, from: start) else { return nil }
        isInDocument = false
        return end + 1
    }

    func reading(_ record: Span<UInt8>) -> RecordReading {
        let end = record.offset(of: Self.lineFeed)
        guard end != nil || !record.isBlankJSON else { return .blank }
        do throws(RejectedRecord) {
            return .operation(try operation(in: record, actionEnd: end))
        } catch {
            return .rejected(error.reason)
        }
    }

    private func operation(in record: Span<UInt8>, actionEnd: Int?) throws(RejectedRecord) -> ContentOperation {
        let action = try BulkLineAction(record.extracting(0..<(actionEnd ?? record.count)))
        guard kind == .add || kind == action.name.kind else {
            throw RejectedRecord(
                "the action '\(action.name.rawValue)' is not carried out here; 'fastctl add --format bulk' carries out "
                    + "all actions"
            )
        }
        if let name = action.index, !index.isExactly(record.extracting(name)) {
            try index.check(record.string(in: name), "bulk")
        }
        let routing = try action.routing.map { member throws(RejectedRecord) in
            try Routing(record: record.text(of: member), named: "routing")
        }
        let operation: ContentOperation
        if action.name == .delete {
            operation = .remove(DocumentKey(try id(of: action, in: record), routing: routing))
        } else {
            guard let actionEnd else {
                throw RejectedRecord("the input ends after an action, and its document is missing; was it cut off?")
            }
            let lines = (actionEnd + 1)..<record.count
            let range = record.extracting(lines).withoutOuterBlanks.shifted(by: lines.lowerBound)
            let json = action.name == .update ? try patch(in: record, range) : try whole(record, range)
            guard json.count <= limits.document else { throw RejectedRecord(tooLong) }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(json.count)
            bytes.append(copying: record.extracting(json))
            let id = try id(of: action, in: record, orIn: json)
            let document = Document(id: id, json: bytes, routing: routing)
            operation = action.name == .update ? .update(document) : .add(document)
        }
        guard let condition = try condition(of: action, in: record) else { return operation }
        return operation.only(condition)
    }

    private func id(
        of action: BulkLineAction,
        in record: Span<UInt8>,
        orIn document: Range<Int>? = nil
    ) throws(RejectedRecord) -> DocumentID {
        if let member = action.id { return try record.id(in: member, limit: limits.id, from: ids) }
        guard let field, let document else {
            throw RejectedRecord(
                "the action has no '_id'"
                    + (document == nil ? "" : "; if a key of the documents holds the ID, name it with --id-field")
            )
        }
        let json = record.extracting(document)
        return try JSONLine(json, lookingFor: [field]).id(in: field, of: json, limit: limits.id, from: ids)
    }

    /// Returns the range of a document, which must be an object.
    private func whole(_ record: Span<UInt8>, _ range: Range<Int>) throws(RejectedRecord) -> Range<Int> {
        guard !range.isEmpty else { throw RejectedRecord("a blank line where an action's document is expected") }
        let json = record.extracting(range)
        do throws(JSONError) {
            var scanner = JSONScanner(json)
            guard try scanner.kind() == .object else {
                throw JSONError(offset: 0, message: "expected an object")
            }
            try scanner.skipValue()
            try scanner.end()
        } catch {
            throw RejectedRecord("the document after the action is not a JSON object on one line (\(error))")
        }
        return range
    }

    /// Returns the range of the partial document in the second line of an update.
    private func patch(in record: Span<UInt8>, _ range: Range<Int>) throws(RejectedRecord) -> Range<Int> {
        guard !range.isEmpty else { throw RejectedRecord("a blank line where an action's document is expected") }
        let members = try WrapperMembers(
            record.extracting(range),
            named: "an update",
            allowing: ["doc", "doc_as_upsert"],
            ignoring: ["detect_noop", "_source"]
        ) {
            switch $0 {
            case "script", "scripted_upsert": "scripts run in the engine only: send this update with curl"
            case "upsert":
                "write the keys of 'doc' and the ID as JSON, with the whole document under another key: {\"id\":…, "
                    + "\"new\":{…}}, and use: fastctl update --upsert-from new"
            default: nil
            }
        }
        if let upserts = members["doc_as_upsert"], try isTrue(upserts, in: record.extracting(range)), !addsMissing {
            throw RejectedRecord(
                "an update with 'doc_as_upsert' adds a document that does not exist: use 'fastctl update --format bulk "
                    + "--missing add' for a file that consists of such updates"
            )
        }
        guard let doc = members["doc"], doc.kind == .object else {
            throw RejectedRecord("an update without the object 'doc'; add it")
        }
        return doc.value.shifted(by: range.lowerBound)
    }

    private func isTrue(_ member: JSONMember, in record: Span<UInt8>) throws(RejectedRecord) -> Bool {
        guard member.kind == .bool else {
            throw RejectedRecord("'doc_as_upsert' is neither true nor false; correct it")
        }
        return record[member.value.lowerBound] == UInt8(ascii: "t")
    }

    private func condition(of action: BulkLineAction, in record: Span<UInt8>) throws(RejectedRecord) -> WriteCondition?
    {
        switch (action.sequenceNumber, action.primaryTerm) {
        case (nil, nil): break
        case (let number?, let term?):
            guard action.name != .create, action.version == nil else {
                throw RejectedRecord("the action has two conditions; keep one of them")
            }
            let (number, term) = (try record.wholeNumber(number), try record.wholeNumber(term))
            return .unchanged(DocumentVersion(rawValue: "\(number):\(term)"))
        default: throw RejectedRecord("if_seq_no and if_primary_term belong together; add the one that is missing")
        }
        guard let version = action.version else { return action.name == .create ? .absent : nil }
        let type = action.versionType.map { record.string(in: $0) } ?? "internal"
        guard type == "external" || type == "external_gt", action.name != .create, action.name != .update else {
            throw RejectedRecord(
                "the action has a version of the type '\(type.prefix(20))', which can't be compared; use external "
                    + "with index or delete, or if_seq_no and if_primary_term"
            )
        }
        guard takesVersions else {
            throw RejectedRecord("the action has an external version; to keep it, use --version-type external")
        }
        return .olderThan(try record.wholeNumber(version))
    }
}

/// The first line of a request in `_bulk`.
private struct BulkLineAction {
    enum Name: String, CaseIterable {
        case index, create, update, delete

        var kind: ContentOperation.Kind {
            switch self {
            case .index, .create: .add
            case .update: .update
            case .delete: .remove
            }
        }
    }

    private(set) var name: Name
    private(set) var id: JSONMember?
    private(set) var index: Range<Int>?
    private(set) var routing: JSONMember?
    private(set) var version: JSONMember?
    private(set) var versionType: Range<Int>?
    private(set) var sequenceNumber: JSONMember?
    private(set) var primaryTerm: JSONMember?

    /// Returns whether a line that begins with these bytes is followed by a document.
    static func precedesDocument(_ line: Span<UInt8>) -> Bool {
        var index = 0
        func skipBlanks() { while index < line.count, line.isBlank(index) { index += 1 } }
        skipBlanks()
        guard index < line.count, line[index] == UInt8(ascii: "{") else { return false }
        index += 1
        skipBlanks()
        return [Name.index, .create, .update].contains { name in
            let key = name.rawValue.utf8
            guard line.count - index >= key.count + 2, line[index] == UInt8(ascii: "\""),
                line[index + key.count + 1] == UInt8(ascii: "\"")
            else { return false }
            return zip(index + 1..<index + 1 + key.count, key).allSatisfy { line[$0] == $1 }
        }
    }

    init(_ line: Span<UInt8>) throws(RejectedRecord) {
        name = .index
        do throws(JSONError) {
            var scanner = JSONScanner(line)
            try scanner.enterObject()
            let key = try scanner.nextKey()
            guard let key, let name = Name(rawValue: scanner.text(of: key)), try scanner.kind() == .object else {
                throw JSONError(offset: 0, message: "expected index, create, update or delete")
            }
            self.name = name
            try scanner.enterObject()
            while let key = try scanner.nextKey() {
                let member = JSONMember(kind: try scanner.kind(), value: try scanner.skipValue())
                if let flaw = note(member, scanner.text(of: key)) { throw flaw }
            }
            guard try scanner.nextKey() == nil else {
                throw JSONError(offset: scanner.offset, message: "two actions on one line")
            }
            try scanner.end()
        } catch {
            throw RejectedRecord(
                error.offset < 0 ? error.message : "not an action of the _bulk form (\(error)); check the format"
            )
        }
    }

    /// Records a member; returns the reason if the action can't be carried out.
    private mutating func note(_ member: JSONMember, _ key: String) -> JSONError? {
        guard member.kind != .null else { return nil }
        var isRepeated = false
        func set<Value>(_ property: inout Value?, _ value: Value) {
            isRepeated = property != nil
            property = value
        }
        switch key {
        case "_id": set(&id, member)
        case "_index" where member.kind == .string: set(&index, member.value)
        case "routing", "_routing": set(&routing, member)
        case "version", "_version": set(&version, member)
        case "version_type" where member.kind == .string, "_version_type" where member.kind == .string:
            set(&versionType, member.value)
        case "if_seq_no": set(&sequenceNumber, member)
        case "if_primary_term": set(&primaryTerm, member)
        // These parameters change the way an engine works, but not the data it stores.
        case "_type", "retry_on_conflict", "_retry_on_conflict": return nil
        default:
            return Self.flaw("the action has '\(key.prefix(40))', which can't be carried out; remove it")
        }
        return isRepeated ? Self.flaw("the action has '\(key)' twice; keep one of them") : nil
    }

    /// The error for a well-formed action that can't be carried out.
    private static func flaw(_ reason: String) -> JSONError { JSONError(offset: -1, message: reason) }
}

// MARK: elasticdump

/// The data of an index as elasticdump writes it: one search hit on each line.
struct ElasticdumpFormat: RecordFormat {
    let kind: ContentOperation.Kind
    private var index: DumpIndex
    let limits: InputLimits
    private let ids = DocumentIDPages()

    init(kind: ContentOperation.Kind, index: DumpIndex, limits: InputLimits) {
        (self.kind, self.index, self.limits) = (kind, index, limits)
    }

    var maximumRecordBytes: Int { limits.documentLine }
    var tooLong: String { Document.tooLong(limits.document) }
    var dropsCarriageReturn: Bool { true }
    var endByte: UInt8? { UInt8(ascii: "\n") }
    var isChangedByRecords: Bool { index == .first }
    var form: DataForm? { .elasticdump }

    func endOfRecord(in bytes: Span<UInt8>, from start: Int) -> Int? {
        bytes.offset(of: UInt8(ascii: "\n"), from: start).map { $0 + 1 }
    }

    mutating func reading(_ record: Span<UInt8>) -> RecordReading {
        guard !record.isBlankJSON else { return .blank }
        do throws(RejectedRecord) {
            return .operation(try operation(in: record))
        } catch {
            return .rejected(error.reason)
        }
    }

    private mutating func operation(in record: Span<UInt8>) throws(RejectedRecord) -> ContentOperation {
        let members = try WrapperMembers(
            record,
            named: "the record",
            allowing: ["_index", "_id", "_source", "_routing"],
            ignoring: ["_type", "_score", "_version", "_seq_no", "_primary_term", "_ignored", "sort"]
        ) { _ in nil }
        if let member = members["_index"], member.kind == .string {
            let name = record.string(in: member.value)
            if index == .first { index = .named(name) }
            try index.check(name, "elasticdump")
        }
        guard let member = members["_id"] else { throw RejectedRecord("has no '_id'; check the format") }
        let id = try record.id(in: member, limit: limits.id, from: ids)
        let routing = try members["_routing"].map { member throws(RejectedRecord) in
            try Routing(record: record.text(of: member), named: "_routing")
        }
        guard kind != .remove else { return .remove(DocumentKey(id, routing: routing)) }
        guard let source = members["_source"], source.kind == .object else {
            throw RejectedRecord("has no object '_source'; the index or the export omits the documents")
        }
        guard source.value.count <= limits.document else { throw RejectedRecord(tooLong) }
        var json: [UInt8] = []
        json.reserveCapacity(source.value.count)
        json.append(copying: record.extracting(source.value))
        let document = Document(id: id, json: json, routing: routing)
        return kind == .update ? .update(document) : .add(document)
    }
}

// MARK: Members

/// The value of a member in validated JSON.
struct JSONMember {
    var kind: JSONKind
    var value: Range<Int>
}

/// The permitted members of an object around a document or an ID; any other member is refused by name.
struct WrapperMembers {
    private var members: [(key: String, member: JSONMember)] = []

    /// `advice` returns the advice for a refused key; by default, the advice is to remove the key.
    init(
        _ json: Span<UInt8>,
        named name: String,
        allowing keys: [String],
        ignoring ignored: [String],
        advice: (String) -> String?
    ) throws(RejectedRecord) {
        var refused: String?
        do throws(JSONError) {
            // A wrapped document may be nested as deeply as a bare one.
            var scanner = JSONScanner(json, maximumDepth: JSONScanner.maximumDepth + 1)
            try scanner.enterObject()
            while let token = try scanner.nextKey() {
                let member = JSONMember(kind: try scanner.kind(), value: try scanner.skipValue())
                if let key = keys.first(where: { scanner.isEqual(token, $0) }) {
                    if member.kind == .null { continue }
                    if self[key] != nil, refused == nil { refused = "has '\(key)' twice; keep one of them" }
                    members.append((key, member))
                } else if refused == nil, !ignored.contains(where: { scanner.isEqual(token, $0) }) {
                    let key = scanner.text(of: token)
                    refused = "has '\(key.prefix(40))', which can't be carried out; \(advice(key) ?? "remove it")"
                }
            }
            try scanner.end()
        } catch {
            throw RejectedRecord(notJSON: error, in: json)
        }
        if let refused { throw RejectedRecord("\(name) \(refused)") }
    }

    subscript(key: String) -> JSONMember? { members.first { $0.key == key }?.member }
}

extension Span<UInt8> {
    /// Returns the string, or the number as written.
    func text(of member: JSONMember) throws(RejectedRecord) -> String {
        switch member.kind {
        case .string: return string(in: member.value)
        case .number where isWholeNumber(member.value): return string(of: member.value)
        default: throw RejectedRecord("a routing value or an ID is neither a string nor a whole number; write a string")
        }
    }

    /// Returns the ID in a string, or in a whole number as written.
    func id(in member: JSONMember, limit: Int, from ids: DocumentIDPages) throws(RejectedRecord) -> DocumentID {
        guard member.kind == .string else { return try ids.id(record: text(of: member).utf8.span, limit: limit) }
        let content = member.value.lowerBound + 1..<member.value.upperBound - 1
        guard extracting(content).offset(of: UInt8(ascii: "\\")) == nil else {
            return try ids.id(record: string(in: member.value).utf8.span, limit: limit)
        }
        return try ids.id(record: extracting(content), limit: limit)
    }

    /// Returns a whole number that is 0 or greater.
    fileprivate func wholeNumber(_ member: JSONMember) throws(RejectedRecord) -> Int64 {
        let text = try text(of: member)
        guard let number = Int64(text), number >= 0 else {
            throw RejectedRecord("the version '\(text.prefix(40))' is not a whole number of 0 or more")
        }
        return number
    }
}

extension Range<Int> {
    func shifted(by offset: Int) -> Range<Int> { lowerBound + offset..<upperBound + offset }
}

// MARK: Wrong forms

/// A form of data that can be recognized by its first record.
package enum DataForm: Hashable, Sendable {
    case jsonLines
    /// A JSON array, or values printed over several lines.
    case json
    case bulk
    case elasticdump
    /// Search hits in a JSON array, or printed over several lines.
    case hits
    /// A whole response of a search, with hits in a list.
    case response
    /// A mapping, settings or aliases, as elasticdump and the engines write them.
    case definition
    case solrJSON
    case parquet
    case arrow

    /// Returns the reason not to read input of this form.
    package var reason: String {
        switch self {
        case .jsonLines: "this looks like one JSON document on each line: --format jsonl"
        case .json: "this looks like a JSON array, or JSON printed over several lines: --format json"
        case .bulk: "this looks like a _bulk file: --format bulk"
        case .elasticdump: "this looks like a data file of elasticdump: --format elasticdump"
        case .hits:
            "this looks like search hits, with documents in '_source': --format elasticdump, with one hit on each line, "
                + "as jq -c '.[]' writes an array"
        case .response:
            "this looks like the whole response of a search: --format elasticdump, with one hit on each line, as jq -c "
                + "'.hits.hits[]' writes them"
        case .definition:
            "this looks like the mapping, settings or aliases of an index, not documents; feed the data file, and "
                + "create the collection with its definition first"
        case .solrJSON: "this looks like update commands for Solr: --format solr-json"
        case .parquet: "this is a Parquet file; \(Self.conversion("read_parquet"))"
        case .arrow:
            "this is an Arrow file; convert it first: python3 -c \"import pyarrow.feather as f; f.read_table('FILE')"
                + ".to_pandas().to_json('FILE.jsonl', orient='records', lines=True)\""
        }
    }

    private static func conversion(_ function: String) -> String {
        "convert it first: duckdb -c \"COPY (FROM \(function)('FILE')) TO 'FILE.jsonl' (FORMAT json)\""
    }

    /// Recognizes a binary format by a file's extension.
    package init?(ofFile path: String) {
        if path.hasSuffix(".parquet") {
            self = .parquet
        } else if path.hasSuffix(".arrow") || path.hasSuffix(".feather") {
            self = .arrow
        } else {
            return nil
        }
    }

    /// Recognizes a binary format.
    init?(binary record: Span<UInt8>) {
        func begins(with text: StaticString) -> Bool {
            guard record.count > text.utf8CodeUnitCount else { return false }
            for index in 0..<text.utf8CodeUnitCount where record[index] != text.utf8Start[index] { return false }
            return record[text.utf8CodeUnitCount] < 0x20
        }
        if begins(with: "PAR1") {
            self = .parquet
        } else if begins(with: "ARROW1") {
            self = .arrow
        } else {
            return nil
        }
    }

    /// Returns whether a JSON value is a search hit, whose document is in its member `_source`.
    ///
    /// A document may have members with these names, too, but it has others besides.
    static func isHit(_ record: Span<UInt8>) -> Bool {
        guard let line = try? JSONLine(record, lookingFor: ["_id", "_source"]), line["_id"] != nil,
            line["_source"]?.kind == .object, let members = try? JSONMembers(of: record).all
        else { return false }
        return members.allSatisfy { $0.key.hasPrefix("_") || hitKeys.contains($0.key) }
    }

    /// Returns whether a JSON value is the response of a search, with a list of hits.
    static func isResponse(_ record: Span<UInt8>) -> Bool {
        guard let line = try? JSONLine(record, lookingFor: ["hits"]), let hits = line["hits"], hits.kind == .object,
            let inner = try? JSONLine(record.extracting(hits.value), lookingFor: ["hits"])
        else { return false }
        return inner["hits"]?.kind == .array
    }

    /// The keys of a search hit that do not begin with an underscore.
    private static let hitKeys: Set<String> = [
        "sort", "fields", "highlight", "matched_queries", "inner_hits", "found", "ignored_field_values",
    ]

    /// The parameters of an action in `_bulk` that do not begin with an underscore.
    private static let actionParameters: Set<String> = [
        "routing", "retry_on_conflict", "version", "version_type", "if_seq_no", "if_primary_term", "op_type",
        "pipeline", "require_alias", "require_data_stream", "dynamic_templates",
    ]

    /// Recognizes a form of JSON.
    init?(json record: Span<UInt8>) {
        let end = record.offset(of: UInt8(ascii: "\n")) ?? record.count
        let line = record.extracting(0..<end)
        let content = line.extracting(line.withoutOuterBlanks)
        guard !content.isEmpty else { return nil }
        if content[0] == UInt8(ascii: "[") {
            self = .json
            return
        }
        do throws(JSONError) {
            var scanner = JSONScanner(content)
            guard let form = try Self.form(of: &scanner) else { return nil }
            self = form
        } catch {
            // JSON that ends too early continues on the next line.
            guard content[0] == UInt8(ascii: "{"), error.offset >= content.count else { return nil }
            self = .json
        }
    }

    private static func form(of scanner: inout JSONScanner) throws(JSONError) -> DataForm? {
        guard try scanner.kind() == .object else { return nil }
        try scanner.enterObject()
        var keys: [String] = []
        var inner: [String] = []
        var hasOnlyObjects = true
        while let key = try scanner.nextKey() {
            if keys.count < 16 { keys.append(scanner.text(of: key)) }
            guard try scanner.kind() == .object, keys.count == 1 else {
                hasOnlyObjects = false
                try scanner.skipValue()
                continue
            }
            try scanner.enterObject()
            while let key = try scanner.nextKey() {
                if inner.count < 8 { inner.append(scanner.text(of: key)) }
                try scanner.skipValue()
            }
        }
        try scanner.end()
        if keys.contains("_source"), keys.contains("_id") { return .elasticdump }
        guard keys.count == 1, hasOnlyObjects else { return .jsonLines }
        let isAction = ["index", "create", "update", "delete"].contains(keys[0])
        if isAction, inner.allSatisfy({ $0.hasPrefix("_") || actionParameters.contains($0) }) { return .bulk }
        if keys[0] == "add" && inner.contains("doc") || keys[0] == "delete" && !inner.allSatisfy({ $0.hasPrefix("_") })
        {
            return .solrJSON
        }
        let parts: Set<String> = ["mappings", "settings", "aliases"]
        return inner.contains(where: parts.contains) || parts.contains(keys[0]) ? .definition : .jsonLines
    }
}
