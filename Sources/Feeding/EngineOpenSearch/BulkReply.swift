import ContentFeeding
import EngineHTTP
import Glibc
import JSONText
import TextKit

/// The body of a `_bulk` request, built byte by byte: one line for each action, and one line for each document.
///
/// Characters of IDs are escaped only where JSON requires it, so the engine receives the same IDs.
struct BulkBody: Sendable {
    private(set) var bytes: [UInt8] = []
    /// Whether all IDs so far were written without escapes.
    private(set) var isPlain = true

    init(_ actions: [BulkAction]) {
        // A span gives access to an action without copying it, unlike an array.
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
            append(action.routing)
            return append(action.since, action.external)
        }
        bytes.append(json: replacement.isNew ? Self.createStart : Self.indexStart)
        append(id: action.id.utf8)
        append(action.routing)
        append(replacement.since, action.external)
        append(document: replacement.json)
    }

    /// Appends the required revision, or the external version, and ends the line.
    private mutating func append(_ revision: Revision?, _ external: Int64?) {
        if let external { bytes.append(contentsOf: ",\"version\":\(external),\"version_type\":\"external\"".utf8) }
        guard let revision else { return bytes.append(json: Self.end) }
        let condition = ",\"if_seq_no\":\(revision.sequenceNumber),\"if_primary_term\":\(revision.primaryTerm)}}\n"
        bytes.append(contentsOf: condition.utf8)
    }

    /// Appends a document on its own line.
    ///
    /// A line break would end the document in this format. It can occur only between JSON tokens, so it is replaced by
    /// a blank.
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

    private mutating func append(_ routing: Routing?) {
        guard let routing else { return }
        bytes.append(json: Self.routing)
        bytes.append(jsonString: routing.text.utf8.span)
    }

    private static let routing: StaticString = #","routing":"#
    private static let deleteStart: StaticString = #"{"delete":{"_id":"#
    private static let createStart: StaticString = #"{"create":{"_id":"#
    private static let indexStart: StaticString = #"{"index":{"_id":"#
    private static let end: StaticString = "}}\n"
}

/// One operation in the form that a bulk request requires.
struct BulkAction: Hashable, Sendable {
    /// A document that replaces the entire existing one.
    struct Replacement: Hashable, Sendable {
        let json: [UInt8]
        /// The revision to replace, which must still be the current one.
        let since: Revision?
        /// Whether the document must not exist yet.
        var isNew = false
    }

    let id: DocumentID
    /// The properties that only some actions have; `nil` for a removal with only an ID, which is therefore cheap to
    /// copy.
    private let details: Details?

    private final class Details: Hashable, Sendable {
        let replacement: Replacement?
        let routing: Routing?
        let since: Revision?
        let external: Int64?

        init(_ replacement: Replacement?, _ routing: Routing?, since: Revision?, external: Int64?) {
            (self.replacement, self.routing, self.since, self.external) = (replacement, routing, since, external)
        }

        static func == (one: Details, other: Details) -> Bool {
            one.replacement == other.replacement && one.routing == other.routing && one.since == other.since
                && one.external == other.external
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(replacement)
            hasher.combine(routing)
            hasher.combine(since)
            hasher.combine(external)
        }
    }

    private init(
        _ id: consuming DocumentID,
        _ replacement: Replacement?,
        since: Revision? = nil,
        external: Int64?,
        routing: Routing?
    ) {
        self.id = id
        let isBare = replacement == nil && since == nil && external == nil && routing == nil
        details = isBare ? nil : Details(replacement, routing, since: since, external: external)
    }

    /// The new document; `nil` to delete.
    var replacement: Replacement? { details?.replacement }

    /// The routing value that determines the document's shard; `nil` if the ID determines it.
    var routing: Routing? { details?.routing }

    /// The revision to delete, which must still be the current one.
    var since: Revision? { details?.since }

    /// The external version, which must be higher than the document's current version.
    var external: Int64? { details?.external }

    static func delete(
        _ id: consuming DocumentID,
        since: Revision? = nil,
        external: Int64? = nil,
        routing: Routing? = nil
    ) -> Self {
        Self(id, nil, since: since, external: external, routing: routing)
    }

    /// Creates an action for a document that must not exist yet.
    static func create(_ id: DocumentID, json: [UInt8], routing: Routing? = nil) -> Self {
        Self(id, Replacement(json: json, since: nil, isNew: true), external: nil, routing: routing)
    }

    static func index(
        _ id: DocumentID,
        json: [UInt8],
        since: Revision?,
        external: Int64? = nil,
        routing: Routing? = nil
    ) -> Self {
        Self(id, Replacement(json: json, since: since), external: external, routing: routing)
    }

    /// The engine's name for the action in requests and replies.
    var word: String { replacement.map { $0.isNew ? "create" : "index" } ?? "delete" }

    /// The approximate number of bytes in the body if nothing is escaped.
    fileprivate var estimatedByteCount: Int {
        let keyBytes = id.byteCount + (routing.map { $0.text.utf8.count + 13 } ?? 0)
        guard let replacement else { return keyBytes + (since == nil ? 24 : 80) }
        return keyBytes + replacement.json.count + (replacement.since == nil ? 24 : 80)
    }
}

/// A revision of a document, which a conditional write requires to be current.
struct Revision: Hashable, Sendable {
    let sequenceNumber: Int
    let primaryTerm: Int

    init(sequenceNumber: Int, primaryTerm: Int) {
        (self.sequenceNumber, self.primaryTerm) = (sequenceNumber, primaryTerm)
    }

    /// Parses a version as stored in copies; `nil` if it is not a version of this engine.
    init?(_ version: DocumentVersion) {
        let parts = version.rawValue.split(separator: ":").map { Int($0) }
        guard parts.count == 2, let number = parts[0], let term = parts[1] else { return nil }
        self.init(sequenceNumber: number, primaryTerm: term)
    }

    var version: DocumentVersion { DocumentVersion(rawValue: "\(sequenceNumber):\(primaryTerm)") }
}

/// The plan for a batch: actions for the engine, and results that are known without sending an action.
struct BulkPlan: Sendable {
    /// The actions to send.
    private(set) var actions: [BulkAction] = []
    /// The index of each action's operation in the batch, in ascending order.
    private var places: [Int] = []
    /// The results known without sending an action, by the operation's index in the batch.
    private var known: [Int: OperationResult] = [:]
    private let count: Int
    /// The versions required of documents whose updates change a counter.
    var countedVersions: [DocumentID: DocumentVersion] = [:]
    /// The reason to send nothing: the engine does not permit us to read the documents that are to be updated.
    private(set) var halt: BatchFailure?

    init(count: Int) {
        self.count = count
        actions.reserveCapacity(count)
        places.reserveCapacity(count)
    }

    mutating func send(_ action: consuming BulkAction, for place: Int) {
        actions.append(action)
        places.append(place)
    }

    mutating func settle(_ place: Int, _ result: OperationResult) { known[place] = result }

    /// Makes the plan stop the job, because every further batch would fail for the same reason.
    mutating func stop(_ failure: DocumentFailure) { halt = BatchFailure(.stop(.permission), failure) }

    /// Whether the document of any operation is known to be missing.
    var knowsMissing: Bool { known.values.contains(.done(.missing)) }

    /// Returns the reply to the whole batch, given one answer to each action.
    func reply(_ answers: [ItemAnswer?]) -> BatchReply {
        if known.isEmpty, let halt = Self.commonHalt(of: answers) { return .failed(halt) }
        var results: [OperationResult] = []
        results.reserveCapacity(count)
        var next = 0
        for place in 0..<count {
            if next < places.count, places[next] == place {
                let answer = next < answers.count ? answers[next]?.result : nil
                results.append(answer ?? .unknown(Self.unanswered))
                next += 1
            } else {
                results.append(known[place] ?? .unknown(Self.unanswered))
            }
        }
        return .results(results)
    }

    /// Returns the reason why the whole batch failed, if the reason is the same for all items; `nil` otherwise.
    private static func commonHalt(of answers: [ItemAnswer?]) -> BatchFailure? {
        guard case .halt(let first)? = answers.first ?? nil else { return nil }
        let isCommon = answers.allSatisfy { answer in
            if case .halt(let halt)? = answer { halt.kind == first.kind } else { false }
        }
        return isCommon ? first : nil
    }

    private static let unanswered = DocumentFailure(
        .attemptsExhausted,
        "the engine's reply does not mention this operation",
        disposition: .retryable
    )
}

/// A reader of `_bulk` replies, which finds the answer to each action.
///
/// An answer is accepted only if its position, name and ID match those of the action, so answers that a proxy or an
/// engine mixed up are ignored. An answer from another index is marked as such, and so is an answer about a new
/// document that was stored under another ID, which a pipeline may have assigned. No string is created for an item that
/// succeeded.
enum BulkReply {
    /// The fields to request from `_bulk`; the others are not needed, and would double the size of the reply.
    static let filter = [
        "took", "errors", "items.*._index", "items.*._id", "items.*._version", "items.*.status", "items.*.result",
        "items.*.error.type", "items.*.error.reason", "items.*.error.caused_by",
    ].joined(separator: ",")

    /// Returns one answer for each of `actions`: `nil` if the reply contains none for that action.
    ///
    /// `index` is the expected index, or `nil` if it is unknown; `isPlain` indicates that no ID needs escapes;
    /// `cleaned` removes secrets from the engine's messages.
    static func answers(
        in body: [UInt8],
        to actions: [BulkAction],
        from index: String? = nil,
        isPlain: Bool = false,
        cleaned: (String) -> String = { $0 }
    ) throws(JSONError) -> [ItemAnswer?] {
        if isPlain, let index, let answers = PlainBulkReply.answers(in: body, to: actions, from: index) {
            return answers
        }
        var scanner = JSONScanner(body.span)
        var answers: [ItemAnswer?]?
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            if scanner.isEqual(key, "items") {
                guard answers == nil else { throw JSONError(offset: scanner.offset, message: "'items' occurs twice") }
                answers = try scanner.items(answering: actions, from: index, cleaned)
            } else {
                try scanner.skipValue()
            }
        }
        try scanner.end()
        guard let answers else { throw JSONError(offset: scanner.offset, message: "'items' is missing") }
        return withoutSwaps(answers, actions)
    }

    /// Returns the index named in the answer to the first operation that was not refused; `nil` if all were refused.
    static func index(in body: [UInt8]) throws(JSONError) -> String? {
        try JSONValue(body)["items"].elements.lazy.compactMap { item in
            let content = item.members.first?.value
            return content?["error"] == .null ? content?["_index"].text : nil
        }
        .first
    }

    /// Drops answers whose ID is that of another action in the request, because such answers are mixed up.
    private static func withoutSwaps(_ answers: [ItemAnswer?], _ actions: [BulkAction]) -> [ItemAnswer?] {
        guard answers.contains(where: { if case .storedUnder? = $0 { true } else { false } }) else { return answers }
        let ids = Set(actions.map(\.id.text))
        return answers.map { answer in
            if case .storedUnder(let id)? = answer, ids.contains(id) { nil } else { answer }
        }
    }
}

extension JSONScanner {
    fileprivate mutating func items(
        answering actions: [BulkAction],
        from index: String?,
        _ cleaned: (String) -> String
    ) throws(JSONError) -> [ItemAnswer?] {
        var answers: [ItemAnswer?] = []
        answers.reserveCapacity(actions.count)
        try enterArray()
        while try nextElement() {
            if answers.count < actions.count {
                answers.append(try item(answering: actions[answers.count], from: index, cleaned))
            } else {
                try skipValue()
            }
        }
        while answers.count < actions.count { answers.append(nil) }
        return answers
    }

    /// Reads `{"delete":{"_id":"…","result":"deleted","status":200}}`: one member, named after the action.
    private mutating func item(
        answering action: BulkAction,
        from index: String?,
        _ cleaned: (String) -> String
    ) throws(JSONError) -> ItemAnswer? {
        var answer: ItemAnswer?
        try enterObject()
        while let word = try nextKey() {
            let isNamed = isEqual(word, action.word)
            let content = try itemContent(answering: action, from: index, cleaned)
            answer = isNamed ? content : nil
        }
        return answer
    }

    private mutating func itemContent(
        answering action: BulkAction,
        from index: String?,
        _ cleaned: (String) -> String
    ) throws(JSONError) -> ItemAnswer? {
        var isOurs = false
        var otherID: String?
        var (place, otherIndex): (Bool, String?) = (index == nil, nil)
        var (status, version) = (0, 0)
        var result: ItemResult?
        var error: JSONValue?
        try enterObject()
        while let key = try nextKey() {
            if isEqual(key, "_id"), try kind() == .string {
                let id = try string()
                isOurs = isEqual(id, utf8: action.id.utf8)
                otherID = isOurs ? nil : text(of: id)
            } else if let index, isEqual(key, "_index"), try kind() == .string {
                let name = try string()
                place = true
                otherIndex = isEqual(name, index) ? nil : text(of: name)
            } else if isEqual(key, "status") {
                status = try int()
            } else if isEqual(key, "_version") {
                version = try int()
            } else if isEqual(key, "result"), try kind() == .string {
                let word = try string()
                result = ItemResult.allCases.first { isEqual(word, $0.rawValue) }
            } else if isEqual(key, "error"), try kind() == .object {
                error = try JSONValue(Array(rawText(try skipValue()).utf8))
            } else {
                try skipValue()
            }
        }
        guard place, isOurs || action.replacement != nil else { return nil }
        let answer: ItemAnswer? =
            if let error {
                ItemAnswer(ErrorReply(item: error, status: status), status: status, cleaned: cleaned)
            } else {
                ItemAnswer(status: status, result: result, version: version)
            }
        guard let answer else { return nil }
        guard isOurs else {
            // The other ID is reliable only if the document was stored.
            let isStored = answer == .result(.done(.added)) || answer == .result(.done(.updated))
            return if isStored, let otherID { .storedUnder(otherID) } else { nil }
        }
        // Errors and dropped documents are reported under the requested name, which may be an alias.
        guard let otherIndex, error == nil, answer != .result(.done(.dropped)) else { return answer }
        return .elsewhere(index: otherIndex, answer)
    }
}

extension ErrorReply {
    /// Creates the error for one action.
    fileprivate init(item error: JSONValue, status: Int) {
        let type = error["type"].text ?? "error"
        let (reason, cause) = Self.reasons(of: error)
        self.init(Self.kind(of: type, status), type: type, reason: reason, cause: cause)
    }
}

/// The engine's answer to one action of a bulk request.
enum ItemAnswer: Hashable, Sendable {
    /// The operation's own result, regardless of the other operations.
    case result(OperationResult)
    /// The document is missing, but existed until about a minute ago: the engine keeps the trace of a removal for that
    /// long.
    case absentSinceRecently
    /// An answer from an index other than the requested one; ``IndexOrigin`` interprets it.
    indirect case elsewhere(index: String, ItemAnswer)
    /// A result for a new document that was stored under this other ID.
    case storedUnder(String)
    /// A failure without effect, for a reason that may apply to the whole batch: if all items have the same reason, the
    /// batch fails with it.
    indirect case halt(BatchFailure)

    var isAbsentSinceRecently: Bool {
        if case .absentSinceRecently = self { true } else { false }
    }

    /// The operation's result if the batch does not fail as a whole.
    var result: OperationResult {
        switch self {
        case .result(let result): result
        case .absentSinceRecently: .done(.missing)
        case .elsewhere(let index, _):
            .unknown(
                DocumentFailure(.attemptsExhausted, "another index answered: '\(index)'", disposition: .retryable)
            )
        case .storedUnder(let id):
            .failed(
                DocumentFailure(
                    .rejectedByEngine,
                    "stored under another ID, '\(id)': an ingest pipeline of the index changes IDs"
                )
            )
        case .halt(let halt): .notNow(halt.failure)
        }
    }

    /// Reads an item without an error.
    ///
    /// `version` counts the changes of a document: it is 1 for a removal that found neither a document nor the trace of
    /// an earlier removal. If a pipeline drops a document, the engine reports success, with `noop` and without a
    /// version.
    init?(status: Int, result: ItemResult?, version: Int) {
        switch (status, result) {
        case (200...299, .some) where version < 0: self = .result(.done(.dropped))
        case (200...299, .deleted): self = .result(.done(.removed))
        case (200...299, .created): self = .result(.done(.added))
        case (200...299, .updated): self = .result(.done(.updated))
        case (200...299, .noop): self = .result(.done(.dropped))
        case (404, .notFound) where version > 1: self = .absentSinceRecently
        case (404, .notFound): self = .result(.done(.missing))
        default: return nil
        }
    }

    /// Reads an item with an error.
    init(_ error: ErrorReply, status: Int, cleaned: (String) -> String = { $0 }) {
        let words = cleaned("the engine responded with \(status): \(error.type): \(error.reason)")
        let later = DocumentFailure(.rejectedByEngine, words, disposition: .retryable)
        switch error.kind {
        case .missingCollection: self = .halt(BatchFailure(.stop(.missingCollection), later))
        case .closed:
            let closed = "\(words); the index is closed: open it, then run the command again"
            let failure = DocumentFailure(.rejectedByEngine, closed, disposition: .operatorAction)
            self = .halt(BatchFailure(.stop(.rejected), failure))
        case .throttled: self = .halt(BatchFailure(.slowDown(.zero), later))
        case .blocked:
            let failure = DocumentFailure(
                .rejectedByEngine,
                "\(words) (the disk is full, or the index was blocked: see its setting index.blocks)",
                disposition: .operatorAction
            )
            self = .halt(BatchFailure(.slowDown(Self.pauseOfBlocked), failure))
        case .forbidden:
            let failure = DocumentFailure(.rejectedByEngine, words, disposition: .operatorAction)
            self = .halt(BatchFailure(.stop(.permission), failure))
        case .conflict:
            // Another client wrote between our read and our write; the next attempt reads the document again.
            self = .result(.outdated(later))
        case .malformed where Self.isOfPipeline(error):
            let failure = DocumentFailure(
                .rejectedByEngine,
                "\(words); create the pipeline, or specify another with --pipeline",
                disposition: .operatorAction
            )
            self = .halt(BatchFailure(.stop(.rejected), failure))
        case .tooLarge, .malformed, .other:
            guard (400...499).contains(status), !Self.isOfShard(error, status) else {
                let failure = DocumentFailure(.attemptsExhausted, words, disposition: .retryable)
                self = .result(.unknown(failure))
                return
            }
            guard error.type != ErrorReply.routingMissing else {
                self = .result(.failed(.routingRequired(words)))
                return
            }
            self = .result(.failed(DocumentFailure(.rejectedByEngine, words)))
        }
    }

    /// Returns whether the error is about a shard rather than the document: a shard that is being moved can't be found
    /// for a moment (`shard_not_found_exception`, `illegal_index_shard_state_exception`), or does not respond in time.
    private static func isOfShard(_ error: ErrorReply, _ status: Int) -> Bool {
        error.kind == .other && [404, 408].contains(status) && error.type != "document_missing_exception"
    }

    /// Returns whether the requested pipeline does not exist, which affects every document.
    private static func isOfPipeline(_ error: ErrorReply) -> Bool {
        error.type == "illegal_argument_exception" && error.reason.hasPrefix("pipeline with id [")
            && error.reason.contains("does not exist")
    }

    /// The pause between attempts while the index is blocked: an operator has to free space or remove the block, which
    /// takes time.
    private static let pauseOfBlocked = Duration.seconds(30)
}

/// The engine's names for the effect of an action.
enum ItemResult: String, Hashable, Sendable, CaseIterable {
    case deleted
    case created
    case updated
    case noop
    case notFound = "not_found"
}

/// A reader of `_bulk` replies that compares them with the expected bytes, which is eight times as fast as parsing
/// JSON.
///
/// An engine always writes a filtered reply in the same way: the same members, in the same order, without blanks.
/// OpenSearch and Elasticsearch 7 write the first two members in one order, newer versions of Elasticsearch in the
/// other. A reply that is formatted differently, contains an error, or has another index or other IDs is left to
/// ``BulkReply``. IDs must not require escapes.
struct PlainBulkReply {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    /// The beginning of an item of each kind, up to its ID.
    private let delete: [UInt8]
    private let index: [UInt8]

    /// Returns one answer for each of `actions`; `nil` unless every byte is as expected.
    static func answers(in body: [UInt8], to actions: [BulkAction], from index: String) -> [ItemAnswer?]? {
        body.withUnsafeBytes { bytes in
            var reply = PlainBulkReply(bytes: bytes, index: index)
            return reply.answers(to: actions)
        }
    }

    private init(bytes: UnsafeRawBufferPointer, index name: String) {
        self.bytes = bytes
        // Index names never require escapes.
        delete = Array(#"{"delete":{"_index":"\#(name)","_id":""#.utf8)
        index = Array(#"{"index":{"_index":"\#(name)","_id":""#.utf8)
    }

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
        guard take(action.replacement == nil ? delete : index), take(action.id.utf8), take(Self.version),
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

    private mutating func take(_ expected: [UInt8]) -> Bool { expected.withUnsafeBytes { take($0) } }

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

    /// Reads a whole number with few enough digits to fit into an `Int`.
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
    private static let version: StaticString = #"","_version":"#
    private static let result: StaticString = #","result":""#
    private static let deleted: StaticString = #"deleted","status":200}}"#
    private static let notFound: StaticString = #"not_found","status":404}}"#
    private static let created: StaticString = #"created","status":201}}"#
    private static let updated: StaticString = #"updated","status":200}}"#
}
