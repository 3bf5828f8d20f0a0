/// The time that somebody wants to see.
///
/// A time without `Z` or offset is compared with the clock reading as rows show it, one with them with the instant, and
/// a time of day alone means that time on every day of the logs; a window of times of day may go over midnight.
public struct TimeWindow: Hashable, Sendable {
    /// Whether a row is in the window.
    public enum Membership: Hashable, Sendable {
        case inside
        case outside
        /// The row does not say enough: no time, no date, or no zone.
        case incomparable
    }

    /// The first or last millisecond of the window.
    struct Bound: Hashable {
        var scale: TimeText.Scale
        var value: Int64
    }

    var lower: Bound?
    var upper: Bound?

    /// Every row is in it, also those without a time.
    public static let all = TimeWindow()

    init(lower: Bound? = nil, upper: Bound? = nil) {
        self.lower = lower
        self.upper = upper
    }

    /// The time before a row, and its own.
    init(before time: LogTime, by milliseconds: Int64) {
        let isExact = time.quality == .exact
        let end = isExact ? time.instant : time.clock
        let scale: TimeText.Scale = isExact ? .instant : .clock
        self.init(lower: Bound(scale: scale, value: end - milliseconds), upper: Bound(scale: scale, value: end))
    }

    /// Whether the window leaves nothing out.
    public var isAll: Bool { lower == nil && upper == nil }

    /// Whether the window means the same hours on every day.
    public var isTimeOfDay: Bool { (lower ?? upper)?.scale == .timeOfDay }

    /// Whether a row of this time is in the window.
    public func contains(_ time: LogTime) -> Membership {
        if isAll { return .inside }
        if isTimeOfDay {
            guard time.quality != .none else { return .incomparable }
            return hours.contains(time.clock.flooredRemainder(by: CivilDate.dayLength)) ? .inside : .outside
        }
        var result = Membership.inside
        for (bound, isLower) in [(lower, true), (upper, false)] {
            guard let bound else { continue }
            guard let value = Self.value(of: time, on: bound.scale) else {
                result = .incomparable
                continue
            }
            // What one bound shuts out is outside, whatever the other says.
            if isLower ? value < bound.value : value > bound.value { return .outside }
        }
        return result
    }

    /// Whether the window may have a part of the time between two rows; false is certain.
    func mayTouch(from start: LogTime, until end: LogTime) -> Bool {
        guard !isTimeOfDay else { return true }
        if let lower, let value = Self.value(of: end, on: lower.scale), value < lower.value { return false }
        if let upper, let value = Self.value(of: start, on: upper.scale), value > upper.value { return false }
        return true
    }

    /// The hours of a window without dates.
    var hours: DayHours {
        DayHours(start: lower?.value ?? 0, end: upper?.value ?? CivilDate.dayLength - 1)
    }

    private static func value(of time: LogTime, on scale: TimeText.Scale) -> Int64? {
        switch (scale, time.quality) {
        case (.clock, .exact), (.clock, .local), (.clock, .ambiguous), (.clock, .skipped): time.clock
        case (.instant, .exact): time.instant
        default: nil
        }
    }
}

/// A part of every day, in milliseconds since midnight, both ends included; over midnight when it ends before it starts.
struct DayHours: Hashable {
    var start: Int64
    var end: Int64

    func contains(_ time: Int64) -> Bool {
        start <= end ? start <= time && time <= end : time >= start || time <= end
    }

    /// Whether a stretch of clock readings, with dates, touches these hours of some day.
    func touch(_ from: Int64, _ to: Int64) -> Bool {
        let day = CivilDate.dayLength
        guard to - from < day else { return true }
        let first = from.flooredRemainder(by: day)
        let last = first + (to - from)
        let length = (end - start).flooredRemainder(by: day)
        return [start - day, start, start + day].contains { $0 <= last && first <= $0 + length }
    }
}
