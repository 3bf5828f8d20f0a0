/// The operations that are accepted and not settled, by ID.
///
/// Fresh ones lie in a ring, because their IDs are consecutive. One that is tried again is set aside, so that it does
/// not hold up the ring's start and with it the reading.
struct OperationWindow {
    struct Entry {
        enum State: Hashable {
            /// An earlier operation on the same document comes first.
            case behind
            case ready
            /// In a group that travels as it is.
            case grouped
            case inFlight
            /// Until its pause is over.
            case paused(until: FeedInstant)
        }

        let operation: ContentOperation
        let lane: LaneKey
        var state = State.behind
        /// Sends that failed and are charged.
        var attempts = 0
        var sends = 0
        /// A copy may have had its effect, or may still have it.
        var isMaybeApplied = false
        /// Its time is up; when it comes back undone, it is not tried again.
        var isOverdue = false
        var hasRow = false
        var deadline: FeedInstant?
        /// The next operation on the same document.
        var next: OperationID?

        init(operation: ContentOperation) {
            self.operation = operation
            lane = LaneKey(operation.documentID)
        }
    }

    private var slots: [Entry?]
    private var aside: [OperationID: Entry] = [:]
    /// The ring holds IDs from `start` up to, not including, `end`.
    private var start: UInt64
    private var end: UInt64
    /// The highest ID that is settled, passed over or set aside.
    private(set) var highestOut: OperationID
    private(set) var count = 0
    private(set) var byteCount = 0

    init(next: OperationID) {
        slots = [Entry?](repeating: nil, count: 4096)
        start = next.rawValue
        end = next.rawValue
        highestOut = OperationID(rawValue: next.rawValue - 1)
    }

    /// The ID that the next operation gets.
    var next: OperationID { OperationID(rawValue: end) }

    /// The lowest ID that has an operation, or that the next one gets.
    var lowest: OperationID { min(OperationID(rawValue: start), aside.keys.min() ?? next) }

    /// The lowest of those that have no row of their own in the journal.
    var lowestWithoutRow: OperationID {
        var id = start
        while id < end, slots[index(id)] == nil { id += 1 }
        return OperationID(rawValue: id)
    }

    /// IDs between the lowest and the next.
    var span: Int { Int(end - lowest.rawValue) }

    var setAsideIDs: Dictionary<OperationID, Entry>.Keys { aside.keys }

    subscript(id: OperationID) -> Entry? {
        guard id.rawValue >= start, id.rawValue < end, let entry = slots[index(id.rawValue)] else { return aside[id] }
        return entry
    }

    /// Is neither settled nor brought back by a row.
    func isUnsettled(_ id: OperationID, countingRows: Bool) -> Bool {
        if id.rawValue >= start, id.rawValue < end, slots[index(id.rawValue)] != nil { return true }
        guard let entry = aside[id] else { return false }
        return countingRows || !entry.hasRow
    }

    /// Takes the operation that the input brings next, and returns its ID.
    mutating func append(_ entry: Entry) -> OperationID {
        if end - start == UInt64(slots.count) { grow() }
        let id = next
        slots[index(end)] = entry
        end += 1
        count += 1
        byteCount += entry.operation.byteCount
        return id
    }

    /// Passes over an ID whose operation is settled already, or has a row.
    mutating func skip() {
        if start == end {
            start += 1
        } else if end - start == UInt64(slots.count) {
            grow()
        }
        highestOut = max(highestOut, next)
        end += 1
    }

    /// Takes an operation that a row of the journal brings back.
    mutating func restore(_ entry: Entry, as id: OperationID) {
        aside[id] = entry
        count += 1
        byteCount += entry.operation.byteCount
    }

    mutating func update(_ id: OperationID, _ body: (inout Entry) -> Void) {
        if id.rawValue >= start, id.rawValue < end, var entry = slots[index(id.rawValue)] {
            slots[index(id.rawValue)] = nil
            body(&entry)
            slots[index(id.rawValue)] = entry
        } else if var entry = aside[id] {
            body(&entry)
            aside[id] = entry
        }
    }

    mutating func setAside(_ id: OperationID) {
        guard id.rawValue >= start, id.rawValue < end, let entry = slots[index(id.rawValue)] else { return }
        slots[index(id.rawValue)] = nil
        aside[id] = entry
        highestOut = max(highestOut, id)
        advance()
    }

    mutating func remove(_ id: OperationID) -> Entry? {
        let removed: Entry?
        if id.rawValue >= start, id.rawValue < end, let entry = slots[index(id.rawValue)] {
            slots[index(id.rawValue)] = nil
            removed = entry
            highestOut = max(highestOut, id)
            advance()
        } else {
            removed = aside.removeValue(forKey: id)
        }
        if let removed {
            count -= 1
            byteCount -= removed.operation.byteCount
        }
        return removed
    }

    private mutating func advance() {
        while start < end, slots[index(start)] == nil { start += 1 }
    }

    private mutating func grow() {
        var larger = [Entry?](repeating: nil, count: 2 * slots.count)
        for id in start..<end { larger[Int(id & UInt64(larger.count - 1))] = slots[index(id)] }
        slots = larger
    }

    private func index(_ id: UInt64) -> Int { Int(id & UInt64(slots.count - 1)) }
}
