import JSONText

/// The outcome of an accepted operation.
///
/// Each operation either has exactly one outcome or is still open.
public enum Outcome: Int, Hashable, Sendable, CaseIterable {
    /// The document existed and was removed.
    case removed
    /// The document did not exist.
    case missing
    /// The document does not exist now, and it is unknown whether it existed before.
    ///
    /// Either the engine can't determine this, or the document may have been removed by an earlier attempt whose reply
    /// was lost.
    case gone
    /// The document did not exist and was created.
    case added
    /// The document existed and was changed.
    case updated
    /// The document was already in the requested state.
    case noop
    /// The engine already had a newer operation on the document.
    case stale
    /// A later operation on the same document replaced it before it was sent (only in queued jobs).
    case superseded
    /// The engine deliberately dropped the operation.
    case dropped
    /// The operation can't be carried out, or has used up its attempts.
    case failed
    /// The operation's time ran out while it could still have been retried.
    case expired
    /// The user canceled the operation before it was sent.
    case cancelled

    /// The name used in machine-readable formats.
    public var name: String { String(describing: self) }
}

/// The final result of one operation.
public struct OperationOutcome: Hashable, Sendable {
    /// The operation.
    public let operationID: OperationID
    /// The kind of the operation.
    public let kind: ContentOperation.Kind
    /// The document of the operation.
    public let documentID: DocumentID
    /// The routing value given by the input; `nil` if there was none.
    public let routing: Routing?
    /// The outcome of the operation.
    public let outcome: Outcome
    /// The error or warning for the status report; `nil` if there is nothing to report.
    public let issue: DocumentIssue?
    /// The number of times the operation was sent.
    public let attempts: Int

    /// Creates the outcome of an operation.
    public init(
        operationID: OperationID,
        kind: ContentOperation.Kind,
        documentID: consuming DocumentID,
        routing: Routing? = nil,
        outcome: Outcome,
        issue: consuming DocumentIssue? = nil,
        attempts: Int = 1
    ) {
        self.operationID = operationID
        self.kind = kind
        self.documentID = documentID
        self.routing = routing
        self.outcome = outcome
        self.issue = issue
        self.attempts = attempts
    }

    /// Returns a copy whose document ID has its own memory, for outcomes that are kept for a long time.
    public func detached() -> OperationOutcome {
        OperationOutcome(
            operationID: operationID,
            kind: kind,
            documentID: documentID.detached(),
            routing: routing,
            outcome: outcome,
            issue: issue,
            attempts: attempts
        )
    }
}

/// An error or warning for one document, as the status report lists it.
///
/// The values are boxed, because most outcomes have no issue.
public indirect enum DocumentIssue: Hashable, Sendable {
    case error(DocumentFailure)
    case warning(DocumentFailure)

    static let missingError = DocumentIssue.error(.missing)
    static let missingWarning = DocumentIssue.warning(.missing)

    /// The error or warning itself.
    public var failure: DocumentFailure {
        switch self {
        case .error(let failure), .warning(let failure): failure
        }
    }

    /// Whether the issue is an error rather than a warning.
    public var isError: Bool {
        switch self {
        case .error: true
        case .warning: false
        }
    }
}

/// The reason why an operation on one document did not do what was requested.
///
/// It is a value and is not thrown.
public struct DocumentFailure: Hashable, Sendable {
    /// The kind of failure, for programs to act on.
    public let code: Code
    /// A description in one sentence, which omits the document's ID unless it is needed to understand the code.
    ///
    /// It is empty for ``Code/documentMissing``, for which ``DocumentFailure/description(of:in:)`` creates FAST's own
    /// sentence.
    public let message: String
    /// The remedy.
    public let disposition: Disposition

    /// Creates a failure.
    public init(_ code: Code, _ message: String = "", disposition: Disposition = .permanent) {
        self.code = code
        self.message = message
        self.disposition = disposition
    }

    /// The failure of an operation on a document that does not exist.
    public static let missing = DocumentFailure(.documentMissing)

    /// The remedy for a failure.
    public enum Disposition: String, Hashable, Sendable {
        /// The same operation would fail again.
        case permanent
        /// The operation may succeed later.
        case retryable
        /// The engine deliberately dropped the operation.
        case dropped
        /// The engine or the permissions must be changed first.
        case operatorAction
    }

    /// A code for the kind of failure, from a documented list that may grow.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The document does not exist.
        ///
        /// This is the only failure whose FAST number is known: 3.
        public static let documentMissing = Code(rawValue: "document-missing")
        /// The engine allows only shorter IDs.
        public static let idTooLong = Code(rawValue: "id-too-long")
        /// The engine allows only smaller documents.
        public static let documentTooLarge = Code(rawValue: "document-too-large")
        /// The engine refused the operation for an engine-specific reason.
        public static let rejectedByEngine = Code(rawValue: "rejected-by-engine")
        /// All attempts failed.
        public static let attemptsExhausted = Code(rawValue: "attempts-exhausted")
        /// The time for the operation ran out.
        public static let expired = Code(rawValue: "expired")
        /// The engine deliberately dropped the operation.
        public static let dropped = Code(rawValue: "dropped-by-engine")
        /// The input names the document more than once.
        public static let duplicateInInput = Code(rawValue: "duplicate-in-input")
        /// The engine had a newer operation on the same document.
        public static let stale = Code(rawValue: "stale")

        /// The document is not in the state for which the operation was created.
        public static let versionConflict = Code(rawValue: "version-conflict")
        /// The document has changed since the job that is being undone or verified.
        public static let changedSince = Code(rawValue: "changed-since")
        /// The document exists, although only a new one was requested.
        public static let alreadyExists = Code(rawValue: "already-exists")
        /// The document's removal from a copy is queued, and must be pushed before the document is added again.
        public static let removalQueued = Code(rawValue: "removal-queued")

        /// FAST's number for the failure, if known.
        public var number: Int? { self == .documentMissing ? 3 : nil }
    }
}

/// An error of one operation, with the same content as in FAST's status report: the operation's ID, the document's ID,
/// a code and a description.
///
/// A feed never throws it: a failed document is a value in ``DocumentFeeder/documentErrors()``. It is an `Error` so
/// that an application can throw it.
public struct DocumentError: Error, Hashable, Sendable {
    /// The operation that failed.
    public let operationID: OperationID
    /// The kind of the operation on the document.
    public let operation: ContentOperation.Kind
    /// The document of the operation.
    public let documentID: DocumentID
    /// The routing value given by the input; `nil` if there was none.
    public let routing: Routing?
    /// The kind of failure, for programs to act on.
    public let code: DocumentFailure.Code
    /// The failure in one sentence; for a missing document, this is FAST's own sentence.
    public let message: String
    /// The remedy: whether the same operation could succeed later.
    public let disposition: DocumentFailure.Disposition
    /// The number of times the operation was sent.
    public let attempts: Int

    /// FAST's number for the failure, if known: 3 for a document that does not exist.
    public var number: Int? { code.number }

    /// Creates the error of an outcome in a collection; `nil` if the outcome has none.
    public init?(_ outcome: OperationOutcome, in collection: CollectionName) {
        guard case .error(let failure) = outcome.issue else { return nil }
        operationID = outcome.operationID
        operation = outcome.kind
        documentID = outcome.documentID
        routing = outcome.routing
        code = failure.code
        message = failure.description(of: outcome.documentID, in: collection)
        disposition = failure.disposition
        attempts = outcome.attempts
    }
}

extension DocumentError: CustomStringConvertible {
    /// The line of FAST's status report: `Operation ID: 3 Document ID: FAKEID Error Code: 3 Description: …`.
    ///
    /// IDs and messages are untrusted: sanitize the text before showing it on a terminal.
    public var description: String {
        issueLine(operationID, documentID, "Error", code, message)
    }
}

/// A notable fact about an operation that is not an error, with the same properties as a ``DocumentError``.
public struct DocumentWarning: Hashable, Sendable {
    /// The operation.
    public let operationID: OperationID
    /// The kind of the operation on the document.
    public let operation: ContentOperation.Kind
    /// The document of the operation.
    public let documentID: DocumentID
    /// The routing value given by the input; `nil` if there was none.
    public let routing: Routing?
    /// The kind of warning, for programs to act on.
    public let code: DocumentFailure.Code
    /// The warning in one sentence.
    public let message: String

    /// FAST's number for the subject of the warning, if known.
    public var number: Int? { code.number }

    /// Creates the warning of an outcome in a collection; `nil` if the outcome has none.
    public init?(_ outcome: OperationOutcome, in collection: CollectionName) {
        guard case .warning(let failure) = outcome.issue else { return nil }
        operationID = outcome.operationID
        operation = outcome.kind
        documentID = outcome.documentID
        routing = outcome.routing
        code = failure.code
        message = failure.description(of: outcome.documentID, in: collection)
    }
}

extension DocumentWarning: CustomStringConvertible {
    /// The line of a status report, in the format of ``DocumentError/description``.
    public var description: String {
        issueLine(operationID, documentID, "Warning", code, message)
    }
}

/// Returns the line about one operation in FAST's status report; for a failure without a number, it shows the code.
private func issueLine(
    _ operation: OperationID,
    _ document: DocumentID,
    _ kind: String,
    _ code: DocumentFailure.Code,
    _ message: String
) -> String {
    let number = code.number.map(String.init) ?? code.rawValue
    return "Operation ID: \(operation) Document ID: \(document) \(kind) Code: \(number) Description: \(message)"
}

// MARK: - Conflicts

/// Both sides of a conflict between a copy and its origin, which are at the end of a failure's message.
package struct ConflictSides: Hashable, Sendable {
    /// The keys that differ, with their values in the copy, as one JSON object; `nil` if the document was removed from
    /// the copy.
    package let here: [UInt8]?
    /// The keys that differ, with their values at the origin, as one JSON object; `nil` if the document was removed
    /// from the origin.
    package let origin: [UInt8]?

    private static let (middle, removed) = ("; at the origin: ", "removed")
    private static let start = "; here: "
    /// The maximum number of bytes that one side takes up in a message.
    private static let maximumBytes = 64 << 10

    package init(here: [UInt8]?, origin: [UInt8]?) { (self.here, self.origin) = (here, origin) }

    /// The end of a message, in which a long side is truncated.
    package var words: String { Self.start + Self.words(here) + Self.middle + Self.words(origin) }

    private static func words(_ json: [UInt8]?) -> String {
        guard let json else { return removed }
        guard json.count > maximumBytes else { return String(decoding: json, as: UTF8.self) }
        return String(decoding: json.prefix(maximumBytes), as: UTF8.self) + "… (\(json.count) bytes)"
    }

    /// Creates the sides from a failure; `nil` if it is not such a conflict, or if a side was truncated.
    package init?(_ failure: DocumentFailure) {
        guard failure.code == .versionConflict else { return nil }
        let (message, start) = (Array(failure.message.utf8), Array(Self.start.utf8))
        guard message.count >= start.count,
            let place = (0...(message.count - start.count)).first(where: { message[$0...].starts(with: start) })
        else { return nil }
        var rest = message[(place + start.count)...]
        guard let here = Self.side(&rest), rest.starts(with: Self.middle.utf8) else { return nil }
        rest = rest.dropFirst(Self.middle.utf8.count)
        guard let origin = Self.side(&rest), rest.isEmpty else { return nil }
        self.init(here: here.json, origin: origin.json)
    }

    /// Returns the side at the beginning of a text, and removes it from there.
    private static func side(_ rest: inout ArraySlice<UInt8>) -> (json: [UInt8]?, isRead: Bool)? {
        if rest.starts(with: removed.utf8) {
            rest = rest.dropFirst(removed.utf8.count)
            return (nil, true)
        }
        let bytes = Array(rest)
        var scanner = JSONScanner(bytes.span)
        guard bytes.first == UInt8(ascii: "{"), let range = try? scanner.skipValue() else { return nil }
        rest = rest.dropFirst(range.upperBound)
        return (Array(bytes[range]), true)
    }
}
