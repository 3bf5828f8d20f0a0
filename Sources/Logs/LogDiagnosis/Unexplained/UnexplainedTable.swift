import ULSLog

/// Counts events at Monitorable or worse by event ID and shape, until it is known which of them rules explain.
struct UnexplainedTable {
    private struct Kind: Hashable {
        var eventID: [UInt8]
        var shape: [UInt8]
    }

    /// Which selectors of which rules events met.
    private struct Claims: Hashable {
        var rules: [Int] = []
        var selectors: [UInt64] = []
    }

    private struct Count {
        var count = 0
        var worst = Int.max
        var order: Int
        var example: Evidence
    }

    private var kinds: [Kind: [Claims: Count]] = [:]
    private var order = 0
    /// Events of kinds beyond the limit.
    private(set) var beyond = 0

    /// Counts an event of a rank.
    mutating func add(_ event: borrowing ULSEvent, rank: Int, _ matches: [RuleMatch]) {
        let kind = Kind(eventID: event[.eventID].array, shape: MessageShape.shape(of: event[.message]))
        let claims = Claims(rules: matches.map(\.rule), selectors: matches.map(\.selectors))
        if kinds[kind]?[claims] != nil {
            kinds[kind]?[claims]?.count += 1
            if rank < kinds[kind]?[claims]?.worst ?? 0 { kinds[kind]?[claims]?.worst = rank }
            return
        }
        guard kinds.count < DiagnosisLimit.templates.maximum || kinds[kind] != nil else {
            beyond += 1
            return
        }
        order += 1
        kinds[kind, default: [:]][claims] = Count(count: 1, worst: rank, order: order, example: Evidence(event))
    }

    /// The events that no rule explains: worst level first, then rarest.
    ///
    /// - Parameter explains: whether a rule's finding rests on events that meet these selectors.
    /// - Returns: All kinds, in order.
    func unexplained(_ explains: (_ rule: Int, _ selectors: UInt64) -> Bool) -> [UnexplainedEvents] {
        var left: [(events: UnexplainedEvents, worst: Int, order: Int)] = []
        for (kind, counts) in kinds {
            let open = counts.filter { claims, _ in
                !zip(claims.rules, claims.selectors).contains { explains($0, $1) }
            }.values.sorted { $0.order < $1.order }
            guard let first = open.first else { continue }
            let events = UnexplainedEvents(
                eventID: kind.eventID.span.text,
                level: ULSLevel(first.example.level),
                template: kind.shape.span.text,
                count: open.reduce(0) { $0 + $1.count },
                example: first.example
            )
            left.append((events, open.map(\.worst).min() ?? 9, first.order))
        }
        left.sort { ($0.worst, $0.events.count, $0.order) < ($1.worst, $1.events.count, $1.order) }
        return left.map(\.events)
    }
}
