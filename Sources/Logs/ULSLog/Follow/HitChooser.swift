/// The choice of hits among events, and of the events around them.
struct HitChooser {
    private var context: EventContext?
    private let test: EventTest

    init(_ filter: EventFilter, _ reach: ContextReach) {
        context = reach.isEmpty ? nil : EventContext(reach)
        test = EventTest(filter)
    }

    /// Takes an event and hands over what is wanted; returns whether it is a hit.
    @discardableResult
    mutating func take(
        _ event: borrowing ULSEvent,
        _ body: (borrowing ULSEvent, Bool) throws -> Void
    ) rethrows -> Bool {
        guard context != nil else {
            try body(event, true)
            return true
        }
        let isHit = test.wants(event)
        try context?.take(event, isHit: isHit, body)
        return isHit
    }
}

/// The last events before a follower has begun, with those around them.
struct LastEvents {
    private let limit: Int
    private(set) var events: [(event: ULSEvent, isHit: Bool)] = []
    private var hits = 0

    init(_ limit: Int) { self.limit = limit }

    mutating func append(_ event: borrowing ULSEvent, isHit: Bool) {
        guard limit > 0 else { return }
        events.append((copy event, isHit))
        guard isHit else { return }
        hits += 1
        guard hits > limit, let first = events.firstIndex(where: \.isHit) else { return }
        events.removeFirst(first + 1)
        hits -= 1
    }
}
