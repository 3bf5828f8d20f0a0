import TextKit

/// The operations accepted but not settled, by ID.
///
/// New operations are kept in a ring, because their IDs are consecutive. An operation that is retried is set aside, so
/// it does not block the start of the ring, which would stop the reading of input.
struct OperationWindow {
    /// The feeder's record of an operation, which consists of plain numbers and is therefore cheap to examine.
    struct Entry {
        enum State: Hashable {
            /// The slot contains no operation.
            case vacant
            /// An earlier operation on the same document comes first.
            case behind
            case ready
            /// The operation is in a sub-batch, which is sent unchanged.
            case grouped
            case inFlight
            case paused
        }

        // In this order, the fields take up 48 bytes.
        /// The operation's size in a batch and in the window, in bytes.
        let byteCount: Int
        /// The end of the operation's pause.
        var pausedUntil = FeedInstant.start
        var deadline = FeedInstant.never
        /// The ID of the next operation on the same document; 0 if there is none.
        private var nextID: UInt64 = 0
        let lane: LaneKey
        /// The number of failed attempts that count.
        var attempts: Int32 = 0
        var sends: Int32 = 0
        var state = State.behind
        /// Whether a copy of the operation may have taken effect, or may still do so.
        var mayHaveApplied = false
        /// Whether the operation's time has run out, so it is not retried if the attempt in flight fails.
        var isOverdue = false
        var hasRow = false
        /// Whether the input contains an earlier removal of the same document.
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

    /// An operation and the feeder's record of it.
    private struct Held {
        var entry: Entry
        let operation: ContentOperation
    }

    /// The records in the ring, in parallel with the operations.
    private var entries: [Entry]
    private var operations: [ContentOperation?]
    private var aside: [OperationID: Held] = [:]
    /// The first ID of the ring, which contains the IDs from `start` up to, but not including, `end`.
    private var start: UInt64
    private var end: UInt64
    /// The highest ID that was settled, skipped or set aside.
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

    /// The lowest ID of an open operation; if there is none, the ID of the next operation.
    var lowest: OperationID { min(OperationID(rawValue: start), aside.keys.min() ?? next) }

    /// The lowest ID of an open operation without a journal row; if there is none, the ID of the next operation.
    var lowestWithoutRow: OperationID {
        var id = start
        while id < end, entries[index(id)].state == .vacant { id += 1 }
        return OperationID(rawValue: id)
    }

    /// The number of IDs from the lowest open one up to, but not including, the next one.
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

    /// Returns whether the operation is an addition (or an update, if updates add missing documents) that may have
    /// created the document that it now changes.
    func mayHaveBeenAdded(by id: OperationID, addsMissing: Bool) -> Bool {
        guard self[id]?.mayHaveApplied == true, let operation = operation(id),
            operation.kind == .add || operation.kind == .update && addsMissing
        else { return false }
        return switch operation.condition {
        case nil, .olderThan, .contents: true
        // The document, or its absence, has already been observed.
        case .absent, .unchanged: false
        }
    }

    /// Returns whether an operation is neither settled nor restored from a row.
    func isUnsettled(_ id: OperationID, countingRows: Bool) -> Bool {
        if place(of: id) != nil { return true }
        guard let entry = aside[id]?.entry else { return false }
        return countingRows || !entry.hasRow
    }

    /// Adds the next operation of the input, whose ID is ``next``.
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

    /// Removes an operation and returns it; the caller must read its record first.
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

    /// Returns an operation's index in the ring.
    private func place(of id: OperationID) -> Int? {
        guard id.rawValue >= start, id.rawValue < end else { return nil }
        let place = index(id.rawValue)
        return entries[place].state == .vacant ? nil : place
    }

    private func index(_ id: UInt64) -> Int { Int(id & UInt64(entries.count - 1)) }
}

/// Lanes of operations, one for each document, which ensure that operations on a document take effect in order.
///
/// Only the first operation of a lane may be sent. After a send with an unknown result, the lane is in quarantine: a
/// copy of the operation may still arrive, and the next operation must not be sent before it.
struct Lanes {
    struct Lane {
        var head: OperationID?
        var quarantinedUntil: FeedInstant?
    }

    private struct Quarantine {
        var until: FeedInstant
        /// The journal rows that preserve the quarantine through a crash: one for each document of the lane that needs
        /// one, because those documents may be in different lanes after a crash.
        var rows: [OperationID] = []
    }

    private var heads = LaneTable()
    /// The last operations of lanes with more than one.
    private var tails: [LaneKey: OperationID] = [:]
    /// The lanes' quarantines; there are few, unless something has gone wrong.
    private var quarantines: [LaneKey: Quarantine] = [:]
    /// The number of lanes kept only for their quarantine, which count like open operations.
    private(set) var idleCount = 0
    /// The journal rows of quarantines that have ended.
    private var endedRows: [OperationID] = []

    subscript(key: LaneKey) -> Lane? {
        let head = heads.place(of: key).map { heads[$0] }
        let quarantine = quarantine(of: key)
        return head == nil && quarantine == nil
            ? nil : Lane(head: head, quarantinedUntil: quarantine?.until)
    }

    /// Prefetches a lane that will be needed soon: lanes are scattered over a table that a feed accesses twice for each
    /// operation.
    func prefetch(_ key: LaneKey) { heads.prefetch(key) }

    private func quarantine(of key: LaneKey) -> Quarantine? { quarantines.isEmpty ? nil : quarantines[key] }

    /// Returns the end of the first quarantine that has not ended, and that of the last one; `nil` if there are none.
    func quarantineEnds(after now: FeedInstant) -> (first: FeedInstant, last: FeedInstant)? {
        let ends = quarantines.values.lazy.map(\.until).filter { $0 > now }
        guard let first = ends.min(), let last = ends.max() else { return nil }
        return (first, last)
    }

    /// Appends an operation to its document's lane, and returns the operation before it, or whether it may be sent at
    /// once.
    mutating func append(_ id: OperationID, _ key: LaneKey) -> Place {
        if let place = heads.place(of: key) {
            return .behind(tails.updateValue(id, forKey: key) ?? heads[place])
        }
        heads.insert(key, head: id)
        guard let until = quarantine(of: key)?.until else { return .first }
        idleCount -= 1
        return .quarantined(until: until)
    }

    enum Place {
        case first
        /// The operation is first in its lane, but the lane is in quarantine until this time.
        case quarantined(until: FeedInstant)
        case behind(OperationID)
    }

    /// Remembers a journal row that preserves the quarantine.
    mutating func addRow(_ row: OperationID, of key: LaneKey) { quarantines[key]?.rows.append(row) }

    /// Returns the journal rows that are no longer needed, each of them only once.
    mutating func takeEndedRows() -> [OperationID] {
        defer { endedRows = [] }
        return endedRows
    }

    private mutating func endQuarantine(_ key: LaneKey) {
        if let quarantine = quarantines.removeValue(forKey: key) { endedRows += quarantine.rows }
    }

    /// Restores the quarantine of a document that has no open operation.
    mutating func restoreQuarantine(_ key: LaneKey, row: OperationID, until: FeedInstant) {
        if self[key] == nil { idleCount += 1 }
        quarantine(key, until: until, row: row)
    }

    mutating func quarantine(_ key: LaneKey, until: FeedInstant) {
        if self[key] != nil { quarantine(key, until: until, row: nil) }
    }

    private mutating func quarantine(_ key: LaneKey, until: FeedInstant, row: OperationID?) {
        var quarantine = quarantines[key] ?? Quarantine(until: until)
        quarantine.until = max(quarantine.until, until)
        if let row { quarantine.rows.append(row) }
        quarantines[key] = quarantine
    }

    /// Removes the settled head from its lane, and returns the remaining state of the lane.
    mutating func removeHead(_ key: LaneKey, next: OperationID?, at now: FeedInstant) -> Lane? {
        guard let place = heads.place(of: key) else { return nil }
        if let until = quarantine(of: key)?.until, until <= now { endQuarantine(key) }
        let until = quarantine(of: key)?.until
        if let next {
            heads[place] = next
            if tails[key] == next { tails[key] = nil }
        } else {
            assert(tails[key] == nil, "the last operation of a lane follows another one")
            heads.remove(at: place)
            guard until != nil else { return nil }
            idleCount += 1
        }
        return Lane(head: next, quarantinedUntil: until)
    }

    /// Ends a quarantine that is due to end, and returns the operation that may be sent now.
    mutating func release(_ key: LaneKey, at now: FeedInstant) -> OperationID? {
        guard let until = quarantine(of: key)?.until, until <= now else { return nil }
        endQuarantine(key)
        guard let place = heads.place(of: key) else {
            idleCount -= 1
            return nil
        }
        return heads[place]
    }
}

/// The first operation of each lane, by the lane's key.
///
/// This is a hash table whose keys are already hashes, with open addressing and eight bytes per lane. Each operation of
/// a feed is inserted and removed once, at a random slot, so it is essential that the table stays in the CPU cache.
struct LaneTable {
    private struct Line {
        /// The lane's key; 0 if there is no lane.
        var key: UInt32 = 0
        /// The lower half of the operation's ID.
        var head: UInt32 = 0
    }

    private var lines = [Line](repeating: Line(), count: 64)
    private(set) var count = 0
    /// An ID close to all IDs in the table: ``FeedConfiguration/maximumWindowCount`` ensures that a window is narrower
    /// than half the range of a `UInt32`.
    private var near = OperationID.first

    private var mask: Int { lines.count - 1 }

    /// Prefetches the slot at which the lookup of a lane will start.
    fileprivate func prefetch(_ key: LaneKey) { lines.prefetch(Int(key.number) & mask) }

    /// Returns the slot of the lane, which is valid until a lane is inserted or removed.
    func place(of key: LaneKey) -> Int? {
        var place = Int(key.number) & mask
        while true {
            let found = lines[place].key
            if found == key.number { return place }
            if found == 0 { return nil }
            place = (place + 1) & mask
        }
    }

    /// The first operation of the lane in this slot.
    subscript(place: Int) -> OperationID {
        get {
            let distance = Int32(bitPattern: lines[place].head &- UInt32(truncatingIfNeeded: near.rawValue))
            return OperationID(rawValue: near.rawValue &+ UInt64(bitPattern: Int64(distance)))
        }
        set {
            lines[place].head = UInt32(truncatingIfNeeded: newValue.rawValue)
            near = newValue
        }
    }

    /// Inserts a lane that does not exist yet.
    mutating func insert(_ key: LaneKey, head: OperationID) {
        // The table is filled up to three quarters: longer searches through neighboring slots cost less than a larger
        // table.
        if 4 * (count + 1) > 3 * lines.count { grow() }
        count += 1
        near = head
        put(Line(key: key.number, head: UInt32(truncatingIfNeeded: head.rawValue)))
    }

    private mutating func put(_ line: Line) {
        var place = Int(line.key) & mask
        while lines[place].key != 0 { place = (place + 1) & mask }
        lines[place] = line
    }

    mutating func remove(at place: Int) {
        var hole = place
        var next = (place + 1) & mask
        // Lanes after the gap that were displaced from their own slots move up.
        while lines[next].key != 0 {
            let home = Int(lines[next].key) & mask
            if (next &- home) & mask >= (next &- hole) & mask {
                lines[hole] = lines[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        lines[hole].key = 0
        count -= 1
    }

    private mutating func grow() {
        let before = lines
        lines = [Line](repeating: Line(), count: 2 * before.count)
        for line in before where line.key != 0 { put(line) }
    }
}

/// The key of a document's lane: a number, so a lane can be found without access to the ID.
///
/// Documents with the same hash share a lane, so their operations occasionally wait for each other, as operations on
/// the same document do.
struct LaneKey: Hashable {
    /// The number, which is never 0.
    let number: UInt32

    init(number: UInt32) { self.number = max(1, number) }
}

/// The hash that maps a document's ID to its lane.
///
/// Swift's own hash is unsuitable, because its seed differs in each process, but feeds with the same seed must run
/// identically. As long as the seed is secret, an attacker can't choose IDs that all share a lane.
struct LaneHash {
    let seed: UInt64
    /// The bits of the hash that are used: ``FeedConfiguration/laneMask``.
    let mask: UInt32

    func hash(of document: DocumentID) -> UInt64 { document.utf8.withUnsafeBytes { hash(of: $0) } }

    /// Returns the hash of an operation's document, given the hash of its ID; documents with the same ID are different
    /// if they are routed differently.
    func hash(ofDocumentOf operation: borrowing ContentOperation, _ idHash: UInt64) -> UInt64 {
        guard let routing = operation.routing else { return idHash }
        return Self.mixed(idHash, Array(routing.text.utf8).withUnsafeBytes { hash(of: $0) })
    }

    func key(of hash: UInt64) -> LaneKey { LaneKey(number: UInt32(truncatingIfNeeded: hash) & mask) }

    func key(of document: DocumentID) -> LaneKey { key(of: hash(of: document)) }

    private func hash(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = seed ^ UInt64(bytes.count)
        var offset = 0
        while offset + 8 <= bytes.count {
            hash = Self.mixed(hash, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < bytes.count {
            rest = rest << 8 | UInt64(bytes[offset])
            offset += 1
        }
        return Self.mixed(Self.mixed(hash, rest), seed)
    }

    private static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: word ^ 0xD6E8_FEB8_6659_FD93)
        return product.high ^ product.low
    }
}

/// The operations that may be sent, in the order in which they became ready.
struct ReadyQueue {
    private var ids: [OperationID] = []
    private var head = 0
    private(set) var count = 0
    private(set) var byteCount = 0
    /// The time since which the oldest operation has been waiting for others.
    private(set) var since: FeedInstant?

    mutating func append(_ id: OperationID, byteCount bytes: Int, at now: FeedInstant) {
        ids.append(id)
        count += 1
        byteCount += bytes
        if since == nil { since = now }
    }

    /// The next ID; its operation may have been settled in the meantime.
    var first: OperationID? { head < ids.count ? ids[head] : nil }

    mutating func dropFirst() {
        head += 1
        if head == ids.count {
            ids.removeAll(keepingCapacity: true)
            head = 0
        } else if head > 65_536 {
            ids.removeFirst(head)
            head = 0
        }
    }

    /// Records that an operation is no longer ready, because it was taken or timed out.
    mutating func left(byteCount bytes: Int) {
        count -= 1
        byteCount -= bytes
        if count == 0 { since = nil }
    }

    /// Restarts the linger time of the remaining operations.
    mutating func restartLinger(at now: FeedInstant) {
        if count > 0 { since = now }
    }
}

/// Timers in a binary heap, earliest first.
struct TimerQueue {
    enum Target: Hashable {
        /// An operation's pause is over.
        case operation(OperationID)
        /// A lane's quarantine is over.
        case lane(LaneKey)
    }

    private var heap: [(at: FeedInstant, target: Target)] = []

    var earliest: FeedInstant? { heap.first?.at }

    mutating func insert(_ target: Target, at instant: FeedInstant) {
        heap.append((instant, target))
        var child = heap.count - 1
        while child > 0, case let parent = (child - 1) / 2, heap[child].at < heap[parent].at {
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes and returns the target of the earliest timer, if that timer is due.
    mutating func popDue(at now: FeedInstant) -> Target? {
        guard let first = heap.first, first.at <= now else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while case let left = 2 * parent + 1, left < heap.count {
            let right = left + 1
            let child = right < heap.count && heap[right].at < heap[left].at ? right : left
            guard heap[child].at < heap[parent].at else { break }
            heap.swapAt(child, parent)
            parent = child
        }
        return first.target
    }
}
