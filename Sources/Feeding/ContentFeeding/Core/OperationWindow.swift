/// The operations accepted but not settled, by ID.
///
/// Fresh ones are in a ring, because their IDs are consecutive. One that is retried is set aside, so that it does not
/// hold up the start of the ring, and with it the reading.
struct OperationWindow {
    /// The feeder's record of an operation: plain numbers, so that examining it costs nothing.
    struct Entry {
        enum State: Hashable {
            /// The place holds no operation.
            case vacant
            /// An earlier operation on the same document comes first.
            case behind
            case ready
            /// The operation is in a sub-batch, which is sent as it is.
            case grouped
            case inFlight
            case paused
        }

        // In this order, the fields take 48 bytes.
        /// The operation's size in a batch and in the window, in bytes.
        let byteCount: Int
        /// The end of the operation's pause.
        var pausedUntil = FeedInstant.start
        var deadline = FeedInstant.never
        /// The ID of the next operation on the same document; 0 if there is none.
        private var nextID: UInt64 = 0
        let lane: LaneKey
        /// The number of failed sends that are charged.
        var attempts: Int32 = 0
        var sends: Int32 = 0
        var state = State.behind
        /// Whether a copy may have taken effect, or may still do so.
        var mayHaveApplied = false
        /// Whether the operation's time is up; if it comes back undone, it is not retried.
        var isOverdue = false
        var hasRow = false
        /// Whether the input has named this document before, in another removal.
        var isDuplicate = false

        /// The next operation on the same document.
        var next: OperationID? {
            get { nextID == 0 ? nil : OperationID(rawValue: nextID) }
            set { nextID = newValue?.rawValue ?? 0 }
        }

        init(_ operation: borrowing ContentOperation, in lane: LaneKey) {
            self.lane = lane
            byteCount = operation.byteCount
        }

        private init() {
            (lane, byteCount, state) = (LaneKey(number: 0), 0, .vacant)
        }

        fileprivate static let vacant = Entry()
    }

    /// An operation with the feeder's record of it.
    private struct Held {
        var entry: Entry
        let operation: ContentOperation
    }

    /// The records in the ring, with the operations beside them.
    private var entries: [Entry]
    private var operations: [ContentOperation?]
    private var aside: [OperationID: Held] = [:]
    /// The ring holds IDs from `start` up to, not including, `end`.
    private var start: UInt64
    private var end: UInt64
    /// The highest ID that is settled, skipped or set aside.
    private(set) var highestOut: OperationID
    private(set) var count = 0
    private(set) var byteCount = 0

    init(next: OperationID) {
        entries = [Entry](repeating: .vacant, count: 4096)
        operations = [ContentOperation?](repeating: nil, count: 4096)
        start = next.rawValue
        end = next.rawValue
        highestOut = OperationID(rawValue: next.rawValue - 1)
    }

    /// The ID of the next operation.
    var next: OperationID { OperationID(rawValue: end) }

    /// The lowest ID with an operation; without any, the ID of the next one.
    var lowest: OperationID { min(OperationID(rawValue: start), aside.keys.min() ?? next) }

    /// The lowest ID whose operation has no journal row; without any, the ID of the next one.
    var lowestWithoutRow: OperationID {
        var id = start
        while id < end, entries[index(id)].state == .vacant { id += 1 }
        return OperationID(rawValue: id)
    }

    /// The number of IDs from the lowest to the next.
    var span: Int { Int(end - lowest.rawValue) }

    subscript(id: OperationID) -> Entry? {
        if let place = place(of: id) { return entries[place] }
        return aside.isEmpty ? nil : aside[id]?.entry
    }

    func operation(_ id: OperationID) -> ContentOperation? {
        if let place = place(of: id) { return operations[place] }
        return aside[id]?.operation
    }

    /// Returns whether the operation is a removal that may have taken effect.
    func mayHaveBeenRemoved(by id: OperationID) -> Bool {
        self[id]?.mayHaveApplied == true && operation(id)?.kind == .remove
    }

    /// Returns whether the operation is an addition that may have created the document that it now replaces.
    func mayHaveBeenAdded(by id: OperationID) -> Bool {
        guard self[id]?.mayHaveApplied == true, let operation = operation(id), operation.kind == .add else {
            return false
        }
        return switch operation.condition {
        case nil, .olderThan, .contents: true
        // The document was seen, or its absence.
        case .absent, .unchanged: false
        }
    }

    /// Returns whether an operation is neither settled nor restored from a row.
    func isUnsettled(_ id: OperationID, countingRows: Bool) -> Bool {
        if place(of: id) != nil { return true }
        guard let entry = aside[id]?.entry else { return false }
        return countingRows || !entry.hasRow
    }

    /// Adds the next operation of the input: its ID is ``next``.
    mutating func append(_ operation: consuming ContentOperation, _ entry: Entry) {
        if end - start == UInt64(entries.count) { grow() }
        entries[index(end)] = entry
        operations[index(end)] = .some(consume operation)
        end += 1
        count += 1
        byteCount += entry.byteCount
    }

    /// Skips an ID whose operation is already settled, or has a row.
    mutating func skip() {
        if start == end {
            start += 1
        } else if end - start == UInt64(entries.count) {
            grow()
        }
        highestOut = max(highestOut, next)
        end += 1
    }

    /// Adds an operation restored from a journal row.
    mutating func restore(_ operation: ContentOperation, _ entry: Entry, as id: OperationID) {
        aside[id] = Held(entry: entry, operation: operation)
        count += 1
        byteCount += entry.byteCount
    }

    mutating func update(_ id: OperationID, _ body: (inout Entry) -> Void) {
        if let place = place(of: id) {
            body(&entries[place])
        } else if var held = aside[id] {
            body(&held.entry)
            aside[id] = held
        }
    }

    mutating func setAside(_ id: OperationID) {
        guard let place = place(of: id), let operation = operations[place].take() else { return }
        aside[id] = Held(entry: entries[place], operation: operation.detached())
        leave(place, id)
    }

    /// Removes an operation and returns it; read its record first.
    mutating func remove(_ id: OperationID) -> ContentOperation? {
        if let place = place(of: id) {
            count -= 1
            byteCount -= entries[place].byteCount
            leave(place, id)
            return operations[place].take()
        }
        guard let held = aside.removeValue(forKey: id) else { return nil }
        count -= 1
        byteCount -= held.entry.byteCount
        return held.operation
    }

    private mutating func leave(_ place: Int, _ id: OperationID) {
        entries[place].state = .vacant
        highestOut = max(highestOut, id)
        while start < end, entries[index(start)].state == .vacant { start += 1 }
    }

    private mutating func grow() {
        var more = [Entry](repeating: .vacant, count: 2 * entries.count)
        var moreOperations = [ContentOperation?](repeating: nil, count: more.count)
        for id in start..<end {
            more[Int(id & UInt64(more.count - 1))] = entries[index(id)]
            moreOperations[Int(id & UInt64(more.count - 1))] = operations[index(id)].take()
        }
        (entries, operations) = (more, moreOperations)
    }

    /// Returns an operation's place in the ring.
    private func place(of id: OperationID) -> Int? {
        guard id.rawValue >= start, id.rawValue < end else { return nil }
        let place = index(id.rawValue)
        return entries[place].state == .vacant ? nil : place
    }

    private func index(_ id: UInt64) -> Int { Int(id & UInt64(entries.count - 1)) }
}
