import TextKit

/// The time at which a row was written, with the precision that the row provides.
public struct LogTime: Hashable, Sendable {
    /// The clock reading as written, in milliseconds since 1970-01-01T00:00:00 on that clock.
    ///
    /// For ``Quality/timeOnly``, this is the number of milliseconds since midnight; for ``Quality/none``, it is zero.
    public var clock: Int64

    /// The number of seconds by which the clock is ahead of UTC; zero if unknown.
    public var offset: Int32

    /// The quality of the time.
    public var quality: Quality

    /// Creates a time from a clock reading, in milliseconds, and its offset from UTC, in seconds.
    public init(clock: Int64, offset: Int32 = 0, quality: Quality) {
        self.clock = clock
        self.offset = offset
        self.quality = quality
    }

    /// The time of a row that has none.
    public static let none = LogTime(clock: 0, quality: .none)

    /// The value by which rows are ordered: UTC if known, or else the clock reading as written.
    ///
    /// A reading that a clock change repeats is ordered as the earlier of the two instants; a reading that a clock
    /// change skips is ordered as if the clock had not changed.
    public var instant: Int64 { clock &- Int64(offset) * 1000 }

    /// Whether the time has a date.
    public var hasDate: Bool { quality != .none && quality != .timeOnly }

    /// The precision with which a time is known.
    public enum Quality: String, Sendable, CaseIterable {
        /// UTC is known, because the row gives it or the server's zone was given.
        case exact
        /// A local time in an unnamed zone.
        case local
        /// A local time that a clock change repeats, so that it may denote either of two instants.
        case ambiguous
        /// A local time that does not exist, because a clock change skips it.
        case skipped
        /// A time of day without a date, in a paste.
        case timeOnly
        /// No time at all.
        case none
    }
}

extension LogTime {
    /// Appends the time in ISO 8601; nothing if there is none.
    ///
    /// The form is `2011-09-26T10:39:40.52Z` in UTC if that is known, or else `2011-09-26T10:39:40.52` as the clock
    /// read; without a date, it is `10:39:40.52`. Logs have hundredths of a second; a third digit is appended if it
    /// isn't zero.
    public func appendISO8601(to text: inout [UInt8]) {
        if hasDate {
            text.append(isoDateOf: shown)
            text.append(UInt8(ascii: "T"))
        }
        appendTimeOfDay(to: &text)
    }

    /// Appends the ISO 8601 time without its date, `10:39:40.52`, with a `Z` if it is in UTC; nothing if there is none.
    public func appendTimeOfDay(to text: inout [UInt8]) {
        guard quality != .none else { return }
        text.append(timeOfDayOf: shown)
        appendZ(to: &text)
    }

    /// Appends the clock reading as the service writes it; nothing without a date.
    ///
    /// The form is `09/26/2011 10:39:40.52`, or `2011-09-26 10:39:40.52` in the layout whose clock is UTC.
    public func appendNative(isUTCLayout: Bool = false, to text: inout [UInt8]) {
        guard hasDate else { return }
        if isUTCLayout { text.append(isoDateOf: clock) } else { text.append(usDateOf: clock) }
        text.append(UInt8(ascii: " "))
        text.append(timeOfDayOf: clock)
    }

    /// The time in ISO 8601; see ``appendISO8601(to:)``.
    public var iso8601: String? { quality == .none ? nil : text { appendISO8601(to: &$0) } }

    /// The date of the ISO 8601 time, `2011-09-26`.
    public var isoDate: String? { hasDate ? text { $0.append(isoDateOf: shown) } : nil }

    /// The time of day to the minute, such as `10:39Z`, which is precise enough for a sentence.
    public var minute: String? {
        guard quality != .none else { return nil }
        return text { bytes in
            bytes.append(minuteOf: shown)
            appendZ(to: &bytes)
        }
    }

    /// The milliseconds to show: in UTC if known, or else the clock reading.
    private var shown: Int64 { quality == .exact ? instant : clock }

    private func appendZ(to text: inout [UInt8]) { if quality == .exact { text.append(UInt8(ascii: "Z")) } }

    private func text(_ append: (inout [UInt8]) -> Void) -> String {
        var bytes: [UInt8] = []
        append(&bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Text for parts of a time in milliseconds since 1970.
extension [UInt8] {
    /// Appends `2011-09-26`.
    fileprivate mutating func append(isoDateOf milliseconds: Int64) {
        let date = CivilDate(days: milliseconds.flooredQuotient(by: CivilDate.dayLength))
        append(number: date.year, digits: 4)
        append(UInt8(ascii: "-"))
        append(number: Int64(date.month), digits: 2)
        append(UInt8(ascii: "-"))
        append(number: Int64(date.day), digits: 2)
    }

    /// Appends `09/26/2011`.
    fileprivate mutating func append(usDateOf milliseconds: Int64) {
        let date = CivilDate(days: milliseconds.flooredQuotient(by: CivilDate.dayLength))
        append(number: Int64(date.month), digits: 2)
        append(UInt8(ascii: "/"))
        append(number: Int64(date.day), digits: 2)
        append(UInt8(ascii: "/"))
        append(number: date.year, digits: 4)
    }

    /// Appends `10:39:40.52`.
    fileprivate mutating func append(timeOfDayOf milliseconds: Int64) {
        append(minuteOf: milliseconds)
        let time = milliseconds.flooredRemainder(by: 60_000)
        append(UInt8(ascii: ":"))
        append(number: time / 1000, digits: 2)
        append(UInt8(ascii: "."))
        let fraction = time % 1000
        if fraction % 10 == 0 {
            append(number: fraction / 10, digits: 2)
        } else {
            append(number: fraction, digits: 3)
        }
    }

    /// Appends `10:39`.
    fileprivate mutating func append(minuteOf milliseconds: Int64) {
        let time = milliseconds.flooredRemainder(by: CivilDate.dayLength)
        append(number: time / 3_600_000, digits: 2)
        append(UInt8(ascii: ":"))
        append(number: time / 60_000 % 60, digits: 2)
    }

    /// Appends a number with at least this many digits.
    fileprivate mutating func append(number: Int64, digits: Int) {
        if number < 0 { append(UInt8(ascii: "-")) }
        var power: UInt64 = 1
        for _ in 1..<digits { power *= 10 }
        var rest = number.magnitude
        while rest / power >= 10 { power *= 10 }
        while power > 0 {
            append(UInt8(ascii: "0") + UInt8(rest / power))
            rest %= power
            power /= 10
        }
    }
}

/// A ``LogTime`` in a single word, ordered by instant, which tables store for millions of rows.
package struct PackedTime: Hashable, Comparable {
    private let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// Packs the instant above twelve bits: eight for the offset in quarters of an hour, and four for the quality.
    init(clock: Int64, offset: Int32, quality: LogTime.Quality) {
        self.init(clock: clock, lowBits: Self.lowBits(offset: offset, quality: quality), offset: offset)
    }

    @inline(__always)
    package init(clock: Int64, lowBits: Int64, offset: Int32) {
        rawValue = (clock &- Int64(offset) &* 1000) &<< 12 | lowBits
    }

    package static func lowBits(offset: Int32, quality: LogTime.Quality) -> Int64 {
        ((Int64(offset) / 900 + 128) & 0xFF) << 4 | Int64(Self.qualities.firstIndex(of: quality) ?? 0)
    }

    /// The instant in milliseconds.
    @inline(__always)
    package var instant: Int64 { rawValue &>> 12 }

    package var time: LogTime {
        let offset = ((rawValue >> 4) & 0xFF) - 128
        let quality = Self.qualities[Int(rawValue & 0xF) % Self.qualities.count]
        return LogTime(clock: instant + offset * 900_000, offset: Int32(offset * 900), quality: quality)
    }

    /// Whether the time has a date.
    @inline(__always)
    package var hasDate: Bool { rawValue & 0xF < Self.firstWithoutDate }

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

    private static let qualities = LogTime.Quality.allCases
    /// The index of ``LogTime/Quality/timeOnly`` in `qualities`; only ``LogTime/Quality/none`` follows.
    private static let firstWithoutDate: Int64 = 4
}

/// The first and the last of several times; times of day count only if no time has a date.
package struct TimeSpan: Sendable {
    private static let latest = PackedTime(rawValue: .max)
    private static let earliest = PackedTime(rawValue: .min)

    private var dated = (first: Self.latest, last: Self.earliest)
    private var timesOfDay = (first: Self.latest, last: Self.earliest)

    package init() {}

    package var first: PackedTime? {
        if dated.first <= dated.last { return dated.first }
        return timesOfDay.first <= timesOfDay.last ? timesOfDay.first : nil
    }

    package var last: PackedTime? {
        if dated.first <= dated.last { return dated.last }
        return timesOfDay.first <= timesOfDay.last ? timesOfDay.last : nil
    }

    @inline(__always)
    package mutating func add(_ time: PackedTime) {
        guard time.hasDate else { return addTimeOfDay(time) }
        if time < dated.first { dated.first = time }
        if time > dated.last { dated.last = time }
    }

    package mutating func add(_ other: TimeSpan) {
        dated = (min(dated.first, other.dated.first), max(dated.last, other.dated.last))
        timesOfDay = (min(timesOfDay.first, other.timesOfDay.first), max(timesOfDay.last, other.timesOfDay.last))
    }

    @inline(never)
    private mutating func addTimeOfDay(_ time: PackedTime) {
        guard time.time.quality != .none else { return }
        timesOfDay = (min(timesOfDay.first, time), max(timesOfDay.last, time))
    }
}
