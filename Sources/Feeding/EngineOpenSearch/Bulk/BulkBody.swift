import ContentFeeding
import JSONText

/// Builds the body of a `_bulk` request, byte by byte: a line for each action, and one for its document.
///
/// IDs are escaped as JSON demands and no further, so that they arrive byte by byte as they are.
struct BulkBody: Sendable {
    private(set) var bytes: [UInt8] = []
    /// Whether every ID went in as it is.
    private(set) var isPlain = true

    init(_ actions: [BulkAction]) {
        bytes.reserveCapacity(actions.reduce(0) { $0 + $1.estimatedByteCount })
        for action in actions { append(action) }
    }

    private mutating func append(_ action: BulkAction) {
        switch action {
        case .delete(let id):
            bytes.append(contentsOf: Self.deleteStart)
            append(id: id)
            bytes.append(contentsOf: Self.end)
        case .index(let id, let json, let revision):
            bytes.append(contentsOf: Self.indexStart)
            append(id: id)
            if let revision {
                let condition =
                    ",\"if_seq_no\":\(revision.sequenceNumber),\"if_primary_term\":\(revision.primaryTerm)}}\n"
                bytes.append(contentsOf: condition.utf8)
            } else {
                bytes.append(contentsOf: Self.end)
            }
            append(document: json)
        }
    }

    /// A line end ends the document here, and between JSON's tokens, the only place where one can be, it is a blank
    /// like any other.
    private mutating func append(document json: [UInt8]) {
        let start = bytes.count
        bytes.append(contentsOf: json)
        for place in start..<bytes.count where bytes[place] == 0x0A || bytes[place] == 0x0D { bytes[place] = 0x20 }
        bytes.append(0x0A)
    }

    private mutating func append(id: DocumentID) {
        let start = bytes.count
        let text = id.text.utf8.span
        bytes.append(jsonString: text)
        if bytes.count - start != text.count + 2 { isPlain = false }
    }

    private static let deleteStart = Array(#"{"delete":{"_id":"#.utf8)
    private static let indexStart = Array(#"{"index":{"_id":"#.utf8)
    private static let end = Array("}}\n".utf8)
}

extension BulkAction {
    /// What it weighs in the body where nothing is escaped.
    fileprivate var estimatedByteCount: Int {
        switch self {
        case .delete(let id): id.text.utf8.count + 24
        case .index(let id, let json, let since): id.text.utf8.count + json.count + (since == nil ? 24 : 80)
        }
    }
}
