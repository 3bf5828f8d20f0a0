extension LogReader {
    /// Hands over the events that are wanted, one after the other, in the caller's thread.
    ///
    /// An error that `body` throws ends the reading and is thrown on.
    public func forEachEvent(in order: Order, _ body: (borrowing ULSEvent) throws -> Void) throws -> ReadReport {
        try forEachEvent(in: order, of: selection, body)
    }

    /// Hands over the events of a selection.
    ///
    /// What one wanted correlation does not stand in may be passed over; then nothing is known of gaps.
    func forEachEvent(
        in order: Order,
        of selection: Selection,
        passesOver: Bool = true,
        _ body: (borrowing ULSEvent) throws -> Void
    ) throws -> ReadReport {
        let plan = try LogPlan(self)
        let lanes = order == .files ? [Array(plan.items.indices)] : try EventLanes.byServer(plan)
        var reading = EventReading(plan, filter: selection.filter, laneCount: lanes.count)
        // What is wanted in addition does not hold the digits.
        let literal = passesOver && selection.extra == .none ? CorrelationLiteral(filter) : nil
        let queue = start(lanes.map { $0.flatMap { plan.items[$0] } }, literal: literal) {
            EventSink($0, selection: selection)
        }
        defer { queue.cancel() }
        if lanes.count == 1 {
            while try reading.advance(lane: 0, queue, body) {}
        } else {
            var merge = EventMerge(laneCount: lanes.count)
            try merge.run { lane, ready in
                try reading.advance(lane: lane, queue) { event in ready.append(copy event) }
            } body: { event in
                try body(event)
            }
        }
        return reading.finish()
    }
}

/// Reads events from lanes, joins what was split, and keeps the account.
private struct EventReading {
    private let plan: LogPlan
    private var account: ReadAccount
    private var joiners: [EventJoiner]
    /// Of each lane.
    private var servers: [[ServerActivity]]
    private var report = ReadReport()

    init(_ plan: LogPlan, filter: RecordFilter, laneCount: Int) {
        self.plan = plan
        account = ReadAccount(plan)
        joiners = Array(repeating: EventJoiner(filter: filter), count: laneCount)
        servers = Array(repeating: [], count: laneCount)
    }

    /// Takes the next output of a lane and lets out what is complete; false at the lane's end.
    mutating func advance(
        lane: Int,
        _ queue: WorkQueue<EventBatch>,
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
            account.addTimes(output.payload.times, of: output.text)
            for activity in output.payload.servers { servers[lane].append(continuing: activity) }
            report.incomparable += output.payload.incomparable
            if !output.payload.items.isEmpty {
                let lines = account.lines(above: output.text)
                for item in output.payload.items {
                    joiners[lane].take(item, lines: lines, server: output.text.server)
                }
            }
            if let end = output.end {
                joiners[lane].endUnit(bytes: end.bytes, server: output.text.server)
                account.end(end, of: output.text)
            }
            try joiners[lane].release { event in
                events += 1
                try body(event)
            }
        } catch let failure as SourceFailure {
            account.fail(failure)
        }
        return true
    }

    consuming func finish() -> ReadReport {
        report.notes = plan.notes
        report.files = account.files()
        report.quality = account.quality
        for joiner in joiners { report.quality += joiner.quality }
        report.activity = servers.flatMap(\.self)
        report.quality.clockSteps = report.activity.reduce(0) { $0 + $1.steps }
        report.coverage = report.events == 0 ? ServerCoverage.of(plan, report.files) : []
        return report
    }
}
