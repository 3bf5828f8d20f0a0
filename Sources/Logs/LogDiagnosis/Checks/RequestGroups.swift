import ULSLog
import WebConfig

/// Tells which events belong to one request, where rows have no correlation too.
struct RequestGroups {
    private struct ThreadKey: Hashable {
        var server: String?
        fileprivate var process: String
        fileprivate var processID: String
        var thread: String
    }

    /// Milliseconds between two rows of a request on one thread.
    private static let distance: Int64 = 60_000
    /// Threads that are remembered.
    private static let maximum = 10_000

    private var threads: [ThreadKey: (number: Int, last: Int64)] = [:]
    private var count = 0

    /// The groups of the next event, which has this number.
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

/// What events have in common that belong together.
enum GroupKey: Hashable, Sendable {
    case correlation(CorrelationID)
    /// Rows of one thread that follow each other, numbered.
    case thread(Int)
    /// All of a paste whose rows say neither correlation nor thread.
    case paste(String)
    case server(String)
    /// An event by itself.
    case alone(Int)

    var isCorrelation: Bool {
        if case .correlation = self { true } else { false }
    }
}

/// Which groups an event belongs to.
struct EventGroups: Sendable {
    /// Its correlation, or itself alone.
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

/// Which requests were seen to begin or to end, as far as that matters at the edges of the input.
///
/// A request whose first row was seen is not cut by the input's beginning, one whose last row was seen not by its end. So
/// beginnings count near the beginning of a server's log, and of ends the newest are kept.
struct RequestEdges {
    /// Beginnings, and ends in each of two generations.
    private static let maximum = 50_000

    private var begun: Set<CorrelationID> = []
    private var ended: Set<CorrelationID> = []
    private var endedBefore: Set<CorrelationID> = []
    private var first: [String?: Int64] = [:]
    private let within: Int64

    /// `within` is the longest time that a check of these rules looks back.
    init(within: Int64) { self.within = within }

    mutating func take(_ edge: RequestEdge) {
        switch edge.kind {
        case .beginning:
            let instant = edge.time.instant
            let start = first[edge.server] ?? instant
            if first.count < 1000 { first[edge.server] = start }
            guard instant - start <= within || !edge.time.hasDate, begun.count < Self.maximum else { return }
            begun.insert(edge.correlation)
        case .end:
            if ended.count >= Self.maximum {
                endedBefore = ended
                ended.removeAll(keepingCapacity: true)
            }
            ended.insert(edge.correlation)
        }
    }

    /// Whether the first row of a request was seen.
    func hasBegun(_ key: GroupKey) -> Bool {
        if case .correlation(let id) = key { begun.contains(id) } else { false }
    }

    /// Whether the last row of a request was seen.
    func hasEnded(_ key: GroupKey) -> Bool {
        if case .correlation(let id) = key { ended.contains(id) || endedBefore.contains(id) } else { false }
    }
}

/// What was read of logs: what checks must know that say something was not there.
struct LogExtent: Sendable {
    /// Whether any logs were given, and a row of them was looked at.
    var isGiven: Bool
    /// Whether they have any row that was looked at: of none nothing can be said.
    var isEmpty = false
    /// Whether a filter has hidden rows: then what was not seen may be there.
    var hidesRows = false
    /// Whether all of them were read to their ends.
    var isComplete: Bool
    /// The instants of the first and the last row of each server.
    private var servers: [String?: ClosedRange<Int64>] = [:]
    var quality = ReadQuality()
    var gaps = 0

    /// No logs at all.
    static let none = LogExtent(isGiven: false, isComplete: false)
    /// While they are read.
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

    /// Whether rows so long before an event may have been cut off; of an event without a date, always.
    func mayBeCut(before time: LogTime, by milliseconds: Int64, of server: String?) -> Bool {
        guard time.hasDate, let span = servers[server] else { return true }
        return time.instant - milliseconds < span.lowerBound
    }

    /// Whether rows so long behind an event may not be written or given yet; of an event without a date, always.
    func mayBeCut(behind time: LogTime, by milliseconds: Int64, of server: String?) -> Bool {
        guard time.hasDate, let span = servers[server] else { return true }
        return time.instant + milliseconds > span.upperBound
    }
}

/// What a run was given, and what was read: what checks are judged by at the end.
struct Circumstances {
    var extent: LogExtent
    var edges: RequestEdges
    var configs: [WebConfigFile]
    var refusedConfigs: [WebConfigError]
    var hasRefused: Bool { !refusedConfigs.isEmpty }
}
