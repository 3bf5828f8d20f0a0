/// What finally became of an accepted operation.
///
/// Each has exactly one, or is still open.
public enum Outcome: Int, Hashable, Sendable, CaseIterable {
    /// The document was there and is gone.
    case removed
    /// The document was not there.
    case missing
    /// The document is absent; the engine can't tell whether it was there before.
    case gone
    /// The document was not there before and is now.
    case added
    /// The document was there before and was changed.
    case updated
    /// The document already was as asked for.
    case noop
    /// A newer operation had been there first.
    case stale
    /// A later operation on the same document took its place before it was sent (only in queued jobs).
    case superseded
    /// The engine dropped it on purpose.
    case dropped
    /// It can't be done, or the attempts are used up.
    case failed
    /// Its time ran out while it could have been tried again.
    case expired
    /// The user cancelled it before it was sent.
    case cancelled

    /// The word that machine formats use.
    public var name: String { String(describing: self) }
}

/// The final word on one operation.
public struct OperationOutcome: Hashable, Sendable {
    public let operationID: OperationID
    public let kind: ContentOperation.Kind
    public let documentID: DocumentID
    public let outcome: Outcome
    /// What the status report says of it; `nil` for an outcome that is as it should be.
    public let issue: DocumentIssue?
    /// How often the operation was sent.
    public let attempts: Int

    public init(
        operationID: OperationID,
        kind: ContentOperation.Kind,
        documentID: consuming DocumentID,
        outcome: Outcome,
        issue: consuming DocumentIssue? = nil,
        attempts: Int = 1
    ) {
        self.operationID = operationID
        self.kind = kind
        self.documentID = documentID
        self.outcome = outcome
        self.issue = issue
        self.attempts = attempts
    }

    /// The same, whose document ID shares its memory with no other: for one that is kept for long.
    public func detached() -> OperationOutcome {
        OperationOutcome(
            operationID: operationID,
            kind: kind,
            documentID: documentID.detached(),
            outcome: outcome,
            issue: issue,
            attempts: attempts
        )
    }
}

/// An error or a warning of one document, as the status report lists it.
///
/// Boxed, since most outcomes have none.
public indirect enum DocumentIssue: Hashable, Sendable {
    case error(DocumentFailure)
    case warning(DocumentFailure)

    static let missingError = DocumentIssue.error(.missing)
    static let missingWarning = DocumentIssue.warning(.missing)

    public var failure: DocumentFailure {
        switch self {
        case .error(let failure), .warning(let failure): failure
        }
    }

    public var isError: Bool {
        switch self {
        case .error: true
        case .warning: false
        }
    }
}

/// Why an operation on one document did not do what was asked.
///
/// A value, not an exception.
public struct DocumentFailure: Hashable, Sendable {
    public let code: Code
    /// What happened, in one sentence, without the document's ID where the code says it all.
    ///
    /// Empty for ``Code/documentMissing``: there ``DocumentFailure/description(of:in:)`` makes FAST's own sentence.
    public let message: String
    public let disposition: Disposition

    public init(_ code: Code, _ message: String = "", disposition: Disposition = .permanent) {
        self.code = code
        self.message = message
        self.disposition = disposition
    }

    public static let missing = DocumentFailure(.documentMissing)

    /// What can be done about a failure.
    public enum Disposition: String, Hashable, Sendable {
        /// The same operation would fail again.
        case permanent
        /// It may succeed later.
        case retryable
        /// The engine dropped it on purpose.
        case dropped
        /// Someone has to change the engine or the rights first.
        case operatorAction
    }

    /// One of the documented list of failures; the list may grow.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The document does not exist.
        ///
        /// The only failure whose FAST number is known: 3.
        public static let documentMissing = Code(rawValue: "document-missing")
        /// The engine allows only shorter IDs.
        public static let idTooLong = Code(rawValue: "id-too-long")
        /// The engine allows only smaller documents.
        public static let documentTooLarge = Code(rawValue: "document-too-large")
        /// The engine refused the operation for a reason of its own.
        public static let rejectedByEngine = Code(rawValue: "rejected-by-engine")
        /// All attempts failed.
        public static let attemptsExhausted = Code(rawValue: "attempts-exhausted")
        /// The time for the operation ran out.
        public static let expired = Code(rawValue: "expired")
        /// The engine dropped the operation on purpose.
        public static let dropped = Code(rawValue: "dropped-by-engine")
        /// The engine had a newer operation on the same document.
        public static let stale = Code(rawValue: "stale")

        /// FAST's number for it, where it is known.
        public var number: Int? { self == .documentMissing ? 3 : nil }
    }
}
