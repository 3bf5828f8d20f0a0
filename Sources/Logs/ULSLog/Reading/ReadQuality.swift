/// The account of every physical line that was read.
///
/// `lines` is `records` + `continuations` + `headers` + `blank` + `notUnderstood` + `passedOver`, always; and the events
/// are `records` less `parts`.
public struct ReadQuality: Sendable, Hashable {
    /// Physical lines.
    public var lines = 0
    /// Rows: lines that begin a record, parts of split messages included.
    public var records = 0
    /// Rows that were joined to the row with the beginning of their message.
    public var parts = 0
    /// Lines that belong to the row above: a message may hold line ends.
    public var continuations = 0
    /// Header lines.
    public var headers = 0
    /// Lines without text between rows.
    public var blank = 0
    /// Lines that are none of these; what they hold is in no event.
    public var notUnderstood = 0
    /// Lines that were not taken apart, because what is wanted does not stand in them: for a search of one correlation.
    public var passedOver = 0
    /// Parts whose beginning was not found; each is an event of its own.
    public var orphans = 0
    /// How often a server's clock was set back by more than two seconds.
    public var clockSteps = 0
    /// Records whose columns were inferred.
    public var inferred = 0
    /// Limits that were reached, and how often.
    public var limits: [LimitReached] = []

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

    mutating func reach(_ limit: LogLimit, times: Int = 1) {
        guard times > 0 else { return }
        if let index = limits.firstIndex(where: { $0.limit == limit }) {
            limits[index].count += times
        } else {
            limits.append(LimitReached(limit: limit, count: times))
            limits.sort { $0.limit.rawValue < $1.limit.rawValue }
        }
    }
}

/// A limit, and how often it was reached.
public struct LimitReached: Sendable, Hashable {
    public var limit: LogLimit
    public var count: Int
}

/// What bounds the memory of reading logs.
public enum LogLimit: String, Sendable, CaseIterable {
    /// The bytes of one row with its continuation lines: 1 MiB. The rest of a longer row is not understood.
    case rowBytes
    /// The bytes of one joined message: 256 KiB. A longer one is cut.
    case messageBytes
    /// Split messages that wait for their next part: 10,000. The oldest is closed.
    case openParts
    /// Correlations counted at a time: 100,000. The one that ended first is closed.
    case openCorrelations
    /// Different areas, categories, event IDs, levels: 10,000 combinations at a time. Those beyond are not told apart.
    case columns
    /// Different processes: 10,000.
    case processes
    /// Different scopes: 10,000. Those beyond are counted together.
    case scopes
    /// Gaps listed: 1,000.
    case gaps
    /// Events of one trace: 100,000.
    case traceEvents

    public var maximum: Int {
        switch self {
        case .rowBytes: 1 << 20
        case .messageBytes: 256 << 10
        case .openParts, .columns, .processes, .scopes: 10_000
        case .openCorrelations, .traceEvents: 100_000
        case .gaps: 1000
        }
    }
}
