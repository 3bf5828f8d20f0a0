/// The story of one request: its events over files and servers, as a tree of scopes.
public struct RequestTrace: Sendable {
    /// A scope that was entered, left, or both.
    ///
    /// Every event of the trace stands in the tree once: as a node, or as the row that entered or left a scope.
    public struct Scope: Sendable {
        /// As written; empty where no row of it has a usable name.
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
    /// Those that wrote it, in the order of their first events.
    public var servers: [String]
    /// All events, by time.
    public var events: [ULSEvent]
    public var roots: [Node]
    /// Pauses of ``gapMinimum`` or longer, in order.
    public var gaps: [Gap]
    /// The first event at Monitorable or worse.
    public var firstAbnormal: Int?
    /// Microseconds that the request took, where its Leaving row says it; else from its first to its last event.
    public var duration: Int64?
    /// Where to begin reading: ``firstAbnormal``, else the first event at Warning or High that is no row of a scope.
    ///
    /// Many writers put what they take for an expected failure at High, and a request that failed may have nothing worse.
    public var firstNotable: Int?
    /// The site and the user, where a row says them.
    public var site: String?
    public var user: String?
    /// Events of this correlation that came beyond ``LogLimit/traceEvents`` and are not in it.
    public var omitted = 0

    /// Milliseconds.
    public static let gapMinimum: Int64 = 1000
    /// How many scopes stand in each other at most; those that were entered deeper are siblings.
    public static let maximumDepth = 200
}

/// Which times the logs of a server cover: the answer when nothing was found.
public struct ServerCoverage: Sendable, Hashable {
    public var server: String?
    public var firstTime: LogTime?
    public var lastTime: LogTime?
    public var files: Int
}
