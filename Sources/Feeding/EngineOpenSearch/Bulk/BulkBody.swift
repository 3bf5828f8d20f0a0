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
        // A span lends an action where an array would copy it.
        let actions = actions.span
        var byteCount = 0
        for place in actions.indices { byteCount += actions[place].estimatedByteCount }
        bytes.reserveCapacity(byteCount)
        for place in actions.indices { append(actions[place]) }
    }

    private mutating func append(_ action: borrowing BulkAction) {
        guard let replacement = action.replacement else {
            bytes.append(json: Self.deleteStart)
            append(id: action.id.utf8)
            return bytes.append(json: Self.end)
        }
        bytes.append(json: Self.indexStart)
        append(id: action.id.utf8)
        if let revision = replacement.since {
            let condition =
                ",\"if_seq_no\":\(revision.sequenceNumber),\"if_primary_term\":\(revision.primaryTerm)}}\n"
            bytes.append(contentsOf: condition.utf8)
        } else {
            bytes.append(json: Self.end)
        }
        append(document: replacement.json)
    }

    /// A line end ends the document here, and between JSON's tokens, the only place where one can be, it is a blank
    /// like any other.
    private mutating func append(document json: [UInt8]) {
        let start = bytes.count
        bytes.append(contentsOf: json)
        for place in start..<bytes.count where bytes[place] == 0x0A || bytes[place] == 0x0D { bytes[place] = 0x20 }
        bytes.append(0x0A)
    }

    private mutating func append(id: Span<UInt8>) {
        let start = bytes.count
        bytes.append(jsonString: id)
        if bytes.count - start != id.count + 2 { isPlain = false }
    }

    private static let deleteStart: StaticString = #"{"delete":{"_id":"#
    private static let indexStart: StaticString = #"{"index":{"_id":"#
    private static let end: StaticString = "}}\n"
}

extension BulkAction {
    /// What it weighs in the body where nothing is escaped.
    fileprivate var estimatedByteCount: Int {
        guard let replacement else { return id.byteCount + 24 }
        return id.byteCount + replacement.json.count + (replacement.since == nil ? 24 : 80)
    }
}
