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
