public import ULSRows

/// The number of events wanted before and after each hit.
public struct ContextReach: Hashable, Sendable {
    /// The number of events of the same server before a hit.
    public var before: Int
    /// The number of events of the same server after a hit.
    public var after: Int

    /// Creates a reach with the numbers of events before and after a hit.
    public init(before: Int = 0, after: Int = 0) {
        self.before = before
        self.after = after
    }

    /// Whether only hits are wanted.
    public var isEmpty: Bool { before == 0 && after == 0 }
}

extension LogReader {
    /// Delivers the wanted events, along with the events around each of them, on the caller's thread.
    ///
    /// The events around a hit come from the same request; for a row without a correlation, they come from the same
    /// thread of the same process on the same server. Events around a hit may have any level, category, event ID or
    /// process, but they are within the window, from the wanted servers and of the wanted correlations. No event is
    /// delivered twice. The events of a request are delivered in order, and so are hits. An event before a hit is
    /// delivered together with it, so newer events of other requests may precede that event.
    ///
    /// - Parameters:
    ///   - order: The order of the events.
    ///   - reach: The number of events wanted before and after each hit.
    ///   - limit: The maximum number of hits; the events after the last one are still delivered.
    ///   - lull: Called when a pipe that is the only input has nothing to read at the moment, after everything written
    ///     to it has been delivered. If `nil`, a pipe is read without these pauses.
    ///   - body: Receives each event, and whether it is a hit.
    /// - Returns: `nil` if reading ended at the limit.
    /// - Throws: Any error from reading or from `body`, which ends the reading.
    public func forEachEvent(
        in order: Order,
        around reach: ContextReach,
        limit: Int? = nil,
        lull: (() throws -> Void)? = nil,
        _ body: (borrowing ULSEvent, _ isHit: Bool) throws -> Void
    ) throws -> ReadReport? {
        var hits = 0
        var observers = EventObservers()
        if let lull { observers.lull = lull }
        do {
            guard !reach.isEmpty else {
                return try forEachEvent(in: order, of: selection, isLive: lull != nil, observers) { event in
                    try body(event, true)
                    hits += 1
                    if hits == limit { throw EnoughEvents() }
                }
            }
            var reader = self
            try reader.findLogs()
            reader.filter = EventFilter()
            reader.filter.servers = filter.servers
            reader.filter.correlations = filter.correlations
            var context = EventContext(reach)
            let test = EventTest(filter)
            var report = try reader.forEachEvent(
                in: order,
                of: reader.selection,
                isLive: lull != nil,
                observers
            ) { event in
                let isHit = hits != limit && test.wants(event)
                try context.take(event, isHit: isHit, body)
                if isHit { hits += 1 }
                if hits == limit, context.isSettled { throw EnoughEvents() }
            }
            report.quality.reach(.contextRequests, times: context.forgotten)
            report.events = hits
            if hits == 0 { report.coverage = ServerCoverage.of(try ReadPlan(reader), report.files) }
            return report
        } catch is EnoughEvents {
            return nil
        }
    }

    /// An error that ends reading when the requested number of events has been delivered.
    private struct EnoughEvents: Error {}
}

/// A test of complete events against a filter.
struct EventTest {
    private let filter: RecordFilter
    private let search: MessageSearch?

    init(_ filter: EventFilter) {
        self.filter = RecordFilter(filter)
        search = self.filter.makeSearch()
    }

    func wants(_ event: borrowing ULSEvent) -> Bool {
        let level = event.level
        return filter.wants(
            area: event[.area],
            category: event[.category],
            eventID: event[.eventID],
            rank: level.isKnown ? level.rank : nil
        ) && filter.wants(process: event[.process], id: event[.processID]) && filter.wantsMessage(of: event, search)
    }
}

/// The events, by request, that may turn out to be near a hit.
struct EventContext {
    /// A group of events: a request, or the thread that wrote them.
    private enum Origin: Hashable {
        case request(CorrelationID)
        case thread(server: String, columns: [String])

        init(_ event: borrowing ULSEvent) {
            if let id = event.correlationID {
                self = .request(id)
            } else {
                self = .thread(
                    server: event.server?.lowercased() ?? "\n" + event.place.file,
                    columns: [event.text(.process), event.text(.processID), event.text(.threadID)]
                )
            }
        }
    }

    private struct Group {
        /// The last events that were not delivered; the list holds up to twice as many as are wanted, so that elements
        /// are rarely moved.
        var waiting: [ULSEvent] = []
        var bytes = 0
        /// The number of events that remain to be delivered because they follow a hit.
        var due = 0
        /// The number of the last event.
        var seen = 0
    }

    /// The maximum size of the waiting events, in bytes.
    private let maximumBytes: Int
    private let maximumGroups: Int
    private let reach: ContextReach
    private var groups: [Origin: Group] = [:]
    private var bytes = 0
    private var count = 0
    private var dueGroups = 0
    /// The number of requests that were forgotten because there were too many.
    private(set) var forgotten = 0

    init(
        _ reach: ContextReach,
        maximumBytes: Int = 64 << 20,
        maximumGroups: Int = LogLimit.contextRequests.maximum
    ) {
        self.reach = reach
        self.maximumBytes = maximumBytes
        self.maximumGroups = maximumGroups
    }

    /// Whether no more events will be delivered unless there is another hit.
    var isSettled: Bool { dueGroups == 0 }

    /// Takes the next event and delivers the events that are now known to be wanted, each with a flag for a hit.
    mutating func take(
        _ event: borrowing ULSEvent,
        isHit: Bool,
        _ body: (borrowing ULSEvent, _ isHit: Bool) throws -> Void
    ) rethrows {
        let origin = Origin(event)
        var group = groups.removeValue(forKey: origin) ?? Group()
        if group.due > 0 { dueGroups -= 1 }
        bytes -= group.bytes
        count += 1
        group.seen = count
        if isHit {
            for earlier in group.waiting.suffix(reach.before) { try body(earlier, false) }
            try body(event, true)
            group = Group(due: reach.after, seen: count)
        } else if group.due > 0 {
            try body(event, false)
            group.due -= 1
        } else if reach.before > 0 {
            if group.waiting.count >= 2 * reach.before {
                for old in group.waiting.prefix(reach.before) { group.bytes -= Self.bytes(of: old) }
                group.waiting.removeFirst(reach.before)
            }
            group.bytes += Self.bytes(of: event)
            group.waiting.append(copy event)
        }
        guard group.due > 0 || !group.waiting.isEmpty else { return }
        if group.due > 0 { dueGroups += 1 }
        bytes += group.bytes
        groups[origin] = group
        if groups.count > maximumGroups || bytes > maximumBytes { makeRoom() }
    }

    /// Forgets the requests that have gone longest without an event, until three quarters of the limits remain;
    /// removing them one by one would be slow.
    private mutating func makeRoom() {
        let byAge = groups.sorted { $0.value.seen < $1.value.seen }
        for (origin, group) in byAge.dropLast() {
            guard groups.count > maximumGroups / 4 * 3 || bytes > maximumBytes / 4 * 3 else { return }
            groups[origin] = nil
            bytes -= group.bytes
            if group.due > 0 { dueGroups -= 1 }
            forgotten += 1
        }
    }

    /// Returns the approximate size of an event in memory.
    private static func bytes(of event: borrowing ULSEvent) -> Int {
        512 + ULSEvent.Column.allCases.reduce(0) { $0 + event[$1].count }
    }
}
