import ContentFeeding
import EngineHTTP

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
    static let pauseOfBlocked = Duration.seconds(30)

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
