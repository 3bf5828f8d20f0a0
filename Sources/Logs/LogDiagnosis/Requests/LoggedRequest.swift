public import ULSLog

/// A request or job, as far as rows tell.
public struct LoggedRequest: Sendable, Hashable {
    /// The correlation; `nil` for rows of one thread, or of one paste, that name none.
    public var correlation: CorrelationID?
    /// What wrote the rows, where they name no request: `OWSTIMER.EXE (0x1A2C), thread 0x0B14`.
    public var writer: String?
    /// What rows call it: `Request (GET:http://portal/a?b)`, `Timer Job x`; `nil` if none does.
    public var name: String?
    /// The user, as rows name it: `contoso\ann`, `i:0#.w|contoso\ann`.
    public var user: String?
    /// The server that wrote the first row.
    public var server: String?
    /// The time of its first row.
    public var firstTime: LogTime
    /// The time of its last row.
    public var lastTime: LogTime
    /// Microseconds that its last scope says, or else those from its first to its last row.
    ///
    /// `nil` if there is only one row, or if rows have no dates.
    package var microseconds: Int64?
    /// Rows, parts of split messages included; where rows name no request, only those that show a problem.
    public var rows: Int
    /// The worst level of its rows that show a problem; else that of all its rows.
    public var level: ULSLevel
    /// What went wrong; `nil` if no row shows a problem.
    public var problem: RequestProblem?

    /// How long it took, as its last scope says, or else from its first to its last row.
    ///
    /// `nil` if there is only one row, or if rows have no dates.
    public var duration: Duration? { microseconds.map { .microseconds($0) } }

    /// Whether it failed: a row of it shows a problem.
    public var hasFailed: Bool { problem != nil }

    /// The HTTP method: `GET`; `nil` for a job.
    public var method: String? { address?.method }

    /// The address as the service logged it; `nil` for a job.
    public var url: String? { address?.url }

    /// Method and address, or what a job is called; `nil` if no row says it.
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

/// Which requests are wanted, and in which order.
public struct RequestQuery: Sendable, Hashable {
    /// The order in which requests are listed.
    public enum Order: String, Sendable, CaseIterable {
        /// Failed requests, the worst first.
        case failed
        /// The slowest first.
        case slow
        /// In order of their first rows.
        case time
    }

    /// The order in which requests are listed.
    public var order: Order
    /// Whether only failed requests are listed.
    public var onlyFailed: Bool
    /// Only requests that took at least this long are listed.
    public var minimumDuration: Duration?
    /// Only requests whose address or name holds this text count, whatever the case of its letters.
    public var url: String? { didSet { foldedURL = url?.lowercased() } }
    /// Only requests of a user whose name holds this text count, whatever the case of its letters.
    public var user: String? { didSet { foldedUser = user?.lowercased() } }
    /// The most requests that are listed.
    public var limit: Int
    private var foldedURL: String?
    private var foldedUser: String?

    /// Creates a query.
    public init(order: Order = .failed, onlyFailed: Bool = true, limit: Int = 20) {
        self.order = order
        self.onlyFailed = onlyFailed
        self.limit = limit
    }

    /// Whether a request counts.
    func selects(_ request: LoggedRequest) -> Bool {
        if let foldedURL, !(request.name?.lowercased().contains(foldedURL) ?? false) { return false }
        if let foldedUser, !(request.user.map(RequestNames.account)?.contains(foldedUser) ?? false) { return false }
        return true
    }

    /// Whether a request that counts is listed.
    func lists(_ request: LoggedRequest) -> Bool {
        if onlyFailed, !request.hasFailed { return false }
        if let minimumDuration { return request.duration.map { $0 >= minimumDuration } ?? false }
        return true
    }

    /// Whether one request is listed before another one; no two are equal.
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

/// Requests of a log, and how many there are.
public struct RequestReport: Sendable {
    /// Those that were asked for, in order, as many as are listed.
    public var requests: [LoggedRequest] = []
    /// Requests that were asked for, listed or not.
    public var found = 0
    /// Requests that the filter and the query's texts select, by correlation.
    public var count = 0
    /// Those of them that failed.
    public var failed = 0
    /// Threads and pastes without a correlation on which something failed.
    public var failedThreads = 0
    /// Durations of the requests that count.
    public var durations = DurationHistogram()
    /// Whether a request may count twice: there were too many at a time to remember all of them.
    public var isAtMost = false
    /// What was read.
    public var read = ReadReport()

    init() {}
}
