/// A clock reading, taken apart: the Gregorian date and the time of day.
struct CalendarTime: Hashable, Sendable {
    let year: Int64
    let month: Int64
    let day: Int64
    /// Since midnight.
    let milliseconds: Int64

    /// Takes milliseconds since 1970-01-01T00:00:00 on the same clock.
    init(milliseconds clock: Int64) {
        let dayLength: Int64 = 86_400_000
        var days = clock / dayLength
        var rest = clock % dayLength
        if rest < 0 { (days, rest) = (days - 1, rest + dayLength) }
        milliseconds = rest

        // Years are counted from March, so that the leap day is the last of its year; 400 of them are one era.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Appends `2011-09-26`.
    func append(dateTo bytes: inout [UInt8]) {
        Self.append(year, 4, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        Self.append(month, 2, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        Self.append(day, 2, to: &bytes)
    }

    /// Appends `09/26/2011`.
    func append(americanDateTo bytes: inout [UInt8]) {
        Self.append(month, 2, to: &bytes)
        bytes.append(UInt8(ascii: "/"))
        Self.append(day, 2, to: &bytes)
        bytes.append(UInt8(ascii: "/"))
        Self.append(year, 4, to: &bytes)
    }

    /// Appends `10:39:40.52`; a third digit of the fraction only where it is not zero.
    func append(clockTo bytes: inout [UInt8]) {
        append(minuteTo: &bytes)
        bytes.append(UInt8(ascii: ":"))
        Self.append(milliseconds / 1000 % 60, 2, to: &bytes)
        bytes.append(UInt8(ascii: "."))
        let fraction = milliseconds % 1000
        if fraction % 10 == 0 {
            Self.append(fraction / 10, 2, to: &bytes)
        } else {
            Self.append(fraction, 3, to: &bytes)
        }
    }

    /// Appends `10:39`.
    func append(minuteTo bytes: inout [UInt8]) {
        Self.append(milliseconds / 3_600_000, 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        Self.append(milliseconds / 60_000 % 60, 2, to: &bytes)
    }

    private static func append(_ number: Int64, _ digits: Int, to bytes: inout [UInt8]) {
        if digits == 2 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10 % 10))
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
        } else {
            let text = String(number.magnitude)
            if number < 0 { bytes.append(UInt8(ascii: "-")) }
            bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: max(0, digits - text.utf8.count)))
            bytes.append(text: text)
        }
    }
}
