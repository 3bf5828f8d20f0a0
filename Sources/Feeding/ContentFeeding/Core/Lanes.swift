/// One line of operations for each document, so that they happen in order.
///
/// Only the first of a lane may be sent. After a send whose fate is unknown the lane is held: a copy of it may still
/// arrive, and the next operation must not be overtaken by it.
struct Lanes {
    struct Lane {
        var head: OperationID?
        var heldUntil: FeedInstant?
        /// The journal's row that keeps the hold through a crash.
        var row: OperationID?
    }

    private struct Hold {
        var until: FeedInstant?
        var row: OperationID?
    }

    private var heads = LaneTable()
    /// The last operation of lanes that hold more than one.
    private var tails: [LaneKey: OperationID] = [:]
    /// Few, unless something went wrong.
    private var holds: [LaneKey: Hold] = [:]
    /// Lanes kept only for their hold; they count as open operations do.
    private(set) var holdingCount = 0

    subscript(key: LaneKey) -> Lane? {
        let head = heads.place(of: key).map { heads[$0] }
        let hold = hold(of: key)
        return head == nil && hold == nil ? nil : Lane(head: head, heldUntil: hold?.until, row: hold?.row)
    }

    /// Brings near what is known of a lane that is asked for soon: lanes lie all over a table, and a feed comes by twice
    /// for each operation.
    func prefetch(_ key: LaneKey) { heads.prefetch(key) }

    private func hold(of key: LaneKey) -> Hold? { holds.isEmpty ? nil : holds[key] }

    /// Puts an operation at the end of its document's lane; returns the one before it, or whether it may go at once.
    mutating func append(_ id: OperationID, _ key: LaneKey) -> Place {
        if let place = heads.place(of: key) {
            return .behind(tails.updateValue(id, forKey: key) ?? heads[place])
        }
        heads.insert(key, head: id)
        guard let until = hold(of: key)?.until else { return .first }
        holdingCount -= 1
        return .held(until: until)
    }

    enum Place {
        case first
        /// First in line, and the lane is held until then.
        case held(until: FeedInstant)
        case behind(OperationID)
    }

    /// Remembers which row of the journal keeps the hold.
    mutating func setRow(_ row: OperationID, of key: LaneKey) { holds[key]?.row = row }

    /// Holds the lane of a document that has no open operation.
    mutating func restoreHold(_ key: LaneKey, row: OperationID, until: FeedInstant) {
        if self[key] == nil { holdingCount += 1 }
        holds[key] = Hold(until: until, row: row)
    }

    mutating func hold(_ key: LaneKey, until: FeedInstant) {
        guard let lane = self[key] else { return }
        holds[key] = Hold(until: max(lane.heldUntil ?? until, until), row: lane.row)
    }

    /// Takes the settled head off its lane; returns the lane that is left.
    mutating func removeHead(_ key: LaneKey, next: OperationID?, at now: FeedInstant) -> Lane? {
        guard let place = heads.place(of: key) else { return nil }
        if let until = hold(of: key)?.until, until <= now { holds[key]?.until = nil }
        let hold = hold(of: key)
        if let next {
            heads[place] = next
            if tails[key] == next { tails[key] = nil }
        } else {
            assert(tails[key] == nil, "the last operation of a lane follows another one")
            heads.remove(at: place)
            guard hold?.until != nil else {
                if hold != nil { holds[key] = nil }
                return nil
            }
            holdingCount += 1
        }
        return Lane(head: next, heldUntil: hold?.until, row: hold?.row)
    }

    /// Ends a hold whose time has come; returns the operation that may go now.
    mutating func release(_ key: LaneKey, at now: FeedInstant) -> OperationID? {
        guard let until = hold(of: key)?.until, until <= now else { return nil }
        holds[key] = nil
        guard let place = heads.place(of: key) else {
            holdingCount -= 1
            return nil
        }
        return heads[place]
    }
}
