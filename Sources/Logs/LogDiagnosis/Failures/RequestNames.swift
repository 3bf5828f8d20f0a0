import ULSLog

/// Who asked for what: users and addresses of requests, as far as rows name them, and requests that did not end.
struct RequestNames {
    /// What rows say, as they say it: few of these requests are ever told of.
    private struct Names {
        /// What begins: a request with an address.
        var request: String?
        var user: String?
    }

    /// A request or job that no row has ended yet.
    private struct Open {
        var name: String
        var time: LogTime
        var server: String?
    }

    /// The newest requests in two generations, and those that fail.
    private var recent: [CorrelationID: Names] = [:]
    private var older: [CorrelationID: Names] = [:]
    private var failing: [CorrelationID: Names] = [:]
    private var open: [CorrelationID: Open] = [:]
    /// Requests and jobs that ended.
    private var ended = 0
    private var isOpenIncomplete = false

    private static let maximum = 50_000
    private static let maximumOpen = 10_000

    /// Takes what a row says of a request; those that fail, which `heads` tells, are remembered for good.
    mutating func take(_ edge: RequestEdge, _ heads: borrowing RequestHeads) {
        switch edge.kind {
        case .beginning:
            guard let name = edge.name else { return }
            let place = place(of: edge.correlation, heads)
            if recent.values[place].request == nil, Self.addressRange(in: name) != nil {
                recent.values[place].request = name
            }
            guard edge.time.hasDate, open[edge.correlation] == nil else { return }
            if open.count < Self.maximumOpen {
                open[edge.correlation] = Open(name: name, time: edge.time, server: edge.server)
            } else {
                isOpenIncomplete = true
            }
        case .end: if open.removeValue(forKey: edge.correlation) != nil { ended += 1 }
        case .identity:
            guard let name = edge.name else { return }
            let place = place(of: edge.correlation, heads)
            recent.values[place].user = name
        }
    }

    /// Returns where the names of a request are among the newest, and makes room for them if they are not.
    private mutating func place(
        of id: CorrelationID,
        _ heads: borrowing RequestHeads
    ) -> Dictionary<CorrelationID, Names>.Index {
        if let place = recent.index(forKey: id) { return place }
        if recent.count >= Self.maximum {
            for (id, names) in older where heads.contains(id) && failing.count < Self.maximum { failing[id] = names }
            older = recent
            recent.removeAll(keepingCapacity: true)
        }
        recent[id] = failing[id] ?? older[id] ?? Names()
        return recent.index(forKey: id) ?? recent.startIndex
    }

    private func names(of id: CorrelationID) -> Names? { recent[id] ?? older[id] ?? failing[id] }

    /// `Request (GET:http://portal/a?b)` as `http://portal/a`; `nil` for a job.
    private static func address(in name: String) -> String? {
        addressRange(in: name).map { name.utf8.span.extracting($0).text }
    }

    private static func addressRange(in name: String) -> Range<Int>? {
        // Bytes, because every request has a name, and characters take a hundred times as long.
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

    /// An account without what marks a claim: `i:0#.w|contoso\ann` as `contoso\ann`.
    static func account(_ text: String) -> String {
        let text = text.lowercased()
        let bytes = text.utf8.span
        guard bytes.hasText("0", at: 0) || bytes.hasText("i:0", at: 0) else { return text }
        var start = bytes.count
        while start > 0, bytes[start - 1] != UInt8(ascii: "|") { start -= 1 }
        return start > 0 ? bytes.extracting(start...).text : text
    }

    /// The users of requests, and how many there are.
    func users(of count: ClusterCount) -> NamedAmount {
        NamedAmount(
            count.requests.values.map { names(of: $0)?.user.map(Self.account) },
            of: count.requests,
            rows: count.accounts.asAccounts
        )
    }

    /// The addresses of requests, and how many there are.
    func addresses(of count: ClusterCount) -> NamedAmount {
        NamedAmount(
            count.requests.values.map { names(of: $0)?.request.flatMap(Self.address) },
            of: count.requests,
            rows: count.addresses
        )
    }

    /// Requests and jobs that began long before their server's last row, and that no row has ended.
    ///
    /// Nothing is said where ends are not logged as a rule: nearly all requests must have one.
    func unended(_ ends: [String?: LogTime]) -> [LogChange] {
        guard !isOpenIncomplete else { return [] }
        let late = open.values.filter { request in
            ends[request.server].map { $0.instant - request.time.instant >= Self.leastWait } ?? false
        }
        guard ended >= Self.leastEnded, late.count <= Self.maximumUnended, late.count * 100 <= ended else { return [] }
        return late.sorted { ($0.time.instant, $0.name) < ($1.time.instant, $1.name) }.compactMap { request in
            guard let end = ends[request.server] else { return nil }
            let place = request.server.map { " on \($0)" } ?? ""
            return LogChange(
                .unended,
                server: request.server,
                at: request.time,
                "\(request.name) began at \(request.time.words(beside: end))\(place), and no row says that it ended, "
                    + "while others did until \(end.words(beside: request.time))"
            )
        }
    }

    /// Half an hour: more than any request may take.
    private static let leastWait: Int64 = 1_800_000
    private static let leastEnded = 200
    private static let maximumUnended = 5
}

/// How many there are of something, and what the most frequent of them are called.
struct NamedAmount {
    var amount: Amount
    private(set) var names: [String] = []

    /// The most names that are listed.
    private static let maximum = 10

    /// Counts what requests are called, `nil` for one of which nothing says it, together with what rows themselves name.
    init(_ requestNames: [String?], of requests: BoundedSet<CorrelationID>, rows: BoundedSet<String>) {
        var counts: [String: Int] = [:]
        for name in requestNames.compactMap(\.self) { counts[name, default: 0] += 1 }
        let isUnsure = !counts.isEmpty && (requests.isAtLeast || requestNames.contains(nil))
        for value in rows.values { counts[value, default: 0] += 0 }
        amount = Amount(counts.count, isAtLeast: rows.isAtLeast || isUnsure)
        names = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.maximum).map(\.key)
    }
}

extension BoundedSet<String> {
    /// Accounts without what marks claims.
    fileprivate var asAccounts: BoundedSet<String> {
        var accounts = self
        accounts.map(RequestNames.account)
        return accounts
    }
}

/// The first row of a request that shows a problem.
struct RequestHead: Sendable {
    var instant: Int64
    var line: Int
    var kind: UInt64
    /// Kinds of rows that selectors of rules match, with their claims.
    var claims: [(kind: UInt64, claims: Claims)] = []

    init(_ row: ProblemRow, _ kind: UInt64) {
        instant = row.time.instant
        line = row.line
        self.kind = kind
    }

    /// The most claimed kinds that are remembered.
    private static let maximumClaims = 8

    /// Adds another row of the request, and what claims it.
    fileprivate mutating func add(_ row: Self, _ claims: Claims?) {
        if (row.instant, row.line, row.kind) < (instant, line, kind) {
            (instant, line, kind) = (row.instant, row.line, row.kind)
        }
        if let claims, self.claims.count < Self.maximumClaims,
            !self.claims.contains(where: { $0.kind == row.kind && $0.claims == claims })
        {
            self.claims.append((row.kind, claims))
        }
    }
}

/// The first problem of each failing request.
struct RequestHeads: Sendable {
    private(set) var heads: [CorrelationID: RequestHead] = [:]

    /// Whether a row of a request shows a problem.
    func contains(_ id: CorrelationID) -> Bool { heads[id] != nil }

    /// The most requests that are remembered.
    private static let maximum = 100_000

    /// Notes a row of a request that shows a problem, and what claims it.
    mutating func note(_ id: CorrelationID, _ row: RequestHead, _ claims: Claims?) {
        guard heads.count < Self.maximum || heads[id] != nil else { return }
        heads[id, default: row].add(row, claims)
    }
}

/// What is known of requests at the end: what each begins with, and which exceptions rules explain.
struct RequestStory {
    private let heads: [CorrelationID: RequestHead]
    private let exceptions: [UInt64: String]
    private let explained: [CorrelationID: Set<String>]

    init(
        heads: [CorrelationID: RequestHead],
        exceptions: [UInt64: String],
        _ explains: (_ rule: Int, _ selectors: UInt64) -> Bool
    ) {
        self.heads = heads
        self.exceptions = exceptions
        explained = heads.compactMapValues { head in
            let kinds = head.claims.filter { $0.claims.areExplained(explains) }.map(\.kind)
            return kinds.isEmpty ? nil : Set(kinds.compactMap { exceptions[$0] })
        }
    }

    /// Returns whether rules explain the same exception in every request of a kind: it was only logged once more.
    func isExplained(_ draft: ClusterDraft) -> Bool {
        guard draft.count.uncorrelated == 0, !draft.count.requests.isAtLeast, let type = draft.name.exception else {
            return false
        }
        return draft.count.requests.values.allSatisfy { explained[$0]?.contains(type) ?? false }
    }

    /// Returns the kind that most requests of a kind begin with, if none of them begins with the kind itself.
    func leader(of draft: ClusterDraft) -> UInt64? {
        guard draft.count.uncorrelated == 0, !draft.count.requests.isAtLeast else { return nil }
        var leaders: [UInt64: Int] = [:]
        for id in draft.count.requests.values {
            guard let head = heads[id], head.kind != draft.hash else { return nil }
            leaders[head.kind, default: 0] += 1
        }
        return leaders.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }
}
