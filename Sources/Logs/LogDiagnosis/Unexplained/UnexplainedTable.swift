import ULSLog

/// Counts events at Monitorable or worse by event ID and shape, until it is known which of them rules explain.
struct UnexplainedTable {
    /// Events of one event ID and shape.
    private struct Kind {
        var eventID: String
        /// Event ID and shape.
        var bytes: [UInt8]
        /// Events that no selector means.
        var free: Count
        /// Those that some do.
        var claimed: [Claims: Count] = [:]
    }

    /// Which selectors of which rules events met.
    private struct Claims: Hashable {
        var rules: [Int]
        var selectors: [UInt64]
    }

    private struct Count {
        var count = 0
        var worst = Int.max
        var order = Int.max
        var example: Evidence?

        mutating func add(_ event: borrowing ULSEvent, rank: Int, order: Int) {
            if count == 0 { (self.order, example) = (order, Evidence(event)) }
            count += 1
            worst = min(worst, rank)
        }
    }

    private var kinds: [Kind] = []
    /// The number of a kind by the hash of its bytes; one that is taken leads to the next.
    private var numbers: [UInt64: Int] = [:]
    private var order = 0
    private var buffer: [UInt8] = []
    /// Events of kinds beyond the limit.
    private(set) var beyond = 0

    /// Counts an event of a rank.
    mutating func add(_ event: borrowing ULSEvent, rank: Int, _ matches: [RuleMatch]) {
        guard let number = number(of: event) else {
            beyond += 1
            return
        }
        order += 1
        if matches.isEmpty {
            kinds[number].free.add(event, rank: rank, order: order)
        } else {
            let claims = Claims(rules: matches.map(\.rule), selectors: matches.map(\.selectors))
            kinds[number].claimed[claims, default: Count()].add(event, rank: rank, order: order)
        }
    }

    /// The number of an event's kind; `nil` if there is no room for a new one.
    private mutating func number(of event: borrowing ULSEvent) -> Int? {
        buffer.removeAll(keepingCapacity: true)
        let eventID = event[.eventID]
        for index in 0..<eventID.count { buffer.append(eventID[index]) }
        buffer.append(0)
        MessageShape.append(event[.message], to: &buffer)
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in buffer { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        while let number = numbers[hash] {
            if kinds[number].bytes == buffer { return number }
            hash &+= 1
        }
        guard kinds.count < DiagnosisLimit.templates.maximum else { return nil }
        numbers[hash] = kinds.count
        kinds.append(Kind(eventID: eventID.text, bytes: buffer, free: Count()))
        return kinds.count - 1
    }

    /// The events that no rule explains: worst level first, then rarest.
    ///
    /// - Parameter explains: whether a rule's finding rests on events that meet these selectors.
    /// - Returns: All kinds, in order.
    func unexplained(_ explains: (_ rule: Int, _ selectors: UInt64) -> Bool) -> [UnexplainedEvents] {
        var left: [(events: UnexplainedEvents, worst: Int, order: Int)] = []
        for kind in kinds {
            var open = kind.claimed.filter { claims, _ in
                !zip(claims.rules, claims.selectors).contains { explains($0, $1) }
            }.map(\.value)
            if kind.free.count > 0 { open.append(kind.free) }
            guard let first = open.min(by: { $0.order < $1.order }), let example = first.example else { continue }
            let shape = kind.bytes.dropFirst(kind.eventID.utf8.count + 1)
            let events = UnexplainedEvents(
                eventID: kind.eventID,
                level: ULSLevel(example.level),
                template: String(decoding: shape, as: UTF8.self),
                count: open.reduce(0) { $0 + $1.count },
                example: example
            )
            left.append((events, open.map(\.worst).min() ?? 9, first.order))
        }
        left.sort { ($0.worst, $0.events.count, $0.order) < ($1.worst, $1.events.count, $1.order) }
        return left.map(\.events)
    }
}
