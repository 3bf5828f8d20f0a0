extension LogTime {
    /// Appends the time as ISO 8601 says it; nothing if there is none.
    ///
    /// `2011-09-26T10:39:40.52Z` in UTC where that is known, `2011-09-26T10:39:40.52` as the clock read where it is
    /// not, `10:39:40.52` without a date. Logs have hundredths of a second; a third digit is there if it isn't zero.
    public func appendISO8601(to text: inout [UInt8]) {
        if hasDate {
            text.append(isoDateOf: shown)
            text.append(UInt8(ascii: "T"))
        }
        appendTimeOfDay(to: &text)
    }

    /// Appends that without its date, `10:39:40.52`, with a `Z` if it is in UTC; nothing if there is none.
    public func appendTimeOfDay(to text: inout [UInt8]) {
        guard quality != .none else { return }
        text.append(timeOfDayOf: shown)
        appendZ(to: &text)
    }

    /// Appends the clock reading as the service writes it; nothing where there is no date.
    ///
    /// `09/26/2011 10:39:40.52`, or `2011-09-26 10:39:40.52` in the layout whose clock is UTC.
    public func appendNative(isUTCLayout: Bool = false, to text: inout [UInt8]) {
        guard hasDate else { return }
        if isUTCLayout { text.append(isoDateOf: clock) } else { text.append(usDateOf: clock) }
        text.append(UInt8(ascii: " "))
        text.append(timeOfDayOf: clock)
    }

    /// The time as ISO 8601 says it; see ``appendISO8601(to:)``.
    public var iso8601: String? { quality == .none ? nil : text { appendISO8601(to: &$0) } }

    /// The date of that, `2011-09-26`.
    public var isoDate: String? { hasDate ? text { $0.append(isoDateOf: shown) } : nil }

    /// The time of day of that to the minute, `10:39Z`: precise enough for a sentence.
    public var minute: String? {
        guard quality != .none else { return nil }
        return text { bytes in
            bytes.append(minuteOf: shown)
            appendZ(to: &bytes)
        }
    }

    /// The milliseconds that are shown: in UTC if that is known, else the clock reading.
    private var shown: Int64 { quality == .exact ? instant : clock }

    private func appendZ(to text: inout [UInt8]) { if quality == .exact { text.append(UInt8(ascii: "Z")) } }

    private func text(_ append: (inout [UInt8]) -> Void) -> String {
        var bytes: [UInt8] = []
        append(&bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Parts of a time in milliseconds since 1970.
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

    /// Appends a number with at least so many digits.
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
