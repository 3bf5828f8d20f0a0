/// The story of one request: its events over files and servers, as a tree of scopes.
public struct RequestTrace: Sendable {
    /// A scope that was entered, left, or both.
    public struct Scope: Sendable {
        public var name: String
        /// Indices into ``RequestTrace/events``; `nil` where the row is not there.
        public var entering: Int?
        public var leaving: Int?
        /// Microseconds, as its Leaving row says.
        public var duration: Int64?
        public var children: [Node]
    }

    /// What stands in the tree.
    public indirect enum Node: Sendable {
        case event(Int)
        case scope(Scope)
    }

    /// Time without an event within the request.
    public struct Gap: Sendable, Hashable {
        /// The index of the event behind it.
        public var before: Int
        public var milliseconds: Int64
    }

    public var correlation: String
    /// The request's or job's name, where a row says it.
    public var name: String?
    public var servers: [String]
    /// All events, by time.
    public var events: [ULSEvent]
    public var roots: [Node]
    /// Pauses of ``gapMinimum`` or longer, in order.
    public var gaps: [Gap]
    /// The first event at Monitorable or worse: where to begin reading.
    public var firstAbnormal: Int?
    /// Microseconds that the request took, where its Leaving row says it; else from its first to its last event.
    public var duration: Int64?

    /// Milliseconds.
    public static let gapMinimum: Int64 = 1000
}

/// Which times the logs of a server cover: the answer when nothing was found.
public struct ServerCoverage: Sendable, Hashable {
    public var server: String?
    public var firstTime: LogTime?
    public var lastTime: LogTime?
    public var files: Int
}
