public import ULSLog

/// A reading of requests and of what went wrong in them.
///
/// A request has failed if a row of it shows a problem: it is at Monitorable or worse, or its message holds an exception,
/// an error code, or words of failure, unless words of success outweigh them. Rows that rules call noise do not count.
/// Rows without a correlation belong to a request if they show a problem: with others of their thread within a minute, or
/// of the same paste.
public struct RequestSurvey: Sendable {
    private let noise: RuleSet

    /// Creates a survey; of the rules, only those about noise matter.
    ///
    /// - Throws: ``RuleError`` if a rule cannot be used.
    public init(rules: RuleSet) throws(RuleError) {
        noise = try RuleSet(rules.rules.filter { $0.kind == .noise })
    }

    /// Reads logs and reports the requests that were asked for.
    ///
    /// - Parameters:
    ///   - reader: The logs, and which of their rows matter. Texts of its filter must be empty.
    ///   - query: Which requests are listed, and in which order.
    /// - Returns: The report, which is the same for any number of jobs.
    /// - Throws: Any error that the reader throws.
    public func report(on reader: LogReader, _ query: RequestQuery) throws -> RequestReport {
        let list = RequestList(query)
        let (read, _, isAtMost) = try survey(reader) { list.take($0) }
        var report = list.report()
        report.read = read
        report.isAtMost = isAtMost
        return report
    }

    /// Reads logs and hands over each request, and all kinds of rows that show problems.
    func survey(
        _ reader: LogReader,
        maximum: Int = LogLimit.openCorrelations.maximum,
        _ settle: @escaping (LoggedRequest) -> Void
    ) throws -> (read: ReadReport, kinds: ClusterTable, isAtMost: Bool) {
        let prefilter = RulePrefilter(noise.selectors, counting: .inUnits, keepsProblems: true)
        let state = State(RequestTable(maximum: maximum, settle: settle), EventMatcher(noise.selectors, prefilter))
        let read = try reader.forEachRequestUnit(chosenBy: prefilter) { edge in
            state.requests.take(edge)
        } units: { unit in
            state.requests.take(unit)
        } tallies: { tally, lines in
            if let problems = tally.problems { state.requests.take(problems, lines: lines) }
            state.kinds.add(tally, lines: lines)
            prefilter.note(state.kinds.known)
        } _: { event in
            state.take(event)
        }
        let isAtMost = state.requests.finish()
        return (read, state.kinds, isAtMost)
    }

    /// What the closures of a reading share; they run one after the other.
    private final class State {
        var requests: RequestTable
        var kinds = ClusterTable()
        private var groups = RequestGroups()
        private let matcher: EventMatcher
        private var count = 0

        init(_ requests: RequestTable, _ matcher: EventMatcher) {
            self.requests = requests
            self.matcher = matcher
        }

        func take(_ event: borrowing ULSEvent) {
            let result = matcher.matches(event)
            guard let signs = result.problem, result.matches.isEmpty else { return }
            count += 1
            let row = ProblemRow(
                eventID: event[.eventID].array,
                rank: result.rank,
                signs: signs,
                correlation: event.correlationID,
                time: event.time,
                server: event.server,
                line: event.place.line
            )
            kinds.add(event, rank: result.rank, signs, [])
            requests.take(event, of: groups.groups(of: event, number: count).request, row)
        }
    }
}

/// The requests that come first, and counts of all.
private final class RequestList {
    private let query: RequestQuery
    private var found = RequestReport()

    init(_ query: RequestQuery) { self.query = query }

    func take(_ request: LoggedRequest) {
        guard query.selects(request) else { return }
        if request.correlation != nil {
            found.count += 1
            if request.hasFailed { found.failed += 1 }
            if let duration = request.microseconds { found.durations.add(duration) }
        } else {
            found.failedThreads += 1
        }
        guard query.lists(request) else { return }
        found.found += 1
        found.requests.append(request)
        if found.requests.count >= 2 * query.limit + 1000 { trim() }
    }

    func report() -> RequestReport {
        trim()
        return found
    }

    private func trim() {
        found.requests.sort(by: query.precedes)
        found.requests = Array(found.requests.prefix(query.limit))
    }
}
