public import ULSRows

/// The course of one request: its events across files and servers, as a tree of scopes.
public struct RequestTrace: Sendable {
    /// A scope that was entered, left, or both.
    ///
    /// Every event of the trace is in the tree exactly once: as a node, or as the row that entered or left a scope.
    public struct Scope: Sendable {
        /// The scope's name, as written; empty if none of its rows has a usable name.
        public var name: String
        /// The index in ``RequestTrace/events`` of the row that entered the scope; `nil` if the row is missing.
        public var entering: Int?
        /// The index of the row that left the scope; `nil` if the row is missing.
        public var leaving: Int?
        /// The duration in microseconds, as given by the scope's Leaving row.
        package var microseconds: Int64?
        /// The contents of the scope, in order.
        public var children: [Node]

        /// The duration according to the scope's Leaving row; `nil` if there is no such row.
        public var duration: Duration? { microseconds.map { .microseconds($0) } }
    }

    /// An element of the tree.
    public indirect enum Node: Sendable {
        case event(Int)
        case scope(Scope)
    }

    /// A period within the request without an event.
    public struct Gap: Sendable, Hashable {
        /// The index of the event after the gap.
        public var before: Int
        package var milliseconds: Int64

        /// The length of the gap between events.
        public var duration: Duration { .milliseconds(milliseconds) }
    }

    /// The ID of the request, in lowercase.
    public var correlation: String
    /// The name of the request or job, if a row contains it.
    public var name: String?
    /// The servers that wrote the events, in the order of their first events.
    public var servers: [String]
    /// All events, by time.
    public var events: [ULSEvent]
    /// The top-level events and scopes, in order.
    public var roots: [Node]
    /// The pauses of ``gapMinimum`` or longer, in order.
    public var gaps: [Gap]
    /// The index of the first event at Monitorable or worse.
    public var firstAbnormal: Int?
    /// The duration of the request in microseconds, according to its Leaving row, or else from its first to its last
    /// event.
    package var microseconds: Int64?
    /// The index of the event at which to begin reading: ``firstAbnormal``, or else the first event at Warning or High
    /// that is not a scope row.
    ///
    /// Many components log expected failures at High, and a failed request may have no event at a worse level.
    public var firstNotable: Int?
    /// The site, if a row contains it.
    public var site: String?
    /// The user, if a row contains it.
    public var user: String?
    /// The number of events of this correlation beyond ``LogLimit/traceEvents``, which are not in the trace.
    public var omitted = 0

    /// The duration of the request, according to its Leaving row, or else from its first to its last event.
    public var duration: Duration? { microseconds.map { .microseconds($0) } }

    /// The shortest pause that counts as a gap.
    public static let gapMinimum = Duration.seconds(1)
    /// The maximum nesting depth; scopes entered at a greater depth become siblings.
    public static let maximumDepth = 200
}

/// The times covered by the rows read from a server's logs, shown when nothing was found.
public struct ServerCoverage: Sendable, Hashable {
    /// The server; `nil` if it is not known.
    public var server: String?
    /// The oldest time; if no file was opened, the oldest time in the file names.
    public var firstTime: LogTime?
    /// The newest time.
    public var lastTime: LogTime?
    /// The number of files that were read.
    public var files: Int
    /// The number of files that were not opened because their names place them outside the window.
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
    /// Creates a trace of these events, along with everything that can be derived from them.
    ///
    /// `duration` is the duration in the request's Leaving row, in microseconds.
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

    /// Returns whether this event is a good place to begin reading if the request has no worse event.
    private static func isNotable(_ event: ULSEvent) -> Bool {
        event.level.rank <= 5 && ScopeMessage.parse(event[.message]) == nil
    }
}

extension LogReader {
    /// Returns the traces of the requests whose correlation matches; at most ``maximumTraces``, by first time.
    ///
    /// A pattern with fewer digits than ``CorrelationPattern/minimumDigits`` must match only one request.
    ///
    /// - Throws: Any error from reading; a ``LogError`` that names some of the requests if so few digits match several.
    public func traces(of correlation: CorrelationPattern) throws -> (traces: [RequestTrace], report: ReadReport) {
        try traces(of: [correlation])
    }

    /// Returns, in one pass, the traces of the requests whose correlation matches one of several patterns; at most
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

/// A builder of the traces of all matching requests from events in order of time.
private struct RequestStories {
    /// The numbers of milliseconds by which the opening row may precede a request, and by which the closing row may
    /// follow it.
    private static let before: Int64 = 2000
    private static let behind: Int64 = 60_000
    /// The maximum number of rows without a correlation that are kept for a request that may begin.
    private static let maximumKept = 10_000

    private var builders: [(id: String, builder: RequestTraceBuilder, last: Int64)] = []
    private var kept: [ULSEvent] = []
    private let maximum: Int
    /// The requests beyond the maximum, up to the number that is distinguished.
    private var others: Set<String> = []
    var eventCount = 0

    /// The maximum number of requests beyond the maximum that are distinguished.
    private static let maximumOthers = 10_000
    /// The maximum number of requests that are named.
    private static let maximumNamed = 5

    init(maximum: Int) { self.maximum = maximum }

    /// Throws an error that names some of the requests if there were several.
    func expectOne(of pattern: CorrelationPattern) throws(LogError) {
        guard !others.isEmpty else { return }
        let ids = (builders.map(\.id) + others).sorted()
        let names = ids.prefix(Self.maximumNamed).joined(separator: ", ")
        let bound = others.count >= Self.maximumOthers ? "at least " : ""
        let more = ids.count > Self.maximumNamed ? ", and others" : ""
        throw LogError(
            code: .usage,
            message: "\(bound)\(ids.count) requests begin with \(pattern): \(names)\(more)",
            advice: "use more digits"
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

/// A builder of a request's trace from its events, and from scope rows without a correlation that may be part of it.
///
/// Events must arrive in order of time across all servers. In addition to the request's own events, pass the Entering
/// and Leaving rows without a correlation, beginning two seconds before the request, and, if available, events of other
/// requests, which are never part of the trace but show that a thread is now working for another request. Anything else
/// is ignored. The trace adopts
/// - the last Entering row without a correlation before the row that names the request (or else before its first row),
///   on the same thread, if it is at most two seconds older and its name is that of the request, if known;
/// - a Leaving row without a correlation, if a scope of its name is open on its thread, its duration does not point to
///   another time, and no event passed in the meantime shows that the thread moved to another request.
struct RequestTraceBuilder {
    private let correlation: String
    private let limit: Int
    /// The rows, each with its position in the order of ``add(_:)``.
    private var rows: [(place: Int, row: TraceRow)] = []
    /// The Entering rows that may have begun the request, each with the time of the request's next row on its thread.
    private var openers: [(place: Int, row: TraceRow, next: LogTime)] = []
    private var candidates = TraceCandidates()
    private var facts = TraceFacts()
    private var firstThread: TraceThread?
    private var place = 0
    private var owned = 0
    private var omitted = 0

    /// Creates a builder; `correlation`, in lowercase, is compared with the column as written.
    init(correlation: String, limit: Int = LogLimit.traceEvents.maximum) {
        self.correlation = correlation.lowercased()
        self.limit = limit
    }

    /// Takes the next event.
    mutating func add(_ event: ULSEvent) {
        let row = TraceRow(event, correlation: correlation)
        place += 1
        guard row.owner == .request else {
            if candidates.look(at: row, place: place), omitted == 0 { rows.append((place, row)) }
            return
        }
        guard owned < limit else {
            omitted += 1
            return
        }
        owned += 1
        if firstThread == nil { firstThread = row.thread }
        facts.add(row)
        if let opener = candidates.noteOwn(row) { openers.append((opener.place, opener.row, event.time)) }
        rows.append((place, row))
    }

    /// Returns the finished trace.
    consuming func finish() -> RequestTrace {
        if let opener = opener() {
            rows.insert(opener, at: rows.firstIndex { $0.place > opener.place } ?? rows.count)
        }
        var nesting = TraceNesting()
        var events: [ULSEvent] = []
        for (_, row) in rows where row.owner == .request || row.kind == .entering || Self.closes(row, nesting) {
            nesting.add(row)
            events.append(row.event)
        }
        let request = nesting.request(named: facts.name?.text)
        let scope = request.map { nesting.drafts[$0.draft] }
        var trace = RequestTrace(
            correlation: correlation,
            name: facts.name?.text ?? scope?.name,
            events: events,
            roots: nesting.nodes(of: request),
            duration: scope?.duration
        )
        trace.site = facts.site
        trace.user = facts.user
        trace.omitted = omitted
        return trace
    }

    /// Returns the Entering row without a correlation that began the request.
    private func opener() -> (place: Int, row: TraceRow)? {
        guard let opener = openers.first(where: { $0.row.thread == facts.name?.thread ?? firstThread }),
            let name = opener.row.name, name == knownName ?? name
        else { return nil }
        // Without times, only the order of rows is available, so the name must be known.
        guard let time = opener.row.event.time.microseconds, let next = opener.next.microseconds else {
            return knownName == nil ? nil : (opener.place, opener.row)
        }
        guard Self.areClose(time, next) else { return nil }
        return (opener.place, opener.row)
    }

    private var knownName: String? {
        if let name = facts.name?.text { return name }
        let leaving = rows.first { entry in
            guard entry.row.owner == .request, case .leaving? = entry.row.kind, let name = entry.row.name else {
                return false
            }
            return RequestName.isRequest(name.utf8.span)
        }
        return leaving?.row.name
    }

    /// Returns whether a Leaving row without a correlation closes a scope of the request.
    private static func closes(_ row: TraceRow, _ nesting: TraceNesting) -> Bool {
        guard let name = row.name, case .leaving(let duration)? = row.kind,
            let scope = nesting.openScope(named: name, of: row.thread)
        else { return false }
        guard let start = scope.start, let duration, let end = row.event.time.microseconds else { return true }
        return areClose(start, end.subtractingReportingOverflow(duration).partialValue)
    }

    /// Returns whether two times, in microseconds, are close enough to be those of the same event.
    private static func areClose(_ one: Int64, _ other: Int64) -> Bool {
        let (distance, isTooGreat) = one.subtractingReportingOverflow(other)
        return !isTooGreat && distance.magnitude <= UInt64(TraceCandidates.longestWait) * 1000
    }
}

/// Scope rows without a correlation that may be a request's first or last one.
///
/// The service writes the Entering row of a request before assigning a correlation, and sometimes the Leaving row after
/// removing it. Only their thread and the surrounding rows show which request they are part of.
private struct TraceCandidates {
    /// The maximum number of rows considered in each direction; additional rows are not added to a trace.
    static let maximum = 10_000
    /// The maximum number of milliseconds from the request's Entering row to the row after it.
    static let longestWait: Int64 = 2000

    /// The last Entering row without an owner, for each thread that has not worked for the request yet.
    private var openers: [TraceThread: (place: Int, row: TraceRow)] = [:]
    /// The threads that have worked on the request, and whether each was still working on it at its last row.
    private var isWorking: [TraceThread: Bool] = [:]
    private var closers = 0

    /// Records a row of the request; returns the row that may have begun the request on this thread.
    mutating func noteOwn(_ row: TraceRow) -> (place: Int, row: TraceRow)? {
        isWorking[row.thread] = true
        return openers.removeValue(forKey: row.thread)
    }

    /// Examines another row; returns whether it may be the request's last row on its thread.
    mutating func look(at row: TraceRow, place: Int) -> Bool {
        if isWorking[row.thread] == nil {
            lookForOpener(row, place)
            return false
        }
        guard row.owner == .nobody, case .leaving? = row.kind else {
            // A thread that enters another scope, or has another correlation, is working for another request.
            if row.owner == .another || row.kind == .entering { isWorking[row.thread] = false }
            return false
        }
        guard isWorking[row.thread] == true, row.name != nil, closers < Self.maximum else { return false }
        closers += 1
        return true
    }

    private mutating func lookForOpener(_ row: TraceRow, _ place: Int) {
        if row.owner == .nobody, row.kind == .entering {
            if openers.count >= Self.maximum { openers.removeAll() }
            openers[row.thread] = (place, row)
        } else if row.owner == .another || row.kind != nil && row.name == openers[row.thread]?.row.name {
            openers[row.thread] = nil
        }
    }
}

/// A scope of a trace under construction.
struct TraceDraft {
    /// An item in a scope, or in a thread outside all scopes.
    enum Item {
        case event(Int)
        /// The number of a draft.
        case scope(Int)
    }

    /// The name, as written; nil as long as no row has provided it.
    var name: String?
    var entering: Int?
    var leaving: Int?
    /// The duration in microseconds.
    var duration: Int64?
    /// The time at which the scope began, in microseconds, if known.
    var start: Int64?
    /// The first event in the scope.
    var first: Int
    /// The draft that contains this one.
    var parent: Int?
    /// The number of scopes that contain this one.
    var level: Int
    /// The depth of the scopes nested in this one.
    var height = 0
    /// The items, in the order of their first events.
    var items: [Item] = []

    /// Whether the scope is an entire request or job.
    var isRequest: Bool {
        guard let name else { return false }
        return RequestName.isRequest(name.utf8.span)
    }
}

/// Facts about a request from rows of "Logging Correlation Data"; the first fact of each kind is used.
private struct TraceFacts {
    /// The name of the request or job, and the thread that logged it, which is the one that began the request.
    private(set) var name: (text: String, thread: TraceThread)?
    private(set) var site: String?
    private(set) var user: String?

    mutating func add(_ row: TraceRow) {
        guard row.event[.eventID].equals("xmnv".utf8.span) else { return }
        let message = row.event[.message]
        if name == nil, let place = RequestName.parse(message) {
            name = (message.extracting(place).text, row.thread)
        }
        if site == nil, let place = RequestSite.parse(message) { site = message.extracting(place).text }
        if user == nil, let place = Self.user(in: message) { user = message.extracting(place).text }
    }

    /// Returns the range of the user in `User=CONTOSO\joe`.
    private static func user(in message: Span<UInt8>) -> Range<Int>? {
        let key = "user="
        guard message.reads(key, at: 0) else { return nil }
        let start = message.skippingBlanks(from: key.utf8.count)
        let end = message.endWithoutBlanks(from: start)
        return start < end ? start..<end : nil
    }
}

/// An event to be added to a trace, with the information about scopes from its message.
struct TraceRow {
    /// The owner of an event.
    enum Owner {
        /// The request being traced.
        case request
        /// No owner that the row reveals.
        case nobody
        /// Another request.
        case another
    }

    var event: ULSEvent
    var owner: Owner
    var thread: TraceThread
    /// Whether the row reports that a scope was entered or left; nil if it is not a scope row.
    var kind: ScopeMessage.Kind?
    /// The scope's name as written; nil if it has none.
    var name: String?

    init(_ event: ULSEvent, correlation: String) {
        self.event = event
        thread = TraceThread(event)
        let own = event.text(.correlation)
        owner = own == correlation ? .request : own.isEmpty || own == Self.noCorrelation ? .nobody : .another
        let message = event[.message]
        if let scope = ScopeMessage.parse(message) {
            kind = scope.kind
            name = scope.name.map { message.extracting($0).text }
        }
    }

    private static let noCorrelation = CorrelationID.none.description
}

extension LogTime {
    /// The time, in microseconds, by which rows are ordered; nil for a row without a time.
    var microseconds: Int64? {
        guard quality != .none else { return nil }
        let (product, isTooGreat) = instant.multipliedReportingOverflow(by: 1000)
        return isTooGreat ? nil : product
    }
}
