/// Why an engine as a whole can't do what was asked.
public struct EngineError: Error, Sendable {
    public let code: Code
    /// What happened and to what, as a fragment that can follow `error: `.
    public let message: String
    /// What to do next, as a sentence or a command; `nil` where there is no advice.
    public let advice: String?
    public let cause: (any Error)?

    public init(_ code: Code, _ message: String, advice: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.advice = advice
        self.cause = cause
    }

    /// The kind of failure: what a program decides by.
    ///
    /// The list may grow.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String
        private init(_ name: String) { description = name }

        /// The target does not answer.
        public static let unreachable = Code("unreachable")
        /// The target answers, but is not what the address says, or is damaged.
        public static let unusable = Code("unusable")
        /// Someone else holds the lock for longer than we wait.
        public static let locked = Code("locked")
        /// The disk is full.
        public static let diskFull = Code("disk-full")
        /// The operating system failed to read or write.
        public static let inputOutput = Code("input-output")
        /// The credentials or the file's permissions do not allow it.
        public static let permission = Code("permission")
        /// There is no such collection.
        public static let missingCollection = Code("missing-collection")
        /// There is such a collection already.
        public static let collectionExists = Code("collection-exists")
        /// The name breaks the engine's rules for names.
        public static let invalidName = Code("invalid-name")
        /// There is no such target: it was never made, or the address does not name one.
        public static let missingTarget = Code("missing-target")
        /// The engine can't do this at all.
        public static let unsupported = Code("unsupported")
        /// The task that asked was cancelled; nothing came of what was asked.
        public static let cancelled = Code("cancelled")
        /// The request makes no sense to the engine.
        public static let rejected = Code("rejected")
    }
}

extension EngineError: CustomStringConvertible {
    public var description: String { message }
}
