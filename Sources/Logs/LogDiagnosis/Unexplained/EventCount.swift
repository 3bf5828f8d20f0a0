import ULSLog

/// How many events there are of a kind, how bad, and the earliest of them.
struct EventCount: Sendable {
    var count = 0
    var worst = Int.max
    /// `nil` only where somebody else has an earlier one.
    var example: ULSEvent?

    mutating func add(rank: Int) {
        count += 1
        worst = min(worst, rank)
    }

    /// Takes an event for the example if it is earlier, or there is none.
    mutating func show(_ event: borrowing ULSEvent) {
        if let example, !Self.isEarlier(event, than: example) { return }
        var kept = copy event
        _ = kept.truncateMessage(to: Evidence.maximumText + 4)
        example = kept
    }

    mutating func add(_ other: EventCount) {
        count += other.count
        worst = min(worst, other.worst)
        if let event = other.example { show(event) }
    }

    /// By time, then by place: the same whoever counts.
    static func isEarlier(_ one: borrowing ULSEvent, than other: borrowing ULSEvent) -> Bool {
        if one.time.instant != other.time.instant { return one.time.instant < other.time.instant }
        return (one.place.file, one.place.line) < (other.place.file, other.place.line)
    }
}
