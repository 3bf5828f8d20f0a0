/// The reason an engine as a whole can't do what was asked.
public struct EngineError: Error, Sendable {
    /// The kind of failure.
    public let code: Code
    /// A description of what happened and to what, as a fragment that can follow `error: `.
    public let message: String
    /// The next step, as a sentence or a command; `nil` if there is no advice.
    public let advice: String?
    /// The error that led to this one; `nil` if there was none, or if it says nothing more.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, advice: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.advice = advice
        self.cause = cause
    }

    /// The kind of failure, for programs to act on.
    ///
    /// The list may grow.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String
        private init(_ name: String) { description = name }

        /// The target does not answer.
        public static let unreachable = Code("unreachable")
        /// The target answers, but is not what the address says, or is damaged.
        public static let unusable = Code("unusable")
        /// Someone else held the lock for longer than we waited.
        public static let locked = Code("locked")
        /// The disk is full.
        public static let diskFull = Code("disk-full")
        /// The operating system failed to read or write.
        public static let inputOutput = Code("input-output")
        /// The system refuses memory, threads or open files.
        public static let exhausted = Code("exhausted")
        /// The credentials or the file's permissions do not allow it.
        public static let permission = Code("permission")
        /// The collection does not exist.
        public static let missingCollection = Code("missing-collection")
        /// The collection already exists.
        public static let collectionExists = Code("collection-exists")
        /// The name breaks the engine's rules for names.
        public static let invalidName = Code("invalid-name")
        /// The collection became another one while it was fed.
        public static let collectionChanged = Code("collection-changed")
        /// The target does not exist: it was never created, or the address does not name one.
        public static let missingTarget = Code("missing-target")
        /// The engine can't do this at all.
        public static let unsupported = Code("unsupported")
        /// The requesting task was canceled; the request had no effect.
        public static let cancelled = Code("cancelled")
        /// The request makes no sense to the engine.
        public static let rejected = Code("rejected")
    }
}

extension EngineError: CustomStringConvertible {
    public var description: String { message }
}
