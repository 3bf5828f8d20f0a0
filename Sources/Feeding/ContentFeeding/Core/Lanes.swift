/// Which lane a document's operations stand in: a number, so that finding it touches no ID.
///
/// Two documents with the same hash share a lane. Then one of them waits for the other now and then, and nothing else
/// comes of it.
struct LaneKey: Hashable {
    private let hash: Int

    init(_ document: DocumentID) { hash = document.hashValue }
}

/// One line of operations for each document, so that they happen in order.
///
/// Only the first of a lane may be sent. After a send whose fate is unknown the lane is held: a copy of it may still
/// arrive, and the next operation must not be overtaken by it.
struct Lanes {
    struct Lane {
        var head: OperationID?
        var tail: OperationID?
        var heldUntil: FeedInstant?
        /// The journal's row that keeps the hold through a crash.
        var row: OperationID?
    }

    private var lanes: [LaneKey: Lane] = [:]
    /// Lanes kept only for their hold; they count as open operations do.
    private(set) var holdingCount = 0

    subscript(key: LaneKey) -> Lane? { lanes[key] }

    /// Puts an operation at the end of its document's lane; returns the one before it, or whether it may go at once.
    mutating func append(_ id: OperationID, _ key: LaneKey) -> Place {
        lanes[key, default: Lane()].append(id, &holdingCount)
    }

    enum Place {
        case first
        /// First in line, and the lane is held until then.
        case held(until: FeedInstant)
        case behind(OperationID)
    }

    /// Remembers which row of the journal keeps the hold.
    mutating func setRow(_ row: OperationID, of key: LaneKey) { lanes[key]?.row = row }

    /// Holds the lane of a document that has no open operation.
    mutating func restoreHold(_ key: LaneKey, row: OperationID, until: FeedInstant) {
        if lanes[key] == nil { holdingCount += 1 }
        lanes[key, default: Lane()].heldUntil = until
        lanes[key]?.row = row
    }

    mutating func hold(_ key: LaneKey, until: FeedInstant) {
        guard let lane = lanes[key] else { return }
        lanes[key]?.heldUntil = max(lane.heldUntil ?? until, until)
    }

    /// Takes the settled head off its lane; returns the lane that is left.
    mutating func removeHead(_ key: LaneKey, next: OperationID?, at now: FeedInstant) -> Lane? {
        guard let index = lanes.index(forKey: key) else { return nil }
        var lane = lanes.values[index]
        lane.head = next
        if next == nil { lane.tail = nil }
        if let until = lane.heldUntil, until <= now { lane.heldUntil = nil }
        if next == nil, lane.heldUntil == nil {
            lanes.remove(at: index)
            return nil
        }
        if next == nil { holdingCount += 1 }
        lanes.values[index] = lane
        return lane
    }

    /// Ends a hold whose time has come; returns the operation that may go now.
    mutating func release(_ key: LaneKey, at now: FeedInstant) -> OperationID? {
        guard let lane = lanes[key], let until = lane.heldUntil, until <= now else { return nil }
        if lane.head == nil {
            lanes[key] = nil
            holdingCount -= 1
        } else {
            lanes[key]?.heldUntil = nil
            lanes[key]?.row = nil
        }
        return lane.head
    }
}

extension Lanes.Lane {
    fileprivate mutating func append(_ id: OperationID, _ holdingCount: inout Int) -> Lanes.Place {
        defer { tail = id }
        if let tail { return .behind(tail) }
        head = id
        guard let heldUntil else { return .first }
        holdingCount -= 1
        return .held(until: heldUntil)
    }
}
