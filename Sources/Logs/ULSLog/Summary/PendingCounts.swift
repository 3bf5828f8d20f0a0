/// Rows that are to be counted, a few dozen at a time.
///
/// To take hold of a table takes as long as to count a row in it; so that is done once for many rows.
struct PendingCounts {
    /// What is counted of a row.
    struct Row {
        var time = PackedTime(clock: 0, lowBits: 0, offset: 0)
        /// Numbers of columns and correlation; correlation 0 is none.
        var columns: UInt32 = 0
        var correlation: UInt32 = 0
        var rank: UInt8 = 0
    }

    private static let maximum = 64

    private var rows = InlineArray<64, Row>(repeating: Row())
    private var count = 0

    /// Whether the rows must be counted before the next one is added.
    var isFull: Bool { count >= Self.maximum }

    @inline(__always)
    mutating func append(_ row: Row) {
        rows[count] = row
        count &+= 1
    }

    /// Counts the rows in tables that have room for all their numbers.
    mutating func count(in columns: inout [Int], _ correlations: inout [CorrelationCount]) {
        var columns = columns.mutableSpan
        var correlations = correlations.mutableSpan
        for index in 0..<count {
            let row = rows[index]
            columns[Int(row.columns)] &+= 1
            if row.correlation != 0 { correlations[Int(row.correlation)].add(row.time, rank: row.rank) }
        }
        count = 0
    }
}
