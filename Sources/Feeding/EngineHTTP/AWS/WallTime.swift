import Glibc

/// A moment by the calendar, in whole seconds since the beginning of 1970 in UTC.
///
/// Signatures and the ends of credentials are told in calendar time, which no monotonic clock knows.
package struct WallTime: Hashable, Comparable, Sendable {
    package let seconds: Int

    package init(seconds: Int) { self.seconds = seconds }

    package static func now() -> WallTime { WallTime(seconds: time(nil)) }

    package static func < (left: Self, right: Self) -> Bool { left.seconds < right.seconds }
}

extension WallTime {
    /// Reads a time as the web's programs write it, such as `2026-11-23T15:00:00Z` or with `+01:00` at the end.
    package init?(iso8601 text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard (20...40).contains(bytes.count), [UInt8(ascii: "T"), UInt8(ascii: "t"), 0x20].contains(bytes[10]),
            bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"), bytes[13] == UInt8(ascii: ":"),
            bytes[16] == UInt8(ascii: ":"),
            let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[5..<7]),
            let day = Self.number(bytes[8..<10]), let hour = Self.number(bytes[11..<13]),
            let minute = Self.number(bytes[14..<16]), let second = Self.number(bytes[17..<19])
        else { return nil }
        var rest = bytes[19...]
        if rest.first == UInt8(ascii: ".") { rest = rest.dropFirst().drop { Self.isDigit($0) } }
        guard let offset = Self.offset(rest) else { return nil }
        self.init(year, month, day, hour, minute, second, offset: offset)
    }

    /// Reads the value of an HTTP `Date` header, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    package init?(httpDate text: some StringProtocol) {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", let month = Self.months.firstIndex(of: String(words[2])),
            let day = Self.number(Array(words[1].utf8)[...]), let year = Self.number(Array(words[3].utf8)[...])
        else { return nil }
        let clock = words[4].split(separator: ":").map { Self.number(Array($0.utf8)[...]) }
        guard clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2] else { return nil }
        self.init(year, month + 1, day, hour, minute, second, offset: 0)
    }

    /// The time in the form of Amazon's signatures: `20150830T123600Z`.
    var stamp: String {
        let (year, month, day) = date
        return Self.padded(year, 4) + Self.padded(month, 2) + Self.padded(day, 2) + "T" + clock.joined() + "Z"
    }

    /// The value of an HTTP `Date` header, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    package var httpDate: String {
        let (year, month, day) = date
        // The first day of 1970 was a Thursday.
        let days = seconds.floored(by: 86_400)
        let weekday = Self.weekdays[days + 4 - 7 * (days + 4).floored(by: 7)]
        return "\(weekday), \(Self.padded(day, 2)) \(Self.months[month - 1]) \(Self.padded(year, 4)) "
            + "\(clock.joined(separator: ":")) GMT"
    }

    /// The day by the calendar.
    private var date: (year: Int, month: Int, day: Int) {
        // Years begin in March here, so that the leap day comes last (Howard Hinnant's civil_from_days).
        let shifted = seconds.floored(by: 86_400) + 719_468
        let era = shifted.floored(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    /// Hours, minutes and seconds, of two digits each.
    private var clock: [String] {
        let rest = seconds - seconds.floored(by: 86_400) * 86_400
        return [rest / 3_600, rest / 60 % 60, rest % 60].map { Self.padded($0, 2) }
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `nil` if there is no such moment.
    private init?(
        _ year: Int,
        _ month: Int,
        _ day: Int,
        _ hour: Int,
        _ minute: Int,
        _ second: Int,
        offset: Int
    ) {
        guard (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        self.init(seconds: days * 86_400 + hour * 3_600 + minute * 60 + second - offset)
    }

    /// Returns the seconds by which a time zone such as `Z` or `-05:30` is ahead of UTC.
    private static func offset(_ zone: ArraySlice<UInt8>) -> Int? {
        if zone.elementsEqual("Z".utf8) || zone.elementsEqual("z".utf8) { return 0 }
        guard zone.count == 6, let sign = zone.first, "+-".utf8.contains(sign),
            zone[zone.startIndex + 3] == UInt8(ascii: ":"), let hours = number(zone.dropFirst().prefix(2)),
            let minutes = number(zone.suffix(2)), hours < 24, minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (sign == UInt8(ascii: "+") ? 60 : -60)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard (1...4).contains(digits.count), digits.allSatisfy(isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension Int {
    /// Returns the quotient, rounded toward the past.
    fileprivate func floored(by divisor: Int) -> Int {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
