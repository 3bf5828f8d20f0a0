/// What is counted of each correlation.
struct CorrelationCount {
    var id: CorrelationID
    var first: PackedTime
    var last: PackedTime
    var count: UInt32
    /// The worst level's rank.
    var rank: UInt8

    /// Before anything is counted.
    static let nothing = CorrelationCount(
        id: .none,
        first: PackedTime(clock: .max >> 12, lowBits: 0, offset: 0),
        last: PackedTime(clock: .min >> 12, lowBits: 0, offset: 0),
        count: 0,
        rank: .max
    )

    @inline(__always)
    mutating func add(_ time: PackedTime, rank: UInt8) {
        count &+= 1
        if time < first { first = time }
        if time > last { last = time }
        if rank < self.rank { self.rank = rank }
    }
}

/// Correlations, each of them once.
struct CorrelationTable {
    private(set) var counts: [CorrelationCount] = []
    /// The number of an entry, from 1, in the low half, and the high half of its hash above it; 0 is free.
    private var slots: [UInt64] = Array(repeating: 0, count: 1 << 13)
    private var mask = (1 << 13) - 1
    private let seed = HashSeed()

    /// Adds counts; `change` says what they make of those of the same correlation that are here.
    mutating func add(_ count: CorrelationCount, change: (inout CorrelationCount) -> Void) {
        let hash = seed.mixed(count.id.high, count.id.low)
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] != 0 {
            let entry = slots[slot]
            if (entry ^ hash) &>> 32 == 0 {
                let index = Int(truncatingIfNeeded: entry & 0xFFFF_FFFF) &- 1
                if counts[index].id == count.id { return change(&counts[index]) }
            }
            slot = (slot &+ 1) & mask
        }
        counts.append(count)
        slots[slot] = hash & 0xFFFF_FFFF_0000_0000 | UInt64(counts.count)
        if counts.count &* 2 > slots.count { grow() }
    }

    private mutating func grow() {
        slots = Array(repeating: 0, count: slots.count * 2)
        mask = slots.count - 1
        for (index, count) in counts.enumerated() {
            let hash = seed.mixed(count.id.high, count.id.low)
            var slot = Int(truncatingIfNeeded: hash) & mask
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = hash & 0xFFFF_FFFF_0000_0000 | UInt64(index + 1)
        }
    }
}
