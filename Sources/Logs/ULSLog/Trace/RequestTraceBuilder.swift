/// Tells the story of one request from its events, and from rows of scopes without a correlation that may be its own.
///
/// Events come in the order of time over all servers. Give it, besides the request's own, the Entering and Leaving rows
/// without a correlation, from two seconds before the request on; and, if they are at hand, events of other requests:
/// they are never part of the trace, but they tell that a thread works for somebody else by now. Anything else is
/// ignored. The trace adopts
/// - the last Entering row without a correlation before the row that names the request (or else before its first row),
///   on the same thread, if it is no more than two seconds older and its name is the request's, where that is known;
/// - a Leaving row without a correlation, if a scope of its name is open on its thread, its duration does not tell of
///   another time, and nothing given in between tells that the thread went on to another request.
struct RequestTraceBuilder {
    private let correlation: String
    private let limit: Int
    /// With their places in the order of ``add(_:)``.
    private var rows: [(place: Int, row: TraceRow)] = []
    /// The Entering rows that may have begun the request, each with the first row of the request on its thread.
    private var openers: [(place: Int, row: TraceRow, next: LogTime)] = []
    private var candidates = TraceCandidates()
    private var facts = TraceFacts()
    private var firstThread: TraceThread?
    private var place = 0
    private var owned = 0
    private var omitted = 0

    /// `correlation` is compared with the column as it is written, in small letters.
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

    /// The story, told to its end.
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

    /// The Entering row without a correlation that began the request.
    private func opener() -> (place: Int, row: TraceRow)? {
        guard let opener = openers.first(where: { $0.row.thread == facts.name?.thread ?? firstThread }),
            let name = opener.row.name, name == knownName ?? name
        else { return nil }
        // Without times the order of rows has to do, and then the name has to be known.
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

    /// Whether a Leaving row without a correlation closes a scope of the request.
    private static func closes(_ row: TraceRow, _ nesting: TraceNesting) -> Bool {
        guard let name = row.name, case .leaving(let duration)? = row.kind,
            let scope = nesting.openScope(named: name, of: row.thread)
        else { return false }
        guard let start = scope.start, let duration, let end = row.event.time.microseconds else { return true }
        return areClose(start, end.subtractingReportingOverflow(duration).partialValue)
    }

    /// Whether two times, in microseconds, may be those of one thing.
    private static func areClose(_ one: Int64, _ other: Int64) -> Bool {
        let (distance, isTooGreat) = one.subtractingReportingOverflow(other)
        return !isTooGreat && distance.magnitude <= UInt64(TraceCandidates.longestWait) * 1000
    }
}
