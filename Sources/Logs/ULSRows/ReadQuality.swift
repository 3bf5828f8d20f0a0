/// An account of every physical line that was read.
///
/// `lines` is always `records` + `continuations` + `headers` + `blank` + `notUnderstood` + `passedOver`; the number of
/// events is `records` minus `parts`.
public struct ReadQuality: Sendable, Hashable {
    /// The number of physical lines.
    public var lines = 0
    /// The number of rows: lines that begin a record, including parts of split messages.
    public var records = 0
    /// The number of rows that were joined to the row that begins their message.
    public var parts = 0
    /// The number of lines that continue the row above, because a message may contain line ends.
    public var continuations = 0
    /// The number of header lines.
    public var headers = 0
    /// The number of lines without text between rows.
    public var blank = 0
    /// The number of lines of no other kind; no event contains their text.
    public var notUnderstood = 0
    /// The number of lines that were not parsed because they can't match the search.
    public var passedOver = 0
    /// The number of parts whose beginning was not found; each is a separate event.
    public var orphans = 0
    /// The number of times that a server's clock was set back by more than two seconds.
    public var clockSteps = 0
    /// The number of records whose columns were inferred.
    public var inferred = 0
    /// The limits that were reached, with counts.
    public var limits: [LimitReached] = []

    /// Creates an account whose counts are all zero.
    public init() {}

    /// Whether every line is accounted for.
    public var balances: Bool { lines == records + continuations + headers + blank + notUnderstood + passedOver }

    public static func += (total: inout Self, more: Self) {
        total.lines += more.lines
        total.records += more.records
        total.parts += more.parts
        total.continuations += more.continuations
        total.headers += more.headers
        total.blank += more.blank
        total.notUnderstood += more.notUnderstood
        total.passedOver += more.passedOver
        total.orphans += more.orphans
        total.clockSteps += more.clockSteps
        total.inferred += more.inferred
        for reached in more.limits { total.reach(reached.limit, times: reached.count) }
    }

    package mutating func reach(_ limit: LogLimit, times: Int = 1) {
        guard times > 0 else { return }
        if let index = limits.firstIndex(where: { $0.limit == limit }) {
            limits[index].count += times
        } else {
            limits.append(LimitReached(limit: limit, count: times))
            limits.sort { $0.limit.rawValue < $1.limit.rawValue }
        }
    }
}

/// A limit, and the number of times that it was reached.
public struct LimitReached: Sendable, Hashable {
    /// The limit.
    public var limit: LogLimit
    /// The number of times that it was reached.
    public var count: Int
}

/// Limits on the memory used for reading logs.
public enum LogLimit: String, Sendable, CaseIterable {
    /// The bytes in a row with its continuation lines: 1 MiB. The rest of a longer row is not understood.
    case rowBytes
    /// The bytes in a joined message: 256 KiB. A longer message is truncated.
    case messageBytes
    /// Split messages waiting for their next part: 10,000. Beyond that, the oldest is closed.
    case openParts
    /// Correlations counted at the same time: 100,000. Beyond that, the one that ended first is closed.
    case openCorrelations
    /// Distinct combinations of area, category, event ID and level: 10,000 at the same time. Any others are not
    /// distinguished.
    case columns
    /// Distinct processes: 10,000.
    case processes
    /// Distinct scopes: 10,000. Any others are counted together.
    case scopes
    /// Gaps listed: 1,000.
    case gaps
    /// Events in a trace: 100,000.
    case traceEvents
    /// Requests and threads whose events are kept in case a hit follows: 100,000, with 64 MiB of events. Beyond that,
    /// those that have gone longest without an event are forgotten.
    case contextRequests

    /// The limit as a number.
    public var maximum: Int {
        switch self {
        case .rowBytes: 1 << 20
        case .messageBytes: 256 << 10
        case .openParts, .columns, .processes, .scopes: 10_000
        case .openCorrelations, .traceEvents, .contextRequests: 100_000
        case .gaps: 1000
        }
    }
}
