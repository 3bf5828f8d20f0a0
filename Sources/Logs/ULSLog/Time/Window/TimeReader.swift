/// Reads the parts of a time, byte by byte.
struct TimeReader {
    private let text: String
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: some StringProtocol) {
        self.text = String(text)
        bytes = Array(text.utf8)
        skipBlanks()
    }

    var isAtEnd: Bool { bytes[position...].allSatisfy { $0 == 0x20 } }

    /// `2011-09-26`, or `09/26/2011` as the service writes it; nil if no date begins here.
    mutating func date() throws(TimeWindowError) -> CivilDate? {
        let start = position
        guard let first = number(1...4), let sign = next, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "/") else {
            position = start
            return nil
        }
        let isNative = sign == UInt8(ascii: "/")
        position += 1
        guard let second = number(1...2), next == sign else { throw malformed("is no date") }
        position += 1
        let yearStart = isNative ? position : start
        guard let third = number(1...4), isNative || third.count <= 2 else { throw malformed("is no date") }
        let (year, month, day) = isNative ? (third, first, second) : (first, second, third)
        guard year.count == 4 else {
            throw malformed("has no year of four digits at '\(String(decoding: bytes[yearStart...], as: UTF8.self))'")
        }
        guard let date = CivilDate(year: year.value, month: Int(month.value), day: Int(day.value)) else {
            throw malformed(isNative ? "is no date, month comes first" : "is no date")
        }
        return date
    }

    /// Goes on behind the `T` or the blanks between date and time, if a time follows.
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

    /// `10:39`, `10:39:40` or `10:39:40.52`, in milliseconds.
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
            // Beyond milliseconds nothing is kept.
            if place > 3, place <= fraction.count { value /= 10 }
            if place <= 3, place <= fraction.count { precision /= 10 }
        }
        return (seconds + value * precision, precision)
    }

    /// `Z` or `+02:00`, in seconds ahead of UTC.
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
            throw malformed("has no offset that is understood, like +02:00")
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

    /// A number of so many digits, at most nine; more digits are none.
    private mutating func number(_ digits: ClosedRange<Int>) -> (value: Int64, count: Int)? {
        let found = bytes[position...].prefix { $0.isScopeDigit }
        guard digits.contains(found.count) else { return nil }
        position += found.count
        return (found.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }, found.count)
    }
}
