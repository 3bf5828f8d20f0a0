/// The operations that are accepted and not settled, by ID.
///
/// Fresh ones lie in a ring, because their IDs are consecutive. One that is tried again is set aside, so that it does
/// not hold up the ring's start and with it the reading.
struct OperationWindow {
    /// What the feeder knows of an operation: plain numbers, so that looking at it costs nothing.
    struct Entry {
        enum State: Hashable {
            /// No operation is there.
            case vacant
            /// An earlier operation on the same document comes first.
            case behind
            case ready
            /// In a group that travels as it is.
            case grouped
            case inFlight
            case paused
        }

        // In this order they take 48 bytes.
        /// What it weighs in a batch and in the window, in bytes.
        let byteCount: Int
        /// When its pause is over.
        var pausedUntil = FeedInstant.start
        var deadline = FeedInstant.never
        /// The ID of the next operation on the same document; 0 where there is none.
        private var nextID: UInt64 = 0
        let lane: LaneKey
        /// Sends that failed and are charged.
        var attempts: Int32 = 0
        var sends: Int32 = 0
        var state = State.behind
        /// A copy may have had its effect, or may still have it.
        var isMaybeApplied = false
        /// Its time is up; when it comes back undone, it is not tried again.
        var isOverdue = false
        var hasRow = false

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

    /// An operation with what the feeder knows of it.
    private struct Held {
        var entry: Entry
        let operation: ContentOperation
    }

    /// What is in the ring, and beside it the operations themselves.
    private var entries: [Entry]
    private var operations: [ContentOperation?]
    private var aside: [OperationID: Held] = [:]
    /// The ring holds IDs from `start` up to, not including, `end`.
    private var start: UInt64
    private var end: UInt64
    /// The highest ID that is settled, passed over or set aside.
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

    /// The ID that the next operation gets.
    var next: OperationID { OperationID(rawValue: end) }

    /// The lowest ID that has an operation, or that the next one gets.
    var lowest: OperationID { min(OperationID(rawValue: start), aside.keys.min() ?? next) }

    /// The lowest of those that have no row of their own in the journal.
    var lowestWithoutRow: OperationID {
        var id = start
        while id < end, entries[index(id)].state == .vacant { id += 1 }
        return OperationID(rawValue: id)
    }

    /// IDs between the lowest and the next.
    var span: Int { Int(end - lowest.rawValue) }

    subscript(id: OperationID) -> Entry? {
        if let place = place(of: id) { return entries[place] }
        return aside.isEmpty ? nil : aside[id]?.entry
    }

    func operation(_ id: OperationID) -> ContentOperation? {
        if let place = place(of: id) { return operations[place] }
        return aside[id]?.operation
    }

    /// Is neither settled nor brought back by a row.
    func isUnsettled(_ id: OperationID, countingRows: Bool) -> Bool {
        if place(of: id) != nil { return true }
        guard let entry = aside[id]?.entry else { return false }
        return countingRows || !entry.hasRow
    }

    /// Takes the operation that the input brings next: its ID is ``next``.
    mutating func append(_ operation: consuming ContentOperation, _ entry: Entry) {
        if end - start == UInt64(entries.count) { grow() }
        entries[index(end)] = entry
        operations[index(end)] = .some(consume operation)
        end += 1
        count += 1
        byteCount += entry.byteCount
    }

    /// Passes over an ID whose operation is settled already, or has a row.
    mutating func skip() {
        if start == end {
            start += 1
        } else if end - start == UInt64(entries.count) {
            grow()
        }
        highestOut = max(highestOut, next)
        end += 1
    }

    /// Takes an operation that a row of the journal brings back.
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

    /// Takes an operation out; what was known of it is to be read before.
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

    /// Where the ring has an operation.
    private func place(of id: OperationID) -> Int? {
        guard id.rawValue >= start, id.rawValue < end else { return nil }
        let place = index(id.rawValue)
        return entries[place].state == .vacant ? nil : place
    }

    private func index(_ id: UInt64) -> Int { Int(id & UInt64(entries.count - 1)) }
}
