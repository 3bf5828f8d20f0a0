public import ULSLog

/// Differences between two logs, or between two periods of one log.
///
/// Failures are counted on servers that both logs cover, once for each request if rows name one. They are compared per
/// request if both logs have enough requests, and per hour otherwise. Differences that may be due to chance are not
/// reported.
public struct LogComparison: Sendable {
    /// The way in which the logs differ in a kind of failure.
    public enum Change: String, Sendable, CaseIterable {
        /// Only in B; if both logs had the same rate, the probability of this would be less than one in ten thousand.
        case new
        /// In both logs, at least twice as often in B.
        case more
        /// Only in A, with a probability that is equally low.
        case gone
        /// In both logs, at most half as often in B.
        case fewer
        /// Only in B, but too rare to support a conclusion, or on servers that A lacks.
        case onlyB = "only-b"
        /// Only in A, but too rare to support a conclusion, or on servers that B lacks.
        case onlyA = "only-a"
    }

    /// A kind of failure whose frequency differs.
    public struct Failure: Sendable, Hashable {
        /// The difference between the logs.
        public var change: Change
        /// The identity of the kind in every log.
        public var id: String
        /// The event ID.
        public var eventID: String
        /// The message, with a placeholder for each variable part.
        public var template: String
        /// The exception; `nil` if the message has none.
        public var exception: String?
        /// The number of rows in A and in B on servers that both logs cover, or else on all servers.
        public var rows: Pair<Int>
        /// The number of failures per thousand requests, or per hour, on servers that both logs cover.
        public var rates: Pair<Double>
        /// The server with nearly all of the increase, if there are several servers; `nil` if there is no increase, or
        /// if several servers share it.
        public var growth: Growth?
    }

    /// The growth of a kind of failure on one server.
    public struct Growth: Sendable, Hashable {
        /// The server.
        public var server: String
        /// The rates of failures on the server, as in ``Failure/rates``.
        public var rates: Pair<Double>
    }

    /// Requests with the same method and path whose durations differ.
    public struct Speed: Sendable, Hashable {
        /// Whether B is slower than A.
        public var isSlower: Bool
        /// The method and path.
        public var key: String
        /// The number of requests in each log.
        public var counts: Pair<Int>
        /// The medians in microseconds.
        package var p50: Pair<Int64>
        package var p95: Pair<Int64>

        /// The durations that half of the requests do not exceed.
        public var median: Pair<Duration> { Pair(a: .microseconds(p50.a), b: .microseconds(p50.b)) }
        /// The durations that 95 percent of the requests do not exceed.
        public var percentile95: Pair<Duration> { Pair(a: .microseconds(p95.a), b: .microseconds(p95.b)) }
    }

    /// A pair of values, one for A and one for B.
    public struct Pair<Value: Sendable & Hashable>: Sendable, Hashable {
        /// The value of the first log.
        public var a: Value
        /// The value of the second log.
        public var b: Value
    }

    /// Basis for counting failures.
    public enum Basis: String, Sendable {
        case requests, hours
    }

    /// The portraits of both logs.
    public var logs: Pair<LogPortrait>
    /// The basis for counting failures.
    public var basis = Basis.hours
    /// The kinds of failures whose frequency differs, most important first.
    public var failures: [Failure] = []
    /// The number of kinds of failures that are about equally frequent in both logs.
    public var unchanged = 0
    /// The requests whose durations differ, greatest difference first; `nil` if the durations in one of the logs are
    /// not known.
    public var speeds: [Speed]?
    /// The servers that only A covers, and those that only B covers.
    public var missing = Pair<[String]>(a: [], b: [])
    /// Whether the logs have no server in common, so that all of A is compared with all of B.
    public var hasNoCommonServer = false

    /// Whether B has new kinds of failures, or slower requests.
    public var isWorse: Bool {
        failures.contains { $0.change == .new } || speeds?.contains { $0.isSlower } ?? false
    }

    /// The minimum number of requests that both logs must have for comparing failures per request.
    private static let minimumRequests = 200
    private static let factor = 2.0

    /// Compares two logs.
    public init(_ a: LogPortrait, _ b: LogPortrait) {
        logs = Pair(a: a, b: b)
        var common = Set(a.servers.keys).intersection(b.servers.keys)
        hasNoCommonServer = common.isEmpty
        if hasNoCommonServer {
            common = Set(a.servers.keys).union(b.servers.keys)
        } else {
            missing = Pair(a: Self.names(of: b, without: a), b: Self.names(of: a, without: b))
        }
        let exposure = exposure(on: common)
        let each = common.count < 2 || hasNoCommonServer ? [] : common.sorted().map { ($0, self.exposure(of: $0)) }
        compareFailures(on: common, exposure, each)
        compareSpeeds()
    }

    /// Returns the servers of one log that the other log lacks.
    private static func names(of log: LogPortrait, without other: LogPortrait) -> [String] {
        log.servers.filter { other.servers[$0.key] == nil }.map { $0.value.name.isEmpty ? "(unknown)" : $0.value.name }
            .sorted()
    }

    /// Returns the exposure of each log, by which the number of failures is divided: thousands of requests, or hours.
    private mutating func exposure(on common: Set<String>) -> Pair<Double> {
        let requests = [logs.a, logs.b].map { log -> Int in
            if log.requests == nil { return 0 }
            return common.reduce(0) { (sum: Int, server: String) in sum + (log.servers[server]?.requests ?? 0) }
        }
        if requests.allSatisfy({ $0 >= Self.minimumRequests }) {
            basis = .requests
            return Pair(a: Double(requests[0]) / 1000, b: Double(requests[1]) / 1000)
        }
        // At least one second, because a single row has no duration.
        let hours = [logs.a, logs.b].map { log -> Double in
            let sum = common.reduce(0) { (sum: Double, server: String) in sum + (log.servers[server]?.hours ?? 0) }
            return max(1.0 / 3600, sum)
        }
        return Pair(a: hours[0], b: hours[1])
    }

    /// Returns the exposure of a server's log, by which the number of failures is divided.
    private func exposure(of server: String) -> Pair<Double> {
        let amounts = [logs.a, logs.b].map { log -> Double in
            guard let known = log.servers[server] else { return 0 }
            return basis == .requests ? Double(known.requests ?? 0) / 1000 : max(1.0 / 3600, known.hours)
        }
        return Pair(a: amounts[0], b: amounts[1])
    }

    private mutating func compareFailures(
        on common: Set<String>,
        _ exposure: Pair<Double>,
        _ servers: [(name: String, exposure: Pair<Double>)]
    ) {
        let kinds = Self.merged(logs.a.kinds, logs.b.kinds)
        for (a, b) in kinds {
            guard let kind = a ?? b else { continue }
            let events = Pair(a: a?.events(on: common) ?? 0, b: b?.events(on: common) ?? 0)
            let growth = b.flatMap { self.growth(a, $0, servers) }
            // A large increase on one server may be small overall.
            let found = Self.change(events, exposure, isInA: a != nil, isInB: b != nil)
            let more: Change? = growth == nil ? nil : .more
            guard let change = found ?? more else {
                unchanged += 1
                continue
            }
            let own = Pair(a: a?.rows(on: common) ?? 0, b: b?.rows(on: common) ?? 0)
            let rows = own.a + own.b > 0 ? own : Pair(a: a?.rows ?? 0, b: b?.rows ?? 0)
            failures.append(
                Failure(
                    change: change,
                    id: kind.id,
                    eventID: kind.eventID,
                    template: kind.template,
                    exception: kind.exception,
                    rows: rows,
                    rates: Pair(a: events.a / exposure.a, b: events.b / exposure.b),
                    growth: change == .new || change == .more ? growth : nil
                )
            )
        }
        let order = Dictionary(uniqueKeysWithValues: Change.allCases.enumerated().map { ($1, $0) })
        failures.sort { one, other in
            if one.change != other.change { return order[one.change, default: 0] < order[other.change, default: 0] }
            let (first, second) = (abs(one.rates.b - one.rates.a), abs(other.rates.b - other.rates.a))
            return first == second ? one.id < other.id : first > second
        }
    }

    /// Returns the change; `nil` if the difference may be due to chance.
    private static func change(
        _ events: Pair<Double>,
        _ exposure: Pair<Double>,
        isInA: Bool,
        isInB: Bool
    ) -> Change? {
        let (a, b) = (events.a / exposure.a, events.b / exposure.b)
        let share = exposure.b / (exposure.a + exposure.b)
        let isUnlikely = Chance.isUnlikely(events.a, events.b, share: share)
        guard isInA else { return isUnlikely ? .new : .onlyB }
        guard isInB else { return isUnlikely ? .gone : .onlyA }
        guard events.a > 0, events.b > 0, isUnlikely else { return nil }
        return b >= factor * a ? .more : a >= factor * b ? .fewer : nil
    }

    /// The share of the growth on one server above which the other servers count as unaffected.
    private static let share = 0.8

    /// Returns the server with nearly all of the growth, unless this may be due to chance.
    private func growth(
        _ a: LogPortrait.Kind?,
        _ b: LogPortrait.Kind,
        _ servers: [(name: String, exposure: Pair<Double>)]
    ) -> Growth? {
        let grown = servers.compactMap {
            name,
            exposure -> (name: String, excess: Double, growth: Growth, isMore: Bool)? in
            guard exposure.a > 0, exposure.b > 0 else { return nil }
            let events = Pair(a: a?.events(on: [name]) ?? 0, b: b.events(on: [name]))
            let rates = Pair(a: events.a / exposure.a, b: events.b / exposure.b)
            let share = exposure.b / (exposure.a + exposure.b)
            let isMore = rates.b >= Self.factor * rates.a && Chance.isUnlikely(events.a, events.b, share: share)
            let server = logs.b.servers[name]?.name ?? name
            let excess = events.b - rates.a * exposure.b
            return excess > 0 ? (name, excess, Growth(server: server, rates: rates), isMore || a == nil) : nil
        }
        let all = grown.reduce(0) { $0 + $1.excess }
        guard let most = grown.max(by: { ($0.excess, $1.name) < ($1.excess, $0.name) }), most.isMore,
            !most.growth.server.isEmpty, most.excess >= Self.share * all
        else { return nil }
        return most.growth
    }

    /// The maximum number of templates with the same event ID and exception, in both logs together.
    private static let maximumTemplates = 8

    /// Returns the kinds of both logs in pairs; if an event ID has too many kinds, they are combined.
    private static func merged(
        _ a: [LogPortrait.Kind],
        _ b: [LogPortrait.Kind]
    ) -> [(a: LogPortrait.Kind?, b: LogPortrait.Kind?)] {
        var ids: [[String]: Set<String>] = [:]
        for kind in a + b { ids[kind.family, default: []].insert(kind.id) }
        let merge = { (kinds: [LogPortrait.Kind]) in
            var merged: [String: LogPortrait.Kind] = [:]
            for var kind in kinds {
                if !kind.eventID.isEmpty, ids[kind.family, default: []].count > maximumTemplates {
                    kind.id = ids[kind.family, default: []].min() ?? kind.id
                }
                if let known = merged[kind.id] { kind.add(known) }
                merged[kind.id] = kind
            }
            return merged
        }
        let (first, second) = (merge(a), merge(b))
        return Set(first.keys).union(second.keys).sorted().map { (first[$0], second[$0]) }
    }

    /// The minimum number of requests of a kind that both logs must have for a comparison.
    private static let minimumTimed = 20
    private static let slowness = 1.5
    /// The minimum difference in microseconds; smaller ones are ignored.
    private static let minimumDifference: Int64 = 10_000

    private mutating func compareSpeeds() {
        guard let a = logs.a.durations, let b = logs.b.durations else { return }
        let found = a.compactMap { key, first -> Speed? in
            guard let second = b[key], min(first.count, second.count) >= Self.minimumTimed else { return nil }
            let changes = [0.5, 0.95].compactMap { Self.isSlower(first, second, at: $0) }
            guard let isSlower = changes.first else { return nil }
            return Speed(
                isSlower: isSlower,
                key: key,
                counts: Pair(a: first.count, b: second.count),
                p50: Pair(a: first.quantile(0.5) ?? 0, b: second.quantile(0.5) ?? 0),
                p95: Pair(a: first.quantile(0.95) ?? 0, b: second.quantile(0.95) ?? 0)
            )
        }
        speeds = found.sorted { one, other in
            if one.isSlower != other.isSlower { return one.isSlower }
            return (other.difference, one.key) < (one.difference, other.key)
        }
    }

    /// Returns true if durations at a quantile became longer and false if they became shorter; `nil` if the difference
    /// may be due to chance.
    private static func isSlower(_ a: DurationHistogram, _ b: DurationHistogram, at share: Double) -> Bool? {
        guard let first = a.quantile(share), let second = b.quantile(share),
            abs(second - first) >= minimumDifference,
            Double(max(first, second)) >= slowness * Double(min(first, second))
        else { return nil }
        var both = a
        both.merge(b)
        guard let limit = both.quantile(share) else { return nil }
        // If there were no difference, each log would have its proportional share of the durations above the common
        // quantile, and of those below it.
        let (aboveA, aboveB) = (Double(a.count(above: limit)), Double(b.count(above: limit)))
        let expected = Double(b.count) / Double(both.count)
        let belowA = Double(a.count) - aboveA
        let belowB = Double(b.count) - aboveB
        guard Chance.isUnlikely(aboveA, aboveB, share: expected) || Chance.isUnlikely(belowA, belowB, share: expected)
        else { return nil }
        return second > first
    }
}

extension LogComparison.Speed {
    fileprivate var difference: Int64 { max(abs(p50.b - p50.a), abs(p95.b - p95.a)) }
}

extension LogPortrait.Kind {
    /// The event ID and exception that related kinds share.
    fileprivate var family: [String] { [eventID, exception ?? ""] }

    fileprivate mutating func add(_ other: Self) {
        if (other.rows, self.id) > (rows, other.id) { (template, exception) = (other.template, other.exception) }
        if other.level.rank < level.rank { level = other.level }
        rows += other.rows
        events += other.events
        servers.merge(other.servers, uniquingKeysWith: +)
    }

    /// Returns the number of rows on some servers, counting only rows whose server is known.
    fileprivate func rows(on common: Set<String>) -> Int {
        let here = servers.reduce(0) { common.contains($1.key) ? $0 + $1.value : $0 }
        return common.contains("") ? here + rows - servers.values.reduce(0, +) : here
    }

    /// Returns the number of events on some servers, estimated from the rows.
    fileprivate func events(on common: Set<String>) -> Double {
        rows == 0 ? 0 : Double(events) * Double(rows(on: common)) / Double(rows)
    }
}

/// The data for comparing a log: how long each server wrote, its requests, and its kinds of failures.
public struct LogPortrait: Sendable, Hashable {
    /// A kind of rows that show a problem.
    public struct Kind: Sendable, Hashable {
        /// An ID that is the same for the same kind in any log; see ``FailureCluster/id``.
        public var id: String
        /// The event ID.
        public var eventID: String
        /// The beginning of the message, with placeholders for the variable parts.
        public var template: String
        /// The exception; `nil` if the message has none.
        public var exception: String?
        /// The worst level of its rows; unknown if a file does not contain it.
        public var level: ULSLevel
        /// The number of rows.
        public var rows: Int
        /// The number of requests with such rows, plus that of rows without a request, which is the count that is
        /// compared.
        public var events: Int
        /// The number of rows by server, in lowercase, for rows whose server is known.
        public var servers: [String: Int]

        /// Creates a kind of failure.
        public init(
            id: String,
            eventID: String,
            template: String,
            exception: String?,
            level: ULSLevel = .unknown,
            rows: Int,
            events: Int,
            servers: [String: Int]
        ) {
            self.id = id
            self.eventID = eventID
            self.template = template
            self.exception = exception
            self.level = level
            self.rows = rows
            self.events = events
            self.servers = servers
        }
    }

    /// Facts about a server.
    public struct Server: Sendable, Hashable {
        /// The name as written in rows and file names; empty for rows whose server is not known.
        public var name: String
        /// The hours between its first and last row, not counting gaps.
        public var hours: Double
        /// The number of requests whose first row the server wrote; `nil` if requests were not counted.
        public var requests: Int?
        /// The time of its first row; `nil` if it is not known.
        public var firstTime: LogTime?
        /// The time of its last row; `nil` if it is not known.
        public var lastTime: LogTime?

        /// Creates the facts about a server.
        public init(name: String, hours: Double, requests: Int? = nil) {
            self.name = name
            self.hours = hours
            self.requests = requests
        }
    }

    /// The kinds of failures, by ID.
    public var kinds: [Kind]
    /// The servers, by name in lowercase.
    public var servers: [String: Server] = [:]
    /// The time of the first row; `nil` if no row has a date.
    public var firstTime: LogTime?
    /// The time of the last row; `nil` if no row has a date.
    public var lastTime: LogTime?
    /// The durations of requests, by method and path; `nil` if they were not measured.
    public var durations: [String: DurationHistogram]?
    /// The number of failed requests; `nil` if they were not counted.
    public var failed: Int?
    /// The periods during which a server wrote nothing.
    public var gaps: [LogSummary.Gap] = []
    /// Whether a part of the log could not be read, or there were too many kinds to count all of them.
    public var isIncomplete = false
    /// Texts from which redaction learns names: examples of the kinds' rows, and accounts and addresses from other
    /// rows.
    ///
    /// No report shows them.
    package var sources: [String] = []

    /// The number of requests; `nil` if they were not counted.
    public var requests: Int? {
        let counts = servers.values.compactMap(\.requests)
        return counts.count == servers.count ? counts.reduce(0, +) : nil
    }

    /// Creates the portrait that a file describes.
    public init(kinds: [Kind], servers: [Server]) {
        self.kinds = kinds.sorted { $0.id < $1.id }
        for server in servers { self.servers[server.name.lowercased()] = server }
    }

    /// Creates the portrait of a log from its rows that show a problem.
    init(_ log: ReadReport, _ failures: [FailureKind]) {
        let meant = failures.filter { kind in
            guard kind.needsReading, kind.count.worst > 3, let example = kind.count.example else { return true }
            // A row is not a problem if its number or sentence turns out to be meaningless.
            return kind.name.eventID.isEmpty || !FailureReading(example).isEmpty
        }
        kinds = meant.map { Kind($0) }.sorted { $0.id < $1.id }
        sources = failures.flatMap(\.sources)
        var ends: [String: (first: Int64, last: Int64)] = [:]
        // Only rows in the window count, not those written before or after it.
        for (writer, series) in log.activity.writers where series.firstTime.hasDate && series.lastTime.hasDate {
            let (name, first, last) = (writer.server ?? "", series.firstTime, series.lastTime)
            servers[name.lowercased(), default: Server(name: name, hours: 0)].name = name
            let known = ends[name.lowercased(), default: (.max, .min)]
            if first.instant < known.first { servers[name.lowercased()]?.firstTime = first }
            if last.instant > known.last { servers[name.lowercased()]?.lastTime = last }
            ends[name.lowercased()] = (min(known.first, first.instant), max(known.last, last.instant))
            if firstTime.map({ first.instant < $0.instant }) ?? true { firstTime = first }
            if lastTime.map({ last.instant > $0.instant }) ?? true { lastTime = last }
        }
        for (key, server) in servers {
            let ends = ends[key, default: (.max, .min)]
            let own = log.gaps.filter { gap in
                gap.server == (server.name.isEmpty ? nil : server.name) && gap.from.instant >= ends.first
                    && gap.until.instant <= ends.last
            }
            let silent = own.reduce(Int64(0)) { $0 + max(0, $1.until.instant - $1.from.instant) }
            servers[key]?.hours = Double(max(0, ends.last - ends.first - silent)) / 3_600_000
            gaps += own
        }
        gaps.sort { ($0.from.instant, $0.server ?? "") < ($1.from.instant, $1.server ?? "") }
        isIncomplete = log.files.contains { $0.isIncomplete }
    }
}

extension FailureKind {
    /// The texts of the kind's rows, with the parts that the template leaves out.
    fileprivate var sources: [String] {
        [count.example?.text(.message) ?? ""] + count.accounts.values.sorted() + count.addresses.values.sorted()
    }
}

extension LogPortrait.Kind {
    fileprivate init(_ kind: FailureKind) {
        let count = kind.count
        self.init(
            id: kind.members[0],
            eventID: kind.name.eventID,
            template: kind.name.template,
            exception: kind.name.exception,
            level: count.worst < Int.max ? ULSLevel(rank: count.worst) : .unknown,
            rows: count.count,
            events: count.requests.amount.count + count.uncorrelated,
            servers: Dictionary(count.servers.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: +)
        )
    }
}

extension RequestSurvey {
    /// Reads a log and returns the data needed for a comparison, along with the report on reading.
    ///
    /// - Throws: Any error that the reader throws.
    public func portrait(of reader: LogReader) throws -> (portrait: LogPortrait, read: ReadReport) {
        let counter = RequestTotals()
        let (read, kinds, _) = try survey(reader) { counter.take($0) }
        var portrait = LogPortrait(read, kinds.unexplained { _, _ in false })
        portrait.isIncomplete = portrait.isIncomplete || kinds.beyond.count > 0
        portrait.durations = counter.durations.kinds
        portrait.failed = counter.failed
        for (name, count) in counter.requests {
            portrait.servers[name, default: LogPortrait.Server(name: name, hours: 0)].requests = count
        }
        for name in portrait.servers.keys where portrait.servers[name]?.requests == nil {
            portrait.servers[name]?.requests = 0
        }
        return (portrait, read)
    }
}

/// Requests by server, and their durations.
private final class RequestTotals {
    /// The number of requests by server, in lowercase.
    private(set) var requests: [String: Int] = [:]
    private(set) var failed = 0
    private(set) var durations = RequestDurations()

    func take(_ request: LoggedRequest) {
        guard request.correlation != nil else { return }
        requests[request.server?.lowercased() ?? "", default: 0] += 1
        if request.hasFailed { failed += 1 }
        if let name = request.name, let duration = request.microseconds {
            durations.add(name: name, duration: duration)
        }
    }
}
