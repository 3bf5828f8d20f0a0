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
