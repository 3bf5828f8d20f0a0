import TextKit
import ULSLog

/// The facts about requests that a diagnosis needs, by correlation: their names, beginnings and ends, and the first
/// problem of each.
///
/// At least the newest 50,000 requests are kept, along with the first 100,000 earlier ones that fail or have not ended.
struct RequestLedger {
    /// A request; there are many, so each holds only the numbers of its texts, which many requests share.
    private struct Request {
        let id: CorrelationID
        /// The address in the first name that contains one.
        var address = ByteStringTable.none
        var user = ByteStringTable.none
        /// The number of its first problem; -1 if it has none.
        var problem: Int32 = -1
        var hasEnded = false

        init(id: CorrelationID) { self.id = id }
    }

    /// A request or job that has not ended yet.
    private struct OpenRequest {
        var name: String
        var time: LogTime
        var server: String?
    }

    /// The requests in order of appearance, and their indexes by correlation.
    private var requests: [Request] = []
    private var places: [CorrelationID: Int32] = [:]
    /// The first problems of requests that fail, by number.
    private var problems: [FirstProblem] = []
    private var texts = ByteStringTable()
    private var sweepAt = 2 * Self.newest
    /// The few requests and jobs that have begun but not ended, and the number of those that have ended.
    private var open: [CorrelationID: OpenRequest] = [:]
    private var ended = 0
    /// Whether there were too many open requests to remember all of them; if so, none are used.
    private var hasLostOpen = false
    /// The requests that began so close to the beginning of their server's log that a check would look back beyond it;
    /// they have their own table, because there are many of them, and only their IDs are needed.
    private var early: Set<CorrelationID> = []
    private var firstBeginnings: [String?: Int64] = [:]
    private let within: Int64

    private static let newest = 50_000
    private static let maximumEarlier = 100_000
    private static let maximumOpen = 10_000

    /// Creates an empty ledger; `within` is the longest time in milliseconds that a check looks back.
    init(within: Int64 = 0) { self.within = within }

    /// Processes rows that name, begin or end requests.
    mutating func take(_ edges: RequestEdges) {
        for index in edges.indices {
            let id = edges.correlation(at: index)
            let place = place(of: id)
            switch edges.kind(at: index) {
            case .beginning: begin(place, edges[index])
            case .end:
                requests[place].hasEnded = true
                if open.removeValue(forKey: id) != nil { ended += 1 }
            case .identity:
                if let user = edges.name(at: index) { requests[place].user = texts.number(adding: user.utf8.span) }
            }
        }
    }

    private mutating func begin(_ place: Int, _ edge: RequestEdge) {
        if early.count < Self.newest, isEarly(edge) { early.insert(edge.correlation) }
        guard let name = edge.name else { return }
        if requests[place].address == ByteStringTable.none, let range = Self.addressRange(in: name) {
            requests[place].address = texts.number(adding: name.utf8.span.extracting(range))
        }
        guard edge.time.hasDate, !hasLostOpen, open[edge.correlation] == nil else { return }
        open[edge.correlation] = OpenRequest(name: name, time: edge.time, server: edge.server)
        hasLostOpen = open.count > Self.maximumOpen
    }

    /// Processes a row of a request that shows a problem.
    mutating func take(_ problem: FirstProblem, of id: CorrelationID) {
        let place = place(of: id)
        let number = Int(requests[place].problem)
        guard number < 0 else { return problems[number].add(problem) }
        requests[place].problem = Int32(problems.count)
        problems.append(problem)
    }

    /// Returns the index of a request, adding the request if it is new.
    private mutating func place(of id: CorrelationID) -> Int {
        if let place = places[id] { return Int(place) }
        if requests.count >= sweepAt { forgetEarlier() }
        places[id] = Int32(requests.count)
        requests.append(Request(id: id))
        return requests.count - 1
    }

    /// Forgets earlier requests that are not relevant, and the newest of the remaining ones if there are too many.
    private mutating func forgetEarlier() {
        let earlier = requests.count - Self.newest
        var left = 0
        for place in requests.indices {
            if place < earlier {
                let isOpen = !hasLostOpen && open[requests[place].id] != nil
                guard isOpen || requests[place].problem >= 0 else { continue }
                guard left < Self.maximumEarlier else {
                    hasLostOpen = hasLostOpen || isOpen
                    continue
                }
            }
            requests.swapAt(left, place)
            left += 1
        }
        requests.removeSubrange(left...)
        places.removeAll(keepingCapacity: true)
        // Texts and problems of forgotten requests are forgotten with them.
        let (former, formerProblems) = (texts, problems)
        (texts, problems) = (ByteStringTable(), [])
        for place in requests.indices {
            places[requests[place].id] = Int32(place)
            requests[place].address = texts.number(adding: requests[place].address, of: former)
            requests[place].user = texts.number(adding: requests[place].user, of: former)
            guard requests[place].problem >= 0 else { continue }
            problems.append(formerProblems[Int(requests[place].problem)])
            requests[place].problem = Int32(problems.count - 1)
        }
        sweepAt = left + Self.newest
    }

    /// Returns a request that is known.
    private func known(_ id: CorrelationID) -> Request? { places[id].map { requests[Int($0)] } }

    private func firstProblem(of id: CorrelationID) -> FirstProblem? {
        known(id).flatMap { $0.problem < 0 ? nil : problems[Int($0.problem)] }
    }
}

// MARK: - Beginnings and ends

extension RequestLedger {
    /// Returns whether the first row of a request was seen; this is relevant only near the beginning of a server's log.
    func hasBegun(_ key: GroupKey) -> Bool {
        if case .correlation(let id) = key { early.contains(id) } else { false }
    }

    /// Returns whether the last row of a request was seen, so that the request was not cut off by the end of the input.
    func hasEnded(_ key: GroupKey) -> Bool {
        if case .correlation(let id) = key { known(id)?.hasEnded ?? false } else { false }
    }

    private mutating func isEarly(_ edge: RequestEdge) -> Bool {
        let instant = edge.time.instant
        return instant - start(of: edge.server, at: instant) <= within || !edge.time.hasDate
    }

    /// Returns the time at which a server's first request began: `instant` if there was none before.
    private mutating func start(of server: String?, at instant: Int64) -> Int64 {
        let start = firstBeginnings[server] ?? instant
        if start == instant, firstBeginnings.count < 1000 { firstBeginnings[server] = start }
        return start
    }

    /// Returns the requests and jobs that began long before their server's last row and have not ended.
    ///
    /// The result is empty if ends are not regularly logged: nearly all requests must have an end.
    func unended(_ ends: [String?: LogTime]) -> [LogChange] {
        guard !hasLostOpen, ended >= Self.leastEnded else { return [] }
        let late = open.values.filter { request in
            ends[request.server].map { $0.instant - request.time.instant >= Self.leastWait } ?? false
        }
        guard late.count <= Self.maximumUnended, late.count * 100 <= ended else { return [] }
        let sorted = late.sorted {
            ($0.time.instant, $0.name, $0.server ?? "") < ($1.time.instant, $1.name, $1.server ?? "")
        }
        return sorted.compactMap { request in
            guard let end = ends[request.server] else { return nil }
            let place = request.server.map { " on \($0)" } ?? ""
            return LogChange(
                .unended,
                server: request.server,
                at: request.time,
                "\(request.name) began at \(request.time.words(beside: end))\(place), and no row shows its end, "
                    + "although the log continues until \(end.words(beside: request.time))"
            )
        }
    }

    /// The minimum wait: half an hour, which is longer than any request may take.
    private static let leastWait: Int64 = 1_800_000
    private static let leastEnded = 200
    private static let maximumUnended = 5
}

// MARK: - Names

extension RequestLedger {
    /// Returns the users of requests, and their number.
    func users(of count: ClusterCount) -> NamedAmount {
        var accounts = count.accounts
        accounts.map(Self.account)
        return NamedAmount(of: count.requests, rows: accounts, in: texts, name: Self.account) { known($0)?.user }
    }

    /// Returns the addresses of requests, and their number.
    func addresses(of count: ClusterCount) -> NamedAmount {
        NamedAmount(of: count.requests, rows: count.addresses, in: texts) { known($0)?.address }
    }

    /// Returns the place of `http://portal/a` in `Request (GET:http://portal/a?b)`; `nil` for a job.
    private static func addressRange(in name: String) -> Range<Int>? {
        // Process bytes, because every request has a name, and characters take a hundred times as long.
        let bytes = name.utf8.span
        guard bytes.hasText("Request (", at: 0) else { return nil }
        var start = 0
        while start < bytes.count, bytes[start] != UInt8(ascii: ":") { start += 1 }
        start += 1
        guard bytes.hasText("http", at: start) else { return nil }
        var end = start
        while end < bytes.count, bytes[end] != UInt8(ascii: "?"), bytes[end] != UInt8(ascii: "#") { end += 1 }
        if end == bytes.count, bytes[end - 1] == UInt8(ascii: ")") { end -= 1 }
        return start..<end
    }

    /// Returns an account without the prefix of a claim: `contoso\ann` for `i:0#.w|contoso\ann`.
    static func account(_ text: String) -> String {
        let text = text.lowercased()
        let bytes = text.utf8.span
        guard bytes.hasText("0", at: 0) || bytes.hasText("i:0", at: 0) else { return text }
        var start = bytes.count
        while start > 0, bytes[start - 1] != UInt8(ascii: "|") { start -= 1 }
        return start > 0 ? bytes.extracting(start...).text : text
    }
}

/// The number of users or addresses, and the names of the most frequent ones.
struct NamedAmount {
    var amount: Amount
    private(set) var names: [String] = []

    /// The maximum number of names that are listed.
    private static let maximum = 10

    /// Counts the names in the texts of requests, which are `nil` if not known, and those in the rows themselves.
    init(
        of requests: BoundedSet<CorrelationID>,
        rows: BoundedSet<String>,
        in texts: ByteStringTable,
        name: (String) -> String = { $0 },
        text: (CorrelationID) -> Int32?
    ) {
        // Many requests share a text, so its name is found once.
        var numbers: [Int32: Int] = [:]
        for id in requests.values { if let number = text(id) { numbers[number, default: 0] += 1 } }
        var counts: [String: Int] = [:]
        for (number, count) in numbers { if let text = texts.text(number) { counts[name(text), default: 0] += count } }
        let isUnsure = !counts.isEmpty && (requests.isAtLeast || counts.values.reduce(0, +) < requests.values.count)
        for value in rows.values { counts[value, default: 0] += 0 }
        amount = Amount(counts.count, isAtLeast: rows.isAtLeast || isUnsure)
        names = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.maximum).map(\.key)
    }
}

extension ByteStringTable {
    /// The number of no text.
    fileprivate static var none: Int32 { -1 }

    /// The text with a number; `nil` if it is the number of no text.
    fileprivate func text(_ number: Int32) -> String? { number == Self.none ? nil : self[Int(number)].text }

    /// Returns the number of a text, which is added if it is new.
    fileprivate mutating func number(adding text: Span<UInt8>) -> Int32 {
        let hash = HashSeed().hash(of: text)
        return Int32(number(of: text, hash: hash) ?? append(text, hash: hash))
    }

    /// Returns the number of a text that has a number in another table.
    fileprivate mutating func number(adding number: Int32, of other: Self) -> Int32 {
        number == Self.none ? number : self.number(adding: other[Int(number)])
    }
}

// MARK: - First problems

/// The first row of a request that shows a problem, and the request's rows that match selectors of rules.
struct FirstProblem: Sendable {
    private var instant: Int64
    private var line: Int
    private(set) var kind: UInt64
    /// The kinds of rows that selectors match.
    private var matched: [(kind: UInt64, selectors: MatchedSelectors)] = []

    /// The maximum number of matched kinds that are remembered.
    private static let maximumMatched = 8

    init(_ row: ProblemRow, _ kind: UInt64, _ selectors: MatchedSelectors? = nil) {
        instant = row.time.instant
        line = row.line
        self.kind = kind
        if let selectors { matched = [(kind, selectors)] }
    }

    /// Adds another row of the request.
    mutating func add(_ row: Self) {
        if (row.instant, row.line, row.kind) < (instant, line, kind) {
            (instant, line, kind) = (row.instant, row.line, row.kind)
        }
        for new in row.matched where matched.count < Self.maximumMatched && !matched.contains(where: { $0 == new }) {
            matched.append(new)
        }
    }

    /// Returns the same row for a text that is preceded by this many more lines.
    func moved(by lines: Int) -> Self {
        var moved = self
        moved.line += lines
        return moved
    }

    /// Returns the kinds of rows that the findings of rules are based on.
    fileprivate func explained(_ explains: (_ rule: Int, _ selectors: UInt64) -> Bool) -> [UInt64] {
        matched.filter { $0.selectors.areExplained(explains) }.map(\.kind)
    }
}

extension RequestLedger {
    /// Returns whether rules explain the same exception in every request of a kind, so that the kind is a mere repeat.
    ///
    /// - Parameters:
    ///   - kind: The kind.
    ///   - exceptions: The exceptions of all kinds.
    ///   - explains: Whether a rule's finding is based on events that meet these selectors.
    /// - Returns: Whether one rule explains each of its requests.
    func isExplained(
        _ kind: FailureKind,
        exceptions: [UInt64: String],
        _ explains: (_ rule: Int, _ selectors: UInt64) -> Bool
    ) -> Bool {
        guard kind.hasAllRequests, let type = kind.name.exception else { return false }
        return kind.count.requests.values.allSatisfy { id in
            firstProblem(of: id)?.explained(explains).contains { exceptions[$0] == type } ?? false
        }
    }

    /// Returns the kind that most requests of a kind begin with, if none of them begins with the kind itself.
    func leader(of kind: FailureKind) -> UInt64? {
        guard kind.hasAllRequests else { return nil }
        var leaders: [UInt64: Int] = [:]
        for id in kind.count.requests.values {
            let first = firstProblem(of: id)?.kind
            guard let first, first != kind.hash else { return nil }
            leaders[first, default: 0] += 1
        }
        return leaders.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }
}

extension FailureKind {
    /// Whether every row names its request, and every request is known.
    fileprivate var hasAllRequests: Bool { count.uncorrelated == 0 && !count.requests.isAtLeast }
}

// MARK: - Groups of events

/// A grouping of events by request, even if rows have no correlation.
struct RequestGroups {
    private struct ThreadKey: Hashable {
        var server: String?
        var process: String
        var processID: String
        var thread: String
    }

    /// The maximum number of milliseconds between two rows of a request on one thread.
    private static let distance: Int64 = 60_000
    /// The maximum number of threads that are remembered: more than a farm has.
    private static let maximum = 100_000

    private var threads: [ThreadKey: (number: Int, last: Int64)] = [:]
    private var count = 0

    /// Returns the groups of the next event, whose number is given.
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

/// A key that all events of a group share.
enum GroupKey: Hashable, Sendable {
    case correlation(CorrelationID)
    /// Successive rows of one thread, identified by a number.
    case thread(Int)
    /// An entire paste whose rows have neither correlation nor thread.
    case paste(String)
    case server(String)
    /// A single event.
    case alone(Int)

    var isCorrelation: Bool {
        if case .correlation = self { true } else { false }
    }
}

/// The groups that contain an event.
struct EventGroups: Sendable {
    /// The event's correlation, or the event itself if it has none.
    var correlation: GroupKey
    /// The event's request; see ``Grouping/request``.
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
