/// What is in the logs: counts, times, the busiest requests, the slowest scopes.
public struct LogSummary: Sendable {
    /// A value, and how many events have it.
    public struct Count: Sendable, Hashable {
        public var value: String
        public var count: Int
    }

    /// One correlation: a request, a job.
    public struct Correlation: Sendable, Hashable {
        public var id: CorrelationID
        public var count: Int
        public var firstTime: LogTime
        public var lastTime: LogTime
        public var worstLevel: ULSLevel
    }

    /// Five minutes or more in which a server wrote nothing.
    public struct Gap: Sendable, Hashable {
        public var server: String?
        public var from: LogTime
        public var until: LogTime
    }

    /// Events by time, for a histogram: equal steps, the first one beginning at `start`.
    public struct Histogram: Sendable, Hashable {
        /// The instant at which the first step begins, milliseconds; a clock reading where UTC is not known.
        public var start: Int64 = 0
        /// Milliseconds of a step: a minute, or that doubled until the steps are few enough.
        public var step: Int64 = 60_000
        /// Events in each step.
        public var events: [Int] = []
        /// Of them at Monitorable or worse.
        public var abnormal: [Int] = []

        public init() {}
    }

    public var files: [SourceReport] = []
    /// Rows selected, parts of split messages included.
    public var records = 0
    /// Events selected.
    public var events = 0
    public var firstTime: LogTime?
    public var lastTime: LogTime?
    /// Every level that occurs, worst first.
    public var levels: [Count] = []
    /// The most frequent ones, highest first; equal counts by value.
    public var areas: [Count] = []
    public var categories: [Count] = []
    public var eventIDs: [Count] = []
    /// How many correlations there are; one that is silent for ten minutes and comes back counts again.
    public var correlationCount = 0
    /// Those with the most events.
    public var correlations: [Correlation] = []
    /// Those with the greatest sum of durations first.
    public var scopes: [ScopeDurations] = []
    public var gaps: [Gap] = []
    public var histogram = Histogram()
    public var quality = ReadQuality()
    /// Rows that were left out because they do not say enough to tell whether they are in the window.
    public var incomparable = 0
    /// What was passed over among the inputs, for a person.
    public var notes: [String] = []

    public init() {}
}

/// How long the scopes of one name took.
public struct ScopeDurations: Sendable, Hashable {
    /// Method and path, or the scope's name, without what differs from one time to the next.
    public var key: String
    /// Whether these are whole requests or jobs, and not parts of them.
    public var isRequest: Bool
    /// How often it was left.
    public var count: Int
    /// Microseconds.
    public var p50: Int64
    public var p95: Int64
    public var max: Int64
    public var total: Int64
    /// How often it was entered and never left, as far as the logs show.
    public var open: Int
}
