/// A moment in ISO 8601, in UTC: `2026-11-21T12:46:57.250Z`.
struct UTCTimestamp: Hashable, Sendable, CustomStringConvertible {
    let description: String

    init(since1970 duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let days = seconds / 86400
        let time = seconds % 86400
        let date = Self.date(ofDay: days)
        let parts = [Self.padded(time / 3600, 2), Self.padded(time / 60 % 60, 2), Self.padded(time % 60, 2)]
        let milliseconds = Self.padded(attoseconds / 1_000_000_000_000_000, 3)
        description = "\(date)T\(parts.joined(separator: ":")).\(milliseconds)Z"
    }

    /// The civil date, by counting years from March, so that the leap day is the last.
    private static func date(ofDay day: Int64) -> String {
        let shifted = day + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
