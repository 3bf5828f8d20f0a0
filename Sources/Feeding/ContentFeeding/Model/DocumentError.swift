/// An error of one operation, as FAST's status report lists it: the operation's ID, the document's ID, a code and a
/// description.
///
/// A feed never throws it: a failed document is a value in ``DocumentFeeder/documentErrors()``. It is an `Error` so that
/// an application can throw the one that it can't live with.
public struct DocumentError: Error, Hashable, Sendable {
    /// The operation that failed.
    public let operationID: OperationID
    /// What the operation was to do with the document.
    public let operation: ContentOperation.Kind
    /// The document of the operation.
    public let documentID: DocumentID
    /// The routing that the input gave; `nil` if it gave none.
    public let routing: Routing?
    /// The kind of failure, for programs to act on.
    public let code: DocumentFailure.Code
    /// The failure in one sentence; for a missing document, it is FAST's own.
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
    /// IDs and messages come from outside: make the text safe before a terminal shows it.
    public var description: String {
        issueLine(operationID, documentID, "Error", code, message)
    }
}

/// What is worth knowing of an operation that is no error, in the form of a ``DocumentError``.
public struct DocumentWarning: Hashable, Sendable {
    /// The operation.
    public let operationID: OperationID
    /// What the operation was to do with the document.
    public let operation: ContentOperation.Kind
    /// The document of the operation.
    public let documentID: DocumentID
    /// The routing that the input gave; `nil` if it gave none.
    public let routing: Routing?
    /// The kind of warning, for programs to act on.
    public let code: DocumentFailure.Code
    /// The warning in one sentence.
    public let message: String

    /// FAST's number for what the warning is about, if known.
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
    /// The line of a status report, as that of ``DocumentError/description``.
    public var description: String {
        issueLine(operationID, documentID, "Warning", code, message)
    }
}

/// The line of FAST's status report about one operation; a failure without a number shows its code.
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
