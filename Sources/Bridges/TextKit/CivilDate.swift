/// A day of the proleptic Gregorian calendar.
package struct CivilDate: Hashable, Sendable {
    /// The length of a day in milliseconds.
    @inlinable package static var dayLength: Int64 { 86_400_000 }
    /// The valid years, which are limited by the range of milliseconds since 1970.
    @inlinable package static var years: ClosedRange<Int64> { -292_000_000...292_000_000 }

    package let year: Int64
    /// The month, starting at 1.
    package let month: Int
    /// The day, starting at 1.
    package let day: Int

    // MARK: Days since 1970

    // Source: H. Hinnant, "chrono-compatible low-level date algorithms". Years begin in March, so that a leap day is
    // the last of its year; 400 years have 146,097 days.

    /// Creates the day that begins this many days after 1970-01-01; clamped to the first or last day of ``years``.
    @inlinable package init(days: Int64) {
        let limit = Self.years.upperBound * 365
        let shifted = min(max(days, -limit), limit) + 719_468
        let era = shifted.flooredQuotient(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
        month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The number of days since 1970-01-01.
    @inlinable package var days: Int64 { Self.days(year: year, month: month, day: day) }

    /// Returns the number of days from 1970-01-01 to a day; a day after the end of its month belongs to the next month.
    @inlinable package static func days(year: Int64, month: Int, day: Int) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear.flooredQuotient(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    // MARK: The calendar

    /// Creates a day; `nil` if it does not exist in the calendar.
    @inlinable package init?(year: Int64, month: Int, day: Int) {
        guard Self.years.contains(year), (1...12).contains(month), day >= 1,
            day <= Self.days(inMonth: month, of: year)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    @inlinable package static func isLeap(_ year: Int64) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    /// Returns the number of days in a month, from 1 to 12.
    @inlinable package static func days(inMonth month: Int, of year: Int64) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The day of the week, from 0 for Sunday to 6 for Saturday.
    package var weekday: Int {
        // The first day of 1970 was a Thursday.
        Int((days + 4).flooredRemainder(by: 7))
    }
}

extension CivilDate: CustomStringConvertible {
    /// The day in ISO 8601: `2026-11-21`.
    package var description: String { "\(year.padded(to: 4))-\(month.padded(to: 2))-\(day.padded(to: 2))" }
}

extension Int64 {
    /// Divides by a positive divisor, rounding down.
    @inlinable package func flooredQuotient(by divisor: Int64) -> Int64 {
        self / divisor - (self % divisor < 0 ? 1 : 0)
    }

    /// Returns the remainder of ``flooredQuotient(by:)``, which is never negative.
    @inlinable package func flooredRemainder(by divisor: Int64) -> Int64 {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}

// MARK: Moments

/// A point in time in ISO 8601, in UTC: `2026-11-21T12:46:57.250Z`.
package struct UTCTimestamp: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(since1970 duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let time = seconds % 86400
        let parts = [time / 3600, time / 60 % 60, time % 60].map { $0.padded(to: 2) }
        let milliseconds = (attoseconds / 1_000_000_000_000_000).padded(to: 3)
        description = "\(CivilDate(days: seconds / 86400))T\(parts.joined(separator: ":")).\(milliseconds)Z"
    }
}
