/// What the clocks of a time zone show at which instant: past, present and future.
public struct TimeZoneRules: Hashable, Sendable {
    /// A time between two changes of the offset, in seconds since 1970-01-01T00:00:00Z.
    struct Stretch: Equatable {
        var start: Int64
        /// The first instant behind it.
        var end: Int64
        /// What the clocks are ahead of UTC, in seconds.
        var offset: Int32
    }

    /// No clock is further from UTC, in seconds; see RFC 9636 §3.2.
    static let greatestOffset: Int64 = 93_600

    /// As it was given.
    public let name: String
    /// The instants of the recorded changes, in ascending order.
    private let changes: [Int64]
    /// The offset before the first change, and that behind each.
    private let offsets: [Int32]
    /// What goes on behind the last recorded change; nil for the last offset.
    private let rule: YearlyRule?

    /// `offsets` has one element more than `changes`, which ascend.
    init(name: String, changes: [Int64], offsets: [Int32], rule: YearlyRule?) {
        self.name = name
        self.changes = changes
        self.offsets = offsets
        self.rule = rule
    }

    /// A zone whose clocks never change.
    init(name: String, fixedOffset: Int32) {
        self.init(name: name, changes: [], offsets: [fixedOffset], rule: nil)
    }

    /// Coordinated Universal Time.
    public static let utc = TimeZoneRules(name: "UTC", fixedOffset: 0)

    /// What the clocks are ahead of UTC at an instant, in seconds.
    ///
    /// The instant is in milliseconds since 1970-01-01T00:00:00Z.
    public func offset(at instant: Int64) -> Int32 { stretch(at: instant.flooredQuotient(by: 1000)).offset }

    /// What a clock reading of this zone means, given in milliseconds since 1970-01-01T00:00:00 on that clock.
    ///
    /// A reading that a change repeats gets the offset of the earlier instant, one that a change skips gets the offset
    /// that was in force before.
    public func resolve(clock: Int64) -> LogTime {
        let found = offsets(ofClock: clock)
        return LogTime(clock: clock, offset: found.first, quality: found.quality)
    }

    /// The offsets with which a clock reading means the earliest and the latest possible instant.
    func offsets(ofClock clock: Int64) -> (first: Int32, last: Int32, quality: LogTime.Quality) {
        let reading = clock.flooredQuotient(by: 1000)
        var stretch = stretch(at: reading - Self.greatestOffset)
        var before = stretch.offset
        var found: (first: Int32, last: Int32, isTwice: Bool)?
        while true {
            let instant = reading - Int64(stretch.offset)
            if instant >= stretch.end {
                before = stretch.offset
            } else if instant >= stretch.start {
                found = (found?.first ?? stretch.offset, stretch.offset, found != nil)
            }
            guard stretch.end <= reading + Self.greatestOffset else { break }
            stretch = self.stretch(at: stretch.end)
        }
        guard let found else { return (before, before, .skipped) }
        return (found.first, found.last, found.isTwice ? .ambiguous : .exact)
    }

    /// The time between two changes that holds an instant.
    func stretch(at instant: Int64) -> Stretch {
        if let rule, instant >= changes.last ?? .min {
            var stretch = rule.stretch(at: instant)
            stretch.start = max(stretch.start, changes.last ?? .min)
            return stretch
        }
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle] <= instant { low = middle + 1 } else { high = middle }
        }
        return Stretch(
            start: low == 0 ? .min : changes[low - 1],
            end: low == changes.count ? .max : changes[low],
            offset: offsets[low]
        )
    }
}
