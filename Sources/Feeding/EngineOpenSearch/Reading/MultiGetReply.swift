import ContentFeeding
import JSONText

/// Reads what a reply of `_mget` says of each ID, in their order.
enum MultiGetReply {
    /// What stands at one place of the reply.
    enum Entry: Hashable, Sendable {
        case found(RevisedDocument)
        case absent
        /// It is there, and the reply says nothing of what is in it.
        case foundWithoutSource
        /// The engine could not look.
        case failed(type: String, reason: String)
    }

    /// What ``Entry/foundWithoutSource`` means: to write a document anew, or to give it back, is to lose what is in it.
    static let withoutSource = "the index keeps no source: its documents can't be updated or read back"

    /// One entry for each of `ids`, or an error: a reply of other documents says nothing of ours.
    static func entries(in body: [UInt8], to ids: ArraySlice<DocumentID>) throws(JSONError) -> [Entry] {
        var scanner = JSONScanner(body.span)
        var entries: [Entry] = []
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            if scanner.isEqual(key, "docs"), entries.isEmpty {
                entries = try scanner.entries(in: body, to: ids)
            } else {
                try scanner.skipValue()
            }
        }
        try scanner.end()
        guard entries.count == ids.count else {
            throw JSONError(offset: 0, message: "\(entries.count) answers to \(ids.count) IDs")
        }
        return entries
    }
}

extension JSONScanner {
    fileprivate mutating func entries(
        in body: [UInt8],
        to ids: ArraySlice<DocumentID>
    ) throws(JSONError) -> [MultiGetReply.Entry] {
        var entries: [MultiGetReply.Entry] = []
        entries.reserveCapacity(ids.count)
        try enterArray()
        while try nextElement() {
            let place = ids.startIndex + entries.count
            guard place < ids.endIndex else { throw JSONError(offset: offset, message: "more answers than IDs") }
            entries.append(try entry(in: body, of: ids[place]))
        }
        return entries
    }

    private mutating func entry(in body: [UInt8], of id: DocumentID) throws(JSONError) -> MultiGetReply.Entry {
        let start = offset
        var (isOurs, isFound) = (false, false)
        var source: Range<Int>?
        var error: JSONValue?
        var (version, sequenceNumber, primaryTerm): (Int?, Int?, Int?)
        try enterObject()
        while let key = try nextKey() {
            if isEqual(key, "_id") {
                let token = try string()
                isOurs = isEqual(token, utf8: id.utf8)
            } else if isEqual(key, "found") {
                isFound = try bool()
            } else if isEqual(key, "_source") {
                source = try skipValue()
            } else if isEqual(key, "_version") {
                version = try int()
            } else if isEqual(key, "_seq_no") {
                sequenceNumber = try int()
            } else if isEqual(key, "_primary_term") {
                primaryTerm = try int()
            } else if isEqual(key, "error") {
                let place = try skipValue()
                error = try JSONValue(Array(body[place]))
            } else {
                try skipValue()
            }
        }
        guard isOurs else { throw JSONError(offset: start, message: "the answer is about another document") }
        if let error { return .failed(type: error["type"].text ?? "error", reason: error["reason"].text ?? "") }
        guard isFound else { return .absent }
        guard let source else { return .foundWithoutSource }
        let revision: Revision? =
            if let sequenceNumber, let primaryTerm {
                Revision(sequenceNumber: sequenceNumber, primaryTerm: primaryTerm)
            } else {
                nil
            }
        return .found(
            RevisedDocument(
                json: Array(body[source]),
                version: version.map { Int64($0) },
                revision: revision
            )
        )
    }
}
