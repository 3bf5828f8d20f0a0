extension LogReader {
    /// Hands over the events that are wanted, one after the other, in the caller's thread.
    ///
    /// An error that `body` throws ends the reading and is thrown on.
    public func forEachEvent(in order: Order, _ body: (borrowing ULSEvent) throws -> Void) throws -> ReadReport {
        try forEachEvent(in: order, of: selection, EventAsides(), body)
    }

    /// Hands over the events that `chooser` and the filter want, by time over all servers, and the edges of requests.
    ///
    /// The events are those of ``forEachEvent(in:_:)`` by time of which the chooser says ``EventChoice/yes(_:)``, or
    /// whose message, with all its parts joined, matches. What matchers count of the others comes by `tallies`, for each
    /// unit of work in its order, with the number of lines that stand above the unit in its text. The chooser works in the threads that read; `edges` and `body` are
    /// called in the caller's. An error that `body` throws ends the reading and is thrown on.
    ///
    /// Edges are those of all rows that have a correlation and which the filter's servers, processes and correlations
    /// and the window want; levels, categories, event IDs and texts don't matter for them, nor does the chooser. Those of
    /// one log come in its order, and never behind an event of the same server's log that stands below. They may come
    /// long before it: an event may be held up by other servers, or by a split message.
    public func forEachEvent<Chooser: EventChooser>(
        chosenBy chooser: Chooser,
        edges: (RequestEdge) -> Void,
        tallies: (Chooser.Matcher.Tally, Int) -> Void = { _, _ in },
        _ body: (borrowing ULSEvent) throws -> Void
    ) throws -> ReadReport {
        var selection = selection
        selection.chooser = chooser
        // What is not in the logs matters too, so nothing is passed over.
        return try withoutActuallyEscaping(edges) { edges in
            try withoutActuallyEscaping(tallies) { tallies in
                let asides = EventAsides(edge: edges) { tally, lines in
                    if let tally = tally as? Chooser.Matcher.Tally { tallies(tally, lines) }
                }
                return try forEachEvent(in: .time, of: selection, passesOver: false, asides, body)
            }
        }
    }

    /// The paths of all files that would be read, those in folders too.
    public func files() throws -> [String] {
        try LogPlan(self).sources.compactMap { source in
            switch source.kind {
            case .file(let path, _), .stream(.path(let path)): path
            case .stream: nil
            }
        }
    }

    /// Whether all inputs are plain files, so that a part of them can be read again at little cost.
    public func canReadAgain() throws -> Bool {
        try LogPlan(self).sources.allSatisfy { source in
            if case .file = source.kind { true } else { false }
        }
    }

    /// Hands over the events of a selection.
    ///
    /// What one wanted correlation does not stand in may be passed over; then nothing is known of gaps.
    func forEachEvent(
        in order: Order,
        of selection: Selection,
        passesOver: Bool = true,
        _ asides: EventAsides = EventAsides(),
        _ body: (borrowing ULSEvent) throws -> Void
    ) throws -> ReadReport {
        let plan = try LogPlan(self)
        let lanes = order == .files ? [Array(plan.items.indices)] : try EventLanes.byServer(plan)
        var reading = EventReading(plan, selection: selection, laneCount: lanes.count)
        // What is wanted in addition does not hold the digits.
        let literal = passesOver && selection.extra == .none ? CorrelationLiteral(filter) : nil
        let queue = start(lanes.map { $0.flatMap { plan.items[$0] } }, literal: literal) {
            EventSink($0, selection: selection)
        }
        defer { queue.cancel() }
        if lanes.count == 1 {
            while try reading.advance(lane: 0, queue, asides, body) {}
        } else {
            var merge = EventMerge(laneCount: lanes.count)
            try merge.run { lane, ready in
                try reading.advance(lane: lane, queue, asides) { event in ready.append(copy event) }
            } body: { event in
                try body(event)
            }
        }
        return reading.finish(order, hasPassedOver: literal != nil)
    }
}

/// Reads events from lanes, joins what was split, and keeps the account.
private struct EventReading {
    private let plan: LogPlan
    private let selection: Selection
    private var account: ReadAccount
    private var joiners: [EventJoiner]
    /// Of each lane.
    private var servers: [[ServerActivity]]
    private var serverTimes = ServerTimes()
    private var report = ReadReport()

    init(_ plan: LogPlan, selection: Selection, laneCount: Int) {
        self.plan = plan
        self.selection = selection
        account = ReadAccount(plan)
        let joiner = EventJoiner(filter: selection.filter, chooser: selection.chooser)
        joiners = Array(repeating: joiner, count: laneCount)
        servers = Array(repeating: [], count: laneCount)
    }

    /// Takes the next output of a lane and lets out what is complete; false at the lane's end.
    mutating func advance(
        lane: Int,
        _ queue: WorkQueue<EventBatch>,
        _ asides: EventAsides,
        _ body: (borrowing ULSEvent) throws -> Void
    ) throws -> Bool {
        var events = 0
        defer { report.events += events }
        do {
            guard let output = try queue.next(lane: lane) else {
                try joiners[lane].finish { event in
                    events += 1
                    try body(event)
                }
                return false
            }
            // Before the events, because some of these may stand below.
            for edge in output.payload.edges { asides.edge(edge) }
            if let tally = output.payload.tally { asides.tally(tally, account.lines(above: output.text)) }
            take(output, lane)
            try joiners[lane].release { event in
                events += 1
                try body(event)
            }
        } catch let failure as SourceFailure {
            account.fail(failure)
        }
        return true
    }

    private mutating func take(_ output: borrowing UnitOutput<EventBatch>, _ lane: Int) {
        account.addTimes(output.payload.times, of: output.text)
        for activity in output.payload.servers { servers[lane].append(continuing: activity) }
        for (server, times) in output.payload.serverTimes { serverTimes.add(times, server: server) }
        report.incomparable += output.payload.incomparable
        report.lookedAt += output.payload.lookedAt
        if !output.payload.items.isEmpty {
            let lines = account.lines(above: output.text, withSkipped: selection.countsSkippedLines)
            for item in output.payload.items {
                joiners[lane].take(item, lines: lines, server: output.text.server)
            }
        }
        if let end = output.end {
            joiners[lane].endUnit(bytes: end.bytes, server: output.text.server)
            account.end(end, of: output.text)
        }
    }

    /// The report; what is known of servers is not, where rows were passed over.
    consuming func finish(_ order: LogReader.Order, hasPassedOver: Bool) -> ReadReport {
        report.notes = plan.notes + (order == .time ? account.archiveNotes : [])
        report.files = account.files()
        report.quality = account.quality
        for joiner in joiners { report.quality += joiner.quality }
        report.activity = servers.flatMap(\.self)
        report.quality.clockSteps = report.activity.reduce(0) { $0 + $1.steps }
        if !hasPassedOver {
            report.servers = serverTimes.list(report.activity).map { $0.clipped(to: selection.window) }
            report.gaps = report.activity.gaps
            if selection.chooser != nil {
                let gapCount = report.activity.reduce(0) { $0 + $1.gapCount }
                report.quality.reach(.gaps, times: gapCount - report.gaps.count)
            }
            report.gaps.removeAll { !selection.window.mayTouch(from: $0.from, until: $0.until) }
        }
        report.coverage = report.events == 0 ? ServerCoverage.of(plan, report.files) : []
        return report
    }
}

/// What is told besides events.
struct EventAsides {
    var edge: (RequestEdge) -> Void = { _ in }
    /// What was counted in a unit, and how many lines of its text stand above.
    var tally: (any Sendable, Int) -> Void = { _, _ in }
}

/// Merges the events of lanes by time.
///
/// Of each lane the order stays: a row that is older than the one before it comes as soon as that one has come. Of equal
/// times the first lane's comes first.
private struct EventMerge {
    private struct Lane {
        var ready: [ULSEvent] = []
        var next = 0
        var isEnded = false
        /// The instant of the next event; that of the one before for an event without a date.
        var instant = Int64.min

        /// Looks at the next event's time.
        mutating func look() {
            guard next < ready.count else { return }
            let time = ready[next].time
            if time.hasDate { instant = time.instant }
        }
    }

    private var lanes: [Lane]

    init(laneCount: Int) { lanes = Array(repeating: Lane(), count: laneCount) }

    /// Hands over all events; `refill` adds a lane's next ones and says whether there may be more.
    mutating func run(
        refill: (Int, inout [ULSEvent]) throws -> Bool,
        body: (borrowing ULSEvent) throws -> Void
    ) throws {
        while true {
            for index in lanes.indices where lanes[index].next == lanes[index].ready.count && !lanes[index].isEnded {
                lanes[index].ready.removeAll(keepingCapacity: true)
                lanes[index].next = 0
                while lanes[index].ready.isEmpty, !lanes[index].isEnded {
                    lanes[index].isEnded = try !refill(index, &lanes[index].ready)
                }
                lanes[index].look()
            }
            var oldest: Int?
            for index in lanes.indices where lanes[index].next < lanes[index].ready.count {
                if let best = oldest, lanes[best].instant <= lanes[index].instant { continue }
                oldest = index
            }
            guard let oldest else { return }
            try body(lanes[oldest].ready[lanes[oldest].next])
            lanes[oldest].next += 1
            lanes[oldest].look()
        }
    }
}

/// Which sources are read one after the other when servers are merged.
private enum EventLanes {
    /// Lanes that are read at a time.
    static let maximum = 64

    /// A lane for each server, and for each source of which the server is not known, unless it begins behind another's
    /// end.
    static func byServer(_ plan: LogPlan) throws -> [[Int]] {
        var lanes: [(server: String?, end: Int64?, sources: [Int])] = []
        for (number, source) in plan.sources.enumerated() where !plan.items[number].isEmpty {
            let lane =
                if let server = source.server {
                    lanes.firstIndex { $0.server?.lowercased() == server.lowercased() }
                } else if let start = source.nominalStart {
                    lanes.firstIndex { lane in lane.server == nil && lane.end.map { $0 <= start } ?? false }
                } else {
                    Int?.none
                }
            let end = source.server == nil ? FileTimes.last(of: source)?.clock : nil
            if let lane {
                lanes[lane].sources.append(number)
                lanes[lane].end = end
            } else {
                lanes.append((source.server, end, [number]))
            }
        }
        guard lanes.count <= maximum else {
            throw LogError(
                code: .usage,
                message: "\(lanes.count) logs of unknown servers overlap; at most \(maximum) are merged at a time",
                advice: "name them SERVER-YYYYMMDD-HHMM.log, or give fewer at a time"
            )
        }
        return lanes.isEmpty ? [[]] : lanes.map(\.sources)
    }
}

extension LogReader {
    /// The first event of a request that is wanted, in the time before one that is known, its place set right.
    ///
    /// Only the part of a file that may hold it is read; where it is in the file follows from the place of the known one.
    ///
    /// - Parameters:
    ///   - correlation: the request.
    ///   - time: that of the known event; one without a date does not bound anything.
    ///   - milliseconds: how long before it to begin.
    ///   - place: that of the known event.
    ///   - isKnown: whether an event is the known one, before which the wanted one must be.
    ///   - isWanted: whether it is one that is wanted.
    /// - Returns: `nil` if there is none before the known one.
    /// - Throws: What reading does.
    public func firstEvent(
        of correlation: CorrelationID,
        before time: LogTime,
        by milliseconds: Int64,
        at place: ULSEvent.Place,
        isKnown: (borrowing ULSEvent) -> Bool,
        isWanted: (borrowing ULSEvent) -> Bool
    ) throws -> ULSEvent? {
        var reader = self
        reader.filter = EventFilter()
        reader.filter.correlations = [CorrelationPattern(correlation)]
        if window.isAll, time.hasDate { reader.window = TimeWindow(before: time, by: milliseconds) }
        var selection = reader.selection
        selection.countsSkippedLines = false
        var wanted: ULSEvent?
        var known: ULSEvent.Place?
        do {
            _ = try reader.forEachEvent(in: .time, of: selection, EventAsides()) { event in
                if event.place.file == place.file, isKnown(event) {
                    known = event.place
                    throw Found()
                }
                if wanted == nil, isWanted(event) { wanted = copy event }
            }
        } catch is Found {}
        guard var wanted, let known, wanted.place.file == place.file else { return nil }
        wanted.place.line += place.line - known.line
        wanted.place.lineEnd += place.line - known.line
        return wanted
    }

    /// What was looked for is found.
    private struct Found: Error {}
}
