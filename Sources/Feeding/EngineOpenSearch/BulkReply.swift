import ContentFeeding
import EngineHTTP
import Glibc
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

/// What the engine says of one action of a bulk request.
enum ItemAnswer: Hashable, Sendable {
    /// It is the operation's own, whatever becomes of the rest.
    case result(OperationResult)
    /// The document is missing, and was there less than a minute or so ago: so long the engine keeps a removal's trace.
    case absentSinceRecently
    /// Nothing was done for a reason that others share: when all of a batch do, it is the batch's.
    indirect case halt(BatchFailure)

    var isAbsentSinceRecently: Bool {
        if case .absentSinceRecently = self { true } else { false }
    }

    /// What it means for one operation of several with different answers.
    var result: OperationResult {
        switch self {
        case .result(let result): result
        case .absentSinceRecently: .done(.missing)
        case .halt(let halt): .notNow(halt.failure)
        }
    }

    /// Reads an item without an error.
    ///
    /// `version` counts the changes of a document: a removal that found nothing, nor a trace of anything, is the first.
    init?(status: Int, result: ItemResult?, version: Int) {
        switch (status, result) {
        case (200...299, .deleted): self = .result(.done(.removed))
        case (200...299, .created): self = .result(.done(.added))
        case (200...299, .updated): self = .result(.done(.updated))
        case (200...299, .noop): self = .result(.done(.noop))
        case (404, .notFound) where version > 1: self = .absentSinceRecently
        case (404, .notFound): self = .result(.done(.missing))
        default: return nil
        }
    }

    /// Reads an item with an error.
    init(_ complaint: EngineComplaint, status: Int) {
        let words = "the engine answered \(status): \(complaint.type): \(complaint.reason)"
        let later = DocumentFailure(.rejectedByEngine, words, disposition: .retryable)
        switch complaint.kind {
        case .missingCollection: self = .halt(BatchFailure(.stop(.missingCollection), later))
        case .throttled: self = .halt(BatchFailure(.slowDown(.zero), later))
        case .blocked:
            let failure = DocumentFailure(
                .rejectedByEngine,
                "\(words) (a full disk, or someone blocked the index: see its setting index.blocks)",
                disposition: .operatorAction
            )
            self = .halt(BatchFailure(.slowDown(Self.pauseOfBlocked), failure))
        case .forbidden:
            let failure = DocumentFailure(.rejectedByEngine, words, disposition: .operatorAction)
            self = .halt(BatchFailure(.stop(.permission), failure))
        case .conflict:
            // Someone else wrote between our reading and our writing: next time it is read again.
            self = .result(.outdated(later))
        case .tooLarge, .malformed, .other:
            guard (400...499).contains(status), !Self.isOfShard(complaint, status) else {
                let failure = DocumentFailure(.attemptsExhausted, words, disposition: .retryable)
                self = .result(.unknown(failure))
                return
            }
            self = .result(.failed(DocumentFailure(.rejectedByEngine, words + Self.advice(for: complaint.type))))
        }
    }

    /// Whether it speaks of a shard and not of the document: one that moves is not found for a moment
    /// (`shard_not_found_exception`, `illegal_index_shard_state_exception`), or does not answer in time.
    private static func isOfShard(_ complaint: EngineComplaint, _ status: Int) -> Bool {
        complaint.kind == .other && [404, 408].contains(status) && complaint.type != "document_missing_exception"
    }

    /// Someone has to make room or lift the block, which takes a while.
    private static let pauseOfBlocked = Duration.seconds(30)

    private static func advice(for type: String) -> String {
        guard type == "routing_missing_exception" else { return "" }
        return "; the index places documents by a routing that an ID alone does not tell: delete it by query"
    }
}

/// The engine's words for what an action did.
enum ItemResult: String, Hashable, Sendable, CaseIterable {
    case deleted
    case created
    case updated
    case noop
    case notFound = "not_found"
}

/// Reads a reply of `_bulk` by comparing it with what is expected: eight times as fast as reading it as JSON.
///
/// An engine writes a filtered reply always alike: the same members, in the same order, without a blank. The two that
/// come first are in one order for OpenSearch and Elasticsearch 7, and in the other for newer Elasticsearch. What is
/// written otherwise, has an error in it or is not to the IDs asked for is not read here at all, but by ``BulkReply``.
/// IDs must need no escapes.
struct PlainBulkReply {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    /// One answer for each of `actions`; `nil` where not every byte is as expected.
    static func answers(in body: [UInt8], to actions: [BulkAction]) -> [ItemAnswer?]? {
        body.withUnsafeBytes { bytes in
            var reply = PlainBulkReply(bytes: bytes)
            return reply.answers(to: actions)
        }
    }

    private init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    private mutating func answers(to actions: [BulkAction]) -> [ItemAnswer?]? {
        guard beginning(), take(Self.items) else { return nil }
        var answers: [ItemAnswer?] = []
        answers.reserveCapacity(actions.count)
        let actions = actions.span
        for place in actions.indices {
            guard answers.isEmpty || take(Self.comma), let answer = answer(to: actions[place]) else { return nil }
            answers.append(answer)
        }
        return take(Self.end) && offset == bytes.count ? answers : nil
    }

    private mutating func beginning() -> Bool {
        if take(Self.took) { return number() != nil && take(Self.errorsBehind) }
        return take(Self.errors) && number() != nil && take(Self.comma)
    }

    private mutating func answer(to action: borrowing BulkAction) -> ItemAnswer? {
        guard take(action.replacement == nil ? Self.delete : Self.index), take(action.id.utf8), take(Self.version),
            let version = number(),
            take(Self.result)
        else { return nil }
        if take(Self.deleted) { return ItemAnswer(status: 200, result: .deleted, version: version) }
        if take(Self.notFound) { return ItemAnswer(status: 404, result: .notFound, version: version) }
        if take(Self.created) { return ItemAnswer(status: 201, result: .created, version: version) }
        if take(Self.updated) { return ItemAnswer(status: 200, result: .updated, version: version) }
        return nil
    }

    private mutating func take(_ expected: Span<UInt8>) -> Bool { expected.withUnsafeBytes { take($0) } }

    private mutating func take(_ literal: StaticString) -> Bool {
        take(UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    private mutating func take(_ expected: UnsafeRawBufferPointer) -> Bool {
        guard expected.count <= bytes.count - offset, let found = bytes.baseAddress, let wanted = expected.baseAddress,
            memcmp(found + offset, wanted, expected.count) == 0
        else { return false }
        offset += expected.count
        return true
    }

    /// A whole number, of few enough digits for an `Int`.
    private mutating func number() -> Int? {
        let start = offset
        var value = 0
        while offset < bytes.count, case let digit = bytes[offset] &- UInt8(ascii: "0"), digit < 10 {
            guard offset - start < 18 else { return nil }
            value = value * 10 + Int(digit)
            offset += 1
        }
        return offset > start ? value : nil
    }

    private static let took: StaticString = #"{"took":"#
    private static let errorsBehind: StaticString = #","errors":false,"#
    private static let errors: StaticString = #"{"errors":false,"took":"#
    private static let items: StaticString = #""items":["#
    private static let comma: StaticString = ","
    private static let end: StaticString = "]}"
    private static let delete: StaticString = #"{"delete":{"_id":""#
    private static let index: StaticString = #"{"index":{"_id":""#
    private static let version: StaticString = #"","_version":"#
    private static let result: StaticString = #","result":""#
    private static let deleted: StaticString = #"deleted","status":200}}"#
    private static let notFound: StaticString = #"not_found","status":404}}"#
    private static let created: StaticString = #"created","status":201}}"#
    private static let updated: StaticString = #"updated","status":200}}"#
}
