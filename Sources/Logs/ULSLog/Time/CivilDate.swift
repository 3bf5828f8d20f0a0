/// A day of the Gregorian calendar, which is taken to have been in force at all times.
struct CivilDate: Hashable {
    /// Milliseconds.
    static let dayLength: Int64 = 86_400_000
    /// Years beyond are no dates; milliseconds since 1970 would not hold them.
    static let years: ClosedRange<Int64> = -292_000_000...292_000_000

    let year: Int64
    /// From 1.
    let month: Int
    /// From 1.
    let day: Int

    /// Nil when the calendar has no such day.
    init?(year: Int64, month: Int, day: Int) {
        guard Self.years.contains(year), (1...12).contains(month), day >= 1,
            day <= Self.days(inMonth: month, of: year)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day that begins so many days after 1970-01-01; the first or last of all ``years`` for one beyond them.
    ///
    /// Source: H. Hinnant, "chrono-compatible low-level date algorithms". Years begin in March, so that a leap day is
    /// the last of its year; 146,097 days are 400 years.
    init(days: Int64) {
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

    /// Days since 1970-01-01.
    var days: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear.flooredQuotient(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    static func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    /// For months from 1 to 12.
    static func days(inMonth month: Int, of year: Int64) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension Int64 {
    /// Rounded towards the past, for positive divisors.
    func flooredQuotient(by divisor: Int64) -> Int64 { self / divisor - (self % divisor < 0 ? 1 : 0) }

    /// What ``flooredQuotient(by:)`` leaves: never negative.
    func flooredRemainder(by divisor: Int64) -> Int64 {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}
