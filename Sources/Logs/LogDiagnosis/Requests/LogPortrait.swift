public import ULSLog

/// What a comparison needs of a log: how long each server wrote, its requests, and its kinds of failures.
public struct LogPortrait: Sendable, Hashable {
    /// A kind of rows that show a problem.
    public struct Kind: Sendable, Hashable {
        /// The same for the same kind in any log; see ``FailureCluster/id``.
        public var id: String
        /// The event's ID.
        public var eventID: String
        /// The beginning of the message, with placeholders for what differs from row to row.
        public var template: String
        /// The exception; `nil` if the message has none.
        public var exception: String?
        /// The worst level of its rows; the unknown one if a file doesn't say it.
        public var level: ULSLevel
        /// How many rows there are.
        public var rows: Int
        /// Requests with such rows, and rows that name no request: what is counted to tell more from fewer.
        public var events: Int
        /// Rows by server, in lowercase, of rows whose server is known.
        public var servers: [String: Int]

        /// Creates a kind of failure.
        public init(
            id: String,
            eventID: String,
            template: String,
            exception: String?,
            level: ULSLevel = .unknown,
            rows: Int,
            events: Int,
            servers: [String: Int]
        ) {
            self.id = id
            self.eventID = eventID
            self.template = template
            self.exception = exception
            self.level = level
            self.rows = rows
            self.events = events
            self.servers = servers
        }
    }

    /// What is known of a server.
    public struct Server: Sendable, Hashable {
        /// As rows and names of files write it; empty for rows whose server is not known.
        public var name: String
        /// Hours between its first and last row, without gaps.
        public var hours: Double
        /// Requests whose first row it wrote; `nil` if requests were not counted.
        public var requests: Int?
        /// The time of its first row; `nil` if it is not known.
        public var firstTime: LogTime?
        /// The time of its last row; `nil` if it is not known.
        public var lastTime: LogTime?

        /// Creates what is known of a server.
        public init(name: String, hours: Double, requests: Int? = nil) {
            self.name = name
            self.hours = hours
            self.requests = requests
        }
    }

    /// Kinds of failures, by ID.
    public var kinds: [Kind]
    /// Servers, by name in lowercase.
    public var servers: [String: Server] = [:]
    /// The time of the first row; `nil` if no row has a date.
    public var firstTime: LogTime?
    /// The time of the last row; `nil` if no row has a date.
    public var lastTime: LogTime?
    /// Durations of requests, by method and path; `nil` if they were not measured.
    public var durations: [String: DurationHistogram]?
    /// How many requests failed; `nil` if that was not counted.
    public var failed: Int?
    /// Times in which a server wrote nothing.
    public var gaps: [LogSummary.Gap] = []
    /// Whether a part of the log could not be read, or there were too many kinds to count all of them.
    public var isIncomplete = false

    /// Requests; `nil` if they were not counted.
    public var requests: Int? {
        let counts = servers.values.compactMap(\.requests)
        return counts.count == servers.count ? counts.reduce(0, +) : nil
    }

    /// Creates the portrait that a file describes.
    public init(kinds: [Kind], servers: [Server]) {
        self.kinds = kinds.sorted { $0.id < $1.id }
        for server in servers { self.servers[server.name.lowercased()] = server }
    }

    /// Creates the portrait of a log from its rows that show a problem.
    init(_ log: ReadReport, _ drafts: [ClusterDraft]) {
        let meant = drafts.filter { draft in
            guard draft.needsReading, draft.count.worst > 3, let example = draft.count.example else { return true }
            // A number or a sentence that turns out to say nothing makes no problem of a row.
            return draft.name.eventID.isEmpty || !FailureReading(example).isEmpty
        }
        kinds = meant.map { Kind($0) }.sorted { $0.id < $1.id }
        var ends: [String: (first: Int64, last: Int64)] = [:]
        // Of rows in the window: what the servers wrote before or after it does not count.
        for (writer, series) in log.activity.writers where series.firstTime.hasDate && series.lastTime.hasDate {
            let (name, first, last) = (writer.server ?? "", series.firstTime, series.lastTime)
            servers[name.lowercased(), default: Server(name: name, hours: 0)].name = name
            let known = ends[name.lowercased(), default: (.max, .min)]
            if first.instant < known.first { servers[name.lowercased()]?.firstTime = first }
            if last.instant > known.last { servers[name.lowercased()]?.lastTime = last }
            ends[name.lowercased()] = (min(known.first, first.instant), max(known.last, last.instant))
            if firstTime.map({ first.instant < $0.instant }) ?? true { firstTime = first }
            if lastTime.map({ last.instant > $0.instant }) ?? true { lastTime = last }
        }
        for (key, server) in servers {
            let ends = ends[key, default: (.max, .min)]
            let own = log.gaps.filter { gap in
                gap.server == (server.name.isEmpty ? nil : server.name) && gap.from.instant >= ends.first
                    && gap.until.instant <= ends.last
            }
            let silent = own.reduce(Int64(0)) { $0 + max(0, $1.until.instant - $1.from.instant) }
            servers[key]?.hours = Double(max(0, ends.last - ends.first - silent)) / 3_600_000
            gaps += own
        }
        gaps.sort { ($0.from.instant, $0.server ?? "") < ($1.from.instant, $1.server ?? "") }
        isIncomplete = log.files.contains { $0.isIncomplete }
    }
}

extension LogPortrait.Kind {
    fileprivate init(_ draft: ClusterDraft) {
        let count = draft.count
        self.init(
            id: draft.members[0],
            eventID: draft.name.eventID,
            template: draft.name.template,
            exception: draft.name.exception,
            level: count.worst < Int.max ? ULSLevel(rank: count.worst) : .unknown,
            rows: count.count,
            events: count.requests.amount.count + count.uncorrelated,
            servers: Dictionary(count.servers.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: +)
        )
    }
}

extension RequestSurvey {
    /// Reads a log and returns what a comparison needs of it, and the account of the reading.
    ///
    /// - Throws: Any error that the reader throws.
    public func portrait(of reader: LogReader) throws -> (portrait: LogPortrait, read: ReadReport) {
        let counter = RequestTotals()
        let (read, kinds, _) = try survey(reader) { counter.take($0) }
        var portrait = LogPortrait(read, kinds.drafts { _, _ in false })
        portrait.isIncomplete = portrait.isIncomplete || kinds.beyond.count > 0
        portrait.durations = counter.durations.kinds
        portrait.failed = counter.failed
        for (name, count) in counter.requests {
            portrait.servers[name, default: LogPortrait.Server(name: name, hours: 0)].requests = count
        }
        for name in portrait.servers.keys where portrait.servers[name]?.requests == nil {
            portrait.servers[name]?.requests = 0
        }
        return (portrait, read)
    }
}

/// Requests by server, and how long they took.
private final class RequestTotals {
    /// By server in lowercase.
    private(set) var requests: [String: Int] = [:]
    private(set) var failed = 0
    private(set) var durations = RequestDurations()

    func take(_ request: LoggedRequest) {
        guard request.correlation != nil else { return }
        requests[request.server?.lowercased() ?? "", default: 0] += 1
        if request.hasFailed { failed += 1 }
        if let name = request.name, let duration = request.microseconds {
            durations.add(name: name, duration: duration)
        }
    }
}
