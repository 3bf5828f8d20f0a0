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
