import ULSLog

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
