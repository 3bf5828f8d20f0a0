extension YearlyRule {
    /// Reads what POSIX calls a `TZ` string, with the hours up to 167 that RFC 9636 allows; nil if it is none.
    ///
    /// A zone with summer time has to say when that is.
    init?(posix text: ArraySlice<UInt8>) {
        var reader = PosixReader(rest: text)
        guard reader.skipName(), let west = reader.time(hours: 24) else { return nil }
        offset = Int32(-west)
        guard !reader.rest.isEmpty else { return }
        guard reader.skipName() else { return nil }
        var ahead = Int64(offset) + 3600
        if reader.rest.first != UInt8(ascii: ",") {
            guard let west = reader.time(hours: 24) else { return nil }
            ahead = -west
        }
        guard let start = reader.change(), let end = reader.change(), reader.rest.isEmpty else { return nil }
        summer = Summer(offset: Int32(ahead), start: start, end: end)
    }
}

private struct PosixReader {
    var rest: ArraySlice<UInt8>

    /// Three letters and more, or `<+03>`.
    mutating func skipName() -> Bool {
        if take("<") {
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
            rest = rest[(end + 1)...]
            return true
        }
        let name = rest.prefix { $0.isScopeLetter }
        rest = rest.dropFirst(name.count)
        return name.count >= 3
    }

    /// `,M3.5.0/2`.
    mutating func change() -> YearlyRule.Change? {
        guard take(",") else { return nil }
        let day: YearlyRule.Change.Day
        if take("M") {
            guard let month = number(1...12), take("."), let week = number(1...5), take("."),
                let weekday = number(0...6)
            else { return nil }
            day = .weekday(weekday, week: week, month: Int(month))
        } else if take("J") {
            guard let number = number(1...365) else { return nil }
            day = .withoutLeapDay(number)
        } else {
            guard let number = number(0...365) else { return nil }
            day = .withLeapDay(number)
        }
        guard take("/") else { return YearlyRule.Change(day: day, time: 7200) }
        return time(hours: 167).map { YearlyRule.Change(day: day, time: $0) }
    }

    /// `[+-]hh[:mm[:ss]]`, in seconds.
    mutating func time(hours: Int64) -> Int64? {
        let isNegative = take("-")
        if !isNegative { _ = take("+") }
        guard let hour = number(0...hours) else { return nil }
        var seconds = hour * 3600
        for unit: Int64 in [60, 1] {
            guard take(":") else { break }
            guard let part = number(0...59) else { return nil }
            seconds += part * unit
        }
        return isNegative ? -seconds : seconds
    }

    private mutating func number(_ range: ClosedRange<Int64>) -> Int64? {
        let digits = rest.prefix { $0.isScopeDigit }
        guard (1...3).contains(digits.count) else { return nil }
        rest = rest.dropFirst(digits.count)
        let value = digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        return range.contains(value) ? value : nil
    }

    private mutating func take(_ sign: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: sign) else { return false }
        rest = rest.dropFirst()
        return true
    }
}
