import ULSLog

/// Counts events at Monitorable or worse by event ID and shape, until it is known which of them rules explain.
struct UnexplainedTable {
    /// Events of one event ID and shape.
    private struct Kind {
        var eventID: String
        var shape: String
        /// Events that no selector means, and were handed over all the same.
        var free = EventCount()
        /// Those that were counted in units; the example is of the first unit that had one, whoever was faster.
        var counted = EventCount()
        /// Those that some do.
        var claimed: [Claims: EventCount] = [:]
    }

    /// Which selectors of which rules events met.
    private struct Claims: Hashable {
        var rules: [Int]
        var selectors: [UInt64]
    }

    private var kinds: [UInt64: Kind] = [:]
    private var kind = EventKind()
    /// Events of kinds beyond the limit.
    private(set) var beyond = 0

    /// The kinds of which a unit has shown an example.
    private(set) var hashes: Set<UInt64> = []

    /// Counts an event of a rank.
    mutating func add(_ event: borrowing ULSEvent, rank: Int, _ matches: [RuleMatch]) {
        kind.set(eventID: event[.eventID].array, message: event[.message])
        let hash = kind.hash
        if kinds[hash] == nil {
            guard kinds.count < DiagnosisLimit.templates.maximum else {
                beyond += 1
                return
            }
            kinds[hash] = Kind(eventID: kind.eventID, shape: kind.shape)
        }
        var count = EventCount()
        count.add(rank: rank)
        count.show(event)
        if matches.isEmpty {
            kinds[hash]?.free.add(count)
        } else {
            let claims = Claims(rules: matches.map(\.rule), selectors: matches.map(\.selectors))
            kinds[hash]?.claimed[claims, default: EventCount()].add(count)
        }
    }

    /// Adds what was counted in a unit, above which `lines` lines of its text stand.
    mutating func add(_ unit: UnexplainedUnit, lines: Int) {
        beyond += unit.beyond
        for (hash, entry) in unit.entries {
            var count = entry.count
            count.example?.place.line += lines
            count.example?.place.lineEnd += lines
            if kinds[hash] == nil, kinds.count < DiagnosisLimit.templates.maximum, let id = entry.eventID,
                let shape = entry.shape
            {
                kinds[hash] = Kind(eventID: id, shape: shape)
            }
            guard kinds[hash] != nil else {
                beyond += count.count
                continue
            }
            if !hashes.insert(hash).inserted { count.example = nil }
            kinds[hash]?.counted.add(count)
        }
    }

    /// The events that no rule explains: worst level first, then rarest.
    ///
    /// - Parameter explains: whether a rule's finding rests on events that meet these selectors.
    /// - Returns: All kinds, in order.
    func unexplained(_ explains: (_ rule: Int, _ selectors: UInt64) -> Bool) -> [UnexplainedEvents] {
        var left: [(kind: Kind, count: EventCount, example: ULSEvent)] = []
        for kind in kinds.values {
            var count = kind.free
            count.add(kind.counted)
            for (claims, claimed) in kind.claimed
            where !zip(claims.rules, claims.selectors).contains(where: { explains($0, $1) }) {
                count.add(claimed)
            }
            if count.count > 0, let example = count.example { left.append((kind, count, example)) }
        }
        left.sort { one, other in
            let keys = ((one.count.worst, one.count.count), (other.count.worst, other.count.count))
            return keys.0 == keys.1 ? EventCount.isEarlier(one.example, than: other.example) : keys.0 < keys.1
        }
        return left.map { kind, count, example in
            UnexplainedEvents(
                eventID: kind.eventID,
                level: example.level.rank == count.worst ? example.level : ULSLevel(rank: count.worst),
                template: kind.shape,
                count: count.count,
                example: Evidence(example)
            )
        }
    }
}
