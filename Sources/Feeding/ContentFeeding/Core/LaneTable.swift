/// The first and the last operation of each lane, by the lane's key.
///
/// A hash table whose keys are hashes already, with open addressing: finding a lane touches one or two cache lines, and
/// nothing is hashed a second time. Each operation of a feed goes in and out once, so it is worth a table of its own.
struct LaneTable {
    struct Line {
        /// 0 is no lane.
        fileprivate var key: UInt64 = 0
        var head = OperationID(rawValue: 0)
        var tail = OperationID(rawValue: 0)
    }

    private var lines = [Line](repeating: Line(), count: 64)
    private(set) var count = 0

    private var mask: Int { lines.count - 1 }

    /// Where the lane stands, until one is put in or taken out.
    func place(of key: LaneKey) -> Int? {
        var place = Int(truncatingIfNeeded: key.number) & mask
        while true {
            let found = lines[place].key
            if found == key.number { return place }
            if found == 0 { return nil }
            place = (place + 1) & mask
        }
    }

    subscript(place: Int) -> Line {
        get { lines[place] }
        set {
            lines[place].head = newValue.head
            lines[place].tail = newValue.tail
        }
    }

    /// Puts in a lane that is not there yet, with its only operation.
    mutating func insert(_ key: LaneKey, _ operation: OperationID) {
        // At most half full: then a search is over after a step or two.
        if 2 * (count + 1) > lines.count { grow() }
        count += 1
        put(Line(key: key.number, head: operation, tail: operation))
    }

    private mutating func put(_ line: Line) {
        var place = Int(truncatingIfNeeded: line.key) & mask
        while lines[place].key != 0 { place = (place + 1) & mask }
        lines[place] = line
    }

    mutating func remove(at place: Int) {
        var hole = place
        var next = (place + 1) & mask
        // What was put behind the hole because its own place was taken moves up.
        while lines[next].key != 0 {
            let home = Int(truncatingIfNeeded: lines[next].key) & mask
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
