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

    private var lanes: [DocumentID: Lane] = [:]
    /// Lanes kept only for their hold; they count as open operations do.
    private(set) var holdingCount = 0

    subscript(document: DocumentID) -> Lane? { lanes[document] }

    /// Puts an operation at the end of its document's lane; returns the one before it, or whether it may go at once.
    mutating func append(_ id: OperationID, _ document: DocumentID) -> Place {
        lanes[document, default: Lane()].append(id, &holdingCount)
    }

    enum Place {
        case first
        /// First in line, and the lane is held until then.
        case held(until: FeedInstant)
        case behind(OperationID)
    }

    /// Remembers which row of the journal keeps the hold.
    mutating func setRow(_ row: OperationID, of document: DocumentID) { lanes[document]?.row = row }

    /// Holds the lane of a document that has no open operation.
    mutating func restoreHold(_ document: DocumentID, row: OperationID, until: FeedInstant) {
        if lanes[document] == nil { holdingCount += 1 }
        lanes[document, default: Lane()].heldUntil = until
        lanes[document]?.row = row
    }

    mutating func hold(_ document: DocumentID, until: FeedInstant) {
        guard let lane = lanes[document] else { return }
        lanes[document]?.heldUntil = max(lane.heldUntil ?? until, until)
    }

    /// Takes the settled head off its lane; returns the lane that is left.
    mutating func removeHead(_ document: DocumentID, next: OperationID?, at now: FeedInstant) -> Lane? {
        guard let index = lanes.index(forKey: document) else { return nil }
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
    mutating func release(_ document: DocumentID, at now: FeedInstant) -> OperationID? {
        guard let lane = lanes[document], let until = lane.heldUntil, until <= now else { return nil }
        if lane.head == nil {
            lanes[document] = nil
            holdingCount -= 1
        } else {
            lanes[document]?.heldUntil = nil
            lanes[document]?.row = nil
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
