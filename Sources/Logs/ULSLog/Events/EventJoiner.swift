import ULSRows

/// A joiner of split messages that releases events in the order of their first rows.
///
/// A message that may continue delays later events until it is complete or ``OpenMessages`` gives up waiting for it.
struct EventJoiner {
    private struct Waiting {
        var event: ULSEvent
        /// The key of the message's parts, which is set as long as the message may continue.
        var key: UInt64?
        var server: String?
        /// The number of the pattern to match; see ``EventItem``.
        var pattern: Int?
    }

    private let filter: RecordFilter
    private let search: MessageSearch?
    private var queue: [Waiting] = []
    /// The number of complete events at the queue's beginning.
    private var ready = 0
    /// The number of events that have left the queue, which is also the number of its first event.
    private var left = 0
    /// The numbers of the events with open messages.
    private var open = OpenMessages<Int>()
    /// The keys of messages that were released before all their parts arrived, so that a late part has a known
    /// beginning.
    private var givenUp: Set<UInt64> = []
    /// The number of bytes of each server's log that were read, up to the current unit.
    private var progress: [String?: Int64] = [:]
    private var position: [String?: Int64] = [:]
    private(set) var quality = ReadQuality()
    private let prefilter: (any EventPrefilter)?
    /// The matcher, which is created when it is needed.
    private var matcher: (any MessageMatcher)?

    init(filter: RecordFilter, prefilter: (any EventPrefilter)? = nil) {
        self.filter = filter
        search = filter.makeSearch()
        self.prefilter = prefilter
    }

    /// Takes the next record, whose unit begins after `lines` lines of the text.
    mutating func take(_ item: consuming EventItem, lines: Int, server: String?) {
        var item = item
        item.event.place.line += lines
        item.event.place.lineEnd += lines
        let here = progress[server, default: 0] + item.position
        position[server] = here
        switch item.split {
        case nil: append(item, key: nil, server)
        case .head: appendHead(item, server, here)
        case .part(let isMarked, let hasMore):
            if let number = open.part(key: item.keys.key, isMarked: isMarked, at: here, hasMore: hasMore),
                isWaiting(number)
            {
                join(item.event, to: number, hasMore: hasMore)
            } else {
                item.event.isOrphan = isMarked
                if isMarked, !givenUp.contains(item.keys.key) { quality.orphans += 1 }
                if hasMore { appendHead(item, server, here) } else { append(item, key: nil, server) }
            }
        case .trace(let trace):
            if let number = open.trace(trace, key: item.keys.key, at: here), isWaiting(number) {
                queue[number - left].key = item.keys.key
                join(item.event, to: number, hasMore: true)
            } else {
                appendHead(item, server, here)
            }
        }
        // No message waits for its remaining parts beyond the maximum distance; if the queue grows too long, it is
        // released earlier. This limit must not depend on when events are released.
        countReady()
        if queue.count - ready > LogLimit.openParts.maximum {
            queue[ready].key = nil
            countReady()
        }
    }

    /// Ends a unit of a server's log that had this many bytes.
    mutating func endUnit(bytes: Int64, server: String?) { progress[server, default: 0] += bytes }

    /// Releases the complete events, in order.
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
            // Most events need no second check.
            if filter.hasTexts, !filter.wantsMessage(of: queue[count - 1].event, search) { continue }
            if queue[count - 1].pattern != nil, !matches(queue[count - 1]) { continue }
            try body(queue[count - 1].event)
        }
    }

    /// The number of records taken so far.
    var taken: Int { left + queue.count }

    /// Gives up waiting for the remaining parts of messages among the first `number` records; a part that arrives later
    /// is a separate event.
    mutating func giveUp(before number: Int) { giveUp { $0 < number } }

    /// Gives up waiting for the rest of one record's message.
    mutating func giveUp(_ number: Int) { giveUp { $0 == number } }

    private mutating func giveUp(_ isDue: (Int) -> Bool) {
        let waiting = queue.indices.filter { queue[$0].key != nil && isDue($0 + left) }
        guard !waiting.isEmpty else { return }
        if givenUp.count > LogLimit.openParts.maximum { givenUp = [] }
        for index in waiting {
            if let key = queue[index].key { givenUp.insert(key) }
            queue[index].key = nil
        }
        open.forget(where: isDue)
    }

    /// Releases all remaining events.
    mutating func finish(_ body: (borrowing ULSEvent) throws -> Void) rethrows {
        for index in queue.indices { queue[index].key = nil }
        try release(body)
        quality.reach(.openParts, times: open.evicted)
    }

    /// Continues counting the complete events at the queue's beginning.
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

    /// Returns whether an event is still waiting for the rest of its message; false if it has given up.
    private mutating func isWaiting(_ number: Int) -> Bool {
        if queue.indices.contains(number - left), queue[number - left].key != nil { return true }
        quality.reach(.openParts)
        return false
    }

    /// Returns whether a joined message matches its pattern.
    private mutating func matches(_ waiting: borrowing Waiting) -> Bool {
        guard let pattern = waiting.pattern, let prefilter else { return true }
        if matcher == nil { matcher = prefilter.makeMatcher() }
        return matcher?.matters(waiting.event[.message], pattern) ?? true
    }

    private mutating func append(_ item: consuming EventItem, key: UInt64?, _ server: String?) {
        queue.append(Waiting(event: item.event, key: key, server: server, pattern: item.pattern))
    }

    private mutating func appendHead(_ item: consuming EventItem, _ server: String?, _ here: Int64) {
        let keys = item.keys
        append(item, key: keys.key, server)
        open.open(left + queue.count - 1, keys, at: here)
    }

    private mutating func join(_ part: borrowing ULSEvent, to number: Int, hasMore: Bool) {
        let index = number - left
        quality.parts += 1
        if !queue[index].event.join(part) { quality.reach(.messageBytes) }
        if !hasMore { queue[index].key = nil }
    }
}

/// Messages that may continue in later rows.
///
/// A message is forgotten when it has waited for a mebibyte of its server's log, or when more than
/// ``LogLimit/openParts`` messages are waiting.
struct OpenMessages<Value> {
    private struct Entry {
        var value: Value
        var position: Int64
    }

    /// The maximum number of bytes of log between two parts of a message, which are written in quick succession.
    static var maximumDistance: Int64 { 1 << 20 }

    private var entries: [UInt64: Entry] = [:]
    /// The key of the last message that was opened, by the key of its parts without a correlation.
    private var last: [UInt64: UInt64] = [:]
    private(set) var evicted = 0

    /// Opens a message that ends at `position` and may continue.
    mutating func open(_ value: Value, _ keys: PartKeys, at position: Int64) {
        if entries.count >= LogLimit.openParts.maximum {
            // A position far ahead is that of another server, whose log was read earlier.
            entries = entries.filter { abs(position - $0.value.position) <= Self.maximumDistance }
            makeRoom()
        }
        if last.count >= 2 * LogLimit.openParts.maximum { last = last.filter { entries[$0.value] != nil } }
        entries[keys.key] = Entry(value: value, position: position)
        if let key = keys.withoutCorrelation { last[key] = keys.key }
    }

    /// Returns the key of the announcement of an exception whose rows have this key.
    static func announcement(of key: UInt64) -> UInt64 { ~key }

    /// Returns the message that a part of an exception continues; the message stays open.
    mutating func trace(_ trace: SplitMessage.Trace, key: UInt64, at position: Int64) -> Value? {
        switch trace {
        case .opening: return nil
        case .rest: return part(key: key, isMarked: false, at: position, hasMore: true)
        case .exception:
            let announced = Self.announcement(of: key)
            guard let value = part(key: announced, isMarked: false, at: position, hasMore: false) else { return nil }
            open(value, PartKeys(key: key), at: position)
            return value
        }
    }

    /// Returns the message that a part at `position` continues; the message stays open if more parts follow.
    ///
    /// A marked part without a correlation continues the last message with the same other columns.
    mutating func part(key: UInt64, isMarked: Bool, at position: Int64, hasMore: Bool) -> Value? {
        let key = isMarked && entries[key] == nil ? last[key] ?? key : key
        guard let entry = entries[key], position - entry.position <= Self.maximumDistance else { return nil }
        if hasMore { entries[key]?.position = position } else { entries[key] = nil }
        return entry.value
    }

    /// Returns whether a message may still continue once its server's log has been read up to `position`.
    func isOpen(key: UInt64, at position: Int64, where isSame: (Value) -> Bool) -> Bool {
        guard let entry = entries[key], isSame(entry.value) else { return false }
        return position - entry.position <= Self.maximumDistance
    }

    /// Forgets the messages for whose values `isDue` returns true.
    mutating func forget(where isDue: (Value) -> Bool) { entries = entries.filter { !isDue($0.value.value) } }

    /// Forgets the oldest messages until three quarters of the limit remain; removing them one by one would be slow.
    private mutating func makeRoom() {
        let wanted = LogLimit.openParts.maximum * 3 / 4
        guard entries.count > wanted else { return }
        let byAge = entries.sorted { ($0.value.position, $0.key) < ($1.value.position, $1.key) }
        for (key, _) in byAge.prefix(entries.count - wanted) { entries[key] = nil }
        evicted += byAge.count - wanted
    }
}

/// The time that a message waits for its remaining parts while a log is being written.
///
/// The parts of a message are written together; a message that merely ends in dots must not delay others for long.
struct JoiningPatience {
    let limit: Duration

    /// The numbers of records taken, at certain times.
    private var marks: [(taken: Int, time: Duration)] = []
    private var given = 0

    init(limit: Duration) { self.limit = limit }

    /// Records that `taken` records were taken by now, and returns how many of them were taken long enough ago.
    mutating func due(_ taken: Int, at now: Duration) -> Int {
        if marks.last?.taken != taken, taken > given { marks.append((taken, now)) }
        while let first = marks.first, now - first.time >= limit {
            given = first.taken
            marks.removeFirst()
        }
        return given
    }

    /// The time at which the next records will have waited long enough; `nil` if none are waiting.
    var nextTime: Duration? { marks.first.map { $0.time + limit } }
}

/// A merge of the events of lanes by time.
///
/// Each lane keeps its order, so a row that is older than the previous row directly follows it. If times are equal, the
/// event of the earlier lane comes first.
struct EventMerge {
    private struct Lane {
        var ready: [ULSEvent] = []
        var next = 0
        var isEnded = false
        /// The instant of the next event; for an event without a date, that of the previous event.
        var instant = Int64.min

        /// Reads the time of the next event.
        mutating func look() {
            guard next < ready.count else { return }
            let time = ready[next].time
            if time.hasDate { instant = time.instant }
        }
    }

    private var lanes: [Lane]

    init(laneCount: Int) { lanes = Array(repeating: Lane(), count: laneCount) }

    /// Delivers all events; `refill` adds a lane's next events and returns whether there may be more.
    mutating func run(
        refill: (Int, inout [ULSEvent]) throws -> Bool,
        body: (borrowing ULSEvent) throws -> Void
    ) rethrows {
        while true {
            for index in lanes.indices where lanes[index].next == lanes[index].ready.count && !lanes[index].isEnded {
                lanes[index].ready.removeAll(keepingCapacity: true)
                lanes[index].next = 0
                while lanes[index].ready.isEmpty, !lanes[index].isEnded {
                    lanes[index].isEnded = try !refill(index, &lanes[index].ready)
                }
                lanes[index].look()
            }
            var oldest: Int?
            for index in lanes.indices where lanes[index].next < lanes[index].ready.count {
                if let best = oldest, lanes[best].instant <= lanes[index].instant { continue }
                oldest = index
            }
            guard let oldest else { return }
            try body(lanes[oldest].ready[lanes[oldest].next])
            lanes[oldest].next += 1
            lanes[oldest].look()
        }
    }
}

/// The division of sources into lanes, each read in sequence, when servers are merged.
enum EventLanes {
    /// The maximum number of lanes that are read at the same time.
    static let maximum = 64

    /// Returns a lane for each server, and one for each source of an unknown server, except for a source that begins
    /// after another source ends.
    ///
    /// If there are too many, those of unknown servers may be folded into one lane, which a note reports.
    static func byServer(_ plan: ReadPlan, mayFold: Bool) throws -> (lanes: [[Int]], note: String?) {
        var lanes: [(server: String?, end: Int64?, sources: [Int])] = []
        for (number, source) in plan.sources.enumerated() where !plan.items[number].isEmpty {
            let lane =
                if let server = source.server {
                    lanes.firstIndex { $0.server?.lowercased() == server.lowercased() }
                } else if let start = source.nominalStart {
                    lanes.firstIndex { lane in lane.server == nil && lane.end.map { $0 <= start } ?? false }
                } else {
                    Int?.none
                }
            let end = source.server == nil ? FileTimes.last(of: source)?.clock : nil
            if let lane {
                lanes[lane].sources.append(number)
                lanes[lane].end = end
            } else {
                lanes.append((source.server, end, [number]))
            }
        }
        let unknown = lanes.filter { $0.server == nil }.flatMap(\.sources)
        if mayFold, lanes.count > maximum, lanes.count - lanes.count(where: { $0.server == nil }) < maximum {
            let known = lanes.filter { $0.server != nil }.map(\.sources)
            let note =
                "\(unknown.count) logs from unknown servers overlap and were read one after another; a request that is spread"
                + " over several of them may not be recognized"
            return (known + [unknown], note)
        }
        guard lanes.count <= maximum else {
            throw LogError(
                code: .usage,
                message: "\(lanes.count) logs from unknown servers overlap; at most \(maximum) can be merged at a time",
                advice: "name them SERVER-YYYYMMDD-HHMM.log, or specify fewer at a time"
            )
        }
        return (lanes.isEmpty ? [[]] : lanes.map(\.sources), nil)
    }
}
