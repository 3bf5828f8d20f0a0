/// A reader of times as rows and exports write them, digit by digit and independent of any culture.
struct TimestampText: ~Escapable {
    /// A length in bytes that no time reaches, its mark included.
    static let maximumLength = 48

    private let window: ByteWindow
    private(set) var offset: Int
    private let end: Int

    @_lifetime(copy window)
    init(_ window: borrowing ByteWindow, from start: Int, to end: Int) {
        self.window = copy window
        offset = start
        self.end = end
    }

    /// Reads `MM/dd/yyyy HH:mm:ss.ff` as local, and `yyyy-MM-dd HH:mm:ss.ff`, also with a `T` or a `Z`, as UTC.
    ///
    /// `MM.dd.yyyy` and `MM-dd-yyyy` too: the service puts the sign of the server's language between month and day, and
    /// leaves their order. Month, day and hour may have one or two digits, the fraction none to three (more are dropped), with a comma
    /// before it: exports write these.
    mutating func timestamp() -> (clock: Int64, isUTC: Bool)? {
        let start = offset
        if let date = usDate() {
            guard skip(0x20), let time = timeOfDay() else { return nil }
            return (date + time, false)
        }
        offset = start
        guard let date = isoDate(), skip(0x20) || skip(0x54), let time = timeOfDay() else { return nil }
        _ = skip(0x5A)
        return (date + time, true)
    }

    mutating func usDate() -> Int64? {
        guard let first = number(digits: 1...2), let sign = dateSign(), let second = number(digits: 1...2), skip(sign),
            let year = number(digits: 4...4)
        else { return nil }
        // Other programs put the day first, which shows only where it can't be a month.
        let isDayFirst = first > 12 && sign != 0x2F
        let (month, day) = isDayFirst ? (second, first) : (first, second)
        return CivilDate(year: year, month: Int(month), day: Int(day)).map { $0.days * CivilDate.dayLength }
    }

    /// Reads what separates the parts of a date: `/`, `.` or `-`.
    private mutating func dateSign() -> UInt8? { [0x2F, 0x2E, 0x2D].first { skip($0) } }

    private mutating func isoDate() -> Int64? {
        guard let year = number(digits: 4...4), skip(0x2D), let month = number(digits: 1...2), skip(0x2D),
            let day = number(digits: 1...2)
        else { return nil }
        return CivilDate(year: year, month: Int(month), day: Int(day)).map { $0.days * CivilDate.dayLength }
    }

    mutating func hourAndMinute() -> Int64? {
        guard let hour = number(digits: 1...2), hour < 24, skip(0x3A), let minute = number(digits: 2...2), minute < 60
        else { return nil }
        return (hour * 60 + minute) * 60_000
    }

    mutating func timeOfDay() -> Int64? {
        guard let minutes = hourAndMinute(), skip(0x3A), let second = number(digits: 2...2), second < 60 else {
            return nil
        }
        return minutes + second * 1000 + (skip(0x2E) || skip(0x2C) ? fraction() : 0)
    }

    /// Reads ` AM` or ` PM` behind a time, as people's own settings write it, and returns what it adds to the time.
    mutating func halfOfDay(of clock: Int64) -> Int64 {
        skipBlanks()
        let isMorning = skip(UInt8(ascii: "A")) || skip(UInt8(ascii: "a"))
        guard isMorning || skip(UInt8(ascii: "P")) || skip(UInt8(ascii: "p")),
            skip(UInt8(ascii: "M")) || skip(UInt8(ascii: "m"))
        else { return 0 }
        let half: Int64 = 12 * 3_600_000
        let isTwelve = clock % (2 * half) / 3_600_000 == 12
        return isMorning ? isTwelve ? -half : 0 : isTwelve || clock % (2 * half) >= half ? 0 : half
    }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard offset < end, window[offset] == byte else { return false }
        offset += 1
        return true
    }

    /// Skips spaces, and no-break spaces, which viewers use as padding.
    mutating func skipBlanks() {
        while offset < end {
            if window[offset] == 0x20 {
                offset += 1
            } else if end - offset >= 2, window[offset] == 0xC2, window[offset + 1] == 0xA0 {
                offset += 2
            } else {
                return
            }
        }
    }

    private mutating func number(digits: ClosedRange<Int>) -> Int64? {
        var value: Int64 = 0
        let start = offset
        while offset < end, offset - start < digits.upperBound, window[offset] &- 0x30 <= 9 {
            value = value * 10 + Int64(window[offset] &- 0x30)
            offset += 1
        }
        return digits.contains(offset - start) ? value : nil
    }

    /// Reads the milliseconds of a fraction.
    private mutating func fraction() -> Int64 {
        var value: Int64 = 0
        var weight: Int64 = 100
        while offset < end, window[offset] &- 0x30 <= 9 {
            value += Int64(window[offset] &- 0x30) * weight
            weight /= 10
            offset += 1
        }
        return value
    }
}

/// The process column: `w3wp.exe (0x1790)`, or `w3wp.exe (SERVER:0x1790)` in merged logs.
struct ProcessColumn: Equatable {
    /// The program, followed by `#` and a service if there is one.
    var name: Range<Int>
    var server: Range<Int>?
    /// The process ID, such as `0x1790`.
    var id: Range<Int>?

    /// Splits a column; `range` excludes the padding.
    ///
    /// A column without an ID in parentheses at its end is a name as a whole: names are cut at 31 characters.
    static func parse(_ window: borrowing ByteWindow, _ range: Range<Int>) -> ProcessColumn {
        guard range.count > 2, window[range.upperBound - 1] == UInt8(ascii: ")") else {
            return ProcessColumn(name: range)
        }
        var open = range.upperBound - 1
        while open > range.lowerBound, window[open] != UInt8(ascii: "(") { open -= 1 }
        guard window[open] == UInt8(ascii: "(") else { return ProcessColumn(name: range) }
        let inside = open + 1..<range.upperBound - 1
        var column = ProcessColumn(name: window.trimmed(range.lowerBound..<open))
        // Search from the right: an ID contains no colon, a server's name might.
        var colon = inside.upperBound - 1
        while colon > inside.lowerBound, window[colon] != UInt8(ascii: ":") { colon -= 1 }
        if inside.contains(colon), window[colon] == UInt8(ascii: ":") {
            let server = window.trimmed(inside.lowerBound..<colon)
            column.server = server.isEmpty ? nil : server
            column.id = window.trimmed(colon + 1..<inside.upperBound)
        } else {
            column.id = window.trimmed(inside)
        }
        return column
    }
}
