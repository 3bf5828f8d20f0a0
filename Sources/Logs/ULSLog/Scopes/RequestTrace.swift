/// The story of one request: its events across files and servers, as a tree of scopes.
public struct RequestTrace: Sendable {
    /// A scope that was entered, left, or both.
    ///
    /// Every event of the trace is in the tree once: as a node, or as the row that entered or left a scope.
    public struct Scope: Sendable {
        /// As written; empty if none of its rows has a usable name.
        public var name: String
        /// Indices into ``RequestTrace/events``; `nil` if the row is missing.
        public var entering: Int?
        /// The index of the row that left it; `nil` if the row is missing.
        public var leaving: Int?
        /// Microseconds, as given by its Leaving row.
        package var microseconds: Int64?
        /// What is inside, in order.
        public var children: [Node]

        /// How long it took, as its Leaving row says; `nil` if there is none.
        public var duration: Duration? { microseconds.map { .microseconds($0) } }
    }

    /// An element of the tree.
    public indirect enum Node: Sendable {
        case event(Int)
        case scope(Scope)
    }

    /// Time within the request without an event.
    public struct Gap: Sendable, Hashable {
        /// Index of the event after it.
        public var before: Int
        package var milliseconds: Int64

        /// How long there was no event.
        public var duration: Duration { .milliseconds(milliseconds) }
    }

    /// The ID of the request, in lowercase.
    public var correlation: String
    /// Name of the request or job, if a row gives it.
    public var name: String?
    /// Servers that wrote it, in the order of their first events.
    public var servers: [String]
    /// All events, by time.
    public var events: [ULSEvent]
    /// The events and scopes that are in no other scope, in order.
    public var roots: [Node]
    /// Pauses of ``gapMinimum`` or longer, in order.
    public var gaps: [Gap]
    /// The first event at Monitorable or worse.
    public var firstAbnormal: Int?
    /// Microseconds that the request took, if its Leaving row gives them; else from its first to its last event.
    package var microseconds: Int64?
    /// The event at which to begin reading: ``firstAbnormal``, else the first event at Warning or High that is not a
    /// row of a scope.
    ///
    /// Many writers log what they consider an expected failure at High, and a failed request may have nothing worse.
    public var firstNotable: Int?
    /// The site and the user, if a row gives them.
    public var site: String?
    /// The user, if a row gives it.
    public var user: String?
    /// Events of this correlation beyond ``LogLimit/traceEvents``, which are not in it.
    public var omitted = 0

    /// How long the request took, if its Leaving row says so; else the time from its first to its last event.
    public var duration: Duration? { microseconds.map { .microseconds($0) } }

    /// The shortest gap.
    public static let gapMinimum = Duration.seconds(1)
    /// Most scopes nested in each other; those entered deeper are siblings.
    public static let maximumDepth = 200
}

/// The times of a server's rows that were read: the answer when nothing was found.
public struct ServerCoverage: Sendable, Hashable {
    /// The server; `nil` if it is not known.
    public var server: String?
    /// The oldest and the newest time; those in the names of the files if none of them was opened.
    public var firstTime: LogTime?
    /// The newest time.
    public var lastTime: LogTime?
    /// Files that were read.
    public var files: Int
    /// Files that were not opened, because their names place them outside the window.
    public var unopened: Int

    /// Creates the coverage of a server.
    public init(server: String?, firstTime: LogTime?, lastTime: LogTime?, files: Int, unopened: Int = 0) {
        self.server = server
        self.firstTime = firstTime
        self.lastTime = lastTime
        self.files = files
        self.unopened = unopened
    }
}

extension RequestTrace {
    /// Creates a trace of these events, with everything that follows from them.
    ///
    /// `duration` is what the request's Leaving row gives, in microseconds.
    init(correlation: String, name: String?, events: [ULSEvent], roots: [Node], duration: Int64?) {
        self.correlation = correlation
        self.name = name
        self.events = events
        self.roots = roots
        var seen: Set<String> = []
        servers = events.compactMap(\.server).filter { seen.insert($0).inserted }
        gaps = Self.gaps(between: events)
        firstAbnormal = events.firstIndex { $0.level.isAbnormal }
        firstNotable = firstAbnormal ?? events.firstIndex(where: Self.isNotable)
        microseconds = duration ?? Self.duration(of: events)
    }

    private static func gaps(between events: [ULSEvent]) -> [Gap] {
        var gaps: [Gap] = []
        var last: Int64?
        for (index, event) in events.enumerated() {
            guard let time = event.time.microseconds else { continue }
            if let last {
                let (silence, isTooGreat) = time.subtractingReportingOverflow(last)
                if !isTooGreat, silence >= gapMinimum.microseconds {
                    gaps.append(Gap(before: index, milliseconds: silence / 1000))
                }
            }
            last = time
        }
        return gaps
    }

    /// Returns the time from the first to the last event, in microseconds.
    private static func duration(of events: [ULSEvent]) -> Int64? {
        let times = events.lazy.compactMap(\.time.microseconds)
        guard let first = times.first, let last = times.last else { return nil }
        let (duration, isTooGreat) = last.subtractingReportingOverflow(first)
        return isTooGreat ? nil : max(0, duration)
    }

    /// Returns whether a person would read an event first in a request without anything worse.
    private static func isNotable(_ event: ULSEvent) -> Bool {
        event.level.rank <= 5 && ScopeMessage.parse(event[.message]) == nil
    }
}

extension LogReader {
    /// Returns the stories of the requests whose correlation matches; at most ``maximumTraces``, by first time.
    ///
    /// A pattern of fewer digits than ``CorrelationPattern/minimumDigits`` must match one request only.
    ///
    /// - Throws: The errors of reading; a ``LogError`` if so few digits match several requests, which names some.
    public func traces(of correlation: CorrelationPattern) throws -> (traces: [RequestTrace], report: ReadReport) {
        try traces(of: [correlation])
    }

    /// Returns the stories of the requests whose correlation matches one of several, in one reading; at most
    /// ``maximumTraces``, by first time.
    public func traces(of correlations: [CorrelationPattern]) throws -> (traces: [RequestTrace], report: ReadReport) {
        var reader = self
        try reader.findLogs()
        reader.filter.correlations = correlations
        var selection = reader.selection
        selection.extra = .scopesWithoutCorrelation
        let short = correlations.first { $0.digitCount < CorrelationPattern.minimumDigits }
        var stories = RequestStories(maximum: short == nil ? LogReader.maximumTraces : 1)
        var report = try reader.forEachEvent(in: .time, of: selection) { stories.add($0) }
        if let short { try stories.expectOne(of: short) }
        report.events = stories.eventCount
        if report.events == 0 { report.coverage = ServerCoverage.of(try ReadPlan(reader), report.files) }
        let traces = stories.finish()
        for trace in traces { report.quality.reach(.traceEvents, times: trace.omitted) }
        return (traces, report)
    }
}

/// A builder of the traces of all matching requests, from events by time.
private struct RequestStories {
    /// Milliseconds before a request within which the row that opens it may be, and after it for the row that closes
    /// it.
    private static let before: Int64 = 2000
    private static let behind: Int64 = 60_000
    /// Rows without a correlation kept for a request that may begin.
    private static let maximumKept = 10_000

    private var builders: [(id: String, builder: RequestTraceBuilder, last: Int64)] = []
    private var kept: [ULSEvent] = []
    private let maximum: Int
    /// Requests beyond the maximum, as many as are told apart.
    private var others: Set<String> = []
    var eventCount = 0

    /// The most requests beyond the maximum that are told apart.
    private static let maximumOthers = 10_000
    /// The most requests that are named.
    private static let maximumNamed = 5

    init(maximum: Int) { self.maximum = maximum }

    /// Throws an error that names some requests if there were several.
    func expectOne(of pattern: CorrelationPattern) throws(LogError) {
        guard !others.isEmpty else { return }
        let ids = (builders.map(\.id) + others).sorted()
        let names = ids.prefix(Self.maximumNamed).joined(separator: ", ")
        let bound = others.count >= Self.maximumOthers ? "at least " : ""
        let more = ids.count > Self.maximumNamed ? ", and others" : ""
        throw LogError(
            code: .usage,
            message: "\(bound)\(ids.count) requests begin with \(pattern): \(names)\(more)",
            advice: "give more digits"
        )
    }

    mutating func add(_ event: borrowing ULSEvent) {
        let id = event.text(.correlation)
        let instant = event.time.instant
        if id.isEmpty {
            kept.append(copy event)
            if kept.count > 2 * Self.maximumKept { kept.removeFirst(Self.maximumKept) }
            for index in builders.indices where instant - builders[index].last <= Self.behind {
                builders[index].builder.add(copy event)
            }
            return
        }
        if let index = builders.firstIndex(where: { $0.id == id }) {
            eventCount += 1
            builders[index].builder.add(copy event)
            builders[index].last = max(builders[index].last, instant)
        } else if builders.count < maximum {
            eventCount += 1
            var builder = RequestTraceBuilder(correlation: id)
            for earlier in kept where instant - earlier.time.instant <= Self.before { builder.add(earlier) }
            builder.add(copy event)
            builders.append((id, builder, instant))
        } else if others.count < Self.maximumOthers {
            others.insert(id)
        }
    }

    consuming func finish() -> [RequestTrace] { builders.map { $0.builder.finish() } }
}
