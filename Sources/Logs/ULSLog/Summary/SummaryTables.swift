/// What was counted in a work unit.
struct SummaryTables: Sendable {
    /// The texts behind the numbers of columns: area to level, with tabs and padding.
    var columns: ColumnTable
    /// By number of columns: events.
    var counts: [Int]
    var correlations: [CorrelationCount]
    var servers: [ServerActivity]
    var minutes: [MinuteCount]
    var splits: [SplitRow]
    var scopes: ScopeTable
    /// Rows selected.
    var records: Int
    /// The times of these rows.
    var times: TimeSpan
    var incomparable: Int
    /// Records whose columns a full table could not tell apart.
    var overflow: Int
}

/// Events within a minute, or another step of time.
struct MinuteCount: Sendable {
    /// The step's number since 1970.
    var number: Int64
    var events = 0
    var abnormal = 0
}

/// A row that may be a part of a longer message: who knows is the one who sees all units.
struct SplitRow: Sendable {
    var role: EventItem.Role
    var key: UInt64
    /// Where it begins in its unit, in bytes.
    var position: Int64
    /// As an event of its own: what it would add to the counts.
    var columns: Int
    var rank: UInt8
    var correlation: CorrelationID
    var time: PackedTime
    /// The row itself, if it says that a scope was left: its name and duration may stand in two rows.
    var event: ULSEvent?
}
