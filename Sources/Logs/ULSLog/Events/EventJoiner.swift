/// Joins the parts of split messages, and lets events out in the order of their first rows.
///
/// A message that may go on holds up those behind it, until it is whole or ``OpenMessages`` gives it up.
struct EventJoiner {
    private struct Waiting {
        var event: ULSEvent
        /// Set while the message may go on.
        var key: UInt64?
        var server: String?
        /// See ``EventItem``.
        var pattern: Int?
    }

    private let filter: RecordFilter
    private var queue: [Waiting] = []
    /// How many events at the queue's beginning are whole.
    private var ready = 0
    /// How many events have left the queue: the number of its first.
    private var left = 0
    /// The number of the event that an open message belongs to.
    private var open = OpenMessages<Int>()
    /// How far each server's log has been read, in bytes, up to the unit at hand.
    private var progress: [String?: Int64] = [:]
    private var position: [String?: Int64] = [:]
    private(set) var quality = ReadQuality()
    private let chooser: (any EventChooser)?
    /// Made when it is needed.
    private var matcher: (any MessageMatcher)?

    init(filter: RecordFilter, chooser: (any EventChooser)? = nil) {
        self.filter = filter
        self.chooser = chooser
    }

    /// Takes the next record; the lines of its unit begin behind `lines` lines of the text.
    mutating func take(_ item: consuming EventItem, lines: Int, server: String?) {
        var item = item
        item.event.place.line += lines
        item.event.place.lineEnd += lines
        let here = progress[server, default: 0] + item.position
        position[server] = here
        switch item.role {
        case .whole: append(item, key: nil, server)
        case .head: appendHead(item, server, here)
        case .part(let isMarked, let hasMore):
            if let number = open.part(key: item.key, at: here, hasMore: hasMore), isWaiting(number) {
                join(item.event, to: number, hasMore: hasMore)
            } else {
                item.event.isOrphan = isMarked
                if isMarked { quality.orphans += 1 }
                if hasMore { appendHead(item, server, here) } else { append(item, key: nil, server) }
            }
        }
        // Nothing waits longer for its rest than the distance says; a long queue is let go before. That must not depend
        // on when events are released.
        countReady()
        if queue.count - ready > LogLimit.openParts.maximum {
            queue[ready].key = nil
            countReady()
        }
    }

    /// Says that a unit of a server's log has ended, which had so many bytes.
    mutating func endUnit(bytes: Int64, server: String?) { progress[server, default: 0] += bytes }

    /// Lets out the events that are whole, in order.
    mutating func release(_ body: (borrowing ULSEvent) throws -> Void) rethrows {
        countReady()
        var count = 0
        defer {
            queue.removeFirst(count)
            left += count
            ready -= count
        }
        while count < ready {
            count += 1
            // Most need not be looked at again.
            if filter.hasTexts, !filter.wantsMessage(of: queue[count - 1].event) { continue }
            if queue[count - 1].pattern != nil, !matches(queue[count - 1]) { continue }
            try body(queue[count - 1].event)
        }
    }

    /// Lets out all the rest.
    mutating func finish(_ body: (borrowing ULSEvent) throws -> Void) rethrows {
        for index in queue.indices { queue[index].key = nil }
        try release(body)
        quality.reach(.openParts, times: open.evicted)
    }

    /// Goes on counting events at the beginning that are whole.
    private mutating func countReady() {
        while ready < queue.count {
            if let key = queue[ready].key {
                let number = left + ready
                let here = position[queue[ready].server] ?? 0
                guard !open.isOpen(key: key, at: here, where: { $0 == number }) else { return }
                queue[ready].key = nil
            }
            ready += 1
        }
    }

    /// Whether an event waits for its rest; if not, it was given up.
    private mutating func isWaiting(_ number: Int) -> Bool {
        if queue.indices.contains(number - left), queue[number - left].key != nil { return true }
        quality.reach(.openParts)
        return false
    }

    /// Whether a joined message matches what it must.
    private mutating func matches(_ waiting: borrowing Waiting) -> Bool {
        guard let pattern = waiting.pattern, let chooser else { return true }
        if matcher == nil { matcher = chooser.makeMatcher() }
        return matcher?.matches(waiting.event[.message], pattern) ?? true
    }

    private mutating func append(_ item: consuming EventItem, key: UInt64?, _ server: String?) {
        queue.append(Waiting(event: item.event, key: key, server: server, pattern: item.pattern))
    }

    private mutating func appendHead(_ item: consuming EventItem, _ server: String?, _ here: Int64) {
        let key = item.key
        append(item, key: key, server)
        open.open(left + queue.count - 1, key: key, at: here)
    }

    private mutating func join(_ part: borrowing ULSEvent, to number: Int, hasMore: Bool) {
        let index = number - left
        quality.parts += 1
        if !queue[index].event.join(part) { quality.reach(.messageBytes) }
        if !hasMore { queue[index].key = nil }
    }
}
