/// Counts the records of one work unit.
struct SummarySink: RecordSink {
    var columnCounts: [Int] = []
    var ranks: [UInt8] = []
    var correlations = CorrelationTable()
    var first = Int64.max
    var last = Int64.min
    var records = 0

    @inline(__always)
    mutating func take(_ window: borrowing ByteWindow, _ fields: borrowing RowFields) {
        records &+= 1
        if fields.columns >= columnCounts.count { learn(window, fields) }
        columnCounts[fields.columns] &+= 1
        let time = PackedTime(clock: fields.clock, lowBits: 0, offset: 0)
        if fields.hasCorrelation { correlations.count(fields.correlation, at: time, rank: ranks[fields.columns]) }
        if time.rawValue < first { first = time.rawValue }
        if time.rawValue > last { last = time.rawValue }
    }

    @inline(never)
    private mutating func learn(_ window: borrowing ByteWindow, _ fields: borrowing RowFields) {
        while columnCounts.count <= fields.columns {
            columnCounts.append(0)
            ranks.append(6)
        }
    }
}
