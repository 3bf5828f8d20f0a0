import ContentFeeding
import JSONText
import TextKit

/// JSON values one after another or in arrays, over any number of lines; or Solr's update commands in JSON.
///
/// The text is split into values as it arrives, and only one value is held at a time, so an array may have any length.
/// Each value is read like a line of JSONL. If the text between values is malformed, the rest is not read.
struct JSONStreamFormat: RecordFormat {
    /// The meaning of values.
    enum Meaning {
        case documents(JSONDocumentsFormat)
        case ids(JSONIDsFormat)
        case solr(SolrJSONValues)
    }

    private let meaning: Meaning
    let limits: InputLimits
    private var pieces: JSONPieces
    private var piece: JSONPieces.Piece?
    private var isLost = false
    /// The number of values that have been read.
    private var count = 0

    init(_ meaning: Meaning, limits: InputLimits) {
        (self.meaning, self.limits) = (meaning, limits)
        if case .solr = meaning { pieces = JSONPieces(hasCommands: true) } else { pieces = JSONPieces() }
    }

    var maximumRecordBytes: Int { limits.documentLine }
    var tooLong: String { Document.tooLong(limits.document) }
    var dropsCarriageReturn: Bool { false }
    var holdsLineEnds: Bool { true }
    var endByteCount: Int { 0 }
    var isChangedByRecords: Bool { true }
    /// A value can be written again only as one of several values; outside its command, there is no notation for it.
    var writtenEnd: [UInt8]? {
        if case .solr = meaning { nil } else { [UInt8(ascii: "\n")] }
    }
    var writesStructure: Bool { false }
    var form: DataForm? {
        if case .solr = meaning { .solrJSON } else { .json }
    }

    var unfinished: String? {
        guard !isLost, let open = pieces.missingEnd else { return nil }
        let values = "\(Quantity(count, "complete value", "complete values")) \(count == 1 ? "was" : "were") read"
        return "the input ends inside \(open) that is never closed, and \(values); was it cut off?"
    }

    mutating func endOfRecord(in bytes: Span<UInt8>, from start: Int) -> Int? {
        guard !isLost else { return nil }
        var offset = start
        piece = pieces.next(in: bytes, from: &offset)
        return piece == nil ? nil : offset
    }

    mutating func readingOfTooLong() -> RecordReading {
        defer { piece = nil }
        if isLost { return .structure }
        if case .lost(let reason) = piece { return lose(reason) }
        return .rejected(tooLong)
    }

    mutating func reading(_ record: Span<UInt8>) -> RecordReading {
        defer { piece = nil }
        switch piece {
        case .separators: return .structure
        case .lost(let reason): return lose(reason)
        case .value(let command): return reading(record, command)
        // The rest at the end: separators, or a number that nothing follows.
        case nil: return isLost || !pieces.isInScalar ? .structure : reading(record, nil)
        }
    }

    private mutating func lose(_ reason: String) -> RecordReading {
        isLost = true
        return .rejected("\(reason); the rest is not read")
    }

    private mutating func reading(_ value: Span<UInt8>, _ command: [UInt8]?) -> RecordReading {
        count += 1
        switch meaning {
        case .documents(let format): return format.reading(value)
        case .ids(let format): return format.reading(value)
        case .solr(let values):
            do throws(RejectedRecord) {
                return .operation(
                    try values.operation(in: value, command.map { String(decoding: $0, as: UTF8.self) })
                )
            } catch {
                return .rejected(error.reason)
            }
        }
    }
}

// MARK: - Pieces

/// The state of JSON text that arrives in parts: which containers are open, and where a value ends.
///
/// Only brackets, strings and separators are recognized here; the values themselves are checked when they are complete.
private struct JSONPieces {
    enum Piece: Hashable {
        /// Whitespace, commas, and the brackets and keys around values.
        case separators
        /// A value, and the command that contains it.
        case value(command: [UInt8]?)
        /// The reason why the rest can't be read.
        case lost(String)
    }

    /// An object or array whose members are separate pieces.
    private enum Container { case array, commands }

    private enum Expected { case value, valueOrEnd, key, keyOrEnd, colon, commaOrEnd }

    private enum Text { case none, string, escape }

    /// Whether a top-level object contains commands rather than being a document.
    private let hasCommands: Bool
    private var containers: [Container] = []
    private var expected = Expected.value
    /// The key that was read last in an object of commands.
    private var key: [UInt8] = []
    private var isInKey = false
    /// Whether separators have been read since the last piece.
    private var hasSeparators = false
    private var text = Text.none
    /// Whether the last byte is part of a number or a word, which ends only at the next separator.
    private(set) var isInScalar = false
    /// The number of open brackets in the value, and for the first 64, whether each is an object.
    private var depth = 0
    private var objects: UInt64 = 0

    init(hasCommands: Bool = false) { self.hasCommands = hasCommands }

    private var isInValue: Bool { depth > 0 || isInScalar || text != .none && !isInKey }

    /// The innermost container or value that has not ended yet.
    var missingEnd: String? {
        if isInValue, !(isInScalar && containers.isEmpty) { return "a value" }
        return containers.last.map { $0 == .array ? "an array" : "an object" }
    }

    /// Returns the next piece, and sets the offset to its end; `nil` if it extends beyond the bytes.
    mutating func next(in bytes: Span<UInt8>, from offset: inout Int) -> Piece? {
        while offset < bytes.count {
            if isInValue {
                guard let piece = valuePiece(in: bytes, &offset) else { continue }
                return piece
            }
            let byte = bytes[offset]
            if isInKey {
                offset += 1
                readKey(byte)
                continue
            }
            if beginsValue(byte) {
                guard !hasSeparators else {
                    hasSeparators = false
                    return .separators
                }
                begin(byte)
                offset += 1
                continue
            }
            offset += 1
            hasSeparators = true
            if let reason = separate(byte) { return .lost(reason) }
        }
        return nil
    }

    /// Whether this byte begins a value that is a piece, in the current state.
    private func beginsValue(_ byte: UInt8) -> Bool {
        guard expected == .value || expected == .valueOrEnd else { return false }
        switch byte {
        case UInt8(ascii: "["): return !containers.isEmpty && !opensArray
        case UInt8(ascii: "{"): return !(hasCommands && containers.isEmpty)
        case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ","), UInt8(ascii: ":"):
            return false
        default: return true
        }
    }

    /// Whether an array at this point contains the documents or IDs of a command.
    private var opensArray: Bool {
        containers.last == .commands && (key.elementsEqual("add".utf8) || key.elementsEqual("delete".utf8))
    }

    private mutating func begin(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "{"): (depth, objects) = (1, 1)
        case UInt8(ascii: "["): (depth, objects) = (1, 0)
        case UInt8(ascii: "\""): text = .string
        default: isInScalar = true
        }
    }

    private mutating func readKey(_ byte: UInt8) {
        switch (text, byte) {
        case (.escape, _):
            text = .string
            key.append(byte)
        case (_, UInt8(ascii: "\\")):
            text = .escape
            key.append(byte)
        case (_, UInt8(ascii: "\"")): (isInKey, text, expected) = (false, .none, .colon)
        default: if key.count < 64 { key.append(byte) }
        }
    }

    /// Reads until the end of the value or of the bytes.
    private mutating func valuePiece(in bytes: Span<UInt8>, _ offset: inout Int) -> Piece? {
        while offset < bytes.count {
            let byte = bytes[offset]
            if isInScalar {
                switch byte {
                case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"),
                    UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "\""), UInt8(ascii: ":"):
                    isInScalar = false
                    return ended()
                default: offset += 1
                }
                continue
            }
            offset += 1
            switch (text, byte) {
            case (.escape, _): text = .string
            case (.string, UInt8(ascii: "\\")): text = .escape
            case (.string, UInt8(ascii: "\"")):
                text = .none
                if depth == 0 { return ended() }
            case (.string, _): offset = bytes.endOfPlainASCII(from: offset)
            case (_, UInt8(ascii: "\"")): text = .string
            case (_, UInt8(ascii: "{")), (_, UInt8(ascii: "[")):
                if depth < 64, byte == UInt8(ascii: "{") { objects |= 1 << UInt64(depth) }
                if depth < 64, byte == UInt8(ascii: "[") { objects &= ~(1 << UInt64(depth)) }
                depth += 1
            case (_, UInt8(ascii: "}")), (_, UInt8(ascii: "]")):
                depth -= 1
                let isObject = objects & 1 << UInt64(min(depth, 63)) != 0
                guard depth >= 64 || isObject == (byte == UInt8(ascii: "}")) else {
                    return .lost(
                        "'\(Character(Unicode.Scalar(byte)))' where \(isObject ? "an object" : "an array") is open"
                    )
                }
                if depth == 0 { return ended() }
            default: break
            }
        }
        return nil
    }

    private mutating func ended() -> Piece {
        expected = containers.isEmpty ? .value : .commaOrEnd
        guard containers.first == .commands, containers.last == .commands || !key.elementsEqual("add".utf8) else {
            return .value(command: nil)
        }
        return .value(command: key)
    }

    /// Reads a byte between values; returns the reason if it must not be there.
    private mutating func separate(_ byte: UInt8) -> String? {
        switch (byte, expected) {
        case (0x20, _), (0x09, _), (0x0A, _), (0x0D, _): return nil
        case (UInt8(ascii: ","), .commaOrEnd):
            expected = containers.last == .commands ? .key : .value
        case (UInt8(ascii: ":"), .colon): expected = .value
        case (UInt8(ascii: "\""), .key), (UInt8(ascii: "\""), .keyOrEnd):
            key.removeAll(keepingCapacity: true)
            (isInKey, text) = (true, .string)
        case (UInt8(ascii: "["), .value), (UInt8(ascii: "["), .valueOrEnd):
            containers.append(.array)
            expected = .valueOrEnd
        case (UInt8(ascii: "{"), .value):
            containers.append(.commands)
            expected = .keyOrEnd
        case (UInt8(ascii: "]"), .valueOrEnd), (UInt8(ascii: "]"), .commaOrEnd):
            return end(.array, byte)
        case (UInt8(ascii: "}"), .keyOrEnd), (UInt8(ascii: "}"), .commaOrEnd):
            return end(.commands, byte)
        default: return unexpected(byte)
        }
        return nil
    }

    private mutating func end(_ container: Container, _ byte: UInt8) -> String? {
        guard containers.last == container else { return unexpected(byte) }
        containers.removeLast()
        expected = containers.isEmpty ? .value : .commaOrEnd
        return nil
    }

    private func unexpected(_ byte: UInt8) -> String {
        let place =
            switch expected {
            case .value: "a value is expected"
            case .valueOrEnd: "a value or ']' is expected"
            case .key: "a key is expected"
            case .keyOrEnd: "a key or '}' is expected"
            case .colon: "':' is expected"
            case .commaOrEnd: containers.last == .array ? "',' or ']' is expected" : "',' or '}' is expected"
            }
        let found = 0x21...0x7E ~= byte ? "'\(Character(Unicode.Scalar(byte)))'" : "other text"
        return "\(found) where \(place)"
    }
}

// MARK: - Solr

/// The documents of Solr's JSON, and its update commands.
struct SolrJSONValues {
    let kind: ContentOperation.Kind
    /// The key of a document that holds its ID.
    let field: String
    let limits: InputLimits
    private let ids = DocumentIDPages()

    init(kind: ContentOperation.Kind, field: String, limits: InputLimits) {
        (self.kind, self.field, self.limits) = (kind, field, limits)
    }

    /// Returns the operation of a value: a document in an array, or the value of a command.
    func operation(in value: Span<UInt8>, _ command: String?) throws(RejectedRecord) -> ContentOperation {
        switch command {
        case nil: return try document(in: value)
        case "add":
            let members = try WrapperMembers(
                value,
                named: "the command 'add'",
                allowing: ["doc", "overwrite"],
                ignoring: ["commitWithin"]
            ) { _ in nil }
            guard let doc = members["doc"] else { return try document(in: value) }
            if let overwrite = members["overwrite"], value.string(of: overwrite.value) != "true" {
                throw RejectedRecord("'overwrite' is not true; a document always replaces the one with its ID")
            }
            return try document(in: value.extracting(doc.value))
        case "delete": return try removal(in: value)
        case "commit", "optimize", "rollback":
            throw RejectedRecord("the command '\(command ?? "")' is not carried out; remove it")
        case let command?:
            throw RejectedRecord(
                "'\(command.prefix(40))' is not a command of Solr; for documents that are not in an array, use "
                    + "--format json"
            )
        }
    }

    private func document(in value: Span<UInt8>) throws(RejectedRecord) -> ContentOperation {
        guard kind != .remove else { throw RejectedRecord("a document to add: use 'fastctl add'") }
        let id = try JSONLine(value, lookingFor: [field]).id(in: field, of: value, limit: limits.id, from: ids)
        let range = value.withoutOuterBlanks
        guard range.count <= limits.document else { throw RejectedRecord(Document.tooLong(limits.document)) }
        let json = try resolved(value.extracting(range))
        let document = Document(id: id, json: json)
        return try ContentOperation(isUpdate: kind == .update, record: document)
    }

    private static let modifiers = ["set", "add", "add-distinct", "remove", "removeregex", "inc"]

    /// Returns a document in which `{"set":…}` is replaced by its value, and `{"inc":…}` by the operator `$inc`; an
    /// addition must contain neither.
    private func resolved(_ document: Span<UInt8>) throws(RejectedRecord) -> [UInt8] {
        var json: [UInt8] = []
        var copied = 0
        do throws(JSONError) {
            var scanner = JSONScanner(document)
            try scanner.enterObject()
            while let key = try scanner.nextKey() {
                let kind = try scanner.kind()
                let value = try scanner.skipValue()
                guard kind == .object else { continue }
                guard let (modifier, operand) = try Self.modifier(in: document.extracting(value)) else { continue }
                if let flaw = flaw(of: modifier, in: scanner.text(of: key)) { throw flaw }
                json.append(copying: document.extracting(copied..<value.lowerBound))
                if modifier == "inc" { json += Array("{\"$inc\":".utf8) }
                json.append(copying: document.extracting(operand.shifted(by: value.lowerBound)))
                if modifier == "inc" { json.append(UInt8(ascii: "}")) }
                copied = value.upperBound
            }
        } catch {
            throw RejectedRecord(error.offset < 0 ? error.message : "not JSON (\(error))")
        }
        json.append(copying: document.extracting(copied..<document.count))
        return json
    }

    private func flaw(of modifier: String, in field: String) -> JSONError? {
        let start = "'\(field.prefix(40))' has the modifier '\(modifier)',"
        if kind == .add {
            return JSONError(offset: -1, message: "\(start) so this is an update: use 'fastctl update'")
        }
        switch modifier {
        case "set": return nil
        // On other engines, the dot of a key with an operator leads into an object.
        case "inc" where !field.utf8.contains(UInt8(ascii: ".")): return nil
        case "inc":
            return JSONError(
                offset: -1,
                message: "\(start) which can't be carried out for a name with a dot; write {\"$inc\":N} with "
                    + "--format json"
            )
        case "add-distinct", "remove":
            let name = modifier == "remove" ? "$remove" : "$add"
            return JSONError(
                offset: -1,
                message: "\(start) which can't be carried out; write {\"\(name)\":[…]} with --format json"
            )
        default:
            return JSONError(
                offset: -1,
                message: "\(start) which can't be carried out; only 'set' and 'inc' can, so set the whole value with "
                    + "'set'"
            )
        }
    }

    /// Returns the modifier of a value, and its operand; `nil` if the value is an ordinary object.
    private static func modifier(in value: Span<UInt8>) throws(JSONError) -> (String, Range<Int>)? {
        var scanner = JSONScanner(value)
        try scanner.enterObject()
        guard let key = try scanner.nextKey() else { return nil }
        let name = scanner.text(of: key)
        let operand = try scanner.skipValue()
        guard modifiers.contains(name), try scanner.nextKey() == nil else { return nil }
        return (name, operand)
    }

    private func removal(in value: Span<UInt8>) throws(RejectedRecord) -> ContentOperation {
        guard kind != .update else { throw RejectedRecord("an ID to remove: use 'fastctl remove'") }
        let whole: JSONMember
        do throws(JSONError) {
            var scanner = JSONScanner(value)
            whole = JSONMember(kind: try scanner.kind(), value: try scanner.skipValue())
        } catch {
            throw RejectedRecord(notJSON: error, in: value)
        }
        guard whole.kind == .object else { return .remove(try value.id(in: whole, limit: limits.id, from: ids)) }
        let members = try WrapperMembers(
            value,
            named: "the command 'delete'",
            allowing: ["id", "_route_"],
            ignoring: ["commitWithin"]
        ) { key in
            key == "query"
                ? "documents are removed only by ID: use 'fastctl find … -o name | fastctl remove'" : nil
        }
        guard let id = members["id"] else { throw RejectedRecord("the command 'delete' has no 'id'; add it") }
        let routing = try members["_route_"].map { member throws(RejectedRecord) in
            try Routing(record: value.text(of: member), named: "_route_")
        }
        return .remove(DocumentKey(try value.id(in: id, limit: limits.id, from: ids), routing: routing))
    }
}
