import ContentFeeding
import JSONText

/// A reply's `responseHeader`, in which Solr reports on the reply as a whole.
struct ReplyHeader: Hashable {
    /// An operation that a tolerant update processor skipped.
    struct ItemError: Hashable {
        /// `ADD` or `DELID`.
        var type: String
        var id: String
        var message: String
    }

    /// The status: unless it is 0, the reply is not a success, whatever HTTP says.
    var status: Int
    /// Whether part of the collection did not answer.
    var isPartial = false
    var errors: [ItemError] = []
    /// The time that Solr worked on the request, in milliseconds.
    var milliseconds = 0

    /// Reads the header of a reply; `nil` if it has none.
    static func read(_ body: [UInt8]) throws(JSONError) -> ReplyHeader? {
        var scanner = JSONScanner(body.span)
        var header: ReplyHeader?
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            if scanner.isEqual(key, "responseHeader") {
                header = try scanner.header()
            } else {
                try scanner.skipValue()
            }
        }
        try scanner.end()
        return header
    }
}

extension JSONScanner {
    fileprivate mutating func header() throws(JSONError) -> ReplyHeader {
        var header = ReplyHeader(status: -1)
        try enterObject()
        while let key = try nextKey() {
            switch text(of: key) {
            case "status": header.status = try int()
            case "QTime": header.milliseconds = try int()
            case "partialResults": header.isPartial = try truth()
            case "errors": header.errors = try itemErrors()
            default: try skipValue()
            }
        }
        return header
    }

    /// Reads a Boolean; newer Solr says `"omitted"` instead of `true`.
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
    /// The number of all documents that the query finds; `nil` in the real-time get's answer about one ID.
    var found: Int?
    var nextCursor: String?

    /// Reads the documents of a whole reply; their JSON is left empty unless it is wanted.
    init(_ body: [UInt8], uniqueKey: String, wantsJSON: Bool) throws(JSONError) {
        var scanner = JSONScanner(body.span)
        var reader = ReplyDocumentReader(body: body, uniqueKey: uniqueKey, wantsJSON: wantsJSON)
        var hasAnswer = false
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            switch scanner.text(of: key) {
            case "doc":
                hasAnswer = true
                if try scanner.kind() == .null { try scanner.null() } else { try reader.document(&scanner) }
            case "response":
                hasAnswer = true
                found = try reader.response(&scanner)
            case "nextCursorMark": nextCursor = try scanner.stringText()
            default: try scanner.skipValue()
            }
        }
        try scanner.end()
        guard hasAnswer else { throw JSONError(offset: 0, message: "neither a document nor a list of them") }
        documents = reader.documents
    }

    /// Fields that Solr keeps for itself in a document.
    static let internalFields: Set<String> = ["_version_", "_root_", "_nest_path_", "_nest_parent_"]
}

/// A reader of a reply's documents, without the fields that Solr keeps for itself.
private struct ReplyDocumentReader {
    let body: [UInt8]
    let uniqueKey: String
    let wantsJSON: Bool
    var documents: [StoredDocument] = []

    /// Reads a list of documents, and returns how many there are in all.
    mutating func response(_ scanner: inout JSONScanner) throws(JSONError) -> Int? {
        var found: Int?
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            if scanner.isEqual(key, "numFound") {
                found = try scanner.int()
            } else if scanner.isEqual(key, "docs") {
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
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            let isKey = scanner.isEqual(key, uniqueKey)
            if isKey, try scanner.kind() == .string {
                let token = try scanner.string()
                id = scanner.text(of: token)
                if wantsJSON { append(key, token.range.lowerBound - 1..<token.range.upperBound + 1, to: &json) }
                continue
            }
            let value = try scanner.skipValue()
            // A unique key can also be a number.
            if isKey { id = scanner.rawText(value) }
            if scanner.isEqual(key, "_version_") { version = Int64(scanner.rawText(value)) }
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
