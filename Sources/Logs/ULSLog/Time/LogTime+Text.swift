extension LogTime {
    /// Appends the time as ISO 8601 says it; nothing if there is none.
    ///
    /// `2011-09-26T10:39:40.52Z` in UTC where that is known, `2011-09-26T10:39:40.52` as the clock read where it is
    /// not, `10:39:40.52` without a date. Logs have hundredths of a second; a third digit is there if it isn't zero.
    public func appendISO8601(to text: inout [UInt8]) {
        switch quality {
        case .none: return
        case .timeOnly: appendTimeOfDay(to: &text)
        case .exact:
            Self.appendISODate(of: instant, to: &text)
            Self.appendTimeOfDay(of: instant, hasFraction: true, to: &text)
            text.append(UInt8(ascii: "Z"))
        case .local, .ambiguous, .skipped:
            Self.appendISODate(of: clock, to: &text)
            Self.appendTimeOfDay(of: clock, hasFraction: true, to: &text)
        }
    }

    /// Appends the clock reading as the service writes it, `09/26/2011 10:39:40.52`; nothing if there is none.
    public func appendNative(to text: inout [UInt8]) {
        guard quality != .none else { return }
        if quality != .timeOnly {
            let date = CivilDate(days: clock.flooredQuotient(by: CivilDate.dayLength))
            text.append(number: Int64(date.month), digits: 2)
            text.append(UInt8(ascii: "/"))
            text.append(number: Int64(date.day), digits: 2)
            text.append(UInt8(ascii: "/"))
            text.append(number: date.year, digits: 4)
            text.append(UInt8(ascii: " "))
        }
        appendTimeOfDay(to: &text)
    }

    /// Appends the clock reading without its date: `10:39:40.52`, or `10:39:40`; nothing if there is none.
    public func appendTimeOfDay(hasFraction: Bool = true, to text: inout [UInt8]) {
        guard quality != .none else { return }
        Self.appendTimeOfDay(of: clock, hasFraction: hasFraction, to: &text)
    }

    /// The time as ISO 8601 says it; see ``appendISO8601(to:)``.
    public var iso8601: String? { text { appendISO8601(to: &$0) } }

    /// The clock reading as the service writes it; see ``appendNative(to:)``.
    public var native: String? { text { appendNative(to: &$0) } }

    /// The clock reading without date and fraction, for tables: `10:39:40`.
    public var timeOfDay: String? { text { appendTimeOfDay(hasFraction: false, to: &$0) } }

    private func text(_ append: (inout [UInt8]) -> Void) -> String? {
        guard quality != .none else { return nil }
        var bytes: [UInt8] = []
        append(&bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func appendISODate(of milliseconds: Int64, to text: inout [UInt8]) {
        let date = CivilDate(days: milliseconds.flooredQuotient(by: CivilDate.dayLength))
        text.append(number: date.year, digits: 4)
        text.append(UInt8(ascii: "-"))
        text.append(number: Int64(date.month), digits: 2)
        text.append(UInt8(ascii: "-"))
        text.append(number: Int64(date.day), digits: 2)
        text.append(UInt8(ascii: "T"))
    }

    private static func appendTimeOfDay(of milliseconds: Int64, hasFraction: Bool, to text: inout [UInt8]) {
        let time = milliseconds.flooredRemainder(by: CivilDate.dayLength)
        text.append(number: time / 3_600_000, digits: 2)
        text.append(UInt8(ascii: ":"))
        text.append(number: time / 60_000 % 60, digits: 2)
        text.append(UInt8(ascii: ":"))
        text.append(number: time / 1000 % 60, digits: 2)
        guard hasFraction else { return }
        text.append(UInt8(ascii: "."))
        let fraction = time % 1000
        if fraction % 10 == 0 {
            text.append(number: fraction / 10, digits: 2)
        } else {
            text.append(number: fraction, digits: 3)
        }
    }
}

extension [UInt8] {
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
