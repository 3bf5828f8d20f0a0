/// The first column of a row: its time, and whether the row continues another.
struct RowStart {
    /// Milliseconds since 1970 on the row's clock.
    var clock: Int64
    /// The offset of the tab behind it.
    var tab: Int
    /// Whether the layout is the one with `TimestampUtc`.
    var isUTC: Bool
    /// Whether a `*` says that the row continues a message.
    var isMarked: Bool
}

/// Recognises rows by their first column, and reads the time in it.
///
/// Many rows share a minute: its time is kept, and only seconds are read anew.
struct RowStartReader {
    private var minuteLow: UInt64 = 0
    private var minuteHigh: UInt64 = 0
    private var minute: Int64 = 0

    /// The start of a row at `start`, if there is one; the line's text ends at `end`.
    @inline(__always)
    mutating func read(_ window: borrowing ByteWindow, at start: Int, end: Int) -> RowStart? {
        let row = window.part(from: start, count: 32)
        let low = row.word(0)
        guard (low & 0xFF) &- 0x30 <= 9 else {
            // Files with byte-order marks may have been put together.
            return low & 0xFF_FFFF == 0xBF_BBEF ? readAnyForm(window, at: start &+ 3, end: end) : nil
        }
        if low & 0x0000_FF00_00FF_0000 == 0x0000_2F00_002F_0000, end &- start >= 23,
            let native = readNative(row, at: start, low)
        {
            return native
        }
        return readAnyForm(window, at: start, end: end)
    }

    /// `MM/dd/yyyy HH:mm:ss.ff` and a blank or a `*`, then a tab: what the service writes.
    @inline(__always)
    private mutating func readNative(_ row: borrowing ByteWindow, at start: Int, _ low: UInt64) -> RowStart? {
        let high = row.word(8)
        // ":ss.ff" and what follows.
        let tail = row.word(16)
        guard tail & 0x0000_0000_FF00_00FF == 0x0000_0000_2E00_003A else { return nil }
        let mark = UInt8(truncatingIfNeeded: tail &>> 48)
        guard mark == 0x20 || mark == 0x2A || mark == 0x09 else { return nil }
        guard mark == 0x09 || row[23] == 0x09 else { return nil }
        let tab = mark == 0x09 ? start &+ 22 : start &+ 23
        guard Self.areDigits((tail &>> 8) & 0x0000_00FF_FF00_FFFF | 0x0030_0000) else { return nil }
        if low != minuteLow || high != minuteHigh {
            guard let read = Self.minute(row) else { return nil }
            minute = read
            minuteLow = low
            minuteHigh = high
        }
        let seconds = Int64((tail &>> 8) & 0xF) &* 10 &+ Int64((tail &>> 16) & 0xF)
        let hundredths = Int64((tail &>> 32) & 0xF) &* 10 &+ Int64((tail &>> 40) & 0xF)
        guard seconds < 60 else { return nil }
        return RowStart(
            clock: minute &+ seconds &* 1000 &+ hundredths &* 10,
            tab: tab,
            isUTC: false,
            isMarked: mark == 0x2A
        )
    }

    /// Whether the low five bytes are digits.
    @inline(__always)
    private static func areDigits(_ bytes: UInt64) -> Bool {
        bytes & 0x0000_00F0_F0F0_F0F0 == 0x0000_0030_3030_3030
            && (bytes &+ 0x0000_0006_0606_0606) & 0x0000_00F0_F0F0_F0F0 == 0x0000_0030_3030_3030
    }

    /// The time of `MM/dd/yyyy HH:mm`, if it is one.
    @inline(never)
    private static func minute(_ row: borrowing ByteWindow) -> Int64? {
        var text = TimestampText(row, from: 0, to: 16)
        guard let date = text.usDate(), text.skip(0x20), let time = text.hourAndMinute(), text.offset == 16 else {
            return nil
        }
        return date + time
    }

    @inline(never)
    private func readAnyForm(_ window: borrowing ByteWindow, at start: Int, end: Int) -> RowStart? {
        var text = TimestampText(window, from: start, to: min(end, start + TimestampText.maximumLength))
        guard let (clock, isUTC) = text.timestamp() else { return nil }
        text.skipBlanks()
        let isMarked = text.skip(0x2A)
        text.skipBlanks()
        guard text.skip(0x09) else { return nil }
        return RowStart(clock: clock, tab: text.offset - 1, isUTC: isUTC, isMarked: isMarked)
    }
}
