/// What waits for its time, earliest first: a binary heap.
struct TimerQueue {
    enum Target: Hashable {
        /// An operation's pause is over.
        case operation(OperationID)
        /// A lane's hold is over.
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

    /// Takes out the earliest target if its time has come.
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
