/// Days of the calendar.
enum CivilDate {
    /// The years that the dates of logs lie in; SharePoint writes such names since 2006.
    static let years = 1970...2100

    /// The days from 1970-01-01; `nil` for a date that does not exist.
    static func days(year: Int, month: Int, day: Int) -> Int64? {
        guard years.contains(year), (1...12).contains(month), day >= 1, day <= length(month: month, year: year) else {
            return nil
        }
        let leapDays = leapYears(before: year) - leapYears(before: 1970)
        let daysBefore = (1..<month).reduce(0) { $0 + length(month: $1, year: year) }
        return Int64((year - 1970) * 365 + leapDays + daysBefore + day - 1)
    }

    private static func length(month: Int, year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    private static func leapYears(before year: Int) -> Int {
        (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400
    }
}
