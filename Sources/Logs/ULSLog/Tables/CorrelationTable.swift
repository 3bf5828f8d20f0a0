/// What is counted of each correlation.
struct CorrelationCount {
    var id: CorrelationID
    var first: PackedTime
    var last: PackedTime
    var count: UInt32
    /// The worst level's rank.
    var rank: UInt8

    @inline(__always)
    mutating func add(_ time: PackedTime, rank: UInt8) {
        count &+= 1
        if time < first { first = time }
        if time > last { last = time }
        if rank < self.rank { self.rank = rank }
    }
}

/// The correlations of one work unit, in order of appearance.
struct CorrelationTable {
    private(set) var counts: [CorrelationCount] = []
    /// The number of an entry, from 1, in the low half; the high half of its hash above it. 0 is free.
    private var slots: [UInt64] = Array(repeating: 0, count: 1 << 13)
    private var mask = (1 << 13) - 1
    /// The entry counted last: rows of one request follow each other.
    private var last = -1

    @inline(__always)
    mutating func count(_ id: CorrelationID, at time: PackedTime, rank: UInt8) {
        if last < 0 || counts[last].id != id { last = index(of: id, at: time) }
        counts[last].add(time, rank: rank)
    }

    /// Counts of one correlation that were made elsewhere: `change` says what they make of those that are here.
    mutating func add(_ count: CorrelationCount, change: (inout CorrelationCount) -> Void) {
        let before = counts.count
        let index = index(of: count.id, at: count.first)
        if counts.count > before { counts[index] = count } else { change(&counts[index]) }
    }

    private mutating func index(of id: CorrelationID, at time: PackedTime) -> Int {
        let hash = UInt64.mixed(id.high, id.low)
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] != 0 {
            let entry = slots[slot]
            if (entry ^ hash) &>> 32 == 0 {
                let index = Int(truncatingIfNeeded: entry & 0xFFFF_FFFF) &- 1
                if counts[index].id == id { return index }
            }
            slot = (slot &+ 1) & mask
        }
        counts.append(CorrelationCount(id: id, first: time, last: time, count: 0, rank: .max))
        slots[slot] = hash & 0xFFFF_FFFF_0000_0000 | UInt64(counts.count)
        if counts.count &* 2 > slots.count { grow() }
        return counts.count &- 1
    }

    private mutating func grow() {
        slots = Array(repeating: 0, count: slots.count * 2)
        mask = slots.count - 1
        for (index, count) in counts.enumerated() {
            let hash = UInt64.mixed(count.id.high, count.id.low)
            var slot = Int(truncatingIfNeeded: hash) & mask
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = hash & 0xFFFF_FFFF_0000_0000 | UInt64(index + 1)
        }
    }
}
