/// Reads events from lanes, joins what was split, and keeps the account.
struct EventReading {
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
