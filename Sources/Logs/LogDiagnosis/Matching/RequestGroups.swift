import ULSLog
import WebConfig

/// Groups of events that belong to one request, even where rows have no correlation.
struct RequestGroups {
    private struct ThreadKey: Hashable {
        var server: String?
        var process: String
        var processID: String
        var thread: String
    }

    /// The most milliseconds between two rows of a request on one thread.
    private static let distance: Int64 = 60_000
    /// The most threads that are remembered: more than a farm has.
    private static let maximum = 100_000

    private var threads: [ThreadKey: (number: Int, last: Int64)] = [:]
    private var count = 0

    /// Returns the groups of the next event, which has this number.
    mutating func groups(of event: borrowing ULSEvent, number: Int) -> EventGroups {
        let server = GroupKey.server(event.server ?? "")
        if let id = event.correlationID {
            return EventGroups(correlation: .correlation(id), request: .correlation(id), server: server)
        }
        return EventGroups(correlation: .alone(number), request: request(of: event), server: server)
    }

    private mutating func request(of event: borrowing ULSEvent) -> GroupKey {
        let thread = event.text(.threadID)
        guard !thread.isEmpty else { return .paste(event.place.file) }
        let key = ThreadKey(
            server: event.server,
            process: event.text(.process),
            processID: event.text(.processID),
            thread: thread
        )
        let instant = event.time.instant
        if let known = threads[key], !event.time.hasDate || abs(instant - known.last) <= Self.distance {
            threads[key]?.last = instant
            return .thread(known.number)
        }
        if threads.count >= Self.maximum { threads = threads.filter { instant - $0.value.last <= Self.distance } }
        if threads.count >= Self.maximum { threads.removeAll() }
        count += 1
        threads[key] = (count, instant)
        return .thread(count)
    }
}

/// A key that events that belong together have in common.
enum GroupKey: Hashable, Sendable {
    case correlation(CorrelationID)
    /// Rows of one thread that follow one another, numbered.
    case thread(Int)
    /// A whole paste whose rows have neither correlation nor thread.
    case paste(String)
    case server(String)
    /// An event by itself.
    case alone(Int)

    var isCorrelation: Bool {
        if case .correlation = self { true } else { false }
    }
}

/// The groups that an event belongs to.
struct EventGroups: Sendable {
    /// The event's correlation, or the event alone.
    var correlation: GroupKey
    /// See ``Grouping/request``.
    var request: GroupKey
    var server: GroupKey

    subscript(grouping: Grouping) -> GroupKey {
        switch grouping {
        case .correlation: correlation
        case .request: request
        case .server: server
        }
    }
}

/// The extent of the logs that were read, needed by checks that report something as absent.
struct LogExtent: Sendable {
    /// Whether any logs were given, and a row of them was examined.
    var isGiven: Bool
    /// Whether no row of the logs was examined, so that nothing can be said about them.
    var isEmpty = false
    /// Whether a filter has hidden rows, which may hold what was not seen.
    var hidesRows = false
    /// Whether all logs were read to their ends.
    var isComplete: Bool
    /// The instants of the first and the last row of each server.
    private var servers: [String?: ClosedRange<Int64>] = [:]
    var quality = ReadQuality()
    var gaps = 0

    /// The instants of the first and the last row of all servers; `nil` if they are not known.
    var whole: ClosedRange<Int64>? {
        guard let first = servers.values.map(\.lowerBound).min(), let last = servers.values.map(\.upperBound).max()
        else {
            return nil
        }
        return first...last
    }

    /// The number of servers whose rows name them.
    var namedServers: Int { serverNames.count }

    /// The servers whose rows or files name them, sorted.
    var serverNames: [String] { servers.keys.compactMap(\.self).sorted() }

    /// No logs at all.
    static let none = LogExtent(isGiven: false, isComplete: false)
    /// The extent while logs are being read.
    static let soFar = LogExtent(isGiven: true, isComplete: true)

    private init(isGiven: Bool, isComplete: Bool) {
        self.isGiven = isGiven
        self.isComplete = isComplete
    }

    init(_ report: ReadReport) {
        isEmpty = report.lookedAt == 0
        isGiven = !isEmpty
        isComplete = !report.files.contains { $0.isIncomplete }
        for span in report.servers where span.firstTime.hasDate && span.lastTime.hasDate {
            let (first, last) = (span.firstTime.instant, span.lastTime.instant)
            servers[span.server] = min(first, last)...max(first, last)
        }
        quality = report.quality
        gaps = report.gaps.count
    }

    /// Returns whether rows up to this long before an event may be cut off; always true for an event without a date.
    func mayBeCut(before time: LogTime, by milliseconds: Int64, of server: String?) -> Bool {
        guard time.hasDate, let span = servers[server] else { return true }
        return time.instant - milliseconds < span.lowerBound
    }

    /// Returns whether rows up to this long after an event may not be written or given yet; always true for an event
    /// without a date.
    func mayBeCut(behind time: LogTime, by milliseconds: Int64, of server: String?) -> Bool {
        guard time.hasDate, let span = servers[server] else { return true }
        return time.instant + milliseconds > span.upperBound
    }
}

/// The input of a run and what was read of it, by which checks are judged at the end.
struct Circumstances {
    var extent: LogExtent
    var requests: RequestLedger
    var configs: [WebConfigFile]
    var refusedConfigs: [WebConfigError]
    var farm: FarmFacts?
    var hasRefused: Bool { !refusedConfigs.isEmpty }

    /// Returns the circumstances of one server, in lowercase: its own files of web.config, and those without a server,
    /// which count for all.
    func of(server: String) -> Circumstances {
        let isIts = { (source: WebConfigSource) in source.server.map { $0.lowercased() == server } ?? true }
        var own = self
        own.configs = configs.filter { isIts($0.source) }
        own.refusedConfigs = refusedConfigs.filter { isIts($0.source) }
        return own
    }
}
