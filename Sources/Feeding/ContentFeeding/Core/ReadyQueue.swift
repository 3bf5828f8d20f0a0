/// The operations that may be sent, in the order in which they came to be so.
struct ReadyQueue {
    private var ids: [OperationID] = []
    private var head = 0
    private(set) var count = 0
    private(set) var byteCount = 0
    /// Since when the oldest one waits for company.
    private(set) var since: FeedInstant?

    mutating func append(_ id: OperationID, byteCount bytes: Int, at now: FeedInstant) {
        ids.append(id)
        count += 1
        byteCount += bytes
        if since == nil { since = now }
    }

    /// The next ID; it may be one whose operation has meanwhile been settled.
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

    /// Says that an operation is no longer ready: it was taken, or its time ran out.
    mutating func left(byteCount bytes: Int) {
        count -= 1
        byteCount -= bytes
        if count == 0 { since = nil }
    }

    /// Those that are left start to wait anew.
    mutating func restartLinger(at now: FeedInstant) {
        if count > 0 { since = now }
    }
}
