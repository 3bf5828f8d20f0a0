extension LogReader {
    /// The stories of the requests whose correlation matches; at most ``maximumTraces``, by first time.
    public func traces(of correlation: CorrelationPattern) throws -> (traces: [RequestTrace], report: ReadReport) {
        var reader = self
        reader.filter.correlations = [correlation]
        var selection = reader.selection
        selection.extra = .scopesWithoutCorrelation
        var stories = RequestStories()
        var report = try reader.forEachEvent(in: .time, of: selection) { stories.add($0) }
        report.events = stories.eventCount
        if report.events == 0 { report.coverage = ServerCoverage.of(try LogPlan(reader), report.files) }
        let traces = stories.finish()
        for trace in traces { report.quality.reach(.traceEvents, times: trace.omitted) }
        return (traces, report)
    }
}

/// Builds the traces of all requests that were asked for, from events by time.
private struct RequestStories {
    /// Milliseconds before a request in which the row that opens it may stand, and behind it the row that closes it.
    private static let before: Int64 = 2000
    private static let behind: Int64 = 60_000
    /// Rows without a correlation that are kept for a request that may begin.
    private static let maximumKept = 10_000

    private var builders: [(id: String, builder: RequestTraceBuilder, last: Int64)] = []
    private var kept: [ULSEvent] = []
    private(set) var eventCount = 0

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
        } else if builders.count < LogReader.maximumTraces {
            eventCount += 1
            var builder = RequestTraceBuilder(correlation: id)
            for earlier in kept where instant - earlier.time.instant <= Self.before { builder.add(earlier) }
            builder.add(copy event)
            builders.append((id, builder, instant))
        }
    }

    consuming func finish() -> [RequestTrace] { builders.map { $0.builder.finish() } }
}
