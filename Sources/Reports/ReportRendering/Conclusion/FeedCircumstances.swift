public import ContentFeeding

/// What a feed's account does not say, and its conclusion needs.
public struct FeedCircumstances: Sendable {
    public var kind: ContentOperation.Kind
    /// The engine's address, without secrets.
    public var target: String
    /// What the user typed.
    public var commandLine: CommandLineWords
    /// Whether the input, or a part of it, came from a pipe and must be given again by hand.
    public var readsStandardInput = false
    /// When the command began, counted from 1970.
    public var startedAt = Duration.zero
    /// What went wrong with the output, as a sentence; the feed itself went on.
    public var outputFailure: String?
    /// What came of reading the documents again; `nil` where nobody asked for it.
    public var verification: VerificationAccount?
    /// Why what was removed is not erased (`--purge`), and the exit code of that.
    public var purgeFailure: PurgeFailure?
    /// IDs that `-o name` could not write, because they hold a line end.
    public var unwritableNames = 0

    /// The feed is done, and what should have followed it is not.
    public struct PurgeFailure: Hashable, Sendable {
        public let status: ExitStatus
        /// What happened, and what to do next.
        public let sentence: String

        public init(_ status: ExitStatus, _ sentence: String) { (self.status, self.sentence) = (status, sentence) }
    }

    public init(kind: ContentOperation.Kind, target: String, commandLine: CommandLineWords) {
        self.kind = kind
        self.target = target
        self.commandLine = commandLine
    }
}
