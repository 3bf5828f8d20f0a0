import ULSLog

/// What is known of a row that shows a problem, besides its message.
struct ProblemRow {
    var eventID: [UInt8]
    var rank: Int
    var signs: ProblemSigns
    /// The request or job; `nil` if the row names none.
    var correlation: CorrelationID?
    var time: LogTime
    var server: String?
    var line: Int
}

/// The rows of one kind: how many, when, where, and whose.
struct ClusterCount: Sendable {
    private(set) var count = 0
    private(set) var worst = Int.max
    private(set) var signs: ProblemSigns = []
    /// The earliest row; `nil` only if another count has an earlier one.
    var example: ULSEvent?
    private(set) var first: LogTime?
    private(set) var last: LogTime?
    private(set) var servers: [String: Int] = [:]
    private(set) var requests = BoundedSet<CorrelationID>(maximum: Self.maximumRequests)
    /// Accounts and web addresses that the rows name.
    private(set) var accounts = BoundedSet<String>(maximum: Self.maximumNames)
    private(set) var addresses = BoundedSet<String>(maximum: Self.maximumNames)
    /// Rows that name no request.
    private(set) var uncorrelated = 0
    private(set) var bins = TimeBins()

    private static let maximumRequests = 20_000
    private static let maximumNames = 100
    /// Rows of further servers are counted in all, but not by server.
    static let maximumServers = 100
    /// The most bytes of an example's message: enough for an exception with its frames.
    static let maximumExample = 4096

    /// Whether there are rows, and one to show.
    var hasExample: Bool { count > 0 && example != nil }

    /// Counts a row.
    mutating func add(_ row: ProblemRow, _ names: NamesInMessage, _ message: Span<UInt8>) {
        count += 1
        worst = min(worst, row.rank)
        signs.formUnion(row.signs)
        if first.map({ row.time.instant < $0.instant }) ?? true { first = row.time }
        if last.map({ row.time.instant > $0.instant }) ?? true { last = row.time }
        if let server = row.server { add(1, of: server) }
        if let id = row.correlation { requests.insert(id) } else { uncorrelated += 1 }
        if row.time.hasDate { bins.add(row.time.instant) }
        if let range = names.account, !accounts.isAtLeast {
            accounts.insert(message.extracting(range).text.lowercased())
        }
        if let range = names.address, !addresses.isAtLeast {
            addresses.insert(Self.address(message.extracting(range)))
        }
    }

    /// Counts the row of an event, which may become the example.
    mutating func add(_ row: ProblemRow, _ names: NamesInMessage, _ event: borrowing ULSEvent) {
        add(row, names, event[.message])
        show(event)
    }

    /// An address without its query, which differs from request to request.
    private static func address(_ text: Span<UInt8>) -> String {
        // Bytes while they are ASCII, because characters take a hundred times as long; a mark may follow the last one.
        var end = 0
        while end < text.count, text[end] < 0x80, text[end] != 0x0D {
            let isEnd = end == maximumAddress || text[end] == UInt8(ascii: "?") || text[end] == UInt8(ascii: "#")
            if isEnd, end + 1 == text.count || text[end + 1] < 0x80 { return text.extracting(first: end).text }
            end += 1
        }
        let rest = text.text
        return end == text.count && end <= maximumAddress
            ? rest : String(rest.prefix(maximumAddress).prefix { $0 != "?" && $0 != "#" })
    }

    private static let maximumAddress = 256

    /// Makes an event the example if it is earlier, or if there is none.
    mutating func show(_ event: borrowing ULSEvent) {
        if let example, !Self.isEarlier(event, than: example) { return }
        var kept = copy event
        _ = kept.truncateMessage(to: Self.maximumExample)
        example = kept
    }

    /// Adds another count, whose example is below this many more lines; `nil` if it does not matter.
    mutating func add(_ other: borrowing ClusterCount, lines: Int?) {
        if count > 0 {
            addRows(other)
        } else {
            self = copy other
            example = nil
        }
        if let lines, var event = other.example {
            event.place.line += lines
            event.place.lineEnd += lines
            show(event)
        }
    }

    private mutating func addRows(_ other: borrowing ClusterCount) {
        count += other.count
        worst = min(worst, other.worst)
        signs.formUnion(other.signs)
        if let time = other.first, first.map({ time.instant < $0.instant }) ?? true { first = time }
        if let time = other.last, last.map({ time.instant > $0.instant }) ?? true { last = time }
        for (server, rows) in other.servers { add(rows, of: server) }
        requests.formUnion(other.requests)
        accounts.formUnion(other.accounts)
        addresses.formUnion(other.addresses)
        uncorrelated += other.uncorrelated
        bins.add(other.bins)
    }

    private mutating func add(_ rows: Int, of server: String) {
        if servers.count < Self.maximumServers {
            servers[server, default: 0] += rows
        } else if let known = servers.index(forKey: server) {
            servers.values[known] += rows
        }
    }

    /// Compares events by time, then by place, so that the result is the same whoever counts.
    static func isEarlier(_ one: borrowing ULSEvent, than other: borrowing ULSEvent) -> Bool {
        if one.time.instant != other.time.instant { return one.time.instant < other.time.instant }
        return (one.place.file, one.place.line) < (other.place.file, other.place.line)
    }
}

/// Distinct values, up to a maximum.
struct BoundedSet<Value: Hashable & Comparable & Sendable>: Sendable {
    private(set) var values: Set<Value> = []
    /// Whether there were more values than the maximum.
    private(set) var isAtLeast = false
    private let maximum: Int

    init(maximum: Int) { self.maximum = maximum }

    mutating func insert(_ value: Value) {
        guard values.count < maximum || values.contains(value) else {
            isAtLeast = true
            return
        }
        values.insert(value)
    }

    /// Adds other values; where there are too many of them, the same ones each time.
    mutating func formUnion(_ other: Self) {
        if other.isAtLeast { isAtLeast = true }
        let room = maximum - values.count
        if room == 0 {
            if !isAtLeast { isAtLeast = !other.values.isSubset(of: values) }
        } else if other.values.count <= room {
            values.formUnion(other.values)
        } else {
            let new = other.values.subtracting(values)
            if new.count > room { isAtLeast = true }
            values.formUnion(new.count > room ? Set(new.sorted().prefix(room)) : new)
        }
    }

    /// Changes each value; some may become equal.
    mutating func map(_ change: (Value) -> Value) { values = Set(values.map(change)) }

    var amount: Amount { Amount(values.count, isAtLeast: isAtLeast) }
}

/// Rows by five minutes.
struct TimeBins: Sendable {
    /// By bin, in order: rows come in order of time, so most belong to the last one.
    private(set) var counts: [(bin: Int32, rows: Int32)] = []
    /// Whether there were more bins than are kept, so that nothing can be said of rates.
    private(set) var isIncomplete = false

    /// Milliseconds of a bin.
    static let length: Int64 = 300_000
    /// Bins of a week.
    private static let maximum = 2016

    mutating func add(_ instant: Int64) {
        add(
            Int32(truncatingIfNeeded: instant >= 0 ? instant / Self.length : (instant - Self.length + 1) / Self.length),
            1
        )
    }

    mutating func add(_ other: Self) {
        if other.isIncomplete { isIncomplete = true }
        for (bin, rows) in other.counts { add(bin, rows) }
    }

    private mutating func add(_ bin: Int32, _ rows: Int32) {
        var place = counts.count
        while place > 0, counts[place - 1].bin > bin { place -= 1 }
        if place > 0, counts[place - 1].bin == bin {
            counts[place - 1].rows += rows
        } else if counts.count < Self.maximum {
            counts.insert((bin, rows), at: place)
        } else {
            isIncomplete = true
        }
    }
}
