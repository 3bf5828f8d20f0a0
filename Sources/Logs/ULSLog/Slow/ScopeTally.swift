/// What the rows of one key come to.
struct ScopeTally: Sendable, Equatable {
    var isRequest: Bool
    /// Entering rows.
    var entered = 0
    /// Leaving rows, with a duration or without.
    var left = 0
    /// The durations that Leaving rows say, in microseconds.
    var durations = DurationHistogram()

    init(isRequest: Bool) { self.isRequest = isRequest }

    /// How many rows.
    var rows: Int { entered + left }

    /// How often it was entered and never left, as far as the rows show.
    ///
    /// The service does not write every Entering row: many scopes are only heard of when they were left and had taken
    /// long. Such a row without its Entering row hides one that was entered and not left, so this is the least it can be.
    var open: Int { max(0, entered - left) }

    mutating func merge(_ other: ScopeTally) {
        entered += other.entered
        left += other.left
        durations.merge(other.durations)
    }

    /// For a report, under the key as a person reads it.
    func summary(key: String) -> ScopeDurations {
        ScopeDurations(
            key: key,
            isRequest: isRequest,
            count: left,
            p50: durations.quantile(0.5) ?? 0,
            p95: durations.quantile(0.95) ?? 0,
            max: durations.max,
            total: durations.total,
            open: open
        )
    }
}
