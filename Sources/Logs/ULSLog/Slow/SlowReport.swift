/// Which requests and scopes took long.
public struct SlowReport: Sendable {
    /// One time that a scope was left.
    public struct Instance: Sendable, Hashable {
        /// The scope's name as written.
        public var name: String
        public var isRequest: Bool
        /// Microseconds.
        public var duration: Int64
        public var time: LogTime
        public var server: String?
        public var correlation: String
        public var place: ULSEvent.Place
    }

    /// Requests and jobs, the greatest sum of durations first.
    public var requests: [ScopeDurations] = []
    /// What happens within them.
    public var scopes: [ScopeDurations] = []
    /// The slowest single ones, slowest first.
    public var slowest: [Instance] = []
    public var events = 0
    public var files: [SourceReport] = []
    public var quality = ReadQuality()
    /// Rows that were left out because they do not say enough to tell whether they are in the window.
    public var incomparable = 0
    /// What was passed over among the inputs, for a person.
    public var notes: [String] = []

    public init() {}
}
