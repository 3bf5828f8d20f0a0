import ULSLog

/// A row's time as text.
struct LogTimeText {
    private let time: LogTime
    private let clock: CalendarTime

    init(_ time: LogTime) {
        self.time = time
        clock = CalendarTime(milliseconds: time.quality == .exact ? time.instant : time.clock)
    }

    /// Appends the time in ISO 8601; `false`, with nothing appended, where there is none.
    ///
    /// That is `2011-09-26T10:39:40.52`, with a `Z` and in UTC if that is known, and `10:39:40.52` without a date.
    @discardableResult
    func append(isoTo bytes: inout [UInt8]) -> Bool {
        guard time.quality != .none else { return false }
        if time.quality != .timeOnly {
            clock.append(dateTo: &bytes)
            bytes.append(UInt8(ascii: "T"))
        }
        append(clockTo: &bytes)
        return true
    }

    /// Appends the time of day, `10:39:40.52`, with a `Z` if it is in UTC; dashes where there is none.
    func append(clockTo bytes: inout [UInt8]) {
        guard time.quality != .none else { return bytes.append(text: "--:--:--.--" as StaticString) }
        clock.append(clockTo: &bytes)
        if time.quality == .exact { bytes.append(UInt8(ascii: "Z")) }
    }

    /// The day it is on, where that is known.
    var date: String? {
        guard time.quality != .none, time.quality != .timeOnly else { return nil }
        var bytes: [UInt8] = []
        clock.append(dateTo: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    var iso: String? {
        var bytes: [UInt8] = []
        return append(isoTo: &bytes) ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// The time of day without fractions, `10:39`: precise enough for a sentence.
    var minute: String {
        guard time.quality != .none else { return "-" }
        var bytes: [UInt8] = []
        clock.append(minuteTo: &bytes)
        if time.quality == .exact { bytes.append(UInt8(ascii: "Z")) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the time as a native row has it, on the server's own clock; `false` where there is no date.
    ///
    /// That is `09/26/2011 10:39:40.52`, or `2011-09-26 10:39:40.52` in the layout whose clock is UTC.
    func append(nativeTo bytes: inout [UInt8], isUTCLayout: Bool) -> Bool {
        guard time.quality != .none, time.quality != .timeOnly else { return false }
        let own = CalendarTime(milliseconds: time.clock)
        if isUTCLayout { own.append(dateTo: &bytes) } else { own.append(americanDateTo: &bytes) }
        bytes.append(0x20)
        own.append(clockTo: &bytes)
        return true
    }
}
