extension TimeWindow {
    /// How far the times of a file's rows may be from those in its name and its neighbour's, in milliseconds.
    ///
    /// A name has minutes only, and clocks are set.
    static let nameMargin: Int64 = 10 * 60_000

    /// Whether a file may have rows in the window whose clock readings go from one to the other, as names of files say.
    ///
    /// False is certain, true is not.
    ///
    /// - Parameters:
    ///   - clockFrom: What the clock read when the file was begun, in milliseconds since 1970 on that clock.
    ///   - clockTo: What it read when the next file of this server was; nil if that is not known.
    ///   - zone: The server's zone, ``TimeZoneRules/utc`` for rows in UTC; nil if it is not known.
    /// - Returns: False if there are none for certain.
    public func mayOverlap(clockFrom: Int64, clockTo: Int64?, zone: TimeZoneRules?) -> Bool {
        let first = Self.bounded(min(clockFrom, clockTo ?? clockFrom))
        let last = clockTo.map { Self.bounded(max(clockFrom, $0)) }
        if isTimeOfDay {
            guard let last else { return true }
            let slack = ClockSteps.greatest(from: first, to: last, zone: zone) + Self.nameMargin
            return hours.touch(first - slack, last + slack)
        }
        return !isBehind(upper, first, last, zone) && !isBefore(lower, first, last, zone)
    }

    /// The clock reading before which no row of a file can be in the window, for finding its start by bisection.
    ///
    /// All rows behind a row of the window read at least this, also where the clock was set back for the end of summer
    /// time; so a search for the first row that reads it can't go past the window's start. Rows that different threads
    /// wrote at the same time may be some seconds out of order, which is the caller's to allow for.
    ///
    /// - Parameter zone: As for ``mayOverlap(clockFrom:clockTo:zone:)``.
    /// - Returns: Milliseconds since 1970 on the file's clock; nil when a file can't be bisected.
    public func clockLowerBound(zone: TimeZoneRules?) -> Int64? {
        guard let lower, !isTimeOfDay else { return nil }
        let start: Int64
        if lower.scale == .clock {
            start = lower.value
        } else {
            guard let zone else { return nil }
            start = lower.value + Int64(zone.offset(at: lower.value)) * 1000
        }
        return start - ClockSteps.greatest(from: start, to: start + ClockSteps.longest, zone: zone)
    }

    /// The window ends before the file begins.
    private func isBehind(_ upper: Bound?, _ first: Int64, _ last: Int64?, _ zone: TimeZoneRules?) -> Bool {
        guard let upper else { return false }
        if upper.scale == .instant {
            guard let zone else { return false }
            return upper.value < first - Int64(zone.offsets(ofClock: first).first) * 1000 - Self.nameMargin
        }
        let step = ClockSteps.greatest(from: first, to: last ?? first + 2 * CivilDate.dayLength, zone: zone)
        return upper.value < first - step - Self.nameMargin
    }

    /// The window begins after the file ends.
    private func isBefore(_ lower: Bound?, _ first: Int64, _ last: Int64?, _ zone: TimeZoneRules?) -> Bool {
        guard let lower, let last else { return false }
        if lower.scale == .instant {
            guard let zone else { return false }
            return lower.value > last - Int64(zone.offsets(ofClock: last).last) * 1000 + Self.nameMargin
        }
        return lower.value > last + ClockSteps.greatest(from: first, to: last, zone: zone) + Self.nameMargin
    }

    /// What a date can be; names of files say any number.
    private static func bounded(_ clock: Int64) -> Int64 {
        let limit = CivilDate.dayLength * 366 * 10_000
        return min(max(clock, -limit), limit)
    }
}

/// How far clocks are set back, which happens in one night of the year.
enum ClockSteps {
    /// The furthest that clocks are set back for the end of summer time, in milliseconds.
    ///
    /// An hour, in all zones but that of the Troll station in Antarctica.
    static let longest: Int64 = 3_600_000
    /// A stretch of readings that is longer is not looked at, in milliseconds.
    static let reach: Int64 = CivilDate.dayLength
    /// When clocks are set back and what they read again: 2 or 3 o'clock in most zones, midnight in others.
    private static let nights = DayHours(start: 21 * 3_600_000, end: 5 * 3_600_000)

    /// The most that a clock may be set back while it reads one time or the other or one between.
    static func greatest(from: Int64, to: Int64, zone: TimeZoneRules?) -> Int64 {
        guard to - from <= reach else { return longest }
        guard let zone else { return nights.touch(from, to) ? longest : 0 }
        var greatest: Int64 = 0
        var stretch = zone.stretch(at: from / 1000 - TimeZoneRules.greatestOffset)
        while stretch.end <= to / 1000 + TimeZoneRules.greatestOffset {
            let next = zone.stretch(at: stretch.end)
            greatest = max(greatest, Int64(stretch.offset - next.offset) * 1000)
            stretch = next
        }
        return greatest
    }
}
