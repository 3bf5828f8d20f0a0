import TextKit

/// The time span that a user requests.
///
/// A time without `Z` or an offset is compared with the clock reading in the rows; a time with one of these is compared
/// with the instant. A time of day without a date denotes that time on every day of the logs; a window of times of day
/// may span midnight. A time relative to now is an instant; rows whose zone is unknown are compared with this machine's
/// clock reading at that instant.
public struct TimeWindow: Hashable, Sendable {
    /// Whether a row is in the window.
    public enum Membership: Hashable, Sendable {
        case inside
        case outside
        /// The row does not give enough information, because it lacks a time, a date, or a zone.
        case incomparable
    }

    /// The first or last millisecond of the window.
    package struct Bound: Hashable {
        package var scale: TimeText.Scale
        package var value: Int64
        /// The clock reading for rows whose zone is unknown, if the bound is relative to now.
        package var reading: Int64?
        /// The number of milliseconds before now, if the bound is relative to now.
        var reach: Int64?

        /// Returns the number of milliseconds by which a row is later than the bound; `nil` if the row does not give
        /// enough information.
        func lead(of time: LogTime) -> Int64? {
            switch (scale, time.quality) {
            case (.clock, .exact), (.clock, .local), (.clock, .ambiguous), (.clock, .skipped): time.clock - value
            case (.instant, .exact): time.instant - value
            case (.instant, .local), (.instant, .ambiguous), (.instant, .skipped): reading.map { time.clock - $0 }
            default: nil
            }
        }
    }

    package var lower: Bound?
    package var upper: Bound?

    /// The window of every row, including those without a time.
    public static let all = TimeWindow()

    init(lower: Bound? = nil, upper: Bound? = nil) {
        self.lower = lower
        self.upper = upper
    }

    /// Creates a window that ends with a row's time and begins `milliseconds` before it.
    package init(before time: LogTime, by milliseconds: Int64) {
        let isExact = time.quality == .exact
        let end = isExact ? time.instant : time.clock
        let scale: TimeText.Scale = isExact ? .instant : .clock
        self.init(lower: Bound(scale: scale, value: end - milliseconds), upper: Bound(scale: scale, value: end))
    }

    /// Whether the window leaves nothing out.
    public var isAll: Bool { lower == nil && upper == nil }

    /// The number of milliseconds before now at which the window begins, if it was specified that way: `--since 15m`.
    public var reachFromNow: Int64? { lower?.reach }

    /// Whether the window covers the same hours on every day.
    public var isTimeOfDay: Bool { (lower ?? upper)?.scale == .timeOfDay }

    /// Whether the window covers hours on both sides of every midnight.
    public var spansMidnight: Bool { isTimeOfDay && hours.start > hours.end }

    /// Returns the times at which the window begins around two rows that are in it; `nil` for a window with dates.
    ///
    /// They are equal if the rows are from the same day, or from the same night if the window spans midnight.
    package func beginnings(around first: LogTime, _ last: LogTime) -> (first: LogTime, last: LogTime)? {
        guard isTimeOfDay else { return nil }
        let begin = hours.start
        func beginning(_ time: LogTime) -> LogTime {
            LogTime(clock: time.clock - (time.clock - begin).flooredRemainder(by: CivilDate.dayLength), quality: .local)
        }
        return (beginning(first), beginning(last))
    }

    /// Returns whether a row with this time is in the window.
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
            // A time that one bound excludes is outside, regardless of the other bound.
            if isLower ? lead < 0 : lead > 0 { return .outside }
        }
        return result
    }

    /// Returns whether the window may overlap the time between two rows; false is certain.
    package func mayTouch(from start: LogTime, until end: LogTime) -> Bool {
        guard !isTimeOfDay else { return true }
        if let lead = lower?.lead(of: end), lead < 0 { return false }
        if let lead = upper?.lead(of: start), lead > 0 { return false }
        return true
    }

    /// The hours of a window without dates.
    package var hours: DayHours {
        DayHours(start: lower?.value ?? 0, end: upper?.value ?? CivilDate.dayLength - 1)
    }
}

/// A part of every day, in milliseconds since midnight, including both ends; it spans midnight if it ends before it
/// starts.
package struct DayHours: Hashable {
    fileprivate let start: Int64
    fileprivate let end: Int64

    package init(start: Int64, end: Int64) { (self.start, self.end) = (start, end) }

    package func contains(_ time: Int64) -> Bool {
        start <= end ? start <= time && time <= end : time >= start || time <= end
    }

    /// Returns whether a range of clock readings, with dates, overlaps these hours on any day.
    package func touch(_ from: Int64, _ to: Int64) -> Bool {
        let day = CivilDate.dayLength
        guard to - from < day else { return true }
        let first = from.flooredRemainder(by: day)
        let last = first + (to - from)
        let length = (end - start).flooredRemainder(by: day)
        return [start - day, start, start + day].contains { $0 <= last && first <= $0 + length }
    }
}

extension TimeWindow {
    /// The number of milliseconds that `--around` extends to either side by default.
    private static let defaultReach: Int64 = 5 * 60_000

    /// Creates the window that `--since TIME`, `--until TIME` and `--around TIME[±DURATION]` specify.
    ///
    /// Both ends are included. `--until 10:42` ends at 10:42:00.000; a day is included in its entirety. Without `now`,
    /// relative times are not allowed. With `excludesEnd`, the end is not included, so that adjacent windows have no
    /// row in common, and an end without a date is on the day of the start, or on the next if it would be before the
    /// start; errors then name neither `--since` nor `--until`.
    public init(
        since: String? = nil,
        until: String? = nil,
        around: String? = nil,
        now: TimeReference? = nil,
        excludesEnd: Bool = false
    ) throws(TimeWindowError) {
        guard let around else {
            try self.init(since: since, until: until, now, excludesEnd: excludesEnd)
            return
        }
        guard since == nil, until == nil else {
            throw TimeWindowError(
                code: .conflict,
                message:
                    "--around cannot be combined with --since or --until: use --around '2011-09-26T10:39±5m' alone"
            )
        }
        try self.init(around: around, now)
    }

    private init(since: String?, until: String?, _ now: TimeReference?, excludesEnd: Bool) throws(TimeWindowError) {
        let first = try since.map { text throws(TimeWindowError) in try TimeText(text, now: now) }
        var last = try until.map { text throws(TimeWindowError) in try TimeText(text, now: now) }
        if excludesEnd {
            last?.excludeEnd()
            if let first { last?.follow(first) }
        }
        let (start, end) = excludesEnd ? ("", "") : ("--since ", "--until ")
        if let first, let last, (first.scale == .timeOfDay) != (last.scale == .timeOfDay) {
            throw TimeWindowError(
                code: .needsDate,
                message:
                    "only one of \(start)'\(since ?? "")' and \(end)'\(until ?? "")' has a date: use a date in both,"
                    + " like 2011-09-26T10:39, or neither"
            )
        }
        if let first, let last, first.scale == last.scale, first.scale != .timeOfDay, first.value > last.last {
            throw TimeWindowError(
                code: .reversed,
                message: "\(start)'\(since ?? "")' is after \(end)'\(until ?? "")': use the earlier one "
                    + (excludesEnd ? "first" : "for --since")
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
                    "'\(center)' is a whole day: use a time for --around, like 2011-09-26T10:39, or use the day for both"
                    + " --since and --until"
            )
        }
        var (start, end) = (time.value - reach, time.value + reach)
        if time.scale == .timeOfDay {
            guard end - start < CivilDate.dayLength - 1 else {
                throw TimeWindowError(
                    code: .needsDate,
                    message: "'\(text)' covers the whole day: use a date, like 2011-09-26T10:39±2d"
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

/// The reason why a time window can't be parsed.
public struct TimeWindowError: Error, Hashable, Sendable {
    /// A kind of failure.
    public struct Code: Hashable, Sendable {
        private enum Wrapped { case malformedTime, malformedDuration, needsTimeOfDay, needsDate, reversed, conflict }
        private let wrapped: Wrapped

        /// The text is not a time.
        public static let malformedTime = Code(wrapped: .malformedTime)
        /// The text is not a duration.
        public static let malformedDuration = Code(wrapped: .malformedDuration)
        /// A date without a time of day, which can't be the center of a window.
        public static let needsTimeOfDay = Code(wrapped: .needsTimeOfDay)
        /// A time of day that makes sense only with a date.
        public static let needsDate = Code(wrapped: .needsDate)
        /// The end is before the start.
        public static let reversed = Code(wrapped: .reversed)
        /// Two mutually exclusive options.
        public static let conflict = Code(wrapped: .conflict)
    }

    /// The kind of failure.
    public var code: Code
    /// The error, its position, and an example.
    public var message: String
}

extension TimeWindowError: CustomStringConvertible {
    public var description: String { message }
}

/// A time as entered by a user.
package struct TimeText: Equatable {
    /// The property of a row that a time is compared with.
    package enum Scale: Equatable {
        /// The clock reading of a row.
        case clock
        /// The instant of a row.
        case instant
        /// The time of day of a row's clock reading.
        case timeOfDay
    }

    var scale: Scale
    /// The number of milliseconds since 1970, or since midnight for ``Scale/timeOfDay``.
    var value: Int64
    /// The precision of the text in milliseconds: a day, a minute, a second, or a part of a second.
    var precision: Int64
    /// The reading of this machine's clock at the instant of a relative time, for rows whose zone is unknown.
    var reading: Int64?
    /// The number of milliseconds before now, for a relative time.
    var reach: Int64?

    /// The last millisecond that the text may denote.
    private var end: Int64 { value + precision - 1 }

    /// Moves the time to the last millisecond before it; a day remains whole.
    fileprivate mutating func excludeEnd() {
        guard precision < CivilDate.dayLength else { return }
        value -= 1
        if scale == .timeOfDay { value = value.flooredRemainder(by: CivilDate.dayLength) }
        reading = reading.map { $0 - 1 }
    }

    /// Puts a time of day on the date of `start`, or on the next if it would be before it, if that is a clock reading.
    fileprivate mutating func follow(_ start: TimeText) {
        let day = CivilDate.dayLength
        guard scale == .timeOfDay, start.scale == .clock, start.precision < day else { return }
        scale = .clock
        value += start.value - start.value.flooredRemainder(by: day)
        if value < start.value { value += day }
    }

    /// The last millisecond of a window that ends with this time: a day is included entirely, whereas a time of day has
    /// just begun.
    var last: Int64 { precision >= CivilDate.dayLength ? end : value }

    fileprivate static let example =
        "write it like 2011-09-26T10:39:40, 2011-09-26T10:39Z, 09/26/2011 10:39:40.52, 10:39, 15m or yesterday"

    /// Reads a time relative to now (`15m`, `-2h`, `3d ago`, `now`, `today`, `yesterday`) or any other time.
    init(_ text: String, now: TimeReference?) throws(TimeWindowError) {
        guard let now, let relative = try Self(text.lowercased(), from: now) else {
            try self.init(text)
            return
        }
        self = relative
    }

    /// Reads a time relative to now; `nil` for any other text.
    private init?(_ text: String, from now: TimeReference) throws(TimeWindowError) {
        let today = now.reading.flooredQuotient(by: CivilDate.dayLength)
        switch text {
        case "today": self.init(scale: .clock, value: today * CivilDate.dayLength, precision: CivilDate.dayLength)
        case "yesterday":
            self.init(scale: .clock, value: (today - 1) * CivilDate.dayLength, precision: CivilDate.dayLength)
        default:
            var duration = text[...]
            if duration.hasSuffix(" ago") { duration.removeLast(4) }
            if duration.first == "-" { duration.removeFirst() }
            guard duration == "now" || DurationText.isOne(duration) else { return nil }
            let reach = duration == "now" ? 0 : try DurationText.parse(duration)
            self.init(scale: .instant, value: now.instant - reach, precision: 1)
            reading = now.reading - reach
            self.reach = reach
        }
    }

    private init(scale: Scale, value: Int64, precision: Int64) {
        (self.scale, self.value, self.precision) = (scale, value, precision)
    }

    /// Returns advice for two times of day separated by a hyphen, which would be read as an offset; `nil` for any other
    /// text.
    private static func period(_ text: some StringProtocol) -> String? {
        let times = text.split(separator: "-", omittingEmptySubsequences: false)
        guard times.count == 2, times.allSatisfy({ $0.contains(":") }) else { return nil }
        return "'\(text)' is not a time: write a period as \(times[0])..\(times[1])"
    }

    /// Reads a date, a time of day, or both; a date, or both, may be followed by `Z` or an offset from UTC.
    init(_ text: some StringProtocol) throws(TimeWindowError) {
        var reader = TimeReader(text)
        let date = try reader.date()
        let hasTime = date == nil || reader.separates()
        let time = hasTime ? reader.timeOfDay() : nil
        guard !hasTime || time != nil else { throw reader.malformed("is not a time") }
        let offset = try reader.utcOffset()
        guard reader.isAtEnd else { throw reader.malformed("is not a time") }
        precision = time?.precision ?? CivilDate.dayLength
        let milliseconds = (date?.days ?? 0) * CivilDate.dayLength + (time?.value ?? 0)
        guard date != nil || offset == nil else {
            throw TimeWindowError(
                code: .needsDate,
                message: Self.period(text)
                    ?? "'\(text)' has an offset from UTC but no date: write it like 2011-09-26T10:39Z"
            )
        }
        scale = date == nil ? .timeOfDay : offset == nil ? .clock : .instant
        value = milliseconds - Int64(offset ?? 0) * 1000
    }
}

/// The moment that `15m` and `yesterday` are relative to.
public struct TimeReference: Hashable, Sendable {
    /// The number of milliseconds since 1970, in UTC.
    public var instant: Int64
    /// The local clock reading at that time, in milliseconds since 1970.
    public var reading: Int64

    /// Creates a moment on a clock that is `offset` seconds ahead of UTC.
    public init(instant: Int64, offset: Int) {
        self.instant = instant
        reading = instant + Int64(offset) * 1000
    }
}

/// A reader of the parts of a time, byte by byte.
private struct TimeReader {
    private let text: String
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: some StringProtocol) {
        self.text = String(text)
        bytes = Array(text.utf8)
        skipBlanks()
    }

    var isAtEnd: Bool { bytes[position...].allSatisfy { $0 == 0x20 } }

    /// Reads `2011-09-26`, or `09/26/2011`, the service's form; nil if no date begins here.
    mutating func date() throws(TimeWindowError) -> CivilDate? {
        let start = position
        guard let first = number(1...4), let sign = next, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "/") else {
            position = start
            return nil
        }
        let isNative = sign == UInt8(ascii: "/")
        position += 1
        guard let second = number(1...2), next == sign else { throw malformed("is not a date") }
        position += 1
        let yearStart = isNative ? position : start
        guard let third = number(1...4), isNative || third.count <= 2 else { throw malformed("is not a date") }
        let (year, month, day) = isNative ? (third, first, second) : (first, second, third)
        guard year.count == 4 else {
            throw malformed("has no four-digit year at '\(String(decoding: bytes[yearStart...], as: UTF8.self))'")
        }
        guard let date = CivilDate(year: year.value, month: Int(month.value), day: Int(day.value)) else {
            throw malformed(isNative ? "is not a date (the month comes first)" : "is not a date")
        }
        return date
    }

    /// Skips the `T` or the blanks between a date and a time, if a time follows.
    mutating func separates() -> Bool {
        if let sign = next, sign | 0x20 == UInt8(ascii: "t") {
            position += 1
            return true
        }
        let start = position
        skipBlanks()
        if position > start, let sign = next, sign.isDigit { return true }
        position = start
        return false
    }

    /// Reads `10:39`, `10:39:40` or `10:39:40.52`, in milliseconds.
    mutating func timeOfDay() -> (value: Int64, precision: Int64)? {
        guard let hour = number(1...2), hour.value < 24, take(":"), let minute = number(2...2), minute.value < 60 else {
            return nil
        }
        let minutes = (hour.value * 60 + minute.value) * 60_000
        guard take(":") else { return (minutes, 60_000) }
        guard let second = number(2...2), second.value < 60 else { return nil }
        let seconds = minutes + second.value * 1000
        guard take(".") || take(",") else { return (seconds, 1000) }
        guard let fraction = number(1...9) else { return nil }
        var value = fraction.value
        var precision: Int64 = 1000
        for place in 1...9 {
            // Digits beyond milliseconds are dropped.
            if place > 3, place <= fraction.count { value /= 10 }
            if place <= 3, place <= fraction.count { precision /= 10 }
        }
        return (seconds + value * precision, precision)
    }

    /// Reads `Z` or `+02:00`, in seconds ahead of UTC.
    mutating func utcOffset() throws(TimeWindowError) -> Int32? {
        skipBlanks()
        guard let sign = next else { return nil }
        if sign | 0x20 == UInt8(ascii: "z") {
            position += 1
            return 0
        }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
        let rest = bytes[position...].prefix { $0 != 0x20 }
        guard let seconds = UTCOffset.parse(rest) else {
            throw malformed("has no valid offset, such as +02:00")
        }
        position += rest.count
        return seconds
    }

    func malformed(_ reason: String) -> TimeWindowError {
        TimeWindowError(code: .malformedTime, message: "'\(text)' \(reason): \(TimeText.example)")
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ sign: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: sign) else { return false }
        position += 1
        return true
    }

    private mutating func skipBlanks() {
        while next == 0x20 { position += 1 }
    }

    /// Reads a number with this many digits, at most nine; longer runs of digits are rejected.
    private mutating func number(_ digits: ClosedRange<Int>) -> (value: Int64, count: Int)? {
        let found = bytes[position...].prefix { $0.isDigit }
        guard digits.contains(found.count) else { return nil }
        position += found.count
        return (found.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }, found.count)
    }
}

/// A duration as entered by a user: `90s`, `5m`, `1h30m`, `2d`, `1w`.
enum DurationText {
    /// The maximum accepted duration, in milliseconds: ten years.
    private static let longest: Int64 = 3660 * CivilDate.dayLength

    /// Returns whether a text has the form of a duration, regardless of its numbers: digits first, a unit last.
    static func isOne(_ text: some StringProtocol) -> Bool {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, let last = bytes.last else { return false }
        return first.isDigit && milliseconds(of: last) != nil
            && bytes.allSatisfy { $0.isDigit || milliseconds(of: $0) != nil }
    }

    /// Returns the duration in milliseconds.
    static func parse(_ text: some StringProtocol) throws(TimeWindowError) -> Int64 {
        let bytes = Array(text.utf8)
        var total: Int64 = 0
        var offset = 0
        while offset < bytes.count {
            let digits = bytes[offset...].prefix { $0.isDigit }
            offset += digits.count
            guard (1...9).contains(digits.count), offset < bytes.count, let unit = milliseconds(of: bytes[offset])
            else {
                throw malformed(text, "is not a duration")
            }
            total += digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) } * unit
            guard total <= longest else { throw malformed(text, "is longer than ten years") }
            offset += 1
        }
        guard total > 0 else { throw malformed(text, "is not a duration") }
        return total
    }

    private static func milliseconds(of unit: UInt8) -> Int64? {
        switch unit {
        case UInt8(ascii: "s"): 1000
        case UInt8(ascii: "m"): 60_000
        case UInt8(ascii: "h"): 3_600_000
        case UInt8(ascii: "d"): CivilDate.dayLength
        case UInt8(ascii: "w"): 7 * CivilDate.dayLength
        default: nil
        }
    }

    private static func malformed(_ text: some StringProtocol, _ reason: String) -> TimeWindowError {
        TimeWindowError(
            code: .malformedDuration,
            message: "'\(text)' \(reason): write it like 90s, 5m, 1h30m, 2d or 1w"
        )
    }
}

extension Duration {
    /// The duration in whole milliseconds, or the greatest possible number if the duration is too long.
    package var milliseconds: Int64 { units(of: 1_000_000_000_000_000) }

    /// The duration in whole microseconds, or the greatest possible number if the duration is too long.
    package var microseconds: Int64 { units(of: 1_000_000_000_000) }

    private func units(of attoseconds: Int64) -> Int64 {
        let inSecond = 1_000_000_000_000_000_000 / attoseconds
        let (whole, isTooLong) = components.seconds.multipliedReportingOverflow(by: inSecond)
        let (sum, isGreater) = whole.addingReportingOverflow(components.attoseconds / attoseconds)
        return isTooLong || isGreater ? (components.seconds < 0 ? .min : .max) : sum
    }
}
