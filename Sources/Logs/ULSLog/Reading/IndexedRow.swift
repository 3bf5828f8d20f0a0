/// Where a row is and what can be asked of it without reading it.
struct IndexedRow: Hashable, Sendable {
    /// Milliseconds since 1970, in UTC where that is known.
    var instant: Int64
    /// 16 bits for the number of the source, 4 for the level's rank, 44 for the offset: 16 TiB.
    private var bits: UInt64

    private static let offsetBits: UInt64 = 44

    init(instant: Int64, source: Int, rank: UInt8, offset: Int64) {
        self.instant = instant
        bits = UInt64(source) << 48 | UInt64(rank & 15) << Self.offsetBits | UInt64(offset)
    }

    var source: Int { Int(bits >> 48) }
    var rank: Int { Int(bits >> Self.offsetBits & 15) }
    var offset: Int64 { Int64(bits & (1 << Self.offsetBits - 1)) }

    func moved(to offset: Int64, source: Int) -> Self {
        Self(instant: instant, source: source, rank: UInt8(rank), offset: offset)
    }
}

/// Rows in blocks, so that adding some never copies all.
struct RowStore {
    private var blocks: [[IndexedRow]] = []
    private(set) var count = 0
    private static let blockSize = 1 << 16

    func has(_ row: Int) -> Bool { row >= 0 && row < count }

    subscript(_ row: Int) -> IndexedRow { blocks[row / Self.blockSize][row % Self.blockSize] }

    mutating func append(_ rows: [IndexedRow]) {
        for row in rows {
            if count % Self.blockSize == 0 {
                blocks.append([])
                blocks[blocks.count - 1].reserveCapacity(Self.blockSize)
            }
            blocks[blocks.count - 1].append(row)
            count += 1
        }
    }
}

/// A merge of lanes by time that never reorders the rows of one lane.
struct RowMerge {
    private struct Lane {
        var rows: [IndexedRow] = []
        var next = 0
        var isEnded = false
        var isEmpty: Bool { next == rows.count }
    }

    private var lanes: [Lane]

    init(laneCount: Int) { lanes = Array(repeating: Lane(), count: laneCount) }

    /// The lanes that must be filled before the next row is known.
    var emptyLanes: [Int] { lanes.indices.filter { lanes[$0].isEmpty && !lanes[$0].isEnded } }
    var isEnded: Bool { lanes.allSatisfy { $0.isEmpty && $0.isEnded } }

    mutating func fill(_ lane: Int, _ rows: [IndexedRow]) {
        lanes[lane].rows = rows
        lanes[lane].next = 0
    }

    mutating func end(_ lane: Int) { lanes[lane].isEnded = true }

    /// Takes rows until a lane that may have more has none.
    mutating func take(into rows: inout [IndexedRow]) {
        while lanes.allSatisfy({ !$0.isEmpty || $0.isEnded }) {
            var oldest: Int?
            for index in lanes.indices where !lanes[index].isEmpty {
                if let best = oldest,
                    lanes[best].rows[lanes[best].next].instant
                        <= lanes[index].rows[lanes[index].next].instant
                {
                    continue
                }
                oldest = index
            }
            guard let oldest else { return }
            rows.append(lanes[oldest].rows[lanes[oldest].next])
            lanes[oldest].next += 1
        }
    }
}
