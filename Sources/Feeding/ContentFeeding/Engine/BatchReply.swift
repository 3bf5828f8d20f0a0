/// What an engine says of a batch.
public enum BatchReply: Hashable, Sendable {
    /// One result for each operation, in the order of the batch.
    case results([OperationResult])
    /// The batch as a whole came to nothing, or nobody knows.
    case failed(BatchFailure)
}

/// What an engine says of one operation.
///
/// Failures are boxed: there may be a result for each of a million operations, and nearly all of them say `done`.
public enum OperationResult: Hashable, Sendable {
    /// It was done: `removed`, `missing`, `gone`, `added`, `updated`, `noop`, `stale` or `dropped`.
    case done(Outcome)
    /// It will never succeed.
    indirect case failed(DocumentFailure)
    /// It had no effect and may succeed later; that costs no attempt.
    indirect case notNow(DocumentFailure)
    /// Somebody else changed the document in between, so it had no effect: it is tried again on what is there now.
    ///
    /// That says nothing of the engine, and counts as an attempt.
    indirect case outdated(DocumentFailure)
    /// It may have had its effect, or may still have it.
    indirect case unknown(DocumentFailure)
}

/// Why a whole batch did not come to a result.
public struct BatchFailure: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// Nothing of it had an effect, and it can be sent again.
        ///
        /// Charged failures use up the operations' attempts; one that says nothing about the operations (a refused
        /// connection) is not.
        case definite(isCharged: Bool)
        /// It may have had effects, or may still have them.
        case ambiguous
        /// Every operation of it failed for good.
        case permanent
        /// One of its operations spoils it: send it in halves.
        ///
        /// Others may have had their effect before the answer; none has it later.
        case split(mayHaveApplied: Bool)
        /// Nothing of it had an effect, because it has more bytes than the engine takes at a time.
        case tooLarge
        /// Nothing of it had an effect, and the engine asks for a pause. Costs no attempt.
        case slowDown(Duration)
        /// Nothing of it had an effect, and nothing further will succeed: the job must stop.
        case stop(EngineError.Code)
    }

    public let kind: Kind
    public let failure: DocumentFailure

    public init(_ kind: Kind, _ failure: DocumentFailure) {
        self.kind = kind
        self.failure = failure
    }
}
