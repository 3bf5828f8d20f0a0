import ContentFeeding
import EngineHTTP
import JSONText

/// Reads what a reply of `_bulk` says of each action.
///
/// An answer counts only if it stands at the action's place, under its name and with its ID: what a proxy or an engine
/// mixed up is nobody's answer. No string is made of an item that succeeded.
enum BulkReply {
    /// What `_bulk` is asked to answer: the rest is half of the reply, and nobody reads it.
    static let filter = [
        "took", "errors", "items.*._id", "items.*._version", "items.*.status", "items.*.result", "items.*.error.type",
        "items.*.error.reason",
    ].joined(separator: ",")

    /// One for each of `actions`; `nil` where nothing in the reply answers it.
    ///
    /// `isPlain` says that no ID needs escapes.
    static func answers(
        in body: [UInt8],
        to actions: [BulkAction],
        isPlain: Bool = false
    ) throws(JSONError) -> [ItemAnswer?] {
        if isPlain, let answers = PlainBulkReply.answers(in: body, to: actions) { return answers }
        var scanner = JSONScanner(body.span)
        var answers: [ItemAnswer?]?
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            if scanner.isEqual(key, "items") {
                guard answers == nil else { throw JSONError(offset: scanner.offset, message: "'items' comes twice") }
                answers = try scanner.items(answering: actions)
            } else {
                try scanner.skipValue()
            }
        }
        try scanner.end()
        guard let answers else { throw JSONError(offset: scanner.offset, message: "'items' is missing") }
        return answers
    }
}

extension JSONScanner {
    fileprivate mutating func items(answering actions: [BulkAction]) throws(JSONError) -> [ItemAnswer?] {
        var answers: [ItemAnswer?] = []
        answers.reserveCapacity(actions.count)
        try enterArray()
        while try nextElement() {
            if answers.count < actions.count {
                answers.append(try item(answering: actions[answers.count]))
            } else {
                try skipValue()
            }
        }
        while answers.count < actions.count { answers.append(nil) }
        return answers
    }

    /// `{"delete":{"_id":"…","result":"deleted","status":200}}`: one member, named as the action.
    private mutating func item(answering action: BulkAction) throws(JSONError) -> ItemAnswer? {
        var answer: ItemAnswer?
        try enterObject()
        while let word = try nextKey() {
            let isNamed = isEqual(word, action.word)
            let content = try itemContent(answering: action)
            answer = isNamed ? content : nil
        }
        return answer
    }

    private mutating func itemContent(answering action: BulkAction) throws(JSONError) -> ItemAnswer? {
        var isOurs = false
        var (status, version) = (0, 0)
        var result: ItemResult?
        var complaint: (type: String, reason: String)?
        try enterObject()
        while let key = try nextKey() {
            if isEqual(key, "_id"), try kind() == .string {
                let id = try string()
                isOurs = isEqual(id, utf8: action.id.utf8)
            } else if isEqual(key, "status") {
                status = try int()
            } else if isEqual(key, "_version") {
                version = try int()
            } else if isEqual(key, "result"), try kind() == .string {
                let word = try string()
                result = ItemResult.allCases.first { isEqual(word, $0.rawValue) }
            } else if isEqual(key, "error"), try kind() == .object {
                complaint = try itemError()
            } else {
                try skipValue()
            }
        }
        guard isOurs else { return nil }
        guard let complaint else { return ItemAnswer(status: status, result: result, version: version) }
        let kind = EngineComplaint.kind(of: complaint.type, status)
        return ItemAnswer(EngineComplaint(kind, type: complaint.type, reason: complaint.reason), status: status)
    }

    private mutating func itemError() throws(JSONError) -> (type: String, reason: String) {
        var (type, reason) = ("", "")
        try enterObject()
        while let key = try nextKey() {
            if isEqual(key, "type"), try kind() == .string {
                type = try stringText()
            } else if isEqual(key, "reason"), try kind() == .string {
                reason = try stringText()
            } else {
                try skipValue()
            }
        }
        return (type, reason)
    }
}
