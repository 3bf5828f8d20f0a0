/// The span of time that a user wants to see.
///
/// A time without `Z` or offset is compared with the clock reading as rows show it, one with either with the instant,
/// and a time of day alone means that time on every day of the logs; a window of times of day may span midnight. A time
/// that counts from now is an instant; rows whose zone is unknown are compared with what this machine's clock read then.
public struct TimeWindow: Hashable, Sendable {
    /// Whether a row is in the window.
    public enum Membership: Hashable, Sendable {
        case inside
        case outside
        /// The row does not give enough: no time, no date, or no zone.
        case incomparable
    }

    /// The first or last millisecond of the window.
    struct Bound: Hashable {
        var scale: TimeText.Scale
        var value: Int64
        /// The clock reading for rows whose zone is unknown, if the bound counts from now.
        var reading: Int64?
        /// Milliseconds before now.
        var reach: Int64?

        /// Returns how much later than the bound a row is, in milliseconds; `nil` if the row does not tell.
        func lead(of time: LogTime) -> Int64? {
            switch (scale, time.quality) {
            case (.clock, .exact), (.clock, .local), (.clock, .ambiguous), (.clock, .skipped): time.clock - value
            case (.instant, .exact): time.instant - value
            case (.instant, .local), (.instant, .ambiguous), (.instant, .skipped): reading.map { time.clock - $0 }
            default: nil
            }
        }
    }

    var lower: Bound?
    var upper: Bound?

    /// The window of every row, including those without a time.
    public static let all = TimeWindow()

    init(lower: Bound? = nil, upper: Bound? = nil) {
        self.lower = lower
        self.upper = upper
    }

    /// Creates the window that ends with a row's time and begins `milliseconds` before it.
    init(before time: LogTime, by milliseconds: Int64) {
        let isExact = time.quality == .exact
        let end = isExact ? time.instant : time.clock
        let scale: TimeText.Scale = isExact ? .instant : .clock
        self.init(lower: Bound(scale: scale, value: end - milliseconds), upper: Bound(scale: scale, value: end))
    }

    /// Whether the window leaves nothing out.
    public var isAll: Bool { lower == nil && upper == nil }

    /// Milliseconds before now at which the window begins, if its beginning was given so: `--since 15m`.
    public var reachFromNow: Int64? { lower?.reach }

    /// Whether the window covers the same hours on every day.
    public var isTimeOfDay: Bool { (lower ?? upper)?.scale == .timeOfDay }

    /// Whether the window covers hours on both sides of every midnight.
    public var spansMidnight: Bool { isTimeOfDay && hours.start > hours.end }

    /// Returns whether a row of this time is in the window.
    public func contains(_ time: LogTime) -> Membership {
        if isAll { return .inside }
        if isTimeOfDay {
            guard time.quality != .none else { return .incomparable }
            return hours.contains(time.clock.flooredRemainder(by: CivilDate.dayLength)) ? .inside : .outside
        }
        var result = Membership.inside
        for (bound, isLower) in [(lower, true), (upper, false)] {
            guard let bound else { continue }
            guard let lead = bound.lead(of: time) else {
                result = .incomparable
                continue
            }
            // A time that one bound excludes is outside, whatever the other bound says.
            if isLower ? lead < 0 : lead > 0 { return .outside }
        }
        return result
    }

    /// Returns whether the window may have a part of the time between two rows; false is certain.
    func mayTouch(from start: LogTime, until end: LogTime) -> Bool {
        guard !isTimeOfDay else { return true }
        if let lead = lower?.lead(of: end), lead < 0 { return false }
        if let lead = upper?.lead(of: start), lead > 0 { return false }
        return true
    }

    /// The hours of a window without dates.
    var hours: DayHours {
        DayHours(start: lower?.value ?? 0, end: upper?.value ?? CivilDate.dayLength - 1)
    }
}

/// A part of every day, in milliseconds since midnight, both ends included; spans midnight if it ends before it starts.
struct DayHours: Hashable {
    var start: Int64
    var end: Int64

    func contains(_ time: Int64) -> Bool {
        start <= end ? start <= time && time <= end : time >= start || time <= end
    }

    /// Returns whether a stretch of clock readings, with dates, touches these hours of some day.
    func touch(_ from: Int64, _ to: Int64) -> Bool {
        let day = CivilDate.dayLength
        guard to - from < day else { return true }
        let first = from.flooredRemainder(by: day)
        let last = first + (to - from)
        let length = (end - start).flooredRemainder(by: day)
        return [start - day, start, start + day].contains { $0 <= last && first <= $0 + length }
    }
}

extension TimeWindow {
    /// Milliseconds that `--around` reaches to either side by default.
    private static let defaultReach: Int64 = 5 * 60_000

    /// Creates the window that `--since TIME`, `--until TIME` and `--around TIME[±DURATION]` ask for.
    ///
    /// Both ends are included. `--until 10:42` ends at 10:42:00.000; a day includes all of it. Without `now`, no time
    /// may count from it.
    public init(
        since: String? = nil,
        until: String? = nil,
        around: String? = nil,
        now: TimeReference? = nil
    ) throws(TimeWindowError) {
        guard let around else {
            try self.init(since: since, until: until, now)
            return
        }
        guard since == nil, until == nil else {
            throw TimeWindowError(
                code: .conflict,
                message:
                    "--around cannot be combined with --since or --until: give --around '2011-09-26T10:39±5m' alone"
            )
        }
        try self.init(around: around, now)
    }

    private init(since: String?, until: String?, _ now: TimeReference?) throws(TimeWindowError) {
        let first = try since.map { text throws(TimeWindowError) in try TimeText(text, now: now) }
        let last = try until.map { text throws(TimeWindowError) in try TimeText(text, now: now) }
        if let first, let last, (first.scale == .timeOfDay) != (last.scale == .timeOfDay) {
            throw TimeWindowError(
                code: .needsDate,
                message:
                    "only one of --since '\(since ?? "")' and --until '\(until ?? "")' has a date: give both a date,"
                    + " like 2011-09-26T10:39, or neither"
            )
        }
        if let first, let last, first.scale == last.scale, first.scale != .timeOfDay, first.value > last.last {
            throw TimeWindowError(
                code: .reversed,
                message: "--since '\(since ?? "")' is after --until '\(until ?? "")': give the earlier one to --since"
            )
        }
        self.init(
            lower: first.map { Bound(scale: $0.scale, value: $0.value, reading: $0.reading, reach: $0.reach) },
            upper: last.map { Bound(scale: $0.scale, value: $0.last, reading: $0.reading, reach: $0.reach) }
        )
    }

    private init(around text: String, _ now: TimeReference?) throws(TimeWindowError) {
        var center = text[...]
        var reach = Self.defaultReach
        for sign in ["±", "+/-", "+-"] {
            guard let place = Self.range(of: sign, in: text) else { continue }
            center = text[..<place.lowerBound]
            reach = try DurationText.parse(text[place.upperBound...].drop { $0 == " " })
            break
        }
        let time = try TimeText(String(center), now: now)
        guard time.precision < CivilDate.dayLength else {
            throw TimeWindowError(
                code: .needsTimeOfDay,
                message:
                    "'\(center)' is a whole day: give --around a time, like 2011-09-26T10:39, or give the day to both"
                    + " --since and --until"
            )
        }
        var (start, end) = (time.value - reach, time.end + reach)
        if time.scale == .timeOfDay {
            guard end - start < CivilDate.dayLength - 1 else {
                throw TimeWindowError(
                    code: .needsDate,
                    message: "'\(text)' covers the whole day: give a date, like 2011-09-26T10:39±2d"
                )
            }
            start = start.flooredRemainder(by: CivilDate.dayLength)
            end = end.flooredRemainder(by: CivilDate.dayLength)
        }
        self.init(
            lower: Bound(scale: time.scale, value: start, reading: time.reading.map { $0 - reach }),
            upper: Bound(scale: time.scale, value: end, reading: time.reading.map { $0 + reach })
        )
    }

    private static func range(of sign: String, in text: String) -> Range<String.Index>? {
        let wanted = Array(sign.utf8)
        var start = text.utf8.startIndex
        while start < text.utf8.endIndex {
            if text.utf8[start...].starts(with: wanted) {
                return start..<text.utf8.index(start, offsetBy: wanted.count)
            }
            text.utf8.formIndex(after: &start)
        }
        return nil
    }
}

/// The reason why a time window can't be understood.
public struct TimeWindowError: Error, Hashable, Sendable {
    /// The kinds of failure.
    public struct Code: Hashable, Sendable {
        private enum Wrapped { case malformedTime, malformedDuration, needsTimeOfDay, needsDate, reversed, conflict }
        private let wrapped: Wrapped

        /// The text is no time.
        public static let malformedTime = Code(wrapped: .malformedTime)
        /// The text is no duration.
        public static let malformedDuration = Code(wrapped: .malformedDuration)
        /// A date alone, which can't be the center of a window.
        public static let needsTimeOfDay = Code(wrapped: .needsTimeOfDay)
        /// A time of day that makes sense only with a date.
        public static let needsDate = Code(wrapped: .needsDate)
        /// The end is before the start.
        public static let reversed = Code(wrapped: .reversed)
        /// Two options that exclude each other.
        public static let conflict = Code(wrapped: .conflict)
    }

    /// The kind of failure.
    public var code: Code
    /// The mistake, where it is, and an example.
    public var message: String
}

extension TimeWindowError: CustomStringConvertible {
    public var description: String { message }
}
