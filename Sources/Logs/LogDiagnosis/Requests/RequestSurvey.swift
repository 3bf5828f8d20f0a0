import TextKit
public import ULSLog

/// A survey of requests and their failures.
///
/// A request has failed if one of its rows shows a problem. A row shows a problem if it is at Monitorable or worse, or
/// if its message contains an exception, an error code, or words of failure that are not outweighed by words of
/// success. Rows that rules classify as noise do not count. Rows that show a problem but have no correlation form a
/// request with other rows of their thread within a minute, or with the rest of their paste.
public struct RequestSurvey: Sendable {
    private let noise: RuleSet

    /// Creates a survey; only rules about noise are used.
    ///
    /// - Throws: ``RuleError`` if a rule cannot be used.
    public init(rules: RuleSet) throws(RuleError) {
        noise = try RuleSet(rules.rules.filter { $0.kind == .noise })
    }

    /// Reads logs and reports the requested requests.
    ///
    /// - Parameters:
    ///   - reader: The logs, and the criteria for their rows. The filter must not contain texts.
    ///   - query: The criteria for the requests to list, and their order.
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

    /// Reads logs and delivers each request, and all kinds of rows that show problems.
    func survey(
        _ reader: LogReader,
        maximum: Int = LogLimit.openCorrelations.maximum,
        _ settle: @escaping (LoggedRequest) -> Void
    ) throws -> (read: ReadReport, kinds: ClusterTable, isAtMost: Bool) {
        let prefilter = RulePrefilter(noise.selectors, counting: .inUnits, keepsProblems: true)
        let state = State(RequestTable(maximum: maximum, settle: settle), EventMatcher(noise.selectors, prefilter))
        let read = try reader.forEachRequestUnit(chosenBy: prefilter) { edges in
            for edge in edges { state.requests.take(edge) }
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

    /// The state shared by the closures of one pass, which never run concurrently.
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

/// The requests to list, and the counts of all requests.
private final class RequestList {
    private let query: RequestQuery
    private var found = RequestReport()

    init(_ query: RequestQuery) { self.query = query }

    func take(_ request: LoggedRequest) {
        found.total += 1
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

/// A table of the requests in a log, which combines their rows, names and problems while the log is read.
///
/// Up to a limit, all requests are remembered to the end. Beyond it, requests are settled if they were silent for ten
/// minutes before the oldest row that may still arrive; if that is not enough, those that have been silent the longest
/// are also settled. Later rows of a settled request count as a new request.
struct RequestTable {
    /// A request that may continue.
    private struct Entry {
        var rows = 0
        var rank = Int.max
        var first = LogTime.none
        var last = LogTime.none
        var server: String?
        var name: String?
        /// Whether the name is from the row that begins the request.
        var isNameOfBeginning = false
        var user: String?
        var writer: String?
        var duration: Int64?

        mutating func add(_ time: LogTime, until last: LogTime, server: String?) {
            if rows == 0 || time.instant < first.instant || first.quality == .none {
                (first, self.server) = (time, server)
            }
            if rows == 0 || last.instant > self.last.instant { self.last = last }
        }
    }

    private var entries: [GroupKey: Entry] = [:]
    private var problems = RequestProblems()
    private let maximum: Int
    private var horizon = Int64.min
    private var file = ""
    private(set) var hasSettledEarly = false
    /// The receiver of each request once no more rows of it are expected.
    private let settle: (LoggedRequest) -> Void

    /// The number of milliseconds of silence after which no more rows of a request are expected.
    private static let silence: Int64 = 600_000

    init(maximum: Int = LogLimit.openCorrelations.maximum, settle: @escaping (LoggedRequest) -> Void) {
        self.maximum = maximum
        self.settle = settle
    }

    mutating func take(_ edge: RequestEdge) {
        let key = GroupKey.correlation(edge.correlation)
        switch edge.kind {
        case .beginning:
            guard let name = edge.name else { return }
            if entries[key]?.isNameOfBeginning != true {
                entries[key, default: Entry()].name = name
                entries[key]?.isNameOfBeginning = true
            }
        case .end:
            var entry = entries[key] ?? Entry()
            if entry.name == nil { entry.name = edge.name }
            // The scope of the request itself takes longer than the calls that it makes.
            if let duration = edge.duration { entry.duration = max(duration, entry.duration ?? 0) }
            entries[key] = entry
        case .identity:
            if let user = edge.name, entries[key]?.user == nil { entries[key, default: Entry()].user = user }
        }
    }

    mutating func take(_ unit: RequestUnit) {
        if entries.count > maximum { settleSilent() }
        (file, horizon) = (unit.file, unit.horizon)
        for rows in unit.rows {
            let key = GroupKey.correlation(rows.correlation)
            var entry = entries[key] ?? Entry()
            entry.add(rows.firstTime, until: rows.lastTime, server: rows.server)
            entry.rows += rows.rows
            entry.rank = min(entry.rank, rows.rank)
            entries[key] = entry
        }
    }

    /// Takes the problems of the unit whose rows were added last, which has this many lines of text before it.
    mutating func take(_ unit: RequestProblems, lines: Int) { problems.add(unit, file: file, lines: lines) }

    /// Takes an event that shows a problem.
    mutating func take(_ event: borrowing ULSEvent, of key: GroupKey, _ row: ProblemRow) {
        problems.note(key, row, event[.message], file: event.place.file)
        guard !key.isCorrelation else { return }
        var entry = entries[key] ?? Entry()
        if entry.rows == 0 { entry.writer = Self.writer(of: event) }
        entry.add(event.time, until: event.time, server: event.server)
        entry.rows += event.parts
        entry.rank = min(entry.rank, row.rank)
        entries[key] = entry
    }

    /// Settles all remaining requests.
    consuming func finish() -> Bool {
        for key in entries.keys.sorted(by: Self.precedes) { settle(key) }
        return hasSettledEarly
    }

    private mutating func settleSilent() {
        hasSettledEarly = true
        let limit = max(horizon, .min + Self.silence) - Self.silence
        let silent = entries.filter { $0.value.rows > 0 && $0.value.last.instant < limit }.keys
        for key in silent.sorted(by: Self.precedes) { settle(key) }
        let excess = entries.count - maximum * 3 / 4
        guard entries.count > maximum else { return }
        let oldest = entries.filter { $0.value.rows > 0 }.sorted { one, other in
            let (first, second) = (one.value.last.instant, other.value.last.instant)
            return first == second ? Self.precedes(one.key, other.key) : first < second
        }
        for (key, _) in oldest.prefix(excess) { settle(key) }
    }

    /// Returns whether a key precedes another, in an order that is the same in every run.
    private static func precedes(_ one: GroupKey, _ other: GroupKey) -> Bool {
        switch (one, other) {
        case (.correlation(let first), .correlation(let second)): first < second
        case (.thread(let first), .thread(let second)): first < second
        case (.paste(let first), .paste(let second)): first < second
        case (.correlation, _), (.thread, .paste): true
        default: false
        }
    }

    private mutating func settle(_ key: GroupKey) {
        guard let entry = entries.removeValue(forKey: key) else { return }
        let problem = problems.take(key)
        guard entry.rows > 0 || problem != nil else { return }
        var request = LoggedRequest(
            name: entry.name,
            user: entry.user,
            server: entry.server,
            firstTime: entry.rows > 0 ? entry.first : problem?.time ?? .none,
            lastTime: entry.rows > 0 ? entry.last : problem?.time ?? .none,
            microseconds: entry.duration,
            rows: max(entry.rows, problem?.rows ?? 0),
            level: ULSLevel(rank: entry.rank),
            problem: problem
        )
        if let problem { request.level = problem.level }
        if case .correlation(let id) = key {
            request.correlation = id
            if request.microseconds == nil { request.microseconds = Self.duration(entry) }
        } else {
            request.writer = entry.writer
        }
        settle(request)
    }

    /// Returns the microseconds from the first row to the last.
    private static func duration(_ entry: Entry) -> Int64? {
        guard entry.rows > 1, entry.first.hasDate, entry.last.hasDate else { return nil }
        let (distance, isTooGreat) = entry.last.instant.subtractingReportingOverflow(entry.first.instant)
        guard !isTooGreat else { return nil }
        let (product, isTooLong) = distance.multipliedReportingOverflow(by: 1000)
        return isTooLong ? nil : max(0, product)
    }

    private static func writer(of event: borrowing ULSEvent) -> String? {
        let (name, id, thread) = (event.text(.process), event.text(.processID), event.text(.threadID))
        let process = id.isEmpty ? name : "\(name) (\(id))"
        let parts = [process, thread.isEmpty ? "" : "thread \(thread)"].filter { !$0.isEmpty }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}

/// A request or job, as shown by its rows.
public struct LoggedRequest: Sendable, Hashable {
    /// The correlation; `nil` for rows of one thread or one paste that name no correlation.
    public var correlation: CorrelationID?
    /// The writer of the rows, if they name no request: `OWSTIMER.EXE (0x1A2C), thread 0x0B14`.
    public var writer: String?
    /// The name in the rows: `Request (GET:http://portal/a?b)`, `Timer Job x`; `nil` if there is none.
    public var name: String?
    /// The user, as rows name it: `contoso\ann`, `i:0#.w|contoso\ann`.
    public var user: String?
    /// The server that wrote the first row.
    public var server: String?
    /// The time of its first row.
    public var firstTime: LogTime
    /// The time of its last row.
    public var lastTime: LogTime
    /// The duration in microseconds: that of the request's last scope, or else the time from its first row to its last.
    ///
    /// `nil` if there is only one row, or if rows have no dates.
    package var microseconds: Int64?
    /// The number of rows, including parts of split messages; if rows name no request, only those that show a problem
    /// count.
    public var rows: Int
    /// The worst level of its rows that show a problem, or else of all its rows.
    public var level: ULSLevel
    /// The problem; `nil` if no row shows one.
    public var problem: RequestProblem?

    /// The duration of the request's last scope, or else the time from its first row to its last.
    ///
    /// `nil` if there is only one row, or if rows have no dates.
    public var duration: Duration? { microseconds.map { .microseconds($0) } }

    /// Whether the request failed, because one of its rows shows a problem.
    public var hasFailed: Bool { problem != nil }

    /// The HTTP method: `GET`; `nil` for a job.
    public var method: String? { address?.method }

    /// The address as the service logged it; `nil` for a job.
    public var url: String? { address?.url }

    /// The method and address, or the name of a job; `nil` if no row contains it.
    public var title: String? { address.map { "\($0.method) \($0.url)" } ?? name }

    private var address: (method: String, url: String)? {
        guard let name, name.hasPrefix("Request (") else { return nil }
        var text = name.dropFirst(9)
        if text.hasSuffix(")") { text = text.dropLast() }
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { return nil }
        let (method, url) = (text[..<colon], text[text.index(after: colon)...])
        guard !url.hasPrefix("//"), method.utf8.allSatisfy({ ($0 | 0x20) &- 0x61 < 26 }) else { return nil }
        return (String(method), String(url))
    }
}

/// The criteria for wanted requests, and their order.
public struct RequestQuery: Sendable, Hashable {
    /// The order in which requests are listed.
    public enum Order: String, Sendable, CaseIterable {
        /// Failed requests first, worst first.
        case failed
        /// Slowest requests first.
        case slow
        /// In order of their first rows.
        case time
    }

    /// The order in which requests are listed.
    public var order: Order
    /// Whether only failed requests are listed.
    public var onlyFailed: Bool
    /// The minimum duration of the requests that are listed.
    public var minimumDuration: Duration?
    /// A text that the address or name of a request must contain for it to count, ignoring case.
    public var url: String? { didSet { foldedURL = url?.lowercased() } }
    /// A text that the user's name must contain for a request to count, ignoring case.
    public var user: String? { didSet { foldedUser = user?.lowercased() } }
    /// The maximum number of requests that are listed.
    public var limit: Int
    private var foldedURL: String?
    private var foldedUser: String?

    /// Creates a query.
    public init(order: Order = .failed, onlyFailed: Bool = true, limit: Int = 20) {
        self.order = order
        self.onlyFailed = onlyFailed
        self.limit = limit
    }

    /// Returns whether a request counts.
    func selects(_ request: LoggedRequest) -> Bool {
        if let foldedURL, !(request.name?.lowercased().contains(foldedURL) ?? false) { return false }
        if let foldedUser, !(request.user.map(RequestLedger.account)?.contains(foldedUser) ?? false) { return false }
        return true
    }

    /// Returns whether a request that counts is listed.
    func lists(_ request: LoggedRequest) -> Bool {
        if onlyFailed, !request.hasFailed { return false }
        if let minimumDuration { return request.duration.map { $0 >= minimumDuration } ?? false }
        return true
    }

    /// Returns whether one request is listed before another; no two are equal.
    func precedes(_ one: LoggedRequest, _ other: LoggedRequest) -> Bool {
        switch order {
        case .failed:
            if one.hasFailed != other.hasFailed { return one.hasFailed }
            if let mine = one.problem, let theirs = other.problem {
                let (first, second) = (
                    (mine.rank, -mine.strength, -mine.rows), (theirs.rank, -theirs.strength, -theirs.rows)
                )
                if first != second { return first < second }
            }
        case .slow:
            let (first, second) = (one.microseconds ?? -1, other.microseconds ?? -1)
            if first != second { return first > second }
        case .time: break
        }
        if one.firstTime.instant != other.firstTime.instant { return one.firstTime.instant < other.firstTime.instant }
        switch (one.correlation, other.correlation) {
        case (let first?, let second?): return first < second
        case (nil, nil):
            return (one.problem?.file ?? "", one.problem?.line ?? 0) < (
                other.problem?.file ?? "", other.problem?.line ?? 0
            )
        case (let first, _): return first != nil
        }
    }
}

/// The requests in a log, and their number.
public struct RequestReport: Sendable {
    /// The requests to list, in order, up to the maximum number.
    public var requests: [LoggedRequest] = []
    /// The number of requests that the query selects, listed or not.
    public var found = 0
    /// The number of requests that were read, whether or not the query's texts select them, including threads and
    /// pastes without a correlation that contain a failure.
    public var total = 0
    /// The number of requests with a correlation that the filter and the query's texts select.
    public var count = 0
    /// The number of failed requests among them.
    public var failed = 0
    /// The number of threads and pastes without a correlation that contain a failure.
    public var failedThreads = 0
    /// The durations of the requests that count.
    public var durations = DurationHistogram()
    /// Whether a request may have been counted twice because too many were open at once to remember all of them.
    public var isAtMost = false
    /// The result of reading.
    public var read = ReadReport()

    init() {}
}

/// The problems of one request: the first one, the number of problems, and their severity.
public struct RequestProblem: Sendable, Hashable {
    /// The time of the first row that shows a problem.
    public var time: LogTime
    /// The server that wrote the row; `nil` if that is not known.
    public var server: String?
    /// The event ID.
    public var eventID: String
    /// The beginning of the row's message, at most `maximumText` bytes.
    public var text: String
    /// The file that contains the row.
    public var file: String
    /// The physical line, counted from 1.
    public var line: Int
    /// The number of rows that show a problem.
    public var rows: Int
    /// The worst level of these rows, as a rank; see `ULSLevel.rank`.
    public var rank: Int
    /// The information content of the rows: an exception has the most, followed by a code, then by words of failure.
    var strength: Int

    /// The maximum number of bytes of a message that are kept.
    static let maximumText = 240

    /// The worst level of the rows; unknown for a bare message.
    public var level: ULSLevel { isBare ? .unknown : ULSLevel(rank: rank) }

    /// Whether the rows have no columns.
    private var isBare: Bool { eventID.isEmpty && time.quality == .none }

    /// Returns whether a row precedes the first known row, comparing by time, then by server, file and line.
    fileprivate func follows(_ time: LogTime, _ server: String?, _ file: String, _ line: Int) -> Bool {
        if time.instant != self.time.instant { return time.instant < self.time.instant }
        return (server ?? "", file, line) < (self.server ?? "", self.file, self.line)
    }

    fileprivate mutating func add(_ other: Self) {
        var sum = follows(other.time, other.server, other.file, other.line) ? other : self
        (sum.rows, sum.rank, sum.strength) = (rows, rank, strength)
        sum.count(rows: other.rows, rank: other.rank, strength: other.strength)
        self = sum
    }

    fileprivate mutating func count(rows: Int, rank: Int, strength: Int) {
        self.rows += rows
        self.rank = min(self.rank, rank)
        self.strength = max(self.strength, strength)
    }
}

/// The problems of requests, by request.
struct RequestProblems: Sendable {
    private(set) var problems: [GroupKey: RequestProblem] = [:]

    /// Records a request's row that shows a problem; `file` is empty if only one file is read.
    mutating func note(_ key: GroupKey, _ row: ProblemRow, _ message: Span<UInt8>, file: String = "") {
        if let index = problems.index(forKey: key),
            !problems.values[index].follows(row.time, row.server, file, row.line)
        {
            return problems.values[index].count(rows: 1, rank: row.rank, strength: row.signs.strength)
        }
        let problem = RequestProblem(
            time: row.time,
            server: row.server,
            eventID: String(decoding: row.eventID, as: UTF8.self),
            text: Self.text(message),
            file: file,
            line: row.line,
            rows: 1,
            rank: row.rank,
            strength: row.signs.strength
        )
        add(problem, of: key)
    }

    /// Adds the problems of a unit of a file; `lines` is the number of lines of text before the unit.
    mutating func add(_ unit: RequestProblems, file: String, lines: Int) {
        for (key, var problem) in unit.problems {
            problem.file = file
            problem.line += lines
            add(problem, of: key)
        }
    }

    private mutating func add(_ problem: RequestProblem, of key: GroupKey) {
        if problems[key]?.add(problem) == nil { problems[key] = problem }
    }

    /// Removes and returns the problems of a request.
    mutating func take(_ key: GroupKey) -> RequestProblem? { problems.removeValue(forKey: key) }

    /// Returns the beginning of a message, cut at a character boundary.
    private static func text(_ message: Span<UInt8>) -> String {
        var end = min(message.count, RequestProblem.maximumText)
        while end < message.count, end > 0, message[end] & 0xC0 == 0x80 { end -= 1 }
        return message.extracting(first: end).text
    }
}
