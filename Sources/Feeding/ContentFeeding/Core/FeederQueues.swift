/// The operations that may be sent, in the order in which they became ready.
struct ReadyQueue {
    private var ids: [OperationID] = []
    private var head = 0
    private(set) var count = 0
    private(set) var byteCount = 0
    /// The time since which the oldest one waits for others.
    private(set) var since: FeedInstant?

    mutating func append(_ id: OperationID, byteCount bytes: Int, at now: FeedInstant) {
        ids.append(id)
        count += 1
        byteCount += bytes
        if since == nil { since = now }
    }

    /// The next ID; its operation may have been settled meanwhile.
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

    /// Notes that an operation is no longer ready: it was taken, or its time ran out.
    mutating func left(byteCount bytes: Int) {
        count -= 1
        byteCount -= bytes
        if count == 0 { since = nil }
    }

    /// Restarts the wait of the remaining operations.
    mutating func restartLinger(at now: FeedInstant) {
        if count > 0 { since = now }
    }
}

/// Timers, earliest first: a binary heap.
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

    /// Removes and returns the earliest target if its time has come.
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
