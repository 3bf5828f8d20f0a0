/// Reads a time as rows and exports write it, digit by digit and without regard to any culture.
struct TimestampText: ~Escapable {
    /// More bytes than any time with its mark has.
    static let maximumLength = 48

    private let window: ByteWindow
    private(set) var offset: Int
    private let end: Int

    @_lifetime(copy window)
    init(_ window: borrowing ByteWindow, from start: Int, to end: Int) {
        self.window = copy window
        offset = start
        self.end = end
    }

    /// `MM/dd/yyyy HH:mm:ss.ff` is local; `yyyy-MM-dd HH:mm:ss.ff`, with a `T` or a `Z` too, is UTC.
    ///
    /// One or two digits for month, day and hour, none to three for the fraction (more are dropped), a comma before it:
    /// exports write these.
    mutating func timestamp() -> (clock: Int64, isUTC: Bool)? {
        let start = offset
        if let date = usDate() {
            guard skip(0x20), let time = timeOfDay() else { return nil }
            return (date + time, false)
        }
        offset = start
        guard let date = isoDate(), skip(0x20) || skip(0x54), let time = timeOfDay() else { return nil }
        _ = skip(0x5A)
        return (date + time, true)
    }

    mutating func usDate() -> Int64? {
        guard let month = number(digits: 1...2), skip(0x2F), let day = number(digits: 1...2), skip(0x2F),
            let year = number(digits: 4...4)
        else { return nil }
        return CalendarDay.milliseconds(year: year, month: month, day: day)
    }

    mutating func isoDate() -> Int64? {
        guard let year = number(digits: 4...4), skip(0x2D), let month = number(digits: 1...2), skip(0x2D),
            let day = number(digits: 1...2)
        else { return nil }
        return CalendarDay.milliseconds(year: year, month: month, day: day)
    }

    mutating func hourAndMinute() -> Int64? {
        guard let hour = number(digits: 1...2), hour < 24, skip(0x3A), let minute = number(digits: 2...2), minute < 60
        else { return nil }
        return (hour * 60 + minute) * 60_000
    }

    mutating func timeOfDay() -> Int64? {
        guard let minutes = hourAndMinute(), skip(0x3A), let second = number(digits: 2...2), second < 60 else {
            return nil
        }
        return minutes + second * 1000 + (skip(0x2E) || skip(0x2C) ? fraction() : 0)
    }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard offset < end, window[offset] == byte else { return false }
        offset += 1
        return true
    }

    mutating func skipBlanks() {
        while skip(0x20) {}
    }

    private mutating func number(digits: ClosedRange<Int>) -> Int64? {
        var value: Int64 = 0
        let start = offset
        while offset < end, offset - start < digits.upperBound, window[offset] &- 0x30 <= 9 {
            value = value * 10 + Int64(window[offset] &- 0x30)
            offset += 1
        }
        return digits.contains(offset - start) ? value : nil
    }

    /// The milliseconds of a fraction.
    private mutating func fraction() -> Int64 {
        var value: Int64 = 0
        var weight: Int64 = 100
        while offset < end, window[offset] &- 0x30 <= 9 {
            value += Int64(window[offset] &- 0x30) * weight
            weight /= 10
            offset += 1
        }
        return value
    }
}

/// Days of the Gregorian calendar.
enum CalendarDay {
    /// Milliseconds from 1970 to the beginning of a day, if there is such a day.
    static func milliseconds(year: Int64, month: Int64, day: Int64) -> Int64? {
        guard (1...12).contains(month), day >= 1, day <= length(ofMonth: month, in: year) else { return nil }
        return number(year: year, month: month, day: day) * 86_400_000
    }

    /// The day's number, 1970-01-01 being 0.
    ///
    /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
    static func number(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    static func length(ofMonth month: Int64, in year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
