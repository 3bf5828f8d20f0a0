import ContentFeeding
import JSONText

/// The body of a `_bulk` request, built byte by byte: a line for each action, and one for its document.
///
/// IDs are escaped only as JSON demands, so that they arrive byte for byte.
struct BulkBody: Sendable {
    private(set) var bytes: [UInt8] = []
    /// Whether no ID needed escapes.
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
            append(action.routing)
            return append(action.since, action.external)
        }
        bytes.append(json: replacement.isNew ? Self.createStart : Self.indexStart)
        append(id: action.id.utf8)
        append(action.routing)
        append(replacement.since, action.external)
        append(document: replacement.json)
    }

    /// Appends the revision that must be there, or somebody else's version, and ends the line.
    private mutating func append(_ revision: Revision?, _ external: Int64?) {
        if let external { bytes.append(contentsOf: ",\"version\":\(external),\"version_type\":\"external\"".utf8) }
        guard let revision else { return bytes.append(json: Self.end) }
        let condition = ",\"if_seq_no\":\(revision.sequenceNumber),\"if_primary_term\":\(revision.primaryTerm)}}\n"
        bytes.append(contentsOf: condition.utf8)
    }

    /// Appends a document on a line of its own.
    ///
    /// A line end would end the document here. It can only be between JSON's tokens, where it is a blank like any
    /// other.
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

/// One operation as it goes into a bulk request.
struct BulkAction: Hashable, Sendable {
    /// A document that replaces the old one whole.
    struct Replacement: Hashable, Sendable {
        let json: [UInt8]
        /// The revision to replace: only if nobody has changed the document since.
        let since: Revision?
        /// Whether there must be no old one.
        var isNew = false
    }

    let id: DocumentID
    /// What only some actions have; `nil` for a removal that is no more than an ID, so that it is cheap to copy.
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

    /// The routing that places the document; `nil` if its ID does.
    var routing: Routing? { details?.routing }

    /// The revision to delete: only if nobody has changed the document since.
    var since: Revision? { details?.since }

    /// Somebody else's version, which must be higher than the document's.
    var external: Int64? { details?.external }

    static func delete(
        _ id: consuming DocumentID,
        since: Revision? = nil,
        external: Int64? = nil,
        routing: Routing? = nil
    ) -> Self {
        Self(id, nil, since: since, external: external, routing: routing)
    }

    /// A document that there must not be yet.
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

    /// The engine's word for the action, in the request and in the answer.
    var word: String { replacement.map { $0.isNew ? "create" : "index" } ?? "delete" }

    /// The approximate size in the body if nothing is escaped.
    fileprivate var estimatedByteCount: Int {
        let keyBytes = id.byteCount + (routing.map { $0.text.utf8.count + 13 } ?? 0)
        guard let replacement else { return keyBytes + (since == nil ? 24 : 80) }
        return keyBytes + replacement.json.count + (replacement.since == nil ? 24 : 80)
    }
}

/// A state of a document that a conditional write must find unchanged.
struct Revision: Hashable, Sendable {
    let sequenceNumber: Int
    let primaryTerm: Int

    init(sequenceNumber: Int, primaryTerm: Int) {
        (self.sequenceNumber, self.primaryTerm) = (sequenceNumber, primaryTerm)
    }

    /// Reads a version as copies keep it; `nil` if it is none of this engine.
    init?(_ version: DocumentVersion) {
        let parts = version.rawValue.split(separator: ":").map { Int($0) }
        guard parts.count == 2, let number = parts[0], let term = parts[1] else { return nil }
        self.init(sequenceNumber: number, primaryTerm: term)
    }

    var version: DocumentVersion { DocumentVersion(rawValue: "\(sequenceNumber):\(primaryTerm)") }
}

/// The plan for a batch: actions for the engine, and results that need none.
struct BulkPlan: Sendable {
    /// The actions to send.
    private(set) var actions: [BulkAction] = []
    /// The place of each action's operation in the batch, in ascending order.
    private var places: [Int] = []
    /// Results known without sending, by place in the batch.
    private var known: [Int: OperationResult] = [:]
    private let count: Int
    /// Why nothing is to be sent: the engine does not let us read what is to be changed.
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

    /// Stops the job: every further batch would fail for the same reason.
    mutating func stop(_ failure: DocumentFailure) { halt = BatchFailure(.stop(.permission), failure) }

    /// Whether an operation is known to be about a document that is not there.
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

    /// Returns why the whole batch came to nothing: only if all answers have the same reason, which is then the batch's
    /// own.
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
