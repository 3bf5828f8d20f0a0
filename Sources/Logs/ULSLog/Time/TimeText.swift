/// A time as typed by a user.
struct TimeText: Equatable {
    /// The value of a row that a time is compared with.
    enum Scale: Equatable {
        /// The clock reading of a row.
        case clock
        /// The instant of a row.
        case instant
        /// The time of day of a row's clock reading.
        case timeOfDay
    }

    var scale: Scale
    /// Milliseconds: since 1970, or since midnight for ``Scale/timeOfDay``.
    var value: Int64
    /// Milliseconds that the text leaves open: a day, a minute, a second, or a part of one.
    var precision: Int64
    /// What this machine's clock reads at the instant of a time that counts from now, for rows whose zone is unknown.
    var reading: Int64?
    /// Milliseconds that a time that counts from now is before it.
    var reach: Int64?

    /// The last millisecond that the text may mean.
    var end: Int64 { value + precision - 1 }

    /// The last millisecond of a window that ends with this time: a day is whole, a time of day has just begun.
    var last: Int64 { precision >= CivilDate.dayLength ? end : value }

    fileprivate static let example =
        "write it like 2011-09-26T10:39:40, 2011-09-26T10:39Z, 09/26/2011 10:39:40.52, 10:39, 15m or yesterday"

    /// Reads a time that may count from now: `15m`, `-2h`, `3d ago`, `now`, `today`, `yesterday`; or any other.
    init(_ text: String, now: TimeReference?) throws(TimeWindowError) {
        guard let now, let relative = try Self(text.lowercased(), from: now) else {
            try self.init(text)
            return
        }
        self = relative
    }

    /// Reads a time that counts from now; `nil` if it does not.
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
                message: "'\(text)' has an offset from UTC but no date: write it like 2011-09-26T10:39Z"
            )
        }
        scale = date == nil ? .timeOfDay : offset == nil ? .clock : .instant
        value = milliseconds - Int64(offset ?? 0) * 1000
    }
}

/// The moment that `15m` and `yesterday` count from.
public struct TimeReference: Hashable, Sendable {
    /// Milliseconds since 1970, in UTC.
    public var instant: Int64
    /// What a clock on the wall reads then, in milliseconds since 1970.
    public var reading: Int64

    /// Creates a moment on a clock that is some seconds ahead of UTC.
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

    /// Reads `2011-09-26`, or `09/26/2011` as the service writes it; nil if no date begins here.
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

    /// Skips the `T` or the blanks between date and time, if a time follows.
    mutating func separates() -> Bool {
        if let sign = next, sign | 0x20 == UInt8(ascii: "t") {
            position += 1
            return true
        }
        let start = position
        skipBlanks()
        if position > start, let sign = next, sign.isScopeDigit { return true }
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

    /// Reads a number with this many digits, at most nine; more digits are not a number.
    private mutating func number(_ digits: ClosedRange<Int>) -> (value: Int64, count: Int)? {
        let found = bytes[position...].prefix { $0.isScopeDigit }
        guard digits.contains(found.count) else { return nil }
        position += found.count
        return (found.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }, found.count)
    }
}

/// A duration as typed by a user: `90s`, `5m`, `1h30m`, `2d`.
enum DurationText {
    /// The longest accepted duration, in milliseconds: ten years.
    private static let longest: Int64 = 3660 * CivilDate.dayLength

    /// Returns whether a text has the form of a duration, whatever its numbers: digits first, a unit last.
    static func isOne(_ text: some StringProtocol) -> Bool {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, let last = bytes.last else { return false }
        return first.isScopeDigit && milliseconds(of: last) != nil
            && bytes.allSatisfy { $0.isScopeDigit || milliseconds(of: $0) != nil }
    }

    /// Returns the duration in milliseconds.
    static func parse(_ text: some StringProtocol) throws(TimeWindowError) -> Int64 {
        let bytes = Array(text.utf8)
        var total: Int64 = 0
        var offset = 0
        while offset < bytes.count {
            let digits = bytes[offset...].prefix { $0.isScopeDigit }
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
        default: nil
        }
    }

    private static func malformed(_ text: some StringProtocol, _ reason: String) -> TimeWindowError {
        TimeWindowError(
            code: .malformedDuration,
            message: "'\(text)' \(reason): write it like 90s, 5m, 1h30m or 2d"
        )
    }
}
