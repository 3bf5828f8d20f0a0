import Memory

/// The first operation of each lane, by the lane's key.
///
/// A hash table whose keys are hashes already, with open addressing and eight bytes a lane: each operation of a feed
/// goes in and out once, at a random place, so what counts is that the table stays in the processor's cache.
struct LaneTable {
    private struct Line {
        /// 0 is no lane.
        var key: UInt32 = 0
        /// The lower half of the ID.
        var head: UInt32 = 0
    }

    private var lines = [Line](repeating: Line(), count: 64)
    private(set) var count = 0
    /// An ID near all those that are in the table: a window is narrower than half of what a UInt32 can tell apart, as
    /// ``FeedConfiguration/maximumWindowCount`` sees to.
    private var near = OperationID.first

    private var mask: Int { lines.count - 1 }

    /// Brings near what a look-up of the lane begins with, for one that comes soon.
    func prefetch(_ key: LaneKey) { lines.prefetch(Int(key.number) & mask) }

    /// Where the lane stands, until one is put in or taken out.
    func place(of key: LaneKey) -> Int? {
        var place = Int(key.number) & mask
        while true {
            let found = lines[place].key
            if found == key.number { return place }
            if found == 0 { return nil }
            place = (place + 1) & mask
        }
    }

    /// The first operation of the lane that stands there.
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

    /// Puts in a lane that is not there yet.
    mutating func insert(_ key: LaneKey, head: OperationID) {
        // Three quarters: longer searches, which go through neighbours, cost less than a larger table does.
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
        // What was put behind the hole because its own place was taken moves up.
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
