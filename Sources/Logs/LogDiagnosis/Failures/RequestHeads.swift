import ULSLog

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
